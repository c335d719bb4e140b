# The reference kernels on gtx480-ref: exact counts. The presets beside GPGPU-Sim's recorded answers (page.sh).
TESTS += $(BUILD)/tests/test_reference $(BUILD)/tests/reference_page
$(BUILD)/tests/test_reference: tests/reference/test_reference.c $(BUILD)/lib/libheddle.so
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $< -o $@ -L$(BUILD)/lib -Wl,-rpath,'$$ORIGIN/../lib' -lheddle -lm
$(BUILD)/tests/reference_micro: tests/reference/micro.c $(BUILD)/lib/libcuda.so
	@mkdir -p $(@D)
	$(CC) $(filter-out -fvisibility=hidden,$(CFLAGS)) -Iinclude/cuda $(LDFLAGS) $< -o $@ -L$(BUILD)/lib -lcuda
$(BUILD)/tests/reference_page: tests/reference/page.sh $(BUILD)/tests/reference_micro | programs
	$(script_test)
