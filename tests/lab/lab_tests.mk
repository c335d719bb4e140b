# Tests of src/lab. Included by the Makefile. Longer fuzzing: `make SANITIZE=1 fuzz-plan FUZZ_PLAN_N=1000000`.
#   test_lab.c     plans and the database
#   test_claims.c  claims: their table and what makes a score; test_claims_*.c the rules of a group (claims_kit.h)
#   test_reading.c readings of the papers
#   test_claim_lab.c  claims measured with made-up workloads: rounds, failures, nothing twice, stored results, parts
#   test_claim_stored.c  the table of stored results, reasons, sensitivity, the search for the best of a row
#   test_figures.c  figures of the papers: whole under made-up numbers, published values on their points, the page that lists them
#   fuzz_plan.c    fuzzing of the plan reader
#   lab_query.c    for the scripts: the rows of a query
#   run_page.sh    heddle run --page and heddle view, their pages in a real browser (run_page_browser.js) where there is one
#   browser.sh     heddle report, its page in a real browser (browser.js) where there is one
#   claims.sh      heddle claims as a user calls it
#   correlate.sh   heddle correlate as a user calls it; test_correlate.c its tables and sums
#   diffs.sh       heddle diff, its output word for word
#   explore.sh     heddle explore as a user calls it; test_explore.c its space and its search (home_kit.h); test_explore_pairs.c any
#                  two of its changes at once, on real GPUs
#   plans.sh       the plans of plans/
#   program_tables.sh  --programs: programs in the workloads' place, and what is kept apart
#   queries.sh     the queries of docs/database.md
#   slurm.sh       a sweep, and claims, as a Slurm job array, in a real Slurm, installed if it is missing and may be
#   stored_timing.sh  the version of the timing that stored results carry (results/timing.tsv)
#   sweeps.sh      sweeps: killed, two at once, failing, stopped, on a full disk
LAB_OBJ := $(patsubst src/%.c,$(BUILD)/obj/%.o,$(wildcard src/lab/*.c src/lab/*/*.c))
LAB_TESTS := $(addprefix $(BUILD)/tests/,$(basename $(notdir $(wildcard tests/lab/test_*.c))) fuzz_plan)
LAB_SCRIPTS := $(addprefix $(BUILD)/tests/lab_,$(basename $(notdir $(wildcard tests/lab/*.sh))))
TESTS += $(LAB_TESTS) $(LAB_SCRIPTS)
FUZZ_PLAN_N ?= 1000000

$(LAB_TESTS) $(BUILD)/tests/lab_query: private LDLIBS += -lsqlite3
$(LAB_TESTS) $(BUILD)/tests/lab_query: $(BUILD)/tests/%: tests/lab/%.c tests/gpu/gpu_rig.h $(LAB_OBJ) $(BUILD)/libheddle_core.a
	$(core_test)
$(LAB_SCRIPTS): $(BUILD)/tests/lab_%: tests/lab/%.sh $(BUILD)/heddle $(BUILD)/tests/lab_query
	$(script_test)

.PHONY: fuzz-plan
fuzz-plan: $(BUILD)/tests/fuzz_plan
	$< -n $(FUZZ_PLAN_N) -s 1
