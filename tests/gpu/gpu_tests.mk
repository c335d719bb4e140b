# Tests of src/gpu: whole small GPUs.
GPU_TESTS := $(call room_tests,gpu)
TESTS += $(GPU_TESTS)

$(GPU_TESTS): $(BUILD)/tests/%: tests/gpu/%.c tests/gpu/gpu_rig.h tests/lib/test_stats.h $(BUILD)/libheddle_core.a
	$(core_test)
