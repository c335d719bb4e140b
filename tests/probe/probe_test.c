/* Each probe on a stream of accesses made by hand, with the figure worked out in the comment. */
#include "base/arena.h"
#include "probe/probe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 8 }; /* SMs, or slices */
enum { CHUNK0 = 1, CHUNK1 = 2, CHUNK2 = 4, CHUNK3 = 8, ALL = 15 };

struct rig {
  struct probe_shape shape;
  struct probe_set *set;
  struct mem_observers sms[MOST], slices[MOST]; /* of each */
  json_t *report; /* of the one probe */
};

static void begin(struct rig *r, const char *name) {
  struct err e = {0};
  if (!r->shape.sms) r->shape = (struct probe_shape){.sms = 2, .slices = 2, .clusters = 2, .granule = 128, .core_period = 3};
  r->set = probe_set_new(name, &r->shape, &e);
  if (!r->set) fail_msg("%s", e.text);
  for (uint32_t i = 0; i < r->shape.sms; i++) probe_follow_sm(r->set, i, &r->sms[i]);
  for (uint32_t i = 0; i < r->shape.slices; i++) probe_follow_slice(r->set, i, &r->slices[i]);
}

static void finish(struct rig *r, const char *name) {
  probe_kernel_end(r->set, &(struct probe_kernel){"k"});
  json_t *all = probe_report(r->set);
  r->report = json_incref(json_object_get(all, name));
  json_decref(all);
}

static void end(struct rig *r) {
  json_decref(r->report);
  probe_set_delete(r->set);
  for (uint32_t i = 0; i < MOST; i++) {
    mem_observers_free(&r->sms[i]);
    mem_observers_free(&r->slices[i]);
  }
  *r = (struct rig){0};
}

/* 4 bytes of each chunk in the mask. */
static struct mem_bytes bytes_of(unsigned chunks) {
  struct mem_bytes m = {{0}};
  for (unsigned i = 0; i < 4; i++)
    if (chunks >> i & 1) m.b[i / 2] |= UINT64_C(15) << (i % 2 * 32);
  return m;
}

static void touch(struct rig *r, uint32_t sm, uint64_t line, unsigned chunks, enum mem_seen_result result) {
  MEM_NOTIFY(&r->sms[sm], access,
             &(struct mem_seen_access){.line = line, .bytes = bytes_of(chunks), .result = (uint8_t)result, .degree = 1});
}

/* The number at "a>b" of the report. */
static double figure(const struct rig *r, const char *path) {
  const json_t *at = r->report;
  for (const char *step; (step = strchr(path, '>')); path = step + 1) at = json_object_getn(at, path, (size_t)(step - path));
  at = json_object_get(at, path);
  if (!json_is_number(at)) fail_msg("no figure %s", path);
  return json_number_value(at);
}
static void assert_figure(const struct rig *r, const char *path, double wanted) {
  double d = figure(r, path) - wanted;
  if (d > 1e-9 || d < -1e-9) fail_msg("%s is %g, %g was expected", path, figure(r, path), wanted);
}

/* ---- lines and consistency ------------------------------------------------------------------------------------------ */

/* Line 0: fetched for chunk 0, chunk 0 again, then a merged access to chunk 1: 2/4 reused, 2 used.
 * Line 0 is missed again (evicted): chunk 3, never touched again: none reused, 1 used.
 * Line 128 on the other SM: all four, then one of them: 1/4 reused, 4 used.
 * Line 256: fetched for two chunks and left: none reused, 2 used.
 * So of 4 lines: none 2, 1/4 one, 2/4 one; used 32 B 1, 64 B 2, 128 B 1; sub-blocks (2+1+4+2)/16; bytes 9*4/512. */
static void lines_stream(struct rig *r) {
  touch(r, 0, 0, CHUNK0, MEM_SEEN_MISS);
  touch(r, 0, 0, CHUNK0, MEM_SEEN_HIT);
  touch(r, 0, 0, CHUNK1, MEM_SEEN_MERGED);
  touch(r, 0, 0, CHUNK3, MEM_SEEN_MISS);
  touch(r, 1, 128, ALL, MEM_SEEN_MISS);
  touch(r, 1, 128, CHUNK2, MEM_SEEN_HIT);
  touch(r, 0, 256, CHUNK0 | CHUNK1, MEM_SEEN_MISS);
}

static void test_lines_counts_reused_quarters_until_the_next_miss(void **state) {
  struct rig r = {0};
  (void)state;
  begin(&r, "lines");
  lines_stream(&r);
  finish(&r, "lines");
  assert_figure(&r, "lines", 4);
  assert_figure(&r, "reused>0", 0.5);
  assert_figure(&r, "reused>1/4", 0.25);
  assert_figure(&r, "reused>2/4", 0.25);
  assert_figure(&r, "reused>4/4", 0);
  assert_figure(&r, "quarter_of_reused", 0.5);
  assert_figure(&r, "used>32B", 0.25);
  assert_figure(&r, "used>64B", 0.5);
  assert_figure(&r, "used>128B", 0.25);
  assert_figure(&r, "used_share", 9.0 / 16);
  assert_figure(&r, "used_bytes_share", 36.0 / 512);
  end(&r);
}

/* With sectors of 32 bytes a miss on a sector not fetched yet is no eviction; a miss on one that was fetched is. */
static void test_lines_knows_a_sector_miss_from_an_eviction(void **state) {
  struct rig r = {.shape = {.sms = 1, .slices = 1, .clusters = 1, .granule = 32, .core_period = 1}};
  (void)state;
  begin(&r, "lines");
  touch(&r, 0, 0, CHUNK0, MEM_SEEN_MISS);
  touch(&r, 0, 0, CHUNK1, MEM_SEEN_MISS);
  touch(&r, 0, 0, CHUNK0, MEM_SEEN_MISS);
  finish(&r, "lines");
  assert_figure(&r, "lines", 2);
  assert_figure(&r, "used>64B", 0.5);
  assert_figure(&r, "used>32B", 0.5);
  end(&r);
}

static void test_a_bypassing_load_touches_no_line(void **state) {
  struct rig r = {0};
  (void)state;
  begin(&r, "lines");
  touch(&r, 0, 0, CHUNK0, MEM_SEEN_BYPASS);
  finish(&r, "lines");
  assert_figure(&r, "lines", 0);
  end(&r);
}

/* The same stream: line 0 first asked for chunk 0 and then for chunk 1: inconsistent, 64 B; again: consistent 32 B; line
 * 128: consistent 128 B (one of the four again); line 256: consistent 64 B. Partial and consistent: 2 of 4. */
static void test_consistency_classes_follow_the_first_load(void **state) {
  struct rig r = {0};
  (void)state;
  begin(&r, "consistency");
  lines_stream(&r);
  finish(&r, "consistency");
  assert_figure(&r, "classes>ICA 64B", 0.25);
  assert_figure(&r, "classes>CA 32B", 0.25);
  assert_figure(&r, "classes>CA 128B", 0.25);
  assert_figure(&r, "classes>CA 64B", 0.25);
  assert_figure(&r, "partial_consistent", 0.5);
  end(&r);
}

/* ---- coalescing ------------------------------------------------------------------------------------------------------ */

/* A load of `degree` lines from `base` on, with the given results; done after `cycles`. */
static void load(struct rig *r, uint32_t owner, uint64_t base, const enum mem_seen_result *result, uint16_t degree,
                 uint64_t cycles) {
  for (uint16_t i = 0; i < degree; i++)
    MEM_NOTIFY(&r->sms[0], access, &(struct mem_seen_access){.line = base + i * 128u,
                                                              .bytes = bytes_of(CHUNK0),
                                                              .result = (uint8_t)result[i],
                                                              .degree = degree,
                                                              .owner = owner});
  MEM_NOTIFY(&r->sms[0], load, &(struct mem_seen_load){owner, cycles});
}

/* Three loads: two lines (both miss, 100 cycles), the first line alone (hit, 20 cycles), the same (hit, 40 cycles).
 * Degree 1: 2/3 of loads, 2 of 4 accesses, all hit, 30 cycles, fetched nothing. Degree 2: 1/3, no all-hit, 100 cycles,
 * one of its two lines was used again. */
static void test_coalescing_groups_by_degree(void **state) {
  static const enum mem_seen_result miss[] = {MEM_SEEN_MISS, MEM_SEEN_MISS}, hit[] = {MEM_SEEN_HIT};
  struct rig r = {0};
  (void)state;
  begin(&r, "coalescing");
  load(&r, 7, 0, miss, 2, 100);
  load(&r, 7, 0, hit, 1, 20);
  load(&r, 900, 0, hit, 1, 40);
  finish(&r, "coalescing");
  assert_figure(&r, "loads", 3);
  assert_figure(&r, "groups>1>loads", 2.0 / 3);
  assert_figure(&r, "groups>1>accesses", 0.5);
  assert_figure(&r, "groups>1>all_hit", 1);
  assert_figure(&r, "groups>1>latency", 30);
  assert_figure(&r, "groups>2>all_hit", 0);
  assert_figure(&r, "groups>2>latency", 100);
  assert_figure(&r, "groups>2>block_reuse", 0.5);
  assert_figure(&r, "above_2", 0);
  end(&r);
}

/* One load each of degree 1, 2, 3, 10, 11, 20, 21 and 32: the groups' edges; 100 accesses, 53 by the last two. */
static void test_coalescing_group_edges(void **state) {
  static const uint16_t degrees[] = {1, 2, 3, 10, 11, 20, 21, 32};
  enum mem_seen_result miss[32];
  struct rig r = {0};
  (void)state;
  for (unsigned i = 0; i < 32; i++) miss[i] = MEM_SEEN_MISS;
  begin(&r, "coalescing");
  for (uint32_t i = 0; i < 8; i++) load(&r, i, 0, miss, degrees[i], 1);
  finish(&r, "coalescing");
  assert_figure(&r, "groups>1>loads", 1.0 / 8);
  assert_figure(&r, "groups>2>loads", 1.0 / 8);
  assert_figure(&r, "groups>3-10>loads", 2.0 / 8);
  assert_figure(&r, "groups>11-20>loads", 2.0 / 8);
  assert_figure(&r, "groups>21-32>loads", 2.0 / 8);
  assert_figure(&r, "groups>21-32>accesses", 53.0 / 100);
  assert_figure(&r, "above_2", 6.0 / 8);
  assert_figure(&r, "degrees>32", 1);
  end(&r);
}

/* ---- reuse and sharing ----------------------------------------------------------------------------------------------- */

/* SM 1 holds lines below 256, SM 2 line 0, SM 0 nothing. */
static bool holds(void *user, uint32_t sm, uint64_t line) {
  (void)user;
  return (sm == 1 && line < 256) || (sm == 2 && line == 0);
}

static void ask(struct rig *r, uint32_t slice, uint16_t sm, uint64_t line, uint64_t now, enum mem_class class_) {
  struct mem_packet k = {.line = line, .kind = MEM_READ, .class_ = (uint8_t)class_, .sm = sm};
  MEM_NOTIFY(&r->slices[slice], request, &k, now);
}

/* SM 0 asks for 0 (held by 1 and 2), 128 (by 1), 256 (nobody); SM 1 for 128, which only itself has; an instruction does
 * not count. 2 of 4 could be answered; of SM 0's three, two by SM 1 and one by SM 2. */
static void test_reuse_counts_lines_that_another_sm_holds(void **state) {
  struct rig r = {.shape = {.sms = 3, .slices = 2, .clusters = 3, .granule = 128, .core_period = 1, .holds = holds}};
  (void)state;
  begin(&r, "reuse");
  ask(&r, 0, 0, 0, 0, MEM_GLOBAL);
  ask(&r, 1, 0, 128, 0, MEM_GLOBAL);
  ask(&r, 0, 0, 256, 0, MEM_GLOBAL);
  ask(&r, 1, 1, 128, 0, MEM_GLOBAL);
  ask(&r, 1, 0, 0, 0, MEM_INSTRUCTION);
  finish(&r, "reuse");
  assert_figure(&r, "requests", 4);
  assert_figure(&r, "coefficient", 0.5);
  const json_t *row = json_array_get(json_object_get(r.report, "map"), 0);
  assert_true(json_number_value(json_array_get(row, 0)) == 0);
  assert_true(json_number_value(json_array_get(row, 1)) == 2.0 / 3);
  assert_true(json_number_value(json_array_get(row, 2)) == 1.0 / 3);
  end(&r);
}

static void test_reuse_is_no_figure_where_l1_cannot_say(void **state) {
  struct rig r = {0};
  (void)state;
  begin(&r, "reuse");
  ask(&r, 0, 0, 0, 0, MEM_GLOBAL);
  finish(&r, "reuse");
  assert_true(json_is_null(json_object_get(r.report, "coefficient")));
  end(&r);
}

/* Eight SMs in four clusters, a window of 1,000 cycles of 3 ticks. Window 0: line 0 by clusters 0 and 1, line 128 by
 * cluster 0 twice (two SMs of it). At tick 3,000 a new window: line 0 by clusters 1, 2 and 3. Three lines: one by 1, one
 * by 2, one by 3-4. */
static void test_sharing_counts_clusters_in_each_window(void **state) {
  struct rig r = {.shape = {.sms = 8, .slices = 1, .clusters = 4, .granule = 128, .core_period = 3}};
  (void)state;
  begin(&r, "sharing");
  ask(&r, 0, 0, 0, 0, MEM_GLOBAL);
  ask(&r, 0, 2, 0, 10, MEM_GLOBAL);
  ask(&r, 0, 0, 128, 20, MEM_GLOBAL);
  ask(&r, 0, 1, 128, 2999, MEM_GLOBAL);
  ask(&r, 0, 2, 0, 3000, MEM_GLOBAL);
  ask(&r, 0, 4, 0, 3001, MEM_GLOBAL);
  ask(&r, 0, 7, 0, 3002, MEM_GLOBAL);
  finish(&r, "sharing");
  assert_figure(&r, "line_windows", 3);
  assert_figure(&r, "touched_by>1", 1.0 / 3);
  assert_figure(&r, "touched_by>2", 1.0 / 3);
  assert_figure(&r, "touched_by>3-4", 1.0 / 3);
  assert_figure(&r, "shared", 2.0 / 3);
  end(&r);
}

/* ---- working set and mix --------------------------------------------------------------------------------------------- */

/* A cycle of 8 lines, 10 times: a cache of 1 KiB (8 lines) hits all but the first 8 of 80. A cycle of 9 lines: it hits
 * nothing, 2 KiB hits all but 9 of 90. */
static void test_working_set_curve_of_a_cycle(void **state) {
  (void)state;
  for (unsigned lines = 8; lines <= 9; lines++) {
    struct rig r = {0};
    begin(&r, "working-set");
    for (unsigned i = 0; i < 10 * lines; i++) touch(&r, 0, i % lines * 128, CHUNK0, MEM_SEEN_HIT);
    finish(&r, "working-set");
    assert_figure(&r, "hits_at_kib>1", lines == 8 ? 0.9 : 0);
    assert_figure(&r, "hits_at_kib>2", 0.9);
    assert_figure(&r, "footprint_kib", lines / 8.0);
    assert_figure(&r, "first_touch", 0.1);
    end(&r);
  }
}

/* Long enough that times are numbered anew (after 65,536 accesses): a cycle of 100 lines, then one of 50,000. */
static void test_working_set_survives_renumbering(void **state) {
  struct rig r = {0};
  (void)state;
  begin(&r, "working-set");
  for (unsigned i = 0; i < 100000; i++) touch(&r, 0, i % 100 * 128, CHUNK0, MEM_SEEN_HIT);
  for (unsigned i = 0; i < 100000; i++) touch(&r, 0, (1000 + i % 50000) * 128, CHUNK0, MEM_SEEN_HIT);
  finish(&r, "working-set");
  assert_figure(&r, "first_touch", 50100.0 / 200000);
  assert_figure(&r, "hits_at_kib>8", 0);
  assert_figure(&r, "hits_at_kib>16", 99900.0 / 200000);
  assert_figure(&r, "hits_at_kib>4096", 99900.0 / 200000);
  assert_figure(&r, "hits_at_kib>8192", 149900.0 / 200000);
  end(&r);
}

/* Two SMs touch the same line and one another: two lines in all, two on the SM that touches most. */
static void test_working_set_counts_a_shared_line_once(void **state) {
  struct rig r = {0};
  (void)state;
  begin(&r, "working-set");
  touch(&r, 0, 0, CHUNK0, MEM_SEEN_MISS);
  touch(&r, 1, 0, CHUNK0, MEM_SEEN_MISS);
  touch(&r, 1, 128, CHUNK0, MEM_SEEN_MISS);
  finish(&r, "working-set");
  assert_figure(&r, "footprint_kib", 0.25);
  assert_figure(&r, "largest_sm_kib", 0.25);
  end(&r);
}

static void test_mix_counts_classes_and_lanes(void **state) {
  struct rig r = {0};
  (void)state;
  begin(&r, "mix");
  for (uint32_t sm = 0; sm < 2; sm++) {
    MEM_NOTIFY(&r.sms[sm], issue, &(struct mem_seen_issue){MEM_SEEN_FLOAT, 32});
    MEM_NOTIFY(&r.sms[sm], issue, &(struct mem_seen_issue){MEM_SEEN_GLOBAL_LOAD, 16});
  }
  finish(&r, "mix");
  assert_figure(&r, "warp_instructions", 4);
  assert_figure(&r, "classes>float", 0.5);
  assert_figure(&r, "classes>global load", 0.5);
  assert_figure(&r, "mean_lanes", 24);
  end(&r);
}

/* A load of two lines: four sectors of one hit, one of the other missed. Then one merged. */
static void test_sectors_counts_what_loads_ask_for_and_find(void **state) {
  struct rig r = {0};
  (void)state;
  begin(&r, "sectors");
  MEM_NOTIFY(&r.sms[0], issue, &(struct mem_seen_issue){MEM_SEEN_GLOBAL_LOAD, 32});
  touch(&r, 0, 0, ALL, MEM_SEEN_HIT);
  touch(&r, 0, 128, CHUNK1, MEM_SEEN_MISS);
  touch(&r, 1, 128, CHUNK1, MEM_SEEN_MERGED);
  finish(&r, "sectors");
  assert_figure(&r, "load_requests", 1);
  assert_figure(&r, "load_sectors", 6);
  assert_figure(&r, "load_sectors_hit", 4);
  assert_figure(&r, "load_sectors_merged", 1);
  end(&r);
}

/* ---- by kernel ------------------------------------------------------------------------------------------------------- */

/* Memory instructions of `n` lines from `base` on, 4 bytes of the first sector each. */
static void access_memory(struct rig *r, uint32_t sm, enum mem_seen_space space, enum mem_seen_op op, uint64_t base, uint32_t n) {
  struct mem_seen_part parts[32];
  for (uint32_t i = 0; i < n; i++) parts[i] = (struct mem_seen_part){base + i * 128u, bytes_of(CHUNK0)};
  MEM_NOTIFY(&r->sms[sm], memory, &(struct mem_seen_memory){space, op, 32, n, parts});
}

/* Kernel a: one load of 32 lines, then one of the first of them alone (31 other lines since), a store to a line of its own;
 * two launches, of which the second loads the first line on the other SM. Kernel b: one load of shared memory.
 * a touches 32 + 1 sectors; 4 memory instructions of 35 lines; first touches of loads 33, one distance of 31. */
static void test_kernels_are_distinguished_by_name(void **state) {
  struct rig r = {0};
  (void)state;
  begin(&r, "kernels");
  access_memory(&r, 0, MEM_SEEN_IN_GLOBAL, MEM_SEEN_LOAD, 0, 32);
  access_memory(&r, 0, MEM_SEEN_IN_GLOBAL, MEM_SEEN_LOAD, 0, 1);
  access_memory(&r, 0, MEM_SEEN_IN_GLOBAL, MEM_SEEN_STORE, 8192, 1);
  MEM_NOTIFY(&r.sms[0], issue, &(struct mem_seen_issue){MEM_SEEN_DOUBLE, 32});
  probe_kernel_end(r.set, &(struct probe_kernel){"a"});
  access_memory(&r, 0, MEM_SEEN_IN_SHARED, MEM_SEEN_LOAD, 0, 0);
  probe_kernel_end(r.set, &(struct probe_kernel){"b"});
  access_memory(&r, 1, MEM_SEEN_IN_GLOBAL, MEM_SEEN_LOAD, 0, 1);
  MEM_NOTIFY(&r.sms[1], issue, &(struct mem_seen_issue){MEM_SEEN_INTEGER, 32});
  probe_kernel_end(r.set, &(struct probe_kernel){"a"});
  finish(&r, "kernels");
  assert_figure(&r, "a>warp_instructions", 2);
  assert_figure(&r, "a>double", 0.5);
  assert_figure(&r, "a>lanes>global_load", 96);
  assert_figure(&r, "a>lanes>global_store", 32);
  assert_figure(&r, "a>lines>1", 0.75);
  assert_figure(&r, "a>lines>32", 0.25);
  assert_figure(&r, "a>mean_lines", 35.0 / 4);
  assert_figure(&r, "a>touched_bytes", 33 * 32);
  assert_figure(&r, "a>reuse_distance>q2", 31);
  assert_figure(&r, "a>reuse_distance>first_touch", 33.0 / 34);
  assert_figure(&r, "b>lanes>shared_load", 32);
  assert_figure(&r, "b>touched_bytes", 0);
  end(&r);
}

/* Groups of lines an instruction: 1 | 2 | 3 to 8 | 9 to 16 | 17 to 31 | 32; distances beyond 32 in steps of an eighth. */
static void test_kernels_group_edges(void **state) {
  static const uint32_t lines[] = {1, 2, 3, 8, 9, 16, 17, 31, 32};
  struct rig r = {0};
  (void)state;
  begin(&r, "kernels");
  for (unsigned i = 0; i < 9; i++) access_memory(&r, 0, MEM_SEEN_IN_TEXTURE, MEM_SEEN_LOAD, 0, lines[i]);
  for (unsigned i = 0; i < 41; i++) access_memory(&r, 1, MEM_SEEN_IN_GLOBAL, MEM_SEEN_LOAD, (i % 40) * 128, 1);
  finish(&r, "kernels");
  assert_figure(&r, "k>lines>2", 1.0 / 50);
  assert_figure(&r, "k>lines>3-8", 2.0 / 50);
  assert_figure(&r, "k>lines>9-16", 2.0 / 50);
  assert_figure(&r, "k>lines>17-31", 2.0 / 50);
  assert_figure(&r, "k>lines>32", 1.0 / 50);
  end(&r);
  begin(&r, "kernels");
  for (unsigned i = 0; i < 41; i++) access_memory(&r, 1, MEM_SEEN_IN_GLOBAL, MEM_SEEN_LOAD, (i % 40) * 128, 1);
  finish(&r, "kernels");
  assert_figure(&r, "k>reuse_distance>q1", 36); /* 39: from 36 to 39 */
  end(&r);
}

static bool zeros(void *user, uint64_t line, uint8_t *block) {
  (void)user;
  memset(block, 0, 128);
  return line != 4096;
}

/* Two SMs read a line in one window, one of them in the next: two lines in windows, one shared. Of a line of zeros DPC leaves
 * a few bytes; of a line without memory nobody knows. */
static void test_kernel_traffic_counts_sms_and_compressors(void **state) {
  struct rig r = {.shape = {.sms = 2, .slices = 1, .clusters = 1, .granule = 128, .core_period = 1, .read = zeros}};
  (void)state;
  begin(&r, "kernel-traffic");
  ask(&r, 0, 0, 0, 10, MEM_GLOBAL);
  ask(&r, 0, 1, 0, 20, MEM_GLOBAL);
  ask(&r, 0, 1, 0, 1010, MEM_GLOBAL);
  ask(&r, 0, 1, 4096, 1020, MEM_GLOBAL);
  finish(&r, "kernel-traffic");
  assert_figure(&r, "k>line_windows", 3);
  assert_figure(&r, "k>shared", 1.0 / 3);
  assert_figure(&r, "k>lines_read", 3);
  assert_true(figure(&r, "k>saved>dpc") > 0.9);
  end(&r);
}

/* ---- sets ------------------------------------------------------------------------------------------------------------ */

static void test_only_the_probes_asked_for_watch(void **state) {
  struct rig r = {0};
  (void)state;
  begin(&r, "mix");
  assert_int_equal(r.slices[0].n, 0);
  assert_true(r.sms[0].n > 0);
  end(&r);
  begin(&r, "sharing,sharing");
  assert_int_equal(r.sms[0].n, 0);
  assert_int_equal(r.slices[0].n, 1);
  end(&r);
}

static void test_an_unknown_probe_offers_the_nearest(void **state) {
  struct probe_shape shape = {.sms = 1, .slices = 1, .clusters = 1, .granule = 128, .core_period = 1};
  struct err e = {0};
  (void)state;
  assert_null(probe_set_new("lines,resue", &shape, &e));
  assert_non_null(strstr(e.text, "'reuse'"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lines_counts_reused_quarters_until_the_next_miss),
      cmocka_unit_test(test_lines_knows_a_sector_miss_from_an_eviction),
      cmocka_unit_test(test_a_bypassing_load_touches_no_line),
      cmocka_unit_test(test_consistency_classes_follow_the_first_load),
      cmocka_unit_test(test_coalescing_groups_by_degree),
      cmocka_unit_test(test_coalescing_group_edges),
      cmocka_unit_test(test_reuse_counts_lines_that_another_sm_holds),
      cmocka_unit_test(test_reuse_is_no_figure_where_l1_cannot_say),
      cmocka_unit_test(test_sharing_counts_clusters_in_each_window),
      cmocka_unit_test(test_working_set_curve_of_a_cycle),
      cmocka_unit_test(test_working_set_survives_renumbering),
      cmocka_unit_test(test_working_set_counts_a_shared_line_once),
      cmocka_unit_test(test_mix_counts_classes_and_lanes),
      cmocka_unit_test(test_sectors_counts_what_loads_ask_for_and_find),
      cmocka_unit_test(test_kernels_are_distinguished_by_name),
      cmocka_unit_test(test_kernels_group_edges),
      cmocka_unit_test(test_kernel_traffic_counts_sms_and_compressors),
      cmocka_unit_test(test_only_the_probes_asked_for_watch),
      cmocka_unit_test(test_an_unknown_probe_offers_the_nearest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
