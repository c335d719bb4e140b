/* Shadow tags against the tags of every L1D organisation, after every operation of random streams. */
#include "coop_kit.h"

#include "base/rng.h"

/* An L1D and the copy of its tags. */
struct bench {
  struct cfg *cfg;
  struct mem_pool *pool;
  struct l1 l1;
  struct coop_node node;
};

static void follow(void *user, uint64_t line, struct mem_bytes bytes, bool here) {
  struct coop_node *n = user;
  coop_shadow_change(&n->shadow, line, bytes, here);
}

static void bench_open(struct bench *b, const char *const *settings) {
  struct err e = {0};
  *b = (struct bench){.cfg = kit_cfg(settings), .pool = mem_pool_new()};
  if (!l1_init(&b->l1, b->cfg, b->pool, 0, &e)) fail_msg("%s", e.text);
  static const struct mem_observer events = {.changed = follow};
  mem_observers_add(&b->l1.observers, &events, &b->node);
}

static void bench_close(struct bench *b) {
  l1_free(&b->l1);
  table_free(&b->node.shadow);
  assert_int_equal(mem_pool_out(b->pool), 0);
  mem_pool_delete(b->pool);
  cfg_delete(b->cfg);
}

static void nobody(void *user, uint32_t owner) { (void)user, (void)owner; }

static struct mem_bytes some_bytes(struct rng *r, uint32_t line_bytes, uint64_t line) {
  struct mem_bytes m = {{0, 0}};
  uint32_t base = line_bytes < MEM_LINE ? (uint32_t)(line % MEM_LINE) : 0, size = line_bytes < MEM_LINE ? line_bytes : MEM_LINE;
  for (unsigned n = 1 + (unsigned)rng_below(r, 3); n; n--) {
    uint32_t at = base + (uint32_t)rng_below(r, size);
    m.b[at / 64] |= UINT64_C(1) << at % 64;
  }
  return m;
}

static void same(const struct coop_node *n, const struct l1 *c) {
  struct err e = {0};
  if (!coop_same_tags(n, c, &e)) fail_msg("%s: %s", c->ops->policy.name, e.text);
}

/* Loads, stores, fills in random order, and a flush now and then. */
static void drive(struct l1 *c, struct coop_node *n, struct mem_pool *pool, uint64_t seed) {
  enum { STEPS = 20000, OUT = 16 };
  struct mem_packet *out[OUT];
  unsigned n_out = 0;
  struct rng r = {seed};
  for (unsigned step = 1; step <= STEPS; step++) {
    uint64_t line = rng_below(&r, 400) * c->access_bytes;
    struct l1_request q = {.line = line, .class_ = MEM_GLOBAL, .degree = 1};
    q.kind = rng_below(&r, 8) ? MEM_READ : MEM_WRITE;
    q.bytes = some_bytes(&r, c->traits.line_bytes, line);
    if (n_out < OUT / 2) l1_access(c, &q, step);
    while (l1_next_request(c)) {
      struct mem_packet *k = l1_next_request(c);
      l1_pop_request(c);
      if (k->kind == MEM_READ) out[n_out++] = k;
      else mem_packet_free(pool, k);
    }
    same(n, c);
    if (n_out && rng_below(&r, 2)) {
      unsigned i = (unsigned)rng_below(&r, n_out);
      out[i]->kind = MEM_READ_REPLY;
      l1_fill(c, out[i], nobody, NULL);
      mem_packet_free(pool, out[i]);
      out[i] = out[--n_out];
      same(n, c);
    }
    if (step % 5000 == 0) l1_flush(c);
    same(n, c);
  }
  while (n_out) {
    l1_fill(c, out[--n_out], nobody, NULL);
    mem_packet_free(pool, out[n_out]);
  }
  same(n, c);
}

static void test_the_copy_is_the_tags_under_every_organisation(void **state) {
  (void)state;
  for (size_t i = 0; l1_orgs[i]; i++)
    for (uint64_t seed = 1; seed <= 3; seed++) {
      char org[64], allocate[64];
      snprintf(org, sizeof org, "l1.org=%s", l1_orgs[i]->name);
      snprintf(allocate, sizeof allocate, "l1.allocate=%s", seed == 3 ? "fill" : "miss");
      const char *filter = seed == 2 && !strcmp(l1_orgs[i]->name, "base") ? "reply.filter=df-truc" : "reply.filter=none";
      struct bench b;
      bench_open(&b, SETTINGS(org, allocate, filter, "l1.sets=8", "l1.ways=2", "l1.tsc.samplers=2"));
      drive(&b.l1, &b.node, b.pool, seed);
      assert_true(b.node.shadow.n > 0);
      bench_close(&b);
    }
}

static struct mem_packet *take_request(struct bench *b) {
  struct mem_packet *k = l1_next_request(&b->l1);
  l1_pop_request(&b->l1);
  return k;
}

/* An outstanding miss is not there for others; its fill is. */
static void test_a_pending_fill_is_not_shared(void **state) {
  (void)state;
  struct bench b;
  bench_open(&b, SETTINGS("l1.org=base"));
  struct l1_request q = {.line = 0x1000, .kind = MEM_READ, .bytes = {{1, 0}}};
  assert_int_equal(l1_access(&b.l1, &q, 1), L1_MISS);
  struct mem_packet *k = take_request(&b);
  assert_true(mem_none(coop_shadow_held(&b.node.shadow, 0x1000)));
  k->kind = MEM_READ_REPLY;
  l1_fill(&b.l1, k, nobody, NULL);
  assert_false(mem_none(coop_shadow_held(&b.node.shadow, 0x1000)));
  q.kind = MEM_WRITE;
  l1_access(&b.l1, &q, 2);
  assert_true(mem_none(coop_shadow_held(&b.node.shadow, 0x1000))); /* a store drops it here and there */
  mem_packet_free(b.pool, k);
  mem_packet_free(b.pool, take_request(&b));
  bench_close(&b);
}

/* The check itself can fail: a change that the copy was not notified of is found. */
static void test_a_missed_change_is_found(void **state) {
  (void)state;
  struct bench b;
  struct err e = {0};
  bench_open(&b, SETTINGS("l1.org=base"));
  mem_observers_free(&b.l1.observers);
  struct l1_request q = {.line = 0x1000, .kind = MEM_READ, .bytes = {{1, 0}}};
  l1_access(&b.l1, &q, 1);
  struct mem_packet *k = take_request(&b);
  k->kind = MEM_READ_REPLY;
  l1_fill(&b.l1, k, nobody, NULL);
  assert_false(coop_same_tags(&b.node, &b.l1, &e));
  mem_packet_free(b.pool, k);
  bench_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_copy_is_the_tags_under_every_organisation),
      cmocka_unit_test(test_a_pending_fill_is_not_shared),
      cmocka_unit_test(test_a_missed_change_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
