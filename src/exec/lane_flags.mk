# Rows of registers are read and written as whatever type an instruction has.
$(BUILD)/obj/exec/lanes_float.%.o $(BUILD)/obj/exec/lanes_half.%.o $(BUILD)/obj/exec/lanes_convert.%.o: \
  CFLAGS += -fno-strict-aliasing
