# libcublas: every routine against a model on the host, without time and (some of them) with it; a program of nvcc's, where that is.
TESTS += $(BUILD)/tests/blas
BLAS_TEST_SRC := $(wildcard tests/blas/*.c)
$(BUILD)/tests/test_blas: $(BLAS_TEST_SRC) tests/blas/blas_kit.h $(BLAS_LIBS) $(CUDA_LIBS)
	@mkdir -p $(@D)
	$(CC) $(CUDA_TEST_FLAGS) $(LDFLAGS) $(BLAS_TEST_SRC) -o $@ -L$(BUILD)/lib -lcuda -Wl,-rpath,'$$ORIGIN/../lib' -lm -ldl
$(BUILD)/tests/blas: tests/blas/blas.sh $(BUILD)/tests/test_blas $(BUILD)/heddle
	$(script_test)
