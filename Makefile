# Heddle. `make demo` and `make test` do everything a newcomer needs; see README.md.
#
#   make            build/heddle, the CUDA libraries in build/lib, the workloads
#   make test       install what is missing, build, run every test
#   make test-sanitize   the same under address and undefined-behaviour sanitizers, in build-sanitize/: over half an hour on two
#                   cores; SHARD=1/4 (to 4/4) runs a quarter of the tests, here as with make test
#   make test-medium   every workload at size medium, timed, and at size paper, values only: a quarter of an hour on two cores
#   make demo       install what is missing, build, run one comparison and show it
#   make install    PREFIX=/usr/local DESTDIR=; make uninstall
#   make docs       the documentation as a site in build/site, with a search (MkDocs)
#   make deb        a Debian package in build/, with man pages, library and Python module
#   make check      layer law, formatting, statistics that no test reads, choices that stand twice; make lint: warnings of gcc and clang as errors
#   make mutate     faults put into the sources one by one, and whether the tests find them (tools/faults.txt); FAULT=WORD for some
#   make bench      speed against the bounds, a line added to bench/history.tsv, and what is slower than in the line before
#   SANITIZE=1      address and undefined-behaviour sanitizers, in build-sanitize/
#   PORTABLE=1      no AVX paths, in build-portable/
#   CC=clang        any C11 compiler with GNU extensions

CC ?= cc
SANITIZE ?=
PORTABLE ?=
BUILD ?= build$(if $(SANITIZE),-sanitize)$(if $(PORTABLE),-portable)
PREFIX ?= /usr/local

WARN = -Wall -Wextra -Wshadow -Wconversion -Wno-unknown-pragmas
OPT = $(if $(SANITIZE),-O1 -fsanitize=address$(,)undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer,-O2)
, := ,
CFLAGS = -std=gnu11 -g $(OPT) $(WARN) -fPIC -fvisibility=hidden -ffp-contract=off -fno-math-errno -D_GNU_SOURCE \
         -Isrc -Iinclude -MMD -MP $(EXTRA_CFLAGS)
LDLIBS = -ljansson -lzstd -lm -lpthread -ldl
LDFLAGS = $(if $(SANITIZE),-fsanitize=address$(,)undefined)

ROOMS = base compress ptx exec check mem probe l1 coop noc reply llc dram sm power cost gpu
CORE_SRC := $(filter-out src/exec/lanes/%,$(foreach r,$(ROOMS),$(wildcard src/$(r)/*.c src/$(r)/*/*.c)))
LANES_SRC := $(wildcard src/exec/lanes/*.c)
CLI_SRC := $(foreach r,cli lab,$(wildcard src/$(r)/*.c src/$(r)/*/*.c))

ISAS = portable $(if $(PORTABLE),,avx2 avx512)
# Nobody reads the exception flags, and a loop that may set them is not vectorised under a mask. A function that begins within a line of
# the host's cache may take half as long again (setp), which changed with every file linked before it.
LANE_OPT = -O3 -fno-trapping-math -falign-functions=64
ISA_portable = $(LANE_OPT)
ISA_avx2 = $(LANE_OPT) -mavx2 -mfma -mf16c -mbmi2 -mpopcnt -mlzcnt
ISA_avx512 = $(LANE_OPT) -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -mf16c -mbmi2 -mpopcnt -mlzcnt -mprefer-vector-width=512

CORE_OBJ := $(CORE_SRC:src/%.c=$(BUILD)/obj/%.o) \
            $(foreach i,$(ISAS),$(LANES_SRC:src/%.c=$(BUILD)/obj/%.$(i).o))
CLI_OBJ := $(CLI_SRC:src/%.c=$(BUILD)/obj/%.o)
TESTS :=

.PHONY: all programs test demo deps clean format check mutate lint
all: programs

$(BUILD)/obj/%.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -c $< -o $@
$(BUILD)/obj/%.portable.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(ISA_portable) -DEXEC_ISA=portable -c $< -o $@
$(BUILD)/obj/%.avx2.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(ISA_avx2) -DEXEC_ISA=avx2 -c $< -o $@
$(BUILD)/obj/%.avx512.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(ISA_avx512) -DEXEC_ISA=avx512 -c $< -o $@
# Presets are part of the program.
$(BUILD)/obj/gpu/gpu_config.o: $(wildcard configs/*.toml)
$(BUILD)/obj/cli/commands/check_cmd.o: workloads/check.suppressions
$(BUILD)/obj/cli/launch.o: workloads/instructions.tsv
$(BUILD)/obj/exec/isa.o: CFLAGS += $(if $(PORTABLE),-DEXEC_PORTABLE_ONLY)
# Loops over the 32 words of a block, over the 32 addresses or lanes of a warp; and what is visited in every simulated cycle. Every
# x86-64 CPU since 2008 counts bits by an instruction; PORTABLE=1 does without.
CYCLE_OBJ = $(foreach room,sm l1 noc llc dram mem gpu,$(BUILD)/obj/$(room)/%.o)
FAST_OBJ = $(BUILD)/obj/compress/%.o $(BUILD)/obj/check/check_race.o \
           $(BUILD)/obj/exec/warp_ops.o \
           $(CYCLE_OBJ)
$(FAST_OBJ): OPT := $(if $(SANITIZE),$(OPT),-O3) $(if $(PORTABLE),,-mpopcnt)
# Small neighbouring members of a component are changed one by one: a vector that reads two of them would wait for the last store.
$(CYCLE_OBJ): OPT += -fno-tree-slp-vectorize

$(BUILD)/libheddle_core.a: $(CORE_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/heddle: $(CLI_OBJ) $(BUILD)/libheddle_core.a
	$(CC) $(LDFLAGS) $^ -o $@ $(LDLIBS) -lsqlite3

# How a test is made, in tests/*/*.mk: core_test from a C file and the objects and libraries that it depends on; script_test
# from a script, which is called with the build folder. The file is the first that the test depends on. room_tests finds the tests of
# a room by the names of their C files.
room_tests = $(patsubst tests/$(1)/%.c,$(BUILD)/tests/%,$(wildcard tests/$(1)/test_*.c tests/$(1)/*_test.c))
TEST_INCLUDES = $(addprefix -Itests/,mem l1 gpu compress lib)
define core_test
@mkdir -p $(@D)
$(CC) $(CFLAGS) $(LDFLAGS) $(TEST_INCLUDES) $< $(filter %.o %.a,$^) -o $@ -lcmocka $(LDLIBS)
endef
define script_test
@mkdir -p $(@D)
printf '#!/bin/sh\nexec $< %s\n' "$(BUILD)" > $@
chmod +x $@
endef

-include $(wildcard src/*/*.mk src/*/*/*.mk workloads/*.mk tests/*/*.mk bench/*.mk tools/*.mk)

programs: $(BUILD)/heddle $(BUILD)/heddle-workloads $(BUILD)/lib/libcuda.so.1 $(BUILD)/lib/libcudart.so.11.0 \
          $(BUILD)/lib/libcudart.so.12 $(BUILD)/lib/libcudart.so.13

# A fresh machine needs its packages before make can build: both commands start themselves again after that.
deps:
	@tools/install_deps.sh
test: deps
	@echo "building the programs and their tests"
	@$(MAKE) --no-print-directory -s -j$$(nproc) programs test-programs
	@$(MAKE) --no-print-directory run-tests
demo: deps
	@echo "building (about a minute of one core)"
	@$(MAKE) --no-print-directory -s -j$$(nproc) programs
	@tools/demo.sh $(BUILD)

.PHONY: test-programs run-tests list-tests test-sanitize
SHARD ?= 1/1
TEST_SECONDS ?= $(if $(SANITIZE),3600,1200)
test-programs: $(TESTS) $(BUILD)/conformance $(BUILD)/texture_conformance
# Everything that make test runs: executables, and commands behind a name.
SUITE = "layer law: tools/check_layers.sh" "formatting: tools/check_format.sh" \
	  "every statistic is read: tools/check_stats.sh $(BUILD)" "choices stand once: tools/check_points.sh $(BUILD)" \
	  "the list of faults: tools/mutate.sh --check" $(TESTS) \
	  "conformance with an H200: $(BUILD)/conformance check tests/conformance/golden" \
	  "conformance, order of an assembler: env HEDDLE_SET=sm.assembler_order=true $(BUILD)/conformance check tests/conformance/golden" \
	  "textures as on an H200: $(BUILD)/texture_conformance check tests/conformance_texture/golden.zst" \
	  "workloads, functional: tests/workloads.sh $(BUILD)" \
	  "instructions of the workloads: tools/instruction_table.sh $(BUILD) --check" \
	  "workloads, lowered and in the order of an assembler: tests/workloads.sh $(BUILD) --ordered" \
	  "workloads, timed: tests/workloads.sh $(BUILD) --timed" \
	  "same results every time: tests/determinism.sh $(BUILD)" \
	  "installation: tests/install/install.sh $(BUILD)" \
	  "Debian package: tests/install/deb.sh $(BUILD)"
run-tests: test-programs
	@SHARD=$(SHARD) TEST_SECONDS=$(TEST_SECONDS) tools/run_tests.sh $(SUITE)
list-tests:
	@LIST=1 SHARD=$(SHARD) tools/run_tests.sh $(SUITE)
test-sanitize:
	@$(MAKE) --no-print-directory SANITIZE=1 test

.PHONY: test-medium
test-medium: deps
	@$(MAKE) --no-print-directory -j$$(nproc) programs
	@TEST_SECONDS=7200 tools/run_tests.sh "workloads, medium: tests/workloads.sh $(BUILD) --medium" \
	  "workloads, paper: tests/workloads.sh $(BUILD) --paper"

format:
	clang-format -i $$(git ls-files '*.c' '*.h')
check: $(BUILD)/heddle
	tools/check_layers.sh
	tools/check_format.sh
	tools/check_stats.sh $(BUILD)
	tools/check_points.sh $(BUILD)
	tools/mutate.sh --check
mutate: programs
	tools/mutate.sh $(BUILD) $(FAULT)
lint:
	tools/lint.sh
clean:
	rm -rf build build-sanitize build-portable

-include $(shell find $(BUILD) -name '*.d' -type f 2>/dev/null)
