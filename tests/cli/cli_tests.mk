# Tests of the command line.
#   test_cli_run.c  heddle run and compare
#   test_cli_source.c  which source lines --profile shows
#   compress.sh, listing.sh, tune.sh  these commands (listing: list and ptx)
#   signals.sh      signals to heddle run, and kill -9
#   trace.sh        --trace: the file read back by check_trace.py
#   outputs.sh      - as the file that an option names
#   faults.sh       wrong addresses, with touch_program.c
#   sampling.sh     launches that are not simulated: --only, --skip-to, --sample
#   mistakes.sh     what is mistyped, and what the answer says
#   failures.sh     launches that fail or are refused, with refused_program.c
CLI_SCRIPTS := $(addprefix $(BUILD)/tests/cli_,$(basename $(notdir $(wildcard tests/cli/*.sh))))
CLI_TESTS := $(BUILD)/tests/test_cli_run $(BUILD)/tests/test_cli_source
TESTS += $(CLI_TESTS) $(CLI_SCRIPTS)

$(CLI_TESTS): private CFLAGS += -DCLI_HEDDLE='"$(abspath $(BUILD))/heddle"'
$(CLI_TESTS): $(BUILD)/tests/%: tests/cli/%.c $(BUILD)/libheddle_core.a | programs
	$(core_test)
$(BUILD)/tests/cli_touch_program: tests/cli/touch_program.c $(BUILD)/lib/libcuda.so
	@mkdir -p $(@D)
	$(CC) $(filter-out -fvisibility=hidden,$(CFLAGS)) -Iinclude/cuda $(LDFLAGS) $< -o $@ -L$(BUILD)/lib -lcuda -lpthread
$(BUILD)/tests/cli_faults: $(BUILD)/tests/cli_touch_program
$(BUILD)/tests/cli_sampling: $(BUILD)/heddle-long
CLI_REFUSED := $(BUILD)/tests/cli_refused_program_12 $(BUILD)/tests/cli_refused_program_13
$(CLI_REFUSED): $(BUILD)/tests/cli_refused_program_%: tests/cli/refused_program.c $(BUILD)/lib/libcudart.so.%
	@mkdir -p $(@D)
	$(CC) $(filter-out -fvisibility=hidden,$(CFLAGS)) -Iinclude/cuda $(LDFLAGS) $< -o $@ -L$(BUILD)/lib -l:libcudart.so.$* \
	  -Wl,-rpath-link,$(BUILD)/lib
$(BUILD)/tests/cli_failures: $(CLI_REFUSED)
$(CLI_SCRIPTS): $(BUILD)/tests/cli_%: tests/cli/%.sh | programs
	$(script_test)
