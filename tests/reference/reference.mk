# The reference kernels on gtx480-ref: exact counts. The presets beside GPGPU-Sim's recorded answers (page.sh).
TESTS += $(BUILD)/tests/test_reference $(BUILD)/tests/reference_page
$(BUILD)/tests/test_reference: tests/reference/test_reference.c $(BUILD)/lib/libheddle.so
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $< -o $@ -L$(BUILD)/lib -Wl,-rpath,'$$ORIGIN/../lib' -lheddle -lm
$(BUILD)/tests/reference_micro: tests/reference/micro.c $(BUILD)/lib/libcuda.so
	@mkdir -p $(@D)
	$(CC) $(filter-out -fvisibility=hidden,$(CFLAGS)) -Iinclude/cuda $(LDFLAGS) $< -o $@ -L$(BUILD)/lib -lcuda
# The workloads as they were when GPGPU-Sim's answers were recorded: those that have changed since are in programs/, the others
# are still the same. A recorded program without PTX beside it has the kernels that the workload still has.
RECORDED := $(patsubst tests/reference/programs/recorded_%.c,%,$(wildcard tests/reference/programs/*.c))
RECORDED_OBJ := $(RECORDED:%=$(BUILD)/obj/tests/reference/%.o)
UNCHANGED_OBJ = $(filter-out $(foreach w,$(RECORDED),$(BUILD)/obj/workloads/$(w)/%),$(WORKLOADS_OBJ))
recorded_ptx = $(wildcard tests/reference/programs/recorded_$(1).ptx)
define recorded_rule
$(BUILD)/obj/tests/reference/$(1).o: tests/reference/programs/recorded_$(1).c $(or $(call recorded_ptx,$(1)),workloads/$(1)/$(1).ptx) workloads/common/wl.h
	@mkdir -p $$(@D)
	$$(CC) $$(CFLAGS) -I$$(WORKLOADS_CUDA) -Iworkloads $(if $(call recorded_ptx,$(1)),-D'WL_PTX_PATH(name)="$(call recorded_ptx,$(1))"') -c $$< -o $$@
endef
$(foreach w,$(RECORDED),$(eval $(call recorded_rule,$(w))))
$(BUILD)/tests/reference_workloads: $(RECORDED_OBJ) $(BUILD)/heddle-workloads
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(RECORDED_OBJ) $(UNCHANGED_OBJ) -L$(BUILD)/lib -lcuda -lm -o $@

$(BUILD)/tests/reference_page: tests/reference/page.sh $(BUILD)/tests/reference_micro $(BUILD)/tests/reference_workloads | programs
	$(script_test)
