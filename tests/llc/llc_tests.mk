# Tests of src/llc.
LLC_TESTS := $(call room_tests,llc)
TESTS += $(LLC_TESTS)
$(LLC_TESTS): $(BUILD)/tests/%: tests/llc/%.c tests/llc/llc_rig.h tests/mem/memtest.h $(BUILD)/libheddle_core.a
	$(core_test)
