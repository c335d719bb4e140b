LLC_TESTS := $(addprefix $(BUILD)/tests/,llc_test llc_mode_test coalesce_test)
TESTS += $(LLC_TESTS)
$(LLC_TESTS): $(BUILD)/tests/%: tests/llc/%.c tests/mem/memtest.h $(BUILD)/libheddle_core.a
	$(core_test)
