# Tests of the matrix and texture instructions; included by the top Makefile, which gives BUILD, CC, CFLAGS.
# kernel_kit.o has its rule in exec_memory_tests.mk.
EXEC_MATRIX_TEXTURE_TESTS := $(addprefix $(BUILD)/tests/,test_tensor test_tensor_lanes test_texture test_texture_rows)
TESTS += $(EXEC_MATRIX_TEXTURE_TESTS)

$(EXEC_MATRIX_TEXTURE_TESTS): $(BUILD)/tests/%: tests/exec/%.c $(BUILD)/tests/kernel_kit.o $(BUILD)/libheddle_core.a
	$(core_test)
