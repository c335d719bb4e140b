# Tests of what the tests stand on: how they are counted, the search for statistics that none reads, seeded faults.
SUITE_TESTS := $(addprefix $(BUILD)/tests/suite_,$(basename $(notdir $(wildcard tests/suite/*.sh))))
TESTS += $(SUITE_TESTS)
$(SUITE_TESTS): $(BUILD)/tests/suite_%: tests/suite/%.sh | programs
	$(script_test)
$(BUILD)/tests/suite_bench_history: | $(BUILD)/bench
