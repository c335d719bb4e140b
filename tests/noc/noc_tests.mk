TESTS += $(BUILD)/tests/noc_test
$(BUILD)/tests/noc_test: tests/noc/noc_test.c tests/mem/memtest.h $(BUILD)/libheddle_core.a
	$(core_test)
