TESTS += $(BUILD)/tests/noc_test
$(BUILD)/tests/noc_test: tests/noc/noc_test.c tests/mem/memtest.h $(BUILD)/libheddle_core.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -Itests/mem $< $(BUILD)/libheddle_core.a -lcmocka $(LDLIBS) -o $@
