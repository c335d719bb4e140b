/* The whole memory side, networks, slices and channels, between mock SMs, with real clock ratios (700 and 924
 * MHz: periods 33 and 25). Random requests under random back-pressure: all are answered, everything is
 * conserved, the oldest packet can be explained, and the order of visits within an instant changes nothing.
 */
#include "memtest.h"

enum { CORE = 33, DRAM = 25, SMS = 15, REQUESTS = 600, MAX_PARTS = 64, FOOTPRINT = 40000 };

struct sm {
  struct mem_wake wake;
  struct mem_port in, *out;
  struct rng traffic, refuse;
  uint32_t sent, asked_sectors, got_sectors;
  uint64_t checksum; /* of what came when */
};

struct rig {
  struct mem_map *map;
  struct mem_pool *pool;
  struct noc_fabric f;
  struct llc_slice *slice[12];
  struct dram_channel *channel[6];
  struct sm sm[SMS];
  struct stats *stats;
  uint64_t now;
};

static void setup(struct rig *r, const char *const *settings) {
  struct cfg *cfg = memtest_cfg(settings);
  struct err e = {0};
  memset(r, 0, sizeof *r);
  r->map = mem_map_new(cfg, &e);
  r->pool = mem_pool_new();
  r->stats = stats_new();
  assert_true(noc_fabric_init(&r->f, cfg, SMS, 12, CORE, &e));
  for (unsigned i = 0; i < 6; i++)
    r->channel[i] = dram_channel_new(cfg, &(struct dram_place){i, DRAM, CORE, r->map, r->pool}, &e);
  for (unsigned i = 0; i < 12; i++) {
    struct llc_place place = {.id = i, .period = CORE, .map = r->map, .pool = r->pool};
    struct llc_slice *s = r->slice[i] = llc_slice_new(cfg, &place, &e);
    llc_connect(s, noc_input(&r->f.reply, i, &s->wake), dram_connect(r->channel[i / 2], i % 2, &s->fill));
    noc_connect(&r->f.request, i, &s->in);
    llc_register(s, r->stats);
  }
  for (unsigned i = 0; i < 6; i++) dram_register(r->channel[i], r->stats);
  for (unsigned i = 0; i < 2; i++) noc_register(r->f.net[i], r->stats);
  for (unsigned i = 0; i < SMS; i++) {
    struct sm *s = &r->sm[i];
    s->wake = (struct mem_wake){.at = 0, .period = CORE};
    mem_port_init(&s->in, 2, 1, &s->wake, NULL);
    noc_connect(&r->f.reply, i, &s->in);
    s->out = noc_input(&r->f.request, i, &s->wake);
    s->traffic.state = i;
    s->refuse.state = 100 + i;
  }
  cfg_delete(cfg);
}

static void teardown(struct rig *r) {
  noc_fabric_free(&r->f);
  for (unsigned i = 0; i < 12; i++) llc_slice_delete(r->slice[i]);
  for (unsigned i = 0; i < 6; i++) dram_channel_delete(r->channel[i]);
  for (unsigned i = 0; i < SMS; i++) mem_port_free(&r->sm[i].in);
  stats_delete(r->stats);
  mem_map_delete(r->map);
  mem_pool_delete(r->pool);
}

static void send(struct rig *r, struct sm *s) {
  static const enum mem_kind kinds[] = {MEM_READ, MEM_READ, MEM_READ, MEM_WRITE, MEM_ATOMIC};
  struct mem_packet *k = memtest_packet(r->pool, kinds[rng_below(&s->traffic, 5)], 0, 0);
  k->line = rng_below(&s->traffic, FOOTPRINT) * 128;
  k->bytes = (struct mem_bytes){{rng_next(&s->traffic) | 1, rng_next(&s->traffic) & rng_next(&s->traffic)}};
  k->sectors = mem_sectors_of(k->bytes);
  k->payload = k->kind == MEM_READ ? 0 : 128;
  k->sm = (uint16_t)(s - r->sm);
  k->slice = mem_map_slice(r->map, k->line);
  k->born = r->now;
  s->asked_sectors += (uint32_t)__builtin_popcount(k->sectors);
  s->sent++;
  mem_port_push(s->out, k, r->now);
}

/* Takes a reply two cycles in three, sends whenever a slot is free. */
static uint64_t sm_tick(struct rig *r, struct sm *s) {
  struct mem_packet *k = mem_port_peek(&s->in, r->now);
  if (k && rng_below(&s->refuse, 3)) {
    mem_port_pop(&s->in, r->now);
    s->got_sectors += (uint32_t)__builtin_popcount(k->sectors);
    s->checksum = (s->checksum ^ k->line ^ k->sectors ^ r->now) * 0x9e3779b97f4a7c15u;
    mem_packet_free(r->pool, k);
  }
  if (s->sent < REQUESTS && mem_port_free_slots(s->out, r->now)) send(r, s);
  return s->sent < REQUESTS || s->in.count || s->got_sectors < s->asked_sectors ? r->now + CORE : MEM_NEVER;
}

static struct mem_wake *part(struct rig *r, unsigned i, unsigned *what) {
  *what = i < SMS ? 0 : i < SMS + 12 ? 1 : i < SMS + 18 ? 2 : 3;
  return *what == 0   ? &r->sm[i].wake
         : *what == 1 ? &r->slice[i - SMS]->wake
         : *what == 2 ? &r->channel[i - SMS - 12]->wake
                      : &r->f.net[i - SMS - 18]->wake;
}

static void visit(struct rig *r, unsigned i) {
  unsigned what;
  struct mem_wake *w = part(r, i, &what);
  if (w->at > r->now) return;
  w->at = MEM_NEVER;
  mem_wake_at(w, what == 0   ? sm_tick(r, &r->sm[i])
                 : what == 1 ? llc_tick(r->slice[i - SMS], r->now)
                 : what == 2 ? dram_tick(r->channel[i - SMS - 12], r->now)
                             : noc_tick(r->f.net[i - SMS - 18], r->now));
}

static void explain_all(const struct rig *r, struct str *s) {
  for (unsigned i = 0; i < 2; i++) noc_explain(r->f.net[i], r->now, s);
  for (unsigned i = 0; i < 12; i++) llc_explain(r->slice[i], r->now, s);
  for (unsigned i = 0; i < 6; i++) dram_explain(r->channel[i], r->now, s);
}

/* Until nobody wants to be visited. */
static void run(struct rig *r, uint64_t order) {
  enum { PARTS = SMS + 12 + 6 + 2 };
  struct rng shuffle = {order};
  unsigned turn[PARTS], what;
  for (unsigned i = 0; i < PARTS; i++) turn[i] = i;
  for (;;) {
    uint64_t next = MEM_NEVER;
    for (unsigned i = 0; i < PARTS; i++) {
      uint64_t at = part(r, i, &what)->at;
      next = at < next ? at : next;
    }
    if (next == MEM_NEVER) return;
    r->now = next;
    if (r->now > 3000000ull * CORE) {
      struct str s = {0};
      explain_all(r, &s);
      fail_msg("no end\n%s", s.s);
    }
    for (unsigned i = PARTS - 1; order && i > 0; i--) {
      unsigned j = (unsigned)rng_below(&shuffle, i + 1), t = turn[i];
      turn[i] = turn[j];
      turn[j] = t;
    }
    for (unsigned i = 0; i < PARTS; i++) visit(r, turn[i]);
  }
}

static void check(const struct rig *r) {
  struct err e = {0};
  bool ok = true;
  for (unsigned i = 0; i < 2; i++) ok &= noc_check(r->f.net[i], &e) && noc_idle(r->f.net[i]);
  for (unsigned i = 0; i < 12; i++) ok &= llc_check(r->slice[i], &e) && llc_idle(r->slice[i]);
  for (unsigned i = 0; i < 6; i++) ok &= dram_check(r->channel[i], &e) && dram_idle(r->channel[i]);
  if (!ok) fail_msg("%s", e.text);
  assert_int_equal(mem_pool_out(r->pool), 0);
  assert_int_equal(stats_get(r->stats, "l2.accesses"), SMS * REQUESTS);
  assert_int_equal(stats_get(r->stats, "dram.reads"), stats_get(r->stats, "l2.fetches"));
  assert_int_equal(stats_get(r->stats, "dram.writes"), stats_get(r->stats, "l2.writebacks"));
  assert_int_equal(stats_get(r->stats, "noc.reply_packets"), stats_get(r->stats, "l2.replies"));
}

static const char *const variants[][8] = {
    {"noc.flit_bytes=40", "noc.speedup=2", "noc.reply_per_sector=true", "l2.write_ack=sector", NULL},
    {"noc.flit_bytes=32", "dram.write_queue=32", "dram.tREFI=3600", "dram.tRFC=120", "dram.map=pae", NULL},
    {"noc.vcs=2", "noc.iterations=2", "l2.mshrs=8", "l2.mshr_merge=1", "dram.queue=4", "dram.map=ipoly",
     NULL},
    {"noc.voq=true", "l2.sectored=false", "l2.sets=32", "dram.scheduler=fcfs", "dram.map=modulo", NULL},
};

static void test_everything_is_answered_whatever_the_order_of_visits(void **state) {
  (void)state;
  for (size_t v = 0; v < 4; v++) {
    struct rig *r[3];
    for (uint64_t order = 0; order < 3; order++) {
      r[order] = calloc(1, sizeof **r);
      setup(r[order], variants[v]);
      run(r[order], order);
      check(r[order]);
      for (unsigned i = 0; i < SMS; i++) assert_int_equal(r[order]->sm[i].checksum, r[0]->sm[i].checksum);
      for (size_t i = 0; i < stats_count(r[0]->stats); i++)
        assert_int_equal(stats_total(r[order]->stats, i), stats_total(r[0]->stats, i));
    }
    for (unsigned i = 0; i < 3; i++) teardown(r[i]), free(r[i]);
  }
}

/* A request that is not answered can be found from the explanations alone. */
static void test_explains_where_the_oldest_request_is(void **state) {
  (void)state;
  struct rig *r = calloc(1, sizeof *r);
  struct str s = {0};
  setup(r, variants[0]);
  for (unsigned i = 0; i < SMS; i++) r->sm[i].sent = REQUESTS;
  r->sm[3].sent = REQUESTS - 1;
  unsigned lines = 0;
  for (r->now = 0; r->now < 400 * CORE; r->now++) {
    for (unsigned i = 0; i < SMS + 20; i++) visit(r, i);
    if (r->now % (20 * CORE)) continue;
    explain_all(r, &s);
    lines += s.s && strstr(s.s, "SM 3") != NULL;
  }
  assert_true(lines > 5);
  assert_int_equal(mem_pool_out(r->pool), 0);
  str_free(&s);
  teardown(r);
  free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_everything_is_answered_whatever_the_order_of_visits),
      cmocka_unit_test(test_explains_where_the_oldest_request_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
