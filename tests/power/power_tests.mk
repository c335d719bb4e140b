# Tests of src/power: the models alone, and whole small GPUs whose results carry energy.
POWER_TESTS := $(addprefix $(BUILD)/tests/,test_power_models test_power_runs test_power_figures test_dsent)
TESTS += $(POWER_TESTS)

$(POWER_TESTS): $(BUILD)/tests/%: tests/power/%.c tests/gpu/gpu_rig.h $(BUILD)/libheddle_core.a
	$(core_test)

# heddle area as a user calls it.
TESTS += $(BUILD)/tests/area
$(BUILD)/tests/area: tests/power/area.sh $(BUILD)/heddle
	$(script_test)
