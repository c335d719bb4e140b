/* Storage that a configuration adds, part by part: the bits of each counted by hand from what its structure holds, and
 * published figures where there are any. */
#include "test_settings.h"

#include "gpu/gpu.h"
#include "cost/storage.h"

#include <string.h>

struct sums {
  struct cost_storage part[COST_STORAGE_PARTS];
  size_t n;
};

static struct sums storage(const char *gpu, const char *const *settings) {
  struct cfg *c = gpu_cfg_new();
  struct err e = {0};
  struct sums s;
  s.n = gpu_cfg_preset(c, gpu, &e) ? cost_storage(with_settings(c, settings), s.part, &e) : 0;
  if (!s.n) fail_msg("%s", e.text);
  cfg_delete(c);
  return s;
}

static const struct cost_storage *part(const struct sums *s, const char *name) {
  for (size_t i = 0; i < s->n; i++)
    if (!strcmp(s->part[i].part, name)) return &s->part[i];
  fail_msg("there is no part %s", name);
  return NULL;
}

/* That part and no other, with so many bits in each of so many instances. */
static void only(const struct sums *s, const char *name, uint64_t bits, uint64_t instances) {
  assert_int_equal(part(s, name)->bits, bits);
  assert_int_equal(part(s, name)->instances, instances);
  for (size_t i = 0; i < s->n; i++)
    if (s->part[i].bits && strcmp(s->part[i].part, name) != 0) fail_msg("%s has bits too", s->part[i].part);
}

static void test_a_gpu_as_it_is_adds_nothing(void **state) {
  (void)state;
  static const char *const gpus[] = {"gtx480", "gpu80", "h200"};
  for (size_t g = 0; g < sizeof gpus / sizeof *gpus; g++) {
    struct sums s = storage(gpus[g], (const char *const[]){NULL});
    for (size_t i = 0; i < s.n; i++)
      if (s.part[i].bits) fail_msg("%s: %s", gpus[g], s.part[i].part);
  }
}

/* A period of 1000 cycles: clock, loads, hits, L1DHR and its threshold of 10 bits. 12 sub-partitions at the SMs' clock with
 * buffers of 16: at most 16000 in a period, 14 bits for the sum, UIB, and once for the threshold. TUCD up to 25: 5 bits. */
static void test_bucl_dyn_has_one_update_logic(void **state) {
  (void)state;
  struct sums s = storage("gtx480", SETTINGS("l1.bypass=bucl-dyn"));
  only(&s, "l1.bypass.shared", 5 * 10 + (2 * 12 + 1) * 14 + 5, 1);
  s = storage("gtx480", SETTINGS("l1.bypass=bucl-dyn", "l1.bucl.period=1023"));
  only(&s, "l1.bypass.shared", 5 * 10 + (2 * 12 + 1) * 14 + 5, 1);
  s = storage("gtx480", SETTINGS("l1.bypass=bucl-dyn", "l1.bucl.period=1024")); /* 16384 in a buffer */
  only(&s, "l1.bypass.shared", 5 * 11 + (2 * 12 + 1) * 15 + 5, 1);
  s = storage("gtx480", SETTINGS("l1.bypass=bucl-dyn", "l1.bucl.tucd_max=32"));
  only(&s, "l1.bypass.shared", 5 * 10 + (2 * 12 + 1) * 14 + 6, 1);
}

/* Each SM its TUCD and a count of at most 5000 x 64 instructions, 19 bits; 13 bits of profiling cycles. */
static void test_bucl_prf_counts_instructions_of_every_sm(void **state) {
  (void)state;
  struct sums s = storage("gtx480", SETTINGS("l1.bypass=bucl-prf"));
  only(&s, "l1.bypass.shared", 5 * 10 + (2 * 12 + 1) * 14 + 15 * (5 + 19) + 13, 1);
  s = storage("gtx480", SETTINGS("l1.bypass=bucl-prf", "l1.bucl.table=2 3"));
  only(&s, "l1.bypass.shared", 5 * 10 + (2 * 12 + 1) * 14 + 15 * (2 + 19) + 13, 1);
}

/* Queues of line addresses of 25 bits and two pointers: 1.21 KB in table 3 of the tag-split cache's paper. */
static void test_mrpb_has_its_queues(void **state) {
  (void)state;
  struct sums s = storage("gtx480", SETTINGS("l1.bypass=mrpb", "l1.mrpb.queues=48", "l1.mrpb.depth=8"));
  only(&s, "l1.bypass", 48 * (8 * 25 + 2 * 3), 15);
}

/* 48 warps: 16 victims in 2 sets of 8 (a tag of 24 bits, valid) and a score of 16 bits; a warp's number in each of 128 lines. */
static void test_ccws_has_victim_tags_scores_and_owners(void **state) {
  (void)state;
  struct sums s = storage("gtx480", SETTINGS("sm.scheduler=ccws", "sm.ccws.victims=16", "sm.ccws.ways=8"));
  only(&s, "sm.scheduler", 48 * (16 * (32 - 7 - 1 + 1) + 16) + 128 * 6, 15);
}

/* 128 bytes and a bit, ES, and the 8-byte header of the packet in each of the two stages and in the one that waits; an SM
 * has two stages, in which ES is part of the encoding. */
static void test_dual_pattern_compression_has_its_pipelines(void **state) {
  (void)state;
  struct sums s = storage("gtx480", SETTINGS("reply.compress=dpc"));
  assert_int_equal(part(&s, "reply.compressor")->bits, 3 * (1025 + 32 + 64));
  assert_int_equal(part(&s, "reply.compressor")->instances, 12);
  assert_int_equal(part(&s, "reply.compressor")->width, 3 * (1025 + 32 + 64));
  assert_int_equal(part(&s, "reply.decompressor")->bits, 2 * (1025 + 64));
  assert_int_equal(part(&s, "reply.decompressor")->instances, 15);
  s = storage("gtx480", SETTINGS("reply.compress=dpc", "dpc.compress_latency=7", "dpc.decompress_latency=0"));
  only(&s, "reply.compressor", 8 * (1025 + 32 + 64), 12);
}

static void test_the_other_compressors_by_hand(void **state) {
  (void)state;
  /* A code of 4 bits; zeros, repeated and six shapes fit or do not. Adding the base is one stage. */
  struct sums s = storage("gtx480", SETTINGS("reply.compress=bdi"));
  assert_int_equal(part(&s, "reply.compressor")->bits, 3 * (1028 + 8 + 64));
  assert_int_equal(part(&s, "reply.decompressor")->bits, 1 * (1028 + 64));
  /* 32 prefixes of 3 bits and the encoding so far, or the words so far. */
  s = storage("gtx480", SETTINGS("reply.compress=fpc"));
  assert_int_equal(part(&s, "reply.compressor")->bits, 6 * (1025 + 96 + 1024 + 64));
  assert_int_equal(part(&s, "reply.decompressor")->bits, 9 * (1025 + 1024 + 64));
  /* A dictionary of 16 words, a count of 0 to 16, an index. */
  s = storage("gtx480", SETTINGS("reply.compress=cpack"));
  assert_int_equal(part(&s, "reply.compressor")->bits, 22 * (1025 + 512 + 5 + 4 + 1024 + 64));
  assert_int_equal(part(&s, "reply.decompressor")->bits, 17 * (1025 + 512 + 5 + 4 + 1024 + 64));
}

/* A tag of 128 has four valid bits instead of one, a size of four bits and whether its accesses were consistent; 32 MSHRs a bitmap
 * and that bit; four windows of 16 events. A table entry: 25 bits of line, 4 of 15 SMs, a bitmap, valid. */
static void test_data_filtering_has_trackers_windows_and_tables(void **state) {
  (void)state;
  struct sums s = storage("gtx480", SETTINGS("reply.filter=df-truc", "reply.table=64"));
  assert_int_equal(part(&s, "l1.org")->bits, 128 * (3 + 4 + 1) + 32 * (4 + 1) + 4 * 16);
  assert_int_equal(part(&s, "l1.org")->instances, 15);
  assert_int_equal(part(&s, "reply.table")->bits, 64 * (25 + 4 + 4 + 1));
  assert_int_equal(part(&s, "reply.table")->instances, 12);
}

/* Sections 4.4 and 5 of the adaptive L2's paper: 432 and 16 bytes. */
static void test_the_adaptive_l2_has_a_directory_and_counters(void **state) {
  (void)state;
  struct sums s = storage("gpu80", SETTINGS("llc.mode=adaptive"));
  assert_int_equal(part(&s, "llc.atd")->bits, 432 * 8);
  assert_int_equal(part(&s, "llc.counters")->bits, 16 * 8);
  assert_int_equal(part(&s, "llc.atd")->instances, 1);
  assert_int_equal(part(&s, "llc.counters")->instances, 1);
}

/* Table II of cooperative caching: a buffer and a queue of 8 entries of 30 bits, 8 responses of a line and an SM's number; a copy
 * of the tags, 24 bits and valid. */
static void test_a_ring_has_queues_and_a_copy_of_the_tags(void **state) {
  (void)state;
  struct sums s = storage("gtx480", SETTINGS("coop=ccn-rt"));
  assert_int_equal(part(&s, "coop.requests")->bits, 2 * 8 * 30);
  assert_int_equal(part(&s, "coop.responses")->bits, 8 * (1024 + 4));
  assert_int_equal(part(&s, "coop.tags")->bits, 128 * 25);
  assert_int_equal(part(&s, "coop.tags")->instances, 15);
  s = storage("gtx480", SETTINGS("coop=ccn-rt", "coop.shadow_tag_bits=30"));
  assert_int_equal(part(&s, "coop.tags")->bits, 128 * 31);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_gpu_as_it_is_adds_nothing),
      cmocka_unit_test(test_bucl_dyn_has_one_update_logic),
      cmocka_unit_test(test_bucl_prf_counts_instructions_of_every_sm),
      cmocka_unit_test(test_mrpb_has_its_queues),
      cmocka_unit_test(test_ccws_has_victim_tags_scores_and_owners),
      cmocka_unit_test(test_dual_pattern_compression_has_its_pipelines),
      cmocka_unit_test(test_the_other_compressors_by_hand),
      cmocka_unit_test(test_data_filtering_has_trackers_windows_and_tables),
      cmocka_unit_test(test_the_adaptive_l2_has_a_directory_and_counters),
      cmocka_unit_test(test_a_ring_has_queues_and_a_copy_of_the_tags),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
