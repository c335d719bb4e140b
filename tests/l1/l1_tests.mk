# Tests of src/l1, a program a file: the test of a bypass policy is found by its name. The organisations' are in test_tsc.mk.
L1_TESTS := $(patsubst tests/l1/%.c,$(BUILD)/tests/%,$(filter-out tests/l1/test_tsc%,$(wildcard tests/l1/test_*.c)))
TESTS += $(L1_TESTS)

$(L1_TESTS): $(BUILD)/tests/%: tests/l1/%.c tests/l1/l1_kit.h $(BUILD)/libheddle_core.a
	$(core_test)
