# Tests of src/dram, a program a file: a scheduler's test is found by its name.
DRAM_TESTS := $(patsubst tests/dram/%.c,$(BUILD)/tests/%,$(wildcard tests/dram/*_test.c))
TESTS += $(DRAM_TESTS)
$(DRAM_TESTS): $(BUILD)/tests/%: tests/dram/%.c tests/dram/dram_rig.h tests/mem/memtest.h $(BUILD)/libheddle_core.a
	$(core_test)
