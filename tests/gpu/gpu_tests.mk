# Tests of src/gpu: whole small GPUs.
GPU_TESTS := $(addprefix $(BUILD)/tests/,test_gpu_latency test_gpu_runs test_gpu_locks test_gpu_grids test_gpu_random test_gpu_llc test_gpu_storage \
  test_gpu_team test_gpu_faults test_gpu_detail test_points test_sampling test_waves test_gpu_rows test_gpu_clusters test_gpu_stale)
TESTS += $(GPU_TESTS)

$(GPU_TESTS): $(BUILD)/tests/%: tests/gpu/%.c tests/gpu/gpu_rig.h tests/lib/test_stats.h $(BUILD)/libheddle_core.a
	$(core_test)
