# The program $(BUILD)/heddle-workloads. The including Makefile gives BUILD, CC and CFLAGS and makes
# $(BUILD)/lib/libcuda.so; no CUDA compiler is needed, the kernels' PTX is in the tree (tools/build_ptx.sh).
# WORKLOADS_CUDA is the folder with the driver API's cuda.h.

WORKLOADS_CUDA ?= include/cuda
WORKLOADS_SRC  := $(wildcard workloads/*.c workloads/*/*.c)
WORKLOADS_OBJ  := $(WORKLOADS_SRC:%.c=$(BUILD)/obj/%.o)

# A workload's object embeds its PTX.
WORKLOADS_PTX  := $(wildcard workloads/*/*.ptx)
$(WORKLOADS_PTX:%.ptx=$(BUILD)/obj/%.o): $(BUILD)/obj/workloads/%.o: workloads/%.ptx

$(BUILD)/obj/workloads/%.o: workloads/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -I$(WORKLOADS_CUDA) -Iworkloads -MMD -MP -c $< -o $@

# Which version of each workload it has.
$(BUILD)/gen/stamps.c: tools/workload_stamps.sh $(WORKLOADS_SRC) $(WORKLOADS_PTX)
	tools/workload_stamps.sh $@
$(BUILD)/obj/workloads/stamps.o: $(BUILD)/gen/stamps.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -c $< -o $@
WORKLOADS_OBJ += $(BUILD)/obj/workloads/stamps.o

$(BUILD)/heddle-workloads: $(WORKLOADS_OBJ) | $(BUILD)/lib/libcuda.so
	$(CC) $(CFLAGS) $(WORKLOADS_OBJ) -L$(BUILD)/lib -lcuda -lm -o $@

-include $(WORKLOADS_OBJ:.o=.d)
