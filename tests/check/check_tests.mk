# Tests of the checker: a corpus of small programs with known answers, and the parts of it. Included by the Makefile.
TESTS += $(BUILD)/tests/check_cases $(BUILD)/tests/check_cli $(BUILD)/tests/check_workloads $(BUILD)/tests/test_vclock

$(BUILD)/tests/check/check_case: tests/check/check_case.c $(BUILD)/lib/libcuda.so
	@mkdir -p $(@D)
	$(CC) $(CUDA_TEST_FLAGS) $(LDFLAGS) $< -o $@ -L$(BUILD)/lib -lcuda -Wl,-rpath,'$$ORIGIN/../../lib'
$(BUILD)/tests/check/test_check_cases: tests/check/test_check_cases.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $< -o $@ -ljansson
$(BUILD)/tests/check_cli: tests/check/check_cli.sh $(BUILD)/tests/check/check_case $(BUILD)/heddle
	$(script_test)
$(BUILD)/tests/check_workloads: tests/check/check_workloads.sh $(BUILD)/heddle $(BUILD)/heddle-workloads
	$(script_test)
$(BUILD)/tests/test_vclock: tests/check/test_vclock.c $(BUILD)/libheddle_core.a
	$(core_test)
$(BUILD)/tests/check_cases: $(BUILD)/tests/check/test_check_cases $(BUILD)/tests/check/check_case $(BUILD)/heddle \
  $(wildcard tests/check/*.ptx tests/check/*.cu)
	$(script_test)
