# make bench builds and runs the benchmarks, make bench PARTS="timed growth" some of them; they use the library as any program does, but for
# the compressors and the writer of pictures, which it does not have.
BENCH_SRC := $(wildcard bench/*.c)

BENCH_PICTURE := $(BUILD)/obj/cli/show/picture.o

$(BUILD)/bench: $(BENCH_SRC) bench/bench.h $(BENCH_PICTURE) $(BUILD)/lib/libheddle.so $(BUILD)/libheddle_core.a
	$(CC) $(CFLAGS) $(LDFLAGS) $(BENCH_SRC) $(BENCH_PICTURE) -L$(BUILD)/lib -Wl,-rpath,'$$ORIGIN/lib' -lheddle $(BUILD)/libheddle_core.a $(LDLIBS) -o $@

.PHONY: bench
bench: $(BUILD)/bench
	$(BUILD)/bench $(PARTS)

# The long programs: CUDA programs with the workloads' helpers.
LONG_SRC := $(wildcard bench/long/*.c)
LONG_OBJ := $(LONG_SRC:%.c=$(BUILD)/obj/%.o)

$(BUILD)/obj/bench/long/%.o: bench/long/%.c bench/long/long.h bench/long/long_kernels.ptx
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -I$(WORKLOADS_CUDA) -Iworkloads -c $< -o $@

$(BUILD)/heddle-long: $(LONG_OBJ) $(BUILD)/obj/workloads/common/wl.o $(BUILD)/obj/workloads/common/inputs.o | $(BUILD)/lib/libcuda.so
	$(CC) $(CFLAGS) $^ -L$(BUILD)/lib -Wl,-rpath,'$$ORIGIN/lib' -lcuda -lm -o $@
