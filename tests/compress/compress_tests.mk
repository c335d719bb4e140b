# Tests of src/compress.
COMPRESS_TESTS := $(call room_tests,compress)
TESTS += $(COMPRESS_TESTS)
$(COMPRESS_TESTS): $(BUILD)/tests/%: tests/compress/%.c tests/compress/blocks.h $(BUILD)/libheddle_core.a
	$(core_test)
# FUZZ_N inputs through every decoder, in buffers of their exact size.
TESTS += $(BUILD)/tests/fuzz_compress
$(BUILD)/tests/fuzz_compress: tests/compress/fuzz_compress.c tests/compress/blocks.h $(BUILD)/libheddle_core.a
	$(core_test)
.PHONY: fuzz-compress
fuzz-compress: $(BUILD)/tests/fuzz_compress
	FUZZ_N=$(or $(FUZZ_N),1000000) $<
