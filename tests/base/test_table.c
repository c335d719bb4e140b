/* The table against a plain list: random puts, finds and removes of keys that lie close together, far apart, and at the edges, for
 * values of several sizes; walks; clearing. */
#include "base/rng.h"
#include "base/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <string.h>

enum { KEYS = 600, STEPS = 60000, MOST = 32 };

struct slow { /* what the table should hold */
  uint64_t key[KEYS];
  unsigned char value[KEYS][MOST];
  bool there[KEYS];
  size_t n;
};

static void make_keys(struct slow *s, struct rng *r) {
  for (uint64_t i = 0; i < KEYS; i++) s->key[i] = i < 200 ? i : i < 400 ? i * 128 + (UINT64_C(7) << 40) : rng_next(r) >> 1;
  s->key[KEYS - 1] = UINT64_MAX - 1;
}

static void expect_same(const struct table *t, const struct slow *s, size_t bytes) {
  uint64_t key;
  size_t at = 0, seen = 0;
  assert_int_equal(t->n, s->n);
  while (table_next(t, &at, &key)) seen++;
  assert_int_equal(seen, s->n);
  for (size_t i = 0; i < KEYS; i++) {
    const void *v = table_find(t, s->key[i]);
    assert_int_equal(v != NULL, s->there[i]);
    if (v) assert_memory_equal(v, s->value[i], bytes);
  }
}

static void step(struct table *t, struct slow *s, struct rng *r, size_t bytes) {
  static const unsigned char zero[MOST];
  size_t i = rng_below(r, KEYS);
  if (s->there[i] && rng_below(r, 2)) {
    table_remove(t, s->key[i]);
    s->there[i] = false;
    s->n--;
    return;
  }
  bool fresh;
  unsigned char *v = table_put(t, s->key[i], bytes, &fresh);
  assert_int_equal(fresh, !s->there[i]);
  assert_memory_equal(v, fresh ? zero : s->value[i], bytes);
  for (size_t k = 0; k < bytes; k++) v[k] = s->value[i][k] = (unsigned char)rng_next(r);
  s->n += fresh;
  s->there[i] = true;
}

static void test_random_calls_agree_with_a_list(void **state) {
  (void)state;
  static const size_t sizes[] = {0, 1, 4, 8, 16, MOST};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    static struct slow s;
    memset(&s, 0, sizeof s);
    struct table t = {0};
    struct rng r = {.state = k + 1};
    make_keys(&s, &r);
    for (unsigned i = 0; i < STEPS; i++) {
      step(&t, &s, &r, sizes[k]);
      if (i % 5000 == 0) expect_same(&t, &s, sizes[k]);
    }
    expect_same(&t, &s, sizes[k]);
    table_clear(&t);
    memset(s.there, 0, sizeof s.there);
    s.n = 0;
    expect_same(&t, &s, sizes[k]);
    for (unsigned i = 0; i < KEYS; i++) step(&t, &s, &r, sizes[k]);
    expect_same(&t, &s, sizes[k]);
    table_free(&t);
  }
}

static void test_an_empty_table_has_nothing(void **state) {
  (void)state;
  struct table t = {0};
  uint64_t key;
  size_t at = 0;
  assert_null(table_find(&t, 0));
  assert_null(table_find(&t, UINT64_MAX)); /* no key */
  assert_null(table_next(&t, &at, &key));
  table_clear(&t);
  bool fresh;
  table_put(&t, 0, sizeof(int), &fresh);
  assert_true(fresh);
  assert_non_null(table_find(&t, 0));
  assert_null(table_find(&t, UINT64_MAX));
  table_remove(&t, 0);
  assert_null(table_find(&t, 0));
  table_free(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_calls_agree_with_a_list),
      cmocka_unit_test(test_an_empty_table_has_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
