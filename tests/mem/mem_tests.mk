# Tests of src/mem.
MEM_TESTS := $(call room_tests,mem)
TESTS += $(MEM_TESTS)
$(MEM_TESTS): $(BUILD)/tests/%: tests/mem/%.c tests/mem/memtest.h $(BUILD)/libheddle_core.a
	$(core_test)
