/* The team of threads and how many of it are used. No test here measures time: where one must wait for a thread to do
 * something, it waits as long as it takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/pace.h"
#include "gpu/team.h"

#include <string.h>
#include <time.h>

enum { MANY = 24 /* threads, more than there are CPUs here */, ROUNDS = 3000 };

static void nap(long ns) { nanosleep(&(struct timespec){0, ns}, NULL); }

/* ---- the team ----------------------------------------------------------------------------------------------------------------- */

struct tally {
  uint64_t done[MANY];
  unsigned shares; /* that each was given as their number */
};

static void tally_one(void *user, unsigned share, unsigned shares) {
  struct tally *t = user;
  t->done[share]++;
  if (share == shares - 1) t->shares = shares;
}

static void test_every_share_of_every_phase_is_done_once_by_more_threads_than_there_are_cpus(void **state) {
  (void)state;
  struct gpu_team *t = gpu_team_new(MANY);
  assert_int_equal(gpu_team_size(t), MANY);
  uint64_t want[MANY] = {0};
  struct tally got = {0};
  for (unsigned round = 0; round < ROUNDS; round++) {
    unsigned shares = 1 + round * 7 % MANY;
    for (unsigned i = 0; i < shares; i++) want[i]++;
    gpu_team_run(t, shares, tally_one, &got);
    assert_int_equal(got.shares, shares);
    assert_memory_equal(got.done, want, sizeof want);
  }
  gpu_team_delete(t);
}

static void test_members_without_work_sleep_and_come_back(void **state) {
  (void)state;
  struct gpu_team *t = gpu_team_new(4);
  struct tally got = {0};
  for (uint64_t round = 1; round <= 3; round++) {
    while (gpu_team_sleeps(t) < 3) nap(1000000); /* a team whose members only spin stays here */
    gpu_team_run(t, 4, tally_one, &got);
    for (unsigned i = 0; i < 4; i++) assert_int_equal(got.done[i], round);
  }
  gpu_team_delete(t);
}

static void slow_member(void *user, unsigned share, unsigned shares) {
  (void)user, (void)shares;
  nap(share ? 20000000 : 1000000);
}

/* The member has time to take its share, since the caller naps at its own, and then is at it for long. */
static void test_the_caller_sleeps_while_a_member_is_held_up(void **state) {
  (void)state;
  struct gpu_team *t = gpu_team_new(2);
  while (!gpu_team_waits(t).long_ones) gpu_team_run(t, 2, slow_member, NULL); /* not if the caller only spins */
  assert_true(gpu_team_waits(t).ns > 500000);
  gpu_team_delete(t);
}

static void test_a_team_of_one_is_its_caller(void **state) {
  (void)state;
  struct gpu_team *t = gpu_team_new(1);
  struct tally got = {0};
  gpu_team_run(t, 1, tally_one, &got);
  assert_int_equal(got.done[0], 1);
  assert_int_equal(gpu_team_sleeps(t), 0);
  gpu_team_delete(t);
}

/* ---- how many are used: on hosts that are a formula --------------------------------------------------------------------------- */

struct host {
  double (*rate)(unsigned threads, unsigned interval); /* work in an interval */
  unsigned (*disturbances)(unsigned threads, unsigned interval);
};

/* Work done in so many intervals. */
static double simulate(struct gpu_pace *p, const struct host *h, unsigned from, unsigned intervals) {
  double work = 0;
  for (unsigned i = from; i < from + intervals; i++) {
    double w = h->rate(p->used, i);
    work += w;
    unsigned used = gpu_pace_next(p, w, 1e-3, h->disturbances ? h->disturbances(p->used, i) : 0);
    assert_in_range(used, 1, p->most);
  }
  return work;
}

static double slower(unsigned threads, unsigned i) { return (void)i, 1.0 / threads; }
static double faster(unsigned threads, unsigned i) { return (void)i, 1 + 0.7 * (threads - 1); }
static double flat(unsigned threads, unsigned i) { return (void)i, threads > 4 ? 1.5 : 1 + 0.2 * (threads - 1); }
static double uneven(unsigned threads, unsigned i) { return faster(threads, i) * (i / 100 % 2 ? 1 : 6); }
static double by_turns(unsigned threads, unsigned i) { return i / 3000 % 2 ? faster(threads, i) : slower(threads, i); }
static unsigned crowded(unsigned threads, unsigned i) { return threads > 1 && i % 3 == 0; }
static double crowded_rate(unsigned threads, unsigned i) { return crowded(threads, i) ? 0.2 : threads; }

static void test_threads_that_slow_a_run_down_cost_it_less_than_a_twentieth(void **state) {
  (void)state;
  for (unsigned most = 2; most <= 64; most *= 2) {
    struct gpu_pace p;
    gpu_pace_init(&p, most, false);
    assert_true(simulate(&p, &(struct host){slower, NULL}, 0, 200) > 0.95 * 200);
    assert_true(simulate(&p, &(struct host){slower, NULL}, 200, 5000) > 0.99 * 5000);
    assert_int_equal(p.steady, 1);
  }
}

static void test_threads_that_help_are_used(void **state) {
  (void)state;
  for (unsigned most = 2; most <= 16; most++) {
    struct gpu_pace p;
    gpu_pace_init(&p, most, false);
    simulate(&p, &(struct host){faster, NULL}, 0, 300);
    assert_int_equal(p.steady, most);
    assert_true(simulate(&p, &(struct host){faster, NULL}, 300, 5000) > 0.95 * 5000 * faster(most, 0));
    assert_true(gpu_pace_mean(&p) > 0.9 * most);
  }
}

static void test_no_more_threads_than_help_are_used(void **state) {
  (void)state;
  struct gpu_pace p;
  gpu_pace_init(&p, 16, false);
  double work = simulate(&p, &(struct host){flat, NULL}, 0, 10000);
  assert_int_equal(p.steady, 4);
  assert_true(work > 0.95 * 10000 * flat(4, 0));
}

static void test_a_program_that_changes_does_not_mislead_for_long(void **state) {
  (void)state;
  struct gpu_pace p;
  gpu_pace_init(&p, 2, false);
  double work = simulate(&p, &(struct host){uneven, NULL}, 0, 20000);
  assert_true(work > 0.9 * 20000 * 1.7 * 3.5);
}

static void test_the_number_follows_what_else_the_host_does(void **state) {
  (void)state;
  struct gpu_pace p;
  gpu_pace_init(&p, 4, false);
  for (unsigned from = 0; from < 12000; from += 3000) {
    bool helps = from / 3000 % 2;
    double best = helps ? faster(4, from) : 1;
    double work = simulate(&p, &(struct host){by_turns, NULL}, from, 3000);
    assert_true(work > (helps ? 0.6 : 0.95) * 3000 * best);
    assert_int_equal(p.steady, helps ? 4 : 1);
  }
}

static void test_members_that_are_not_let_run_are_not_used(void **state) {
  (void)state;
  struct gpu_pace p;
  gpu_pace_init(&p, 4, false);
  simulate(&p, &(struct host){crowded_rate, crowded}, 0, 10000);
  assert_true(gpu_pace_mean(&p) < 1.1);
}

static unsigned disturbed(unsigned threads, unsigned i) { return (void)threads, i % 4 == 0; }

/* The caller itself is not let run now and then, with one thread too: nothing is tried. */
static void test_nothing_is_tried_while_others_want_the_cpus(void **state) {
  (void)state;
  struct gpu_pace p;
  gpu_pace_init(&p, 4, false);
  assert_true(simulate(&p, &(struct host){slower, disturbed}, 0, 10000) == 10000);
  simulate(&p, &(struct host){faster, NULL}, 10000, 300);
  assert_int_equal(p.steady, 4); /* but soon after they do not */
}

static void test_all_threads_are_used_throughout_if_asked_for(void **state) {
  (void)state;
  struct gpu_pace p;
  gpu_pace_init(&p, 4, true);
  assert_true(simulate(&p, &(struct host){slower, crowded}, 0, 1000) < 251);
  assert_int_equal(p.used, 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_share_of_every_phase_is_done_once_by_more_threads_than_there_are_cpus),
      cmocka_unit_test(test_members_without_work_sleep_and_come_back),
      cmocka_unit_test(test_the_caller_sleeps_while_a_member_is_held_up),
      cmocka_unit_test(test_a_team_of_one_is_its_caller),
      cmocka_unit_test(test_threads_that_slow_a_run_down_cost_it_less_than_a_twentieth),
      cmocka_unit_test(test_threads_that_help_are_used),
      cmocka_unit_test(test_no_more_threads_than_help_are_used),
      cmocka_unit_test(test_a_program_that_changes_does_not_mislead_for_long),
      cmocka_unit_test(test_the_number_follows_what_else_the_host_does),
      cmocka_unit_test(test_members_that_are_not_let_run_are_not_used),
      cmocka_unit_test(test_nothing_is_tried_while_others_want_the_cpus),
      cmocka_unit_test(test_all_threads_are_used_throughout_if_asked_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
