# Tests of src/noc.
NOC_TESTS := $(call room_tests,noc)
TESTS += $(NOC_TESTS)
$(NOC_TESTS): $(BUILD)/tests/%: tests/noc/%.c tests/noc/nocrig.h tests/mem/memtest.h tests/lib/test_stats.h $(BUILD)/libheddle_core.a
	$(core_test)

TESTS += $(BUILD)/tests/noc_topologies
$(BUILD)/tests/noc_topologies: tests/noc/topologies.sh
	$(script_test)

# What the networks carry, and how fast they are simulated.
$(BUILD)/noc_speed: tests/noc/noc_speed.c tests/noc/nocrig.h tests/mem/memtest.h $(BUILD)/libheddle_core.a
	$(core_test)
.PHONY: noc-speed
noc-speed: $(BUILD)/noc_speed
	$(BUILD)/noc_speed
