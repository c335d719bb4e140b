# Rows of registers are read and written as whatever type an instruction has.
$(BUILD)/obj/exec/lanes/lanes_float.%.o $(BUILD)/obj/exec/lanes/lanes_half.%.o $(BUILD)/obj/exec/lanes/lanes_convert.%.o: \
  CFLAGS += -fno-strict-aliasing
