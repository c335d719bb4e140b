# Tests of src/dram.
DRAM_TESTS := $(call room_tests,dram)
TESTS += $(DRAM_TESTS)
$(DRAM_TESTS): $(BUILD)/tests/%: tests/dram/%.c tests/dram/dram_rig.h tests/mem/memtest.h $(BUILD)/libheddle_core.a
	$(core_test)
