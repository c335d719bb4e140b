# Tests of the integer, comparison and video instructions; included by the top Makefile.
LANES_TESTS := $(addprefix $(BUILD)/tests/,test_lanes_int test_compare test_video)
TESTS += $(LANES_TESTS)

$(BUILD)/tests/lanes_bench.o: tests/exec/lanes_bench.c tests/exec/lanes_bench.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(if $(PORTABLE),-DEXEC_PORTABLE_ONLY) -c $< -o $@

$(LANES_TESTS): $(BUILD)/tests/%: tests/exec/%.c $(BUILD)/tests/lanes_bench.o $(BUILD)/libheddle_core.a
	$(core_test)
