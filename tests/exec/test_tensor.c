/* mma, wmma, wgmma, ldmatrix, stmatrix and movmatrix. Values, layouts and sums are those of an H200, against which
 * the conformance kit checks every shape and type; here is one example of each behaviour, and what the kit
 * cannot see: faults, refusals, divergence and what the timed model gets. */
#include "kernel_kit.h"

#include "exec/float_bits.h"

#include <string.h>

/* ---- mma ---------------------------------------------------------------------------------------------- */

/* Runs m16n8k16 with f16 operands and f32 sums on matrices given row by row (b column by column). */
static void multiply_f16(struct kit *k, float a[16][16], float b[8][16], float c[16][8], float d[16][8]) {
  uint32_t *in = kit_in(k); /* a lane: four words of a, two of b, four of c */
  for (unsigned lane = 0; lane < 32; lane++) {
    unsigned g = lane / 4, t = lane % 4;
    uint32_t *w = in + lane * 12;
    for (unsigned r = 0; r < 6; r++) {
      unsigned column = t * 2 + (r < 4 ? r / 2 : r - 4) * 8;
      const float *line = r < 4 ? a[g + r % 2 * 8] : b[g];
      w[r] = exec_f16_from_float(line[column]) | exec_f16_from_float(line[column + 1]) << 16;
    }
    for (unsigned i = 0; i < 4; i++) w[6 + i] = exec_bits32(c[g + i / 2 * 8][t * 2 + i % 2]);
  }
  kit_run(k, 32,
          "mul.wide.u32 %rd10, %r1, 48; add.s64 %rd10, %rd10, %rd1; mul.wide.u32 %rd11, %r1, 16; add.s64 "
          "%rd11, %rd11, "
          "%rd2;\n"
          "ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%rd10]; ld.global.v2.b32 {%r14, %r15}, [%rd10+16];\n"
          "ld.global.v2.f32 {%f0, %f1}, [%rd10+24]; ld.global.v2.f32 {%f2, %f3}, [%rd10+32];\n"
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f4, %f5, %f6, %f7}, {%r10, %r11, %r12, %r13}, "
          "{%r14, "
          "%r15}, {%f0, %f1, %f2, %f3};\n"
          "st.global.v4.f32 [%rd11], {%f4, %f5, %f6, %f7};");
  const float *out = kit_out(k);
  for (unsigned lane = 0; lane < 32; lane++)
    for (unsigned i = 0; i < 4; i++) d[lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2] = out[lane * 4 + i];
}

static void test_multiplies_whole_numbers_exactly(void **state) {
  float a[16][16], b[8][16], c[16][8], d[16][8];
  for (unsigned i = 0; i < 16; i++)
    for (unsigned q = 0; q < 16; q++) a[i][q] = (float)((int)(i * 7 + q * 3) % 11 - 5);
  for (unsigned j = 0; j < 8; j++)
    for (unsigned q = 0; q < 16; q++) b[j][q] = (float)((int)(j * 5 + q) % 9 - 4);
  for (unsigned i = 0; i < 128; i++) c[i / 8][i % 8] = (float)i;
  multiply_f16(*state, a, b, c, d);
  for (unsigned i = 0; i < 16; i++)
    for (unsigned j = 0; j < 8; j++) {
      float sum = c[i][j];
      for (unsigned q = 0; q < 16; q++) sum += a[i][q] * b[j][q];
      assert_true(d[i][j] == sum);
    }
}

static void test_cuts_addends_25_bits_below_the_largest(void **state) {
  float a[16][16] = {{0}}, b[8][16] = {{0}}, c[16][8] = {{0}}, d[16][8];
  for (unsigned i = 0; i < 16; i++) c[i][0] = 1.0f, c[i][1] = -1.0f;
  for (unsigned q = 0; q < 16; q++) b[0][q] = b[1][q] = 0x1p-14f;
  for (unsigned q = 0; q < 8; q++) a[0][q] = 0x1p-12f; /* 2^-26: nothing is left of any */
  for (unsigned q = 0; q < 8; q++) a[1][q] = 0x1p-11f; /* 2^-25: eight of them count, and reach 2^-22 */
  a[2][0] = 0x1p-11f, a[2][1] = 0x1p-12f;              /* cut to f32, towards zero */
  multiply_f16(*state, a, b, c, d);
  assert_true(d[0][0] == 1.0f && d[0][1] == -1.0f);
  assert_true(d[1][0] == 1.0f + 0x1p-22f);
  assert_true(d[2][0] == 1.0f);
  assert_true(d[2][1] == -1.0f + 0x1p-24f); /* less than one now: one more bit fits, the rest is cut */
}

static void test_infinities_and_nan_decide_a_sum(void **state) {
  float a[16][16] = {{0}}, b[8][16] = {{0}}, c[16][8] = {{0}}, d[16][8];
  a[0][3] = __builtin_inff(), a[1][3] = __builtin_inff();
  b[0][3] = -2.0f; /* and b[1][3] is zero */
  c[1][0] = __builtin_inff();
  multiply_f16(*state, a, b, c, d);
  assert_int_equal(exec_bits32(d[0][0]), 0xff800000u);
  assert_int_equal(exec_bits32(d[0][1]), EXEC_NAN32_BITS);
  assert_int_equal(exec_bits32(d[1][0]), EXEC_NAN32_BITS);
  assert_int_equal(exec_bits32(d[2][0]), 0);
}

/* 8-bit floats with sums in f16: checksums of what an H200 gave for 64 warps of each pair of types and each range of numbers (one near 1,
 * finite ones, anything, powers of two), words of a lane made by a hash. */
static const struct {
  const char *types;
  bool is_long; /* k is 32, not 16 */
  uint32_t sums[4];
} BYTES[] = {{"e4m3.e4m3", true, {0x546337aa, 0x76b818b3, 0xbc3e6c71, 0xfa536816}},
             {"e5m2.e5m2", true, {0x8bd69917, 0x54fcc3c3, 0x5a3d7fd2, 0xb88059d0}},
             {"e4m3.e5m2", true, {0x209f3ae6, 0x380e60fc, 0x035e4a95, 0x40fd7e09}},
             {"e4m3.e4m3", false, {0x4222f207, 0x4bcdf181, 0xb7350842, 0x2a0cbfe7}},
             {"e5m2.e5m2", false, {0xbbff193c, 0xa59420ec, 0xc13202e7, 0xd6a00374}},
             {"e5m2.e4m3", false, {0x3807d0a5, 0xf7dea2a7, 0x6c83b63c, 0xa541cf33}}};

static uint32_t hash_word(uint32_t x) {
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

/* Four words of a, two of b, two of c. */
static void fill_bytes(uint32_t *w, unsigned warp, unsigned lane, unsigned pair, unsigned range) {
  static const uint32_t keep[] = {0x87878787u, 0xbfbfbfbfu, ~0u, 0x80808080u}, set[] = {0x30303030u, 0, 0, 0x38383838u};
  static const uint32_t keep_c[] = {0x83ff83ffu, 0x9fff9fffu, ~0u, 0x8fff8fffu}, set_c[] = {0x3c003c00u, 0x40004000u, 0, 0x48004800u};
  uint32_t seed = warp * 1024 + lane * 16 + pair * 77777 + range * 999983;
  for (unsigned i = 0; i < 6; i++) w[i] = (hash_word(seed + i) & keep[range]) | set[range];
  for (unsigned i = 0; i < 2; i++) w[6 + i] = range == 3 && warp % 2 ? 0 : (hash_word(seed + 8 + i) & keep_c[range]) | set_c[range];
}

static uint32_t sum_of_products(struct kit *k, unsigned pair, unsigned range) {
  enum { WARPS = 64, AT_ONCE = KIT_IN_BYTES / 1024 };
  uint32_t sum = 2166136261u;
  for (unsigned warp = 0; warp < WARPS; warp += AT_ONCE) {
    for (unsigned i = 0; i < AT_ONCE * 32; i++) fill_bytes((uint32_t *)kit_in(k) + i * 8, warp + i / 32, i % 32, pair, range);
    kit_run(k, AT_ONCE * 32,
            kit_text("shl.b64 %%rd10, %%rd6, 2; add.s64 %%rd10, %%rd10, %%rd1;\n"
                     "ld.global.v4.b32 {%%r10, %%r11, %%r12, %%r13}, [%%rd10];\n"
                     "ld.global.v4.b32 {%%r14, %%r15, %%r16, %%r17}, [%%rd10+16];\n"
                     "mma.sync.aligned.m16n8k%s.row.col.f16.%s.f16 {%%r20, %%r21}, {%%r10, %%r11%s}, {%%r14%s}, {%%r16, %%r17};\n"
                     "st.global.v2.b32 [%%rd7], {%%r20, %%r21};",
                     BYTES[pair].is_long ? "32" : "16", BYTES[pair].types, BYTES[pair].is_long ? ", %r12, %r13" : "",
                     BYTES[pair].is_long ? ", %r15" : ""));
    const uint32_t *out = kit_out(k);
    for (unsigned i = 0; i < AT_ONCE * 64; i++) sum = (sum ^ out[i]) * 16777619u;
  }
  return sum;
}

static void test_byte_floats_are_summed_in_f16_as_on_an_h200(void **state) {
  for (unsigned pair = 0; pair < sizeof BYTES / sizeof *BYTES; pair++)
    for (unsigned range = 0; range < 4; range++) assert_int_equal(sum_of_products(*state, pair, range), BYTES[pair].sums[range]);
}

static void test_whole_number_sums_wrap_or_saturate(void **state) {
  struct kit *k = *state;
  for (unsigned saturate = 0; saturate < 2; saturate++) {
    kit_run(
        k, 32,
        kit_text(
            "mov.b32 %%r10, 0x7f7f7f7f; mov.b32 %%r11, 0x7ffffff0; mov.b32 %%r12, 0x81818181; mov.b32 %%r13, "
            "0x80000010;\n"
            "mma.sync.aligned.m8n8k16.row.col%s.s32.s8.s8.s32 {%%r20, %%r21}, {%%r10}, {%%r10}, {%%r11, "
            "%%r11};\n"
            "mma.sync.aligned.m8n8k16.row.col%s.s32.s8.s8.s32 {%%r22, %%r23}, {%%r10}, {%%r12}, {%%r13, "
            "%%r13};\n"
            "st.global.u32 [%%rd5], %%r20; st.global.u32 [%%rd5+128], %%r22;",
            saturate ? ".satfinite" : "", saturate ? ".satfinite" : ""));
    const uint32_t *out = kit_out(k);
    uint32_t sum = 16 * 127 * 127;
    assert_int_equal(out[5], saturate ? 0x7fffffffu : 0x7ffffff0u + sum);
    assert_int_equal(out[32 + 5], saturate ? 0x80000000u : 0x80000010u - sum);
  }
}

static void test_counts_single_bits(void **state) {
  struct kit *k = *state;
  kit_run(
      k, 32,
      "mov.b32 %r10, 0xff00ff00; mov.b32 %r11, 0x0ff00ff0; mov.b32 %r12, 7;\n"
      "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc {%r20, %r21}, {%r10}, {%r11}, {%r12, %r12};\n"
      "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%r22, %r23}, {%r10}, {%r11}, {%r12, %r12};\n"
      "st.global.u32 [%rd5], %r20; st.global.u32 [%rd5+128], %r22;");
  const uint32_t *out = kit_out(k);
  assert_int_equal(out[0], 7 + 4 * 8);
  assert_int_equal(out[32], 7 + 4 * 16);
}

static void test_f64_sums_round_as_written(void **state) {
  struct kit *k = *state;
  static const char *const ROUND[] = {".rn", ".rz", ".rm", ".rp"};
  static const double WANT[] = {1.0, 1.0, 1.0, 1.0 + 0x1p-52};
  for (unsigned i = 0; i < 4; i++) {
    kit_run(k, 32,
            kit_text(
                "mov.f64 %%fd0, 0d3E40000000000000; setp.eq.u32 %%p1, %%r1, 0; selp.f64 %%fd0, %%fd0, "
                "0d0000000000000000, %%p1; mov.f64 %%fd1, 0d3FF0000000000000;\n" /* 2^-27 in lane 0 */
                "mma.sync.aligned.m8n8k4.row.col%s.f64.f64.f64.f64 {%%fd2, %%fd3}, {%%fd0}, {%%fd0}, {%%fd1, "
                "%%fd1};\nst.global.f64 [%%rd7], %%fd2;",
                ROUND[i]));
    assert_true(*(double *)kit_out(k) == WANT[i]);
  }
}

static void test_lanes_that_diverged_come_together_first(void **state) {
  struct kit *k = *state;
  kit_run(k, 32,
          "setp.lt.u32 %p1, %r1, 13; mov.b32 %r10, 1; mov.b32 %r12, 0;\n@%p1 bra LOW;\nmov.b32 %r10, "
          "0x101;\nLOW:\n"
          "mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {%r20, %r21}, {%r10}, {%r10}, {%r12, %r12};\n"
          "st.global.u32 [%rd5], %r20;");
  const uint32_t *out = kit_out(k);
  assert_int_equal(out[0], 4);  /* row 0, column 0: lanes 0 to 3 have a one each */
  assert_int_equal(out[31], 8); /* row 7, column 6: two each */
}

/* ---- wmma --------------------------------------------------------------------------------------------- */

static void see_first_load(const struct exec_warp *w, void *user) {
  struct exec_access *first = user;
  if (!first->mask) *first = w->access;
}

static void test_tells_each_byte_of_a_tile_once(void **state) {
  struct kit *k = *state;
  struct exec_access seen = {0};
  kit_watch(
      k,
      "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, "
      "[%rd1], 32;",
      see_first_load, &seen);
  assert_int_equal(seen.mask, EXEC_ALL_LANES);
  assert_int_equal(seen.bytes, 16);
  assert_int_equal(seen.op, EXEC_LOAD);
  assert_int_equal(seen.space, PTX_GLOBAL);
  for (unsigned i = 0; i < 32; i++) assert_true(seen.addr[i] == k->in + i / 2 * 64 + i % 2 * 16);
}

static void test_multiplies_tiles_from_memory_to_memory(void **state) {
  struct kit *k = *state;
  uint16_t *in = kit_in(k);
  for (unsigned i = 0; i < 512; i++) in[i] = (uint16_t)exec_f16_from_float((float)((int)(i * 5) % 7 - 3));
  /* a by rows from global memory, b by columns through a generic address of shared memory, d by columns */
  kit_run(k, 32,
          "mov.u32 %r9, 0;\nCOPY: shl.b32 %r10, %r9, 7; shl.b32 %r11, %r1, 2; add.u32 %r10, %r10, %r11; "
          "cvt.u64.u32 %rd10, "
          "%r10; add.s64 %rd11, %rd10, %rd1; ld.global.u32 %r12, [%rd11+512]; mov.u64 %rd12, sm; add.s64 "
          "%rd12, %rd12, "
          "%rd10; st.shared.u32 [%rd12], %r12; add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 4; @%p1 bra COPY;\n"
          "bar.warp.sync -1; mov.u64 %rd13, sm; cvta.shared.u64 %rd13, %rd13; mov.f32 %f0, 0f3F800000;\n"
          "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r10, %r11, %r12, %r13, %r14, %r15, %r16, "
          "%r17}, [%rd1], 16;\n"
          "wmma.load.b.sync.aligned.col.m16n16k16.f16 {%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27}, "
          "[%rd13], 16;\n"
          "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f10, %f11, %f12, %f13, %f14, %f15, %f16, %f17}, "
          "{%r10, %r11, "
          "%r12, %r13, %r14, %r15, %r16, %r17}, {%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27}, {%f0, %f0, "
          "%f0, %f0, "
          "%f0, %f0, %f0, %f0};\n"
          "wmma.store.d.sync.aligned.col.m16n16k16.global.f32 [%rd2], {%f10, %f11, %f12, %f13, %f14, %f15, "
          "%f16, %f17}, "
          "20;");
  const float *out = kit_out(k);
  for (unsigned i = 0; i < 16; i++)
    for (unsigned j = 0; j < 16; j++) {
      float sum = 1.0f;
      for (unsigned q = 0; q < 16; q++)
        sum += exec_f16_to_float(in[i * 16 + q]) * exec_f16_to_float(in[256 + j * 16 + q]);
      assert_true(out[j * 20 + i] == sum);
    }
}

static void test_a_tile_past_its_array_faults(void **state) {
  kit_faults(*state, 32, EXEC_FAULT_ILLEGAL_ADDRESS,
             "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, "
             "[%rd1+4000], 16;",
             "load from global memory", NULL);
}

static void test_a_misaligned_tile_faults(void **state) {
  kit_faults(*state, 32, EXEC_FAULT_MISALIGNED,
             "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, "
             "[%rd1+2], 16;",
             "multiple of 4", NULL);
}

/* ---- ldmatrix, stmatrix, movmatrix -------------------------------------------------------------------- */

#define TO_SHARED                                                                                            \
  "mul.wide.u32 %rd10, %r1, 16; add.s64 %rd11, %rd10, %rd1; ld.global.v4.u32 {%r10, %r11, %r12, %r13}, "     \
  "[%rd11]; "                                                                                                \
  "mov.u64 %rd12, sm; add.s64 %rd12, %rd12, %rd10; st.shared.v4.u32 [%rd12], {%r10, %r11, %r12, %r13}; "     \
  "bar.warp.sync -1;\n"

static void test_loads_matrices_plain_and_transposed(void **state) {
  struct kit *k = *state;
  uint16_t *in = kit_in(k);
  for (unsigned i = 0; i < 256; i++) in[i] = (uint16_t)(i * 3 + 1);
  kit_run(k, 32,
          TO_SHARED "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20, %r21, %r22, %r23}, [%rd12];\n"
                    "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r24, %r25, %r26, %r27}, [%rd12];\n"
                    "st.global.u32 [%rd5], %r22; st.global.u32 [%rd5+128], %r26;");
  const uint16_t *out = kit_out(k), *third = in + 128;
  for (unsigned lane = 0; lane < 32; lane++)
    for (unsigned i = 0; i < 2; i++) {
      unsigned line = lane / 4, along = lane % 4 * 2 + i;
      assert_int_equal(out[lane * 2 + i], third[line * 8 + along]);
      assert_int_equal(out[64 + lane * 2 + i], third[along * 8 + line]);
    }
}

static void test_stores_what_it_loaded(void **state) {
  struct kit *k = *state;
  uint32_t *in = kit_in(k);
  for (unsigned i = 0; i < 128; i++) in[i] = i * 0x9e3779b9u;
  kit_run(
      k, 32,
      TO_SHARED
      "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r20, %r21}, [%rd12];\n"
      "movmatrix.sync.aligned.m8n8.trans.b16 %r20, %r20; movmatrix.sync.aligned.m8n8.trans.b16 %r21, %r21;\n"
      "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%rd12+1024], {%r20, %r21}; bar.warp.sync -1;\n"
      "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%rd12+1024]; mul.wide.u32 %rd13, %r1, 16; add.s64 "
      "%rd13, %rd13, %rd2;\n@%p2 bra DONE; st.global.v4.u32 [%rd13], {%r10, %r11, %r12, %r13};\nDONE:");
  assert_memory_equal(kit_out(k), in, 256); /* the first sixteen rows */
}

static void test_only_the_first_lanes_give_addresses(void **state) {
  struct kit *k = *state;
  struct exec_access seen = {0};
  kit_watch(k,
            "setp.lt.u32 %p1, %r1, 8; mov.u32 %r10, 0x7fffffff; mov.u32 %r11, sm; @%p1 mad.lo.u32 %r10, %r1, "
            "16, %r11;\n"
            "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r20}, [%r10];",
            see_first_load, &seen);
  assert_int_equal(seen.mask, 0xff);
  assert_int_equal(seen.bytes, 16);
  assert_int_equal(seen.space, PTX_SHARED);
}

/* ---- wgmma -------------------------------------------------------------------------------------------- */

/* a (64 by 16) is all ones, b (16 by 8) all twos; descriptors in %rd20 and %rd21. */
#define WARPGROUP                                                                                            \
  "mov.u32 %r10, sm; shl.b32 %r11, %r1, 4; add.u32 %r11, %r11, %r10; mov.b32 %r12, 0x3c003c00;\n"            \
  "st.shared.v4.b32 [%r11], {%r12, %r12, %r12, %r12}; mov.b32 %r12, 0x40004000;\n"                           \
  "st.shared.v4.b32 [%r11+2048], {%r12, %r12, %r12, %r12}; bar.sync 0; shr.u32 %r10, %r10, 4;\n"             \
  "cvt.u64.u32 %rd20, %r10; or.b64 %rd20, %rd20, 0x1000080000; add.s64 %rd21, %rd20, 128;\n"
#define PRODUCT "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd20, %rd21, "

static void test_a_warpgroup_multiplies_from_shared_memory(void **state) {
  struct kit *k = *state;
  kit_run(k, 128,
          WARPGROUP "cvt.rn.f32.u32 %f0, %r1; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0; setp.eq.u32 %p1, %r10, %r10;\n"
                    "wgmma.fence.sync.aligned; " PRODUCT "%p1, 1, 1, 0, 0; " PRODUCT "%p1, -1, 1, 0, 1;\n" PRODUCT
                    "%p1, 1, 1, 0, 0; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"
                    "st.global.f32 [%rd5], %f3; " PRODUCT "!%p1, -1, 1, 0, 0; st.global.f32 [%rd5+512], %f0;");
  const float *out = kit_out(k);
  for (unsigned i = 0; i < 128; i++) {
    assert_true(out[i] == (float)i + 32.0f);
    assert_true(out[128 + i] == -32.0f);
  }
}

/* Warp 0 sees behind its wait what the other warps did before theirs. */
static void test_a_warpgroup_waits_together(void **state) {
  struct kit *k = *state;
  kit_run(k, 128,
          "mov.u32 %r10, sm; shr.u32 %r11, %r1, 5; shl.b32 %r12, %r11, 2; add.u32 %r12, %r12, %r10; st.shared.u32 [%r12], 0; bar.sync 0;\n"
          "mov.u32 %r13, 0; LOOP: add.u32 %r13, %r13, 1; mul.lo.u32 %r14, %r11, 100; setp.lt.u32 %p1, %r13, %r14; @%p1 bra LOOP;\n"
          "add.u32 %r15, %r11, 7; st.shared.u32 [%r12], %r15; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"
          "ld.shared.u32 %r16, [%r10+12]; st.global.u32 [%rd5], %r16;");
  const uint32_t *out = kit_out(k);
  for (unsigned i = 0; i < 128; i++) assert_int_equal(out[i], 10);
}

static void test_a_warpgroup_that_never_meets_is_a_deadlock(void **state) {
  kit_faults(*state, 128, EXEC_FAULT_DEADLOCK, "setp.lt.u32 %p1, %r1, 32; @%p1 bra E; wgmma.wait_group.sync.aligned 0; E:",
             "the warps of a warpgroup never meet: 96 threads have come of 128", NULL);
}

static void test_a_matrix_past_shared_memory_faults(void **state) {
  kit_faults(*state, 128, EXEC_FAULT_ILLEGAL_ADDRESS, WARPGROUP "add.s64 %rd21, %rd21, 256; setp.eq.u32 %p1, %r10, %r10; " PRODUCT
             "%p1, 1, 1, 0, 0;", "shared memory", NULL);
}

/* ---- refusals ----------------------------------------------------------------------------------------- */

static void test_refuses_by_name_what_it_does_not_do(void **state) {
  kit_refuses(*state,
              "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r10, %r11}, "
              "{%r12, %r13}, "
              "{%f0, %f1, %f2, %f3}, %r14, 0x4;",
              "no such selector");
  kit_refuses(*state,
              "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f16.e4m3.e4m3.f16 {%r10, %r11}, {%r10, %r11, %r12, %r13}, {%r10, "
              "%r11, %r12, %r13}, {%r14, %r15}, %r1, 0;",
              "for a dense matrix");
  kit_refuses(*state,
              "mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r10, %r11, %r12, "
              "%r13}, {%r14, "
              "%r15}, {%f0, %f1, %f2, %f3};",
              "no such shape");
  kit_refuses(*state,
              "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r10, %r11}, {%r14, "
              "%r15}, {%f0, "
              "%f1, %f2, %f3};",
              "number of registers");
  kit_refuses(*state,
              "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd20, %rd21, %r1, 2, %p1, 1, 1, 0, 0;",
              "no such selector");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_multiplies_whole_numbers_exactly, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_cuts_addends_25_bits_below_the_largest, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_infinities_and_nan_decide_a_sum, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_byte_floats_are_summed_in_f16_as_on_an_h200, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_whole_number_sums_wrap_or_saturate, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_counts_single_bits, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_f64_sums_round_as_written, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_lanes_that_diverged_come_together_first, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_tells_each_byte_of_a_tile_once, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_multiplies_tiles_from_memory_to_memory, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_a_tile_past_its_array_faults, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_a_misaligned_tile_faults, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_loads_matrices_plain_and_transposed, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_stores_what_it_loaded, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_only_the_first_lanes_give_addresses, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_a_warpgroup_multiplies_from_shared_memory, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_a_warpgroup_waits_together, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_a_warpgroup_that_never_meets_is_a_deadlock, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_a_matrix_past_shared_memory_faults, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_refuses_by_name_what_it_does_not_do, kit_setup, kit_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
