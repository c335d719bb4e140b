/* A DRAM channel beside DRAMsim3 on the same requests at the same times: for every stream of dramsim3.tsv (what was run there is said
 * in its head) the time of the whole stream within 3 %, which is its bandwidth, and where requests come slower than they are served the
 * mean latency of reads within 5 %.
 *
 *   dramsim_test               compares
 *   dramsim_test --page        prints the table that docs/networks.md holds, and compares
 *   dramsim_test --streams     writes the streams: name, device, then a line for each request: clock, bank, row, column, 1 for a write */
#include "memtest.h"

#include "base/rng.h"

enum { REQUESTS = 6000, WINDOW = 48 /* requests under way */, BANKS = 16, COLUMNS = 64, ROWS = 4096 };

struct request {
  uint64_t at;
  uint16_t bank;
  uint16_t column; /* of 64 bytes */
  uint32_t row;
  bool write;
};

/* Which bank the next request goes to. */
enum order { RUNS /* the same until its row is changed */, TURNS /* the groups in turn, then their banks */, ANY };

struct stream {
  const char *name, *device;
  enum order order;
  unsigned banks;         /* that are used */
  unsigned run;           /* mean requests to a row */
  unsigned writes, block; /* writes in a hundred, that come in blocks of so many requests */
  unsigned interval;      /* mean clocks between requests; 0: as soon as they are taken */
};
static const struct stream streams[] = {
    {"hits in one group", "gddr5", RUNS, 16, 64, 0, 1, 0},
    {"hits over the groups", "gddr5", TURNS, 16, 64, 0, 1, 0},
    {"misses in one bank", "gddr5", RUNS, 1, 1, 0, 1, 0},
    {"misses in two banks of a group", "gddr5", TURNS, 8, 1, 0, 1, 0},
    {"misses over all banks", "gddr5", ANY, 16, 1, 0, 1, 0},
    {"rows of four over all banks", "gddr5", TURNS, 16, 4, 0, 1, 0},
    {"rows of eight, any bank", "gddr5", ANY, 16, 8, 0, 1, 0},
    {"writes over the groups", "gddr5", TURNS, 16, 64, 100, 1, 0},
    {"blocks of 32 reads and writes", "gddr5", TURNS, 16, 64, 50, 32, 0},
    {"a third writes, rows of eight", "gddr5", ANY, 16, 8, 33, 1, 0},
    {"one at a time, misses", "gddr5", ANY, 16, 1, 0, 1, 100},
    {"one at a time, hits", "gddr5", RUNS, 16, 64, 0, 1, 60},
    {"a quarter of the bus, misses", "gddr5", ANY, 16, 1, 0, 1, 12},
    {"half of the bus, rows of eight", "gddr5", ANY, 16, 8, 0, 1, 4},
    {"half of the bus, rows of 64", "gddr5", TURNS, 16, 64, 0, 1, 4},
    {"a third of the bus, rows of two", "gddr5", ANY, 16, 2, 0, 1, 8},
    {"half writes, a tenth of the bus", "gddr5", TURNS, 16, 64, 50, 1, 20},
    {"half writes, a quarter of the bus", "gddr5", TURNS, 16, 64, 50, 1, 8},
    {"a third writes in blocks, rows of eight", "gddr5", ANY, 16, 8, 33, 4, 8},
    {"hits over the groups", "hbm", TURNS, 16, 64, 0, 1, 0},
    {"hits in one group", "hbm", RUNS, 16, 64, 0, 1, 0},
    {"misses over all banks", "hbm", ANY, 16, 1, 0, 1, 0},
    {"rows of four over all banks", "hbm", TURNS, 16, 4, 0, 1, 0},
    {"half of the bus, rows of eight", "hbm", ANY, 16, 8, 0, 1, 4},
    {"a quarter of the bus, misses", "hbm", ANY, 16, 1, 0, 1, 10},
    {"half writes, a quarter of the bus", "hbm", TURNS, 16, 64, 50, 1, 8},
};
enum { STREAMS = sizeof streams / sizeof *streams };

static unsigned choose_bank(const struct stream *s, struct rng *g, unsigned i, unsigned last, bool changed) {
  if (s->order == ANY) return (unsigned)rng_below(g, s->banks);
  if (s->order == RUNS) return changed ? (last + 1) % s->banks : last;
  unsigned each = s->banks / 4, turn = i % s->banks;
  return turn % 4 * 4 + turn / 4 % each; /* a group is four neighbours */
}

static void make_stream(const struct stream *s, struct request *q) {
  struct rng g = {7};
  uint32_t row[BANKS] = {0}, column[BANKS] = {0}, left[BANKS] = {0};
  uint64_t at = 0;
  unsigned bank = 0;
  for (unsigned i = 0; i < REQUESTS; i++) {
    bank = choose_bank(s, &g, i, bank, i && !left[bank]);
    if (!left[bank]) {
      left[bank] = s->run;
      row[bank] = (uint32_t)rng_below(&g, ROWS);
      column[bank] = s->run == COLUMNS ? 0 : (uint32_t)rng_below(&g, COLUMNS);
    }
    left[bank]--;
    bool write = s->block == 1 ? rng_below(&g, 100) < s->writes : i / s->block % 2 == 1 && s->writes;
    q[i] = (struct request){at, (uint16_t)bank, (uint16_t)column[bank], row[bank], write};
    column[bank] = (column[bank] + 1) % COLUMNS;
    if (s->interval) at += 1 + rng_below(&g, 2 * s->interval - 1);
  }
}

/* ---- the channel ---- */

struct rig {
  struct mem_map *map;
  struct mem_pool *pool;
  struct dram_channel *c;
  struct mem_wake slice;
  struct mem_port fill;
};

static void setup(struct rig *r, bool hbm) {
  static const char *const gddr5[] = {
      "dram.bus_bytes=8", "dram.burst_length=8", "dram.rate=4", "dram.tCCD=2", "dram.tCCDL=3", "dram.tRRD=6", "dram.tFAW=24",
      "dram.tRCD=12", "dram.tRP=12", "dram.tRAS=28", "dram.tRC=40", "dram.tCL=12", "dram.tWL=4", "dram.tCDLR=5", "dram.tWR=12",
      "dram.tRTP=2", NULL};
  static const char *const hbm2[] = {
      "dram.bus_bytes=16", "dram.burst_length=4", "dram.rate=2", "dram.tCCD=2", "dram.tCCDL=4", "dram.tRRD=4", "dram.tRRDL=6",
      "dram.tFAW=30", "dram.tRCD=14", "dram.tRP=14", "dram.tRAS=34", "dram.tRC=48", "dram.tCL=14", "dram.tWL=4", "dram.tCDLR=6",
      "dram.tWR=16", "dram.tRTP=4", "dram.dual_command_bus=true", NULL};
  static const char *const base[] = {"dram.map=modulo", "dram.channels=1", "l2.slices_per_channel=1", "dram.latency=1", "dram.queue=64",
                                     "dram.row_bytes=4K", "dram.scheduler=bank-turns"};
  enum { BASE = sizeof base / sizeof *base };
  const char *all[40] = {0};
  struct err e = {0};
  memcpy(all, base, sizeof base);
  for (size_t i = 0; (hbm ? hbm2 : gddr5)[i]; i++) all[BASE + i] = (hbm ? hbm2 : gddr5)[i];
  struct cfg *cfg = memtest_cfg(all);
  r->map = mem_map_new(cfg, &e);
  r->pool = mem_pool_new();
  r->c = dram_channel_new(cfg, &(struct dram_place){0, 1, 1, r->map, r->pool}, &e);
  if (!r->c) fail_msg("%s", e.text);
  cfg_delete(cfg);
  r->slice = (struct mem_wake){.at = MEM_NEVER, .period = 1};
  mem_port_init(&r->fill, 64, 1, &r->slice, NULL);
  dram_connect(r->c, 0, &r->fill)->producer = &r->slice;
}

static void teardown(struct rig *r) {
  dram_channel_delete(r->c);
  mem_map_delete(r->map);
  mem_port_free(&r->fill);
  mem_pool_delete(r->pool);
}

static void push(struct rig *r, const struct request *q, uint64_t now) {
  struct mem_place p = {.bank = q->bank, .row = q->row, .column = q->column / 2 * 128u};
  struct mem_packet *k =
      memtest_packet(r->pool, q->write ? MEM_WRITEBACK : MEM_READ, mem_map_back(r->map, &p), q->column % 2 ? 12 : 3);
  mem_port_push(&r->c->in[0], k, now);
}

/* Plays a stream; returns its clocks and the mean latency of its reads. */
static double play(const struct stream *s, const struct request *q, double *latency) {
  struct rig r;
  uint64_t now = 0, back = 0;
  setup(&r, !strcmp(s->device, "hbm"));
  for (unsigned next = 0; next < REQUESTS || !dram_idle(r.c) || r.fill.count; now++) {
    while (mem_port_peek(&r.fill, now)) mem_packet_free(r.pool, mem_port_pop(&r.fill, now)), back++;
    bool may = next - back - r.c->counters[DRAM_WRITE_BURSTS] < WINDOW && mem_port_free_slots(&r.c->in[0], now);
    if (next < REQUESTS && q[next].at <= now && may) push(&r, &q[next++], now);
    if (r.c->wake.at > now) continue;
    r.c->wake.at = MEM_NEVER;
    mem_wake_at(&r.c->wake, dram_tick(r.c, now));
  }
  *latency = (double)r.c->counters[DRAM_LATENCY] / (double)(r.c->counters[DRAM_READS] ? r.c->counters[DRAM_READS] : 1);
  teardown(&r);
  return (double)now;
}

/* ---- beside what was recorded ---- */

static bool page;

static void compare(const struct stream *s, double clocks, double latency) {
  static struct request q[REQUESTS];
  double here_latency, here;
  make_stream(s, q);
  here = play(s, q, &here_latency);
  if (page && s->interval)
    printf("| %s | %s | %.0f | %.0f | %.3f | %.1f | %.1f | %.3f |\n", s->device, s->name, here, clocks, here / clocks, here_latency,
           latency, here_latency / latency);
  else if (page)
    printf("| %s | %s | %.0f | %.0f | %.3f | | | |\n", s->device, s->name, here, clocks, here / clocks);
  if (here < 0.97 * clocks || here > 1.03 * clocks)
    fail_msg("%s, %s: %.0f clocks, in DRAMsim3 %.0f", s->device, s->name, here, clocks);
  if (s->interval && (here_latency < 0.95 * latency || here_latency > 1.05 * latency))
    fail_msg("%s, %s: mean latency %.2f clocks, in DRAMsim3 %.2f", s->device, s->name, here_latency, latency);
}

static void test_streams_take_the_time_they_take_in_dramsim3(void **state) {
  (void)state;
  FILE *f = fopen("tests/dram/dramsim3.tsv", "r");
  char line[512], name[128], device[16];
  double clocks, latency;
  unsigned found = 0;
  assert_non_null(f);
  while (fgets(line, sizeof line, f)) {
    if (sscanf(line, "%127[^\t#]\t%15[^\t]\t%lf\t%lf", name, device, &clocks, &latency) != 4) continue;
    const struct stream *s = &streams[found++];
    if (found > STREAMS || strcmp(s->name, name) || strcmp(s->device, device)) fail_msg("%s, %s is not stream %u", device, name, found);
    compare(s, clocks, latency);
  }
  fclose(f);
  assert_int_equal(found, STREAMS);
}

static int write_streams(void) {
  static struct request q[REQUESTS];
  for (const struct stream *s = streams; s < streams + STREAMS; s++) {
    make_stream(s, q);
    printf("%s\t%s\t%d\n", s->name, s->device, REQUESTS);
    for (unsigned i = 0; i < REQUESTS; i++) printf("%lu %u %u %u %d\n", q[i].at, q[i].bank, q[i].row, q[i].column, q[i].write);
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "--streams")) return write_streams();
  page = argc > 1 && !strcmp(argv[1], "--page");
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_streams_take_the_time_they_take_in_dramsim3)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
