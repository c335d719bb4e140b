# The kernels are part of the program.
$(BUILD)/obj/gpu/measure.o: src/gpu/measure.ptx
