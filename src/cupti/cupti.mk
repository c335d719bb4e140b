# libcupti.so.12 and .13 beside the CUDA libraries: the same but for their names.
CUPTI_SRC := $(wildcard src/cupti/*.c)
CUPTI_OBJ := $(CUPTI_SRC:src/%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/cupti/gen/cupti_names.o
CUPTI_LIBS := $(BUILD)/lib/libcupti.so.12 $(BUILD)/lib/libcupti.so.13

$(CUPTI_OBJ): CFLAGS += -Iinclude/cuda
$(BUILD)/gen/cupti_names.c: src/cupti/cupti_names.awk src/cuda/trace/driver_calls.tsv src/cuda/trace/runtime_calls.tsv
	@mkdir -p $(@D)
	awk -f $^ > $@
$(BUILD)/obj/cupti/gen/cupti_names.o: $(BUILD)/gen/cupti_names.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -c $< -o $@
$(CUPTI_LIBS): $(BUILD)/lib/libcupti.so.%: src/cupti/cupti.map $(CUPTI_OBJ) $(BUILD)/obj/base/arena.o $(BUILD)/lib/libcuda.so.1
	sed 's/@VERSION@/$(@F)/' $< > $(BUILD)/obj/cupti/$(@F).map
	$(CC) $(LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,-rpath,'$$ORIGIN' -Wl,--version-script,$(BUILD)/obj/cupti/$(@F).map \
	  $(filter %.o,$^) $(BUILD)/lib/libcuda.so.1 -o $@ -lpthread
all programs: $(CUPTI_LIBS)
