# Tests of the float, half and conversion lanes; included by the top Makefile, which gives BUILD, CC, CFLAGS.
EXEC_FLOAT_TESTS := $(addprefix $(BUILD)/tests/,test_lanes_float test_lanes_half test_convert)
TESTS += $(EXEC_FLOAT_TESTS)

$(BUILD)/tests/float_rig.o: tests/exec/float_rig.c tests/exec/float_rig.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -c $< -o $@

$(EXEC_FLOAT_TESTS): $(BUILD)/tests/%: tests/exec/%.c $(BUILD)/tests/float_rig.o $(BUILD)/libheddle_core.a
	$(core_test)

# Decoding is tested on PTX text, with the kit of exec_memory_tests.mk.
TESTS += $(BUILD)/tests/test_convert_decode
$(BUILD)/tests/test_convert_decode: tests/exec/test_convert_decode.c $(BUILD)/tests/kernel_kit.o $(BUILD)/libheddle_core.a
	$(core_test)
