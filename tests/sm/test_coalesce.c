/* The coalescer and the bank conflicts of shared memory, against models that go byte by byte and word by
 * word. */
#include "sm_rig.h"

#include "base/rng.h"

/* ---- coalescing --------------------------------------------------------------------------------------------------- */

struct brute {
  uint64_t line[EXEC_LANES];
  bool byte[EXEC_LANES][MEM_LINE];
  unsigned n;
};

static void brute_force(struct brute *b, const uint64_t *addr, uint32_t mask, unsigned bytes) {
  memset(b, 0, sizeof *b);
  for (unsigned lane = 0; lane < EXEC_LANES; lane++)
    for (unsigned i = 0; i < bytes && mask >> lane & 1; i++) {
      uint64_t at = addr[lane] + i, line = at / MEM_LINE * MEM_LINE;
      unsigned k = 0;
      while (k < b->n && b->line[k] != line) k++;
      if (k == b->n) b->line[b->n++] = line;
      b->byte[k][at % MEM_LINE] = true;
    }
}

static void compare(const uint64_t *addr, uint32_t mask, unsigned bytes) {
  struct brute b;
  struct sm_segment seg[EXEC_LANES];
  brute_force(&b, addr, mask, bytes);
  unsigned n = sm_coalesce(addr, mask, bytes, MEM_LINE, seg);
  assert_int_equal(n, b.n);
  for (unsigned k = 0; k < n; k++) {
    assert_int_equal(seg[k].line, b.line[k]); /* in the order lanes first touch them */
    for (unsigned i = 0; i < MEM_LINE; i++)
      assert_int_equal(seg[k].bytes.b[i / 64] >> (i % 64) & 1, b.byte[k][i]);
  }
}

static const unsigned widths[] = {1, 2, 4, 8, 16};

static void test_random_addresses_of_every_width(void **state) {
  (void)state;
  struct rng g = {1};
  for (unsigned round = 0; round < 20000; round++) {
    unsigned bytes = widths[rng_below(&g, 5)];
    uint64_t addr[EXEC_LANES], spread = UINT64_C(1) << (rng_below(&g, 16) + 4);
    for (unsigned i = 0; i < EXEC_LANES; i++) addr[i] = 0x200000000000u + rng_below(&g, spread) * bytes;
    compare(addr, (uint32_t)rng_next(&g) & (uint32_t)rng_next(&g), bytes);
    compare(addr, EXEC_ALL_LANES, bytes);
  }
}

/* Segments of 32 bytes for bytes, 64 for halfwords, lines for more, each once, from the highest address down; together the same
 * bytes. */
static void test_segments_by_the_size_of_an_element(void **state) {
  (void)state;
  struct rng g = {2};
  for (unsigned round = 0; round < 20000; round++) {
    unsigned bytes = widths[rng_below(&g, 5)], size = bytes == 1 ? 32 : bytes == 2 ? 64 : 128, sum = 0, expected = 0;
    uint64_t addr[EXEC_LANES], spread = UINT64_C(1) << (rng_below(&g, 12) + 2), last = UINT64_MAX;
    uint32_t mask = round & 1 ? EXEC_ALL_LANES : (uint32_t)rng_next(&g);
    for (unsigned i = 0; i < EXEC_LANES; i++) addr[i] = 0x200000000000u + rng_below(&g, spread) * bytes;
    struct brute b;
    struct sm_segment seg[EXEC_LANES];
    brute_force(&b, addr, mask, bytes);
    unsigned n = sm_coalesce_segments(addr, mask, bytes, MEM_LINE, seg);
    for (unsigned k = 0; k < n; k++) {
      unsigned first = (unsigned)(seg[k].bytes.b[0] ? __builtin_ctzll(seg[k].bytes.b[0]) : 64 + __builtin_ctzll(seg[k].bytes.b[1]));
      uint64_t start = (seg[k].line + first) / size * size;
      assert_true(start < last);
      last = start;
      for (unsigned i = 0; i < MEM_LINE; i++)
        if (seg[k].bytes.b[i / 64] >> i % 64 & 1) assert_true(seg[k].line + i >= start && seg[k].line + i < start + size), sum++;
    }
    for (unsigned k = 0; k < b.n; k++)
      for (unsigned i = 0; i < MEM_LINE; i++) expected += b.byte[k][i];
    assert_int_equal(sum, expected);
  }
}

/* 32 atomics on one word are 32 accesses; on the words of a line one, or one for each half of the warp, or one a sector. */
static void test_atomics_on_the_same_word_are_apart(void **state) {
  (void)state;
  uint64_t same[EXEC_LANES], row[EXEC_LANES];
  struct sm_segment seg[EXEC_LANES];
  for (unsigned i = 0; i < EXEC_LANES; i++) same[i] = 0x1000, row[i] = 0x1000 + 4 * i;
  assert_int_equal(sm_coalesce_atomic(same, EXEC_ALL_LANES, 4, MEM_LINE, (struct sm_atomic_shape){1, 128}, seg), 32);
  assert_int_equal(sm_coalesce_atomic(row, EXEC_ALL_LANES, 4, MEM_LINE, (struct sm_atomic_shape){1, 128}, seg), 1);
  assert_int_equal(sm_coalesce_atomic(row, EXEC_ALL_LANES, 4, MEM_LINE, (struct sm_atomic_shape){2, 128}, seg), 2);
  assert_int_equal(sm_coalesce_atomic(row, EXEC_ALL_LANES, 4, MEM_LINE, (struct sm_atomic_shape){1, 32}, seg), 4);
  assert_int_equal(seg[0].line, 0x1000);
  assert_int_equal(seg[0].bytes.b[1] >> 32, UINT32_MAX); /* the highest sector first */
}

/* A stride of s elements of w bytes: 32 lanes span 32 s w bytes, so max(1, min(32, s w / 4)) lines if
 * aligned. */
static void test_strides_give_one_to_32_lines(void **state) {
  (void)state;
  for (unsigned w = 0; w < 5; w++)
    for (unsigned stride = 1; stride <= 64; stride++) {
      uint64_t addr[EXEC_LANES];
      for (unsigned i = 0; i < EXEC_LANES; i++) addr[i] = 4096 + (uint64_t)i * stride * widths[w];
      struct sm_segment seg[EXEC_LANES];
      unsigned n = sm_coalesce(addr, EXEC_ALL_LANES, widths[w], MEM_LINE, seg);
      unsigned step = stride * widths[w], lines = step >= MEM_LINE ? 32 : (31 * step) / MEM_LINE + 1;
      assert_int_equal(n, lines);
      compare(addr, EXEC_ALL_LANES, widths[w]);
    }
}

static void test_exactly_k_lines_for_every_k(void **state) {
  (void)state;
  for (unsigned k = 1; k <= 32; k++) {
    uint64_t addr[EXEC_LANES];
    struct sm_segment seg[EXEC_LANES];
    for (unsigned i = 0; i < EXEC_LANES; i++) addr[i] = (uint64_t)(i % k) * MEM_LINE + i * 4;
    assert_int_equal(sm_coalesce(addr, EXEC_ALL_LANES, 4, MEM_LINE, seg), k);
  }
}

static void test_no_lane_is_no_line(void **state) {
  (void)state;
  uint64_t addr[EXEC_LANES] = {0};
  struct sm_segment seg[EXEC_LANES];
  assert_int_equal(sm_coalesce(addr, 0, 4, MEM_LINE, seg), 0);
  assert_int_equal(sm_coalesce(addr, 1u << 31, 4, MEM_LINE, seg), 1);
}

/* ---- bank conflicts ----------------------------------------------------------------------------------------------- */

/* 32 banks of four bytes; a stride of s words makes gcd(s, 32) lanes meet in a bank. */
static unsigned gcd(unsigned a, unsigned b) { return b ? gcd(b, a % b) : a; }

static void test_strides_conflict_as_theory_says(void **state) {
  (void)state;
  for (unsigned stride = 1; stride <= 64; stride++) {
    uint64_t at[EXEC_LANES];
    for (unsigned i = 0; i < EXEC_LANES; i++) at[i] = (uint64_t)i * stride * 4;
    assert_int_equal(sm_bank_cycles(at, EXEC_ALL_LANES, 4), gcd(stride, 32));
  }
}

static void test_k_way_conflicts_for_every_k(void **state) {
  (void)state;
  for (unsigned k = 1; k <= 32; k++) {
    uint64_t at[EXEC_LANES]; /* k lanes in bank 0, the rest in banks of their own */
    for (unsigned i = 0; i < EXEC_LANES; i++) at[i] = i < k ? (uint64_t)i * 128 : i * 4;
    assert_int_equal(sm_bank_cycles(at, EXEC_ALL_LANES, 4), k);
  }
}

static void test_one_word_for_all_is_a_broadcast(void **state) {
  (void)state;
  uint64_t at[EXEC_LANES];
  for (unsigned w = 0; w < 3; w++) {
    for (unsigned i = 0; i < EXEC_LANES; i++) at[i] = 64 + i % (4 / widths[w]) * widths[w];
    assert_int_equal(sm_bank_cycles(at, EXEC_ALL_LANES, widths[w]), 1);
  }
  assert_int_equal(sm_bank_cycles(at, 0, 4), 0);
}

/* An atomic operation: of 32 lanes k on each word, and what is left when the first of each word is taken away. */
static void test_lanes_of_a_word_are_served_one_by_one(void **state) {
  (void)state;
  for (unsigned k = 1; k <= 32; k *= 2) {
    uint64_t at[EXEC_LANES];
    for (unsigned i = 0; i < EXEC_LANES; i++) at[i] = i / k * 4;
    assert_int_equal(sm_bank_cycles(at, EXEC_ALL_LANES, 4), 1);
    assert_int_equal(sm_bank_lanes(at, EXEC_ALL_LANES, 4), k);
    assert_int_equal(sm_different_addresses(at, EXEC_ALL_LANES), 32 / k);
    for (unsigned i = 0; i < EXEC_LANES; i++) at[i] = i / k * 8;
    assert_int_equal(sm_bank_lanes(at, EXEC_ALL_LANES, 8), k <= 16 ? 2 * k : 32);
  }
  uint64_t at[EXEC_LANES] = {8, 4, 8, 4, 12};
  assert_int_equal(sm_first_lanes(at, 0x1f), 0x13);
  assert_int_equal(sm_first_lanes(at, 0x1c), 0x1c);
  assert_int_equal(sm_bank_lanes(at, 0x1f, 4), 2);
}

/* Consecutive 8- and 16-byte elements: 256 and 512 bytes through 128 bytes a cycle. */
static void test_wide_accesses_take_two_and_four_cycles(void **state) {
  (void)state;
  uint64_t at[EXEC_LANES];
  for (unsigned i = 0; i < EXEC_LANES; i++) at[i] = i * 8;
  assert_int_equal(sm_bank_cycles(at, EXEC_ALL_LANES, 8), 2);
  assert_int_equal(sm_bank_cycles(at, 0xffff, 8), 1); /* half a warp: one */
  for (unsigned i = 0; i < EXEC_LANES; i++) at[i] = i * 16;
  assert_int_equal(sm_bank_cycles(at, EXEC_ALL_LANES, 16), 4);
  assert_int_equal(sm_bank_cycles(at, 0xff, 16), 1);
}

/* Halves and quarters together where neighbours name the same address, one after the other else. */
static void test_wide_accesses_are_served_together_where_lanes_agree(void **state) {
  (void)state;
  static const struct {
    unsigned bytes, drop, cycles; /* a lane's place: its number with these bits left out */
  } rows[] = {{8, 0, 2},  {8, 1, 1},  {8, 2, 1},  {8, 4, 2},   {8, 31, 1}, {16, 0, 4},
              {16, 1, 2}, {16, 2, 2}, {16, 4, 4}, {16, 31, 2}, {4, 31, 1}};
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint64_t at[EXEC_LANES];
    for (unsigned k = 0; k < EXEC_LANES; k++) {
      unsigned place = 0, bits = 0;
      for (unsigned bit = 0; bit < 5; bit++)
        if (!(rows[i].drop >> bit & 1)) place |= (k >> bit & 1) << bits++;
      at[k] = (uint64_t)place * rows[i].bytes;
    }
    assert_int_equal(sm_merged_bank_cycles(at, EXEC_ALL_LANES, rows[i].bytes), rows[i].cycles);
  }
}

static void test_random_offsets_against_counting(void **state) {
  (void)state;
  struct rng g = {3};
  for (unsigned round = 0; round < 5000; round++) {
    uint64_t at[EXEC_LANES];
    uint32_t mask = (uint32_t)rng_next(&g) | 1;
    uint64_t words = rng_below(&g, 200) + 1;
    for (unsigned i = 0; i < EXEC_LANES; i++) at[i] = rng_below(&g, words) * 4;
    unsigned worst = 0;
    for (unsigned bank = 0; bank < 32; bank++) {
      bool seen[256] = {false};
      unsigned n = 0;
      for (unsigned i = 0; i < EXEC_LANES; i++) {
        unsigned word = (unsigned)(at[i] / 4);
        if (!(mask >> i & 1) || word % 32 != bank || seen[word]) continue;
        seen[word] = true;
        n++;
      }
      if (n > worst) worst = n;
    }
    assert_int_equal(sm_bank_cycles(at, mask, 4), worst);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wide_accesses_are_served_together_where_lanes_agree),
      cmocka_unit_test(test_random_addresses_of_every_width),
      cmocka_unit_test(test_segments_by_the_size_of_an_element),
      cmocka_unit_test(test_atomics_on_the_same_word_are_apart),
      cmocka_unit_test(test_strides_give_one_to_32_lines),
      cmocka_unit_test(test_exactly_k_lines_for_every_k),
      cmocka_unit_test(test_no_lane_is_no_line),
      cmocka_unit_test(test_strides_conflict_as_theory_says),
      cmocka_unit_test(test_k_way_conflicts_for_every_k),
      cmocka_unit_test(test_one_word_for_all_is_a_broadcast),
      cmocka_unit_test(test_lanes_of_a_word_are_served_one_by_one),
      cmocka_unit_test(test_wide_accesses_take_two_and_four_cycles),
      cmocka_unit_test(test_random_offsets_against_counting),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
