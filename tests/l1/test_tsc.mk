TESTS += $(BUILD)/tests/test_tsc $(BUILD)/tests/test_tsc_oracle $(BUILD)/tests/test_tsc_runs
$(BUILD)/tests/test_tsc $(BUILD)/tests/test_tsc_oracle: $(BUILD)/tests/%: tests/l1/%.c tests/l1/tsc_kit.h $(BUILD)/libheddle_core.a
	$(core_test)
$(BUILD)/tests/test_tsc_runs: tests/l1/test_tsc_runs.sh
	$(script_test)
