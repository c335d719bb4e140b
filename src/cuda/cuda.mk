# The CUDA libraries: $(BUILD)/lib/libcuda.so.1 with the simulator inside, libcudart.so.11.0, .12 and .13 over it.
# The runtime's sources are compiled once for each version, because structures changed between them. What a program calls are functions that
# src/cuda/trace/calls.awk makes in front of those of the sources, which have other names to the linker.

CUDA_SRC := $(wildcard src/cuda/*.c src/cuda/*/*.c)
CUDA_CALLS := src/cuda/trace/calls.awk $(wildcard src/cuda/trace/*.tsv src/cuda/*/*_stubs.def src/cuda/*/*_per_thread.c include/cuda/*.h)
CUDART_SRC := $(wildcard src/cuda/runtime/*.c)
LIBCUDA_SRC := $(filter-out $(CUDART_SRC),$(CUDA_SRC))
LIBCUDA_NAMED := $(LIBCUDA_SRC:src/%.c=$(BUILD)/obj/%.o)
LIBCUDA_OBJ := $(LIBCUDA_NAMED) $(BUILD)/obj/cuda/gen/driver_calls.o
CUDART11_NAMED := $(CUDART_SRC:src/%.c=$(BUILD)/obj/%.11.o)
CUDART12_NAMED := $(CUDART_SRC:src/%.c=$(BUILD)/obj/%.12.o)
CUDART13_NAMED := $(CUDART_SRC:src/%.c=$(BUILD)/obj/%.13.o)
CUDART11_OBJ := $(CUDART11_NAMED) $(BUILD)/obj/cuda/gen/runtime_calls.11.o
CUDART12_OBJ := $(CUDART12_NAMED) $(BUILD)/obj/cuda/gen/runtime_calls.12.o
CUDART13_OBJ := $(CUDART13_NAMED) $(BUILD)/obj/cuda/gen/runtime_calls.13.o
CUDA_LIBS := $(BUILD)/lib/libcuda.so $(BUILD)/lib/libcudart.so.11.0 $(BUILD)/lib/libcudart.so.12 $(BUILD)/lib/libcudart.so

$(LIBCUDA_OBJ) $(CUDART11_OBJ) $(CUDART12_OBJ) $(CUDART13_OBJ): CFLAGS += -Iinclude/cuda

# In front of the functions of the sources.
LISTS_driver = src/cuda/trace/driver_calls.tsv src/cuda/trace/older_calls.tsv include/cuda/cuda.h src/cuda/driver/driver_per_thread.c \
  src/cuda/driver/driver_stubs.def
LISTS_runtime = src/cuda/trace/runtime_calls.tsv src/cuda/trace/older_calls.tsv include/cuda/cuda_runtime_api.h \
  src/cuda/runtime/runtime_per_thread.c src/cuda/runtime/runtime_stubs.def
define make_calls
@mkdir -p $(@D)
awk -v library=$(1) -v version=$(2) -v want=$(3) -f src/cuda/trace/calls.awk $(LISTS_$(1)) > $@
endef
$(BUILD)/gen/driver_names.h: $(CUDA_CALLS)
	$(call make_calls,driver,13,names)
$(BUILD)/gen/driver_calls.c: $(CUDA_CALLS)
	$(call make_calls,driver,13,calls)
$(BUILD)/gen/runtime_names.11.h $(BUILD)/gen/runtime_names.12.h $(BUILD)/gen/runtime_names.13.h: $(BUILD)/gen/runtime_names.%.h: $(CUDA_CALLS)
	$(call make_calls,runtime,$*,names)
$(BUILD)/gen/runtime_calls.11.c $(BUILD)/gen/runtime_calls.12.c $(BUILD)/gen/runtime_calls.13.c: $(BUILD)/gen/runtime_calls.%.c: $(CUDA_CALLS)
	$(call make_calls,runtime,$*,calls)
CALLS_OBJ := $(addprefix $(BUILD)/obj/cuda/gen/,driver_calls.o runtime_calls.11.o runtime_calls.12.o runtime_calls.13.o)
$(CALLS_OBJ): $(BUILD)/obj/cuda/gen/%.o: $(BUILD)/gen/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -c $< -o $@
$(LIBCUDA_NAMED): CFLAGS += -include $(BUILD)/gen/driver_names.h
$(LIBCUDA_NAMED): $(BUILD)/gen/driver_names.h
$(CUDART11_NAMED): CFLAGS += -include $(BUILD)/gen/runtime_names.11.h
$(CUDART11_NAMED): $(BUILD)/gen/runtime_names.11.h
$(CUDART12_NAMED): CFLAGS += -include $(BUILD)/gen/runtime_names.12.h
$(CUDART12_NAMED): $(BUILD)/gen/runtime_names.12.h
$(CUDART13_NAMED): CFLAGS += -include $(BUILD)/gen/runtime_names.13.h
$(CUDART13_NAMED): $(BUILD)/gen/runtime_names.13.h

$(BUILD)/obj/cuda/%.11.o: src/cuda/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -DRUNTIME_MAJOR=11 -c $< -o $@
$(BUILD)/obj/cuda/%.12.o: src/cuda/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -DRUNTIME_MAJOR=12 -c $< -o $@
$(BUILD)/obj/cuda/%.13.o: src/cuda/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -DRUNTIME_MAJOR=13 -c $< -o $@

$(BUILD)/lib/libcuda.so.1: src/cuda/driver/libcuda.map $(LIBCUDA_OBJ) $(BUILD)/libheddle_core.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -shared -Wl,-soname,libcuda.so.1 -Wl,--no-undefined -Wl,--version-script,$< $(filter %.o %.a,$^) -o $@ $(LDLIBS)
$(BUILD)/lib/libcuda.so: $(BUILD)/lib/libcuda.so.1
	ln -sf libcuda.so.1 $@

$(BUILD)/lib/libcudart.so.%: src/cuda/cudart.map $(BUILD)/lib/libcuda.so.1
	sed 's/@VERSION@/libcudart.so.$*/' $< > $(BUILD)/obj/cuda/cudart.$*.map
	$(CC) $(LDFLAGS) -shared -Wl,-soname,libcudart.so.$* -Wl,--no-undefined -Wl,-rpath,'$$ORIGIN' \
	  -Wl,--version-script,$(BUILD)/obj/cuda/cudart.$*.map $(filter %.o,$^) $(BUILD)/lib/libcuda.so.1 -o $@ -lpthread -ldl
$(BUILD)/lib/libcudart.so.11.0: $(CUDART11_OBJ)
$(BUILD)/lib/libcudart.so.12: $(CUDART12_OBJ)
$(BUILD)/lib/libcudart.so.13: $(CUDART13_OBJ)
$(BUILD)/lib/libcudart.so: $(BUILD)/lib/libcudart.so.13
	ln -sf libcudart.so.13 $@

.PHONY: cuda
cuda: $(CUDA_LIBS)
all: $(CUDA_LIBS)
