# The conformance program and its check against the recorded results; included by the top Makefile, which gives BUILD,
# CC and CFLAGS and builds libcuda in $(BUILD)/lib.
CONFORMANCE_DIR := tests/conformance
CONFORMANCE_OBJECTS := $(patsubst $(CONFORMANCE_DIR)/%.c,$(BUILD)/conformance.d/%.o,$(wildcard $(CONFORMANCE_DIR)/*.c))

$(BUILD)/conformance.d/%.o: $(CONFORMANCE_DIR)/%.c $(wildcard $(CONFORMANCE_DIR)/*.h)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -DCONFORMANCE_ZSTD -Iinclude/cuda -c $< -o $@

$(BUILD)/conformance: $(CONFORMANCE_OBJECTS) $(wildcard $(BUILD)/lib/libcuda.so*)
	$(CC) $(CFLAGS) $(CONFORMANCE_OBJECTS) -L$(BUILD)/lib -Wl,-rpath,'$$ORIGIN/lib' -lcuda -lzstd -lm -o $@

.PHONY: conformance-check
conformance-check: $(BUILD)/conformance
	$(BUILD)/conformance check $(CONFORMANCE_DIR)/golden
