/* The ring of the cooperative caching network between mock SMs. */
#include "coop_kit.h"

#include "base/rng.h"
#include "coop/ring.h"

#define CCN SETTINGS("coop=ccn-b")

static struct ring_node *node(const struct kit *k, uint32_t i) { return (struct ring_node *)k->net->nodes[i]; }

/* Section 4.5 of the paper, step by step. Core 0 misses; cores 0 and 1 share enough, core 2 does not. */
static void test_the_paper_s_working_example(void **state) {
  struct kit k;
  (void)state;
  kit_open(&k, 15, SETTINGS("coop=ccn-rt", "coop.sample=100", "coop.period=1000"));
  kit_hold(&k, 1, 0x1000, true);
  /* Core 2's sample: four requests that nobody answers. The others have asked for nothing, so they go on. */
  for (unsigned i = 0; i < 4; i++) {
    bool answered;
    kit_wait(&k, kit_ask(&k, 2, 0x8000 + i * 128), &answered);
    assert_false(answered);
  }
  k.executed[3] = 100; /* the sample is over, for all SMs */
  kit_step(&k);
  struct mem_packet *away = kit_miss(&k, 2, 0x1000);
  assert_false(kit_offer(&k, away)); /* to L2, although core 1 has it */
  mem_packet_free(k.pool, away);
  assert_int_equal(k.net->nodes[2]->stats[COOP_S_THROTTLED], 1);

  struct mem_packet *p = kit_ask(&k, 0, 0x1000);
  assert_int_equal(node(&k, 0)->buffer.count, 1); /* step 1: pushed into CB 0 */
  kit_step(&k);
  assert_int_equal(node(&k, 0)->buffer.count, 1); /* seen by the ring in the next cycle */
  kit_step(&k);                                   /* step 2: into ReqQ 0; step 3: passed on without a lookup */
  assert_int_equal(node(&k, 0)->buffer.count, 0);
  assert_int_equal(k.net->nodes[0]->stats[COOP_S_LOOKUPS], 4); /* those of core 2's requests */
  assert_int_equal(node(&k, 1)->request.in.count, 1);
  kit_step(&k);                                   /* step 4: lookup in ST 1; step 5: into RespQ 1; step 6: passed on */
  assert_int_equal(node(&k, 1)->request.in.count, 0);
  assert_int_equal(k.net->nodes[1]->stats[COOP_S_DATA_READS], 1);
  assert_int_equal(k.net->nodes[0]->replies.count, 1); /* to its home, past RespQ 0 */
  assert_int_equal(node(&k, 0)->response.queue.count + node(&k, 0)->response.in.count, 0);
  for (unsigned i = 0; i < 3; i++) { /* four flits: one comes with the hop, three follow */
    assert_null(kit_reply(&k, 0));
    kit_step(&k);
  }
  assert_ptr_equal(kit_reply(&k, 0), p); /* step 7 */
  assert_int_equal(p->kind, MEM_READ_REPLY);
  mem_packet_free(k.pool, p);
  kit_close(&k);
}

static void test_a_throttled_core_still_answers(void **state) {
  struct kit k;
  bool answered;
  (void)state;
  kit_open(&k, 4, SETTINGS("coop=ccn-rt", "coop.sample=10", "coop.period=100"));
  kit_hold(&k, 2, 0x1000, true);
  kit_wait(&k, kit_ask(&k, 2, 0x2000), &answered);
  k.executed[0] = 10;
  kit_step(&k);
  struct mem_packet *away = kit_miss(&k, 2, 0x3000);
  assert_false(kit_offer(&k, away));
  mem_packet_free(k.pool, away);
  kit_wait(&k, kit_ask(&k, 1, 0x1000), &answered);
  assert_true(answered);
  k.executed[0] = 100; /* a new epoch: it asks again */
  kit_step(&k);
  kit_wait(&k, kit_ask(&k, 2, 0x4000), &answered);
  assert_int_equal(kit_stat(&k, COOP_S_OFF_EPOCHS), 1);
  assert_int_equal(kit_stat(&k, COOP_S_EPOCHS), 3); /* SM 2 in both epochs, SM 1 in the first; the others did not ask */
  kit_close(&k);
}

static void test_a_core_goes_on_at_the_threshold_and_stops_below(void **state) {
  (void)state;
  static const struct {
    const char *threshold;
    unsigned hits; /* of a hundred */
    bool goes_on;
  } cases[] = {{"coop.threshold=0.05", 4, false}, {"coop.threshold=0.05", 5, true},
               {"coop.threshold=0.1", 9, false},  {"coop.threshold=0.1", 10, true}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    struct kit k;
    bool answered;
    kit_open(&k, 3, SETTINGS("coop=ccn-rt", "coop.sample=10", "coop.period=100", "coop.count=core", cases[c].threshold));
    kit_hold(&k, 1, 0, true);
    for (unsigned i = 0; i < 100; i++) kit_wait(&k, kit_ask(&k, 0, i < cases[c].hits ? 0 : 0x1000), &answered);
    k.executed[0] = 10;
    struct mem_packet *p = kit_miss(&k, 0, 0);
    bool taken = kit_offer(&k, p);
    assert_int_equal(taken, cases[c].goes_on);
    if (taken) kit_wait(&k, p, &answered);
    else mem_packet_free(k.pool, p);
    kit_close(&k);
  }
}

/* Buffer to queue one cycle, fifteen hops, one cycle to the SM. */
static void test_a_request_that_nobody_answers_comes_back_after_a_round(void **state) {
  struct kit k;
  bool answered;
  (void)state;
  kit_open(&k, 15, CCN);
  assert_int_equal(kit_wait(&k, kit_ask(&k, 3, 0x1000), &answered), 1 + 15 + 1);
  assert_false(answered);
  assert_int_equal(kit_stat(&k, COOP_S_LOOKUPS), 14);
  assert_int_equal(kit_stat(&k, COOP_S_REQUEST_FLITS), 15);
  assert_int_equal(kit_stat(&k, COOP_S_OVERHEAD), 16);
  assert_int_equal(kit_stat(&k, COOP_S_ENTERED), 1);
  assert_int_equal(kit_stat(&k, COOP_S_RETURNED), 1);
  assert_int_equal(kit_stat(&k, COOP_S_HITS), 0);
  assert_int_equal(kit_stat(&k, COOP_S_TAG_ACCESSES), 14);
  assert_int_equal(kit_stat(&k, COOP_S_REQUEST_WRITES), 1 + 1 + 15); /* the buffer, its own queue, and those of a round */
  assert_int_equal(kit_stat(&k, COOP_S_RESPONSE_WRITES), 0);
  kit_close(&k);
}

/* The working example's steps: into the ring in the second cycle, answered by the next core in the third, four flits home. The miss
 * was made five cycles before it was offered. */
static void test_latencies_of_an_answer(void **state) {
  struct kit k;
  bool answered;
  (void)state;
  kit_open(&k, 15, CCN);
  kit_hold(&k, 1, 0x1000, true);
  struct mem_packet *p = kit_miss(&k, 0, 0x1000);
  for (unsigned i = 0; i < 5; i++) kit_step(&k);
  assert_true(kit_offer(&k, p));
  assert_int_equal(kit_wait(&k, p, &answered), 3 + 3);
  assert_true(answered);
  assert_int_equal(kit_stat(&k, COOP_S_HITS), 1);
  assert_int_equal(kit_stat(&k, COOP_S_REUSE_LATENCY), 6);
  assert_int_equal(kit_stat(&k, COOP_S_HIT_LATENCY), 5 + 6);
  assert_int_equal(kit_stat(&k, COOP_S_TAG_ACCESSES), 1 + 1); /* a line came, and was looked for */
  assert_int_equal(kit_stat(&k, COOP_S_REQUEST_WRITES), 3);   /* buffer, queues 0 and 1 */
  assert_int_equal(kit_stat(&k, COOP_S_RESPONSE_WRITES), 1);
  kit_close(&k);
}

static void test_a_round_takes_fifteen_times_the_hop(void **state) {
  struct kit k;
  bool answered;
  (void)state;
  kit_open(&k, 15, SETTINGS("coop=ccn-b", "coop.hop=5"));
  assert_int_equal(kit_wait(&k, kit_ask(&k, 3, 0x1000), &answered), 1 + 75 + 1);
  kit_close(&k);
}

static void test_a_line_takes_its_flits(void **state) {
  static const struct {
    const char *width;
    unsigned cycles;
  } rows[] = {{"coop.response_width=32", 4}, {"coop.response_width=128", 1}, {"coop.response_width=8", 16}};
  (void)state;
  for (unsigned i = 0; i < 3; i++) {
    struct kit k;
    bool answered;
    kit_open(&k, 15, SETTINGS("coop=ccn-b", rows[i].width));
    kit_hold(&k, 6, 0x1000, true);
    /* Two hops there and two back; the rest of the line behind its first flit. */
    assert_int_equal(kit_wait(&k, kit_ask(&k, 4, 0x1000), &answered), 1 + 4 + rows[i].cycles - 1);
    assert_true(answered);
    assert_int_equal(kit_stat(&k, COOP_S_RESPONSE_FLITS), 2 * rows[i].cycles);
    kit_close(&k);
  }
}

static void test_a_wide_request_takes_two_flits_a_link(void **state) {
  struct kit k;
  bool answered;
  (void)state;
  kit_open(&k, 33, CCN); /* 26 bits and 6: 32 still fit into four bytes */
  kit_wait(&k, kit_ask(&k, 0, 0), &answered);
  assert_int_equal(kit_stat(&k, COOP_S_REQUEST_FLITS), 33);
  kit_close(&k);
  kit_open(&k, 15, SETTINGS("coop=ccn-b", "coop.tag_bits=33"));
  kit_wait(&k, kit_ask(&k, 0, 0), &answered);
  assert_int_equal(kit_stat(&k, COOP_S_REQUEST_FLITS), 30);
  kit_close(&k);
}

static void test_the_first_core_on_the_way_answers(void **state) {
  struct kit k;
  bool answered;
  (void)state;
  kit_open(&k, 15, CCN);
  kit_hold(&k, 2, 0x1000, true);  /* twelve hops from 5 */
  kit_hold(&k, 14, 0x1000, true); /* nine */
  kit_wait(&k, kit_ask(&k, 5, 0x1000), &answered);
  assert_true(answered);
  assert_int_equal(k.net->nodes[14]->stats[COOP_S_DATA_READS], 1);
  assert_int_equal(kit_stat(&k, COOP_S_LOOKUPS), 9);
  kit_close(&k);
}

/* Opposite channels: twice the distance, 15 on average over sharers at all distances; the same way: always a round. */
static void test_hops_of_an_answered_request(void **state) {
  (void)state;
  for (unsigned same = 0; same < 2; same++) {
    struct kit k;
    bool answered;
    uint64_t before = 0;
    kit_open(&k, 15, SETTINGS("coop=ccn-b", same ? "coop.same_way=true" : "coop.same_way=false"));
    for (unsigned d = 1; d < 15; d++) {
      kit_hold(&k, d, 0x1000, true);
      kit_wait(&k, kit_ask(&k, 0, 0x1000), &answered);
      kit_hold(&k, d, 0x1000, false);
      assert_int_equal(kit_stat(&k, COOP_S_HIT_HOPS) - before, same ? 15 : 2 * d);
      before = kit_stat(&k, COOP_S_HIT_HOPS);
    }
    assert_int_equal(before, 14 * 15);
    kit_close(&k);
  }
}

static void test_a_full_buffer_sends_misses_to_l2(void **state) {
  struct kit k;
  struct mem_packet *p[9];
  bool answered;
  (void)state;
  kit_open(&k, 15, CCN);
  for (unsigned i = 0; i < 8; i++) p[i] = kit_ask(&k, 0, i * 128);
  p[8] = kit_miss(&k, 0, 0);
  assert_false(kit_offer(&k, p[8]));
  assert_int_equal(kit_stat(&k, COOP_S_DEFLECTED), 1);
  kit_step(&k);
  kit_step(&k); /* one has left the buffer */
  assert_true(kit_offer(&k, p[8]));
  for (unsigned i = 0; i < 9; i++) kit_wait(&k, p[i], &answered);
  kit_close(&k);
}

/* Core 1's miss waits while core 0's requests come over the link. */
static void test_older_requests_enter_a_queue_before_new_ones(void **state) {
  struct kit k;
  struct mem_packet *old[4], *young;
  bool answered;
  (void)state;
  kit_open(&k, 15, CCN);
  for (unsigned i = 0; i < 4; i++) old[i] = kit_ask(&k, 0, i * 128);
  kit_step(&k);
  kit_step(&k); /* the first is on the link to core 1 */
  young = kit_ask(&k, 1, 0x1000);
  for (unsigned i = 0; i < 4; i++) {
    kit_step(&k);
    assert_int_equal(node(&k, 1)->buffer.count, 1);
  }
  kit_step(&k);
  assert_int_equal(node(&k, 1)->buffer.count, 0);
  for (unsigned i = 0; i < 4; i++) kit_wait(&k, old[i], &answered);
  kit_wait(&k, young, &answered);
  kit_close(&k);
}

/* A response of core 3 for core 1 is on the link to core 2 in the cycle in which core 2 finds one of its own. */
static void test_a_new_response_enters_before_an_older_one(void **state) {
  struct kit k;
  struct mem_packet *far, *near;
  bool answered;
  (void)state;
  kit_open(&k, 15, CCN);
  kit_hold(&k, 3, 0x1000, true);
  kit_hold(&k, 2, 0x2000, true);
  far = kit_ask(&k, 1, 0x1000);
  kit_step(&k);
  near = kit_ask(&k, 0, 0x2000);
  for (unsigned i = 0; i < 3; i++) kit_step(&k); /* far is found at core 3 */
  assert_int_equal(node(&k, 2)->response.in.count, 1);
  assert_int_equal(node(&k, 2)->request.in.count, 1);
  kit_step(&k); /* both reach core 2 */
  assert_int_equal(node(&k, 2)->response.in.count, 1); /* the older one waits */
  assert_int_equal(k.net->nodes[2]->stats[COOP_S_DATA_READS], 1);
  kit_wait(&k, near, &answered);
  kit_wait(&k, far, &answered);
  assert_true(answered);
  kit_close(&k);
}

/* Queues of two, of which one place stays free: the second hit at core 1 waits in the request queue. */
static void test_a_hit_without_a_free_slot_for_its_response_stays(void **state) {
  struct kit k;
  struct mem_packet *p[3];
  bool answered;
  (void)state;
  kit_open(&k, 15, SETTINGS("coop=ccn-b", "coop.response_queue=2", "coop.response_width=8"));
  for (unsigned i = 0; i < 3; i++) {
    kit_hold(&k, 1, i * 128, true);
    p[i] = kit_ask(&k, 0, i * 128);
  }
  for (unsigned i = 0; i < 6; i++) kit_step(&k);
  assert_int_equal(node(&k, 1)->request.queue.count, 1); /* one response on the link, one in the queue */
  for (unsigned i = 0; i < 3; i++) {
    kit_wait(&k, p[i], &answered);
    assert_true(answered);
  }
  assert_int_equal(kit_stat(&k, COOP_S_DATA_READS), 3);
  /* The first response takes the link for 16 cycles from the third on; the third request is there from the fifth, and goes in the
   * cycle after the second response has left. */
  assert_int_equal(kit_stat(&k, COOP_S_STALLED_HITS), 3 + 16 - 5 + 1);
  assert_int_equal(kit_stat(&k, COOP_S_LOOKUPS), 3); /* a retry is not a lookup of its own */
  kit_close(&k);
}

static void test_a_hit_takes_the_next_cycle_of_the_data_array(void **state) {
  struct kit k;
  bool answered;
  (void)state;
  kit_open(&k, 15, CCN);
  kit_hold(&k, 1, 0, true);
  struct mem_packet *p = kit_ask(&k, 0, 0);
  for (unsigned i = 0; i < 2; i++) kit_step(&k);
  assert_int_equal(k.net->nodes[1]->stolen, 0);
  uint64_t looked = k.now;
  kit_step(&k);
  assert_int_equal(k.net->nodes[1]->stolen, looked + 2); /* the SM's cycle looked + 1 */
  kit_wait(&k, p, &answered);
  kit_close(&k);
}

/* What the L1D has of a line must be all that is wanted: part of it is passed by. */
static void test_a_part_of_what_is_wanted_is_no_answer(void **state) {
  struct kit k;
  bool answered;
  (void)state;
  kit_open(&k, 15, CCN);
  struct mem_bytes part = {{0xffffffff, 0}};
  MEM_NOTIFY(&k.l1[1].observers, changed, 0x1000, part, true);
  struct mem_packet *p = kit_miss(&k, 0, 0x1000);
  p->bytes = (struct mem_bytes){{~UINT64_C(0), 0}};
  p->sectors = 3;
  assert_true(kit_offer(&k, p));
  kit_wait(&k, p, &answered);
  assert_false(answered);
  assert_int_equal(kit_stat(&k, COOP_S_PARTIAL), 1);
  p = kit_miss(&k, 0, 0x1000);
  p->bytes = (struct mem_bytes){{0xffffffff, 0}};
  p->sectors = 1;
  assert_true(kit_offer(&k, p));
  kit_wait(&k, p, &answered);
  assert_true(answered);
  assert_int_equal(kit_stat(&k, COOP_S_RESPONSE_FLITS), 1); /* 32 bytes */
  kit_close(&k);
}

/* ---- random traffic ------------------------------------------------------------------------------------------------------ */

enum { LINES = 120, OFFERED = 4000 };

struct traffic {
  unsigned answered, returned, deflected;
  uint64_t end, trace; /* hash of what happened when */
};

static void note(struct traffic *t, uint64_t a, uint64_t b) { t->trace = (t->trace ^ (a * 31 + b)) * 0x100000001b3u; }

/* SMs hold and lose lines, offer misses, and do not always send on what comes back. */
static struct traffic run_traffic(uint64_t seed, const char *const *settings, uint32_t sms, bool rotate) {
  struct kit k;
  struct rng r = {seed}, order = {seed + 1};
  struct traffic t = {0};
  unsigned offered = 0;
  kit_open(&k, sms, settings);
  unsigned out = 0;
  for (unsigned idle = 0; idle < 5000 && (offered < OFFERED || out); idle++) {
    for (uint32_t i = 0; i < sms; i++) {
      struct mem_packet *p = kit_reply(&k, i);
      if (p) {
        assert_int_equal(p->sm, i);
        t.answered++;
        note(&t, k.now, p->line + i);
      } else if (rng_below(&r, 4) && (p = kit_returned(&k, i))) {
        assert_int_equal(p->sm, i);
        assert_int_equal(p->kind, MEM_READ);
        t.returned++;
        note(&t, k.now + 1, p->line + i);
      }
      if (p) {
        mem_packet_free(k.pool, p);
        out--;
        idle = 0;
      }
      if (offered < OFFERED && rng_below(&r, 2)) {
        p = kit_miss(&k, i, rng_below(&r, LINES) * 128);
        offered++;
        if (kit_offer(&k, p)) out++;
        else {
          t.deflected++;
          mem_packet_free(k.pool, p);
        }
      }
      kit_hold(&k, i, rng_below(&r, LINES) * 128, !rng_below(&r, 8));
    }
    if (rotate) k.net->first = (uint32_t)rng_below(&order, sms);
    kit_step(&k);
  }
  t.end = k.now;
  for (unsigned i = 0; i < 1000 && !k.net->ops->idle(k.net); i++) kit_step(&k); /* answers that came second */
  assert_int_equal(out, 0);
  assert_int_equal(t.answered + t.returned + t.deflected, OFFERED);
  assert_true(kit_stat(&k, COOP_S_DATA_READS) >= t.answered); /* several rings may answer one request */
  kit_close(&k);
  return t;
}

static void test_everything_is_answered_once_under_random_traffic(void **state) {
  const char *const *const settings[] = {
      CCN, SETTINGS("coop=ccn-b", "coop.request_queue=2", "coop.response_queue=2", "coop.buffer=1"),
      SETTINGS("coop=ccn-b", "coop.request_queue=2", "coop.response_queue=2", "coop.buffer=64", "coop.response_width=4"),
      SETTINGS("coop=ccn-b", "coop.hop=4", "coop.same_way=true", "coop.response_queue=2"),
      SETTINGS("coop=ccn-b", "coop.hop=3", "coop.request_width=1"),
      SETTINGS("coop=ccn-b", "coop.rings=3"),
      SETTINGS("coop=ccn-b", "coop.rings=2", "coop.inquiries=2", "coop.request_queue=2", "coop.response_queue=2"),
      SETTINGS("coop=ccn-b", "coop.rings=2", "coop.hop=3", "coop.same_way=true", "coop.response_width=4"),
      SETTINGS("coop=ccn-rt", "coop.rings=2", "coop.buffer=1", "coop.inquiries=64")};
  (void)state;
  for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++)
    for (uint64_t seed = 1; seed <= 8; seed++) {
      struct traffic t = run_traffic(seed, settings[i], seed % 2 ? 15 : 6 + (uint32_t)seed, false);
      assert_true(t.answered > 0 && t.returned > 0);
    }
}

static void test_the_order_of_visits_changes_nothing(void **state) {
  (void)state;
  const char *const *const settings[] = {CCN, SETTINGS("coop=ccn-b", "coop.rings=4")};
  for (uint64_t seed = 1; seed <= 20; seed++) {
    struct traffic a = run_traffic(seed, settings[seed % 2], 15, false), b = run_traffic(seed, settings[seed % 2], 15, true);
    assert_int_equal(a.trace, b.trace);
    assert_int_equal(a.end, b.end);
  }
}

/* ---- a ring of rings ------------------------------------------------------------------------------------------------------ */

/* Twelve SMs in three rings of four and a hub. Round the own ring: one cycle in the buffer, five hops, one to be seen as
 * over and one to the SM. Longer is the way to the others: from SM 0 four hops to its hub, where the inquiry starts. */
static void test_all_rings_are_asked_before_l2(void **state) {
  struct kit k;
  bool answered;
  (void)state;
  kit_open(&k, 12, SETTINGS("coop=ccn-b", "coop.rings=3"));
  kit_wait(&k, kit_ask(&k, 0, 0x1000), &answered);
  assert_false(answered);
  assert_int_equal(kit_stat(&k, COOP_S_LOOKUPS), 11);
  kit_close(&k);
}

static void test_a_line_of_another_ring_comes_home(void **state) {
  (void)state;
  for (uint32_t holder = 1; holder < 12; holder++) {
    struct kit k;
    bool answered;
    kit_open(&k, 12, SETTINGS("coop=ccn-b", "coop.rings=3"));
    kit_hold(&k, holder, 0x1000, true);
    kit_wait(&k, kit_ask(&k, 0, 0x1000), &answered);
    assert_true(answered);
    assert_int_equal(k.net->nodes[holder]->stats[COOP_S_DATA_READS], 1);
    for (unsigned i = 0; i < 100; i++) kit_step(&k); /* the other rings' answers */
    kit_close(&k);
  }
}

/* Rings are asked at once: a miss of 128 SMs that nobody can answer is back sooner than from one ring of them. */
static void test_many_sms_are_asked_in_parallel(void **state) {
  unsigned cycles[2];
  (void)state;
  for (unsigned i = 0; i < 2; i++) {
    struct kit k;
    bool answered;
    kit_open(&k, 128, SETTINGS("coop=ccn-b", "coop.request_width=8", i ? "coop.rings=8" : "coop.rings=1"));
    cycles[i] = kit_wait(&k, kit_ask(&k, 64, 0x1000), &answered);
    assert_int_equal(kit_stat(&k, COOP_S_LOOKUPS), 127);
    kit_close(&k);
  }
  assert_int_equal(cycles[0], 1 + 128 + 1);
  assert_true(cycles[1] < 80);
}

static void test_two_lines_answer_a_miss_once(void **state) {
  struct kit k;
  bool answered;
  (void)state;
  kit_open(&k, 12, SETTINGS("coop=ccn-b", "coop.rings=3"));
  for (uint32_t i = 4; i < 12; i++) kit_hold(&k, i, 0x1000, true);
  kit_wait(&k, kit_ask(&k, 0, 0x1000), &answered);
  assert_true(answered);
  for (unsigned i = 0; i < 100; i++) kit_step(&k);
  assert_int_equal(kit_stat(&k, COOP_S_DATA_READS), 2); /* each of the other rings */
  assert_int_equal(kit_stat(&k, COOP_S_HITS), 1);
  kit_close(&k);
}

/* ---- configuration ------------------------------------------------------------------------------------------------------- */

static void refused(uint32_t sms, const char *const *settings, const char *word) {
  struct cfg *c = kit_cfg(settings);
  struct coop_place place = {.sms = sms, .period = 1, .parts = 1, .lines = 128};
  struct coop *net;
  struct err e = {0};
  assert_false(coop_new(&net, c, &place, &e));
  if (!strstr(e.text, word)) fail_msg("no '%s' in: %s", word, e.text);
  cfg_delete(c);
}

static void test_what_makes_no_sense_is_refused_by_name(void **state) {
  (void)state;
  refused(1, CCN, "coop");
  refused(15, SETTINGS("coop=ccn-b", "l1.cache_global=false"), "l1.cache_global");
  refused(15, SETTINGS("coop=ccn-rt", "coop.sample=10", "coop.period=10"), "coop.sample");
  refused(15, SETTINGS("coop=ccn-b", "coop.rings=8"), "coop.rings");
}

/* Section 4.3: 96 sets of four tags of 25 bits are 1200 bytes an SM; table II: buffer and queues of 8 entries. */
static void test_storage_is_the_paper_s(void **state) {
  struct cfg *c = kit_cfg(CCN);
  struct coop_place place = {.sms = 15, .period = 1, .parts = 1, .lines = 96 * 4};
  struct coop *net;
  struct err e = {0};
  (void)state;
  assert_true(coop_new(&net, c, &place, &e));
  struct coop_hardware h = net->ops->hardware(net);
  assert_int_equal(h.request_queues, 2 * 8 * 30);
  assert_int_equal(h.response_queues, 8 * (1024 + 4));
  assert_int_equal(h.tags, 1200 * 8);
  assert_int_equal(h.request_link, 32);
  assert_int_equal(h.response_link, 256);
  coop_delete(net);
  cfg_delete(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_paper_s_working_example),
      cmocka_unit_test(test_a_throttled_core_still_answers),
      cmocka_unit_test(test_a_core_goes_on_at_the_threshold_and_stops_below),
      cmocka_unit_test(test_a_request_that_nobody_answers_comes_back_after_a_round),
      cmocka_unit_test(test_latencies_of_an_answer),
      cmocka_unit_test(test_a_round_takes_fifteen_times_the_hop),
      cmocka_unit_test(test_a_line_takes_its_flits),
      cmocka_unit_test(test_a_wide_request_takes_two_flits_a_link),
      cmocka_unit_test(test_the_first_core_on_the_way_answers),
      cmocka_unit_test(test_hops_of_an_answered_request),
      cmocka_unit_test(test_a_full_buffer_sends_misses_to_l2),
      cmocka_unit_test(test_older_requests_enter_a_queue_before_new_ones),
      cmocka_unit_test(test_a_new_response_enters_before_an_older_one),
      cmocka_unit_test(test_a_hit_without_a_free_slot_for_its_response_stays),
      cmocka_unit_test(test_a_hit_takes_the_next_cycle_of_the_data_array),
      cmocka_unit_test(test_a_part_of_what_is_wanted_is_no_answer),
      cmocka_unit_test(test_everything_is_answered_once_under_random_traffic),
      cmocka_unit_test(test_the_order_of_visits_changes_nothing),
      cmocka_unit_test(test_all_rings_are_asked_before_l2),
      cmocka_unit_test(test_a_line_of_another_ring_comes_home),
      cmocka_unit_test(test_many_sms_are_asked_in_parallel),
      cmocka_unit_test(test_two_lines_answer_a_miss_once),
      cmocka_unit_test(test_what_makes_no_sense_is_refused_by_name),
      cmocka_unit_test(test_storage_is_the_paper_s),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
