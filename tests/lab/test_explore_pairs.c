/* Any two changes that heddle explore may make to a GPU at once: a small kernel either runs, with the values of a run without
 * timing and everything conserved, or the GPU is refused with a sentence about one of the two keys. Which are refused, and
 * why, is written here, so that a combination cannot be lost unseen. */
#include "gpu_rig.h"

#include "l1/bypass.h"
#include "lab/explore_space.h"

/* Loads of neighbours' words, of words that are far apart, and of lines that every SM reads; stores, atomics, and local
 * memory. What is read is only written by the thread that reads it, or not at all. */
static const char kernel[] =
    ".local .align 4 .b8 mine[16]; mov.u64 %rd9, mine; mov.u32 %r9, 1; mov.u64 %rd3, 0;"
    "mad.lo.u32 %r3, %r2, 64, %r1; mul.wide.u32 %rd4, %r3, 4; add.u64 %rd4, %rd1, %rd4;"
    "L: mul.lo.u32 %r4, %r3, 132; add.u32 %r4, %r4, %r9; and.b32 %r4, %r4, 0xffffc; cvt.u64.u32 %rd5, %r4; add.u64 %rd5, %rd1, %rd5;"
    "ld.global.u32 %r5, [%rd5+1048576]; ld.global.u32 %r6, [%rd4]; and.b32 %r7, %r1, 31; mul.wide.u32 %rd6, %r7, 64;"
    "add.u64 %rd6, %rd1, %rd6; ld.global.u32 %r8, [%rd6+2097152]; st.local.u32 [%rd9], %r8; add.u32 %r9, %r9, %r5; add.u32 %r9, %r9, %r6;"
    "ld.local.u32 %r10, [%rd9]; add.u32 %r9, %r9, %r10; st.global.u32 [%rd4], %r9; red.global.add.u32 [%rd1+524288], %r9;"
    "add.u64 %rd3, %rd3, 1; setp.lt.u64 %p1, %rd3, %rd2; @%p1 bra L;";
enum { CTAS = 40, THREADS = 64, ROUNDS = 2 };

static void fill(const struct rig *r) {
  for (size_t i = 0; i < DATA_BYTES / 8; i++) rig_data(r)[i] = i % 7 ? i * 0x100000001 : i << 20;
}

static uint64_t without_timing(void) {
  struct rig r;
  rig_open(&r, ONE_SM, NULL);
  fill(&r);
  rig_load(&r, kernel, CTAS, THREADS, ROUNDS);
  if (!exec_run_grid(&r.grid, &r.err)) fail_msg("%s", r.err.text);
  uint64_t sum = rig_sum(&r);
  rig_close(&r);
  return sum;
}

/* ---- one combination ----------------------------------------------------------------------------------------------------- */

/* The value of an axis at a point. */
static const char *value_of(const struct lab_space *s, const struct lab_point *p, const char *key) {
  for (size_t i = 0; i < s->n; i++)
    if (!strcmp(s->axes[i].key, key)) return s->axes[i].values[p->at[i]];
  fail_msg("there is no axis %s", key);
  return NULL;
}

/* The reasons there are for refusing one: an L2 of the GTX480's shape cannot be private; the tags of data filtering take the place
 * of base's; manipulated lines are as long as before unless something compresses them; a bypass policy that learns from lines
 * that are replaced needs an organisation that replaces lines as a whole. */
static bool makes_sense(const struct lab_space *s, const struct lab_point *p) {
  bool filters = strcmp(value_of(s, p, "reply.filter"), "none") != 0;
  if (!strcmp(s->gpu, "gtx480") && strcmp(value_of(s, p, "llc.mode"), "shared") != 0) return false;
  if (filters && strcmp(value_of(s, p, "l1.org"), "base") != 0) return false;
  const struct l1_bypass *bypass = policy_find(l1_bypasses, value_of(s, p, "l1.bypass"));
  const char *org = value_of(s, p, "l1.org");
  if (bypass->evicted && (!strncmp(org, "tsc", 3) || !strncmp(org, "dsc", 3))) return false;
  return strcmp(value_of(s, p, "reply.filter"), "df-man") != 0 || strcmp(value_of(s, p, "reply.compress"), "none") != 0;
}

/* The sentence begins with a key that the combination changes. */
static bool says_why(const struct lab_space *s, const struct lab_point *p, const char *text) {
  bool named = false;
  for (size_t i = 0; i < s->n; i++) {
    struct str what = {0};
    str_add(&what, "%s = %s: ", s->axes[i].key, s->axes[i].values[p->at[i]]);
    const char *at = p->at[i] ? strstr(text, what.s) : NULL;
    named = named || (at && strlen(at) > what.n + 20);
    str_free(&what);
  }
  return named;
}

static void try_one(const struct lab_space *s, const struct lab_point *p, uint64_t want) {
  struct rig r;
  struct str name = {0};
  struct err e = {0};
  lab_space_settings(s, p, &name);
  struct cfg *c = lab_space_configuration(s, p, &e);
  if (!c) fail_msg("%s: %s", name.s, e.text);
  bool made = rig_make(&r, c);
  if (made != makes_sense(s, p)) fail_msg("%s, %s: %s", s->gpu, name.s, made ? "was not refused" : r.err.text);
  if (!made && !says_why(s, p, r.err.text)) fail_msg("%s, %s: refused with '%s'", s->gpu, name.s, r.err.text);
  if (made) {
    fill(&r);
    rig_load(&r, kernel, CTAS, THREADS, ROUNDS);
    if (rig_go(&r) != GPU_DONE) fail_msg("%s, %s: %s", s->gpu, name.s, r.err.text);
    if (rig_sum(&r) != want) fail_msg("%s, %s: other values", s->gpu, name.s);
    rig_close(&r);
  }
  str_free(&name);
}

/* ---- all pairs ----------------------------------------------------------------------------------------------------------- */

static void try_pairs(const char *gpu) {
  struct lab_space s;
  struct err e = {0};
  uint64_t want = without_timing();
  if (!lab_space_init(&s, gpu, &e)) fail_msg("%s", e.text);
  for (size_t i = 0; i < s.n; i++)
    for (uint8_t a = 1; a < s.axes[i].n; a++) {
      struct lab_point p = {0};
      p.at[i] = a;
      try_one(&s, &p, want);
      for (size_t k = i + 1; k < s.n; p.at[k++] = 0)
        for (uint8_t b = 1; b < s.axes[k].n; b++) {
          p.at[k] = b;
          try_one(&s, &p, want);
        }
    }
  lab_space_free(&s);
}

static void test_any_two_changes_of_gtx480_run_or_are_refused(void **state) {
  (void)state;
  try_pairs("gtx480");
}

static void test_any_two_changes_of_gpu80_run_or_are_refused(void **state) {
  (void)state;
  try_pairs("gpu80");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_any_two_changes_of_gtx480_run_or_are_refused),
      cmocka_unit_test(test_any_two_changes_of_gpu80_run_or_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
