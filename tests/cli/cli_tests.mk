# Tests of the command line.
#   test_cli_run.c  heddle run and compare
#   compress.sh, listing.sh, tune.sh  these commands (listing: list and ptx)
#   signals.sh      signals to heddle run, and kill -9
#   outputs.sh      - as the file that an option names
CLI_SCRIPTS := $(addprefix $(BUILD)/tests/cli_,$(basename $(notdir $(wildcard tests/cli/*.sh))))
TESTS += $(BUILD)/tests/test_cli_run $(CLI_SCRIPTS)

$(BUILD)/tests/test_cli_run: private CFLAGS += -DCLI_HEDDLE='"$(abspath $(BUILD))/heddle"'
$(BUILD)/tests/test_cli_run: tests/cli/test_cli_run.c $(BUILD)/libheddle_core.a | programs
	$(core_test)
$(CLI_SCRIPTS): $(BUILD)/tests/cli_%: tests/cli/%.sh | programs
	$(script_test)
