# Tests of src/coop.
COOP_TESTS := $(call room_tests,coop)
TESTS += $(COOP_TESTS)

$(COOP_TESTS): $(BUILD)/tests/%: tests/coop/%.c tests/coop/coop_kit.h tests/gpu/gpu_rig.h $(BUILD)/libheddle_core.a
	$(core_test)
