# Tests of src/base. Longer fuzzing: `make SANITIZE=1 fuzz-cfg FUZZ_CFG_N=1000000`.
BASE_TESTS := $(call room_tests,base) $(BUILD)/tests/fuzz_cfg
TESTS += $(BASE_TESTS)
$(BUILD)/tests/test_elf_linked: CFLAGS += -DSTR_OBJECT='"$(BUILD)/obj/base/str.o"'
FUZZ_CFG_N ?= 1000000

$(BASE_TESTS): $(BUILD)/tests/%: tests/base/%.c $(BUILD)/libheddle_core.a
	$(core_test)

.PHONY: fuzz-cfg
fuzz-cfg: $(BUILD)/tests/fuzz_cfg
	$< -n $(FUZZ_CFG_N) -s 1
