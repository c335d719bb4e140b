# make bench: builds and runs the benchmarks; they use the library as any program does.
BENCH_SRC := $(wildcard bench/*.c)

$(BUILD)/bench: $(BENCH_SRC) bench/bench.h $(BUILD)/lib/libheddle.so
	$(CC) $(CFLAGS) $(LDFLAGS) $(BENCH_SRC) -L$(BUILD)/lib -Wl,-rpath,'$$ORIGIN/lib' -lheddle -lm -o $@

.PHONY: bench
bench: $(BUILD)/bench
	$(BUILD)/bench
