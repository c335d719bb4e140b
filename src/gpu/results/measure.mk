# The kernels are part of the program.
$(BUILD)/obj/gpu/results/measure.o: src/gpu/results/measure.ptx
