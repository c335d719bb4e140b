TESTS += $(BUILD)/tests/dram_test
$(BUILD)/tests/dram_test: tests/dram/dram_test.c tests/mem/memtest.h $(BUILD)/libheddle_core.a
	$(core_test)
