# libcupti: its buffers alone; a program on the driver API, with time and without; its layouts against an installed header.
TESTS += $(BUILD)/tests/test_cupti_buffers $(BUILD)/tests/cupti

$(BUILD)/tests/test_cupti_buffers: tests/cupti/test_cupti_buffers.c $(BUILD)/obj/cupti/cupti_buffers.o $(BUILD)/libheddle_core.a
	$(core_test)
$(BUILD)/tests/test_cupti: tests/cupti/test_cupti.c tests/cupti/cupti_api.h tests/cuda/cuda_kit.h tests/cuda/kernels.ptx \
  $(BUILD)/obj/cupti/cupti_buffers.o $(BUILD)/libheddle_core.a $(CUPTI_LIBS) $(CUDA_LIBS)
	@mkdir -p $(@D)
	$(CC) $(CUDA_TEST_FLAGS) $(LDFLAGS) $< $(BUILD)/obj/cupti/cupti_buffers.o $(BUILD)/obj/base/arena.o -o $@ -L$(BUILD)/lib \
	  -l:libcupti.so.13 -lcuda -Wl,-rpath,'$$ORIGIN/../lib' -Wl,-rpath-link,$(BUILD)/lib -lcmocka -lpthread
$(BUILD)/tests/cupti: tests/cupti/cupti.sh $(BUILD)/tests/test_cupti $(BUILD)/heddle
	$(script_test)
