/* Networks of routers (mesh, concentrated and hierarchical crossbar): latency, delivery, worms, sleeping, refusals. */
#include "nocrig.h"

/* ---- unloaded latency, to the cycle ---- */

/* Sends one packet and expects its arrival in cycle `arrives`, not before. */
static void expect_latency(const char *const *settings, unsigned sms, unsigned slices, unsigned dir, unsigned from,
                           unsigned to, unsigned payload, uint64_t arrives) {
  struct rig r;
  rig_setup(&r, sms, slices, 2, settings);
  assert_true(rig_send(&r, dir, from, to, payload, 7));
  for (uint64_t c = 0; c < arrives; c++, r.now += PERIOD) {
    int64_t got = rig_receive(&r, dir, to);
    if (got != -1) fail_msg("%u to %u: arrived in cycle %lu, not %lu", from, to, c, arrives);
    rig_visit_all(&r);
  }
  if (rig_receive(&r, dir, to) != 7) fail_msg("%u to %u: not there in cycle %lu", from, to, arrives);
  assert_int_equal(rig_counters(&r, dir)[NOC_LATENCY], arrives - 2);
  assert_true(rig_idle(&r));
  rig_teardown(&r);
}

/* Sent at 0, in the router at 1, crosses `pipeline` later, seen a cycle after the tail. */
static void test_concentrated_crossbar_latency(void **state) {
  (void)state;
  const char *const *two = SETTINGS("noc.topology=cxbar", "noc.pipeline=2", "noc.concentration=4");
  const char *const *four = SETTINGS("noc.topology=cxbar", "noc.pipeline=4", "noc.concentration=8");
  expect_latency(two, 80, 64, 0, 0, 0, 24, 1 + 2 + 1);
  expect_latency(two, 80, 64, 0, 79, 63, 24, 1 + 2 + 1);
  expect_latency(two, 80, 64, 1, 63, 1, 128, 1 + 2 + 4 + 1);
  expect_latency(four, 80, 64, 0, 41, 7, 56, 1 + 4 + 1 + 1);
  expect_latency(four, 15, 12, 1, 11, 14, 120, 1 + 4 + 3 + 1);
}

/* As above, twice, with a long link between. */
static void test_hierarchical_crossbar_latency(void **state) {
  (void)state;
  const char *const *base = SETTINGS("noc.topology=hxbar", "dram.channels=8", "noc.pipeline=4");
  expect_latency(base, 80, 64, 0, 0, 0, 0, 1 + 4 + 1 + 4 + 1);
  expect_latency(base, 80, 64, 0, 79, 0, 24, 11);
  expect_latency(base, 80, 64, 0, 34, 63, 128, 11 + 4);
  expect_latency(base, 80, 64, 1, 17, 45, 128, 11 + 4);
  const char *const *far = SETTINGS("noc.topology=hxbar", "dram.channels=8", "noc.pipeline=2", "noc.link_latency=3");
  expect_latency(far, 80, 64, 0, 11, 22, 24, 1 + 2 + 3 + 2 + 1);
  expect_latency(far, 80, 64, 1, 11, 22, 56, 1 + 2 + 3 + 2 + 1 + 1);
  /* A long link of half the width: each flit after the first costs two cycles. */
  const char *const *narrow = SETTINGS("noc.topology=hxbar", "dram.channels=8", "noc.pipeline=2", "noc.link_interval=2");
  expect_latency(narrow, 80, 64, 0, 1, 2, 128, 1 + 2 + 1 + 2 + 4 * 2 + 1);
  /* Other shapes for a shared L2. */
  const char *const *odd =
      SETTINGS("noc.topology=hxbar", "dram.channels=6", "gpu.clusters=5", "noc.codesign=false", "noc.pipeline=2");
  expect_latency(odd, 15, 12, 0, 14, 11, 24, 1 + 2 + 1 + 2 + 1);
  expect_latency(odd, 15, 12, 1, 11, 14, 24, 1 + 2 + 1 + 2 + 1);
}

static void expect_round_trip(const char *const *settings, bool bypassed, double cycles) {
  struct cfg *cfg = rig_cfg(settings);
  assert_float_equal((float)noc_round_trip(cfg, bypassed), (float)cycles, 0);
  cfg_delete(cfg);
}

/* What is promised of an idle network is what the tests above find, there and back. */
static void test_the_promised_round_trip_is_that_of_the_topology(void **state) {
  (void)state;
  expect_round_trip(SETTINGS("noc.topology=cxbar", "noc.pipeline=2"), false, 2 * (1 + 2 + 1));
  const char *const *far = SETTINGS("noc.topology=hxbar", "noc.pipeline=2", "noc.link_latency=3");
  expect_round_trip(far, false, 2 * (1 + 2 + 3 + 2 + 1));
  expect_round_trip(far, true, 2 * (1 + 2 + 3 + 1) + 1);
}

/* A router takes its pipeline from the link on, a cycle for each stage, and the switch; a receiver's link has output_latency. With two
 * rounds a cycle, two stages take one, and the switch no cycle of its own. */
static void test_stages_take_a_round_each(void **state) {
  (void)state;
  const char *const *one = SETTINGS("noc.topology=cxbar", "noc.vc_stage=true", "noc.pipeline=2", "noc.output_latency=3");
  expect_latency(one, 80, 64, 0, 0, 0, 24, 1 + 2 + 1 + 3 + 1);
  expect_latency(one, 80, 64, 1, 63, 1, 128, 1 + 2 + 1 + 4 + 3 + 1);
  const char *const *routed = SETTINGS("noc.topology=hxbar", "dram.channels=8", "noc.vc_stage=true", "noc.route_stage=true",
                                       "noc.pipeline=2", "noc.output_latency=3");
  expect_latency(routed, 80, 64, 0, 79, 0, 24, 1 + 2 + 2 + 1 + 2 + 2 + 3 + 1);
  expect_latency(routed, 80, 64, 1, 17, 45, 128, 1 + 2 + 2 + 1 + 2 + 2 + 4 + 3 + 1);
  const char *const *twice = SETTINGS("noc.topology=hxbar", "dram.channels=8", "noc.vc_stage=true", "noc.route_stage=true",
                                      "noc.pipeline=2", "noc.output_latency=3", "noc.speedup=2");
  expect_latency(twice, 80, 64, 0, 79, 0, 24, 1 + 2 + 1 + 2 + 1 + 2 + 1);
  const char *const *mesh =
      SETTINGS("noc.topology=mesh", "dram.channels=8", "noc.vc_stage=true", "noc.pipeline=2", "noc.output_latency=3");
  expect_latency(mesh, 56, 8, 0, 0, 0, 0, 1 + 4 * (2 + 1) + 3 * 1 + 3 + 1); /* three hops */
}

/* Controllers of the 8x8 map are at (x, y) = (3,0) (7,1) (1,2) (5,3) (4,4) (7,5) (1,6) (5,7); SMs take the other
 * tiles row by row: SM 0 is at (0,0), SM 3 at (4,0), SM 7 at (0,1), SM 55 at (7,7). h hops are h + 1 routers and h links. */
static void test_mesh_latency(void **state) {
  (void)state;
  const char *const *base = SETTINGS("noc.topology=mesh", "dram.channels=8", "noc.pipeline=2");
  static const struct {
    unsigned sm, slice, hops;
  } pairs[] = {{0, 0, 3}, {3, 0, 1}, {55, 0, 11}, {0, 7, 12}, {55, 5, 2}, {0, 2, 3}, {7, 1, 7}, {7, 0, 4}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    for (unsigned flits = 1; flits <= 5; flits += 4) {
      uint64_t cycles = 1 + (pairs[i].hops + 1) * 2 + pairs[i].hops + (flits - 1) + 1;
      expect_latency(base, 56, 8, 0, pairs[i].sm, pairs[i].slice, flits * 32 - 8, cycles);
      expect_latency(base, 56, 8, 1, pairs[i].slice, pairs[i].sm, flits * 32 - 8, cycles);
    }
  const char *const *slow = SETTINGS("noc.topology=mesh", "dram.channels=8", "noc.pipeline=4", "noc.link_latency=2",
                                     "noc.flit_bytes=16");
  expect_latency(slow, 56, 16, 0, 0, 15, 8, 1 + 13 * 4 + 12 * 2 + 1);
  expect_latency(slow, 56, 16, 1, 0, 3, 24, 1 + 2 * 4 + 2 + 1 + 1);
}

static void test_hops_and_links_are_counted(void **state) {
  (void)state;
  struct rig r;
  rig_setup(&r, 56, 8, 2, SETTINGS("noc.topology=mesh", "dram.channels=8"));
  rig_send(&r, 0, 0, 7, 24, 1);
  rig_send(&r, 1, 0, 3, 120, 2);
  for (unsigned c = 0; c < 60; c++, r.now += PERIOD) rig_visit_all(&r);
  assert_int_equal(rig_counters(&r, 0)[NOC_HOPS], 13);
  assert_int_equal(rig_counters(&r, 0)[NOC_LINKS], 12);
  assert_int_equal(rig_counters(&r, 1)[NOC_HOPS], 2 * 4);
  assert_int_equal(rig_counters(&r, 1)[NOC_LINKS], 4);
  assert_int_equal(rig_counters(&r, 1)[NOC_FLITS_OUT], 4);
  assert_int_equal(rig_receive(&r, 0, 7), 1);
  assert_int_equal(rig_receive(&r, 1, 3), 2);
  rig_teardown(&r);
}

/* ---- delivery ---- */

enum { PACKETS = 2000 };
struct event {
  uint64_t time;
  uint32_t times;
};

/* One sender or receiver, with its own random numbers so that the order of visits does not change them. */
struct actor {
  struct rng rng;
  unsigned dir, at;
  bool sends;
  uint32_t left, first;
};

static void act(struct rig *r, struct actor *a, struct event *log, uint32_t *got) {
  struct rng *g = &a->rng;
  if (a->sends) {
    if (!a->left || rng_below(g, 3) == 0 || !mem_port_free_slots(rig_in(r, a->dir, a->at), r->now)) return;
    unsigned to = (unsigned)rng_below(g, rig_outs(r, a->dir)), payload = (unsigned)rng_below(g, 137);
    assert_true(rig_send(r, a->dir, a->at, to, payload, a->first + --a->left));
  } else {
    if (rng_below(g, 4) == 0) return;
    int64_t id = rig_receive(r, a->dir, a->at);
    if (id >= 0) log[id] = (struct event){r->now, log[id].times + 1}, ++*got;
  }
}

static unsigned make_actors(const struct rig *r, struct actor *a, uint32_t *total) {
  struct rng seeds = {21};
  unsigned n = 0;
  *total = 0;
  for (unsigned dir = 0; dir < 2; dir++)
    for (unsigned side = 0; side < 2; side++)
      for (unsigned i = 0; i < (side ? rig_outs(r, dir) : rig_ins(r, dir)); i++) {
        uint32_t each = side ? 0 : PACKETS / rig_ins(r, dir);
        a[n++] = (struct actor){{rng_next(&seeds)}, dir, i, !side, each, *total};
        *total += each;
      }
  return n;
}

/* Flits in = out + inside, in the middle of a run. */
static void check_flits(const struct noc *n) {
  uint64_t in = n->counters[NOC_FLITS_IN] + n->reply_counters[NOC_FLITS_IN];
  uint64_t out = n->counters[NOC_FLITS_OUT] + n->reply_counters[NOC_FLITS_OUT];
  assert_int_equal(in, out + n->topology->inside(n));
}

/* Random traffic of mixed sizes both ways, receivers that often refuse; `order` seeds the order of visits within an
 * instant. Returns how many packets there were, all of which have arrived. */
static uint32_t random_traffic(struct rig *r, uint64_t order, struct event *log) {
  struct actor *a = calloc(4 * MAX, sizeof *a);
  struct rng shuffle = {order};
  uint32_t total, got = 0;
  unsigned n = make_actors(r, a, &total), parts = n + r->f.n_nets, *turn = calloc(parts, sizeof *turn);
  for (unsigned i = 0; i < parts; i++) turn[i] = i;
  for (uint64_t c = 0; got < total && c < 200000; c++, r->now += PERIOD) {
    for (unsigned i = parts - 1; order && i > 0; i--) {
      unsigned j = (unsigned)rng_below(&shuffle, i + 1), t = turn[i];
      turn[i] = turn[j];
      turn[j] = t;
    }
    for (unsigned p = 0; p < parts; p++) {
      if (turn[p] < n)
        act(r, &a[turn[p]], log, &got);
      else
        rig_visit(r, turn[p] - n);
    }
    for (unsigned i = 0; c % 64 == 0 && i < r->f.n_nets; i++) check_flits(r->f.net[i]);
  }
  assert_int_equal(got, total);
  free(a);
  free(turn);
  return total;
}

static const struct {
  unsigned sms, slices, depth;
  const char *settings[9];
} variants[] = {
    {80, 64, 1, {"noc.topology=cxbar", "noc.flit_bytes=32"}},
    {80, 64, 2, {"noc.topology=cxbar", "noc.concentration=8", "noc.vcs=4", "noc.iterations=2", "noc.speedup=2"}},
    {15, 12, 1, {"noc.topology=cxbar", "noc.concentration=4", "noc.flit_bytes=8", "noc.input_buffer=1", "noc.output_buffer=1"}},
    {80, 64, 1, {"noc.topology=hxbar", "dram.channels=8", "noc.pipeline=4"}},
    {80, 64, 2, {"noc.topology=hxbar", "dram.channels=8", "noc.flit_bytes=16", "noc.vcs=2", "noc.speedup=2", "noc.iterations=2"}},
    {80, 64, 1, {"noc.topology=hxbar", "dram.channels=8", "noc.flit_bytes=64", "noc.link_latency=5", "noc.link_interval=3"}},
    {15, 12, 1, {"noc.topology=hxbar", "dram.channels=6", "gpu.clusters=3", "noc.codesign=false", "noc.flit_bytes=8",
                 "noc.input_buffer=1", "noc.output_buffer=1", "noc.inject_queue=1"}},
    {160, 256, 1, {"noc.topology=hxbar", "dram.channels=16", "gpu.clusters=16", "noc.pipeline=4", "noc.speedup=2"}},
    {56, 8, 1, {"noc.topology=mesh", "dram.channels=8"}},
    {56, 32, 2, {"noc.topology=mesh", "dram.channels=8", "noc.vcs=4", "noc.speedup=2", "noc.flit_bytes=16", "noc.iterations=2"}},
    {20, 4, 1, {"noc.topology=mesh", "noc.mesh_width=6", "noc.mesh_height=4", "noc.mesh_placement=columns", "dram.channels=4",
                "noc.flit_bytes=8", "noc.input_buffer=1", "noc.output_buffer=1"}},
    {40, 16, 1, {"noc.topology=mesh", "noc.mesh_placement=diamond", "dram.channels=16", "noc.link_latency=2"}},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static void setup_variant(struct rig *r, size_t v) {
  rig_setup(r, variants[v].sms, variants[v].slices, variants[v].depth, variants[v].settings);
}

static void test_everything_arrives_exactly_once_under_back_pressure(void **state) {
  (void)state;
  for (size_t v = 0; v < VARIANTS; v++) {
    struct rig r;
    setup_variant(&r, v);
    struct event *log = calloc(2 * PACKETS, sizeof *log);
    uint32_t n = random_traffic(&r, 0, log);
    for (uint32_t i = 0; i < n; i++) assert_int_equal(log[i].times, 1);
    assert_int_equal(mem_pool_out(r.pool), 0);
    assert_int_equal(rig_counters(&r, 0)[NOC_PACKETS_OUT] + rig_counters(&r, 1)[NOC_PACKETS_OUT], n);
    for (unsigned c = 0; c < 20; c++, r.now += PERIOD) rig_visit_all(&r);
    assert_true(rig_idle(&r));
    for (unsigned i = 0; i < r.f.n_nets; i++) assert_int_equal(r.f.net[i]->wake.at, MEM_NEVER);
    free(log);
    rig_teardown(&r);
  }
}

static void test_the_order_of_visits_changes_nothing(void **state) {
  (void)state;
  struct event *first = calloc(2 * PACKETS, sizeof *first), *other = calloc(2 * PACKETS, sizeof *other);
  for (size_t v = 0; v < VARIANTS; v++) {
    uint64_t counters[2][NOC_STATS];
    for (uint64_t order = 0; order < 3; order++) {
      struct rig r;
      setup_variant(&r, v);
      memset(other, 0, 2 * PACKETS * sizeof *other);
      random_traffic(&r, order, other);
      for (unsigned dir = 0; dir < 2; dir++) {
        if (order == 0) memcpy(counters[dir], rig_counters(&r, dir), sizeof counters[dir]);
        assert_memory_equal(counters[dir], rig_counters(&r, dir), sizeof counters[dir]);
      }
      if (order == 0) memcpy(first, other, 2 * PACKETS * sizeof *other);
      assert_memory_equal(first, other, 2 * PACKETS * sizeof *other);
      rig_teardown(&r);
    }
  }
  free(first);
  free(other);
}

/* With one SM a port it is the full crossbar, with one virtual channel or where channels have their own stage: the same packets in the
 * same cycles, and the same statistics. */
static void test_a_concentration_of_one_is_the_full_crossbar(void **state) {
  (void)state;
  static const char *const shapes[][6] = {
      {"noc.flit_bytes=32", "noc.pipeline=4", "noc.speedup=2", "noc.input_buffer=8", "noc.vcs=1", "noc.output_latency=0"},
      {"noc.flit_bytes=16", "noc.pipeline=2", "noc.speedup=1", "noc.input_buffer=3", "noc.vcs=1", "noc.output_latency=2"},
      {"noc.flit_bytes=8", "noc.pipeline=1", "noc.speedup=3", "noc.output_buffer=2", "noc.vcs=1", "noc.credit_latency=2"},
      {"noc.flit_bytes=32", "noc.vc_stage=true", "noc.speedup=1", "noc.output_latency=3", "noc.credit_latency=1", "noc.vcs=1"},
      {"noc.flit_bytes=32", "noc.vc_stage=true", "noc.route_stage=true", "noc.speedup=2", "noc.output_latency=3", "noc.vcs=1"},
      {"noc.flit_bytes=32", "noc.vc_stage=true", "noc.vcs=4", "noc.iterations=2", "noc.output_latency=3", "noc.credit_latency=1"},
  };
  struct event *full = calloc(2 * PACKETS, sizeof *full), *one = calloc(2 * PACKETS, sizeof *one);
  for (size_t v = 0; v < sizeof shapes / sizeof *shapes; v++) {
    struct rig a, b;
    const char *const *s = shapes[v];
    memset(full, 0, 2 * PACKETS * sizeof *full);
    memset(one, 0, 2 * PACKETS * sizeof *one);
    rig_setup(&a, 80, 64, 1, SETTINGS("noc.topology=xbar", s[0], s[1], s[2], s[3], s[4], s[5]));
    rig_setup(&b, 80, 64, 1, SETTINGS("noc.topology=cxbar", "noc.concentration=1", s[0], s[1], s[2], s[3], s[4], s[5]));
    random_traffic(&a, 0, full);
    random_traffic(&b, 0, one);
    assert_memory_equal(full, one, 2 * PACKETS * sizeof *one);
    for (unsigned dir = 0; dir < 2; dir++)
      assert_memory_equal(rig_counters(&a, dir), rig_counters(&b, dir), NOC_STATS * sizeof(uint64_t));
    rig_teardown(&a);
    rig_teardown(&b);
  }
  free(full);
  free(one);
}

/* ---- injection ---- */

static unsigned accepted(struct rig *r, unsigned dir) {
  unsigned n = 0;
  while (rig_send(r, dir, 0, 0, 0, n)) n++;
  return n;
}

/* Packets wait at an input of the reply network in a queue of their own length, also where one network carries both. */
static void test_replies_wait_in_a_queue_of_their_own_length(void **state) {
  (void)state;
  static const char *const topologies[] = {"noc.topology=xbar", "noc.topology=hxbar", "noc.topology=mesh"};
  for (size_t t = 0; t < 3; t++)
    for (unsigned own = 0; own < 2; own++) {
      struct rig r;
      unsigned mesh = t == 2;
      rig_setup(&r, mesh ? 56 : 80, mesh ? 8 : 64, 4,
                SETTINGS(topologies[t], "dram.channels=8", "noc.inject_queue=5",
                         own ? "noc.reply_inject_queue=2" : "noc.reply_inject_queue=0"));
      assert_int_equal(accepted(&r, 0), 5);
      assert_int_equal(accepted(&r, 1), own ? 2 : 5);
      for (unsigned c = 0; c < 60; c++, r.now += PERIOD) {
        for (unsigned dir = 0; dir < 2; dir++) rig_receive(&r, dir, 0);
        rig_visit_all(&r);
      }
      rig_teardown(&r);
    }
}

/* ---- worms ---- */

/* Everybody sends packets of 4 flits to one place over one channel: tails come four cycles apart or more; were two
 * packets mixed in a buffer, two tails would come closer. */
static void test_packets_of_one_channel_never_mix(void **state) {
  (void)state;
  static const char *const topologies[] = {"noc.topology=cxbar", "noc.topology=hxbar", "noc.topology=mesh"};
  for (size_t t = 0; t < 3; t++)
    for (unsigned dir = 0; dir < 2; dir++) {
      struct rig r;
      unsigned mesh = t == 2;
      rig_setup(&r, mesh ? 56 : 80, mesh ? 8 : 64, 4, SETTINGS(topologies[t], "dram.channels=8", "noc.speedup=2"));
      uint64_t last = 0, got = 0;
      for (uint64_t c = 0; c < 3000; c++, r.now += PERIOD) {
        for (unsigned i = 0; i < rig_ins(&r, dir); i++) rig_send(&r, dir, i, 5, 120, i);
        if (rig_receive(&r, dir, 5) >= 0) {
          if (got++) assert_true(c - last >= 4);
          last = c;
        }
        rig_visit_all(&r);
      }
      assert_true(got > 700);
      noc_fabric_free(&r.f);
      mem_pool_delete(r.pool);
      for (unsigned d = 0; d < 2; d++)
        for (unsigned i = 0; i < rig_outs(&r, d); i++) mem_port_free(&r.port[d][i]);
    }
}

/* ---- sleeping, stalling, explaining ---- */

/* A 1-flit packet over two routers of 2 cycles: injected, in the pipeline, over the link, in the pipeline, out; then
 * the credit of the long link. Nobody is visited after that. */
static void test_sleeps_when_there_is_nothing_to_do(void **state) {
  (void)state;
  struct rig r;
  rig_setup(&r, 80, 64, 4, SETTINGS("noc.topology=hxbar", "dram.channels=8", "noc.pipeline=2"));
  for (unsigned i = 0; i < 200; i++, r.now += PERIOD) {
    if (i == 10) rig_send(&r, 0, 0, 0, 0, 1);
    rig_visit_all(&r);
  }
  assert_int_equal(r.visits, 7);
  const struct noc_net *n = (const struct noc_net *)r.f.net[0];
  assert_int_equal(n->active[0], 0);
  assert_int_equal(n->base.wake.at, MEM_NEVER);
  assert_int_equal(rig_receive(&r, 0, 0), 1);
  rig_teardown(&r);
}

/* A receiver that never takes: everything on the way fills, the network sleeps and says who waits for whom; when the
 * receiver takes again, all of it comes in order. */
static void test_a_receiver_that_stops_is_named(void **state) {
  (void)state;
  static const struct {
    const char *topology, *stages, *at;
  } cases[] = {{"noc.topology=cxbar", "noc.vc_stage=false", "at crossbar 0, input 0, channel 0, behind another packet"},
               {"noc.topology=hxbar", "noc.vc_stage=false", "at MC-router 2, input 0"},
               {"noc.topology=xbar", "noc.vc_stage=true", "at crossbar 0, input 1, channel 0, behind another packet"},
               {"noc.topology=cxbar", "noc.vc_stage=true", "at crossbar 0, input 0, channel 0, behind another packet"},
               {"noc.topology=hxbar", "noc.vc_stage=true", "at MC-router 2, input 0"},
               {"noc.topology=mesh", "noc.vc_stage=false", "at tile 17, input 2, channel 0, behind another packet"},
               {"noc.topology=mesh", "noc.vc_stage=true", "at tile 17, input 2, channel 0, behind another packet"}};
  for (size_t t = 0; t < sizeof cases / sizeof *cases; t++) {
    struct rig r;
    uint32_t sent = 0, got = 0;
    bool mesh = t >= 5;
    unsigned to = mesh ? 2 : 17;
    rig_setup(&r, mesh ? 56 : 80, mesh ? 8 : 64, 2,
              SETTINGS(cases[t].topology, cases[t].stages, "dram.channels=8", "noc.flit_bytes=32"));
    for (unsigned i = 0; i < 300; i++, r.now += PERIOD) {
      sent += rig_send(&r, 0, 1, to, 120, sent);
      rig_visit_all(&r);
    }
    assert_int_equal(r.f.request.net->wake.at, MEM_NEVER);
    struct str s = {0};
    noc_explain(r.f.request.net, r.now, &s);
    if (!strstr(s.s, "is full (2 of 2 packets)") || !strstr(s.s, cases[t].at)) fail_msg("%s", s.s);
    str_free(&s);
    for (unsigned i = 0; i < 600 && got < sent; i++, r.now += PERIOD) {
      int64_t id = rig_receive(&r, 0, to);
      if (id >= 0) assert_int_equal(id, got++);
      rig_visit_all(&r);
    }
    assert_int_equal(got, sent);
    rig_teardown(&r);
  }
}

/* ---- refusals ---- */

static void test_configurations_that_make_no_sense_are_refused_by_name(void **state) {
  (void)state;
  static const struct {
    unsigned sms, slices;
    const char *settings[6], *key;
  } cases[] = {
      {80, 64, {"noc.topology=hxbar", "noc.voq=true", "dram.channels=8"}, "noc.voq"},
      {80, 64, {"noc.topology=hxbar", "gpu.clusters=7", "dram.channels=8"}, "gpu.clusters"},
      {80, 64, {"noc.topology=hxbar", "gpu.clusters=10", "dram.channels=8"}, "noc.codesign"},
      {80, 64, {"noc.topology=hxbar", "gpu.clusters=8", "dram.channels=6"}, "dram.channels"},
      {80, 8, {"noc.topology=mesh", "dram.channels=8"}, "noc.mesh_width"},
      {56, 6, {"noc.topology=mesh", "dram.channels=6"}, "noc.mesh_placement"},
      {56, 8, {"noc.topology=mesh", "dram.channels=8", "noc.mesh_placement=diamond"}, "noc.mesh_placement"},
      {56, 12, {"noc.topology=mesh", "dram.channels=8"}, "dram.channels"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct cfg *cfg = rig_cfg(cases[i].settings);
    struct noc_fabric f;
    struct err e = {0};
    assert_false(noc_fabric_init(&f, cfg, cases[i].sms, cases[i].slices, PERIOD, &e));
    if (!strstr(e.text, cases[i].key)) fail_msg("case %zu: %s", i, e.text);
    cfg_delete(cfg);
  }
}

/* ---- MC-routers without power ---- */

static void expect_bypassed(unsigned dir, unsigned from, unsigned to, unsigned payload, uint64_t arrives) {
  struct rig r;
  rig_setup(&r, 80, 64, 2, SETTINGS("noc.topology=hxbar", "dram.channels=8", "noc.pipeline=4"));
  for (unsigned i = 0; i < 2; i++) noc_bypass(r.f.net[i], true, 0);
  assert_true(rig_send(&r, dir, from, to, payload, 7));
  for (uint64_t c = 0; c < arrives; c++, r.now += PERIOD) {
    assert_int_equal(rig_receive(&r, dir, to), -1);
    rig_visit_all(&r);
  }
  assert_int_equal(rig_receive(&r, dir, to), 7);
  unsigned flits = (payload + 8 + 31) / 32;
  assert_int_equal(rig_counters(&r, dir)[NOC_HOPS], flits);
  assert_int_equal(rig_counters(&r, dir)[NOC_BYPASSED], flits);
  assert_int_equal(rig_counters(&r, dir)[NOC_LINKS], flits);
  rig_teardown(&r);
}

/* A request saves the MC-router's four cycles; a reply all but the one in which it enters the wire. Cluster 3 is SMs 30
 * to 39, its slices are those of number 3. */
static void test_bypassed_routers_take_no_pipeline(void **state) {
  (void)state;
  expect_bypassed(0, 30, 3, 0, 1 + 4 + 1 + 1);
  expect_bypassed(0, 39, 8 * 7 + 3, 128, 1 + 4 + 1 + 4 + 1);
  expect_bypassed(1, 8 * 2 + 3, 34, 128, 1 + 1 + 1 + 4 + 4 + 1);
}

static void test_cycles_without_power_are_counted(void **state) {
  (void)state;
  struct rig r;
  rig_setup(&r, 80, 64, 2, SETTINGS("noc.topology=hxbar", "dram.channels=8"));
  noc_settle(r.f.net[0], 10 * PERIOD);
  assert_int_equal(rig_counters(&r, 0)[NOC_GATED], 0);
  noc_bypass(r.f.net[0], true, 10 * PERIOD);
  noc_settle(r.f.net[0], 25 * PERIOD);
  assert_int_equal(rig_counters(&r, 0)[NOC_GATED], 8 * 15);
  noc_bypass(r.f.net[0], false, 40 * PERIOD);
  noc_settle(r.f.net[0], 90 * PERIOD);
  assert_int_equal(rig_counters(&r, 0)[NOC_GATED], 8 * 30);
  rig_teardown(&r);
}

/* Back with power, latency is what it was. */
static void test_power_comes_back(void **state) {
  (void)state;
  struct rig r;
  rig_setup(&r, 80, 64, 2, SETTINGS("noc.topology=hxbar", "dram.channels=8", "noc.pipeline=4"));
  noc_bypass(r.f.net[0], true, 0);
  noc_bypass(r.f.net[0], false, 0);
  rig_send(&r, 0, 30, 5, 24, 1);
  for (uint64_t c = 0; c < 11; c++, r.now += PERIOD) {
    assert_int_equal(rig_receive(&r, 0, 5), -1);
    rig_visit_all(&r);
  }
  assert_int_equal(rig_receive(&r, 0, 5), 1);
  rig_teardown(&r);
}

/* Every SM to its own slices as fast as it can: all arrive, and no packet waits for another cluster's. */
static void test_bypassed_network_delivers_under_load(void **state) {
  (void)state;
  enum { EACH = 300 };
  struct rig r;
  unsigned sent[80] = {0}, got = 0;
  rig_setup(&r, 80, 64, 4, SETTINGS("noc.topology=hxbar", "dram.channels=8", "noc.pipeline=4"));
  noc_bypass(r.f.net[0], true, 0);
  struct rng rng = {9};
  for (uint64_t c = 0; got < 80 * EACH && c < 100000; c++, r.now += PERIOD) {
    for (unsigned i = 0; i < 80; i++)
      if (sent[i] < EACH) sent[i] += rig_send(&r, 0, i, (unsigned)rng_below(&rng, 8) * 8 + i / 10, 120, i);
    for (unsigned s = 0; s < 64; s++) {
      int64_t owner = rig_receive(&r, 0, s);
      if (owner < 0) continue;
      assert_int_equal(owner / 10, s % 8);
      got++;
    }
    rig_visit_all(&r);
  }
  assert_int_equal(got, 80 * EACH);
  assert_true(rig_idle(&r));
  rig_teardown(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_concentrated_crossbar_latency),
      cmocka_unit_test(test_hierarchical_crossbar_latency),
      cmocka_unit_test(test_the_promised_round_trip_is_that_of_the_topology),
      cmocka_unit_test(test_stages_take_a_round_each),
      cmocka_unit_test(test_mesh_latency),
      cmocka_unit_test(test_hops_and_links_are_counted),
      cmocka_unit_test(test_everything_arrives_exactly_once_under_back_pressure),
      cmocka_unit_test(test_the_order_of_visits_changes_nothing),
      cmocka_unit_test(test_a_concentration_of_one_is_the_full_crossbar),
      cmocka_unit_test(test_replies_wait_in_a_queue_of_their_own_length),
      cmocka_unit_test(test_packets_of_one_channel_never_mix),
      cmocka_unit_test(test_sleeps_when_there_is_nothing_to_do),
      cmocka_unit_test(test_a_receiver_that_stops_is_named),
      cmocka_unit_test(test_configurations_that_make_no_sense_are_refused_by_name),
      cmocka_unit_test(test_bypassed_routers_take_no_pipeline),
      cmocka_unit_test(test_cycles_without_power_are_counted),
      cmocka_unit_test(test_power_comes_back),
      cmocka_unit_test(test_bypassed_network_delivers_under_load),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
