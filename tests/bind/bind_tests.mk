# libheddle-bind.so: a program with a runtime inside, imitated. Not optimised: a compiler that sees both sides of a call knows too much.
TESTS += $(BUILD)/tests/bind
$(BUILD)/tests/bind_imitation: tests/bind/imitation.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O0 -fno-toplevel-reorder -Wall -Wextra $< -o $@
$(BUILD)/tests/bind: tests/bind/bind.sh $(BUILD)/tests/bind_imitation $(BUILD)/lib/libheddle-bind.so $(BUILD)/heddle $(CUDA_LIBS)
	$(script_test)
