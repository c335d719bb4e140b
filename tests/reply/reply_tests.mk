# Tests of data filtering and compression: src/reply, and its side of the L1D.
REPLY_TESTS := $(addprefix $(BUILD)/tests/,test_windows test_critical_data test_critical_data_oracle test_data_filter test_filter_runs \
                          test_packer)
TESTS += $(REPLY_TESTS)

$(REPLY_TESTS): $(BUILD)/tests/%: tests/reply/%.c tests/l1/l1_kit.h tests/gpu/gpu_rig.h $(BUILD)/libheddle_core.a
	$(core_test)
