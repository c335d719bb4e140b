# Tests of data filtering and compression: src/reply, and its side of the L1D.
REPLY_TESTS := $(call room_tests,reply)
TESTS += $(REPLY_TESTS)

$(REPLY_TESTS): $(BUILD)/tests/%: tests/reply/%.c tests/l1/l1_kit.h tests/gpu/gpu_rig.h $(BUILD)/libheddle_core.a
	$(core_test)
