/* Random traffic in both directions, to the cycle: for every topology, with and without stages, with one to three channels and five sets of
 * times, light and with receivers that often do not take, a sum over who received what when and over all counters on the way. The sums of
 * tests/noc/traffic.tsv are of the first routers, which looked at every port in every cycle; faster ones must not differ.
 * `traffic_test --print` prints the table. */
#include "nocrig.h"

enum { CYCLES = 900, QUIET = 300 /* of which nobody sends in the last third */, LOOK = 97 };

static const char *const topologies[][2] = {{"xbar", "noc.flit_bytes=32"},
                                            {"cxbar", "noc.concentration=2"},
                                            {"hxbar", "noc.flit_bytes=32"},
                                            {"hxbar", "noc.flit_bytes=16"},
                                            {"mesh", "noc.flit_bytes=32"},
                                            {"mesh", "noc.flit_bytes=8"},    /* packets of 17 flits, with one channel and the first times */
                                            {"xbar", "noc.flit_bytes=16"}};  /* as few SMs and slices as the mesh, with one channel */
enum { MESH_LONG = 5, XBAR_FEW };
static const char *const stages[][2] = {{"noc.vc_stage=false", "noc.route_stage=false"},
                                        {"noc.vc_stage=true", "noc.route_stage=false"},
                                        {"noc.vc_stage=true", "noc.route_stage=true"}};
static const char *const times[][6] = {
    {"noc.pipeline=2", "noc.speedup=1", "noc.iterations=1", "noc.output_latency=3", "noc.credit_latency=1", "noc.link_latency=1"},
    {"noc.pipeline=1", "noc.speedup=2", "noc.iterations=2", "noc.output_latency=0", "noc.credit_latency=0", "noc.output_buffer=2"},
    {"noc.pipeline=4", "noc.speedup=1", "noc.iterations=1", "noc.output_latency=1", "noc.credit_latency=2", "noc.output_buffer=1"},
    {"noc.pipeline=2", "noc.speedup=2", "noc.iterations=1", "noc.link_interval=2", "noc.credit_latency=1", "noc.link_latency=3"},
    {"noc.pipeline=3", "noc.speedup=1", "noc.iterations=3", "noc.link_interval=3", "noc.output_buffer=3", "noc.input_buffer=3"}};

struct traffic {
  struct rig r;
  struct rng rng;
  double load;
  unsigned idle; /* per cent of a receiver's cycles in which it does not take */
  bool bypass;   /* requests stay in their column, and routers next to slices are wires */
  uint64_t sum;
};

static void add(struct traffic *t, uint64_t x) {
  t->sum ^= x + 0x9e3779b97f4a7c15u + (t->sum << 6) + (t->sum >> 2);
  t->sum = t->sum * 0xff51afd7ed558ccdu ^ t->sum >> 29;
}

static bool takes(struct traffic *t) { return rng_below(&t->rng, 100) >= t->idle; }

/* One SM: it receives, and sends to a slice that is often the one everybody likes now. */
static void visit_sm(struct traffic *t, unsigned sm, uint64_t cycle) {
  int64_t got = takes(t) ? rig_receive(&t->r, 1, sm) : -1;
  if (got >= 0) add(t, (uint64_t)got << 20 ^ sm << 8), add(t, cycle);
  if (cycle % QUIET >= QUIET * 2 / 3 || (double)rng_below(&t->rng, 1000000) >= t->load * 1e6) return;
  unsigned to = (unsigned)(rng_below(&t->rng, 4) ? rng_below(&t->rng, t->r.slices) : cycle / 50 % t->r.slices);
  if (t->bypass) to = to / 8 * 8 + sm / (t->r.sms / 8);
  rig_send(&t->r, 0, sm, to, rng_below(&t->rng, 3) ? 0 : 128, sm);
}

/* One slice: it answers what it takes. */
static void visit_slice(struct traffic *t, unsigned slice, uint64_t cycle) {
  if (!mem_port_free_slots(rig_in(&t->r, 1, slice), t->r.now) || !takes(t)) return;
  int64_t sm = rig_receive(&t->r, 0, slice);
  if (sm < 0) return;
  add(t, (uint64_t)sm << 20 ^ slice << 8 ^ 1), add(t, cycle);
  rig_send(&t->r, 1, slice, (unsigned)sm, rng_below(&t->rng, 4) ? 128 : 0, (uint32_t)cycle);
}

struct size {
  unsigned sms, slices;
};

static uint64_t run(const char *const *settings, struct size size, double load, unsigned idle, bool bypass) {
  struct traffic *t = calloc(1, sizeof *t);
  *t = (struct traffic){.rng = {3}, .load = load, .idle = idle, .bypass = bypass};
  rig_setup(&t->r, size.sms, size.slices, 2, settings);
  for (unsigned i = 0; i < t->r.f.n_nets && bypass; i++) noc_bypass(t->r.f.net[i], true, 0);
  for (uint64_t c = 0; c < CYCLES; c++, t->r.now += PERIOD) {
    for (unsigned i = 0; i < t->r.sms; i++) visit_sm(t, i, c);
    for (unsigned i = 0; i < t->r.slices; i++) visit_slice(t, i, c);
    rig_visit_all(&t->r);
    for (unsigned dir = 0; dir < 2 && c % LOOK == 0; dir++)
      for (unsigned k = 0; k < NOC_STATS; k++) add(t, rig_counters(&t->r, dir)[k]);
  }
  uint64_t sum = t->sum;
  rig_teardown(&t->r);
  free(t);
  return sum;
}

/* The n-th row of the table; false: there are no more. */
static bool row(unsigned n, char *text, size_t size) {
  unsigned bypass = n % 2, times_of = n / 2 % 5, vcs = 1 + n / 10 % 3, stage = n / 30 % 3, topology = n / 90;
  if (topology >= sizeof topologies / sizeof *topologies) return false;
  const char *name = topologies[topology][0], *const *q = times[times_of];
  char net[32], channels[32];
  text[0] = '\0';
  if (topology >= MESH_LONG && (vcs > 1 || (topology == MESH_LONG && times_of))) return true;
  if (bypass && (strcmp(name, "hxbar") || vcs > 1 || times_of > 1)) return true;
  snprintf(net, sizeof net, "noc.topology=%s", name);
  snprintf(channels, sizeof channels, "noc.vcs=%u", vcs);
  const char *const *s = SETTINGS(net, topologies[topology][1], stages[stage][0], stages[stage][1], channels, "dram.channels=8", q[0], q[1],
                                  q[2], q[3], q[4], q[5]);
  bool few = !strcmp(name, "mesh") || topology == XBAR_FEW;
  struct size shape = few ? (struct size){56, 8} : (struct size){80, 64};
  snprintf(text, size, "%s\t%s\t%u\t%u\t%u\t%u\t%016lx\t%016lx\n", name, topologies[topology][1], stage, vcs, times_of, bypass,
           run(s, shape, 0.02, 0, bypass), run(s, shape, 0.3, 30, bypass));
  return true;
}

static void test_every_packet_arrives_in_its_cycle(void **state) {
  (void)state;
  FILE *f = fopen("tests/noc/traffic.tsv", "r");
  assert_non_null(f);
  char here[256], there[256] = "#";
  unsigned rows = 0;
  for (unsigned n = 0; row(n, here, sizeof here); n++) {
    if (!here[0]) continue;
    do assert_non_null(fgets(there, sizeof there, f));
    while (there[0] == '#');
    assert_string_equal(here, there);
    rows++;
  }
  assert_null(fgets(there, sizeof there, f));
  assert_int_equal(rows, 255);
  fclose(f);
}

/* With so many channels that only words of them are looked at in which something is (worms.c); the sums are of when all were. */
static void test_a_network_of_many_words(void **state) {
  (void)state;
  static const struct {
    const char *stage, *output, *credit;
    uint64_t light, heavy; /* sums */
  } rows[] = {{"noc.route_stage=false", "noc.output_latency=3", "noc.credit_latency=1", 0x1510959f8dce7b8c, 0x31a5b4ead267fd4c},
              {"noc.route_stage=true", "noc.output_latency=3", "noc.credit_latency=1", 0x456be0f5504b9644, 0xa9df53579c0060c7},
              {"noc.route_stage=true", "noc.output_latency=0", "noc.credit_latency=0", 0x9e4a009a75e17ff4, 0xe0f7b02e2adca9b1}};
  const struct size large = {1024, 512};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *const *s = SETTINGS("noc.topology=hxbar", "noc.codesign=false", "gpu.clusters=32", "dram.channels=32", "noc.vcs=1",
                                    "noc.speedup=1", "noc.iterations=1", "noc.vc_stage=true",
                                    rows[i].stage, rows[i].output, rows[i].credit);
    uint64_t light = run(s, large, 0.002, 0, false), heavy = run(s, large, 0.3, 30, false);
    assert_int_equal(light, rows[i].light);
    assert_int_equal(heavy, rows[i].heavy);
  }
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "--print")) {
    char text[256];
    printf("# topology, its setting, stages, channels, times, bypassed (traffic_test.c); sums of light and of heavy traffic\n");
    for (unsigned n = 0; row(n, text, sizeof text); n++) fputs(text, stdout);
    return 0;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_packet_arrives_in_its_cycle),
                                     cmocka_unit_test(test_a_network_of_many_words)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
