/* Device memory by itself: where allocations lie, what is mapped, which allocation an address belongs to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "exec/memory/device_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { BLOCK = EXEC_MAP_BLOCK };

static int setup(void **state) {
  struct err e = {0};
  *state = exec_mem_new(UINT64_C(1) << 30, &e);
  return *state ? 0 : -1;
}

static int setup_apart(void **state) {
  struct err e = {0};
  *state = exec_mem_new_apart(UINT64_C(1) << 26, 65536, &e);
  return *state ? 0 : -1;
}

static int teardown(void **state) {
  exec_mem_delete(*state);
  return 0;
}

static uint64_t device(struct exec_mem *m, uint64_t bytes) { return exec_mem_alloc(m, bytes, EXEC_ALLOC_ALIGN, EXEC_ALLOC_DEVICE, NULL); }

static void test_allocations_lie_at_multiples_of_512_bytes_one_behind_the_other(void **state) {
  struct exec_mem *m = *state;
  uint64_t a = device(m, 1), b = device(m, 513), c = device(m, 512), d = device(m, 4);
  assert_int_equal(a, EXEC_DEVICE_BASE);
  assert_int_equal(b, a + 512);
  assert_int_equal(c, b + 1024);
  assert_int_equal(d, c + 512);
  assert_int_equal(exec_mem_alloc(m, 4, 16, EXEC_ALLOC_MODULE, "v") % 16, 0);
}

static void test_a_block_is_mapped_while_something_lives_in_it(void **state) {
  struct exec_mem *m = *state;
  uint64_t a = device(m, 100);
  assert_true(exec_mem_mapped(m, a, 100));
  assert_true(exec_mem_mapped(m, a + BLOCK - 4, 4));
  assert_false(exec_mem_mapped(m, a + BLOCK - 4, 8));
  assert_false(exec_mem_mapped(m, a + BLOCK, 1));
  uint64_t b = device(m, 2 * BLOCK); /* from the first block into the third */
  assert_true(exec_mem_mapped(m, a + 3 * (uint64_t)BLOCK - 1, 1));
  assert_true(exec_mem_mapped(m, a + 1, 3 * (uint64_t)BLOCK - 1));
  assert_false(exec_mem_mapped(m, a + 3 * (uint64_t)BLOCK, 1));
  exec_mem_free(m, b);
  assert_true(exec_mem_mapped(m, b, 4));
  assert_false(exec_mem_mapped(m, a + BLOCK, 1));
  exec_mem_free(m, a);
  assert_false(exec_mem_mapped(m, a, 1));
}

static void test_the_block_below_the_first_allocation_is_mapped(void **state) {
  struct exec_mem *m = *state;
  assert_true(exec_mem_mapped(m, EXEC_DEVICE_BASE - BLOCK, BLOCK));
  assert_false(exec_mem_mapped(m, EXEC_DEVICE_BASE - BLOCK - 1, 1));
  assert_false(exec_mem_mapped(m, EXEC_DEVICE_BASE - 1, 2));
  assert_int_equal(*(char *)exec_mem_ptr(EXEC_DEVICE_BASE - BLOCK), 0);
}

static void test_no_number_is_mapped_by_wrapping(void **state) {
  struct exec_mem *m = *state;
  device(m, 4 * BLOCK);
  assert_false(exec_mem_mapped(m, EXEC_DEVICE_BASE, UINT64_MAX));
  assert_false(exec_mem_mapped(m, UINT64_MAX, 1));
  assert_false(exec_mem_mapped(m, UINT64_MAX - 3, 8));
  assert_false(exec_mem_mapped(m, 0, 1));
  assert_false(exec_mem_mapped(m, EXEC_DEVICE_BASE + (UINT64_C(1) << 30), 1));
  assert_int_equal(exec_mem_alloc(m, UINT64_MAX, 1, EXEC_ALLOC_HOST, NULL), 0);
  assert_int_equal(device(m, UINT64_MAX - 600), 0);
}

static void test_pages_of_registered_memory_are_mapped(void **state) {
  struct exec_mem *m = *state;
  char *pages = aligned_alloc(4096, 3 * 4096);
  uint64_t at = (uint64_t)(uintptr_t)pages;
  assert_false(exec_mem_mapped(m, at + 100, 1));
  assert_true(exec_mem_register(m, pages + 100, 4096));
  assert_true(exec_mem_mapped(m, at, 2 * 4096));
  assert_false(exec_mem_mapped(m, at + 2 * 4096 - 1, 2));
  assert_false(exec_mem_mapped(m, at - 1, 1));
  assert_true(exec_mem_unregister(m, pages + 100));
  assert_false(exec_mem_mapped(m, at + 100, 1));
  free(pages);
}

static void test_says_which_allocations_are_around_an_address(void **state) {
  struct exec_mem *m = *state;
  uint64_t a = device(m, 100), b = device(m, 100);
  const struct exec_alloc *below, *above;
  exec_mem_around(m, a + 50, &below, &above);
  assert_int_equal(below->range.base, a);
  assert_int_equal(above->range.base, b);
  exec_mem_around(m, a + 100, &below, &above);
  assert_int_equal(below->range.base, a);
  assert_int_equal(above->range.base, b);
  exec_mem_around(m, a - 1, &below, &above);
  assert_null(below);
  assert_int_equal(above->range.base, a);
  exec_mem_around(m, b + 4000, &below, &above);
  assert_int_equal(below->range.base, b);
  assert_null(above);
  assert_int_equal(exec_mem_nearest(m, a + 300)->range.base, a);
  assert_int_equal(exec_mem_nearest(m, a + 500)->range.base, b);
  assert_int_equal(exec_mem_nearest(m, a)->range.base, a);
}

static void test_remembers_the_last_of_the_freed(void **state) {
  struct exec_mem *m = *state;
  const struct exec_alloc *freed;
  uint64_t a = device(m, 4000);
  exec_mem_set_site(m, a, m);
  exec_mem_free(m, a);
  assert_int_equal(device(m, 200), a);
  exec_mem_free(m, a);
  assert_null(exec_mem_find(m, a + 100, &freed));
  assert_int_equal(freed->range.end - freed->range.base, 200);
  assert_null(exec_mem_find(m, a + 1000, &freed));
  assert_int_equal(freed->range.end - freed->range.base, 4000);
  assert_true(freed->freed && freed->site == m && freed->serial == 1);
  device(m, 200);
  assert_non_null(exec_mem_find(m, a + 100, &freed));
  assert_null(freed);
}

static void test_what_is_backed_can_be_touched(void **state) {
  struct exec_mem *m = *state;
  struct exec_alloc_range r;
  assert_true(exec_mem_backed(m, EXEC_DEVICE_BASE + 12345, &r)); /* not mapped, but ours */
  assert_int_equal(*(volatile char *)exec_mem_ptr(r.base), 0);
  assert_int_equal(*(volatile char *)exec_mem_ptr(r.end - 1), 0);
  assert_true(r.end - r.base >= (UINT64_C(1) << 30));
  assert_false(exec_mem_backed(m, (uint64_t)(uintptr_t)&r, &r));
  assert_false(exec_mem_backed(m, 0, &r));
  assert_false(exec_mem_backed(m, UINT64_MAX, &r));
  char own[64];
  assert_true(exec_mem_register(m, own, sizeof own));
  assert_true(exec_mem_backed(m, (uint64_t)(uintptr_t)own + 1, &r));
  assert_int_equal(r.end - r.base, sizeof own);
}

static void test_memory_is_zeroed_whoever_wrote_there(void **state) {
  struct exec_mem *m = *state;
  static const size_t sizes[] = {1, 300, 4096, 70000, 3 * BLOCK + 7};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    uint64_t first = device(m, 16);
    memset(exec_mem_ptr(first), 0xff, 4 * (size_t)BLOCK); /* also far beyond what was ever allocated */
    const unsigned char *p = exec_mem_ptr(device(m, sizes[i]));
    for (size_t k = 0; k < sizes[i]; k++)
      if (p[k]) fail_msg("byte %zu of %zu is %u", k, sizes[i], p[k]);
    exec_mem_free(m, (uint64_t)(uintptr_t)p);
  }
}

static long faults(void) {
  struct rusage u;
  assert_int_equal(getrusage(RUSAGE_SELF, &u), 0);
  return u.ru_minflt;
}

/* Every second of 64 MB's blocks is written: those keep their pages, and all is zero when it is given out again. */
static void test_memory_that_was_used_keeps_its_pages_and_is_zero(void **state) {
  struct exec_mem *m = *state;
  enum { BYTES = 64 << 20, PART = 2 << 20 };
  uint64_t at = exec_mem_alloc(m, BYTES, 512, EXEC_ALLOC_DEVICE, "first");
  for (size_t i = 0; i < BYTES; i += 2 * PART) memset(exec_mem_ptr(at + i), 7, PART);
  assert_true(exec_mem_free(m, at));
  assert_int_equal(exec_mem_alloc(m, BYTES, 512, EXEC_ALLOC_DEVICE, "second"), at);
  long before = faults();
  for (size_t i = 0; i < BYTES; i += 2 * PART)
    for (size_t k = 0; k < PART; k += 8) assert_true(*(uint64_t *)exec_mem_ptr(at + i + k) == 0);
  assert_in_range(faults() - before, 0, 8);
  for (size_t i = PART; i < BYTES; i += 2 * PART) assert_true(*(uint64_t *)exec_mem_ptr(at + i) == 0);
}

static void test_two_devices_have_windows_of_their_own(void **state) {
  struct err e = {0};
  struct exec_mem *other = exec_mem_new(UINT64_C(1) << 28, &e);
  assert_non_null(other);
  uint64_t a = device(other, 64);
  assert_int_equal(a % BLOCK, 0);
  assert_true(exec_mem_mapped(other, a - BLOCK, BLOCK + 64));
  assert_false(exec_mem_mapped(*state, a, 1));
  exec_mem_delete(other);
}

static void test_red_zones_keep_allocations_apart(void **state) {
  struct exec_mem *m = *state;
  uint64_t a = device(m, 4096), b = device(m, 4096), v = exec_mem_alloc(m, 4, 16, EXEC_ALLOC_MODULE, "v");
  assert_true(b >= a + 4096 + 65536);
  assert_true(v >= b + 4096 + 65536);
  exec_mem_free(m, a);
  assert_int_equal(device(m, 4096), a); /* its red zone came back with it */
  assert_int_equal(exec_mem_used(m), 2 * 4096 + 4);
}

/* They take addresses, not memory: as many allocations fit as without them. */
static void test_red_zones_give_way_when_addresses_run_out(void **state) {
  struct exec_mem *m = *state;
  for (unsigned i = 0; i < (1u << 26) / 4096; i++)
    if (!device(m, 4096)) fail_msg("allocation %u does not fit", i);
  assert_int_equal(device(m, 1), 0);
}

/* Whether the host was asked for large pages there: the flag "hg" of the mapping. */
static bool wants_large_pages(uint64_t addr) {
  FILE *f = fopen("/proc/self/smaps", "r");
  char line[512];
  unsigned long long from, to;
  bool here = false, wants = false;
  assert_non_null(f);
  while (fgets(line, sizeof line, f)) {
    if (sscanf(line, "%llx-%llx ", &from, &to) == 2) here = addr >= from && addr < to;
    if (here && !strncmp(line, "VmFlags:", 8)) wants = strstr(line, " hg") != NULL;
  }
  fclose(f);
  return wants;
}

static void test_large_allocations_want_large_pages(void **state) {
  struct exec_mem *m = *state;
  uint64_t small = device(m, 1 << 20), large = device(m, 64 << 20);
  if (access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK) != 0) skip(); /* this host has none */
  assert_false(wants_large_pages(small));
  assert_true(wants_large_pages(large + (32 << 20)));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
#define TEST_APART(name) cmocka_unit_test_setup_teardown(name, setup_apart, teardown)
  const struct CMUnitTest tests[] = {
      TEST(test_allocations_lie_at_multiples_of_512_bytes_one_behind_the_other),
      TEST(test_a_block_is_mapped_while_something_lives_in_it),
      TEST(test_the_block_below_the_first_allocation_is_mapped),
      TEST(test_no_number_is_mapped_by_wrapping),
      TEST(test_pages_of_registered_memory_are_mapped),
      TEST(test_says_which_allocations_are_around_an_address),
      TEST(test_remembers_the_last_of_the_freed),
      TEST(test_what_is_backed_can_be_touched),
      TEST(test_memory_is_zeroed_whoever_wrote_there),
      TEST(test_memory_that_was_used_keeps_its_pages_and_is_zero),
      TEST(test_large_allocations_want_large_pages),
      TEST(test_two_devices_have_windows_of_their_own),
      TEST_APART(test_red_zones_keep_allocations_apart),
      TEST_APART(test_red_zones_give_way_when_addresses_run_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
