# libnvrtc.so.11.2, .12 and .13, libnvJitLink.so.12 and .13: in front of those of a CUDA toolkit. The versions differ by their name only.
# Never built with sanitizers: a program that loads them need not be.
JIT_LIBS := $(addprefix $(BUILD)/lib/,libnvrtc.so.11.2 libnvrtc.so.12 libnvrtc.so.13 libnvJitLink.so.12 libnvJitLink.so.13)
NVRTC_SRC := src/jit/jit_nvrtc.c src/jit/jit_real.c src/base/cuda_toolkit.c
JITLINK_SRC := src/jit/jit_link.c src/jit/jit_real.c src/base/cuda_toolkit.c src/cuda/image/fatbin.c src/cuda/image/fatbin_join.c src/cuda/mapping.c src/base/str.c src/base/err.c src/base/arena.c

$(JIT_LIBS): OPT = -O2
$(JIT_LIBS): src/jit/jit.map src/jit/jit_real.h src/base/cuda_toolkit.h
define jit_library
@mkdir -p $(@D) $(BUILD)/obj/jit
sed 's/@VERSION@/$(@F)/' src/jit/jit.map > $(BUILD)/obj/jit/$(@F).map
$(CC) $(filter-out -MMD -MP,$(CFLAGS)) -Iinclude/cuda $(1) -shared -Wl,-soname,$(@F) -Wl,--version-script,$(BUILD)/obj/jit/$(@F).map \
  $(filter %.c,$^) -o $@ -lzstd -ldl
endef
$(BUILD)/lib/libnvrtc.so.%: $(NVRTC_SRC)
	$(call jit_library,-DNVRTC_FILE='"$(@F)"' -DNVRTC_MAJOR=$(firstword $(subst ., ,$*)))
$(BUILD)/lib/libnvJitLink.so.%: $(JITLINK_SRC)
	$(call jit_library,-DJITLINK_FILE='"$(@F)"' -DJITLINK_MAJOR=$*)
all programs: $(JIT_LIBS)
