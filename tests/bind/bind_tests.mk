# libheddle-bind.so and libheddle-audit.so: a program and a library with a runtime inside, imitated. Not optimised: a compiler that sees both
# sides of a call knows too much.
TESTS += $(BUILD)/tests/bind
IMITATE = -std=gnu11 -O0 -fno-toplevel-reorder -Wall -Wextra
BIND_IMITATIONS = $(addprefix $(BUILD)/tests/bind_imitation,_11 _12) $(BUILD)/tests/bind_imitation
$(BIND_IMITATIONS): tests/bind/imitation.c
	@mkdir -p $(@D)
	$(CC) $(IMITATE) -pthread $< -o $@
$(BUILD)/tests/bind_imitation.o: tests/bind/imitation.c
	@mkdir -p $(@D)
	$(CC) $(IMITATE) -c $< -o $@
$(BUILD)/tests/bind_imitation_11: IMITATE += -DIMITATION_OF=cudaBindTexture
$(BUILD)/tests/bind_imitation_12: IMITATE += -DIMITATION_OF=cudaGetDeviceProperties_v2
$(BUILD)/tests/libbind_imitation.so: tests/bind/imitation.c
	@mkdir -p $(@D)
	$(CC) $(IMITATE) -DIMITATION_IS_LIBRARY -fPIC -shared -Wl,-Bsymbolic $< -o $@
$(BUILD)/tests/bind: tests/bind/bind.sh $(BIND_IMITATIONS) $(BUILD)/tests/bind_imitation.o $(BUILD)/tests/libbind_imitation.so $(BIND_LIBS) $(BUILD)/heddle $(CUDA_LIBS)
	$(script_test)
