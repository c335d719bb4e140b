# Tests of src/l1.
L1_TESTS := $(addprefix $(BUILD)/tests/,test_l1 test_l1_oracle test_readonly test_bucl)
TESTS += $(L1_TESTS)

$(L1_TESTS): $(BUILD)/tests/%: tests/l1/%.c tests/l1/l1_kit.h $(BUILD)/libheddle_core.a
	$(core_test)
