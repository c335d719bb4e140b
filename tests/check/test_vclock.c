/* Vector clocks against a plain array, and shadow memory's record of written bytes against a bit array. */
#include "check/check_shadow.h"
#include "check/vclock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WHO = 24, ROUNDS = 4000 };

static unsigned below(unsigned n) { return (unsigned)rand() % n; }

/* ---- clocks ------------------------------------------------------------------------------------------------------- */

static void assert_same(const struct vclock *c, const uint32_t *model) {
  for (uint32_t w = 0; w < WHO; w++) {
    if (model[w]) assert_true(vclock_knows(c, w, model[w] - 1));
    assert_false(vclock_knows(c, w, model[w]));
  }
}

static void test_joins_as_an_array_of_maxima(void **state) {
  (void)state;
  enum { CLOCKS = 6 };
  struct vclock *c[CLOCKS] = {0};
  uint32_t model[CLOCKS][WHO] = {{0}};
  srand(1);
  for (int round = 0; round < ROUNDS; round++) {
    unsigned to = below(CLOCKS), from = below(CLOCKS);
    if (below(4) == 0) { /* one entry more */
      struct vclock_entry e = {below(WHO), 1 + below(1000)};
      struct vclock *one = vclock_of(&e, 1);
      vclock_learn(&c[to], one);
      vclock_drop(one);
      if (e.before > model[to][e.who]) model[to][e.who] = e.before;
    } else if (below(40) == 0) { /* begin anew */
      vclock_drop(c[to]);
      c[to] = NULL;
      memset(model[to], 0, sizeof model[to]);
    } else {
      vclock_learn(&c[to], c[from]);
      for (int w = 0; w < WHO; w++)
        if (model[from][w] > model[to][w]) model[to][w] = model[from][w];
    }
    assert_same(c[to], model[to]);
  }
  for (int i = 0; i < CLOCKS; i++) vclock_drop(c[i]);
}

static void test_a_clock_that_knows_enough_is_shared(void **state) {
  (void)state;
  struct vclock_entry few[] = {{3, 7}}, more[] = {{2, 5}, {3, 9}};
  struct vclock *a = vclock_of(few, 1), *b = vclock_of(more, 2), *j = vclock_join(a, b);
  assert_ptr_equal(j, b);
  vclock_drop(j);
  vclock_drop(a);
  vclock_drop(b);
}

static void test_too_large_a_clock_knows_everything(void **state) {
  (void)state;
  struct vclock *all = NULL;
  for (uint32_t i = 0; i <= VCLOCK_MOST; i++) {
    struct vclock_entry e = {i, 1};
    struct vclock *one = vclock_of(&e, 1);
    if (i == VCLOCK_MOST) assert_false(vclock_knows(all, VCLOCK_MOST + 5, 9));
    vclock_learn(&all, one);
    vclock_drop(one);
  }
  assert_true(vclock_knows(all, VCLOCK_MOST + 5, 9));
  vclock_drop(all);
}

/* ---- written bytes --------------------------------------------------------------------------------------------------- */

static void test_knows_which_bytes_were_written(void **state) {
  (void)state;
  enum { BYTES = 3 * SHADOW_PAGE };
  const uint64_t base = 0x200000000000u + SHADOW_PAGE - 100;
  static bool fresh[2 * BYTES];
  struct shadow *s = shadow_new();
  srand(2);
  for (int round = 0; round < 600; round++) {
    uint64_t at = below(BYTES), n = 1 + below(below(8) ? 64 : BYTES);
    switch (below(4)) {
    case 0:
      shadow_fresh(s, base + at, n);
      memset(fresh + at, 1, n);
      break;
    case 1:
      shadow_written(s, base + at, n);
      memset(fresh + at, 0, n);
      break;
    case 2: {
      uint64_t from = below(BYTES - 64), m = n < 64 ? n : 64;
      shadow_copied(s, base + BYTES + at % (BYTES - 64), base + from, m);
      memmove(fresh + BYTES + at % (BYTES - 64), fresh + from, m);
      break;
    }
    default: break;
    }
    at = below(2 * BYTES - 4096), n = 1 + below(4096);
    const bool *first = memchr(fresh + at, 1, n);
    assert_true(shadow_unwritten(s, base + at, n) == (first ? base + (uint64_t)(first - fresh) : UINT64_MAX));
  }
  shadow_delete(s);
}

static void test_words_and_then_bytes_keep_their_stamps(void **state) {
  (void)state;
  struct plane p;
  plane_make(&p, 10);
  for (uint64_t i = 0; i < 3; i++) p.w[i] = i + 1, p.r1[i] = i + 11, p.r2[i] = i + 21;
  plane_split(&p);
  assert_int_equal(p.shift, 0);
  for (uint64_t i = 0; i < 10; i++) {
    assert_int_equal(p.w[i], i / 4 + 1);
    assert_int_equal(p.r1[i], i / 4 + 11);
    assert_int_equal(p.r2[i], i / 4 + 21);
  }
  plane_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_joins_as_an_array_of_maxima),    cmocka_unit_test(test_a_clock_that_knows_enough_is_shared),
      cmocka_unit_test(test_too_large_a_clock_knows_everything), cmocka_unit_test(test_knows_which_bytes_were_written),
      cmocka_unit_test(test_words_and_then_bytes_keep_their_stamps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
