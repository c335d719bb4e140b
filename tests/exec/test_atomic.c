/* atom and red: each operation and type on global and shared memory against a scalar reference, with
 * colliding lanes, and the corners of floating-point sums. */
#include "kernel_kit.h"

#include <string.h>

/* ---- integers ----------------------------------------------------------------------------------------- */

struct op {
  const char *op, *type;
  unsigned bytes;
  uint64_t (*next)(uint64_t old, uint64_t b);
};

#define NEXT(NAME, T, EXPR)                                                                                  \
  static uint64_t NAME(uint64_t old_, uint64_t b_) {                                                         \
    T old = (T)old_, b = (T)b_;                                                                              \
    return (uint64_t)(EXPR);                                                                                 \
  }
NEXT(next_and, uint64_t, old &b)
NEXT(next_or, uint64_t, old | b)
NEXT(next_xor, uint64_t, old ^ b)
NEXT(next_exch, uint64_t, old == b ? old : b)
NEXT(next_add, uint64_t, old + b)
NEXT(next_inc, uint32_t, old >= b ? 0 : old + 1)
NEXT(next_dec, uint32_t, old == 0 || old > b ? b : old - 1)
NEXT(next_min_u32, uint32_t, old < b ? old : b)
NEXT(next_max_u32, uint32_t, old > b ? old : b)
NEXT(next_min_s32, int32_t, old < b ? old : b)
NEXT(next_max_s32, int32_t, old > b ? old : b)
NEXT(next_min_u64, uint64_t, old < b ? old : b)
NEXT(next_max_u64, uint64_t, old > b ? old : b)
NEXT(next_min_s64, int64_t, old < b ? old : b)
NEXT(next_max_s64, int64_t, old > b ? old : b)

static const struct op OPS[] = {
    {"and", "b32", 4, next_and},     {"and", "b64", 8, next_and},     {"or", "b32", 4, next_or},
    {"or", "b64", 8, next_or},       {"xor", "b32", 4, next_xor},     {"xor", "b64", 8, next_xor},
    {"exch", "b32", 4, next_exch},   {"exch", "b64", 8, next_exch},   {"add", "u32", 4, next_add},
    {"add", "s32", 4, next_add},     {"add", "u64", 8, next_add},     {"inc", "u32", 4, next_inc},
    {"dec", "u32", 4, next_dec},     {"min", "u32", 4, next_min_u32}, {"max", "u32", 4, next_max_u32},
    {"min", "s32", 4, next_min_s32}, {"max", "s32", 4, next_max_s32}, {"min", "u64", 8, next_min_u64},
    {"max", "u64", 8, next_max_u64}, {"min", "s64", 8, next_min_s64}, {"max", "s64", 8, next_max_s64},
};

enum { CELLS = 5 }; /* at most */

/* Interesting and scattered numbers, a different one for each i. */
static uint64_t number(unsigned i) {
  static const uint64_t corners[] = {0,          1, 0x7fffffff, 0x80000000, 0xffffffff, 0x8000000000000000,
                                     UINT64_MAX, 5};
  return i < 8 ? corners[i] : (i * UINT64_C(0x9e3779b97f4a7c15)) ^ (i << 3);
}

static uint64_t low(uint64_t x, unsigned bytes) { return bytes == 8 ? x : (uint32_t)x; }

/* Lane i works on cell i % n with the number at in + 512 of its own; old values go to out. The cells are
 * at in; for shared memory they are brought there before and back afterwards. */
static const char *collide(const struct op *o, unsigned n, const char *space, bool red) {
  bool wide = o->bytes == 8, shared = !strcmp(space, ".shared");
  const char *b = wide ? "%rd20" : "%r20", *d = wide ? "%rd21" : "%r21", *t = wide ? "b64" : "b32";
  const char *addresses =
      kit_text("setp.lt.u32 %%p1, %%r1, %d; mul.wide.u32 %%rd10, %%r1, %u; add.s64 %%rd11, %%rd10, %%rd1;\n"
               "add.s64 %%rd12, %%rd10, %%rd2; rem.u32 %%r10, %%r1, %u; mul.wide.u32 %%rd13, %%r10, %u;\n"
               "mov.u64 %%rd14, sm; add.s64 %%rd15, %%rd14, %%rd10; add.s64 %%rd16, %%rd14, %%rd13;\n"
               "add.s64 %%rd13, %%rd13, %%rd1;\n",
               CELLS, o->bytes, n, o->bytes);
  const char *bring =
      kit_text("@%%p1 ld.global.%s %s, [%%rd11]; @%%p1 st.shared.%s [%%rd15], %s;\n", t, b, t, b);
  const char *fetch =
      kit_text("@%%p1 ld.shared.%s %s, [%%rd15]; @%%p1 st.global.%s [%%rd11], %s;\n", t, b, t, b);
  const char *work =
      kit_text("ld.global.%s %s, [%%rd11+512]; %s%s.%s.%s %s [%s], %s;\n", t, b, red ? "red" : "atom", space,
               o->op, o->type, red ? "" : kit_text("%s,", d), shared ? "%rd16" : "%rd13", b);
  const char *keep = red ? "" : kit_text("st.global.%s [%%rd12], %s;\n", t, d);
  return kit_text("%s%s%s%s%s", addresses, shared ? bring : "", work, keep, shared ? fetch : "");
}

static void check_cells(struct kit *k, const struct op *o, unsigned n, const char *space, bool red) {
  unsigned char *in = kit_in(k), *out = kit_out(k);
  uint64_t cells[CELLS];
  memset(in, 0, KIT_IN_BYTES);
  memset(out, 0, 1024);
  for (unsigned i = 0; i < CELLS; i++) {
    cells[i] = low(number(i + 1), o->bytes);
    memcpy(in + i * o->bytes, &cells[i], o->bytes);
  }
  for (unsigned i = 0; i < 32; i++) {
    uint64_t b = number(i + 3);
    memcpy(in + 512 + i * o->bytes, &b, o->bytes);
  }
  kit_run(k, 32, collide(o, n, space, red));
  for (unsigned i = 0; i < 32; i++) {
    uint64_t got = 0;
    memcpy(&got, out + i * o->bytes, o->bytes);
    if (!red) assert_int_equal(got, cells[i % n]);
    cells[i % n] = low(o->next(cells[i % n], low(number(i + 3), o->bytes)), o->bytes);
  }
  for (unsigned i = 0; i < CELLS; i++) {
    uint64_t got = 0;
    memcpy(&got, in + i * o->bytes, o->bytes);
    assert_int_equal(got, cells[i]);
  }
}

/* Several lanes at each of some places, and all at one. */
static void check_op(struct kit *k, const struct op *o, const char *space, bool red) {
  check_cells(k, o, CELLS, space, red);
  check_cells(k, o, 1, space, red);
}

static void test_every_integer_operation_with_colliding_lanes(void **state) {
  struct kit *k = *state;
  for (unsigned i = 0; i < sizeof OPS / sizeof *OPS; i++) {
    check_op(k, &OPS[i], ".global", false);
    check_op(k, &OPS[i], ".shared", false);
    check_op(k, &OPS[i], "", false);
    if (OPS[i].next == next_exch) continue;
    check_op(k, &OPS[i], ".global", true);
    check_op(k, &OPS[i], ".shared", true);
  }
}

/* ---- compare and swap, exchange ----------------------------------------------------------------------- */

static void test_cas_lets_one_lane_through(void **state) {
  struct kit *k = *state;
  static const struct {
    const char *type, *d, *b, *c;
    unsigned bytes;
  } rows[] = {{"b16", "%h1", "%h2", "%h3", 2},
              {"b32", "%r20", "%r21", "%r22", 4},
              {"b64", "%rd20", "%rd21", "%rd22", 8}};
  for (unsigned i = 0; i < 3; i++) {
    uint64_t start = 7, got = 0;
    memset(kit_out(k), 0, 1024);
    memcpy(kit_in(k), &start, 8);
    /* Lane l swaps 7 for l + 100: only the first that comes finds a 7. */
    kit_run(
        k, 32,
        kit_text(
            "mov.%s %s, 7; add.u32 %%r10, %%r1, 100; cvt.u%u.u32 %s, %%r10;\n"
            "atom.global.cas.%s %s, [%%rd1], %s, %s; cvt.u64.u%u %%rd30, %s; st.global.u64 [%%rd7], %%rd30;",
            rows[i].type, rows[i].b, 8 * rows[i].bytes, rows[i].c, rows[i].type, rows[i].d, rows[i].b,
            rows[i].c, 8 * rows[i].bytes, rows[i].d));
    memcpy(&got, kit_in(k), rows[i].bytes);
    assert_int_equal(got, 100);
    for (unsigned l = 0; l < 32; l++) assert_int_equal(((uint64_t *)kit_out(k))[l], l ? 100 : 7);
  }
}

static void test_128_bit_cas_and_exchange(void **state) {
  struct kit *k = *state;
  uint64_t *in = kit_in(k), *out = kit_out(k);
  in[0] = 1, in[1] = 2;
  kit_run(k, 1,
          "mov.u64 %rd10, 1; mov.u64 %rd11, 2; mov.u64 %rd12, 3; mov.b128 %q1, {%rd10, %rd11};\n"
          "mov.b128 %q2, {%rd12, %rd10}; mov.b128 %q3, {%rd11, %rd11};\n"
          "atom.global.cas.b128 %q4, [%rd1], %q3, %q2; mov.b128 {%rd20, %rd21}, %q4; st.global.v2.u64 "
          "[%rd2], {%rd20, %rd21};\n"
          "atom.global.cas.b128 %q4, [%rd1], %q1, %q2; mov.b128 {%rd20, %rd21}, %q4; st.global.v2.u64 "
          "[%rd2+16], {%rd20, %rd21};\n"
          "atom.global.exch.b128 %q4, [%rd1], %q3; mov.b128 {%rd20, %rd21}, %q4; st.global.v2.u64 [%rd2+32], "
          "{%rd20, %rd21};");
  static const uint64_t want[] = {1, 2, 1, 2, 3, 1};
  assert_memory_equal(out, want, sizeof want);
  assert_int_equal(in[0], 2);
  assert_int_equal(in[1], 2);
}

static void test_a_result_may_be_thrown_away(void **state) {
  struct kit *k = *state;
  kit_run(k, 32, "atom.global.add.u32 _, [%rd1], 2; atom.add.release.gpu.u32 %r10, [%rd1], 1;");
  assert_int_equal(((uint32_t *)kit_in(k))[0], 96);
}

/* ---- floating point ----------------------------------------------------------------------------------- */

static uint32_t bits(float x) {
  uint32_t u;
  memcpy(&u, &x, 4);
  return u;
}

/* One lane adds b to a, on global memory, on shared memory, and through a generic address of each. */
static void add_f32(struct kit *k, uint32_t a, uint32_t b, uint32_t result[4]) {
  uint32_t *in = kit_in(k), *out = kit_out(k);
  in[0] = in[1] = a;
  in[2] = b;
  kit_run(k, 1,
          "ld.global.f32 %f1, [%rd1+8]; ld.global.f32 %f2, [%rd1]; st.shared.f32 [sm], %f2; st.shared.f32 "
          "[sm+4], %f2;\n"
          "red.global.add.f32 [%rd1], %f1; red.shared.add.f32 [sm], %f1; cvta.shared.u64 %rd10, sm;\n"
          "atom.add.f32 %f3, [%rd1+4], %f1; atom.add.f32 %f3, [%rd10+4], %f1;\n"
          "ld.shared.f32 %f4, [sm]; ld.shared.f32 %f5, [sm+4]; st.global.v2.f32 [%rd2], {%f4, %f5};");
  result[0] = in[0], result[1] = out[0], result[2] = in[1], result[3] = out[1];
}

static void check_f32(struct kit *k, uint32_t a, uint32_t b, uint32_t global, uint32_t shared) {
  uint32_t r[4];
  add_f32(k, a, b, r);
  assert_int_equal(r[0], global);
  assert_int_equal(r[1], shared);
  assert_int_equal(r[2], global);
  assert_int_equal(r[3], shared);
}

static void test_f32_sums_round_to_nearest_and_flush_on_global_memory_only(void **state) {
  struct kit *k = *state;
  check_f32(k, bits(1.0f), bits(0x1p-24f), bits(1.0f), bits(1.0f));
  check_f32(k, bits(1.0f), bits(0x1.8p-24f), bits(1.0f + 0x1p-23f), bits(1.0f + 0x1p-23f));
  check_f32(k, 0x00000001, 0x00000001, 0x00000000, 0x00000002); /* subnormal inputs */
  check_f32(k, 0x80000001, 0x80000000, 0x80000000, 0x80000001); /* the sign stays */
  check_f32(k, 0x00c00000, 0x80800000, 0x00000000, 0x00400000); /* subnormal result */
  check_f32(k, bits(1.0f), 0x00400000, bits(1.0f), bits(1.0f));
  check_f32(k, 0x7f800000, 0xff800000, 0x7fffffff, 0x7fffffff); /* inf - inf */
  check_f32(k, 0x7f812345, bits(1.0f), 0x7fffffff, 0x7fffffff);
  check_f32(k, 0x7f7fffff, 0x7f7fffff, 0x7f800000, 0x7f800000);
}

static void test_f64_sums(void **state) {
  struct kit *k = *state;
  double *in = kit_in(k);
  in[0] = 0.1, in[1] = 4.9e-324, in[2] = 4.9e-324;
  kit_run(k, 3,
          "add.s64 %rd10, %rd1, %rd6; mov.f64 %fd1, 0d3FB999999999999A; setp.ne.u32 %p1, %r1, 0;\n"
          "@%p1 mov.f64 %fd1, 0d0000000000000001; atom.global.add.f64 %fd2, [%rd10], %fd1; st.global.f64 "
          "[%rd7], %fd2;");
  assert_true(in[0] == 0.1 + 0.1);
  assert_true(in[1] == 2 * 4.9e-324);
  assert_true(((double *)kit_out(k))[0] == 0.1);
}

static void test_nans_of_f64_sums_pass_through_global_memory_unchanged(void **state) {
  struct kit *k = *state;
  uint64_t *in = kit_in(k);
  static const uint64_t start[] = {0x7ff0000000000001, 0x7ff8000000000007, 0x7ff0000000000000},
                        want[] = {0x7ff0000000000001, 0xfff0000000000002, 0xfff8000000000000};
  memcpy(in, start, sizeof start);
  in[3] = start[0];
  kit_run(
      k, 1,
      "mov.b64 %fd1, 0d3FF0000000000000; red.global.add.f64 [%rd1], %fd1; mov.b64 %fd1, 0dFFF0000000000002;\n"
      "red.global.add.f64 [%rd1+8], %fd1; mov.b64 %fd1, 0dFFF0000000000000; red.add.f64 [%rd1+16], %fd1;\n"
      "ld.global.b64 %rd10, [%rd1+24]; st.shared.b64 [sm], %rd10; red.shared.add.f64 [sm], %fd1;\n"
      "ld.shared.b64 %rd10, [sm]; st.global.b64 [%rd1+24], %rd10;");
  assert_memory_equal(in, want, sizeof want);
  assert_int_equal(in[3], 0x7ff8000000000001);
}

static void test_sums_of_16_bit_floats(void **state) {
  struct kit *k = *state;
  uint16_t *in = kit_in(k);
  uint32_t *in32 = kit_in(k);
  in[0] = 0x3c00, in[1] = 0x3f80; /* 1.0 in f16 and bf16 */
  in32[1] = 0x00013c00;           /* f16x2 */
  in32[2] = 0x3f807f7f;           /* bf16x2 */
  kit_run(k, 1,
          "mov.b16 %h1, 0x1400; mov.b16 %h2, 0x3b81; mov.u32 %r10, 0x00011400; mov.u32 %r11, 0x3c007f7f;\n"
          "atom.global.add.noftz.f16 %h3, [%rd1], %h1; atom.global.add.noftz.bf16 %h4, [%rd1+2], %h2;\n"
          "atom.add.noftz.f16x2 %r12, [%rd1+4], %r10; red.global.add.noftz.bf16x2 [%rd1+8], %r11;\n"
          "st.global.b16 [%rd2], %h3; st.global.b16 [%rd2+2], %h4; st.global.u32 [%rd2+4], %r12;");
  assert_int_equal(in[0], 0x3c01);       /* 1 + 2^-10 */
  assert_int_equal(in[1], 0x3f81);       /* 1 + 129/128 * 2^-8: above half of the last place */
  assert_int_equal(in32[1], 0x00023c01); /* subnormals of f16 are kept */
  assert_int_equal(in32[2], 0x3f817f80); /* 1 + 2^-7; overflow */
  assert_int_equal(((uint32_t *)kit_out(k))[0], 0x3f803c00);
  assert_int_equal(((uint32_t *)kit_out(k))[1], 0x00013c00);
}

static void test_vectors_of_floats(void **state) {
  struct kit *k = *state;
  float *in = kit_in(k), *out = kit_out(k);
  for (unsigned i = 0; i < 6; i++) in[i] = (float)i;
  kit_run(k, 2,
          "mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000;\n"
          "atom.global.add.v4.f32 {%f10, %f11, %f12, %f13}, [%rd1], {%f1, %f2, %f1, %f2};\n"
          "red.global.add.v2.f32 [%rd1+16], {%f2, %f1}; setp.eq.u32 %p1, %r1, 1;\n"
          "@%p1 st.global.v4.f32 [%rd2], {%f10, %f11, %f12, %f13};");
  static const float want[] = {2, 5, 4, 7, 8, 7}, before[] = {1, 3, 3, 5};
  assert_memory_equal(in, want, sizeof want);
  assert_memory_equal(out, before, sizeof before);
}

static void test_vector_minimum_and_maximum_of_16_bit_floats(void **state) {
  struct kit *k = *state;
  uint16_t *in = kit_in(k);
  static const uint16_t start[] = {0x3c00, 0x8000, 0x7e00, 0xfe00},
                        other[] = {0xbc00, 0x0000, 0x3c00, 0x7fff};
  memcpy(in, start, 8);
  memcpy(in + 4, start, 8);
  memcpy(in + 16, other, 8);
  kit_run(k, 1,
          "ld.global.v4.b16 {%h1, %h2, %h3, %h4}, [%rd1+32];\n"
          "atom.global.min.noftz.v4.f16 {%h5, %h6, %h7, %h8}, [%rd1], {%h1, %h2, %h3, %h4};\n"
          "ld.global.v2.b32 {%r10, %r11}, [%rd1+32]; red.global.max.noftz.v2.f16x2 [%rd1+8], {%r10, %r11};");
  static const uint16_t least[] = {0xbc00, 0x8000, 0x3c00, 0x7fff}, most[] = {0x3c00, 0x0000, 0x3c00, 0x7fff};
  assert_memory_equal(in, least, 8);
  assert_memory_equal(in + 4, most, 8);
}

/* Lanes count up to their operand and begin again; down to nothing and begin at it, as they do above it. */
static void test_counting_wraps_at_its_bound(void **state) {
  struct kit *k = *state;
  uint32_t *in = kit_in(k), *out = kit_out(k);
  in[0] = 0, in[1] = 9;
  kit_run(k, 32, "atom.global.inc.u32 %r10, [%rd1], 3; atom.global.dec.u32 %r11, [%rd1+4], 4;\n"
                 "st.global.u32 [%rd5], %r10; st.global.u32 [%rd5+128], %r11;");
  for (unsigned i = 0; i < 32; i++) {
    assert_int_equal(out[i], i % 4);
    assert_int_equal(out[32 + i], i ? 4 - (i - 1) % 5 : 9);
  }
}

/* ---- limits ------------------------------------------------------------------------------------------- */

static void test_refuses_what_does_not_exist(void **state) {
  struct kit *k = *state;
  kit_refuses(k, "atom.global.min.f32 %f1, [%rd1], %f2;", "no such atomic operation");
  kit_refuses(k, "atom.global.inc.s32 %r10, [%rd1], %r11;", "no such atomic operation");
  kit_refuses(k, "atom.local.add.u32 %r10, [%rd1], %r11;", "global and shared memory only");
  kit_refuses(k, "atom.global.add.v2.u32 {%r10, %r11}, [%rd1], {%r10, %r11};", "vector");
}

static void see(const struct exec_warp *w, void *user) { *(struct exec_access *)user = w->access; }

/* A lane's own stack, alone and beside lanes of the same instruction in global memory. */
static void test_generic_addresses_reach_local_memory(void **state) {
  struct kit *k = *state;
  uint32_t *in = kit_in(k), *out = kit_out(k);
  in[0] = 1000;
  kit_run(k, 32, "mov.u32 %r12, %tid.x; st.local.u32 [stack], %r12; cvta.local.u64 %rd10, stack;\n"
                 "atom.add.u32 %r10, [%rd10], 5; st.global.u32 [%rd5], %r10;\n"
                 "red.max.u32 [%rd10], 20; atom.cas.b32 %r10, [%rd10], 20, 7;\n"
                 "setp.lt.u32 %p1, %r12, 2; @%p1 mov.u64 %rd10, %rd1; atom.add.u32 %r10, [%rd10], 1;\n"
                 "ld.local.u32 %r11, [stack]; shl.b32 %r10, %r10, 8; or.b32 %r10, %r10, %r11; st.global.u32 [%rd5+128], %r10;");
  for (unsigned i = 0; i < 32; i++) {
    unsigned mine = i + 5 > 20 ? i + 5 : 7; /* after the compare-and-swap */
    assert_int_equal(out[i], i);
    assert_int_equal(out[32 + i], i < 2 ? (1000 + i) << 8 | mine : mine << 8 | (mine + 1));
  }
  assert_int_equal(in[0], 1002);
}

/* Of 64 bits, sums of f32 with a subnormal, and what a load and a store are for the memory system. */
static void test_atomics_of_local_memory_are_loads_and_stores(void **state) {
  struct kit *k = *state;
  uint32_t *out = kit_out(k);
  kit_run(k, 32, "mov.u64 %rd11, 0x100000007; st.local.u64 [stack], %rd11; cvta.local.u64 %rd10, stack;\n"
                 "atom.add.acq_rel.cta.u64 %rd12, [%rd10], %rd11; ld.local.u64 %rd12, [stack]; st.global.u64 [%rd7], %rd12;");
  for (unsigned i = 0; i < 32; i++) {
    assert_int_equal(out[2 * i], 14);
    assert_int_equal(out[2 * i + 1], 2);
  }
  kit_run(k, 32, "mov.u32 %r10, 3; st.local.u32 [stack], %r10; cvta.local.u64 %rd10, stack; mov.b32 %f1, 4;\n"
                 "red.add.f32 [%rd10], %f1; ld.local.u32 %r10, [stack]; st.global.u32 [%rd5], %r10;");
  for (unsigned i = 0; i < 32; i++) assert_int_equal(out[i], 7);
  struct exec_access a;
  kit_watch(k, "cvta.local.u64 %rd10, stack; atom.add.u32 %r10, [%rd10], 1;", see, &a);
  assert_int_equal(a.op, EXEC_LOAD);
  assert_int_equal(a.space, PTX_LOCAL);
  kit_watch(k, "cvta.local.u64 %rd10, stack; red.add.u32 [%rd10], 1;", see, &a);
  assert_int_equal(a.op, EXEC_STORE);
}

static void test_leaves_what_it_touched(void **state) {
  struct kit *k = *state;
  struct exec_access a;
  kit_watch(k, "atom.global.add.u64 %rd10, [%rd7], 1;", see, &a);
  assert_int_equal(a.op, EXEC_ATOMIC);
  assert_int_equal(a.bytes, 8);
  assert_int_equal(a.addr[31], k->out + 248);
  kit_watch(k, "red.shared.or.b32 [sm], 1;", see, &a);
  assert_int_equal(a.op, EXEC_REDUCE);
  assert_int_equal(a.space, PTX_SHARED);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)
  const struct CMUnitTest tests[] = {
      TEST(test_every_integer_operation_with_colliding_lanes),
      TEST(test_cas_lets_one_lane_through),
      TEST(test_128_bit_cas_and_exchange),
      TEST(test_a_result_may_be_thrown_away),
      TEST(test_f32_sums_round_to_nearest_and_flush_on_global_memory_only),
      TEST(test_f64_sums),
      TEST(test_nans_of_f64_sums_pass_through_global_memory_unchanged),
      TEST(test_sums_of_16_bit_floats),
      TEST(test_vectors_of_floats),
      TEST(test_vector_minimum_and_maximum_of_16_bit_floats),
      TEST(test_counting_wraps_at_its_bound),
      TEST(test_refuses_what_does_not_exist),
      TEST(test_generic_addresses_reach_local_memory),
      TEST(test_atomics_of_local_memory_are_loads_and_stores),
      TEST(test_leaves_what_it_touched),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
