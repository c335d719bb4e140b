LLC_TESTS := $(addprefix $(BUILD)/tests/,llc_test llc_gpgpusim_test llc_writes_test llc_mode_test coalesce_test)
TESTS += $(LLC_TESTS)
$(LLC_TESTS): $(BUILD)/tests/%: tests/llc/%.c tests/llc/llc_rig.h tests/mem/memtest.h $(BUILD)/libheddle_core.a
	$(core_test)
