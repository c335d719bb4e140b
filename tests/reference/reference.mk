# The reference kernels on gtx480-ref: exact counts.
TESTS += $(BUILD)/tests/test_reference
$(BUILD)/tests/test_reference: tests/reference/test_reference.c $(BUILD)/lib/libheddle.so
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $< -o $@ -L$(BUILD)/lib -Wl,-rpath,'$$ORIGIN/../lib' -lheddle -lm
