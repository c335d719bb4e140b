TESTS += $(BUILD)/tests/routers_test
$(BUILD)/tests/routers_test: tests/noc/routers_test.c tests/noc/nocrig.h tests/mem/memtest.h $(BUILD)/libheddle_core.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -Itests/mem $< $(BUILD)/libheddle_core.a -lcmocka $(LDLIBS) -o $@

TESTS += $(BUILD)/tests/saturation_test
$(BUILD)/tests/saturation_test: tests/noc/saturation_test.c tests/noc/nocrig.h tests/mem/memtest.h $(BUILD)/libheddle_core.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -Itests/mem $< $(BUILD)/libheddle_core.a -lcmocka $(LDLIBS) -o $@
