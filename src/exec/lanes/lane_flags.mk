# Rows of registers and tiles are read and written as whatever type an instruction has.
$(BUILD)/obj/exec/lanes/lanes_float.%.o $(BUILD)/obj/exec/lanes/lanes_half.%.o $(BUILD)/obj/exec/lanes/lanes_convert.%.o \
$(BUILD)/obj/exec/lanes/lanes_tensor.%.o: \
  CFLAGS += -fno-strict-aliasing
