# The float lanes: nobody looks at the host's floating-point exception flags, and the compiler vectorises selects only
# if it may raise them; rows of registers are read and written as whatever type an instruction has.
$(BUILD)/obj/exec/lanes_float.%.o $(BUILD)/obj/exec/lanes_half.%.o $(BUILD)/obj/exec/lanes_convert.%.o: \
  CFLAGS += -fno-trapping-math -fno-strict-aliasing
