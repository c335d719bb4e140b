# Tests of the command line.
#   test_cli_run.c  heddle run and compare
#   compress.sh, listing.sh, tune.sh  these commands (listing: list and ptx)
#   outputs.sh      - as the file that an option names
#   faults.sh       wrong addresses, with touch_program.c
CLI_SCRIPTS := $(addprefix $(BUILD)/tests/cli_,$(basename $(notdir $(wildcard tests/cli/*.sh))))
TESTS += $(BUILD)/tests/test_cli_run $(CLI_SCRIPTS)

$(BUILD)/tests/test_cli_run: private CFLAGS += -DCLI_HEDDLE='"$(abspath $(BUILD))/heddle"'
$(BUILD)/tests/test_cli_run: tests/cli/test_cli_run.c $(BUILD)/libheddle_core.a | programs
	$(core_test)
$(BUILD)/tests/cli_touch_program: tests/cli/touch_program.c $(BUILD)/lib/libcuda.so
	@mkdir -p $(@D)
	$(CC) $(filter-out -fvisibility=hidden,$(CFLAGS)) -Iinclude/cuda $(LDFLAGS) $< -o $@ -L$(BUILD)/lib -lcuda -lpthread
$(BUILD)/tests/cli_faults: $(BUILD)/tests/cli_touch_program
$(CLI_SCRIPTS): $(BUILD)/tests/cli_%: tests/cli/%.sh | programs
	$(script_test)
