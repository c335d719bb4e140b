/* L1Ds that are not coherent (l1.coherent=false): what a load reads that another SM has overwritten, and until when. What an H200 answers
 * to the same questions is in tests/h200/stale.tsv. */
#include "gpu_rig.h"

#define INCOHERENT "l1.coherent = false\nl1.granule = 32\nl1.allocate = \"fill\"\nl1.keep_stores = true\n"

/* CTA 0 reads a word at 128 bytes, CTA 1 then writes 7 there, CTA 0 does `meanwhile` and puts what it reads then at 0. Flags, by
 * volatile accesses, at 1 and 2 KB. */
#define SCENE(meanwhile, again)                                                                                                     \
  "setp.ne.u32 %p1, %r2, 0; @%p1 bra WRITER;\n"                                                                                     \
  "ld.global.u32 %r3, [%rd1+128]; add.u32 %r4, %r3, 1; st.volatile.global.u32 [%rd1+1024], %r4;\n"                                  \
  "WRITTEN: ld.volatile.global.u32 %r5, [%rd1+2048]; setp.eq.u32 %p2, %r5, 0; @%p2 bra WRITTEN;\n" meanwhile "\n"                   \
  again " %r6, [%rd1+128]; st.volatile.global.u32 [%rd1], %r6; ret;\n"                                                              \
  "WRITER: ld.volatile.global.u32 %r5, [%rd1+1024]; setp.eq.u32 %p2, %r5, 0; @%p2 bra WRITER;\n"                                    \
  "st.global.u32 [%rd1+128], 7; membar.gl; st.volatile.global.u32 [%rd1+2048], 1;"

static uint32_t read_by(struct rig *r, const char *lines) {
  memset(rig_data(r), 0, 4096);
  rig_run(r, lines, 2, 1, 0);
  return *(uint32_t *)rig_data(r);
}

static void reads(const char *config, const char *lines, uint32_t want, uint32_t stale) {
  static const char *const threads[] = {"", "gpu.threads = 2\ngpu.all_threads = true\n"};
  for (int i = 0; i < 2; i++) {
    struct rig r;
    char more[512];
    snprintf(more, sizeof more, "%s%s", config, threads[i]);
    rig_open(&r, TWELVE_SMS, more);
    assert_int_equal(read_by(&r, lines), want);
    assert_int_equal(rig_stat(&r, "l1d.stale_reads"), stale);
    rig_close(&r);
  }
}

static void test_a_coherent_l1d_reads_what_another_sm_has_written(void **state) {
  (void)state;
  reads("l1.granule = 32\n", SCENE("", "ld.global.u32"), 7, 0);
}

static void test_an_incoherent_one_goes_on_with_what_it_has(void **state) {
  (void)state;
  reads(INCOHERENT, SCENE("", "ld.global.u32"), 0, 1);
  reads(INCOHERENT, SCENE("", "ld.global.nc.u32"), 0, 1);
}

static void test_a_load_that_does_not_look_into_l1d_reads_memory(void **state) {
  (void)state;
  reads(INCOHERENT, SCENE("", "ld.global.cg.u32"), 7, 0);
  reads(INCOHERENT, SCENE("", "ld.volatile.global.u32"), 7, 0);
}

static void test_a_fence_that_empties_l1d_and_an_acquiring_load_end_it(void **state) {
  (void)state;
  static const char fences[] = INCOHERENT "sm.fence_latency = 10\n";
  reads(fences, SCENE("membar.gl;", "ld.global.u32"), 7, 0);
  reads(fences, SCENE("ld.acquire.gpu.global.u32 %r7, [%rd1+3072];", "ld.global.u32"), 7, 0);
  reads(fences, SCENE("membar.cta;", "ld.global.u32"), 0, 1);
}

/* The neighbour of the word that was written counts too, though its value is the same; a word of another sector does not. */
static void test_a_sector_is_old_as_a_whole(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, TWELVE_SMS, INCOHERENT);
  assert_int_equal(read_by(&r, SCENE("ld.global.u32 %r8, [%rd1+160]; ld.global.u32 %r9, [%rd1+156];", "ld.global.u32")), 0);
  assert_int_equal(rig_stat(&r, "l1d.stale_reads"), 2);
  rig_close(&r);
}

/* The SM's own store writes into its copy; its own atomic operation ends the copy, and reads what memory holds. */
static void test_an_sm_reads_what_it_wrote_itself(void **state) {
  (void)state;
  reads(INCOHERENT, SCENE("st.global.u32 [%rd1+128], 9;", "ld.global.u32"), 9, 1);
  reads(INCOHERENT, SCENE("st.global.u32 [%rd1+132], 9;", "ld.global.u32"), 0, 1);
  reads(INCOHERENT, SCENE("red.global.add.u32 [%rd1+128], 2;", "ld.global.u32"), 9, 0);
  reads(INCOHERENT, SCENE("red.global.add.u32 [%rd1+132], 2;", "ld.global.u32"), 7, 0);
}

/* Lines that come between take its place: the cache has four lines. */
static void test_a_line_that_is_replaced_comes_anew(void **state) {
  (void)state;
  static const char four[] = INCOHERENT "l1.sets = 1\nl1.ways = 4\nl1.replacement = \"lru\"\n";
#define OTHERS(n) "mov.u32 %r8, " #n "; add.u64 %rd3, %rd1, 8192;\n"                                                                \
  "OTHER: ld.global.u32 %r9, [%rd3]; add.u32 %r10, %r9, %r8; add.u64 %rd3, %rd3, 128; sub.u32 %r8, %r8, 1;\n"                       \
  "setp.ne.u32 %p3, %r8, 0; @%p3 bra OTHER; st.volatile.global.u32 [%rd1+3072], %r10;"
  reads(four, SCENE(OTHERS(3), "ld.global.u32"), 0, 1);
  reads(four, SCENE(OTHERS(4), "ld.global.u32"), 7, 0);
}

static void test_the_next_kernel_reads_memory(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, TWELVE_SMS, INCOHERENT);
  assert_int_equal(read_by(&r, SCENE("", "ld.global.u32")), 0);
  rig_run(&r,
          "ld.global.u32 %r3, [%rd1+128]; mul.wide.u32 %rd3, %r2, 4; add.u64 %rd3, %rd3, %rd1; st.global.u32 [%rd3+512], %r3;",
          12, 1, 0);
  for (unsigned i = 0; i < 12; i++) assert_int_equal(((uint32_t *)rig_data(&r))[128 + i], 7);
  rig_close(&r);
}

/* Twelve SMs read and write 64 words at random. A word is written by one CTA only, with a number that grows: that CTA reads what it wrote
 * last, and no other ever reads an older number than it has seen. Violations are counted in data[0]. */
static void test_no_thread_sees_a_word_go_back(void **state) {
  (void)state;
  static const char race[] =
      ".shared .align 4 .b8 seen[256];\n"
      "mov.u32 %r3, 0; mov.u32 %r20, seen;\n"
      "CLEAR: add.u32 %r4, %r20, %r3; st.shared.u32 [%r4], 0; add.u32 %r3, %r3, 4; setp.lt.u32 %p1, %r3, 256; @%p1 bra CLEAR;\n"
      "mad.lo.u32 %r5, %r2, 7919, 12345; mov.u32 %r6, 0;\n"
      "TURN: mad.lo.u32 %r5, %r5, 1664525, 1013904223; shr.u32 %r7, %r5, 26; shl.b32 %r8, %r7, 2; add.u32 %r9, %r20, %r8;\n"
      "cvt.u64.u32 %rd4, %r8; add.u64 %rd4, %rd4, %rd1; ld.shared.u32 %r10, [%r9]; ld.global.u32 %r11, [%rd4+4096];\n"
      "rem.u32 %r12, %r7, 12; setp.eq.u32 %p2, %r12, %r2; setp.lt.u32 %p3, %r11, %r10; @%p3 red.global.add.u32 [%rd1], 1;\n"
      "setp.ne.and.u32 %p4, %r11, %r10, %p2; @%p4 red.global.add.u32 [%rd1+4], 1;\n"
      "add.u32 %r13, %r11, 1; @%p2 st.global.u32 [%rd4+4096], %r13; selp.u32 %r11, %r13, %r11, %p2; st.shared.u32 [%r9], %r11;\n"
      "add.u32 %r6, %r6, 1; setp.lt.u32 %p5, %r6, 3000; @%p5 bra TURN;";
  static const char *const more[] = {INCOHERENT "l1.sets = 1\nl1.ways = 12\n", INCOHERENT "l1.sets = 1\nl1.ways = 2\n",
                                     INCOHERENT "l1.fill_stores = true\nl1.sets = 4\n", "l1.coherent = false\n"};
  for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
    uint64_t sum = 0, stale = 0;
    for (int threads = 1; threads <= 2; threads++) {
      struct rig r;
      char config[512];
      snprintf(config, sizeof config, "%sgpu.threads = %d\ngpu.all_threads = true\n", more[i], threads);
      rig_open(&r, TWELVE_SMS, config);
      memset(rig_data(&r), 0, 8192);
      rig_run(&r, race, 12, 1, 0);
      assert_int_equal(rig_data(&r)[0], 0);
      if (threads == 1) sum = rig_sum(&r), stale = rig_stat(&r, "l1d.stale_reads");
      assert_true(rig_sum(&r) == sum);
      assert_int_equal(rig_stat(&r, "l1d.stale_reads"), stale);
      assert_true(stale > 0);
      rig_close(&r);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_coherent_l1d_reads_what_another_sm_has_written),
      cmocka_unit_test(test_an_incoherent_one_goes_on_with_what_it_has),
      cmocka_unit_test(test_a_load_that_does_not_look_into_l1d_reads_memory),
      cmocka_unit_test(test_a_fence_that_empties_l1d_and_an_acquiring_load_end_it),
      cmocka_unit_test(test_a_sector_is_old_as_a_whole),
      cmocka_unit_test(test_an_sm_reads_what_it_wrote_itself),
      cmocka_unit_test(test_a_line_that_is_replaced_comes_anew),
      cmocka_unit_test(test_the_next_kernel_reads_memory),
      cmocka_unit_test(test_no_thread_sees_a_word_go_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
