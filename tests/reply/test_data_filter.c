/* The packet data filter between a mock network and a mock L2: the mock holds requests for a while and answers them in
 * random order. A slow obvious model of the table goes along with random streams. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "gpu/gpu.h"
#include "reply/data_filter.h"

#include <string.h>

enum { WHOLE = 15 };

static void open_filter_as(struct reply_filter *f, const char *method, const char *table) {
  struct cfg *c = gpu_cfg_new();
  struct err e = {0};
  bool on;
  if (!cfg_set(c, method, &e) || !cfg_set(c, table, &e) || !cfg_set(c, "reply.compress=dpc", &e)) fail_msg("%s", e.text);
  if (!reply_filter_init(f, c, &on, &e)) fail_msg("%s", e.text);
  assert_true(on);
  cfg_delete(c);
}

static void open_filter(struct reply_filter *f, const char *table) { open_filter_as(f, "reply.filter=df-truc", table); }

static struct mem_packet read_of(uint16_t sm, uint64_t line, uint8_t sectors) {
  struct mem_packet k = {.kind = MEM_READ, .class_ = MEM_GLOBAL, .sm = sm, .line = line, .sectors = sectors};
  for (unsigned i = 0; i < MEM_SECTORS; i++)
    if (sectors >> i & 1) k.bytes.b[i / 2] |= UINT64_C(0xffffffff) << i % 2 * 32;
  return k;
}
static void reply_to(struct reply_filter *f, struct mem_packet *k) {
  k->kind = MEM_READ_REPLY;
  k->payload = (uint16_t)(MEM_SECTOR * __builtin_popcount(k->sectors));
  reply_filter_reply(f, k);
}

static void test_a_part_is_read_whole_and_answered_in_part(void **state) {
  (void)state;
  struct reply_filter f;
  open_filter(&f, "reply.table=256");
  struct mem_packet k = read_of(7, 0x1000, 5), asked = k;
  assert_false(reply_filter_request(&f, &k));
  assert_int_equal(k.sectors, WHOLE); /* what L2 sees */
  reply_to(&f, &k);
  assert_int_equal(k.sectors, 5);
  assert_int_equal(k.payload, 64);
  assert_memory_equal(&k.bytes, &asked.bytes, sizeof k.bytes);
  assert_int_equal(f.table.used, 0);
  assert_int_equal(f.counters[REPLY_PDRS], 1);
  assert_int_equal(f.counters[REPLY_CUT], 1);
  assert_int_equal(f.counters[REPLY_CUT_BYTES], 64);
  reply_filter_free(&f);
}

static void test_df_man_sends_the_whole_line_and_the_sm_gets_the_part(void **state) {
  (void)state;
  struct reply_filter f;
  open_filter_as(&f, "reply.filter=df-man", "reply.table=256");
  struct mem_packet k = read_of(7, 0x1000, 5);
  assert_false(reply_filter_request(&f, &k));
  reply_to(&f, &k);
  assert_int_equal(k.sectors, 5);
  assert_int_equal(k.payload, 128);
  reply_filter_free(&f);
}

static void test_a_later_request_is_merged_until_the_reply_leaves(void **state) {
  (void)state;
  struct reply_filter f;
  open_filter(&f, "reply.table=256");
  struct mem_packet a = read_of(7, 0x1000, 1), b = read_of(7, 0x1000, 2), c = read_of(7, 0x1000, 8);
  assert_false(reply_filter_request(&f, &a));
  assert_true(reply_filter_request(&f, &b));
  reply_to(&f, &a);
  assert_int_equal(a.sectors, 3);
  assert_false(reply_filter_request(&f, &c)); /* too late: as if it were the first */
  reply_to(&f, &c);
  assert_int_equal(c.sectors, 8);
  assert_int_equal(f.counters[REPLY_MERGED], 1);
  assert_int_equal(f.counters[REPLY_CUT], 2);
  assert_int_equal(f.counters[REPLY_CUT_BYTES], (128 - 64) + (128 - 32));
  reply_filter_free(&f);
}

static void test_a_request_for_the_whole_line_is_merged_too(void **state) {
  (void)state;
  struct reply_filter f;
  open_filter(&f, "reply.table=256");
  struct mem_packet a = read_of(7, 0x1000, 1), b = read_of(7, 0x1000, WHOLE);
  assert_false(reply_filter_request(&f, &a));
  assert_true(reply_filter_request(&f, &b));
  reply_to(&f, &a);
  assert_int_equal(a.sectors, WHOLE);
  assert_int_equal(a.payload, 128);
  assert_int_equal(f.counters[REPLY_CUT], 0);
  reply_filter_free(&f);
}

static void test_sms_and_lines_are_kept_apart(void **state) {
  (void)state;
  struct reply_filter f;
  open_filter(&f, "reply.table=256");
  struct mem_packet a = read_of(7, 0x1000, 1), b = read_of(8, 0x1000, 2), c = read_of(7, 0x1080, 4);
  assert_false(reply_filter_request(&f, &a));
  assert_false(reply_filter_request(&f, &b));
  assert_false(reply_filter_request(&f, &c));
  reply_to(&f, &c);
  reply_to(&f, &b);
  reply_to(&f, &a);
  assert_int_equal(a.sectors, 1);
  assert_int_equal(b.sectors, 2);
  assert_int_equal(c.sectors, 4);
  reply_filter_free(&f);
}

static void test_a_full_table_answers_whole(void **state) {
  (void)state;
  struct reply_filter f;
  open_filter(&f, "reply.table=1");
  struct mem_packet a = read_of(7, 0x1000, 1), b = read_of(7, 0x1080, 2), again = read_of(7, 0x1000, 4);
  assert_false(reply_filter_request(&f, &a));
  assert_false(reply_filter_request(&f, &b));
  assert_true(reply_filter_request(&f, &again)); /* merging needs no entry */
  assert_int_equal(f.counters[REPLY_TABLE_FULL], 1);
  reply_to(&f, &b);
  assert_int_equal(b.sectors, WHOLE);
  assert_int_equal(b.payload, 128);
  reply_to(&f, &a);
  assert_int_equal(a.sectors, 5);
  struct mem_packet c = read_of(7, 0x1080, 2);
  assert_false(reply_filter_request(&f, &c)); /* the entry is free again */
  reply_to(&f, &c);
  assert_int_equal(c.sectors, 2);
  reply_filter_free(&f);
}

static void test_other_packets_pass_untouched(void **state) {
  (void)state;
  struct reply_filter f;
  open_filter(&f, "reply.table=256");
  struct mem_packet pdr = read_of(7, 0x1000, 1), others[] = {read_of(7, 0x1000, 2), read_of(7, 0x1000, 2), read_of(7, 0x1000, 2)};
  assert_false(reply_filter_request(&f, &pdr));
  others[0].bypass = true;
  others[1].class_ = MEM_CONST;
  others[2].kind = MEM_WRITE;
  for (unsigned i = 0; i < 3; i++) {
    struct mem_packet before = others[i];
    assert_false(reply_filter_request(&f, &others[i]));
    assert_memory_equal(&others[i], &before, sizeof before);
  }
  reply_to(&f, &pdr);
  assert_int_equal(pdr.sectors, 1);
  reply_filter_free(&f);
}

/* ---- random streams against a model ---- */

enum { SMS = 3, LINES = 6, ENTRIES = 5, OUT = 12, STEPS = 200000 };
struct slow_entry { /* a list without any order */
  bool used;
  uint16_t sm;
  uint64_t line;
  bool block[MEM_SECTORS];
};
struct slow_out {
  bool used;
  struct mem_packet k;
  int entry; /* -1: none */
};
struct slow {
  struct slow_entry table[ENTRIES];
  struct slow_out out[OUT];
  unsigned owed[SMS][LINES]; /* sub-blocks that each SM waits for, as bits */
};

static uint8_t slow_reply(struct slow *s, struct slow_out *o) {
  uint8_t sectors = WHOLE;
  if (o->entry >= 0) {
    sectors = 0;
    for (unsigned i = 0; i < MEM_SECTORS; i++) sectors |= (uint8_t)(s->table[o->entry].block[i] << i);
    s->table[o->entry].used = false;
  }
  return sectors;
}

/* Whether the request is merged; if not, the entry it gets. */
static bool slow_request(struct slow *s, const struct mem_packet *k, int *entry) {
  int free_one = -1;
  for (int i = ENTRIES - 1; i >= 0; i--) {
    struct slow_entry *e = &s->table[i];
    if (!e->used) free_one = i;
    if (!e->used || e->sm != k->sm || e->line != k->line) continue;
    for (unsigned b = 0; b < MEM_SECTORS; b++) e->block[b] |= k->sectors >> b & 1;
    return true;
  }
  *entry = k->sectors == WHOLE ? -1 : free_one;
  if (*entry >= 0) {
    s->table[*entry] = (struct slow_entry){.used = true, .sm = k->sm, .line = k->line};
    for (unsigned b = 0; b < MEM_SECTORS; b++) s->table[*entry].block[b] = k->sectors >> b & 1;
  }
  return false;
}

static void random_request(struct reply_filter *f, struct slow *s, struct rng *rng) {
  struct slow_out *o = s->out;
  while (o < s->out + OUT && o->used) o++;
  if (o == s->out + OUT) return;
  uint16_t sm = (uint16_t)rng_below(rng, SMS);
  uint64_t line = rng_below(rng, LINES);
  struct mem_packet k = read_of(sm, line * MEM_LINE, (uint8_t)(1 + rng_below(rng, 15)));
  uint8_t asked = k.sectors;
  int entry = -1;
  bool merged = slow_request(s, &k, &entry);
  assert_int_equal(reply_filter_request(f, &k), merged);
  s->owed[sm][line] |= asked;
  if (merged) return;
  assert_int_equal(k.sectors, WHOLE);
  *o = (struct slow_out){.used = true, .k = k, .entry = entry};
}

static void random_reply(struct reply_filter *f, struct slow *s, struct rng *rng) {
  struct slow_out *o = &s->out[rng_below(rng, OUT)];
  if (!o->used) return;
  uint8_t expected = slow_reply(s, o);
  reply_to(f, &o->k);
  o->used = false;
  assert_int_equal(o->k.sectors, expected);
  assert_int_equal(o->k.payload, MEM_SECTOR * __builtin_popcount(expected));
  assert_int_equal(mem_sectors_of(o->k.bytes), expected);
  s->owed[o->k.sm][o->k.line / MEM_LINE] &= ~(unsigned)expected;
}

static void test_random_streams_agree_with_an_obvious_table_and_answer_everything(void **state) {
  (void)state;
  struct reply_filter f;
  struct slow s = {0};
  struct rng rng = {42};
  open_filter(&f, "reply.table=5");
  for (unsigned i = 0; i < STEPS; i++) {
    if (rng_below(&rng, 2)) random_request(&f, &s, &rng);
    else random_reply(&f, &s, &rng);
  }
  for (unsigned i = 0; i < 1000; i++) random_reply(&f, &s, &rng);
  for (unsigned sm = 0; sm < SMS; sm++)
    for (unsigned line = 0; line < LINES; line++) assert_int_equal(s.owed[sm][line], 0);
  assert_int_equal(f.table.used, 0);
  assert_true(f.counters[REPLY_TABLE_FULL] > 1000 && f.counters[REPLY_MERGED] > 1000);
  reply_filter_free(&f);
}

static void test_it_is_off_by_default_and_needs_one_packet_a_reply(void **state) {
  (void)state;
  struct cfg *c = gpu_cfg_new();
  struct reply_filter f;
  struct err e = {0};
  bool on;
  assert_true(reply_filter_init(&f, c, &on, &e));
  assert_false(on);
  assert_true(cfg_set(c, "reply.filter=df-truc", &e) && cfg_set(c, "noc.reply_per_sector=true", &e));
  assert_false(reply_filter_init(&f, c, &on, &e));
  assert_non_null(strstr(e.text, "noc.reply_per_sector"));
  err_clear(&e);
  assert_true(cfg_set(c, "noc.reply_per_sector=false", &e) && cfg_set(c, "noc.reply_exact=true", &e));
  assert_false(reply_filter_init(&f, c, &on, &e));
  assert_non_null(strstr(e.text, "reply.filter and reply.compress need whole sectors"));
  err_clear(&e);
  assert_true(cfg_set(c, "reply.filter=df-man", &e) && cfg_set(c, "noc.reply_exact=false", &e));
  assert_false(reply_filter_init(&f, c, &on, &e));
  assert_non_null(strstr(e.text, "reply.compress"));
  cfg_delete(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_part_is_read_whole_and_answered_in_part),
      cmocka_unit_test(test_df_man_sends_the_whole_line_and_the_sm_gets_the_part),
      cmocka_unit_test(test_a_later_request_is_merged_until_the_reply_leaves),
      cmocka_unit_test(test_a_request_for_the_whole_line_is_merged_too),
      cmocka_unit_test(test_sms_and_lines_are_kept_apart),
      cmocka_unit_test(test_a_full_table_answers_whole),
      cmocka_unit_test(test_other_packets_pass_untouched),
      cmocka_unit_test(test_random_streams_agree_with_an_obvious_table_and_answer_everything),
      cmocka_unit_test(test_it_is_off_by_default_and_needs_one_packet_a_reply),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
