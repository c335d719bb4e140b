/* Networks of routers under more load than they carry: throughput and shares against closed forms, and freedom from
 * deadlock with back-pressure in both message classes. */
#include "nocrig.h"

enum { WARM = 2000, CYCLES = 10000 };

static void teardown_loaded(struct rig *r) {
  noc_fabric_free(&r->f);
  for (unsigned dir = 0; dir < 2; dir++)
    for (unsigned i = 0; i < rig_outs(r, dir); i++) mem_port_free(&r->port[dir][i]);
  mem_pool_delete(r->pool);
}

/* Every sender of the direction offers a packet whenever it can, to `hot` or if that is negative to anybody;
 * receivers take all. Returns packets a cycle after a warm-up; by_sender counts them. */
static double saturate(struct rig *r, unsigned dir, int hot, unsigned payload, uint64_t *by_sender) {
  struct rng rng = {11};
  uint64_t got = 0;
  for (uint64_t c = 0; c < CYCLES; c++, r->now += PERIOD) {
    for (unsigned i = 0; i < rig_ins(r, dir); i++)
      rig_send(r, dir, i, hot < 0 ? (unsigned)rng_below(&rng, rig_outs(r, dir)) : (unsigned)hot, payload, i);
    for (unsigned o = 0; o < rig_outs(r, dir); o++) {
      int64_t from = rig_receive(r, dir, o);
      if (from < 0 || c < WARM) continue;
      got++;
      if (by_sender) by_sender[from]++;
    }
    rig_visit_all(r);
  }
  return (double)got / (CYCLES - WARM);
}

static void expect(const char *what, double value, double least, double most) {
  if (value < least || value > most) fail_msg("%s: %.4f is not in %.4f to %.4f", what, value, least, most);
}

/* ---- hot spots ---- */

/* One flit a cycle arrives, and because every merge is fair and the tree is regular, equal shares of it. */
static void test_crossbars_share_a_hot_spot_equally(void **state) {
  (void)state;
  static const char *const kinds[] = {"noc.topology=cxbar", "noc.topology=hxbar"};
  static const char *const vcs[] = {"noc.vcs=1", "noc.vcs=2"};
  for (unsigned k = 0; k < 4; k++)
    for (unsigned dir = 0; dir < 2; dir++)
      for (unsigned flits = 1; flits <= 4; flits += 3) {
        struct rig r;
        uint64_t n[MAX] = {0};
        rig_setup(&r, 80, 64, 4, SETTINGS(kinds[k % 2], vcs[k / 2], "dram.channels=8", "noc.pipeline=4"));
        expect("hot spot", saturate(&r, dir, 7, flits * 32 - 8, n), 0.995 / flits, 1.001 / flits);
        double share = (CYCLES - WARM) / (double)flits / rig_ins(&r, dir);
        for (unsigned i = 0; i < rig_ins(&r, dir); i++) expect("share", (double)n[i], share - 4, share + 4);
        teardown_loaded(&r);
      }
}

/* The routers that send to this one what is for `dest`. */
static uint32_t feeders(const struct noc_net *n, uint32_t router, uint32_t dest, uint32_t *from) {
  uint32_t found = 0;
  const struct noc_router *r = &n->router[router];
  for (uint32_t i = 0; i < r->allocator.n_in; i++) {
    if (!r->vc[i * n->vcs].delay) continue; /* nobody sends to it, or a source */
    const struct noc_router_out *o = &n->out[n->in[r->first_in + i].sender];
    if (n->next[o->router->index * n->base.n_out + dest] == o->local) from[found++] = o->router->index;
  }
  return found;
}

/* The SM at a router, or -1. */
static int sm_at(const struct noc_net *n, uint32_t router) {
  for (uint32_t s = 0; s < n->sources; s++)
    if (n->in[n->source[s].port].router == router && n->source[s].first < n->base.shape.sms)
      return (int)n->source[s].first;
  return -1;
}

static bool any_sm(const struct noc_net *n, uint32_t router, uint32_t dest) {
  uint32_t from[8], found = feeders(n, router, dest, from);
  bool any = sm_at(n, router) >= 0;
  for (uint32_t j = 0; j < found && !any; j++) any = any_sm(n, from[j], dest);
  return any;
}

/* The parking lot: of what a router sends towards `dest`, everybody who feeds it gets an equal part. */
static void parking_lot(const struct noc_net *n, uint32_t router, uint32_t dest, double whole, double *share) {
  uint32_t from[8], found = feeders(n, router, dest, from), rivals = sm_at(n, router) >= 0;
  for (uint32_t j = 0; j < found; j++) rivals += any_sm(n, from[j], dest);
  if (sm_at(n, router) >= 0) share[sm_at(n, router)] = whole / rivals;
  for (uint32_t j = 0; j < found; j++)
    if (any_sm(n, from[j], dest)) parking_lot(n, from[j], dest, whole / rivals, share);
}

/* A mesh's merges are fair too, but the tree is not regular: an SM near the hot spot gets more, exactly as a tree
 * of fair merges gives it. */
static void test_mesh_shares_a_hot_spot_as_a_tree_of_fair_merges(void **state) {
  (void)state;
  for (unsigned hot = 0; hot < 8; hot += 3) {
    struct rig r;
    uint64_t n[MAX] = {0};
    double share[MAX] = {0}, sum = 0;
    rig_setup(&r, 56, 8, 4, SETTINGS("noc.topology=mesh", "dram.channels=8"));
    const struct noc_net *net = (const struct noc_net *)r.f.net[0];
    uint32_t tile = 0;
    for (uint32_t t = 0; t < net->routers; t++)
      if (net->out[net->router[t].first_out + net->next[t * net->base.n_out + hot]].sink) tile = t;
    parking_lot(net, tile, hot, CYCLES - WARM, share);
    expect("hot spot", saturate(&r, 0, (int)hot, 0, n), 0.999, 1.001);
    for (unsigned i = 0; i < 56; i++) {
      expect("share", (double)n[i], share[i] * 0.97 - 3, share[i] * 1.03 + 3);
      sum += share[i];
    }
    expect("sum of shares", sum, CYCLES - WARM - 0.1, CYCLES - WARM + 0.1);
    teardown_loaded(&r);
  }
}

/* ---- uniform traffic ---- */

/* First-in-first-out inputs of a switch of 8 ports carry 0.618 of their rate (Karol 1987); ports are what is shared,
 * so SMs get half of that at a concentration of two. A speed-up of two hides the blocking. */
static void test_concentrated_crossbar_is_limited_by_its_ports(void **state) {
  (void)state;
  struct rig r;
  rig_setup(&r, 16, 16, 4, SETTINGS("noc.topology=cxbar", "noc.concentration=2", "noc.input_buffer=64"));
  expect("flits a port", saturate(&r, 0, -1, 0, NULL) / 8, 0.60, 0.65);
  teardown_loaded(&r);
  for (unsigned c = 2; c <= 8; c *= 2) {
    char concentration[32];
    snprintf(concentration, sizeof concentration, "noc.concentration=%u", c);
    rig_setup(&r, 80, 64, 4,
              SETTINGS("noc.topology=cxbar", concentration, "noc.input_buffer=64", "noc.speedup=2",
                       "noc.output_buffer=64"));
    expect("requests a port", saturate(&r, 0, -1, 0, NULL) / (64 / c), 0.95, 1.0);
    teardown_loaded(&r);
  }
}

/* The co-designed H-Xbar has as many long links as slices, so it may carry what the full crossbar does: nearly a
 * flit a slice and cycle, with the speed-up both have. The full crossbar is the yardstick. */
static void test_hierarchical_crossbar_carries_as_much_as_the_full_one(void **state) {
  (void)state;
  static const char *const kinds[] = {"noc.topology=xbar", "noc.topology=hxbar"};
  for (unsigned dir = 0; dir < 2; dir++) {
    double rate[2];
    for (unsigned k = 0; k < 2; k++) {
      struct rig r;
      rig_setup(&r, 80, 64, 4, SETTINGS(kinds[k], "dram.channels=8", "noc.pipeline=4", "noc.speedup=2",
                                        "noc.input_buffer=16"));
      rate[k] = saturate(&r, dir, -1, 24, NULL) / 64;
      teardown_loaded(&r);
    }
    expect("full crossbar", rate[0], 0.85, 1.0);
    expect("hierarchical crossbar", rate[1], rate[0] * 0.85, 1.0);
  }
}

/* A long link of half the width carries half. */
static void test_narrow_long_links_halve_the_throughput(void **state) {
  (void)state;
  struct rig r;
  rig_setup(&r, 80, 64, 4, SETTINGS("noc.topology=hxbar", "dram.channels=8", "noc.speedup=2", "noc.link_interval=2",
                                    "noc.input_buffer=16"));
  expect("requests a slice", saturate(&r, 0, -1, 0, NULL) / 64, 0.45, 0.5001);
  teardown_loaded(&r);
}

/* The most loaded link of a mesh under uniform traffic bounds it: flits a cycle <= pairs / pairs that use the link.
 * Returns that bound; the tile's own port is one of the links. */
static double channel_bound(const struct noc_net *n, unsigned dir, unsigned ins, unsigned outs) {
  uint32_t *load = calloc(n->outs, sizeof *load), most = 0;
  for (uint32_t s = 0; s < n->sources; s++)
    for (uint32_t i = n->source[s].first; i < n->source[s].first + n->source[s].n; i++) {
      if ((i >= n->base.shape.sms) != dir) continue;
      for (uint32_t d = 0; d < outs; d++) {
        uint32_t dest = dir ? n->base.shape.slices + d : d, router = n->in[n->source[s].port].router;
        for (;;) {
          uint32_t o = n->router[router].first_out + n->next[router * n->base.n_out + dest];
          if (++load[o] > most) most = load[o];
          if (n->out[o].sink) break;
          router = n->in[n->out[o].to].router;
        }
      }
    }
  free(load);
  double bound = (double)ins * outs / most;
  return bound < ins ? bound : ins;
}

static void test_mesh_stays_below_the_load_of_its_busiest_link(void **state) {
  (void)state;
  for (unsigned dir = 0; dir < 2; dir++) {
    struct rig r;
    rig_setup(&r, 56, 8, 4, SETTINGS("noc.topology=mesh", "dram.channels=8", "noc.vcs=2", "noc.speedup=2"));
    double bound = channel_bound((const struct noc_net *)r.f.net[0], dir, rig_ins(&r, dir), rig_outs(&r, dir));
    expect("bound", bound, 2, 8);
    expect("flits a cycle", saturate(&r, dir, -1, 0, NULL), bound * 0.75, bound * 1.01);
    teardown_loaded(&r);
  }
}

/* ---- deadlock ---- */

static void visit_link(const struct noc_net *n, uint32_t o, char *state, uint8_t *const *after) {
  if (state[o] == 1) fail_msg("links wait for each other in a circle at output %u", o);
  if (state[o]) return;
  state[o] = 1;
  for (uint32_t p = 0; p < n->outs; p++)
    if (after[o][p]) visit_link(n, p, state, after);
  state[o] = 2;
}

/* Dally and Seitz: routes cannot deadlock within a class if the graph "a packet that holds link a may wait for link b"
 * has no circle. Between classes there is no such edge: each has its own channels. */
static void test_mesh_routes_have_no_circle(void **state) {
  (void)state;
  struct rig r;
  rig_setup(&r, 56, 8, 4, SETTINGS("noc.topology=mesh", "dram.channels=8"));
  const struct noc_net *n = (const struct noc_net *)r.f.net[0];
  uint8_t **follows = calloc(n->outs, sizeof *follows);
  for (uint32_t o = 0; o < n->outs; o++) follows[o] = calloc(n->outs, 1);
  for (uint32_t from = 0; from < n->routers; from++)
    for (uint32_t d = 0; d < n->base.n_out; d++) {
      uint32_t o = n->router[from].first_out + n->next[from * n->base.n_out + d], steps = 0;
      while (!n->out[o].sink) {
        uint32_t router = n->in[n->out[o].to].router;
        uint32_t p = n->router[router].first_out + n->next[router * n->base.n_out + d];
        follows[o][p] = 1;
        o = p;
        assert_true(++steps < 16);
      }
    }
  char *seen = calloc(n->outs, 1);
  for (uint32_t o = 0; o < n->outs; o++) visit_link(n, o, seen, follows);
  for (uint32_t o = 0; o < n->outs; o++) free(follows[o]);
  free(follows);
  free(seen);
  rig_teardown(&r);
}

/* A memory that takes a request only while it can hold its answer, and SMs that refuse replies for long times and
 * never stop to ask: if requests could hold up replies, this would stand still. */
struct closed_loop {
  struct rig r;
  struct rng rng;
  uint32_t held[MAX][4], n_held[MAX]; /* per slice: SMs to be answered */
  uint64_t asked, answered;
};

static void memory_side(struct closed_loop *l, unsigned slice) {
  if (l->n_held[slice] < 4) {
    int64_t sm = rig_receive(&l->r, 0, slice);
    if (sm >= 0) l->held[slice][l->n_held[slice]++] = (uint32_t)sm;
  }
  if (!l->n_held[slice] || !rig_send(&l->r, 1, slice, l->held[slice][0], 128, 0)) return;
  memmove(&l->held[slice][0], &l->held[slice][1], 3 * sizeof l->held[slice][0]);
  l->n_held[slice]--;
}

static void sm_side(struct closed_loop *l, unsigned sm, uint64_t cycle, uint64_t total) {
  bool deaf = (cycle / 400 + sm) % 3 == 0;
  if (!deaf && rng_below(&l->rng, 4) && rig_receive(&l->r, 1, sm) >= 0) l->answered++;
  if (l->asked < total)
    l->asked += rig_send(&l->r, 0, sm, (unsigned)rng_below(&l->rng, l->r.slices), rng_below(&l->rng, 2) ? 128 : 0, sm);
}

static void run_closed_loop(unsigned sms, unsigned slices, const char *const *settings) {
  enum { TOTAL = 20000, PATIENCE = 3000 };
  struct closed_loop *l = calloc(1, sizeof *l);
  uint64_t last = 0, progress = 0;
  rig_setup(&l->r, sms, slices, 1, settings);
  l->rng.state = 5;
  for (uint64_t c = 0; l->answered < TOTAL; c++, l->r.now += PERIOD) {
    for (unsigned i = 0; i < sms; i++) sm_side(l, i, c, TOTAL);
    for (unsigned i = 0; i < slices; i++) memory_side(l, i);
    rig_visit_all(&l->r);
    if (l->answered != last) last = l->answered, progress = c;
    if (l->asked > TOTAL + sms || c - progress > PATIENCE) {
      struct str s = {0};
      noc_explain(l->r.f.net[0], l->r.now, &s);
      fail_msg("cycle %lu: %lu asked, %lu answered, nothing since %lu\n%s", c, l->asked, l->answered, progress, s.s);
    }
    if (l->answered >= l->asked && l->asked >= TOTAL) break;
  }
  assert_int_equal(l->asked, l->answered);
  assert_int_equal(mem_pool_out(l->r.pool), 0);
  rig_teardown(&l->r);
  free(l);
}

static void test_no_deadlock_with_back_pressure_in_both_classes(void **state) {
  (void)state;
  run_closed_loop(56, 8, SETTINGS("noc.topology=mesh", "dram.channels=8"));
  run_closed_loop(56, 8, SETTINGS("noc.topology=mesh", "dram.channels=8", "noc.input_buffer=1", "noc.inject_queue=1",
                                  "noc.output_buffer=1", "noc.flit_bytes=16"));
  run_closed_loop(56, 32, SETTINGS("noc.topology=mesh", "dram.channels=8", "noc.vcs=2", "noc.speedup=2"));
  run_closed_loop(12, 4, SETTINGS("noc.topology=mesh", "dram.channels=4", "noc.mesh_width=4", "noc.mesh_height=4",
                                  "noc.mesh_placement=rows", "noc.flit_bytes=8"));
  run_closed_loop(80, 64, SETTINGS("noc.topology=hxbar", "dram.channels=8"));
  run_closed_loop(80, 64, SETTINGS("noc.topology=cxbar", "noc.concentration=8", "noc.flit_bytes=16"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_crossbars_share_a_hot_spot_equally),
      cmocka_unit_test(test_mesh_shares_a_hot_spot_as_a_tree_of_fair_merges),
      cmocka_unit_test(test_concentrated_crossbar_is_limited_by_its_ports),
      cmocka_unit_test(test_hierarchical_crossbar_carries_as_much_as_the_full_one),
      cmocka_unit_test(test_narrow_long_links_halve_the_throughput),
      cmocka_unit_test(test_mesh_stays_below_the_load_of_its_busiest_link),
      cmocka_unit_test(test_mesh_routes_have_no_circle),
      cmocka_unit_test(test_no_deadlock_with_back_pressure_in_both_classes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
