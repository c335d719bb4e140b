/* The rules about data filtering under made-up numbers: each holds for some and differs for others. */
#include "claims_kit.h"

extern const struct claim_rule claims_d[];

#define DPC "reply.compress=dpc"
#define MAN DPC ",reply.filter=df-man"
#define TRUC DPC ",reply.filter=df-truc"

/* Every configuration as fast as every other, half of the loads missing, half of the lines used in part. */
static const struct kit_row usual[] = {
    {NULL, NULL, "ipc", 100, NULL},
    {NULL, NULL, "l1d.reads", 100, NULL},
    {NULL, NULL, "l1d.misses", 60, NULL},
    {NULL, NULL, "l1d.writes", 10, NULL},
    {NULL, NULL, "l1d.atomics", 0, NULL},
    {NULL, NULL, "l1d.first_misses", 90, NULL},
    {NULL, NULL, "l1d.subsequent_misses", 10, NULL},
    {NULL, NULL, "l1d.hit_invalid", 0, NULL},
    {NULL, NULL, "noc.reply_flits", 1000, NULL},
    {NULL, NULL, "reply.blocks", 10, NULL},
    {NULL, NULL, "reply.block_bits", 10240, NULL},
    {NULL, NULL, "probes.lines.used_bytes_share", 0.4, NULL},
    {NULL, NULL, "probes.lines.used_share", 0.5, NULL},
    {NULL, NULL, "probes.consistency.partial_consistent", 0.4, NULL},
    {0},
};

static const struct kit_case cases[] = {
    {"D01", true, {{NULL, NULL, "probes.lines.used_bytes_share", 0.519, NULL}}},
    {"D01", false, {{NULL, NULL, "probes.lines.used_bytes_share", 0.521, NULL}}},
    {"D02", true, {{NULL, NULL, "probes.consistency.partial_consistent", 0.8001, NULL}}},
    {"D02", false, {{NULL, NULL, "probes.consistency.partial_consistent", 0.9, NULL},
                    {NULL, "cfd", "probes.consistency.partial_consistent", 0.1, NULL}}},
    {"D03", true, {{MAN, NULL, "ipc", 139, NULL}}},
    {"D03", false, {{MAN, NULL, "ipc", 126, NULL}}},
    {"D03", false, {{MAN, NULL, "ipc", 152, NULL}}},
    {"D04", true, {{MAN, NULL, "ipc", 105, NULL}}},
    {"D04", false, {{MAN, NULL, "ipc", 100, NULL}}},
    {"D04", false, {{NULL, NULL, "ipc", 105, NULL}, {"", NULL, "ipc", 100, NULL}}},
    {"D05", true, {{MAN, "cfd", "ipc", 170, NULL}, {MAN, "ss", "ipc", 170, NULL}}},
    {"D05", false, {{MAN, "kmeans", "ipc", 250, NULL}, {MAN, "bfs", "ipc", 250, NULL}}},
    {"D06", true, {{MAN, "bfs", "ipc", 98.1, NULL}}},
    {"D06", false, {{MAN, "bfs", "ipc", 97.9, NULL}}},
    {"D06", false, {{TRUC, "wc", "ipc", 97.9, NULL}}},
    {"D07", true, {{TRUC, NULL, "ipc", 102.9, NULL}}},
    {"D07", false, {{TRUC, NULL, "ipc", 103.1, NULL}}},
    {"D08", true, {{MAN, NULL, "noc.reply_flits", 585, NULL}}},
    {"D08", false, {{MAN, NULL, "noc.reply_flits", 650, NULL}}},
    {"D09", true, {{DPC, NULL, "noc.reply_flits", 700, NULL}, {MAN, NULL, "noc.reply_flits", 600, NULL}}},
    {"D09", false, {{MAN, NULL, "noc.reply_flits", 700, NULL}}},
    {"D10", true, {{MAN, NULL, "reply.block_bits", 3500, NULL}, {DPC, NULL, "reply.block_bits", 7300, NULL}}},
    {"D10", false, {{MAN, NULL, "reply.block_bits", 3500, NULL}}},
    {"D10", false, {{DPC, NULL, "reply.block_bits", 7300, NULL}}},
    {"D11", true, {{MAN, NULL, "l1d.misses", 61.9, NULL}}},
    {"D11", false, {{MAN, NULL, "l1d.misses", 62, NULL}}},
    {"D11", true, {{MAN, "bfs", "l1d.misses", 90, NULL}}}, /* a mean */
    {"D11", true, /* bfs is in the other group */
     {{MAN, "bfs", "l1d.misses", 160, NULL}, {NULL, "bfs", "probes.consistency.partial_consistent", 0.5, NULL}}},
    {"D11", false, {{MAN, "bfs", "l1d.misses", 160, NULL}}},
    {"D12", true, {{MAN, "cfd", "l1d.hit_invalid", 300, NULL}}},
    {"D12", false, {{0}}},
    {"D12", false, {{MAN, "bfs", "l1d.hit_invalid", 100, NULL}, {MAN, "wc", "l1d.hit_invalid", 100, NULL}}},
};

static void test_every_rule_can_hold_and_can_differ(void **state) {
  (void)state;
  kit_check_group(claims_d, usual, cases, sizeof cases / sizeof *cases);
}

/* The claim's measured text under a reading; NULL: by default. */
static void measured(const char *id, const char *reading, const struct kit_row *rows, const char *expected) {
  static struct kit_source k;
  struct err e = {0};
  k = (struct kit_source){.defaults = usual, .rows = rows};
  struct claim_source source = {kit_answer_run, kit_answer_storage, kit_answer_key, kit_answer_count, &k, NULL};
  if (reading) source.reading = reading_find(reading, &e);
  json_t *score = claim_evaluate(id, claim_rule_of(id), &source);
  assert_string_equal(kit_text(score, "measured"), expected);
  for (size_t i = 0; i < k.n; i++) json_decref(k.runs[i]);
  json_decref(score);
}

/* bfs and km are used in part, bfs alone is faster with DF-MAN. */
static void test_the_favourable_group_is_a_reading(void **state) {
  (void)state;
  static const struct kit_row rows[] = {{NULL, "bfs", "probes.consistency.partial_consistent", 0.9, NULL},
                                        {NULL, "km", "probes.consistency.partial_consistent", 0.5, NULL},
                                        {MAN, "bfs", "ipc", 121, NULL},
                                        {DPC, "bfs", "reply.block_bits", 5120, NULL},
                                        {MAN, "bfs", "reply.block_bits", 2560, NULL},
                                        {0}};
  measured("D02", NULL, rows, "40.0 %");
  measured("D02", "d.group=partial", rows, "70.0 %");
  measured("D02", "d.group=gaining", rows, "70.0 %");
  measured("D05", NULL, rows, "0.0 %");
  measured("D05", "d.group=partial", rows, "10.0 %");
  measured("D05", "d.group=gaining", rows, "21.0 %");
  measured("D10", NULL, rows, "DF-MAN 0.0 / DPC 0.0 / DF-TRUC 0.0 %");
  measured("D10", "d.group=gaining", rows, "DF-MAN 75.0 / DPC 50.0 / DF-TRUC 0.0 %");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_rule_can_hold_and_can_differ),
                                     cmocka_unit_test(test_the_favourable_group_is_a_reading)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
