# Tests of src/l1. Those of the tag-split cache are in test_tsc.mk.
L1_TESTS := $(filter-out $(BUILD)/tests/test_tsc%,$(call room_tests,l1))
TESTS += $(L1_TESTS)

$(L1_TESTS): $(BUILD)/tests/%: tests/l1/%.c tests/l1/l1_kit.h $(BUILD)/libheddle_core.a
	$(core_test)
