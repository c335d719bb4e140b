# libcublas.so.11, .12 and .13 beside the CUDA libraries: the same but for their names and the version they tell.
BLAS_SRC := $(wildcard src/blas/*.c)
BLAS_OBJ := $(patsubst src/%.c,$(BUILD)/obj/%.o,$(filter-out src/blas/blas_handle.c,$(BLAS_SRC)))
BLAS_LIBS := $(addprefix $(BUILD)/lib/libcublas.so.,11 12 13)
BLAS_VERSION_11 = 111103
BLAS_VERSION_12 = 120405
BLAS_VERSION_13 = 130100
BLAS_HANDLES := $(foreach v,11 12 13,$(BUILD)/obj/blas/blas_handle.$(v).o)

$(BLAS_OBJ) $(BLAS_HANDLES) $(BUILD)/obj/blas/gen/blas_entries.o: CFLAGS += -Iinclude/cuda
$(BUILD)/obj/blas/blas_launch.o: $(wildcard src/blas/kernels/*.ptx)
$(BLAS_HANDLES): $(BUILD)/obj/blas/blas_handle.%.o: src/blas/blas_handle.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -DBLAS_VERSION=$(BLAS_VERSION_$*) -c $< -o $@
# What the sources define; the other functions are made from the table, or refused.
$(BUILD)/gen/blas_defined.txt: $(BLAS_OBJ) $(BUILD)/obj/blas/blas_handle.13.o
	@mkdir -p $(@D)
	nm --defined-only $^ | awk '$$2 == "T" && $$3 ~ /^cublas/ { print $$3 }' > $@
$(BUILD)/gen/blas_entries.c: src/blas/blas_entries.awk src/blas/blas_names.txt $(BUILD)/gen/blas_defined.txt src/blas/blas_calls.tsv
	awk -f $^ > $@
$(BUILD)/obj/blas/gen/blas_entries.o: $(BUILD)/gen/blas_entries.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -c $< -o $@
$(BLAS_LIBS): $(BUILD)/lib/libcublas.so.%: src/blas/blas.map $(BLAS_OBJ) $(BUILD)/obj/blas/gen/blas_entries.o $(BUILD)/obj/blas/blas_handle.%.o \
  $(BUILD)/lib/libcuda.so.1
	sed 's/@VERSION@/$(@F)/' $< > $(BUILD)/obj/blas/$(@F).map
	$(CC) $(LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,-rpath,'$$ORIGIN' -Wl,--version-script,$(BUILD)/obj/blas/$(@F).map \
	  $(filter %.o,$^) $(BUILD)/lib/libcuda.so.1 -o $@ -lm -lpthread
all programs: $(BLAS_LIBS)
