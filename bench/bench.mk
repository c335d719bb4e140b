# make bench: builds and runs the benchmarks; they use the library as any program does, but for the compressors, which it does
# not have.
BENCH_SRC := $(wildcard bench/*.c)

$(BUILD)/bench: $(BENCH_SRC) bench/bench.h $(BUILD)/lib/libheddle.so $(BUILD)/libheddle_core.a
	$(CC) $(CFLAGS) $(LDFLAGS) $(BENCH_SRC) -L$(BUILD)/lib -Wl,-rpath,'$$ORIGIN/lib' -lheddle $(BUILD)/libheddle_core.a -lm -o $@

.PHONY: bench
bench: $(BUILD)/bench
	$(BUILD)/bench
