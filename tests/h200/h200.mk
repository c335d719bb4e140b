# The preset h200 against measurements of a real one: memory and waiting threads (probe.c), lanes of a memory instruction, instructions,
# warps in each other's way, Hopper's units.
TESTS += $(addprefix $(BUILD)/tests/,h200 h200_uncoalesced h200_locks h200_instructions h200_matrix h200_mixes h200_lanes h200_contention \
  h200_hopper h200_code h200_writes h200_specials h200_ctas h200_local h200_stale h200_examples)
$(BUILD)/tests/h200_probe: tests/h200/probe.c tests/h200/driver.h
$(BUILD)/tests/h200_instructions_probe: tests/h200/instructions.c tests/h200/driver.h
$(BUILD)/tests/h200_matrix_probe: tests/h200/matrix.c tests/h200/driver.h
$(BUILD)/tests/h200_lanes_probe: tests/h200/lanes.c tests/h200/driver.h
$(BUILD)/tests/h200_contention_probe: tests/h200/contention.c tests/h200/driver.h
$(BUILD)/tests/h200_code_probe: tests/h200/code.c tests/h200/driver.h
$(BUILD)/tests/h200_hopper_probe: tests/h200/hopper.c tests/h200/driver.h
$(BUILD)/tests/h200_specials_probe: tests/h200/specials.c tests/h200/driver.h
$(BUILD)/tests/h200_writes_probe: tests/h200/writes.c tests/h200/driver.h
$(BUILD)/tests/h200_local_probe: tests/h200/local.c tests/h200/driver.h
$(BUILD)/tests/h200_ctas_probe: tests/h200/ctas.c tests/h200/driver.h
$(BUILD)/tests/h200_stale_probe: tests/h200/stale.c tests/h200/driver.h
$(addprefix $(BUILD)/tests/,h200_probe h200_instructions_probe h200_matrix_probe h200_lanes_probe h200_contention_probe h200_hopper_probe h200_code_probe h200_writes_probe \
  h200_specials_probe h200_ctas_probe h200_local_probe h200_stale_probe): $(BUILD)/lib/libcuda.so
	@mkdir -p $(@D)
	$(CC) $(filter-out -fvisibility=hidden,$(CFLAGS)) -Iinclude/cuda $(LDFLAGS) $(filter %.c,$^) -o $@ -L$(BUILD)/lib -lcuda \
	  -Wl,-rpath,'$$ORIGIN/../lib'
$(BUILD)/tests/h200: tests/h200/h200.sh tests/h200/measured.tsv $(BUILD)/tests/h200_probe
	$(script_test)
$(BUILD)/tests/h200_uncoalesced: tests/h200/uncoalesced.sh tests/h200/h200.sh tests/h200/uncoalesced.tsv $(BUILD)/tests/h200_probe
	$(script_test)
$(BUILD)/tests/h200_instructions: tests/h200/instructions.sh tests/h200/instructions.tsv $(BUILD)/tests/h200_instructions_probe
	$(script_test)
$(BUILD)/tests/h200_matrix: tests/h200/matrix.sh tests/h200/instructions.sh tests/h200/matrix.tsv $(BUILD)/tests/h200_matrix_probe
	$(script_test)
$(BUILD)/tests/h200_mixes: tests/h200/mixes.sh tests/h200/mixes.tsv $(BUILD)/tests/h200_instructions_probe
	$(script_test)
$(BUILD)/tests/h200_locks: tests/h200/locks.sh tests/h200/h200.sh tests/h200/locks.tsv $(BUILD)/tests/h200_probe
	$(script_test)
$(BUILD)/tests/h200_lanes: tests/h200/lanes.sh tests/h200/h200.sh tests/h200/lanes.tsv $(BUILD)/tests/h200_lanes_probe
	$(script_test)
$(BUILD)/tests/h200_contention: tests/h200/contention.sh tests/h200/h200.sh tests/h200/contention.tsv $(BUILD)/tests/h200_contention_probe
	$(script_test)
$(BUILD)/tests/h200_hopper: tests/h200/hopper.sh tests/h200/hopper.tsv $(BUILD)/tests/h200_hopper_probe
	$(script_test)
$(BUILD)/tests/h200_code: tests/h200/code.sh tests/h200/h200.sh tests/h200/code.tsv $(BUILD)/tests/h200_code_probe
	$(script_test)
$(BUILD)/tests/h200_writes: tests/h200/writes.sh tests/h200/h200.sh tests/h200/writes.tsv $(BUILD)/tests/h200_writes_probe
	$(script_test)
$(BUILD)/tests/h200_ctas: tests/h200/ctas.sh tests/h200/h200.sh tests/h200/ctas.tsv $(BUILD)/tests/h200_ctas_probe
	$(script_test)
$(BUILD)/tests/h200_local: tests/h200/local.sh tests/h200/h200.sh tests/h200/local.tsv $(BUILD)/tests/h200_local_probe
	$(script_test)
$(BUILD)/tests/h200_specials: tests/h200/specials.sh tests/h200/h200.sh tests/h200/specials.tsv $(BUILD)/tests/h200_specials_probe
	$(script_test)
$(BUILD)/tests/h200_stale: tests/h200/stale.sh tests/h200/stale.tsv $(BUILD)/tests/h200_stale_probe
	$(script_test)
$(BUILD)/tests/h200_examples: tests/h200/examples.sh tests/h200/examples.tsv $(wildcard examples/hopper/*) $(BUILD)/heddle $(BUILD)/lib/libcuda.so
	$(script_test)
