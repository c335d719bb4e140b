TESTS += $(BUILD)/tests/llc_test
$(BUILD)/tests/llc_test: tests/llc/llc_test.c tests/mem/memtest.h $(BUILD)/libheddle_core.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -Itests/mem $< $(BUILD)/libheddle_core.a -lcmocka $(LDLIBS) -o $@
