DRAM_TESTS := $(addprefix $(BUILD)/tests/,dram_test dramsim_test)
TESTS += $(DRAM_TESTS)
$(DRAM_TESTS): $(BUILD)/tests/%: tests/dram/%.c tests/mem/memtest.h $(BUILD)/libheddle_core.a
	$(core_test)
