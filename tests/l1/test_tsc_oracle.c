/* The tag-split cache against a slow and obvious model of section 3 on random streams, and a private tag of no bits
 * against the sector cache. Also the neighbours it is compared with: fixed lines, LAMAR, decoupled sectors, MRPB. */
#include "tsc_kit.h"

#include "l1/bypass.h"

/* ---- the model: a set is a plain table of places, every question is a scan ---- */

enum { MAX_PLACES = 64 };

struct cell {
  uint64_t line;
  unsigned chunk;
  enum { EMPTY, WAITING, FULL } state;
  unsigned nru;
};
struct model {
  unsigned groups, per_group, private_bits;
  uint64_t shared[MAX_PLACES];
  struct cell cell[MAX_PLACES];
  struct rng rng;
};

static unsigned places(const struct model *m) { return m->groups * m->per_group; }
static uint64_t upper(const struct model *m, uint64_t line) { return line >> m->private_bits; }

static void model_age(struct model *m) {
  unsigned ones = 0;
  for (unsigned i = 0; i < places(m); i++) ones += m->cell[i].nru;
  if (ones == places(m))
    for (unsigned i = 0; i < places(m); i++) m->cell[i].nru = 0;
}

static unsigned model_probe(struct model *m, uint64_t line, unsigned want) {
  unsigned missing = want;
  for (unsigned i = 0; i < places(m); i++)
    if (m->cell[i].state == FULL && m->cell[i].line == line && want & 1u << m->cell[i].chunk) {
      missing &= ~(1u << m->cell[i].chunk);
      m->cell[i].nru = 1;
    }
  if (missing != want) model_age(m);
  return missing;
}

static unsigned count_in(const struct model *m, unsigned group, int state) {
  unsigned n = 0;
  for (unsigned i = 0; i < m->per_group; i++) n += (int)m->cell[group * m->per_group + i].state == state;
  return n;
}

static bool usable(const struct model *m, unsigned place, uint64_t tag, bool empty_group) {
  unsigned g = place / m->per_group;
  bool nothing = count_in(m, g, EMPTY) == m->per_group;
  if (m->cell[place].state != EMPTY || nothing != empty_group) return false;
  return nothing || m->shared[g] == tag;
}

static bool replaceable(const struct model *m, unsigned place, uint64_t tag, unsigned nru) {
  unsigned g = place / m->per_group;
  if (m->cell[place].state != FULL || m->cell[place].nru != nru) return false;
  return m->shared[g] == tag || !count_in(m, g, WAITING);
}

static bool taken(const unsigned *list, unsigned n, unsigned place) {
  for (unsigned k = 0; k < n; k++)
    if (list[k] == place) return true;
  return false;
}

static int model_victim(struct model *m, uint64_t tag, const unsigned *to, unsigned n) {
  for (unsigned nru = 0; nru < 2; nru++) {
    unsigned list[MAX_PLACES], count = 0;
    for (unsigned i = 0; i < places(m); i++)
      if (replaceable(m, i, tag, nru) && !taken(to, n, i)) list[count++] = i;
    if (count) return (int)list[rng_below(&m->rng, count)];
  }
  return -1;
}

static bool model_reserve(struct model *m, uint64_t line, unsigned mask) {
  unsigned want = (unsigned)__builtin_popcount(mask), n = 0, to[2 * MAX_PLACES];
  uint64_t tag = upper(m, line);
  for (int empty = 0; empty < 2; empty++)
    for (unsigned i = 0; i < places(m) && n < want; i++)
      if (usable(m, i, tag, empty)) to[n++] = i;
  for (int v = 0; n < want && (v = model_victim(m, tag, to, n)) >= 0;) {
    unsigned g = (unsigned)v / m->per_group;
    to[n++] = (unsigned)v;
    for (unsigned i = 0; i < places(m) && m->shared[g] != tag; i++)
      if (i / m->per_group == g && i != (unsigned)v) to[n++] = i;
  }
  if (n < want) return false;
  for (unsigned k = 0, c = 0; k < want; k++, c++) {
    unsigned g = to[k] / m->per_group;
    while (!(mask >> c & 1)) c++;
    if (m->shared[g] != tag)
      for (unsigned i = 0; i < m->per_group; i++)
        if (m->cell[g * m->per_group + i].state == FULL) m->cell[g * m->per_group + i].state = EMPTY;
    m->shared[g] = tag;
    m->cell[to[k]] = (struct cell){line, c, WAITING, 1};
  }
  model_age(m);
  return true;
}

static void model_change(struct model *m, uint64_t line, unsigned mask, int from, int to) {
  for (unsigned i = 0; i < places(m); i++) {
    struct cell *c = &m->cell[i];
    if ((int)c->state == from && c->line == line && mask >> c->chunk & 1) c->state = (unsigned)to;
  }
}

/* ---- streams ---- */

struct outstanding {
  uint64_t line;
  unsigned mask;
};

static void run_stream(unsigned groups, unsigned private_bits, unsigned chunk, uint64_t seed) {
  char a[32], b[32], d[32];
  struct kit k;
  struct outstanding out[64];
  unsigned n_out = 0, in_line = MEM_LINE / chunk, refused = 0;
  snprintf(a, sizeof a, "l1.tsc.groups=%u", groups);
  snprintf(b, sizeof b, "l1.tsc.private_tag=%u", private_bits);
  snprintf(d, sizeof d, "l1.tsc.chunk=%u", chunk);
  kit_open(&k, "tsc", seed, (const char *const[]){"l1.sets=1", a, b, d, NULL});
  k.chunk = chunk;
  struct model m = {.groups = groups, .per_group = in_line, .private_bits = private_bits, .rng = {seed}};
  struct rng r = {seed ^ 0xabcdef};
  for (int step = 0; step < 20000; step++) {
    uint64_t line = rng_below(&r, 24);
    unsigned mask = (unsigned)(rng_next(&r) & ((1u << in_line) - 1)), what = (unsigned)rng_below(&r, 10);
    if (what < 2 && n_out) { /* data comes */
      struct outstanding o = out[0];
      memmove(out, out + 1, --n_out * sizeof *out);
      kit_fill(&k, o.line, o.mask);
      model_change(&m, o.line, o.mask, WAITING, FULL);
    } else if (what == 2) {
      kit_wrote(&k, line, mask);
      model_change(&m, line, mask, FULL, EMPTY);
    } else if (mask) {
      unsigned missing = kit_probe(&k, line, mask), expected = model_probe(&m, line, mask);
      if (missing != expected) fail_msg("step %d: line %lu missing %x, model %x", step, (unsigned long)line, missing, expected);
      for (unsigned i = 0; i < n_out; i++)
        if (out[i].line == line) missing &= ~out[i].mask;
      if (!missing || n_out == 64) continue;
      bool ok = kit_reserve(&k, line, missing);
      if (ok != model_reserve(&m, line, missing)) fail_msg("step %d: a frame for line %lu differs", step, (unsigned long)line);
      refused += !ok;
      if (ok) out[n_out++] = (struct outstanding){line, missing};
    }
  }
  assert_true(refused > 0); /* the stream reaches the rules for reserved chunks */
  kit_close(&k);
}

static void test_every_hit_miss_and_request_is_that_of_the_model(void **s) {
  (void)s;
  for (uint64_t seed = 1; seed <= 4; seed++) {
    run_stream(4, 2, 32, seed);
    run_stream(4, 0, 32, seed);
    run_stream(2, 8, 32, seed);
    run_stream(3, 3, 64, seed);
    run_stream(4, 2, 8, seed);
    run_stream(2, 4, 16, seed);
  }
}

/* ---- no private tag against the sector cache ---- */

/* A random walk over lines with some reuse; each load wants one to four chunks. Returns misses in loads. */
static unsigned walk(struct kit *k, uint64_t seed, unsigned loads, unsigned lines) {
  struct rng r = {seed};
  unsigned misses = 0;
  for (unsigned i = 0; i < loads; i++) {
    uint64_t n = rng_below(&r, lines) & rng_next(&r);
    misses += kit_load(k, n, (unsigned)rng_below(&r, 15) + 1) != 0;
  }
  return misses;
}

static void test_no_private_tag_is_close_to_the_sector_cache(void **s) {
  (void)s;
  struct kit tsc, sector;
  const unsigned loads = 100000;
  kit_open(&tsc, "tsc", 1, (const char *const[]){"l1.tsc.private_tag=0", NULL});
  kit_open(&sector, "sector", 1, (const char *const[]){"l1.replacement=random", NULL});
  double t = walk(&tsc, 7, loads, 512), x = walk(&sector, 7, loads, 512);
  print_message("misses: sector %.1f %%, tag-split without private tag %.1f %%\n", 100 * x / loads, 100 * t / loads);
  /* A line may have chunks in several groups, and victims are chunks, so a group can keep a line in part: it differs,
   * and not by much. */
  assert_true(t > 0.9 * x && t < 1.1 * x);
  kit_close(&tsc);
  kit_close(&sector);
}

/* Where no replacement is needed they cannot be distinguished. */
static void test_no_private_tag_is_the_sector_cache_as_long_as_all_lines_fit(void **s) {
  (void)s;
  struct kit tsc, sector;
  struct rng r = {3};
  kit_open(&tsc, "tsc", 1, (const char *const[]){"l1.tsc.private_tag=0", "l1.index=plain", NULL});
  kit_open(&sector, "sector", 1, (const char *const[]){"l1.index=plain", NULL});
  for (int i = 0; i < 50000; i++) {
    uint64_t n = rng_below(&r, 128);
    unsigned mask = (unsigned)rng_below(&r, 15) + 1;
    assert_int_equal(kit_load(&tsc, n, mask), kit_load(&sector, n, mask));
  }
  kit_close(&tsc);
  kit_close(&sector);
}

/* ---- neighbours ---- */

static void test_a_small_line_is_found_by_its_own_address(void **s) {
  (void)s;
  struct kit k;
  struct l1_traits t;
  kit_open(&k, "line32", 1, NULL);
  k.ops->traits(k.org, &t);
  assert_int_equal(t.line_bytes, 32);
  uint32_t cycles = 0;
  uint64_t at = 7 * MEM_LINE + 64; /* the third of four */
  assert_int_equal(kit_mask(&k, k.ops->probe(k.org, at, kit_bytes(&k, 0x4))), 0x4);
  assert_true(k.ops->reserve(k.org, at, kit_bytes(&k, 0x4), &cycles));
  k.ops->fill(k.org, at, kit_bytes(&k, 0x4));
  assert_int_equal(kit_mask(&k, k.ops->probe(k.org, at, kit_bytes(&k, 0x4))), 0);
  assert_int_equal(kit_mask(&k, k.ops->probe(k.org, at + 32, kit_bytes(&k, 0x8))), 0x8);
  kit_close(&k);
}

static void test_a_large_line_brings_its_other_half(void **s) {
  (void)s;
  struct kit k;
  uint64_t other;
  kit_open(&k, "line256", 1, NULL);
  assert_int_equal(kit_probe(&k, 5, 0x1), 0xf);
  assert_true(k.ops->companion(k.org, 5 * MEM_LINE, &other));
  assert_int_equal(other, 4 * MEM_LINE);
  kit_load(&k, 5, 0x1);
  kit_load(&k, 4, 0x1);
  assert_false(k.ops->companion(k.org, 5 * MEM_LINE, &other));
  assert_int_equal(kit_probe(&k, 4, 0xf) | kit_probe(&k, 5, 0xf), 0);
  kit_close(&k);
}

static void test_decoupled_sectors_share_a_frame_unless_they_want_the_same_place(void **s) {
  (void)s;
  struct kit k;
  kit_open(&k, "dsc2", 1, (const char *const[]){"l1.sets=1", "l1.ways=1", NULL});
  kit_load(&k, 1, 0x3);
  kit_load(&k, 2, 0xc);
  assert_int_equal(kit_probe(&k, 1, 0x3) | kit_probe(&k, 2, 0xc), 0);
  kit_load(&k, 2, 0x2); /* takes the second place from line 1 */
  assert_int_equal(kit_probe(&k, 1, 0x3), 0x2);
  kit_load(&k, 3, 0x1); /* a third line wants the first place: line 1 has only that, and loses its tag too */
  assert_int_equal(kit_probe(&k, 1, 0x1), 0x1);
  assert_int_equal(kit_probe(&k, 2, 0xe), 0);
  kit_close(&k);
}

static void test_decoupled_sectors_may_lose_whole_lines(void **s) {
  (void)s;
  struct kit k;
  kit_open(&k, "dsc2", 1, (const char *const[]){"l1.sets=1", "l1.ways=1", "l1.dsc.evicts=lines", NULL});
  kit_load(&k, 1, 0x3);
  kit_load(&k, 2, 0x4);
  kit_load(&k, 2, 0x2); /* takes the second place from line 1, which loses the first one too */
  assert_int_equal(kit_probe(&k, 1, 0x3), 0x3);
  assert_int_equal(kit_probe(&k, 2, 0x6), 0);
  kit_close(&k);
}

static void test_each_further_round_of_decoupled_replacement_takes_a_cycle(void **s) {
  (void)s;
  struct kit k;
  uint32_t cycles = 0;
  kit_open(&k, "dsc4", 1, (const char *const[]){"l1.sets=1", "l1.ways=1", NULL});
  for (uint64_t n = 0; n < 4; n++) kit_load(&k, n, 1u << n);
  assert_true(k.ops->reserve(k.org, 9 * MEM_LINE, kit_bytes(&k, 0xf), &cycles));
  assert_int_equal(cycles, 3); /* four lines lose something */
  kit_fill(&k, 9, 0xf);
  cycles = 0;
  assert_true(k.ops->reserve(k.org, 10 * MEM_LINE, kit_bytes(&k, 0x1), &cycles));
  assert_int_equal(cycles, 0);
  kit_close(&k);
}

static void test_decoupled_sectors_keep_what_is_on_its_way(void **s) {
  (void)s;
  struct kit k;
  kit_open(&k, "dsc2", 1, (const char *const[]){"l1.sets=1", "l1.ways=1", NULL});
  assert_true(kit_reserve(&k, 1, 0x1));
  assert_false(kit_reserve(&k, 2, 0x1)); /* the place */
  assert_true(kit_reserve(&k, 2, 0x2));
  assert_false(kit_reserve(&k, 3, 0x4)); /* the tags */
  kit_fill(&k, 1, 0x1);
  assert_true(kit_reserve(&k, 3, 0x4));
  kit_close(&k);
}

/* One load a line, of one sector: the coarse default is wrong for all of them, and after 512 lines it flips. */
static void test_lamar_learns_that_lines_are_used_in_part(void **s) {
  (void)s;
  struct kit k;
  kit_open(&k, "lamar", 1, NULL);
  assert_int_equal(kit_load(&k, 0, 0x2), 0xf);
  for (uint64_t n = 1; n < 128 + 512; n++) kit_load(&k, n, 0x2);
  assert_int_equal(kit_stat(&k, "l1d.mode_switches"), 1);
  assert_int_equal(kit_load(&k, 5000, 0x2), 0x2);
  for (uint64_t n = 6000; n < 6000 + 1200; n++) /* whole lines, sector by sector: fine is wrong now */
    for (unsigned i = 0; i < 4; i++) kit_load(&k, n, 1u << i);
  assert_true(kit_stat(&k, "l1d.mode_switches") >= 2);
  assert_int_equal(kit_load(&k, 9000, 0x1), 0xf);
  kit_close(&k);
}

/* Whatever the organisation: a load finds what it has fetched, and never holds more than the cache has. */
static void test_every_organisation_keeps_its_size_and_finds_what_it_has_just_fetched(void **s) {
  (void)s;
  for (size_t i = 0; l1_orgs[i]; i++) {
    struct kit k;
    struct rng r = {9};
    struct l1_traits t = {0};
    kit_open(&k, l1_orgs[i]->name, 1, NULL);
    k.ops->traits(k.org, &t);
    for (int step = 0; step < 20000; step++) {
      uint64_t n = rng_below(&r, 400);
      unsigned mask = 1u << rng_below(&r, 4), align = t.line_bytes < MEM_LINE ? t.line_bytes : MEM_LINE;
      uint64_t line = n * MEM_LINE + ((unsigned)__builtin_ctz(mask) * MEM_SECTOR & ~(align - 1));
      struct mem_bytes bytes = kit_bytes(&k, mask), missing = k.ops->probe(k.org, line, bytes);
      uint32_t cycles = 0;
      if (!mem_none(missing)) {
        assert_true(k.ops->reserve(k.org, line, missing, &cycles));
        k.ops->fill(k.org, line, missing);
      }
      assert_true(mem_none(k.ops->probe(k.org, line, bytes)));
      if (step % 64 == 0) assert_in_range(k.ops->stored(k.org), 1, 16384);
      if (step % 1000 == 999) {
        k.ops->flush(k.org);
        assert_int_equal(k.ops->stored(k.org), 0);
      }
    }
    kit_close(&k);
  }
}

/* ---- MRPB ---- */

static void test_mrpb_drains_a_queue_before_the_next(void **s) {
  (void)s;
  struct cfg *cfg = kit_cfg((const char *const[]){"l1.mrpb.queues=4", "l1.mrpb.depth=2", NULL});
  struct err e = {0};
  const struct l1_bypass *b = policy_find(l1_bypasses, "mrpb");
  void *m = b->create(cfg, NULL, &e);
  static const uint32_t warp[] = {2, 1, 2, 5, 3}, order[] = {1, 3, 0, 2, 4}; /* warp 5 is queue 1 */
  for (uint32_t i = 0; i < 5; i++) {
    assert_true(b->has_slot(m, warp[i]));
    b->put(m, warp[i], &(struct l1_request){.owner = i});
  }
  assert_false(b->has_slot(m, 2));
  assert_true(b->has_slot(m, 3));
  for (unsigned i = 0; i < 5; i++) {
    assert_int_equal(b->next(m)->owner, order[i]);
    b->took(m);
    if (i == 2) b->put(m, 0, &(struct l1_request){.owner = 9}); /* queue 0 does not interrupt queue 2 */
    if (i == 3) {
      assert_int_equal(b->next(m)->owner, 9);
      b->took(m);
    }
  }
  assert_null(b->next(m));
  b->destroy(m);
  cfg_delete(cfg);
}

static void test_mrpb_lets_a_load_without_a_line_bypass_the_cache(void **s) {
  (void)s;
  struct kit k = {.chunk = MEM_SECTOR};
  struct err e = {0};
  struct l1 c;
  struct cfg *cfg = kit_cfg((const char *const[]){"l1.bypass=mrpb", "l1.sets=1", "l1.ways=1", NULL});
  struct mem_pool *pool = mem_pool_new();
  assert_true(l1_init(&c, cfg, pool, 0, &e));
  struct l1_request r = {.line = 0, .bytes = kit_bytes(&k, 0x1), .kind = MEM_READ};
  assert_int_equal(l1_access(&c, &r, 0), L1_MISS);
  r.line = MEM_LINE;
  assert_int_equal(l1_access(&c, &r, 0), L1_SENT);
  assert_int_equal(c.stats[L1_S_BYPASSES], 1);
  assert_int_equal(c.stats[L1_S_FAILS], 0);
  l1_pop_request(&c);
  assert_true(l1_next_request(&c)->bypass);
  assert_int_equal(l1_next_request(&c)->sectors, 0x1);
  uint64_t bits = c.bypass_ops->storage_bits(c.bypass);
  assert_in_range(bits * 100 / 8192, 120, 121); /* published: 1.21 KB */
  l1_free(&c);
  mem_pool_delete(pool);
  cfg_delete(cfg);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_hit_miss_and_request_is_that_of_the_model),
      cmocka_unit_test(test_no_private_tag_is_close_to_the_sector_cache),
      cmocka_unit_test(test_no_private_tag_is_the_sector_cache_as_long_as_all_lines_fit),
      cmocka_unit_test(test_a_small_line_is_found_by_its_own_address),
      cmocka_unit_test(test_a_large_line_brings_its_other_half),
      cmocka_unit_test(test_decoupled_sectors_share_a_frame_unless_they_want_the_same_place),
      cmocka_unit_test(test_decoupled_sectors_may_lose_whole_lines),
      cmocka_unit_test(test_each_further_round_of_decoupled_replacement_takes_a_cycle),
      cmocka_unit_test(test_decoupled_sectors_keep_what_is_on_its_way),
      cmocka_unit_test(test_lamar_learns_that_lines_are_used_in_part),
      cmocka_unit_test(test_mrpb_drains_a_queue_before_the_next),
      cmocka_unit_test(test_mrpb_lets_a_load_without_a_line_bypass_the_cache),
      cmocka_unit_test(test_every_organisation_keeps_its_size_and_finds_what_it_has_just_fetched),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
