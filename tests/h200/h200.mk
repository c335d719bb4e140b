# The preset h200 against measurements of a real one.
TESTS += $(BUILD)/tests/h200
$(BUILD)/tests/h200_probe: tests/h200/probe.c $(BUILD)/lib/libcuda.so
	@mkdir -p $(@D)
	$(CC) $(filter-out -fvisibility=hidden,$(CFLAGS)) -Iinclude/cuda $(LDFLAGS) $< -o $@ -L$(BUILD)/lib -lcuda \
	  -Wl,-rpath,'$$ORIGIN/../lib'
$(BUILD)/tests/h200: tests/h200/h200.sh tests/h200/measured.tsv $(BUILD)/tests/h200_probe
	printf '#!/bin/sh\nexec tests/h200/h200.sh %s\n' "$(BUILD)" > $@
	chmod +x $@
