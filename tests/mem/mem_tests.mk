TESTS += $(BUILD)/tests/mem_test
$(BUILD)/tests/mem_test: tests/mem/mem_test.c tests/mem/memtest.h $(BUILD)/libheddle_core.a
	$(core_test)
TESTS += $(BUILD)/tests/memside_test
$(BUILD)/tests/memside_test: tests/mem/memside_test.c tests/mem/memtest.h $(BUILD)/libheddle_core.a
	$(core_test)
TESTS += $(BUILD)/tests/test_cache_kit
$(BUILD)/tests/test_cache_kit: tests/mem/test_cache_kit.c $(BUILD)/libheddle_core.a
	$(core_test)
