TESTS += $(BUILD)/tests/test_tsc $(BUILD)/tests/test_tsc_oracle $(BUILD)/tests/test_tsc_runs
$(BUILD)/tests/test_tsc $(BUILD)/tests/test_tsc_oracle: $(BUILD)/tests/%: tests/l1/%.c tests/l1/tsc_kit.h $(BUILD)/libheddle_core.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -Itests/l1 $< $(BUILD)/libheddle_core.a -lcmocka $(LDLIBS) -o $@
$(BUILD)/tests/test_tsc_runs: tests/l1/test_tsc_runs.sh
	@mkdir -p $(@D)
	printf '#!/bin/sh\nexec tests/l1/test_tsc_runs.sh %s\n' "$(BUILD)" > $@
	chmod +x $@
