# libheddle-bind.so and libheddle-audit.so: a program and a library with a runtime inside, imitated. Not optimised: a compiler that sees both
# sides of a call knows too much.
TESTS += $(BUILD)/tests/bind
IMITATE = -std=gnu11 -O0 -fno-toplevel-reorder -Wall -Wextra
$(BUILD)/tests/bind_imitation: tests/bind/imitation.c
	@mkdir -p $(@D)
	$(CC) $(IMITATE) -pthread $< -o $@
$(BUILD)/tests/libbind_imitation.so: tests/bind/imitation.c
	@mkdir -p $(@D)
	$(CC) $(IMITATE) -DIMITATION_IS_LIBRARY -fPIC -shared -Wl,-Bsymbolic $< -o $@
$(BUILD)/tests/bind: tests/bind/bind.sh $(BUILD)/tests/bind_imitation $(BUILD)/tests/libbind_imitation.so $(BIND_LIBS) $(BUILD)/heddle $(CUDA_LIBS)
	$(script_test)
