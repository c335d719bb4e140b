# The CUDA libraries: $(BUILD)/lib/libcuda.so.1 with the simulator inside, libcudart.so.12 and .13 over it.
# The runtime's sources are compiled once for each version, because structures changed between them.

CUDA_SRC := $(wildcard src/cuda/*.c src/cuda/*/*.c)
CUDART_SRC := $(wildcard src/cuda/runtime/*.c)
LIBCUDA_SRC := $(filter-out $(CUDART_SRC),$(CUDA_SRC))
LIBCUDA_OBJ := $(LIBCUDA_SRC:src/%.c=$(BUILD)/obj/%.o)
CUDART12_OBJ := $(CUDART_SRC:src/%.c=$(BUILD)/obj/%.12.o)
CUDART13_OBJ := $(CUDART_SRC:src/%.c=$(BUILD)/obj/%.13.o)
CUDA_LIBS := $(BUILD)/lib/libcuda.so $(BUILD)/lib/libcudart.so.12 $(BUILD)/lib/libcudart.so

$(LIBCUDA_OBJ) $(CUDART12_OBJ) $(CUDART13_OBJ): CFLAGS += -Iinclude/cuda

$(BUILD)/obj/cuda/%.12.o: src/cuda/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -DRUNTIME_MAJOR=12 -c $< -o $@
$(BUILD)/obj/cuda/%.13.o: src/cuda/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -DRUNTIME_MAJOR=13 -c $< -o $@

$(BUILD)/lib/libcuda.so.1: $(LIBCUDA_OBJ) $(BUILD)/libheddle_core.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -shared -Wl,-soname,libcuda.so.1 -Wl,--no-undefined $^ -o $@ $(LDLIBS)
$(BUILD)/lib/libcuda.so: $(BUILD)/lib/libcuda.so.1
	ln -sf libcuda.so.1 $@

$(BUILD)/lib/libcudart.so.%: src/cuda/cudart.map $(BUILD)/lib/libcuda.so.1
	sed 's/@VERSION@/libcudart.so.$*/' $< > $(BUILD)/obj/cuda/cudart.$*.map
	$(CC) $(LDFLAGS) -shared -Wl,-soname,libcudart.so.$* -Wl,--no-undefined -Wl,-rpath,'$$ORIGIN' \
	  -Wl,--version-script,$(BUILD)/obj/cuda/cudart.$*.map $(filter %.o,$^) $(BUILD)/lib/libcuda.so.1 -o $@ -lpthread -ldl
$(BUILD)/lib/libcudart.so.12: $(CUDART12_OBJ)
$(BUILD)/lib/libcudart.so.13: $(CUDART13_OBJ)
$(BUILD)/lib/libcudart.so: $(BUILD)/lib/libcudart.so.13
	ln -sf libcudart.so.13 $@

.PHONY: cuda
cuda: $(CUDA_LIBS)
all: $(CUDA_LIBS)
