# Tests of src/sm.
SM_TESTS := $(addprefix $(BUILD)/tests/,test_coalesce test_pipeline test_readiness test_schedulers test_sm test_sm_memory test_sm_waits test_sm_counts \
  test_bypass)
TESTS += $(SM_TESTS)

$(SM_TESTS): $(BUILD)/tests/%: tests/sm/%.c tests/sm/sm_rig.h tests/lib/test_stats.h $(BUILD)/libheddle_core.a
	$(core_test)
