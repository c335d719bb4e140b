# Tests of the PTX reader. Included by the Makefile. Longer fuzzing: `make SANITIZE=1 fuzz-ptx FUZZ_N=1000000`.
PTX_TESTS := $(patsubst tests/ptx/%.c,$(BUILD)/tests/%,$(wildcard tests/ptx/test_ptx*.c) tests/ptx/fuzz_ptx.c)
TESTS += $(PTX_TESTS)
FUZZ_N ?= 200000

$(PTX_TESTS): private CFLAGS += -DPTX_TEST_DATA='"$(CURDIR)/tests/ptx/data"' -DPTX_TEST_CORPUS='"$(CURDIR)/tests/ptx/corpus"'
$(PTX_TESTS): $(BUILD)/tests/%: tests/ptx/%.c $(BUILD)/libheddle_core.a
	$(core_test)

.PHONY: fuzz-ptx
fuzz-ptx: $(BUILD)/tests/fuzz_ptx
	$< -n $(FUZZ_N) -s 1 tests/ptx/corpus/*.ptx
