# Tests of the command line.
TESTS += $(BUILD)/tests/test_cli_run
$(BUILD)/tests/test_cli_run: private CFLAGS += -DCLI_HEDDLE='"$(abspath $(BUILD))/heddle"'
$(BUILD)/tests/test_cli_run: tests/cli/test_cli_run.c $(BUILD)/libheddle_core.a | programs
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $< $(BUILD)/libheddle_core.a -o $@ -lcmocka $(LDLIBS)
TESTS += $(BUILD)/tests/tune
$(BUILD)/tests/tune: tests/cli/tune.sh | programs
	@mkdir -p $(@D)
	printf '#!/bin/sh\nexec tests/cli/tune.sh %s\n' "$(BUILD)" > $@
	chmod +x $@
TESTS += $(BUILD)/tests/compress
$(BUILD)/tests/compress: tests/cli/compress.sh | programs
	@mkdir -p $(@D)
	printf '#!/bin/sh\nexec tests/cli/compress.sh %s\n' "$(BUILD)" > $@
	chmod +x $@
TESTS += $(BUILD)/tests/listing
$(BUILD)/tests/listing: tests/cli/listing.sh | programs
	@mkdir -p $(@D)
	printf '#!/bin/sh\nexec tests/cli/listing.sh %s\n' "$(BUILD)" > $@
	chmod +x $@
