/* The sharing tracker: its table by itself, an SM that is asked, and an L2 slice that asks before DRAM, between mocks. */
#include "memtest.h"
#include "coop_kit.h"
#include "test_stats.h"

enum { FETCHES = 64 };

static void open_tracker(struct kit *k, const char *const *settings) {
  struct err e = {0};
  *k = (struct kit){.cfg = kit_cfg(settings), .pool = mem_pool_new(), .now = 100};
  struct coop_place place = {.sms = 4, .period = 1, .pool = k->pool, .parts = 1, .lines = 128, .slices = 1, .fetches = FETCHES};
  if (!coop_new(&k->net, k->cfg, &place, &e)) fail_msg("%s", e.text);
  for (uint32_t i = 0; i < 4; i++) {
    k->wake[i] = (struct mem_wake){.at = MEM_NEVER, .period = 1};
    coop_attach(k->net->nodes[i], &k->wake[i], &k->l1[i]);
  }
}

/* The tracker of slice 0, which is all the slice there is: observers, and whom they name. */
struct tracked {
  struct mem_observers slice;
  struct mem_peers *peers;
};
static struct tracked track(struct kit *k) {
  struct tracked t = {0};
  t.peers = k->net->ops->peers(k->net, 0, &t.slice);
  return t;
}
static void gave(struct tracked *t, uint64_t line, uint16_t sm) {
  MEM_NOTIFY(&t->slice, answer, &(struct mem_packet){.kind = MEM_READ, .class_ = MEM_GLOBAL, .line = line, .sm = sm});
}
static int32_t who(struct tracked *t, uint64_t line, uint16_t asks) { return t->peers->who(t->peers, line, asks); }

static void test_the_last_sm_that_was_given_a_line_is_named(void **state) {
  struct kit k;
  (void)state;
  open_tracker(&k, SETTINGS("coop=tracker"));
  struct tracked t = track(&k);
  assert_int_equal(who(&t, 0x1000, 0), MEM_NOBODY);
  gave(&t, 0x1000, 1);
  gave(&t, 0x1000, 2);
  assert_int_equal(who(&t, 0x1000, 0), 2);
  assert_int_equal(who(&t, 0x1000, 2), MEM_NOBODY); /* it asks itself */
  struct stats *s = stats_new();
  coop_register(k.net, s);
  expect_stats(s, {"coop.tracker_asked", 1}, {"coop.tracker_entries", 2});
  stats_delete(s);
  mem_observers_free(&t.slice);
  kit_close(&k);
}

/* What fills no L1D makes no entry. */
static void test_other_answers_make_no_entry(void **state) {
  struct kit k;
  (void)state;
  open_tracker(&k, SETTINGS("coop=tracker"));
  struct tracked t = track(&k);
  MEM_NOTIFY(&t.slice, answer, &(struct mem_packet){.kind = MEM_WRITE, .class_ = MEM_GLOBAL, .line = 0x1000, .sm = 1});
  MEM_NOTIFY(&t.slice, answer, &(struct mem_packet){.kind = MEM_READ, .class_ = MEM_TEXTURE, .line = 0x1000, .sm = 1});
  MEM_NOTIFY(&t.slice, answer, &(struct mem_packet){.kind = MEM_READ, .class_ = MEM_GLOBAL, .bypass = true, .line = 0x1000, .sm = 1});
  assert_int_equal(who(&t, 0x1000, 0), MEM_NOBODY);
  mem_observers_free(&t.slice);
  kit_close(&k);
}

static void test_the_oldest_entry_of_a_set_is_replaced(void **state) {
  struct kit k;
  (void)state;
  open_tracker(&k, SETTINGS("coop=tracker", "coop.tracker_sets=1", "coop.tracker_ways=2"));
  struct tracked t = track(&k);
  gave(&t, 0x1000, 1);
  gave(&t, 0x2000, 1);
  gave(&t, 0x1000, 3);
  gave(&t, 0x3000, 1);
  assert_int_equal(who(&t, 0x1000, 0), 3);
  assert_int_equal(who(&t, 0x2000, 0), MEM_NOBODY);
  assert_int_equal(who(&t, 0x3000, 0), 1);
  mem_observers_free(&t.slice);
  kit_close(&k);
}

/* The answer is seen after the tracker's latency; a line keeps the SM's link for five flits. */
static void test_an_sm_answers_with_the_line_or_without(void **state) {
  struct kit k;
  struct mem_wake slice = {.at = MEM_NEVER, .period = 1};
  (void)state;
  open_tracker(&k, SETTINGS("coop=tracker", "coop.tracker_latency=7"));
  struct tracked t = track(&k);
  t.peers->answers.consumer = &slice;
  kit_hold(&k, 2, 0x1000, true);
  for (unsigned i = 0; i < 2; i++) {
    struct mem_packet *p = kit_miss(&k, 2, i ? 0x2000 : 0x1000);
    p->kind = MEM_PEER_READ;
    k.net->ops->asked(k.net->nodes[2], p, k.now);
  }
  uint64_t asked = k.now, first = asked + 1 + 7, second = asked + 1 + 5 + 7;
  for (; k.now <= second; kit_step(&k)) {
    struct mem_packet *p = mem_port_peek(&t.peers->answers, k.now);
    assert_int_equal(p != NULL, k.now == first || k.now == second);
    if (!p) continue;
    assert_int_equal(p->kind, k.now == first ? MEM_PEER_DATA : MEM_PEER_NONE);
    assert_int_equal(p->payload, k.now == first ? 128 : 0);
    mem_packet_free(k.pool, mem_port_pop(&t.peers->answers, k.now));
  }
  assert_int_equal(k.net->nodes[2]->stolen, asked + 1);
  assert_int_equal(kit_stat(&k, COOP_S_DATA_READS), 1);
  mem_observers_free(&t.slice);
  kit_close(&k);
}

/* 64 sets of four entries: 26 bits of the line, 2 of the SM, valid, 2 of the order. */
static void test_storage_of_the_tracker(void **state) {
  struct kit k;
  (void)state;
  open_tracker(&k, SETTINGS("coop=tracker"));
  struct coop_hardware h = k.net->ops->hardware(k.net);
  assert_int_equal(h.of_slice, 64 * 4 * 31);
  assert_int_equal(h.tags, 128 * 25);
  assert_int_equal(h.request_link, 0);
  kit_close(&k);
}

/* ---- a slice that asks --------------------------------------------------------------------------------------------------- */

struct slice_rig {
  struct mem_map *map;
  struct mem_pool *pool;
  struct llc_slice *s;
  struct mem_wake sm, dram;
  struct mem_port reply, mem;
  struct mem_peers peers;
  uint64_t now;
};

static int32_t always_3(struct mem_peers *p, uint64_t line, uint16_t asks) { return (void)p, (void)line, (void)asks, 3; }

static void open_slice(struct slice_rig *r) {
  struct err e = {0};
  struct cfg *cfg = memtest_cfg((const char *const[]){"dram.map=modulo", "dram.channels=1", "l2.slices_per_channel=1", "l2.sets=4",
                                                      "l2.ways=2", "l2.latency=10", NULL});
  *r = (struct slice_rig){.pool = mem_pool_new(), .sm = {.at = MEM_NEVER, .period = 1}, .dram = {.at = MEM_NEVER, .period = 1}};
  r->map = mem_map_new(cfg, &e);
  r->s = llc_slice_new(cfg, &(struct llc_place){.period = 1, .map = r->map, .pool = r->pool}, &e);
  if (!r->s) fail_msg("%s", e.text);
  cfg_delete(cfg);
  mem_port_init(&r->reply, 2, 1, &r->sm, NULL);
  mem_port_init(&r->mem, 2, 1, &r->dram, NULL);
  llc_connect(r->s, &r->reply, &r->mem);
  r->s->in.producer = &r->sm;
  r->s->fill.producer = &r->dram;
  r->peers = (struct mem_peers){.who = always_3};
  mem_port_init(&r->peers.answers, 4, 1, &r->s->wake, &r->sm);
  r->s->peers = &r->peers;
}

static void close_slice(struct slice_rig *r) {
  struct err e = {0};
  if (!llc_check(r->s, &e)) fail_msg("%s", e.text);
  assert_true(llc_idle(r->s));
  llc_slice_delete(r->s);
  mem_map_delete(r->map);
  mem_port_free(&r->reply);
  mem_port_free(&r->mem);
  mem_port_free(&r->peers.answers);
  assert_int_equal(mem_pool_out(r->pool), 0);
  mem_pool_delete(r->pool);
}

/* Visits the slice when it asks for it until a packet lies in the port. */
static struct mem_packet *wait_for(struct slice_rig *r, struct mem_port *p) {
  for (unsigned i = 0; i < 200; i++, r->now++) {
    if (mem_port_peek(p, r->now)) return mem_port_pop(p, r->now);
    if (r->s->wake.at > r->now) continue;
    r->s->wake.at = MEM_NEVER;
    mem_wake_at(&r->s->wake, llc_tick(r->s, r->now));
  }
  fail_msg("nothing came");
  return NULL;
}

static void test_a_slice_asks_the_sm_before_dram(void **state) {
  (void)state;
  for (unsigned has = 0; has < 2; has++) {
    struct slice_rig r;
    open_slice(&r);
    struct mem_packet *k = memtest_packet(r.pool, MEM_READ, 0x1000, 15);
    k->sm = 1;
    mem_port_push(&r.s->in, k, r.now);
    struct mem_packet *question = wait_for(&r, &r.reply); /* although nothing else wakes the slice */
    assert_int_equal(question->kind, MEM_PEER_READ);
    assert_true(mem_to_sm(question) && question->sm == 3 && question->line == 0x1000 && !question->payload);
    assert_int_equal(r.mem.count, 0);
    question->kind = has ? MEM_PEER_DATA : MEM_PEER_NONE;
    mem_port_push(&r.peers.answers, question, r.now);
    if (!has) {
      struct mem_packet *fetch = wait_for(&r, &r.mem);
      assert_true(fetch->kind == MEM_READ && fetch->line == 0x1000);
      fetch->kind = MEM_READ_REPLY;
      mem_port_push(&r.s->fill, fetch, r.now);
    }
    struct mem_packet *reply = wait_for(&r, &r.reply);
    assert_ptr_equal(reply, k);
    assert_int_equal(reply->sm, 1);
    assert_int_equal(r.mem.count, 0);
    mem_packet_free(r.pool, reply);
    close_slice(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_last_sm_that_was_given_a_line_is_named),
      cmocka_unit_test(test_other_answers_make_no_entry),
      cmocka_unit_test(test_the_oldest_entry_of_a_set_is_replaced),
      cmocka_unit_test(test_an_sm_answers_with_the_line_or_without),
      cmocka_unit_test(test_storage_of_the_tracker),
      cmocka_unit_test(test_a_slice_asks_the_sm_before_dram),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
