# Tests of the library as a program sees it, and its example.
TESTS += $(BUILD)/tests/test_api
$(BUILD)/tests/test_api: tests/api/test_api.c $(BUILD)/lib/libheddle.so
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $< -o $@ -L$(BUILD)/lib -Wl,-rpath,'$$ORIGIN/../lib' -lheddle -lcmocka -ljansson
TESTS += $(BUILD)/tests/api_embed
$(BUILD)/tests/api_embed: tests/api/embed.sh $(BUILD)/embed
	$(script_test)
