# The texture conformance program; included by the top Makefile, which gives BUILD, CC and CFLAGS and builds libcuda in
# $(BUILD)/lib. The recording of an H200 is golden.zst.
TEXTURE_CONFORMANCE_DIR := tests/conformance_texture
TEXTURE_CONFORMANCE_OBJECTS := $(patsubst $(TEXTURE_CONFORMANCE_DIR)/%.c,$(BUILD)/texture_conformance.d/%.o,\
  $(wildcard $(TEXTURE_CONFORMANCE_DIR)/*.c))

$(BUILD)/texture_conformance.d/%.o: $(TEXTURE_CONFORMANCE_DIR)/%.c $(wildcard $(TEXTURE_CONFORMANCE_DIR)/*.h)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -DTEXTURE_ZSTD -Iinclude/cuda -c $< -o $@

$(BUILD)/texture_conformance: $(TEXTURE_CONFORMANCE_OBJECTS) $(BUILD)/lib/libcuda.so
	$(CC) $(CFLAGS) $(TEXTURE_CONFORMANCE_OBJECTS) -L$(BUILD)/lib -Wl,-rpath,'$$ORIGIN/lib' -lcuda -lzstd -lm -o $@
