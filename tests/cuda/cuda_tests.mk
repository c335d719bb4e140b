# Tests of the CUDA libraries. Included by the Makefile.
#   area_*.c      programs on the driver API, one an area; their output is compared with the one recorded on an H200
#   runtime_*.c   programs on the runtime API with a fat binary registered as the compiler's code does it
#   test_*.c      the fat-binary reader, and what the libraries promise beyond a GPU
#   fuzz_*.c      fuzzers: FUZZ_N inputs each with `make SANITIZE=1 fuzz-cuda`
#   *.cu          built and run where nvcc is found (CUDA_HOME or PATH), skipped elsewhere

CUDA_AREAS := $(patsubst tests/cuda/%.c,$(BUILD)/tests/cuda/%,$(wildcard tests/cuda/area_*.c))
CUDA_RUNTIME := $(patsubst tests/cuda/%.c,$(BUILD)/tests/cuda/%,$(wildcard tests/cuda/runtime_*.c))
CUDA_FUZZ := $(BUILD)/tests/fuzz_fatbin $(BUILD)/tests/fuzz_cuda_calls $(BUILD)/tests/fuzz_stream_order
CUDA_TEST_FLAGS = $(filter-out -fvisibility=hidden,$(CFLAGS)) -Iinclude/cuda -Itests/cuda
CUDA_UNIT := $(BUILD)/tests/test_fatbin $(BUILD)/tests/test_cuda_library $(BUILD)/tests/test_cuda_overlap $(BUILD)/tests/test_cuda_window $(BUILD)/tests/test_cuda_streams \
  $(BUILD)/tests/test_operations $(BUILD)/tests/test_progress_line $(BUILD)/tests/test_cuda_conditions $(BUILD)/tests/test_cuda_device_graphs $(BUILD)/tests/test_cuda_ipc $(BUILD)/tests/test_nvtx \
  $(BUILD)/tests/test_triton_manner $(BUILD)/tests/test_cuda_host_wait $(BUILD)/tests/test_cuda_versions $(BUILD)/tests/test_device_sync
FATBIN_OBJ := $(BUILD)/obj/cuda/image/fatbin.o $(BUILD)/obj/cuda/image/fatbin_join.o $(BUILD)/obj/cuda/mapping.o
TESTS += $(BUILD)/tests/cuda_programs $(CUDA_UNIT) $(CUDA_FUZZ)

$(CUDA_AREAS): $(BUILD)/tests/cuda/%: tests/cuda/%.c tests/cuda/cuda_kit.h tests/cuda/kernels.ptx $(BUILD)/lib/libcuda.so
	@mkdir -p $(@D)
	$(CC) $(CUDA_TEST_FLAGS) $(LDFLAGS) $< -o $@ -L$(BUILD)/lib -lcuda -Wl,-rpath,'$$ORIGIN/../../lib' -lpthread
$(CUDA_RUNTIME): $(BUILD)/tests/cuda/%: tests/cuda/%.c $(BUILD)/lib/libcudart.so
	@mkdir -p $(@D)
	$(CC) $(CUDA_TEST_FLAGS) $(LDFLAGS) $< -o $@ -L$(BUILD)/lib -l:libcudart.so.13 -Wl,-rpath,'$$ORIGIN/../../lib' \
	  -Wl,-rpath-link,$(BUILD)/lib -lpthread
TESTS += $(BUILD)/tests/cuda_older_toolkits
$(BUILD)/tests/cuda_older_toolkits: tests/cuda/older_toolkits.sh $(CUDA_LIBS) $(BIND_LIBS)
	$(script_test)
$(BUILD)/tests/cuda_programs: tests/cuda/programs.sh $(CUDA_AREAS) $(CUDA_RUNTIME) $(CUDA_LIBS)
	$(script_test)

$(BUILD)/tests/test_progress_line: tests/cuda/test_progress_line.c $(BUILD)/obj/cuda/progress_line.o
	$(core_test)
$(BUILD)/tests/test_fatbin: tests/cuda/test_fatbin.c $(FATBIN_OBJ) $(BUILD)/libheddle_core.a
	@mkdir -p $(@D)
	$(CC) $(CUDA_TEST_FLAGS) $(LDFLAGS) $< $(FATBIN_OBJ) $(BUILD)/libheddle_core.a -o $@ -lcmocka $(LDLIBS)
$(BUILD)/tests/test_operations: tests/cuda/test_operations.c $(BUILD)/obj/cuda/record/operations.o $(BUILD)/obj/cuda/record/ranges.o \
  $(BUILD)/libheddle_core.a
	$(core_test)
$(BUILD)/tests/test_cuda_library $(BUILD)/tests/test_cuda_versions: $(BUILD)/tests/%: tests/cuda/%.c tests/cuda/cuda_kit.h tests/cuda/kernels.ptx $(CUDA_LIBS)
	@mkdir -p $(@D)
	$(CC) $(CUDA_TEST_FLAGS) $(LDFLAGS) $< -o $@ -L$(BUILD)/lib -lcuda -Wl,-rpath,'$$ORIGIN/../lib' -lcmocka -lpthread -ldl

$(BUILD)/tests/test_triton_manner: tests/cuda/test_triton_manner.c tests/cuda/cuda_kit.h tests/cuda/triton_manner.ptx $(BUILD)/lib/libcuda.so
	@mkdir -p $(@D)
	$(CC) $(CUDA_TEST_FLAGS) $(LDFLAGS) $< -o $@ -L$(BUILD)/lib -lcuda -Wl,-rpath,'$$ORIGIN/../lib' -lcmocka -lm
$(BUILD)/tests/test_cuda_overlap $(BUILD)/tests/test_cuda_window $(BUILD)/tests/test_cuda_conditions $(BUILD)/tests/test_cuda_device_graphs $(BUILD)/tests/test_cuda_ipc $(BUILD)/tests/test_cuda_host_wait $(BUILD)/tests/test_device_sync: $(BUILD)/tests/%: tests/cuda/%.c \
  $(BUILD)/lib/libcuda.so
	@mkdir -p $(@D)
	$(CC) $(CUDA_TEST_FLAGS) $(LDFLAGS) $< -o $@ -L$(BUILD)/lib -lcuda -Wl,-rpath,'$$ORIGIN/../lib' -lcmocka -lpthread

TESTS += $(BUILD)/tests/many_launches_test
$(BUILD)/tests/many_launches: tests/cuda/many_launches.c $(BUILD)/lib/libcuda.so
	@mkdir -p $(@D)
	$(CC) $(CUDA_TEST_FLAGS) $(LDFLAGS) $< -o $@ -L$(BUILD)/lib -lcuda -Wl,-rpath,'$$ORIGIN/../lib'
$(BUILD)/tests/many_launches_test: tests/cuda/many_launches.sh $(BUILD)/tests/many_launches $(BUILD)/heddle
	$(script_test)

$(BUILD)/tests/test_nvtx: tests/cuda/test_nvtx.c $(BUILD)/lib/libcuda.so
	@mkdir -p $(@D)
	$(CC) $(CUDA_TEST_FLAGS) $(LDFLAGS) $< -o $@ -L$(BUILD)/lib -lcuda -Wl,-rpath,'$$ORIGIN/../lib' -lcmocka -ljansson -lpthread

# Looks inside the library, so it is linked with its objects.
$(BUILD)/tests/test_cuda_streams: tests/cuda/test_cuda_streams.c $(LIBCUDA_OBJ) $(BUILD)/libheddle_core.a
	@mkdir -p $(@D)
	$(CC) $(CUDA_TEST_FLAGS) $(LDFLAGS) $< $(LIBCUDA_OBJ) $(BUILD)/libheddle_core.a -o $@ -lcmocka $(LDLIBS)

$(BUILD)/tests/fuzz_fatbin: tests/cuda/fuzz_fatbin.c tests/cuda/fuzz_kit.h $(FATBIN_OBJ) $(BUILD)/libheddle_core.a
	@mkdir -p $(@D)
	$(CC) $(CUDA_TEST_FLAGS) $(LDFLAGS) $< $(FATBIN_OBJ) $(BUILD)/libheddle_core.a -o $@ $(LDLIBS)
$(BUILD)/tests/fuzz_cuda_calls: tests/cuda/fuzz_cuda_calls.c tests/cuda/fuzz_kit.h tests/cuda/cuda_kit.h $(LIBCUDA_OBJ) $(BUILD)/libheddle_core.a
	@mkdir -p $(@D)
	$(CC) $(CUDA_TEST_FLAGS) $(LDFLAGS) $< $(LIBCUDA_OBJ) $(BUILD)/libheddle_core.a -o $@ $(LDLIBS)
# Stands between the library's files, to see operations begin and end.
SEEN := cuda_engine_begin cuda_engine_begin_kernel gpu_submit cuda_launch_end cuda_copy_end cuda_fill_end cuda_finish_recording
$(BUILD)/tests/fuzz_stream_order: tests/cuda/fuzz_stream_order.c tests/cuda/fuzz_kit.h tests/cuda/cuda_kit.h $(LIBCUDA_OBJ) $(BUILD)/libheddle_core.a
	@mkdir -p $(@D)
	$(CC) $(CUDA_TEST_FLAGS) $(LDFLAGS) $(SEEN:%=-Wl,--wrap=%) $< $(LIBCUDA_OBJ) $(BUILD)/libheddle_core.a -o $@ $(LDLIBS)

.PHONY: fuzz-cuda
fuzz-cuda: $(CUDA_FUZZ)
	$(BUILD)/tests/fuzz_fatbin -n $(FUZZ_N) -s 1 tests/cuda/data/*.fatbin
	$(BUILD)/tests/fuzz_cuda_calls -n $(FUZZ_N) -s 1
	$(BUILD)/tests/fuzz_stream_order -n $(FUZZ_N) -s 1
