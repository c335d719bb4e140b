/* A kernel faults while much is in flight: under every preset and every policy that `heddle list policies` shows, with one thread
 * and with two, each kind of fault ends the grid with its text, what was sent is answered (the GPU checks that itself), the
 * statistics are there, also with everything watched, and the next kernel computes what it should.
 * test_gpu_faults [ROUNDS [SEED]] draws other moments and combinations. */
#include "gpu_rig.h"

#include "base/policy.h"
#include "base/rng.h"

static unsigned rounds = 1;
static uint64_t first_seed = 1;

/* Loads, stores, atomics, local memory, shared memory, asynchronous copies and barriers, for ever, in a loop that is longer than
 * the instruction cache. The thread whose number is the kernel's parameter comes to the fault. */
enum { PARTS = 8 };
static const char begin[] =
    ".shared .align 16 .b8 buf[4096]; .local .align 4 .b8 mine[64];\n"
    "mov.u32 %r20, %ntid.x; mad.lo.u32 %r3, %r2, %r20, %r1; cvt.u64.u32 %rd10, %r3; mov.u32 %r9, 1; mov.u64 %rd9, mine;"
    "mov.u32 %r21, buf; and.b32 %r22, %r1, 127; mad.lo.u32 %r21, %r22, 16, %r21; setp.eq.u64 %p1, %rd10, %rd2;\nL:";
static const char part[] =
    "mul.lo.u32 %r4, %r3, 7919; mad.lo.u32 %r4, %r9, 4093, %r4; and.b32 %r4, %r4, 0x1ffff0; cvt.u64.u32 %rd5, %r4;"
    "add.u64 %rd5, %rd1, %rd5; ld.global.u32 %r5, [%rd5]; ld.global.cg.u32 %r6, [%rd5+1048576];"
    "cp.async.ca.shared.global [%r21], [%rd5+4096], 16; ld.global.nc.v4.u32 {%r10, %r11, %r12, %r13}, [%rd5+65536];"
    "st.local.u32 [%rd9], %r5; st.global.u32 [%rd5+2097152], %r6; red.global.add.u32 [%rd1+262144], 1;"
    "atom.global.add.u32 %r14, [%rd5+131072], 3; ld.local.u32 %r15, [%rd9]; add.u32 %r9, %r9, 1;\n";

static void write_kernel(struct str *out, unsigned at, const char *address, const char *lines) {
  str_add(out, "%s", begin);
  for (unsigned i = 0; i < PARTS; i++) {
    str_add(out, "%s", part);
    if (i == at) str_add(out, "@!%%p1 bra G; mov.u64 %%rd12, %s; %s\nG:", address, lines);
  }
  str_add(out, "bar.sync 0; bra L;");
}

static const struct {
  const char *lines, *address, *text;
  enum exec_fault_kind kind;
} faults[] = {
    {"st.global.u32 [%rd12], %r5;", "16", "null", EXEC_FAULT_ILLEGAL_ADDRESS},
    {"ld.global.u32 %r5, [%rd12]; add.u32 %r9, %r9, %r5;", "0x3fffffffff00", "load from global", EXEC_FAULT_ILLEGAL_ADDRESS},
    {"atom.global.add.u32 %r5, [%rd12], 1;", "-16", "atomic", EXEC_FAULT_ILLEGAL_ADDRESS},
    {"ld.global.u32 %r5, [%rd5+1];", "0", "multiple of 4", EXEC_FAULT_MISALIGNED},
    {"ld.shared.u32 %r5, [%rd12];", "0x100000", "shared memory has", EXEC_FAULT_ILLEGAL_ADDRESS},
    {"cp.async.ca.shared.global [%r21], [%rd12], 16;", "64", "null", EXEC_FAULT_ILLEGAL_ADDRESS},
    {"trap;", "0", "trap", EXEC_FAULT_TRAP},
    /* Some lanes go on to global memory, one to nowhere: others of the same instruction have been sent already, or not. */
    {"add.u64 %rd12, %rd12, %rd5; st.u32 [%rd12], %r5;", "0x700000000000", "store to global", EXEC_FAULT_ILLEGAL_ADDRESS},
};
enum { FAULTS = sizeof faults / sizeof *faults };

static const char good[] = "mad.lo.u32 %r3, %r2, 64, %r1; mul.wide.u32 %rd3, %r3, 4; add.u64 %rd3, %rd1, %rd3;"
                           "ld.global.u32 %r4, [%rd3]; add.u32 %r4, %r4, 1; st.global.u32 [%rd3], %r4;";

static void check_next_kernel(struct rig *r, const char *config) {
  memset(exec_mem_ptr(r->data), 0, 20 * 64 * 4);
  rig_load(r, good, 20, 64, 0);
  if (rig_go(r) != GPU_DONE) fail_msg("after a fault: %s\n%s", r->err.text, config);
  for (unsigned i = 0; i < 20 * 64; i++)
    if (((uint32_t *)exec_mem_ptr(r->data))[i] != 1) fail_msg("thread %u's word is wrong\n%s", i, config);
}

static void fault_once(struct rig *r, struct rng *g, const char *config) {
  unsigned which = (unsigned)rng_below(g, FAULTS), ctas = 4 + (unsigned)rng_below(g, 16), threads = 32 + 32 * (unsigned)rng_below(g, 4);
  struct str text = {0};
  write_kernel(&text, (unsigned)rng_below(g, PARTS), faults[which].address, faults[which].lines);
  rig_load(r, text.s, ctas, threads, rng_below(g, 4 * threads));
  enum gpu_end end = rig_go(r);
  if (end != GPU_FAULT) fail_msg("fault %u ended as %d: %s\n%s", which, end, r->err.text, config);
  assert_int_equal(r->grid.fault.kind, faults[which].kind);
  if (!strstr(r->err.text, faults[which].text)) fail_msg("'%s' is missing in: %s", faults[which].text, r->err.text);
  assert_true(rig_cycles(r) > 0 && r->grid.instructions > 0);
  str_free(&text);
}

/* False: the configuration is refused, which is its right. */
static bool faults_on(const char *preset, const char *settings, uint64_t seed, unsigned times) {
  struct rig r;
  struct rng g = {seed};
  struct err e = {0};
  struct cfg *c = gpu_cfg_new();
  struct str config = {0};
  str_add(&config, "--gpu %s --set %s (seed %llu)", preset, settings, (unsigned long long)seed);
  if (!gpu_cfg_preset(c, preset, &e) || !cfg_set_all(c, settings, &e)) fail_msg("%s\n%s", config.s, e.text);
  bool made = rig_make(&r, c);
  if (made && seed % 4 == 0) {
    gpu_set_watch(r.gpu, &(struct gpu_watch){.interval = 100, .profile = true});
    assert_true(gpu_set_probes(r.gpu, "all", &e));
  }
  for (unsigned i = 0; made && i < times; i++) {
    fault_once(&r, &g, config.s);
    check_next_kernel(&r, config.s);
  }
  if (made) {
    assert_int_equal(gpu_kernels(r.gpu), 2 * times);
    rig_close(&r);
  }
  str_free(&config);
  return made;
}

static const char *const presets[] = {
#define PRESET(id, file) file,
#include "gpu/presets.def"
};

static void test_under_every_preset(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(presets[i], "."), presets[i]);
    assert_true(faults_on(name, "gpu.threads=1", first_seed + i, 2 * rounds));
    if (i == 0) assert_true(faults_on(name, "gpu.threads=2", first_seed + i, 2));
    assert_true(faults_on(name, "sm.inst_cache=512,sm.preload_code=false", first_seed + i, rounds));
  }
}

struct walk {
  unsigned made, refused;
  uint64_t seed;
};

/* gtx480's sizes suit most policies; others have theirs in a preset made for them. */
static void try_policy(struct walk *w, const char *key, const char *name) {
  static const struct {
    const char *preset, *more;
  } places[] = {{"gtx480", ""}, {"gtx480-ccn", ""}, {"gpu80", ""}, {"mesh56", ""}, {"gtx480", ",l1.granule=128,reply.compress=dpc"}};
  bool any = false;
  for (size_t i = 0; i < sizeof places / sizeof *places && (!any || rounds > 1); i++) {
    char settings[256];
    snprintf(settings, sizeof settings, "%s=%s%s%s", key, name, places[i].more, w->seed % 8 ? "" : ",gpu.threads=2");
    any |= faults_on(places[i].preset, settings, w->seed++, rounds);
  }
  w->made += any;
  w->refused += !any;
  if (!any) print_message("%s=%s is refused everywhere\n", key, name);
}

static void try_point(void *user, const struct cfg_key *key, const char *value, const char *source) {
  (void)value;
  (void)source;
  for (const struct policy *const *p = key->choices; p && *p; p++) try_policy(user, key->name, (*p)->name);
}

static void test_under_every_policy(void **state) {
  (void)state;
  struct walk w = {.seed = first_seed};
  struct cfg *c = gpu_cfg_new();
  cfg_visit(c, try_point, &w);
  cfg_delete(c);
  assert_int_equal(w.refused, 0);
  assert_true(w.made > 40);
}

int main(int argc, char **argv) {
  if (argc > 1) rounds = (unsigned)atoi(argv[1]);
  if (argc > 2) first_seed = strtoull(argv[2], NULL, 0);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_under_every_preset),
      cmocka_unit_test(test_under_every_policy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
