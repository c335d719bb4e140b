/* The crossbar between mock senders and receivers. The network's clock has a period of 3 ticks, so that a
 * time that is not an edge would show. */
#include "memtest.h"

enum { PERIOD = 3, MAX = 256 };

struct rig {
  struct noc_fabric f;
  struct noc *net;
  unsigned n_in, n_out;
  struct mem_pool *pool;
  struct mem_wake sender[MAX], receiver[MAX];
  struct mem_port port[MAX];
  uint64_t now, visits;
};

/* sms senders, slices receivers over the request network. */
static void setup(struct rig *r, unsigned n_in, unsigned n_out, unsigned port, const char *const *settings) {
  struct err e = {0};
  struct cfg *cfg = memtest_cfg(settings);
  memset(r, 0, sizeof *r);
  if (!noc_fabric_init(&r->f, cfg, n_in, n_out, PERIOD, &e)) fail_msg("%s", e.text);
  cfg_delete(cfg);
  r->net = r->f.request.net;
  r->n_in = n_in;
  r->n_out = n_out;
  r->pool = mem_pool_new();
  for (unsigned i = 0; i < n_in; i++) {
    r->sender[i] = (struct mem_wake){.at = MEM_NEVER, .period = PERIOD};
    noc_input(&r->f.request, i, &r->sender[i]);
  }
  for (unsigned i = 0; i < n_out; i++) {
    r->receiver[i] = (struct mem_wake){.at = MEM_NEVER, .period = PERIOD};
    mem_port_init(&r->port[i], port, 1, &r->receiver[i], NULL);
    noc_connect(&r->f.request, i, &r->port[i]);
  }
}

static void teardown(struct rig *r) {
  struct err e = {0};
  if (!noc_check(r->net, &e)) fail_msg("%s", e.text);
  noc_fabric_free(&r->f);
  for (unsigned i = 0; i < r->n_out; i++) mem_port_free(&r->port[i]);
  mem_pool_delete(r->pool);
}

static void visit_net(struct rig *r) {
  if (r->net->wake.at > r->now) return;
  r->net->wake.at = MEM_NEVER;
  r->visits++;
  mem_wake_at(&r->net->wake, noc_tick(r->net, r->now));
}

static bool send(struct rig *r, unsigned from, unsigned to, unsigned payload, uint32_t owner) {
  struct mem_port *p = &r->net->in[from];
  if (!mem_port_free_slots(p, r->now)) return false;
  struct mem_packet *k = memtest_packet(r->pool, MEM_WRITE, 0, 15);
  k->sm = (uint16_t)from;
  k->slice = (uint16_t)to;
  k->payload = (uint16_t)payload;
  k->owner = owner;
  k->born = r->now;
  mem_port_push(p, k, r->now);
  return true;
}

/* A received packet's owner, or -1. */
static int64_t receive(struct rig *r, unsigned at) {
  struct mem_packet *k = mem_port_peek(&r->port[at], r->now);
  if (!k) return -1;
  assert_int_equal(k->slice, at);
  mem_port_pop(&r->port[at], r->now);
  int64_t owner = k->owner;
  mem_packet_free(r->pool, k);
  return owner;
}

/* Sent at cycle 0, at the router at 1, eligible `pipeline` later, one flit a cycle, seen by the receiver a
 * cycle after its tail left. */
static void test_unloaded_latency_to_the_cycle(void **state) {
  (void)state;
  for (unsigned pipeline = 1; pipeline <= 4; pipeline++)
    for (unsigned flits = 1; flits <= 5; flits++) {
      struct rig r;
      char p[32];
      snprintf(p, sizeof p, "noc.pipeline=%u", pipeline);
      setup(&r, 15, 12, 2, SETTINGS(p, "noc.flit_bytes=32"));
      uint64_t arrives = 1 + pipeline + (flits - 1) + 1;
      assert_true(send(&r, 14, 11, flits * 32 - 8, 7));
      for (uint64_t c = 0; c < arrives; c++, r.now += PERIOD) {
        assert_int_equal(receive(&r, 11), -1);
        visit_net(&r);
      }
      assert_int_equal(receive(&r, 11), 7);
      assert_int_equal(r.net->counters[NOC_LATENCY], pipeline + flits - 1);
      assert_int_equal(r.net->counters[NOC_FLITS_OUT], flits);
      teardown(&r);
    }
}

/* A place at the output in one cycle and the first flit in the next, then the link's latency. */
static void test_a_stage_for_the_channel_takes_a_cycle_a_packet(void **state) {
  (void)state;
  for (unsigned flits = 1; flits <= 5; flits++) {
    struct rig r;
    setup(&r, 15, 12, 2, SETTINGS("noc.pipeline=2", "noc.flit_bytes=32", "noc.vc_stage=true", "noc.output_latency=3"));
    uint64_t arrives = 1 + 2 + 1 + (flits - 1) + 3 + 1;
    assert_true(send(&r, 14, 11, flits * 32 - 8, 7));
    for (uint64_t c = 0; c < arrives; c++, r.now += PERIOD) {
      assert_int_equal(receive(&r, 11), -1);
      visit_net(&r);
    }
    assert_int_equal(receive(&r, 11), 7);
    teardown(&r);
  }
}

static void test_reply_network_goes_by_sm(void **state) {
  (void)state;
  struct rig r;
  setup(&r, 4, 2, 2, SETTINGS("noc.pipeline=1"));
  struct noc *reply = r.f.reply.net;
  struct mem_port back;
  struct mem_wake sm = {.at = MEM_NEVER, .period = PERIOD}, slice = {.at = MEM_NEVER, .period = PERIOD};
  mem_port_init(&back, 2, 1, &sm, NULL);
  noc_connect(&r.f.reply, 3, &back);
  struct mem_packet *k = memtest_packet(r.pool, MEM_READ_REPLY, 0, 15);
  k->sm = 3;
  k->slice = 1;
  mem_port_push(noc_input(&r.f.reply, 1, &slice), k, 0);
  for (uint64_t t = 0; t <= 2 * PERIOD; t += PERIOD) noc_tick(reply, t);
  assert_ptr_equal(mem_port_peek(&back, 3 * PERIOD), k);
  mem_packet_free(r.pool, k);
  mem_port_free(&back);
  teardown(&r);
}

/* ---- throughput ---- */

/* Every input offers a packet to `choose` whenever its queue has a free slot, with probability load; receivers take
 * all. Returns packets delivered a cycle, after a warm-up; counts[] by sender. */
static double throughput(struct rig *r, unsigned payload, double load, bool hot, uint64_t *by_sender) {
  struct rng rng = {11};
  uint64_t warm = 2000, cycles = 10000, got = 0;
  for (uint64_t c = 0; c < cycles; c++, r->now += PERIOD) {
    for (unsigned i = 0; i < r->n_in; i++) {
      if ((double)rng_below(&rng, 1000000) >= load * 1e6) continue;
      send(r, i, hot ? 0 : (unsigned)rng_below(&rng, r->n_out), payload, i);
    }
    for (unsigned o = 0; o < r->n_out; o++) {
      int64_t from = receive(r, o);
      if (from < 0 || c < warm) continue;
      got++;
      if (by_sender) by_sender[from]++;
    }
    visit_net(r);
  }
  return (double)got / (double)(cycles - warm);
}

static void test_one_input_sends_one_flit_a_cycle(void **state) {
  (void)state;
  for (unsigned flits = 1; flits <= 4; flits++) {
    struct rig r;
    setup(&r, 1, 1, 2, SETTINGS("noc.flit_bytes=32"));
    double rate = throughput(&r, flits * 32 - 8, 1, true, NULL);
    assert_true(rate > 0.999 / flits && rate < 1.001 / flits);
    teardown(&r);
  }
}

/* With a stage for the channel, input and output rest a round between two packets: n flits take n + 1 cycles, or with two rounds a cycle
 * no more than the link does. */
static void test_a_stage_for_the_channel_costs_a_round_a_packet(void **state) {
  (void)state;
  for (unsigned flits = 1; flits <= 5; flits++)
    for (unsigned speedup = 1; speedup <= 2; speedup++) {
      struct rig r;
      setup(&r, 1, 1, 2, SETTINGS("noc.flit_bytes=32", "noc.vc_stage=true", speedup > 1 ? "noc.speedup=2" : "noc.speedup=1"));
      double rate = throughput(&r, flits * 32 - 8, 1, true, NULL), expected = 1.0 / (speedup > 1 ? flits : flits + 1);
      assert_true(rate > 0.999 * expected && rate < 1.001 * expected);
      teardown(&r);
    }
}

static void test_hot_spot_gets_one_flit_a_cycle_in_fair_shares(void **state) {
  (void)state;
  static const char *const variants[] = {"noc.voq=false", "noc.voq=true", "noc.vcs=2", "noc.speedup=2"};
  for (size_t v = 0; v < 4; v++)
    for (unsigned flits = 1; flits <= 4; flits += 3) {
      struct rig r;
      uint64_t n[16] = {0};
      setup(&r, 16, 16, 2, SETTINGS("noc.flit_bytes=32", variants[v]));
      double rate = throughput(&r, flits * 32 - 8, 1, true, n);
      assert_true(rate > 0.998 / flits && rate < 1.001 / flits);
      for (unsigned i = 0; i < 16; i++) assert_in_range(n[i], 8000 / 16 / flits - 8, 8000 / 16 / flits + 8);
      teardown(&r);
    }
}

/* iSLIP with one iteration over virtual output queues reaches full throughput under independent uniform
 * traffic (McKeown 1999); the few per cent missing are the time until its pointers have moved apart. */
static void test_islip_carries_uniform_traffic_near_full_load(void **state) {
  (void)state;
  static const double loads[] = {0.5, 0.9, 1}, least[] = {0.495, 0.89, 0.965};
  for (unsigned i = 0; i < 3; i++) {
    struct rig r;
    setup(&r, 16, 16, 2,
          SETTINGS("noc.voq=true", "noc.input_buffer=4096", "noc.flit_bytes=32", "noc.inject_queue=64"));
    double rate = throughput(&r, 0, loads[i], false, NULL) / 16;
    if (rate < least[i] || rate > loads[i] + 0.005) fail_msg("load %.2f: %.3f", loads[i], rate);
    teardown(&r);
  }
}

/* One FIFO an input is limited by the packet at its head: 2 - sqrt 2 = 0.586 for many ports, 0.60 for 16
 * (Karol 1987); a speed-up of two hides it. */
static void test_fifo_inputs_are_limited_by_head_of_line_blocking(void **state) {
  (void)state;
  struct rig r;
  setup(&r, 16, 16, 2, SETTINGS("noc.input_buffer=64", "noc.flit_bytes=32"));
  double rate = throughput(&r, 0, 1, false, NULL) / 16;
  if (rate < 0.58 || rate > 0.63) fail_msg("%.3f", rate);
  teardown(&r);
  setup(&r, 16, 16, 2,
        SETTINGS("noc.input_buffer=64", "noc.flit_bytes=32", "noc.speedup=2", "noc.output_buffer=64"));
  rate = throughput(&r, 0, 1, false, NULL) / 16;
  if (rate < 0.95) fail_msg("%.3f", rate);
  teardown(&r);
}

static void test_more_virtual_channels_carry_more(void **state) {
  (void)state;
  double last = 0;
  static const char *const vcs[] = {"noc.vcs=1", "noc.vcs=2", "noc.vcs=4"};
  for (unsigned v = 0; v < 3; v++) {
    struct rig r;
    setup(&r, 16, 16, 2, SETTINGS("noc.input_buffer=16", "noc.flit_bytes=32", "noc.iterations=4", vcs[v]));
    double rate = throughput(&r, 0, 1, false, NULL) / 16;
    assert_true(rate > last + 0.05);
    last = rate;
    teardown(&r);
  }
}

/* Two outputs, blocked until three inputs wait for both. Before, input 0 filled both outputs, so both grant
 * pointers are at 1. First iteration: both grant input 1, which takes output 0. Second: output 1 grants input
 * 2, and its pointer stays at 1, so that next it grants input 1. Then both have only input 0 left: a grant is
 * lost again. */
static void test_islip_moves_pointers_only_in_the_first_iteration(void **state) {
  (void)state;
  struct rig r;
  unsigned n = 0;
  int64_t order[5];
  setup(&r, 3, 2, 1,
        SETTINGS("noc.voq=true", "noc.iterations=2", "noc.output_buffer=1", "noc.flit_bytes=32"));
  for (unsigned c = 0; c < 20; c++, r.now += PERIOD) {
    if (c < 4) send(&r, 0, c % 2, 0, 9);
    for (unsigned i = 0; i < 3 && c >= 10 && c < 12; i++) send(&r, i, c % 2, 0, i);
    visit_net(&r);
  }
  for (unsigned c = 0; c < 20; c++, r.now += PERIOD) {
    receive(&r, 0);
    int64_t id = receive(&r, 1);
    if (id >= 0) order[n++] = id;
    visit_net(&r);
  }
  static const int64_t expected[] = {9, 9, 2, 1, 0};
  assert_int_equal(n, 5);
  assert_memory_equal(order, expected, sizeof expected);
  assert_int_equal(r.net->counters[NOC_LOST_GRANTS], 2);
  teardown(&r);
}

/* ---- delivery ---- */

struct event {
  uint64_t time;
  uint32_t owner;
};

/* Random traffic of mixed sizes with receivers that often refuse; `order` seeds the order of visits within an
 * instant. The log holds every delivery. */
static uint32_t random_traffic(struct rig *r, uint64_t order, uint32_t packets, struct event *log) {
  struct rng rng = {21}, shuffle = {order};
  uint32_t sent = 0, got = 0;
  struct rng *traffic = calloc(r->n_in, sizeof *traffic), *refuse = calloc(r->n_out, sizeof *refuse);
  for (unsigned i = 0; i < r->n_in; i++) traffic[i].state = rng_next(&rng);
  for (unsigned i = 0; i < r->n_out; i++) refuse[i].state = rng_next(&rng);
  uint32_t each = packets / r->n_in, *left = calloc(r->n_in, sizeof *left);
  for (unsigned i = 0; i < r->n_in; i++) left[i] = each;
  unsigned parts = r->n_in + r->n_out + 1, *turn = calloc(parts, sizeof *turn);
  for (unsigned i = 0; i < parts; i++) turn[i] = i;
  for (uint64_t c = 0; got < each * r->n_in && c < 200000; c++, r->now += PERIOD) {
    for (unsigned i = parts - 1; order && i > 0; i--) {
      unsigned j = (unsigned)rng_below(&shuffle, i + 1), t = turn[i];
      turn[i] = turn[j];
      turn[j] = t;
    }
    for (unsigned p = 0; p < parts; p++) {
      unsigned t = turn[p];
      if (t == 0) {
        visit_net(r);
      } else if (t <= r->n_in) {
        unsigned i = t - 1;
        struct rng *g = &traffic[i];
        if (!left[i] || rng_below(g, 3) == 0 || !mem_port_free_slots(&r->net->in[i], r->now)) continue;
        uint32_t id = i * each + (each - left[i]--);
        assert_true(send(r, i, (unsigned)rng_below(g, r->n_out), (unsigned)rng_below(g, 137), id));
        sent++;
      } else {
        unsigned o = t - 1 - r->n_in;
        if (rng_below(&refuse[o], 4) == 0) continue;
        int64_t id = receive(r, o);
        if (id >= 0) log[id] = (struct event){r->now, log[id].owner + 1}, got++;
      }
    }
  }
  free(traffic);
  free(refuse);
  free(left);
  free(turn);
  return got;
}

static const char *const settings_of[][6] = {
    {"noc.flit_bytes=32", NULL},
    {"noc.flit_bytes=40", "noc.speedup=2", "noc.input_buffer=64", NULL},
    {"noc.flit_bytes=16", "noc.vcs=4", "noc.input_buffer=2", "noc.pipeline=4", NULL},
    {"noc.flit_bytes=16", "noc.voq=true", "noc.input_buffer=5", "noc.iterations=3", NULL},
    {"noc.flit_bytes=64", "noc.voq=true", "noc.vcs=2", "noc.speedup=2", "noc.iterations=2", NULL},
    {"noc.flit_bytes=8", "noc.input_buffer=1", "noc.output_buffer=1", "noc.inject_queue=1", NULL},
};
enum { VARIANTS = sizeof settings_of / sizeof *settings_of, PACKETS = 3000 };

static void test_everything_arrives_exactly_once_under_back_pressure(void **state) {
  (void)state;
  static const unsigned shapes[][2] = {{15, 12}, {3, 70}, {80, 64}, {1, 1}};
  for (size_t v = 0; v < VARIANTS; v++)
    for (size_t s = 0; s < 4; s++) {
      struct rig r;
      setup(&r, shapes[s][0], shapes[s][1], 1 + s % 2, settings_of[v]);
      struct event *log = calloc(PACKETS, sizeof *log);
      uint32_t sent = PACKETS / r.n_in * r.n_in;
      assert_int_equal(random_traffic(&r, 0, PACKETS, log), sent);
      for (uint32_t i = 0; i < sent; i++) assert_int_equal(log[i].owner, 1);
      assert_int_equal(mem_pool_out(r.pool), 0);
      assert_true(noc_idle(r.net));
      assert_int_equal(r.net->counters[NOC_PACKETS_OUT], sent);
      free(log);
      teardown(&r);
    }
}

static void test_the_order_of_visits_changes_nothing(void **state) {
  (void)state;
  for (size_t v = 0; v < VARIANTS; v++) {
    struct event *first = calloc(PACKETS, sizeof *first), *other = calloc(PACKETS, sizeof *other);
    uint64_t counters[NOC_STATS];
    for (uint64_t order = 0; order < 4; order++) {
      struct rig r;
      setup(&r, 15, 12, 1, settings_of[v]);
      memset(other, 0, PACKETS * sizeof *other);
      random_traffic(&r, order, PACKETS, order ? other : first);
      if (order == 0)
        memcpy(counters, r.net->counters, sizeof counters);
      else
        assert_memory_equal(counters, r.net->counters, sizeof counters);
      if (order) assert_memory_equal(first, other, PACKETS * sizeof *other);
      teardown(&r);
    }
    free(first);
    free(other);
  }
}

/* ---- sleeping and stalling ---- */

static void test_sleeps_when_there_is_nothing_to_do(void **state) {
  (void)state;
  struct rig r;
  setup(&r, 15, 12, 4, SETTINGS("noc.pipeline=2", "noc.flit_bytes=32"));
  for (unsigned i = 0; i < 100; i++, r.now += PERIOD) {
    if (i == 10) send(&r, 0, 0, 0, 1);
    visit_net(&r);
  }
  /* Injected at one visit, one visit in the pipeline, sent at the third. */
  assert_int_equal(r.visits, 3);
  assert_int_equal(r.net->wake.at, MEM_NEVER);
  mem_packet_free(r.pool, mem_port_pop(&r.port[0], r.now));
  teardown(&r);
}

/* A receiver that never takes: its port, the output buffer and the input buffer fill to the flit, then the
 * network sleeps; one pop moves one packet. */
static void test_a_receiver_that_stops_fills_every_buffer_to_the_flit(void **state) {
  (void)state;
  struct rig r;
  setup(&r, 1, 1, 2,
        SETTINGS("noc.flit_bytes=8", "noc.input_buffer=5", "noc.output_buffer=3", "noc.inject_queue=4"));
  uint32_t sent = 0;
  for (unsigned i = 0; i < 100; i++, r.now += PERIOD) {
    sent += send(&r, 0, 0, 0, i);
    visit_net(&r);
  }
  assert_int_equal(sent, 2 + 3 + 5 + 4);
  assert_int_equal(r.net->wake.at, MEM_NEVER);
  struct str s = {0};
  noc_explain(r.net, r.now, &s);
  assert_non_null(strstr(s.s, "is full (2 of 2 packets)"));
  str_free(&s);
  uint64_t stalls = r.net->counters[NOC_EJECT_STALLS];
  assert_int_equal(receive(&r, 0), 0);
  visit_net(&r);
  assert_int_equal(r.net->wake.at, r.now + PERIOD);
  r.now += PERIOD;
  visit_net(&r);
  assert_true(r.net->counters[NOC_EJECT_STALLS] > stalls + 80);
  assert_int_equal(r.port[0].count, 2);
  for (unsigned i = 0; i < 100; i++, r.now += PERIOD) receive(&r, 0), visit_net(&r);
  assert_int_equal(mem_pool_out(r.pool), 0);
  teardown(&r);
}

/* A packet of four flits from one input, and one of a single flit from the other a cycle later: when each arrives. */
static void long_and_short(const char *const *settings, uint64_t at[2]) {
  struct rig r;
  setup(&r, 2, 1, 4, settings);
  send(&r, 0, 0, 24, 0);
  for (unsigned c = 0; c < 12; c++, r.now += PERIOD) {
    if (c == 1) send(&r, 1, 0, 0, 1);
    int64_t id = receive(&r, 0);
    if (id >= 0) at[id] = c;
    visit_net(&r);
  }
  teardown(&r);
}

/* Under way it keeps its output: the one that comes later waits for its tail. */
static void test_a_packet_keeps_its_output_until_its_tail(void **state) {
  (void)state;
  uint64_t at[2] = {0};
  long_and_short(SETTINGS("noc.flit_bytes=8", "noc.pipeline=1"), at);
  assert_int_equal(at[0], 1 + 1 + 3 + 1);
  assert_int_equal(at[1], at[0] + 1);
}

/* With two virtual channels that one goes in between. */
static void test_a_second_virtual_channel_lets_a_short_packet_pass(void **state) {
  (void)state;
  uint64_t at[2] = {0};
  long_and_short(SETTINGS("noc.flit_bytes=8", "noc.pipeline=1", "noc.vcs=2"), at);
  assert_int_equal(at[0], 1 + 1 + 3 + 1 + 1);
  assert_true(at[1] < at[0]);
}

static void test_more_ports_than_a_crossbar_has_are_refused(void **state) {
  (void)state;
  struct noc_fabric f;
  struct err e = {0};
  struct cfg *cfg = memtest_cfg(NULL);
  assert_false(noc_fabric_init(&f, cfg, 300, 12, PERIOD, &e));
  assert_non_null(strstr(e.text, "300"));
  cfg_delete(cfg);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_unloaded_latency_to_the_cycle),
      cmocka_unit_test(test_a_stage_for_the_channel_takes_a_cycle_a_packet),
      cmocka_unit_test(test_a_stage_for_the_channel_costs_a_round_a_packet),
      cmocka_unit_test(test_reply_network_goes_by_sm),
      cmocka_unit_test(test_one_input_sends_one_flit_a_cycle),
      cmocka_unit_test(test_hot_spot_gets_one_flit_a_cycle_in_fair_shares),
      cmocka_unit_test(test_islip_carries_uniform_traffic_near_full_load),
      cmocka_unit_test(test_islip_moves_pointers_only_in_the_first_iteration),
      cmocka_unit_test(test_fifo_inputs_are_limited_by_head_of_line_blocking),
      cmocka_unit_test(test_more_virtual_channels_carry_more),
      cmocka_unit_test(test_everything_arrives_exactly_once_under_back_pressure),
      cmocka_unit_test(test_the_order_of_visits_changes_nothing),
      cmocka_unit_test(test_sleeps_when_there_is_nothing_to_do),
      cmocka_unit_test(test_a_receiver_that_stops_fills_every_buffer_to_the_flit),
      cmocka_unit_test(test_a_packet_keeps_its_output_until_its_tail),
      cmocka_unit_test(test_a_second_virtual_channel_lets_a_short_packet_pass),
      cmocka_unit_test(test_more_ports_than_a_crossbar_has_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
