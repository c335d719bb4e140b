# Tests of src/coop.
COOP_TESTS := $(addprefix $(BUILD)/tests/,test_ring test_ideal test_sharing test_shadow test_coop_runs)
TESTS += $(COOP_TESTS)

$(COOP_TESTS): $(BUILD)/tests/%: tests/coop/%.c tests/coop/coop_kit.h tests/gpu/gpu_rig.h $(BUILD)/libheddle_core.a
	$(core_test)
