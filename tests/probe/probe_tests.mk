# Tests of src/probe and of heddle characterize. Included by the Makefile.
TESTS += $(BUILD)/tests/probe_test $(BUILD)/tests/characterize
$(BUILD)/tests/probe_test: tests/probe/probe_test.c $(BUILD)/libheddle_core.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $< $(BUILD)/libheddle_core.a -o $@ -lcmocka $(LDLIBS)
$(BUILD)/tests/characterize: tests/probe/characterize.sh
	@mkdir -p $(@D)
	printf '#!/bin/sh\nexec tests/probe/characterize.sh %s\n' "$(BUILD)" > $@
	chmod +x $@
