/* Which reads of several SMs share an access of an L2 slice (llc_coalesce.h). */
#include "memtest.h"

#include "llc/llc_coalesce.h"

enum { READS = 4000 };

static struct mem_packet read_of(unsigned sm, unsigned line, uint8_t sectors) {
  return (struct mem_packet){.kind = MEM_READ, .sm = (uint16_t)sm, .line = line * MEM_LINE, .sectors = sectors};
}

static void test_as_many_join_as_one_access_answers(void **state) {
  (void)state;
  struct llc_coalescer c;
  llc_coalescer_init(&c, 4, 1, 9);
  struct mem_packet k[9];
  for (unsigned i = 0; i < 9; i++) {
    k[i] = read_of(i, 5, 15);
    assert_int_equal(llc_coalesce(&c, &k[i]), i % 4 != 0);
  }
  assert_ptr_equal(k[0].followers, &k[1]);
  assert_ptr_equal(k[2].followers, &k[3]);
  assert_null(k[3].followers);
  assert_ptr_equal(k[4].followers, &k[5]);
  assert_null(k[8].followers);
  llc_coalescer_free(&c);
}

static void test_who_may_not_join(void **state) {
  (void)state;
  struct mem_packet other_line = read_of(2, 6, 1), other_group = read_of(3, 5, 1), same_sm = read_of(0, 5, 1),
                    more_sectors = read_of(2, 5, 3), write = read_of(2, 5, 1), is_volatile = read_of(2, 5, 1);
  write.kind = MEM_WRITE;
  is_volatile.cache = MEM_CACHE_VOLATILE;
  struct mem_packet *const refused[] = {&other_line, &other_group, &same_sm, &more_sectors, &write, &is_volatile};
  for (unsigned i = 0; i < sizeof refused / sizeof *refused; i++) {
    struct llc_coalescer c;
    llc_coalescer_init(&c, 4, 2, 5);
    struct mem_packet first = read_of(0, 5, 1);
    assert_false(llc_coalesce(&c, &first));
    assert_false(llc_coalesce(&c, refused[i]));
    assert_null(first.followers);
    llc_coalescer_free(&c);
  }
  struct llc_coalescer c;
  llc_coalescer_init(&c, 4, 2, 5);
  struct mem_packet first = read_of(0, 5, 3), fewer_sectors = read_of(2, 5, 2);
  assert_false(llc_coalesce(&c, &first));
  assert_true(llc_coalesce(&c, &fewer_sectors));
  llc_coalescer_free(&c);
}

static void test_an_answered_read_takes_no_more(void **state) {
  (void)state;
  struct llc_coalescer c;
  llc_coalescer_init(&c, 4, 1, 9);
  struct mem_packet first = read_of(0, 5, 15), second = read_of(1, 5, 15), third = read_of(2, 5, 15);
  assert_false(llc_coalesce(&c, &first));
  llc_coalesce_close(&c, &first);
  assert_false(llc_coalesce(&c, &second));
  llc_coalesce_close(&c, &first); /* another is open in its place */
  assert_true(llc_coalesce(&c, &third));
  assert_ptr_equal(second.followers, &third);
  llc_coalescer_free(&c);
}

static void test_without_one_every_read_goes_on(void **state) {
  (void)state;
  struct llc_coalescer c;
  llc_coalescer_init(&c, 1, 1, 2);
  struct mem_packet first = read_of(0, 5, 15), second = read_of(1, 5, 15);
  assert_false(llc_coalesce(&c, &first));
  assert_false(llc_coalesce(&c, &second));
  assert_null(first.followers);
  llc_coalescer_free(&c);
}

/* Every read goes on or follows exactly one that does; those of one access differ in SM and agree in all else. */
static void test_random_reads_are_answered_once(void **state) {
  (void)state;
  static struct mem_packet k[READS];
  static bool goes_on[READS];
  struct llc_coalescer c;
  llc_coalescer_init(&c, 3, 4, 16);
  struct rng random = {7};
  unsigned answered = 0, shared = 0;
  for (unsigned i = 0; i < READS; i++) {
    k[i] = read_of((unsigned)rng_below(&random, 16), (unsigned)rng_below(&random, 8), (uint8_t)(1 + (unsigned)rng_below(&random, 15)));
    goes_on[i] = !llc_coalesce(&c, &k[i]);
    if ((unsigned)rng_below(&random, 4) == 0) llc_coalesce_close(&c, &k[(unsigned)rng_below(&random, i + 1)]);
  }
  for (unsigned i = 0; i < READS; i++) {
    unsigned n = 0;
    for (const struct mem_packet *f = &k[i]; goes_on[i] && f; f = f->followers, n++) {
      assert_int_equal(f->line, k[i].line);
      assert_int_equal(f->sm / 4, k[i].sm / 4);
      assert_int_equal(f->sectors & ~k[i].sectors, 0);
      for (const struct mem_packet *g = f->followers; g; g = g->followers) assert_int_not_equal(f->sm, g->sm);
      assert_true(f == &k[i] || !goes_on[f - k]);
    }
    assert_true(n <= 3);
    answered += n;
    shared += n > 1;
  }
  assert_int_equal(answered, READS);
  assert_true(shared > READS / 20);
  llc_coalescer_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_as_many_join_as_one_access_answers),
      cmocka_unit_test(test_who_may_not_join),
      cmocka_unit_test(test_an_answered_read_takes_no_more),
      cmocka_unit_test(test_without_one_every_read_goes_on),
      cmocka_unit_test(test_random_reads_are_answered_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
