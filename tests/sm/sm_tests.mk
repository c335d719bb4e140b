# Tests of src/sm.
SM_TESTS := $(call room_tests,sm)
TESTS += $(SM_TESTS)

$(SM_TESTS): $(BUILD)/tests/%: tests/sm/%.c tests/sm/sm_rig.h tests/lib/test_stats.h $(BUILD)/libheddle_core.a
	$(core_test)
