# Tests of the memory, atomic and warp instructions; included by the top Makefile, which gives BUILD, CC, CFLAGS.
EXEC_MEMORY_TESTS := $(addprefix $(BUILD)/tests/,test_memory test_atomic test_async_copy test_tensor_copy test_warp_ops \
  test_divergence test_device_memory test_strays test_run_grid test_lowering test_stretch test_quick_moves)
TESTS += $(EXEC_MEMORY_TESTS)

$(BUILD)/tests/kernel_kit.o: tests/exec/kernel_kit.c tests/exec/kernel_kit.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -c $< -o $@

$(EXEC_MEMORY_TESTS): $(BUILD)/tests/%: tests/exec/%.c $(BUILD)/tests/kernel_kit.o $(BUILD)/libheddle_core.a
	$(core_test)
