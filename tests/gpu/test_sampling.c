/* Which launches are simulated, and whether the truth lies in the stated interval: made-up programs whose every launch is known. */
#include "gpu/sample/sampling.h"

#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A program: launches of some groups, each with a size and a number of cycles. */
struct program {
  struct sampling *s;
  double truth, simulated; /* cycles of all launches, and of those that were simulated */
  unsigned launches, details;
};

static void begin(struct program *p, double error) { *p = (struct program){.s = sampling_new(error, 1)}; }

static struct sampling_size of(double instructions) { return (struct sampling_size){instructions, SAMPLING_UNCOUNTED}; }

static void launch(struct program *p, const char *kernel, uint32_t grid, double size, double cycles) {
  struct sampling_launch l = {.kernel = kernel, .grid = {grid, 1, 1}, .block = {256, 1, 1}};
  size_t group = sampling_group(p->s, &l);
  bool detail = sampling_wants(p->s, group);
  sampling_over(p->s, group, of(size), detail ? &cycles : NULL);
  p->truth += cycles;
  p->launches++;
  p->details += detail;
  if (detail) p->simulated += cycles;
}

/* Whether the truth is inside the interval. */
static bool covered(const struct program *p) {
  struct sampling_estimate e = sampling_total(p->s, SAMPLING_CYCLES);
  return fabs(e.value - p->truth) <= e.half_width + 1e-9 * p->truth;
}

static double off(const struct program *p) { return fabs(sampling_total(p->s, SAMPLING_CYCLES).value / p->truth - 1); }

static double normal(struct rng *r) {
  double sum = -6;
  for (int i = 0; i < 12; i++) sum += (double)(rng_next(r) >> 11) / 9007199254740992.0;
  return sum;
}

static void test_equal_launches_need_few(void **state) {
  (void)state;
  struct program p;
  begin(&p, 0.02);
  for (int i = 0; i < 1000; i++) launch(&p, "k", 64, 500, i ? 1000 : 3000); /* the first finds cold caches */
  struct sampling_estimate e = sampling_total(p.s, SAMPLING_CYCLES);
  assert_true(fabs(e.value - p.truth) < 1e-6 * p.truth);
  assert_true(e.half_width < 1e-6 * p.truth);
  assert_in_range(p.details, 1 + SAMPLING_FEW, 40);
  struct sampling_counts c = sampling_counts(p.s, 0);
  assert_int_equal(sampling_groups(p.s), 1);
  assert_int_equal(c.launches, 1000);
  assert_int_equal(c.simulated, p.details);
  assert_true(c.instructions == 500000);
  sampling_delete(p.s);
}

static void test_few_launches_are_all_simulated(void **state) {
  (void)state;
  struct program p;
  begin(&p, 0.02);
  for (uint32_t i = 0; i < 12; i++) launch(&p, i % 3 ? "a" : "b", 1u << i % 3, 100 + i, 1000 + 37 * i);
  assert_int_equal(p.details, 12);
  struct sampling_estimate e = sampling_total(p.s, SAMPLING_CYCLES);
  assert_true(e.value == p.truth && e.half_width == 0);
  sampling_delete(p.s);
}

static void test_groups(void **state) {
  (void)state;
  struct sampling *s = sampling_new(0.02, 1);
  struct sampling_launch a = {.kernel = "a", .grid = {32, 2, 1}, .block = {128, 1, 1}}, b = a;
  assert_int_equal(sampling_group(s, &a), 0);
  b.grid[1] = 3; /* 96 CTAs, as 64 between 64 and 127 */
  assert_int_equal(sampling_group(s, &b), 0);
  b.grid[1] = 4;
  assert_int_equal(sampling_group(s, &b), 1);
  b = a, b.block[1] = 2;
  assert_int_equal(sampling_group(s, &b), 2);
  b = a, b.shared = 260;
  assert_int_equal(sampling_group(s, &b), 3);
  b.shared = 511; /* bytes, between 256 and 511 as well */
  assert_int_equal(sampling_group(s, &b), 3);
  b = a, b.kernel = "b";
  assert_int_equal(sampling_group(s, &b), 4);
  b = a, b.after = "b";
  assert_int_equal(sampling_group(s, &b), 5);
  b.after = "a";
  assert_int_equal(sampling_group(s, &b), 6);
  b.after = (char[]){"b"};
  assert_int_equal(sampling_group(s, &b), 5);
  assert_int_equal(sampling_group(s, &a), 0);
  sampling_delete(s);
}

static void test_cycles_follow_the_size(void **state) {
  (void)state;
  struct rng r = {1};
  struct program p;
  begin(&p, 0.02);
  for (int i = 0; i < 400; i++) {
    double size = 1000 + (double)(rng_next(&r) % 500);
    launch(&p, "k", 64, size, 2000 + 3 * size);
  }
  assert_true(off(&p) < 1e-9);
  assert_true(p.details < 40);
  sampling_delete(p.s);
}

static void test_another_size_is_looked_at(void **state) {
  (void)state;
  struct program p;
  begin(&p, 0.5);
  for (int i = 0; i < 100; i++) launch(&p, "k", 64, 1000, 1000);
  unsigned before = p.details;
  launch(&p, "k", 64, 1251, 2000);
  unsigned during = p.details;
  launch(&p, "k", 64, 1251, 2000);
  assert_int_equal(during, before);
  assert_int_equal(p.details, before + 1);
  launch(&p, "k", 64, 1251, 2000); /* the one before was of a new size too */
  assert_int_equal(p.details, before + 2);
  launch(&p, "k", 64, 1251, 2000);
  assert_int_equal(p.details, before + 2);
  sampling_delete(p.s);
}

/* As wide as asked for, and right as often as stated, for launches that vary by a fifth. */
static void test_intervals_hold_the_truth(void **state) {
  (void)state;
  unsigned held = 0, details = 0;
  enum { PROGRAMS = 300, LAUNCHES = 600 };
  for (unsigned seed = 0; seed < PROGRAMS; seed++) {
    struct rng r = {seed + 1};
    struct program p;
    begin(&p, 0.03);
    for (uint32_t i = 0; i < LAUNCHES; i++) {
      uint32_t kind = i % 3;
      launch(&p, "k", 1u << kind, 1000, (1 + kind) * 1000 * (1 + 0.2 * normal(&r)));
    }
    struct sampling_estimate e = sampling_total(p.s, SAMPLING_CYCLES);
    assert_true(e.half_width <= 0.07 * e.value);
    held += covered(&p);
    details += p.details;
    sampling_delete(p.s);
  }
  assert_true(held >= PROGRAMS * 90 / 100);
  assert_true(details < PROGRAMS * LAUNCHES * 0.6);
}

static void test_a_slow_drift_is_seen(void **state) {
  (void)state;
  struct program p;
  begin(&p, 0.02);
  for (int i = 0; i < 2000; i++) launch(&p, "k", 64, 1000, 1000 + i / 4.0);
  assert_true(off(&p) < 0.02);
  assert_true(covered(&p));
  assert_true(p.details < 1000);
  sampling_delete(p.s);
}

/* Launches that are a tenth longer every third time, which a choice at equal distances sees always or never. */
static void test_a_period_is_seen(void **state) {
  (void)state;
  unsigned held = 0;
  enum { PROGRAMS = 40 };
  for (unsigned shift = 0; shift < PROGRAMS; shift++) {
    struct program p;
    begin(&p, 0.02);
    for (uint32_t i = 0; i < shift % 8; i++) /* so that others are drawn */
      sampling_group(p.s, &(struct sampling_launch){.kernel = "other", .shared = i});
    for (unsigned i = 0; i < 500 + shift; i++) launch(&p, "k", 64, 1000, (i + shift) % 3 ? 1000 : 1100);
    held += covered(&p);
    assert_true(off(&p) < 0.04);
    assert_true(p.details < 350);
    sampling_delete(p.s);
  }
  assert_true(held >= PROGRAMS * 90 / 100);
}

/* Launches of 1,000 cycles, each known to 10: all together are known to 1 %, however many were simulated. */
static void test_doubts_are_common_to_all_launches(void **state) {
  (void)state;
  struct sampling *s = sampling_new(0.02, 1);
  size_t g = sampling_group(s, &(struct sampling_launch){.kernel = "k"});
  const double cycles = 1000, doubt = 10;
  for (int i = 0; i < 40; i++) {
    bool sample = i < 10;
    sampling_over(s, g, of(50), sample ? &cycles : NULL);
    if (sample) sampling_doubt(s, g, &doubt);
  }
  struct sampling_estimate e = sampling_total(s, SAMPLING_CYCLES);
  assert_true(fabs(e.value - 40000) < 1e-6);
  assert_true(fabs(e.half_width - 400) < 1e-6);
  sampling_delete(s);
}

/* Of 30 cycles of each of ten launches 0.8 of 2 % may be common to all; 14 are chance, which tenfold is 44. */
static void test_what_is_more_than_allowed_is_chance(void **state) {
  (void)state;
  struct sampling *s = sampling_new(0.02, 1);
  size_t g = sampling_group(s, &(struct sampling_launch){.kernel = "k"});
  const double cycles = 1000, doubt = 30;
  for (int i = 0; i < 10; i++) {
    sampling_over(s, g, of(50), &cycles);
    sampling_doubt(s, g, &doubt);
  }
  assert_true(fabs(sampling_total(s, SAMPLING_CYCLES).half_width - sqrt(160.0 * 160 + 10.0 * 14 * 14)) < 1e-6);
  sampling_delete(s);
}

/* What doubts take of the error that is allowed, chance may not have: more launches are wanted. */
static void test_doubts_leave_less_to_chance(void **state) {
  (void)state;
  int wanted[2] = {0};
  for (int doubts = 0; doubts < 2; doubts++) {
    struct sampling *s = sampling_new(0.02, 1);
    struct rng r = {3};
    size_t g = sampling_group(s, &(struct sampling_launch){.kernel = "k"});
    for (int i = 0; i < 200; i++) {
      double cycles = 1000 * (1 + 0.04 * normal(&r)), doubt = 20;
      bool wants = sampling_wants(s, g);
      sampling_over(s, g, of(50), wants ? &cycles : NULL);
      if (wants && doubts) sampling_doubt(s, g, &doubt);
      wanted[doubts] += wants;
    }
    sampling_delete(s);
  }
  assert_true(wanted[0] < 60 && wanted[1] > 1.2 * wanted[0]);
}

/* A simulated launch behind a skipped one widens the interval, also where its own group was simulated whole. */
static void test_what_follows_a_skipped_launch_is_doubted(void **state) {
  (void)state;
  double width[2];
  for (int skips = 0; skips < 2; skips++) {
    struct sampling *s = sampling_new(1, 1);
    size_t a = sampling_group(s, &(struct sampling_launch){.kernel = "a"}), b = sampling_group(s, &(struct sampling_launch){.kernel = "b"});
    double one = 1;
    for (int i = 0; i < 8; i++) {
      double cycles = 1000 + 10 * (i % 2);
      sampling_over(s, a, of(1), i && skips ? NULL : &one);
      sampling_over(s, b, of(1000), &cycles);
    }
    struct sampling *only = sampling_new(1, 1);
    for (int i = 0; i < 8; i++) {
      double cycles = 1000 + 10 * (i % 2);
      sampling_over(only, sampling_group(only, &(struct sampling_launch){.kernel = "b"}), of(1000), &cycles);
    }
    assert_true(sampling_missing(only, SAMPLING_CYCLES).half_width == 0);
    width[skips] = sampling_missing(s, SAMPLING_CYCLES).half_width;
    sampling_delete(only);
    sampling_delete(s);
  }
  assert_true(width[0] == 0);
  assert_true(width[1] > 10);
}

/* Launches that take a tenth less time right behind one that was skipped: the estimate does not follow. */
static void test_a_shift_behind_skipped_launches_is_taken_out(void **state) {
  (void)state;
  unsigned held = 0;
  enum { PROGRAMS = 60, LAUNCHES = 300 };
  for (unsigned seed = 0; seed < PROGRAMS; seed++) {
    struct rng r = {seed + 1};
    struct program p;
    begin(&p, 0.03);
    bool skipped = false;
    for (unsigned i = 0; i < LAUNCHES; i++) {
      double cycles = 1000 * (1 + 0.01 * normal(&r)), seen = skipped ? 0.9 * cycles : cycles;
      size_t group = sampling_group(p.s, &(struct sampling_launch){.kernel = "k"});
      skipped = !sampling_wants(p.s, group);
      sampling_over(p.s, group, of(1000), skipped ? NULL : &seen);
      p.truth += cycles;
    }
    assert_true(off(&p) < 0.04);
    held += covered(&p);
    sampling_delete(p.s);
  }
  assert_true(held >= PROGRAMS * 90 / 100);
}

/* Launches that take a twentieth less, or more, right behind one that was skipped, by the kernel: kernels in turn, one of which is rare. */
struct turns {
  struct program p;
  bool skipped;
  unsigned warmed;
  const char *before;
};

static void launch_in_turn(struct turns *t, const char *kernel, double cycles, double shift) {
  size_t group = sampling_group(t->p.s, &(struct sampling_launch){.kernel = kernel, .after = t->before, .block = {32, 1, 1}});
  double seen = t->skipped ? cycles * (1 + shift) : cycles;
  t->skipped = !sampling_wants(t->p.s, group);
  if (t->skipped) sampling_over(t->p.s, group, of(1000), NULL);
  else t->warmed += !sampling_simulated(t->p.s, group, of(1000), &seen);
  t->before = kernel;
  t->p.truth += cycles;
  t->p.launches++;
  t->p.details += !t->skipped;
}

static void test_the_launch_before_a_sample_is_simulated(void **state) {
  (void)state;
  static const char *const kernels[] = {"a", "b", "c", "", "d"};
  static const double shifts[] = {-0.05, -0.05, -0.05, 0, 0.05};
  unsigned held = 0, details = 0, warmed = 0;
  enum { PROGRAMS = 100, LAUNCHES = 1200 };
  for (unsigned seed = 0; seed < PROGRAMS; seed++) {
    struct rng r = {seed + 1};
    struct turns t = {.before = NULL};
    begin(&t.p, 0.02);
    for (unsigned i = 0; i < LAUNCHES; i++) {
      unsigned kind = i % 60 == 59 ? 4 : i % 3;
      double cycles = 1000 * (1 + kind) * (1 + 0.02 * normal(&r));
      launch_in_turn(&t, kernels[kind], cycles, shifts[kind]);
    }
    uint64_t counted = 0;
    for (size_t i = 0; i < sampling_groups(t.p.s); i++) counted += sampling_counts(t.p.s, i).simulated;
    assert_int_equal(counted, t.p.details);
    assert_true(off(&t.p) < 0.02);
    held += covered(&t.p);
    details += t.p.details;
    warmed += t.warmed;
    sampling_delete(t.p.s);
  }
  assert_true(held >= PROGRAMS * 90 / 100);
  assert_true(warmed > 0 && details < PROGRAMS * LAUNCHES / 3);
}

/* Launches right behind a skipped one that are like the others become samples, after a few of them were seen; such that are not do
 * not, and the one before a sample goes on being simulated. */
static void test_launches_behind_skipped_ones_become_samples(void **state) {
  (void)state;
  unsigned warmed[2];
  for (int shifted = 0; shifted < 2; shifted++) {
    struct rng r = {7};
    struct turns t = {.before = NULL};
    begin(&t.p, 0.02);
    for (unsigned i = 0; i < 600; i++) launch_in_turn(&t, "k", 1000 * (1 + 0.001 * normal(&r)), shifted ? 0.03 : 0.001);
    assert_true(off(&t.p) < 0.002);
    assert_true(covered(&t.p));
    warmed[shifted] = t.warmed;
    sampling_delete(t.p.s);
  }
  assert_in_range(warmed[0], 1 + SAMPLING_FEW, 1 + SAMPLING_FEW);
  assert_true(warmed[1] > 3 * warmed[0]);
}

/* A grid that grows from launch to launch comes to another group at every power of two, each of which follows the one kernel there is: the
 * launch before a sample is simulated there too. */
static void test_the_launch_before_a_sample_is_simulated_where_grids_grow(void **state) {
  (void)state;
  struct rng r = {3};
  struct program p;
  begin(&p, 0.02);
  bool skipped = false;
  unsigned warmed[2] = {0};
  for (uint32_t i = 0; i < 120; i++) {
    uint32_t large = i >= 60;
    size_t group = sampling_group(p.s, &(struct sampling_launch){.kernel = "k", .after = i ? "k" : NULL, .grid = {1 + large, 1, 1}});
    double cycles = 1000 * (1 + 0.01 * normal(&r)), seen = skipped ? 0.9 * cycles : cycles;
    skipped = !sampling_wants(p.s, group);
    p.details += !skipped;
    if (skipped) sampling_over(p.s, group, of(1000), NULL);
    else warmed[large] += !sampling_simulated(p.s, group, of(1000), &seen);
    p.truth += cycles;
  }
  assert_true(warmed[0] > 1 && warmed[1] > 1);
  assert_true(p.details < 80);
  assert_true(off(&p) < 0.01 && covered(&p));
  sampling_delete(p.s);
}

/* Samples are alike by chance; launches behind skipped ones take longer, and not all by as much: so may vary those that were not
 * simulated. */
static void test_what_is_no_sample_shows_how_launches_vary(void **state) {
  (void)state;
  double width[2];
  for (int vary = 0; vary < 2; vary++) {
    struct sampling *s = sampling_new(0.02, 1);
    struct sampling_launch l = {.kernel = "k"};
    for (int i = 0; i < 31; i++) {
      size_t group = sampling_group(s, &l);
      l.after = "k";
      bool few = i < 5;
      double cycles = few || i % 3 == 1 ? 1000 : vary ? 1300 + (i % 2 ? 200 : -200) : 1300;
      if (!few && i % 3 == 2) sampling_over(s, group, of(1000), NULL);
      else assert_int_equal(sampling_simulated(s, group, of(1000), &cycles), few || i % 3 == 1);
    }
    width[vary] = sampling_total(s, SAMPLING_CYCLES).half_width;
    sampling_delete(s);
  }
  assert_true(width[0] == 0);
  assert_true(width[1] > 5 * 200);
}

/* Three samples show what a launch takes that has nothing to do. */
static void test_three_samples_make_a_line(void **state) {
  (void)state;
  struct sampling *s = sampling_new(0.02, 1);
  size_t g = sampling_group(s, &(struct sampling_launch){.kernel = "k"});
  for (int i = 0; i < 1 + SAMPLING_FEW; i++) {
    double size = 1000 + 50 * i, cycles = 5000 + size;
    sampling_over(s, g, of(size), &cycles);
  }
  assert_true(fabs(sampling_predicted(s, g, SAMPLING_CYCLES, of(1400)) - 6400) < 1e-6);
  sampling_delete(s);
}

/* Launches of one kernel with caches that are known behind so many launches that were followed: what is followed, and how often a launch
 * was simulated behind fewer. */
struct followed {
  unsigned simulated, followed, early;
};

static struct followed follow(unsigned needed, unsigned launches, double lines) {
  struct followed f = {0};
  struct turns t = {.before = NULL};
  begin(&t.p, 0.02);
  unsigned known = needed; /* launches since one was not followed */
  for (unsigned i = 0; i < launches; i++) {
    size_t group = sampling_group(t.p.s, &(struct sampling_launch){.kernel = "k", .after = i ? "k" : NULL});
    double cycles = 1000;
    if (sampling_wants(t.p.s, group)) {
      sampling_simulated(t.p.s, group, of(1000), &cycles);
      f.simulated++;
      f.early += known < needed;
      known++;
      continue;
    }
    bool follows = sampling_follows(t.p.s, group, lines);
    f.followed += follows;
    known = follows ? known + 1 : 0;
    if (follows) sampling_followed(t.p.s, group, 1000, known < needed ? 1000 : 0, known < needed ? 5000 : 4000);
    else sampling_lost(t.p.s);
    sampling_over(t.p.s, group, of(1000), NULL);
  }
  assert_true(off(&t.p) > 0); /* the truth was not told */
  sampling_delete(t.p.s);
  return f;
}

static void test_only_launches_before_a_sample_are_followed(void **state) {
  (void)state;
  struct followed f = follow(1, 1000, 3999);
  assert_int_equal(f.early, 0);
  assert_in_range(f.simulated, 1 + SAMPLING_FEW, 40);
  assert_true(f.followed < 130);
  struct followed early = follow(1, SAMPLING_EARLY, 3999);
  assert_int_equal(early.simulated + early.followed, SAMPLING_EARLY);
  struct followed all = follow(1, 1000, 4000); /* lines, four times as many as a launch looks up */
  assert_int_equal(all.simulated + all.followed, 1000);
}

/* Where more launches are needed, more are followed, and samples are put off until that is known, or as many of them were followed that it
 * will not be. */
static void test_samples_wait_for_caches_that_are_known(void **state) {
  (void)state;
  struct followed one = follow(1, 1000, 3999), five = follow(5, 1000, 3999), never = follow(2000, 1000, 3999);
  assert_int_equal(five.early, 0);
  assert_in_range(five.simulated, one.simulated - 8, one.simulated + 4);
  assert_true(five.followed > one.followed + 20 && five.followed < 250);
  assert_in_range(never.simulated, one.simulated - 8, one.simulated + 4);
  assert_true(never.early > 0);
}

/* So few lines are left that they cannot matter. */
static void test_few_lines_left_are_enough(void **state) {
  (void)state;
  for (int few = 0; few < 2; few++) {
    struct sampling *s = sampling_new(0.02, 1);
    size_t g = sampling_group(s, &(struct sampling_launch){.kernel = "k"});
    double cycles = 1000;
    for (int i = 0; i < 4; i++) sampling_over(s, g, of(1000), &cycles);
    while (sampling_wants(s, g)) sampling_over(s, g, of(1000), &cycles);
    sampling_lost(s);
    sampling_over(s, g, of(1000), NULL);
    for (int i = 0; i < 50; i++) {
      assert_true(few || i >= SAMPLING_PATIENCE || !sampling_wants(s, g));
      if (sampling_wants(s, g)) break;
      sampling_follows(s, g, 8000);
      sampling_followed(s, g, 25600, 25600, few ? 100 : 101);
      sampling_over(s, g, of(1000), NULL);
      assert_true(!few || i < 20);
    }
    sampling_delete(s);
  }
}

/* Of a kernel that has a hundredth of all cycles fewer launches are simulated than of one that has the rest. */
static void test_small_groups_need_fewer(void **state) {
  (void)state;
  struct program p;
  begin(&p, 0.02);
  for (int i = 0; i < 1000; i++) {
    launch(&p, "large", 64, 1000, 99000);
    launch(&p, "small", 64, 1000, 1000);
  }
  assert_true(sampling_counts(p.s, 1).simulated <= sampling_counts(p.s, 0).simulated * 2 / 3);
  sampling_delete(p.s);
}

/* All kernels become slower at once: when a sample of one shows it, the others are simulated at their next launch. */
static void test_a_change_in_one_group_makes_others_look(void **state) {
  (void)state;
  static const char *const kernels[] = {"a", "b", "c", "d"};
  for (int change = 0; change < 2; change++) {
    struct program p;
    begin(&p, 0.02);
    unsigned seen = 0, details[2] = {0}; /* rounds of launches since the first sample behind the change, in which how many were simulated */
    for (unsigned i = 0; i < 4000 && seen < 2; i++) {
      unsigned before = p.details;
      for (int k = 0; k < 4; k++) launch(&p, kernels[k], 64, 1000, change && i >= 2000 ? 1300 : 1000 + i % 2);
      if (i < 2000 || (!seen && p.details == before)) continue;
      details[seen++] = p.details - before;
    }
    assert_int_equal(seen, 2);
    assert_true(change ? details[0] + details[1] >= 4 : details[0] + details[1] < 4);
    sampling_delete(p.s);
  }
}

static void test_same_launches_same_decisions(void **state) {
  (void)state;
  double total[2];
  for (int turn = 0; turn < 2; turn++) {
    struct rng r = {7};
    struct program p;
    begin(&p, 0.02);
    for (int i = 0; i < 500; i++) launch(&p, "k", 64, 1000, 1000 * (1 + 0.1 * normal(&r)));
    total[turn] = sampling_total(p.s, SAMPLING_CYCLES).value;
    sampling_delete(p.s);
  }
  assert_true(total[0] == total[1]);
}

/* ---- sizes ---- */

/* A program of one group whose launches have both sizes; segments of skipped ones are counted where that is asked for, and able. */
struct sized {
  struct program p;
  size_t group;
  unsigned counted; /* skipped launches of which segments were */
  bool able;
};

static struct sized sized_begin(bool able) {
  struct sized z = {.able = able};
  begin(&z.p, 0.02);
  z.group = sampling_group(z.p.s, &(struct sampling_launch){.kernel = "k", .grid = {64, 1, 1}, .block = {256, 1, 1}});
  return z;
}

static void sized_launch(struct sized *z, double instructions, double segments, double cycles) {
  bool detail = sampling_wants(z->p.s, z->group), counts = z->able && !detail && sampling_counts_segments(z->p.s, z->group);
  struct sampling_size size = {instructions, z->able && (detail || counts) ? segments : SAMPLING_UNCOUNTED};
  sampling_over(z->p.s, z->group, size, detail ? &cycles : NULL);
  z->p.truth += cycles;
  z->p.launches++;
  z->p.details += detail;
  z->counted += counts;
}

/* As many instructions each; what they take goes by the segments, which change after the first launches. */
static void test_cycles_follow_segments(void **state) {
  (void)state;
  unsigned details[2];
  for (int able = 0; able < 2; able++) {
    struct rng r = {.state = 5};
    struct sized z = sized_begin(able);
    for (int i = 0; i < 2000; i++) {
      double segments = i < 40 ? 800 : 100 << i / 7 % 4;
      sized_launch(&z, 1000, segments, (500 + 10 * segments) * (1 + 0.01 * normal(&r)));
    }
    assert_true(covered(&z.p));
    assert_true(off(&z.p) < 0.02);
    assert_int_equal(sampling_counts(z.p.s, z.group).by_segments, able);
    details[able] = z.p.details;
    sampling_delete(z.p.s);
  }
  assert_in_range(details[1], 1, 150);
  assert_true(details[0] > 4 * details[1]);
}

/* What takes time is instructions: segments that vary by themselves are counted for a while. */
static void test_segments_that_say_nothing_are_not_counted(void **state) {
  (void)state;
  struct rng r = {.state = 9};
  struct sized z = sized_begin(true);
  for (int i = 0; i < 2000; i++) {
    double instructions = 1000 + 100 * normal(&r);
    sized_launch(&z, instructions, 500 + 100 * normal(&r), 7 * instructions);
  }
  assert_true(off(&z.p) < 0.001);
  assert_false(sampling_counts(z.p.s, z.group).by_segments);
  assert_false(sampling_counts_segments(z.p.s, z.group));
  assert_in_range(z.counted, 1, 300);
  sampling_delete(z.p.s);
}

static void test_segments_in_proportion_are_not_counted(void **state) {
  (void)state;
  struct rng r = {.state = 3};
  struct sized z = sized_begin(true);
  for (int i = 0; i < 500; i++) {
    double instructions = 1000 + 100 * normal(&r);
    sized_launch(&z, instructions, instructions * (0.25 + 0.0005 * normal(&r)), 7 * instructions);
  }
  assert_int_equal(z.counted, 0);
  assert_true(off(&z.p) < 0.001);
  sampling_delete(z.p.s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_equal_launches_need_few),      cmocka_unit_test(test_few_launches_are_all_simulated),
      cmocka_unit_test(test_groups),
      cmocka_unit_test(test_cycles_follow_the_size),       cmocka_unit_test(test_another_size_is_looked_at),
      cmocka_unit_test(test_intervals_hold_the_truth),     cmocka_unit_test(test_a_slow_drift_is_seen),
      cmocka_unit_test(test_doubts_are_common_to_all_launches), cmocka_unit_test(test_doubts_leave_less_to_chance),
      cmocka_unit_test(test_what_is_more_than_allowed_is_chance),
      cmocka_unit_test(test_a_period_is_seen),             cmocka_unit_test(test_what_follows_a_skipped_launch_is_doubted),
      cmocka_unit_test(test_a_shift_behind_skipped_launches_is_taken_out),
      cmocka_unit_test(test_the_launch_before_a_sample_is_simulated),
      cmocka_unit_test(test_the_launch_before_a_sample_is_simulated_where_grids_grow),
      cmocka_unit_test(test_what_is_no_sample_shows_how_launches_vary),
      cmocka_unit_test(test_three_samples_make_a_line),
      cmocka_unit_test(test_launches_behind_skipped_ones_become_samples),
      cmocka_unit_test(test_only_launches_before_a_sample_are_followed),
      cmocka_unit_test(test_samples_wait_for_caches_that_are_known),
      cmocka_unit_test(test_few_lines_left_are_enough),
      cmocka_unit_test(test_small_groups_need_fewer),
      cmocka_unit_test(test_a_change_in_one_group_makes_others_look),
      cmocka_unit_test(test_same_launches_same_decisions),
      cmocka_unit_test(test_cycles_follow_segments),
      cmocka_unit_test(test_segments_that_say_nothing_are_not_counted),
      cmocka_unit_test(test_segments_in_proportion_are_not_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
