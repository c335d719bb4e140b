/* The networks beside BookSim 2 on synthetic traffic: for every row of booksim.tsv (what was run there is said in its head) the latency
 * at low load and the throughput under more load than the network carries, both within 5 %.
 *
 *   booksim_test           compares
 *   booksim_test --page    prints the table that docs/networks.md holds, and compares
 *
 * What corresponds: noc.pipeline 2 is the channel to a router (latency 1, and its register), noc.output_latency 3 the switch and the
 * channel to a receiver, noc.credit_latency 1 the register of the channel of credits; output buffers hold what a receiver's credits
 * allow. */
#include "nocrig.h"

#include "base/rng.h"

struct row {
  char network[32], pattern[16], direction[16];
  unsigned vcs, route, speedup, buffer;
  double latency, flits;
};

/* A network of the table: its shape here. `apart`: the slices of pattern `few` are that far apart. */
struct shape {
  const char *network, *topology, *concentration;
  unsigned sms, slices, channels, few, apart;
};
static const struct shape shapes[] = {
    {"xbar", "noc.topology=xbar", "noc.concentration=1", 80, 64, 8, 8, 8},
    {"cxbar/2", "noc.topology=cxbar", "noc.concentration=2", 80, 64, 8, 8, 8},
    {"cxbar/4", "noc.topology=cxbar", "noc.concentration=4", 80, 64, 8, 8, 8},
    {"hxbar", "noc.topology=hxbar", "noc.concentration=1", 80, 64, 8, 8, 8},
    {"mesh", "noc.topology=mesh", "noc.concentration=1", 56, 8, 8, 4, 1},
    {"xbar 15x12", "noc.topology=xbar", "noc.concentration=1", 15, 12, 6, 6, 2},
};

static const struct shape *shape_of(const struct row *w) {
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    if (!strcmp(shapes[i].network, w->network)) return &shapes[i];
  fail_msg("there is no network %s", w->network);
  return NULL;
}

struct load {
  const struct shape *shape;
  unsigned dir, flits;
  bool few, hot;
  double rate; /* flits a cycle and source; 1: always */
  struct rng rng;
  uint64_t waiting[MAX]; /* packets of each source that are not in the network yet */
};

static bool sends(const struct load *l, unsigned i) {
  return !l->dir || !l->few || (i % l->shape->apart == 0 && i / l->shape->apart < l->shape->few);
}

static unsigned choose_receiver(struct load *l, const struct rig *r) {
  if (l->hot && rng_below(&l->rng, 5) == 0) return 0;
  if (l->few && !l->dir) return (unsigned)rng_below(&l->rng, l->shape->few) * l->shape->apart;
  return (unsigned)rng_below(&l->rng, rig_outs(r, l->dir));
}

static void offer(struct load *l, struct rig *r, unsigned i) {
  enum { MILLION = 1000000 };
  if (l->rate >= 1) l->waiting[i] = 1;
  else l->waiting[i] += (double)rng_below(&l->rng, MILLION) < l->rate / l->flits * MILLION;
  if (!l->waiting[i] || !mem_port_free_slots(rig_in(r, l->dir, i), r->now)) return;
  l->waiting[i] -= rig_send(r, l->dir, i, choose_receiver(l, r), l->flits * 32 - 8, 0);
}

/* After a third of the cycles: flits a cycle that arrive, and the mean latency of packets. */
static double run(struct load *l, const char *const *settings, unsigned cycles, double *latency) {
  struct rig r;
  uint64_t before[NOC_STATS] = {0};
  rig_setup(&r, l->shape->sms, l->shape->slices, 8, settings);
  for (unsigned c = 0; c < cycles; c++, r.now += PERIOD) {
    if (c == cycles / 3) memcpy(before, rig_counters(&r, l->dir), sizeof before);
    for (unsigned i = 0; i < rig_ins(&r, l->dir); i++)
      if (sends(l, i)) offer(l, &r, i);
    for (unsigned o = 0; o < rig_outs(&r, l->dir); o++) rig_receive(&r, l->dir, o);
    rig_visit_all(&r);
  }
  const uint64_t *n = rig_counters(&r, l->dir);
  *latency = (double)(n[NOC_LATENCY] - before[NOC_LATENCY]) / (double)(n[NOC_PACKETS_OUT] - before[NOC_PACKETS_OUT]);
  double flits = (double)(n[NOC_FLITS_OUT] - before[NOC_FLITS_OUT]) / (cycles - cycles / 3);
  noc_fabric_free(&r.f);
  for (unsigned dir = 0; dir < 2; dir++)
    for (unsigned i = 0; i < rig_outs(&r, dir); i++) mem_port_free(&r.port[dir][i]);
  mem_pool_delete(r.pool);
  return flits;
}

static void measure(const struct row *w, double *latency, double *flits) {
  const struct shape *s = shape_of(w);
  char vcs[32], route[32], speedup[32], buffer[32], output[32], channels[32];
  snprintf(vcs, sizeof vcs, "noc.vcs=%u", w->vcs);
  snprintf(route, sizeof route, "noc.route_stage=%s", w->route ? "true" : "false");
  snprintf(speedup, sizeof speedup, "noc.speedup=%u", w->speedup);
  snprintf(buffer, sizeof buffer, "noc.input_buffer=%u", w->buffer);
  snprintf(output, sizeof output, "noc.output_buffer=%u", w->buffer * w->vcs);
  snprintf(channels, sizeof channels, "dram.channels=%u", s->channels);
  const char *const *settings = SETTINGS(s->topology, s->concentration, vcs, route, speedup, buffer, output, channels, "noc.flit_bytes=32",
                                         "noc.vc_stage=true", "noc.pipeline=2", "noc.output_latency=3", "noc.credit_latency=1");
  bool reply = !strcmp(w->direction, "reply"), hot = !strcmp(w->pattern, "hot");
  struct load l = {.shape = s, .dir = reply, .flits = reply ? 5 : 1, .hot = hot, .few = !strcmp(w->pattern, "few"), .rng = {11}};
  double unused;
  l.rate = 1;
  *flits = run(&l, settings, hot || l.few ? 20000 : 6000, &unused);
  memset(l.waiting, 0, sizeof l.waiting);
  bool mesh = s->slices == 8; /* where latencies differ from pair to pair */
  l.rate = mesh ? 0.01 : 0.004;
  run(&l, settings, mesh ? 150000 : 20000, latency);
}

static bool page;
static unsigned rows;

static bool near(double here, double there) { return here > 0.95 * there && here < 1.05 * there; }

static void compare(const struct row *w) {
  double latency, flits;
  measure(w, &latency, &flits);
  rows++;
  if (page)
    printf("| %s | %u | %s | %s | %u | %u | %u | %.2f | %.2f | %.2f | %.2f | %.2f |\n", w->network, w->vcs, w->pattern, w->direction,
           3 + w->route, w->speedup, w->buffer, latency, w->latency, flits, w->flits, flits / w->flits);
  if (!near(latency, w->latency) || !near(flits, w->flits))
    fail_msg("%s, %u channels of %u flits, %s %s, %u stages, speed-up %u: latency %.2f and in BookSim %.2f, flits a cycle %.3f and %.3f",
             w->network, w->vcs, w->buffer, w->pattern, w->direction, 3 + w->route, w->speedup, latency, w->latency, flits, w->flits);
}

static void test_networks_are_within_five_per_cent_of_booksim(void **state) {
  (void)state;
  FILE *f = fopen("tests/noc/booksim.tsv", "r");
  assert_non_null(f);
  char line[512];
  if (page)
    printf("| network | VCs | pattern | | stages | speed-up | buffer | latency | BookSim | flits a cycle | BookSim | ratio |\n"
           "|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  while (fgets(line, sizeof line, f)) {
    struct row w;
    if (sscanf(line, "%31[^\t#]\t%u\t%15[^\t]\t%15[^\t]\t%u\t%u\t%u\t%lf\t%lf", w.network, &w.vcs, w.pattern, w.direction, &w.route,
               &w.speedup, &w.buffer, &w.latency, &w.flits) == 9)
      compare(&w);
  }
  fclose(f);
  assert_int_equal(rows, 126);
}

int main(int argc, char **argv) {
  page = argc > 1 && !strcmp(argv[1], "--page");
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_networks_are_within_five_per_cent_of_booksim)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
