# libnvrtc.so and libnvJitLink.so: a program that uses them, and an imitation of the toolkit behind them.
TESTS += $(BUILD)/tests/jit
$(BUILD)/tests/libtoolkit.so: tests/jit/toolkit.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O1 -Wall -Wextra -shared -fPIC $< -o $@
$(BUILD)/tests/jit_program: tests/jit/jit_program.c $(JIT_LIBS) $(CUDA_LIBS)
	@mkdir -p $(@D)
	$(CC) $(CUDA_TEST_FLAGS) $(LDFLAGS) $< -o $@ -L$(BUILD)/lib -l:libnvrtc.so.13 -l:libnvJitLink.so.13 -lcuda
$(BUILD)/tests/jit: tests/jit/jit.sh $(BUILD)/tests/jit_program $(BUILD)/tests/libtoolkit.so
	$(script_test)
