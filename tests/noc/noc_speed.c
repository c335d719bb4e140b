/* How fast networks are simulated and what they carry: one line a topology and load, 80 SMs and 64 slices (the mesh:
 * 56 and 8), requests and 5-flit replies. A measurement, not a test; `make noc-speed`, or noc_speed [CYCLES [NETWORK]]. */
#include "nocrig.h"

#include <time.h>

struct result {
  double seconds, requests, replies, request_latency, reply_latency;
};

static double seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double mean_latency(const struct rig *r, unsigned dir) {
  const uint64_t *c = rig_counters(r, dir);
  return c[NOC_PACKETS_OUT] ? (double)c[NOC_LATENCY] / (double)c[NOC_PACKETS_OUT] : 0;
}

/* Each SM makes a request with probability `load` a cycle; each slice answers what it takes as soon as it can. Only
 * the networks' time is measured. */
static struct result measure(const char *const *settings, unsigned sms, unsigned slices, double load, uint64_t cycles) {
  struct rig *r = calloc(1, sizeof *r);
  struct rng rng = {3};
  struct result x = {0};
  rig_setup(r, sms, slices, 8, settings);
  for (uint64_t c = 0; c < cycles; c++, r->now += PERIOD) {
    for (unsigned i = 0; i < sms; i++) {
      rig_receive(r, 1, i);
      if ((double)rng_below(&rng, 1000000) < load * 1e6)
        rig_send(r, 0, i, (unsigned)rng_below(&rng, slices), 0, i);
    }
    for (unsigned i = 0; i < slices; i++) {
      if (!mem_port_free_slots(rig_in(r, 1, i), r->now)) continue;
      int64_t sm = rig_receive(r, 0, i);
      if (sm >= 0) rig_send(r, 1, i, (unsigned)sm, 128, 0);
    }
    double start = c % 16 < 15 ? 0 : seconds_now();
    rig_visit_all(r);
    if (start > 0) x.seconds += 16 * (seconds_now() - start);
  }
  x.requests = (double)rig_counters(r, 0)[NOC_FLITS_OUT] / (double)cycles;
  x.replies = (double)rig_counters(r, 1)[NOC_FLITS_OUT] / (double)cycles;
  x.request_latency = mean_latency(r, 0);
  x.reply_latency = mean_latency(r, 1);
  noc_fabric_free(&r->f);
  for (unsigned dir = 0; dir < 2; dir++)
    for (unsigned i = 0; i < rig_outs(r, dir); i++) mem_port_free(&r->port[dir][i]);
  mem_pool_delete(r->pool);
  free(r);
  return x;
}

int main(int argc, char **argv) {
  static const char *const kinds[][3] = {
      {"noc.topology=xbar", "noc.vcs=1", "xbar"},
      {"noc.topology=cxbar", "noc.concentration=2", "cxbar/2"},
      {"noc.topology=cxbar", "noc.concentration=4", "cxbar/4"},
      {"noc.topology=cxbar", "noc.concentration=8", "cxbar/8"},
      {"noc.topology=hxbar", "noc.vcs=1", "hxbar"},
      {"noc.topology=mesh", "noc.vcs=1", "mesh"},
  };
  uint64_t cycles = argc > 1 ? strtoull(argv[1], NULL, 10) : 40000;
  printf("%-8s %5s  %14s %14s  %9s %9s  %9s\n", "network", "load", "requests/cycle", "replies/cycle", "latency", "latency",
         "kcycles/s");
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    for (double load = 0.002; load < 1; load *= 5) {
      if (argc > 2 && strcmp(argv[2], kinds[k][2]) != 0) continue;
      bool mesh = !strcmp(kinds[k][2], "mesh");
      const char *const *s = SETTINGS(kinds[k][0], kinds[k][1], "dram.channels=8", "noc.speedup=2",
                                      mesh ? "noc.pipeline=2" : "noc.pipeline=4");
      struct result x = measure(s, mesh ? 56 : 80, mesh ? 8 : 64, load, cycles);
      printf("%-8s %5.3f  %14.2f %14.2f  %9.1f %9.1f  %9.0f\n", kinds[k][2], load, x.requests, x.replies,
             x.request_latency, x.reply_latency, (double)cycles / x.seconds / 1e3);
    }
  return 0;
}
