/* The reply compressor: alone, behind an L2 slice with a mock network, in a port, and in a whole GPU, where what it costs and
 * saves can be added up by hand. Times of the slice are cycles of 2 ticks. */
#include "gpu_rig.h"
#include "test_settings.h"

#include "base/rng.h"
#include "llc/llc.h"
#include "mem/mem_map.h"
#include "noc/noc.h"
#include "reply/packer.h"

enum { PERIOD = 2, WHOLE = 15, LINES = 64 };

/* Device memory of the mock: line i holds numbers that differ in their lowest i % 33 bits; the last line is nowhere. */
static bool mock_read(void *user, const struct mem_packet *k, uint8_t *block) {
  unsigned line = (unsigned)(k->line / MEM_LINE), *reads = user;
  if (line == LINES - 1) return false;
  if (reads) (*reads)++;
  for (uint32_t i = 0; i < 32; i++) {
    uint32_t w = line % 33 == 32 ? i * 0x9e3779b1u + 1 : (i % 2 ? (1u << line % 33) - 1 : 0);
    memcpy(block + 4 * i, &w, 4);
  }
  return true;
}

#define CONFIG(...) with_settings(gpu_cfg_new(), SETTINGS(__VA_ARGS__))

static bool open_packer(struct reply_packer *p, struct cfg *c, uint64_t noc_period, unsigned *reads) {
  struct reply_pack_place place = {
      .period = PERIOD, .noc_period = noc_period, .header = NOC_HEADER, .read = mock_read, .user = reads};
  bool on = reply_packer_init(p, c, &place);
  cfg_delete(c);
  return on;
}

static struct mem_packet reply_of(unsigned line, uint8_t sectors) {
  return (struct mem_packet){.kind = MEM_READ_REPLY,
                             .class_ = MEM_GLOBAL,
                             .line = (uint64_t)line * MEM_LINE,
                             .sectors = sectors,
                             .payload = (uint16_t)(MEM_SECTOR * __builtin_popcount(sectors))};
}

/* ---- alone ---- */

static void test_none_is_no_compressor(void **state) {
  (void)state;
  struct reply_packer p;
  assert_false(open_packer(&p, CONFIG("reply.compress=none"), 1, NULL));
  struct cfg *c = gpu_cfg_new();
  assert_int_equal(reply_unpack_latency(c, 1, 1), 0);
  cfg_delete(c);
}

static void test_latencies_are_network_cycles_in_whole_cycles_of_the_component(void **state) {
  (void)state;
  struct reply_packer p;
  open_packer(&p, CONFIG("reply.compress=dpc", "dpc.compress_latency=3"), 1, NULL); /* 3 ticks: two cycles of 2 */
  assert_int_equal(p.latency, 4);
  reply_packer_free(&p);
  struct cfg *c = CONFIG("reply.compress=cpack", "cpack.decompress_latency=5", "dpc.decompress_latency=50");
  assert_int_equal(reply_unpack_latency(c, 3, 7), 21);
  cfg_delete(c);
}

static void test_each_compressor_has_latencies_of_its_own(void **state) {
  (void)state;
  static const char *const names[] = {"dpc", "bdi", "fpc", "cpack"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char chosen[32], pack[48], unpack[48];
    struct reply_packer p;
    snprintf(chosen, sizeof chosen, "reply.compress=%s", names[i]);
    snprintf(pack, sizeof pack, "%s.compress_latency=30", names[i]);
    snprintf(unpack, sizeof unpack, "%s.decompress_latency=40", names[i]);
    open_packer(&p, CONFIG(chosen, pack, unpack), 1, NULL);
    assert_int_equal(p.latency, 30);
    reply_packer_free(&p);
    struct cfg *c = CONFIG(chosen, pack, unpack);
    assert_int_equal(reply_unpack_latency(c, 1, 1), 40);
    cfg_delete(c);
  }
}

static void test_the_payload_is_the_encoding_of_what_is_sent(void **state) {
  (void)state;
  struct reply_packer p;
  unsigned reads = 0;
  open_packer(&p, CONFIG("reply.compress=dpc", "dpc.compress_latency=8", "noc.flit_bytes=32"), 1, &reads);
  /* Line 5: five groups differ. Whole 1 + 32 + 27 + 5 * 32 = 220 bits, a sector 1 + 32 + 27 + 5 * 8 = 100. Line 32 does not
   * become shorter, and is sent with the bit that says so; nobody knows the last line. */
  struct mem_packet k[] = {reply_of(5, WHOLE), reply_of(5, 4), reply_of(32, WHOLE), reply_of(LINES - 1, 3)};
  const uint16_t payload[] = {28, 13, 129, 64};
  for (unsigned i = 0; i < 4; i++) reply_pack_in(&p, &k[i], 100);
  assert_int_equal(k[0].payload, 128); /* bytes are looked at when the instant ends */
  reply_pack(&p);
  assert_int_equal(reads, 3);
  for (unsigned i = 0; i < 4; i++) {
    assert_int_equal(k[i].payload, payload[i]);
    assert_int_equal(k[i].packed, i < 2);
  }
  assert_int_equal(p.counters[PACK_BLOCKS], 4);
  assert_int_equal(p.counters[PACK_TO_32], 2);
  assert_int_equal(p.counters[PACK_PLAIN], 1);
  assert_int_equal(p.counters[PACK_UNREAD], 1);
  assert_int_equal(p.counters[PACK_BYTES], 128 + 32 + 128 + 64);
  assert_int_equal(p.counters[PACK_BITS], 220 + 100 + 1025 + 512);
  assert_int_equal(p.counters[PACK_FLITS], 5 + 2 + 5 + 3);
  assert_int_equal(p.counters[PACK_FLITS_SAVED], (5 - 2) + (2 - 1) + 0 + 0);
  reply_packer_free(&p);
}

/* A line of n groups that differ takes 65 + 31 n bits: 6 of them 32 bytes, 7 36, 14 63, 15 67, 22 94, 23 98, 30 125. */
static void test_blocks_are_counted_by_their_size(void **state) {
  (void)state;
  struct reply_packer p;
  static const unsigned lines[] = {6, 7, 14, 15, 22, 23, 30};
  open_packer(&p, CONFIG("reply.compress=dpc"), 1, NULL);
  for (unsigned i = 0; i < 7; i++) {
    struct mem_packet k = reply_of(lines[i], WHOLE);
    reply_pack_in(&p, &k, 100);
    reply_pack(&p);
    reply_pack_out(&p);
  }
  assert_int_equal(p.counters[PACK_TO_32], 1);
  assert_int_equal(p.counters[PACK_TO_64], 2);
  assert_int_equal(p.counters[PACK_TO_96], 2);
  assert_int_equal(p.counters[PACK_TO_128], 2);
  assert_int_equal(p.counters[PACK_PLAIN], 0);
  reply_packer_free(&p);
}

/* Data filtering by manipulation: the payload is still the whole line's, of which sector 0 matters. */
static void test_a_whole_line_of_which_a_part_matters_is_zero_filled_if_that_is_shorter(void **state) {
  (void)state;
  struct reply_packer p;
  open_packer(&p, CONFIG("reply.compress=dpc"), 1, NULL);
  /* In line 5 zeros gain nothing: five groups differ in either. Line 32 is noise, in which zeros make those groups
   * of one value in which all eight words of sector 0 have a zero. */
  struct mem_packet k[] = {reply_of(32, 1), reply_of(5, 1)};
  unsigned shorter = 0;
  for (unsigned i = 0; i < 2; i++) {
    k[i].payload = MEM_LINE;
    reply_pack_in(&p, &k[i], 0);
    reply_pack(&p);
    reply_pack_out(&p);
  }
  uint8_t block[COMPRESS_BLOCK], filled[COMPRESS_BLOCK];
  for (unsigned i = 0; i < 2; i++) {
    mock_read(NULL, &k[i], block);
    compress_zero_fill(block, 1, filled);
    uint32_t as_it_is = p.how->bits(block, WHOLE), zeros = p.how->bits(filled, WHOLE);
    assert_int_equal(k[i].payload, compress_bytes(zeros < as_it_is ? zeros : as_it_is));
    shorter += zeros < as_it_is;
  }
  assert_int_equal(p.counters[PACK_ZERO_FILLED], shorter);
  assert_int_equal(k[1].payload, 28);
  assert_int_equal(p.counters[PACK_BYTES], 2 * MEM_LINE);
  reply_packer_free(&p);
}

static void test_a_block_that_does_not_shrink_may_take_a_flit_more(void **state) {
  (void)state;
  struct reply_packer p;
  open_packer(&p, CONFIG("reply.compress=dpc", "noc.flit_bytes=8"), 1, NULL);
  struct mem_packet plain = reply_of(32, WHOLE), packed = reply_of(5, WHOLE);
  reply_pack_in(&p, &plain, 100);
  reply_pack_in(&p, &packed, 100);
  reply_pack(&p);
  assert_int_equal(p.counters[PACK_FLITS], 17 + 17);
  assert_int_equal(p.counters[PACK_FLITS_ADDED], 1);        /* 8 + 129 bytes */
  assert_int_equal(p.counters[PACK_FLITS_SAVED], 17 - 5);   /* 8 + 28 */
  reply_packer_free(&p);
}

/* ---- behind a slice ---- */

struct rig2 {
  struct reply_packer packer;
  struct mem_map *map;
  struct mem_pool *pool;
  struct llc_slice *s;
  struct mem_wake sm, dram;
  struct mem_port reply, mem;
  uint64_t now;
  bool sink_stops;
  unsigned n;
  uint64_t seen[512]; /* cycle, by owner */
  uint16_t payload[512];
};

static void setup(struct rig2 *r, const char *how, const char *latency) {
  struct err e = {0};
  const char *const base[] = {"dram.map=modulo", "dram.channels=1", "l2.slices_per_channel=1", "l2.sets=64", "l2.ways=2",
                              "l2.latency=10",   "l2.data_bytes=128", how, latency, NULL};
  struct cfg *cfg = with_settings(gpu_cfg_new(), base);
  memset(r, 0, sizeof *r);
  r->map = mem_map_new(cfg, &e);
  r->pool = mem_pool_new();
  r->s = llc_slice_new(cfg, &(struct llc_place){.period = PERIOD, .map = r->map, .pool = r->pool}, &e);
  if (!r->s) fail_msg("%s", e.text);
  r->sm = r->dram = (struct mem_wake){.at = MEM_NEVER, .period = PERIOD};
  mem_port_init(&r->reply, 2, 1, &r->sm, NULL);
  mem_port_init(&r->mem, 2, 1, &r->dram, NULL);
  llc_connect(r->s, &r->reply, &r->mem);
  r->s->in.producer = &r->sm;
  r->s->fill.producer = &r->dram;
  if (open_packer(&r->packer, cfg, PERIOD, NULL)) r->s->packer = &r->packer;
  for (unsigned i = 0; i < LINES; i++) llc_install_line(r->s, i * MEM_LINE, WHOLE);
}

static void teardown(struct rig2 *r) {
  struct err e = {0};
  if (!llc_check(r->s, &e)) fail_msg("%s", e.text);
  assert_true(llc_idle(r->s));
  assert_int_equal(mem_pool_out(r->pool), 0);
  llc_slice_delete(r->s);
  mem_map_delete(r->map);
  mem_port_free(&r->reply);
  mem_port_free(&r->mem);
  mem_pool_delete(r->pool);
  reply_packer_free(&r->packer);
}

static void send(struct rig2 *r, enum mem_kind kind, unsigned line) {
  struct mem_packet *k = mem_packet_new(r->pool);
  *k = (struct mem_packet){.kind = (uint8_t)kind, .line = (uint64_t)line * MEM_LINE, .sectors = WHOLE, .owner = r->n++};
  k->bytes.b[0] = k->bytes.b[1] = UINT64_MAX;
  mem_port_push(&r->s->in, k, r->now);
}

/* One cycle; the sink is visited first or last. */
static void step(struct rig2 *r, bool sink_first) {
  for (unsigned phase = 0; phase < 2; phase++) {
    if ((phase == 0) == sink_first) {
      struct mem_packet *k = r->sink_stops ? NULL : mem_port_peek(&r->reply, r->now);
      if (!k) continue;
      mem_port_pop(&r->reply, r->now);
      r->seen[k->owner] = r->now / PERIOD;
      r->payload[k->owner] = k->payload;
      mem_packet_free(r->pool, k);
    } else if (r->s->wake.at <= r->now) {
      r->s->wake.at = MEM_NEVER;
      mem_wake_at(&r->s->wake, llc_tick(r->s, r->now));
    }
  }
  if (r->s->packer) reply_pack(r->s->packer);
  r->now += PERIOD;
}
static void steps(struct rig2 *r, unsigned n) {
  while (n--) step(r, false);
}

static void test_a_reply_leaves_the_compressors_latency_later(void **state) {
  (void)state;
  struct rig2 plain, packed;
  setup(&plain, "reply.compress=none", "dpc.compress_latency=7");
  setup(&packed, "reply.compress=dpc", "dpc.compress_latency=7");
  send(&plain, MEM_READ, 5);
  send(&packed, MEM_READ, 5);
  steps(&plain, 60);
  uint64_t at = plain.seen[0];
  assert_true(at != 0);
  steps(&packed, (unsigned)at + 7);
  assert_int_equal(packed.seen[0], 0); /* not at at + 6 */
  steps(&packed, 1);
  assert_int_equal(packed.seen[0], at + 7);
  assert_int_equal(plain.payload[0], 128);
  assert_int_equal(packed.payload[0], 28);
  teardown(&plain);
  teardown(&packed);
}

static void test_a_block_a_cycle_and_acknowledgements_pass_by(void **state) {
  (void)state;
  struct rig2 r;
  setup(&r, "reply.compress=dpc", "dpc.compress_latency=7");
  send(&r, MEM_READ, 1);
  send(&r, MEM_READ, 2);
  send(&r, MEM_READ, 3);
  send(&r, MEM_WRITE, 4);
  steps(&r, 60);
  assert_int_equal(r.seen[1], r.seen[0] + 1);
  assert_int_equal(r.seen[2], r.seen[0] + 2);
  assert_true(r.seen[3] < r.seen[0]);
  assert_int_equal(r.payload[3], 0);
  teardown(&r);
}

static void test_a_full_network_holds_up_the_compressor_and_nothing_is_lost(void **state) {
  (void)state;
  for (unsigned first = 0; first < 2; first++) {
    struct rig2 r;
    struct rng g = {3};
    setup(&r, "reply.compress=dpc", "dpc.compress_latency=3");
    unsigned lines[400], kinds[400];
    for (unsigned t = 0; t < 6000; t++) {
      r.sink_stops = t < 5000 && rng_below(&g, 100) < 60;
      if (t == 700) r.sink_stops = true;
      if (r.n < 400 && mem_port_free_slots(&r.s->in, r.now) && rng_below(&g, 2)) {
        lines[r.n] = (unsigned)rng_below(&g, LINES);
        kinds[r.n] = rng_below(&g, 4) ? MEM_READ : MEM_WRITE;
        send(&r, kinds[r.n], lines[r.n]);
      }
      step(&r, first);
    }
    assert_int_equal(r.n, 400);
    unsigned reads = 0;
    for (unsigned i = 0; i < 400; i++) {
      uint8_t block[COMPRESS_BLOCK];
      struct mem_packet k = reply_of(lines[i], WHOLE);
      assert_true(r.seen[i] != 0);
      reads += kinds[i] == MEM_READ;
      bool known = mock_read(NULL, &k, block);
      uint32_t bits = known ? compress_find("dpc")->bits(block, WHOLE) : 8 * MEM_LINE;
      assert_int_equal(r.payload[i], kinds[i] == MEM_READ ? compress_bytes(bits) : 0);
    }
    assert_int_equal(r.packer.counters[PACK_BLOCKS], reads);
    teardown(&r);
  }
}

/* ---- at the SM ---- */

static void test_a_packed_reply_is_seen_when_it_is_unpacked_and_keeps_its_place(void **state) {
  (void)state;
  struct mem_wake sm = {.at = MEM_NEVER, .period = 1};
  struct mem_port p;
  struct mem_packet a = {.packed = true}, b = {.packed = false}, c = {.packed = true};
  mem_port_init(&p, 4, 1, &sm, NULL);
  p.unpack = 5;
  mem_port_push(&p, &a, 10);
  mem_port_push(&p, &b, 11);
  mem_port_push(&p, &c, 12);
  assert_int_equal(sm.at, 16);
  assert_null(mem_port_peek(&p, 15));
  assert_ptr_equal(mem_port_peek(&p, 16), &a);
  mem_port_pop(&p, 16);
  assert_ptr_equal(mem_port_peek(&p, 16), &b); /* it only waited for the one before it */
  mem_port_pop(&p, 16);
  assert_null(mem_port_peek(&p, 17));
  assert_ptr_equal(mem_port_peek(&p, 18), &c);
  mem_port_free(&p);
}

/* ---- a whole GPU ---- */

/* Cycles of one load of a line of zeros on a GPU whose clocks are one. */
static uint64_t load_cycles(const char *more, uint64_t *flits) {
  struct rig r;
  rig_open(&r, ONE_SM, more);
  rig_run(&r, "ld.global.u32 %r3, [%rd1]; add.u32 %r4, %r3, 1;", 1, 1, 0);
  uint64_t n = rig_cycles(&r);
  *flits = rig_stat(&r, "noc.reply_flits");
  rig_close(&r);
  return n;
}

static void test_a_load_takes_both_latencies_and_saves_its_flits(void **state) {
  (void)state;
  uint64_t flits, packed_flits, plain = load_cycles("reply.compress = \"none\"\n", &flits);
  /* 8 + 128 bytes are 5 flits of 32; 8 + 9 are one, and the tail arrives 4 cycles earlier. */
  uint64_t packed = load_cycles("reply.compress = \"dpc\"\ndpc.compress_latency = 2\ndpc.decompress_latency = 2\n", &packed_flits);
  assert_int_equal(packed, plain - 4 + 2 + 2);
  assert_int_equal(packed_flits, flits - 4);
  packed = load_cycles("reply.compress = \"dpc\"\ndpc.compress_latency = 40\ndpc.decompress_latency = 0\n", &packed_flits);
  assert_int_equal(packed, plain - 4 + 40);
  packed = load_cycles("reply.compress = \"cpack\"\n", &packed_flits);
  assert_int_equal(packed, plain - 4 + 21 + 17); /* 65 bits, too */
}

static void test_what_a_kernel_stored_is_what_is_sent(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, ONE_SM, "reply.compress = \"dpc\"\n");
  /* 32 threads load zeros, then store numbers without anything in common, then load them, all bypassing the L1D. The stores
   * need the first load: values change when an instruction issues. */
  rig_run(&r,
          "mad.lo.u32 %r3, %r1, 0x9e3779b1, 1; mul.wide.u32 %rd4, %r1, 4; add.u64 %rd4, %rd1, %rd4;"
          "ld.global.cg.u32 %r5, [%rd4]; add.u32 %r3, %r3, %r5; st.global.u32 [%rd4], %r3; membar.gl;"
          "ld.global.cg.u32 %r6, [%rd4];",
          1, 32, 0);
  assert_int_equal(rig_stat(&r, "reply.blocks"), 2);
  assert_int_equal(rig_stat(&r, "reply.blocks_32"), 1);    /* zeros */
  assert_int_equal(rig_stat(&r, "reply.blocks_plain"), 1); /* the numbers */
  assert_int_equal(rig_stat(&r, "reply.block_bits"), 65 + 1025);
  rig_close(&r);
}

static void test_what_lies_beside_registered_memory_is_not_looked_at(void **state) {
  (void)state;
  static _Alignas(MEM_LINE) uint32_t host[32]; /* of which words 8 to 11 are registered: 5, 5, 5, 5 */
  struct rig r;
  for (uint32_t i = 0; i < 32; i++) host[i] = i * 0x9e3779b1u;
  for (uint32_t i = 8; i < 12; i++) host[i] = 5;
  rig_open(&r, ONE_SM, "reply.compress = \"dpc\"\n");
  assert_true(exec_mem_register(r.mem, host + 8, 16));
  rig_run(&r, "ld.global.u32 %r3, [%rd2]; add.u32 %r4, %r3, 1;", 1, 1, (uint64_t)(uintptr_t)(host + 8));
  assert_int_equal(rig_stat(&r, "reply.blocks"), 1);
  assert_int_equal(rig_stat(&r, "reply.block_bits"), 1 + 32 + 30 + 2 * 32); /* zeros and fives */
  rig_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_none_is_no_compressor),
      cmocka_unit_test(test_latencies_are_network_cycles_in_whole_cycles_of_the_component),
      cmocka_unit_test(test_each_compressor_has_latencies_of_its_own),
      cmocka_unit_test(test_the_payload_is_the_encoding_of_what_is_sent),
      cmocka_unit_test(test_blocks_are_counted_by_their_size),
      cmocka_unit_test(test_a_whole_line_of_which_a_part_matters_is_zero_filled_if_that_is_shorter),
      cmocka_unit_test(test_a_block_that_does_not_shrink_may_take_a_flit_more),
      cmocka_unit_test(test_a_reply_leaves_the_compressors_latency_later),
      cmocka_unit_test(test_a_block_a_cycle_and_acknowledgements_pass_by),
      cmocka_unit_test(test_a_full_network_holds_up_the_compressor_and_nothing_is_lost),
      cmocka_unit_test(test_a_packed_reply_is_seen_when_it_is_unpacked_and_keeps_its_place),
      cmocka_unit_test(test_a_load_takes_both_latencies_and_saves_its_flits),
      cmocka_unit_test(test_what_a_kernel_stored_is_what_is_sent),
      cmocka_unit_test(test_what_lies_beside_registered_memory_is_not_looked_at),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
