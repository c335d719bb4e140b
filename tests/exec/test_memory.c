/* Loads and stores: every type, shape and state space, what is left in w->access, and every fault. */
#include "kernel_kit.h"

#include "exec/builtins.h"
#include "exec/memory/address.h"

#include <stdio.h>
#include <string.h>

/* ---- types and shapes --------------------------------------------------------------------------------- */

struct type {
  const char *name;
  unsigned bytes;
  bool is_signed;
};
static const struct type TYPES[] = {
    {"u8", 1, false},  {"s8", 1, true},   {"b8", 1, false},  {"u16", 2, false}, {"s16", 2, true},
    {"b16", 2, false}, {"u32", 4, false}, {"s32", 4, true},  {"b32", 4, false}, {"f32", 4, false},
    {"u64", 8, false}, {"s64", 8, true},  {"b64", 8, false}, {"f64", 8, false}};
enum { N_TYPES = sizeof TYPES / sizeof *TYPES };

/* What lane i reads: the i-th element, element 0, or element 37 * i mod 64. */
static const char *const SHAPES[] = {"mov.u32 %r10, %r1;", "mov.u32 %r10, 0;",
                                     "mul.lo.u32 %r10, %r1, 37; and.b32 %r10, %r10, 63;"};
static unsigned element_of(unsigned shape, unsigned lane) {
  return shape == 0 ? lane : shape == 1 ? 0 : 37 * lane % 64;
}

/* All lanes, or those whose bit is set. */
static const uint32_t MASKS[] = {0xffffffffu, 0x0f0ff00bu, 0x80000000u};

static void fill_input(struct kit *k) {
  unsigned char *in = kit_in(k);
  for (unsigned i = 0; i < KIT_IN_BYTES; i++) in[i] = (unsigned char)(i * 151 + (i >> 3) + 128);
}

static uint64_t value_at(const unsigned char *p, const struct type *t) {
  uint64_t x = 0;
  memcpy(&x, p, t->bytes);
  unsigned up = 64 - 8 * t->bytes;
  return t->is_signed ? (uint64_t)((int64_t)(x << up) >> up) : x;
}

static const char *guard_of(uint32_t mask) {
  return kit_text("mov.u32 %%r11, 1; shl.b32 %%r11, %%r11, %%r1; and.b32 %%r11, %%r11, 0x%x;\n"
                  "setp.ne.u32 %%p1, %%r11, 0;\n",
                  mask);
}

static void check_load(struct kit *k, const struct type *t, unsigned row, unsigned shape, uint32_t mask) {
  const char *reg = t->name[0] == 'f' ? (row == 8 ? "%fd1" : "%f1") : row == 8 ? "%rd10" : "%r12";
  memset(kit_out(k), 0x5a, 256);
  kit_run(k, 32,
          kit_text("%s %s mul.wide.u32 %%rd11, %%r10, %u; add.s64 %%rd11, %%rd11, %%rd1;\n"
                   "@%%p1 ld.global.%s %s, [%%rd11+64];\n"
                   "@%%p1 st.global.%s [%s], %s;",
                   SHAPES[shape], guard_of(mask), t->bytes, t->name, reg,
                   t->name[0] == 'f' ? t->name
                   : row == 8        ? "b64"
                                     : "b32",
                   row == 8 ? "%rd7" : "%rd5", reg));
  const unsigned char *out = kit_out(k), *in = kit_in(k);
  for (unsigned i = 0; i < 32; i++) {
    uint64_t want = value_at(in + 64 + element_of(shape, i) * t->bytes, t), got = 0;
    if (row == 4) want = (uint32_t)want;
    if (!(mask >> i & 1)) memset(&want, 0x5a, row);
    memcpy(&got, out + i * row, row);
    assert_int_equal(got, want);
  }
}

static void test_loads_every_type_in_every_shape_and_extends_it(void **state) {
  struct kit *k = *state;
  fill_input(k);
  for (unsigned t = 0; t < N_TYPES; t++)
    for (unsigned shape = 0; shape < 3; shape++)
      for (unsigned m = 0; m < 3; m++) {
        bool is_float = TYPES[t].name[0] == 'f';
        if (TYPES[t].bytes <= 4) check_load(k, &TYPES[t], 4, shape, MASKS[m]);
        if (TYPES[t].bytes == 8 || !is_float) check_load(k, &TYPES[t], 8, shape, MASKS[m]);
      }
}

static void check_store(struct kit *k, const struct type *t, unsigned row, unsigned shape, uint32_t mask) {
  unsigned char want[1024];
  memset(kit_out(k), 0x5a, sizeof want);
  memset(want, 0x5a, sizeof want);
  const char *reg = t->name[0] == 'f' ? (row == 8 ? "%fd1" : "%f1") : row == 8 ? "%rd10" : "%r12";
  kit_run(k, 32,
          kit_text("%s %s mul.wide.u32 %%rd11, %%r10, %u; add.s64 %%rd11, %%rd11, %%rd2;\n"
                   "add.s64 %%rd12, %%rd1, %%rd6; ld.global.%s %s, [%%rd12];\n"
                   "@%%p1 st.global.%s [%%rd11+64], %s;",
                   SHAPES[shape], guard_of(mask), t->bytes,
                   t->name[0] == 'f' ? t->name
                   : row == 8        ? "b64"
                                     : "b32",
                   reg, t->name, reg));
  const unsigned char *in = kit_in(k);
  for (unsigned i = 0; i < 32; i++)
    if (mask >> i & 1) memcpy(want + 64 + element_of(shape, i) * t->bytes, in + 8 * i, t->bytes);
  assert_memory_equal(kit_out(k), want, sizeof want);
}

static void test_stores_every_type_in_every_shape_and_truncates_it(void **state) {
  struct kit *k = *state;
  fill_input(k);
  for (unsigned t = 0; t < N_TYPES; t++)
    for (unsigned shape = 0; shape < 3; shape++)
      for (unsigned m = 0; m < 3; m++) {
        bool is_float = TYPES[t].name[0] == 'f';
        if (TYPES[t].bytes <= 4) check_store(k, &TYPES[t], 4, shape, MASKS[m]);
        if (TYPES[t].bytes == 8 || !is_float) check_store(k, &TYPES[t], 8, shape, MASKS[m]);
      }
}

static void test_moves_vectors_of_every_width(void **state) {
  struct kit *k = *state;
  static const struct {
    const char *form, *registers;
    unsigned bytes;
  } rows[] = {{"v2.u8", "{%r10, %r11}", 2},
              {"v4.s8", "{%r10, %r11, %r12, %r13}", 4},
              {"v2.u16", "{%h1, %h2}", 4},
              {"v4.b16", "{%h1, %h2, %h3, %h4}", 8},
              {"v2.u32", "{%r10, %r11}", 8},
              {"v4.f32", "{%f1, %f2, %f3, %f4}", 16},
              {"v2.f64", "{%fd1, %fd2}", 16},
              {"v4.b64", "{%rd20, %rd21, %rd22, %rd23}", 32},
              {"v8.b32", "{%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}", 32},
              {"b128", "%q1", 16}};
  k->target = "sm_100"; /* the first with 32 bytes a lane */
  fill_input(k);
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
    for (unsigned m = 0; m < 3; m++) { /* all lanes, some lanes, all lanes in reverse */
      unsigned n = rows[i].bytes, flip = m == 2 ? 31 : 0;
      uint32_t mask = m == 1 ? MASKS[1] : EXEC_ALL_LANES;
      unsigned char want[1024];
      memset(kit_out(k), 0, sizeof want);
      memset(want, 0, sizeof want);
      kit_run(k, 32,
              kit_text(
                  "%s xor.b32 %%r9, %%r1, %u; mul.wide.u32 %%rd11, %%r9, %u; add.s64 %%rd12, %%rd11, %%rd1;\n"
                  "add.s64 %%rd13, %%rd11, %%rd2; @%%p1 ld.global.%s %s, [%%rd12];\n"
                  "@%%p1 st.global.%s [%%rd13], %s;",
                  guard_of(mask), flip, n, rows[i].form, rows[i].registers, rows[i].form, rows[i].registers));
      for (unsigned l = 0; l < 32; l++)
        if (mask >> l & 1) memcpy(want + (l ^ flip) * n, (unsigned char *)kit_in(k) + (l ^ flip) * n, n);
      assert_memory_equal(kit_out(k), want, sizeof want);
    }
}

static void test_vectors_come_apart_in_order(void **state) {
  struct kit *k = *state;
  uint32_t *in = kit_in(k), *out = kit_out(k);
  for (unsigned i = 0; i < 128; i++) in[i] = 1000 + i;
  kit_run(k, 32,
          "mul.wide.u32 %rd11, %r1, 16; add.s64 %rd12, %rd11, %rd1; ld.global.v4.u32 {%r10, %r11, %r12, "
          "%r13}, [%rd12];\n"
          "st.global.u32 [%rd5], %r10; st.global.u32 [%rd5+128], %r11; st.global.u32 [%rd5+256], %r12;\n"
          "st.global.u32 [%rd5+384], %r13; add.s64 %rd13, %rd11, %rd2;\n"
          "st.global.v4.u32 [%rd13+512], {%r13, %r12, %r11, %r10};");
  for (unsigned i = 0; i < 32; i++)
    for (unsigned e = 0; e < 4; e++) {
      assert_int_equal(out[32 * e + i], 1000 + 4 * i + e);
      assert_int_equal(out[128 + 4 * i + e], 1000 + 4 * i + 3 - e);
    }
}

static void test_a_load_may_overwrite_its_own_address(void **state) {
  struct kit *k = *state;
  uint64_t *in = kit_in(k);
  for (unsigned i = 0; i < 128; i++) in[i] = 1000 + i;
  kit_run(k, 32,
          "add.s64 %rd8, %rd1, %rd6; add.s64 %rd8, %rd8, %rd6; ld.global.v2.u64 {%rd8, %rd9}, [%rd8];\n"
          "add.s64 %rd8, %rd8, %rd9; st.global.u64 [%rd7], %rd8;");
  for (unsigned i = 0; i < 32; i++) assert_int_equal(((uint64_t *)kit_out(k))[i], 2000 + 4 * i + 1);
}

static void test_vectors_go_through_calls(void **state) {
  struct kit *k = *state;
  static const uint32_t want[2] = {30, 12};
  k->outside = ".func (.reg .v2 .u32 o) f (.reg .v2 .u32 i) { add.u32 o.x, i.x, i.y; add.u32 o.y, i.x, 2; ret; }";
  kit_run(k, 1,
          "{ .reg .v2 .u32 t; mov.u32 t.x, 10; mov.u32 t.y, 20; call (t), f, (t); st.global.v2.u32 [%rd2], t; }");
  assert_memory_equal(kit_out(k), want, sizeof want);
}

/* The values an H200 gives for these lines. */
static void test_a_number_may_be_added_to_an_operand(void **state) {
  struct kit *k = *state;
  static const uint32_t want[6] = {9, 11, 15, 97, 77, 42};
  kit_run(k, 1,
          "mov.u32 %r10, 5; st.global.u32 [%rd2], %r10+4; mov.u32 %r11, %r10+6; st.global.u32 [%rd2+4], %r11;"
          "add.u32 %r11, %r10+7, 3; st.global.u32 [%rd2+8], %r11; sub.u32 %r11, 100, %r10+-2;"
          "st.global.u32 [%rd2+12], %r11; mov.u64 %rd10, %rd2+16; st.global.u32 [%rd10], 77;"
          "mul.lo.u32 %r11, %r10+1, %r10+2; st.global.u32 [%rd2+20], %r11;");
  assert_memory_equal(kit_out(k), want, sizeof want);
}

static void test_immediates_are_stored(void **state) {
  struct kit *k = *state;
  kit_run(
      k, 1,
      "st.global.u8 [%rd2], 200; st.global.u16 [%rd2+2], -2; st.global.u32 [%rd2+4], 0x12345678;\n"
      "st.global.u64 [%rd2+8], -1; st.global.f32 [%rd2+16], 0f3F800000; st.global.v2.u32 [%rd2+24], {1, 2};");
  static const uint32_t want[] = {0xfffe00c8, 0x12345678, 0xffffffff, 0xffffffff, 0x3f800000, 0, 1, 2};
  assert_memory_equal(kit_out(k), want, sizeof want);
}

static void test_the_highest_of_colliding_lanes_is_stored(void **state) {
  struct kit *k = *state;
  kit_run(k, 32, "setp.lt.u32 %p1, %r1, 20; st.global.u32 [%rd2], %r1; @%p1 st.global.u32 [%rd2+4], %r1;");
  assert_int_equal(((uint32_t *)kit_out(k))[0], 31);
  assert_int_equal(((uint32_t *)kit_out(k))[1], 19);
}

/* ---- spaces ------------------------------------------------------------------------------------------- */

static void test_shared_memory_belongs_to_the_cta(void **state) {
  struct kit *k = *state;
  kit_run(k, 64,
          "mov.u32 %r10, sm; shl.b32 %r11, %r1, 2; add.u32 %r10, %r10, %r11; mul.lo.u32 %r12, %r1, 3;\n"
          "st.shared.u32 [%r10], %r12; bar.sync 0; xor.b32 %r13, %r11, 252; mov.u32 %r14, sm; add.u32 %r13, "
          "%r13, %r14;\n"
          "ld.shared.u32 %r15, [%r13]; st.global.u32 [%rd5], %r15;");
  for (unsigned i = 0; i < 64; i++) assert_int_equal(((uint32_t *)kit_out(k))[i], 3 * (63 - i));
}

/* The compiler has put the body of a function into a kernel that calls nothing: its shared variable is the kernel's too. */
static void test_a_kernel_uses_a_shared_variable_of_a_function(void **state) {
  struct kit *k = *state;
  k->outside = ".shared .align 4 .b8 table[512];\n.func f () { .reg .b32 %r<2>; mov.u32 %r1, table; st.shared.u32 [%r1], 0; ret; }\n";
  kit_run(k, 32, "mov.u32 %r10, table; mov.u32 %r11, sm; shl.b32 %r12, %r1, 2; add.u32 %r10, %r10, %r12; add.u32 %r11, %r11, %r12;\n"
                 "st.shared.u32 [%r10], %r1; st.shared.u32 [%r11], 77; ld.shared.u32 %r13, [%r10]; st.global.u32 [%rd5], %r13;");
  for (unsigned i = 0; i < 32; i++) assert_int_equal(((const uint32_t *)kit_out(k))[i], i);
}

static void test_shared_addresses_wrap_at_32_bits(void **state) {
  struct kit *k = *state;
  kit_run(k, 1,
          "st.shared.u32 [sm+12], 77; mov.u32 %r10, sm; add.u32 %r10, %r10, -100; ld.shared.u32 %r11, "
          "[%r10+112];\n"
          "st.global.u32 [%rd2], %r11; mov.u64 %rd10, sm; ld.shared.u32 %r11, [%rd10+12]; st.global.u32 "
          "[%rd2+4], %r11;");
  assert_int_equal(((uint32_t *)kit_out(k))[0], 77);
  assert_int_equal(((uint32_t *)kit_out(k))[1], 77);
}

static void test_local_memory_belongs_to_the_lane(void **state) {
  struct kit *k = *state;
  kit_run(k, 32,
          "st.local.u32 [stack+8], %r1; mov.u64 %rd10, stack; add.s64 %rd10, %rd10, %rd3;\n"
          "st.local.u32 [%rd10+64], %r1; ld.local.u32 %r10, [stack+8]; ld.local.u32 %r11, [%rd10+64];\n"
          "add.u32 %r10, %r10, %r11; st.global.u32 [%rd5], %r10;");
  for (unsigned i = 0; i < 32; i++) assert_int_equal(((uint32_t *)kit_out(k))[i], 2 * i);
}

static void test_reads_constants_and_variables(void **state) {
  struct kit *k = *state;
  k->outside = ".const .align 4 .u32 c[8] = {10, 11, 12, 13, 14, 15, 16, 17};\n"
               ".global .align 8 .u64 g = 0x1122334455667788;\n";
  kit_run(k, 8,
          "mov.u64 %rd10, c; add.s64 %rd10, %rd10, %rd3; ld.const.u32 %r10, [%rd10]; st.global.u32 [%rd5], "
          "%r10;\n"
          "ld.const.u32 %r11, [c+28]; st.global.u32 [%rd5+32], %r11; ld.global.u64 %rd11, [g]; "
          "st.global.u64 [%rd7+64], %rd11;\n"
          "ld.global.u8 %r12, [g+1]; st.global.u32 [%rd5+128], %r12;");
  uint32_t *out = kit_out(k);
  for (unsigned i = 0; i < 8; i++) {
    assert_int_equal(out[i], 10 + i);
    assert_int_equal(out[8 + i], 17);
    assert_int_equal(out[32 + i], 0x77);
  }
  assert_int_equal(((uint64_t *)kit_out(k))[8 + 7], 0x1122334455667788);
}

static void test_generic_addresses_find_their_space_lane_by_lane(void **state) {
  struct kit *k = *state;
  uint32_t *in = kit_in(k), *out = kit_out(k);
  for (unsigned i = 0; i < 32; i++) in[i] = 100 + i;
  /* lane mod 3: 0 global, 1 shared, 2 local; each doubles its value in place through the generic address */
  kit_run(k, 32,
          "rem.u32 %r10, %r1, 3; setp.eq.u32 %p1, %r10, 1; setp.eq.u32 %p2, %r10, 2;\n"
          "cvta.shared.u64 %rd10, sm; add.s64 %rd10, %rd10, %rd3; cvta.local.u64 %rd11, stack;\n"
          "ld.global.u32 %r11, [%rd4]; cvta.to.shared.u64 %rd12, %rd10; st.shared.u32 [%rd12], %r11;\n"
          "st.local.u32 [stack+16], %r11; add.s64 %rd11, %rd11, 16;\n"
          "mov.u64 %rd13, %rd4; @%p1 mov.u64 %rd13, %rd10; @%p2 mov.u64 %rd13, %rd11;\n"
          "ld.u32 %r12, [%rd13]; add.u32 %r12, %r12, %r12; st.u32 [%rd13], %r12; ld.u32 %r13, [%rd13];\n"
          "st.global.u32 [%rd5], %r13; ld.shared.u32 %r14, [%rd12]; st.global.u32 [%rd5+128], %r14;\n"
          "ld.local.u32 %r14, [stack+16]; st.global.u32 [%rd5+256], %r14;");
  for (unsigned i = 0; i < 32; i++) {
    uint32_t v = 100 + i;
    assert_int_equal(out[i], 2 * v);
    assert_int_equal(in[i], i % 3 == 0 ? 2 * v : v);
    assert_int_equal(out[32 + i], i % 3 == 1 ? 2 * v : v);
    assert_int_equal(out[64 + i], i % 3 == 2 ? 2 * v : v);
  }
}

static void test_generic_addresses_of_one_space(void **state) {
  struct kit *k = *state;
  kit_run(
      k, 32,
      "cvta.shared.u64 %rd10, sm; add.s64 %rd10, %rd10, %rd3; st.u32 [%rd10], %r1; ld.u32 %r10, [%rd10];\n"
      "cvta.local.u64 %rd11, stack; st.v2.u32 [%rd11+8], {%r10, %r1}; ld.u32 %r11, [%rd11+12];\n"
      "st.u32 [%rd5], %r11;");
  for (unsigned i = 0; i < 32; i++) assert_int_equal(((uint32_t *)kit_out(k))[i], i);
}

static void test_parameters_and_results_of_functions(void **state) {
  struct kit *k = *state;
  k->outside =
      ".func (.param .b64 r) mix(.param .b32 a, .param .align 8 .b8 s[16])\n{\n"
      " .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
      " ld.param.u32 %r1, [a]; ld.param.u8 %r2, [s+3]; ld.param.v2.u32 {%r3, %r4}, [s+8];\n"
      " add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; sub.u32 %r1, %r1, %r4; cvt.u64.u32 %rd1, %r1;\n"
      " st.param.b64 [r], %rd1; ret;\n}\n";
  kit_run(k, 32,
          "{ .param .b32 a; .param .align 8 .b8 s[16]; .param .b64 r;\n"
          "st.param.b32 [a], %r1; st.param.b32 [s], 0x07000000; mul.lo.u32 %r10, %r1, 10;\n"
          "st.param.v2.u32 [s+8], {%r10, 5}; call.uni (r), mix, (a, s); ld.param.b64 %rd10, [r]; }\n"
          "st.global.u64 [%rd7], %rd10;");
  for (unsigned i = 0; i < 32; i++) assert_int_equal(((uint64_t *)kit_out(k))[i], (uint32_t)(11 * i + 2));
}

/* A structure passed by value is indexed and changed through its address, which is one of local memory, beside a local variable. */
static void test_a_parameter_whose_address_is_taken_lies_on_the_stack(void **state) {
  struct kit *k = *state;
  k->outside =
      ".func (.param .b32 r) pick(.param .b32 at, .param .align 16 .b8 s[32])\n{\n"
      " .reg .b32 %r<9>; .reg .b64 %rd<9>; .local .align 8 .b8 own[8];\n"
      " st.local.u64 [own], -1; mov.b64 %rd1, s; cvta.local.u64 %rd2, %rd1; ld.param.u32 %r1, [at]; mul.wide.u32 %rd3, %r1, 4;\n"
      " add.s64 %rd4, %rd2, %rd3; ld.u32 %r2, [%rd4]; add.s64 %rd5, %rd1, %rd3; ld.local.u32 %r3, [%rd5]; st.u32 [%rd4], 100;\n"
      " ld.param.u32 %r4, [%rd5]; ld.param.u32 %r5, [s+28]; ld.local.u32 %r6, [own];\n"
      " add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4; add.u32 %r2, %r2, %r5; add.u32 %r2, %r2, %r6; st.param.b32 [r], %r2; ret;\n}\n";
  kit_run(k, 32,
          "st.local.u64 [stack], 77; and.b32 %r9, %r1, 7; mul.lo.u32 %r10, %r1, 10; add.u32 %r11, %r10, 1;\n"
          "{ .param .b32 at; .param .align 16 .b8 s[32]; .param .b32 r; st.param.b32 [at], %r9;\n"
          "st.param.v4.b32 [s], {%r10, %r11, %r10, %r11}; st.param.v4.b32 [s+16], {%r10, %r11, %r10, %r11};\n"
          "call.uni (r), pick, (at, s); ld.param.b32 %r12, [r]; }\n"
          "ld.local.u32 %r13, [stack]; st.global.u32 [%rd5], %r12; st.global.u32 [%rd5+128], %r13;");
  for (uint32_t i = 0; i < 32; i++) {
    uint32_t there = 10 * i + i % 2, last = i % 8 == 7 ? 100 : 10 * i + 1;
    assert_int_equal(((uint32_t *)kit_out(k))[i], 2 * there + 100 + last - 1);
    assert_int_equal(((uint32_t *)kit_out(k))[32 + i], 77);
  }
}

static void test_kernel_parameters_can_be_indexed(void **state) {
  struct kit *k = *state;
  kit_run(k, 2,
          "mov.u64 %rd10, p_in; add.s64 %rd10, %rd10, %rd6; ld.param.u64 %rd11, [%rd10]; st.global.u64 "
          "[%rd7], %rd11;");
  assert_int_equal(((uint64_t *)kit_out(k))[0], k->in);
  assert_int_equal(((uint64_t *)kit_out(k))[1], k->out);
}

static void test_kernel_parameters_have_generic_addresses(void **state) {
  struct kit *k = *state;
  kit_run(k, 32,
          kit_text("mov.u64 %%rd10, %llu; ld.u64 %%rd11, [%%rd10+8]; setp.lt.u32 %%p1, %%r1, 9;\n"
                   "@%%p1 mov.u64 %%rd10, %%rd1; ld.u64 %%rd12, [%%rd10]; st.global.u64 [%%rd7], %%rd11;\n"
                   "st.global.u64 [%%rd7+256], %%rd12;",
                   (unsigned long long)EXEC_PARAM_WINDOW));
  for (unsigned i = 0; i < 32; i++) {
    assert_int_equal(((uint64_t *)kit_out(k))[i], k->out);
    assert_int_equal(((uint64_t *)kit_out(k))[32 + i], i < 9 ? 0 : k->in);
  }
  kit_faults(k, 32, EXEC_FAULT_READ_ONLY,
             kit_text("mov.u64 %%rd10, %llu; st.u64 [%%rd10], 1;", (unsigned long long)EXEC_PARAM_WINDOW),
             "parameters cannot be written", NULL);
}

/* ---- what is left for the timed model ----------------------------------------------------------------- */

struct seen {
  struct exec_access a[8];
  unsigned n;
};

static void see(const struct exec_warp *w, void *user) {
  struct seen *s = user;
  assert_in_range(s->n, 0, 7);
  s->a[s->n++] = w->access;
}

static void test_leaves_what_it_touched(void **state) {
  struct kit *k = *state;
  struct seen s = {0};
  kit_watch(
      k,
      "ld.global.cg.u32 %r10, [%rd4+4]; mul.wide.u32 %rd10, %r1, 16; add.s64 %rd10, %rd10, %rd2;\n"
      "setp.lt.u32 %p1, %r1, 4; @%p1 st.global.v4.u32 [%rd10], {%r10, %r10, %r10, %r10};\n"
      "ld.volatile.shared.u8 %r11, [sm+5]; ld.global.nc.u32 %r10, [%rd4]; st.local.u32 [stack+4], %r11;\n"
      "prefetch.global.L1 [%rd4];",
      see, &s);
  assert_int_equal(s.n, 6);
  const struct exec_access *a = s.a;
  assert_int_equal(a[0].op, EXEC_LOAD);
  assert_int_equal(a[0].cache, EXEC_CACHE_GLOBAL);
  assert_int_equal(a[0].space, PTX_GLOBAL);
  assert_int_equal(a[0].bytes, 4);
  assert_int_equal(a[0].mask, 0xffffffff);
  for (unsigned i = 0; i < 32; i++) assert_int_equal(a[0].addr[i], k->in + 4 + 4 * i);
  assert_int_equal(a[1].op, EXEC_STORE);
  assert_int_equal(a[1].mask, 0xf);
  assert_int_equal(a[1].bytes, 16);
  assert_int_equal(a[1].addr[3], k->out + 48);
  assert_int_equal(a[2].space, PTX_SHARED);
  assert_int_equal(a[2].cache, EXEC_CACHE_VOLATILE);
  assert_int_equal(a[2].addr[31], 5);
  assert_true(a[3].read_only && !a[0].read_only);
  assert_int_equal(a[4].space, PTX_LOCAL);
  assert_int_equal(a[4].addr[7], 4);
  assert_int_equal(a[5].op, EXEC_PREFETCH);
}

static void test_notes_lanes_that_fell_into_another_space(void **state) {
  struct kit *k = *state;
  struct seen s = {0};
  kit_watch(k,
            "cvta.shared.u64 %rd10, sm; add.s64 %rd10, %rd10, %rd3; setp.lt.u32 %p1, %r1, 8; @%p1 mov.u64 "
            "%rd10, %rd4;\n"
            "ld.u32 %r10, [%rd10];",
            see, &s);
  assert_int_equal(s.n, 1);
  assert_int_equal(s.a[0].space, PTX_GLOBAL);
  assert_int_equal(s.a[0].mask, 0xffffffff);
  assert_int_equal(s.a[0].other_mask, 0xffffff00);
  assert_int_equal(s.a[0].addr[7], k->in + 28);
  assert_int_equal(s.a[0].addr[8], 32);
}

static void test_hints_change_nothing_and_never_fault(void **state) {
  struct kit *k = *state;
  ((uint32_t *)kit_out(k))[0] = 7;
  kit_run(k, 32,
          "mov.u64 %rd10, 12345; prefetch.global.L2 [%rd10]; prefetchu.L1 [%rd10]; prefetch.L1 [%rd10];\n"
          "discard.global.L2 [%rd2], 128; applypriority.global.L2::evict_normal [%rd2], 128;\n"
          "createpolicy.fractional.L2::evict_last.b64 %rd11, 1.0;\n"
          "ld.global.L2::cache_hint.u32 %r10, [%rd2], %rd11; st.global.u32 [%rd5+4], %r10;");
  assert_int_equal(((uint32_t *)kit_out(k))[0], 7);
  assert_int_equal(((uint32_t *)kit_out(k))[32], 7);
}

/* ---- faults ------------------------------------------------------------------------------------------- */

static void test_reports_an_access_past_an_allocation(void **state) {
  struct kit *k = *state;
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, "ld.global.u32 %r10, [%rd4+4000];",
             "4-byte load from global memory",
             kit_text("0x%llx: right past the end of the 4,096-byte allocation at 0x%llx",
                      (unsigned long long)k->in + 4096, (unsigned long long)k->in),
             "kernel 'k'", "thread (24,0,0) of CTA (0,0,0)", "test.ptx", NULL);
  uint64_t odd = exec_mem_alloc(k->mem, 1002, 256, EXEC_ALLOC_DEVICE, NULL);
  kit_faults(k, 1, EXEC_FAULT_ILLEGAL_ADDRESS,
             kit_text("mov.u64 %%rd10, %llu; st.global.u32 [%%rd10], 1;", (unsigned long long)odd + 1000),
             "4-byte store to global memory", "its last 2 bytes are past the end of the 1,002-byte allocation", NULL);
  kit_faults(k, 1, EXEC_FAULT_ILLEGAL_ADDRESS,
             kit_text("mov.u64 %%rd10, %llu; atom.global.add.u32 %%r10, [%%rd10], 1;",
                      (unsigned long long)odd + 1012),
             "4-byte atomic operation on global memory", "10 bytes past the end of the 1,002-byte allocation", NULL);
  kit_faults(k, 1, EXEC_FAULT_ILLEGAL_ADDRESS, "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd2+-32];",
             "16-byte load", "32 bytes before the 8,192-byte allocation", NULL);
}

static void test_reports_null_and_freed_memory(void **state) {
  struct kit *k = *state;
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, "mov.u64 %rd10, 16; ld.global.u32 %r10, [%rd10];",
             "0x10: the pointer is null or an offset from null", NULL);
  uint64_t gone = exec_mem_alloc(k->mem, 512, 256, EXEC_ALLOC_DEVICE, NULL);
  exec_mem_free(k->mem, gone);
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS,
             kit_text("mov.u64 %%rd10, %llu; ld.global.u32 %%r10, [%%rd10+4];", (unsigned long long)gone),
             "inside memory that was freed (the 512-byte allocation", NULL);
}

static void test_an_access_may_not_reach_from_one_allocation_into_the_next(void **state) {
  struct kit *k = *state;
  uint64_t a = exec_mem_alloc(k->mem, 256, 256, EXEC_ALLOC_DEVICE, NULL);
  uint64_t b = exec_mem_alloc(k->mem, 256, 256, EXEC_ALLOC_DEVICE, NULL);
  uint64_t far = a < b ? b - a : a - b;
  /* Lanes in two allocations are fine, and stay fine after a third was freed. */
  const char *text =
      kit_text("mov.u64 %%rd10, %llu; setp.lt.u32 %%p1, %%r1, 16; add.s64 %%rd10, %%rd10, %%rd3;\n"
               "@%%p1 add.s64 %%rd10, %%rd10, %llu; st.global.u32 [%%rd10], %%r1;",
               (unsigned long long)(a < b ? a : b), (unsigned long long)far);
  kit_run(k, 32, text);
  assert_int_equal(((uint32_t *)exec_mem_ptr(a < b ? a : b))[16], 16);
  assert_int_equal(((uint32_t *)exec_mem_ptr(a < b ? b : a))[15], 15);
  exec_mem_free(k->mem, b);
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, text, "inside memory that was freed", NULL);
}

static void test_reports_misaligned_addresses(void **state) {
  struct kit *k = *state;
  kit_faults(k, 32, EXEC_FAULT_MISALIGNED, "ld.global.u32 %r10, [%rd4+2];", "4-byte load from global memory",
             "the address is not a multiple of 4", NULL);
  kit_faults(k, 32, EXEC_FAULT_MISALIGNED, "st.global.v2.u64 [%rd2+8], {%rd1, %rd1};", "not a multiple of 16",
             NULL);
  kit_faults(k, 32, EXEC_FAULT_MISALIGNED, "ld.shared.u16 %r10, [sm+1];", "shared memory at offset 0x1",
             NULL);
  kit_faults(k, 32, EXEC_FAULT_MISALIGNED,
             "setp.eq.u32 %p1, %r1, 9; selp.u32 %r11, 1, 4, %p1; cvt.u64.u32 %rd10, %r11;\n"
             "add.s64 %rd10, %rd10, %rd2; atom.global.add.u32 %r10, [%rd10], 1;",
             "thread (9,0,0)", NULL);
}

static void test_reports_writes_to_constants(void **state) {
  struct kit *k = *state;
  k->outside = ".const .align 4 .u32 c[8];\n";
  kit_faults(k, 32, EXEC_FAULT_READ_ONLY,
             "cvta.const.u64 %rd10, c; ld.u32 %r10, [%rd10]; st.u32 [%rd10], %r10;",
             "the 32-byte variable 'c'", "is constant", NULL);
  kit_refuses(k, "st.const.u32 [c], 1;", "constant memory cannot be written");
  kit_refuses(k, "st.param.u64 [p_in], 1;", "parameters cannot be written");
}

static void test_reports_shared_local_and_parameter_bounds(void **state) {
  struct kit *k = *state;
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, "ld.shared.u32 %r10, [sm+4096];",
             "4-byte load from shared memory at offset 0x1000: the CTA's shared memory has 4,096 bytes",
             NULL);
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS,
             "cvta.shared.u64 %rd10, sm; add.s64 %rd10, %rd10, %rd3; st.u32 [%rd10+4080], 1;",
             "thread (4,0,0)", "offset 0x1000", NULL);
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, "mov.u64 %rd10, 1048576; st.local.u32 [%rd10], 1;",
             "4-byte store to local memory at offset 0x100000: the thread's stack has", NULL);
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, "mov.u64 %rd10, -4; ld.local.u32 %r10, [%rd10];",
             "local memory", NULL);
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, "mov.u64 %rd10, p_in; ld.param.u32 %r10, [%rd10+16];",
             "parameter memory at offset 0x10: the parameters take 16 bytes", NULL);
}

static void test_texture_storage_is_not_plain_memory(void **state) {
  struct kit *k = *state;
  uint64_t a = exec_mem_alloc(k->mem, 256, 256, EXEC_ALLOC_ARRAY, NULL);
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS,
             kit_text("mov.u64 %%rd10, %llu; ld.global.u32 %%r10, [%%rd10];", (unsigned long long)a),
             "texture storage is not plain memory", NULL);
}

static void test_refuses_forms_it_does_not_model(void **state) {
  struct kit *k = *state;
  kit_refuses(k, "st.global.b128 [%rd1], 5;", "does not fit");
  kit_refuses(k, "st.global.u64 [%rd1], stack;", "must be in a register");
  kit_refuses(k, "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r1], %r1, [%r1];",
              "number of registers");
}

/* Twice, because the second time a warp knows the allocation: lanes at one address, next to each other and apart. */
static void test_bytes_and_halves_are_extended_and_cut_off_whatever_the_addresses(void **state) {
  struct kit *k = *state;
  static const struct {
    const char *type;
    unsigned bytes;
    bool is_signed;
  } types[] = {{"u8", 1, false}, {"s8", 1, true}, {"u16", 2, false}, {"s16", 2, true}};
  for (unsigned t = 0; t < 4; t++)
    for (unsigned stride = 0; stride <= 3; stride++) {
      unsigned char *in = kit_in(k);
      for (unsigned i = 0; i < 256; i++) in[i] = (unsigned char)(i * 37 + 100);
      memset(kit_out(k), 0, 1024);
      kit_run(k, 32,
              kit_text("mul.wide.u32 %%rd8, %%r1, %u; add.u64 %%rd9, %%rd1, %%rd8; add.u64 %%rd10, %%rd2, %%rd8; mov.u32 %%r5, 0;\n"
                       "L: ld.global.%s %%r10, [%%rd9]; st.global.%s [%%rd10+512], %%r10; st.global.u32 [%%rd5], %%r10;\n"
                       "add.u32 %%r5, %%r5, 1; setp.lt.u32 %%p1, %%r5, 2; @%%p1 bra L;",
                       stride * types[t].bytes, types[t].type, types[t].type));
      for (unsigned i = 0; i < 32; i++) {
        unsigned at = i * stride * types[t].bytes;
        uint32_t v = types[t].bytes == 1 ? in[at] : in[at] | (uint32_t)in[at + 1] << 8, sign = types[t].bytes == 1 ? 0x80 : 0x8000;
        assert_int_equal(((uint32_t *)kit_out(k))[i], types[t].is_signed && v & sign ? v | ~(2 * sign - 1) : v);
        assert_memory_equal((unsigned char *)kit_out(k) + 512 + at, in + at, types[t].bytes);
      }
    }
}

/* ---- memory that kernels ask for ---------------------------------------------------------------------- */

/* Each lane takes 24 bytes and then 40 with an alignment of its own, and gives them back. */
static void test_memory_with_an_alignment_lies_at_its_multiples(void **state) {
  struct kit *k = *state;
  enum { HEAP = 1 << 16 };
  uint64_t *out = kit_out(k);
  k->device.heap = exec_heap_new(k->mem, HEAP);
  k->outside = ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n"
               ".extern .func (.param .b64 r) __cuda_syscall_aligned_malloc(.param .b64 n, .param .b64 a);";
  kit_run(k, 32, "and.b32 %r10, %r1, 7; mov.u64 %rd10, 4; shl.b64 %rd10, %rd10, %r10; mov.u64 %rd11, 24; mov.u64 %rd12, 40;\n"
                 "call (%rd13), malloc, (%rd11); call (%rd14), __cuda_syscall_aligned_malloc, (%rd12, %rd10);\n"
                 "st.global.u64 [%rd7], %rd14; st.global.u64 [%rd7+256], %rd13;");
  for (unsigned i = 0; i < 32; i++) {
    assert_true(out[i] && out[i] % (4u << i % 8) == 0);
    assert_int_equal(out[i] % 16, 0);
    assert_int_equal(out[32 + i] % 16, 0);
    for (unsigned j = 0; j < 32; j++) {
      assert_true(i == j || out[i] + 40 <= out[j] || out[j] + 40 <= out[i]);
      assert_true(out[i] + 40 <= out[32 + j] || out[32 + j] + 24 <= out[i]);
    }
  }
  kit_run(k, 32, "ld.global.u64 %rd10, [%rd7]; ld.global.u64 %rd11, [%rd7+256]; call free, (%rd10); call free, (%rd11);");
  /* All of it is one piece again; what there is not, and an alignment that is none, have no memory. */
  kit_run(k, 1, "mov.u64 %rd10, 65536; mov.u64 %rd11, 256; mov.u64 %rd12, 3; mov.u64 %rd15, 1;\n"
                "call (%rd13), __cuda_syscall_aligned_malloc, (%rd10, %rd11); st.global.u64 [%rd7], %rd13;\n"
                "call (%rd14), __cuda_syscall_aligned_malloc, (%rd15, %rd11); st.global.u64 [%rd7+8], %rd14; call free, (%rd13);\n"
                "call (%rd14), __cuda_syscall_aligned_malloc, (%rd15, %rd12); st.global.u64 [%rd7+16], %rd14;");
  assert_true(out[0] && !out[1] && !out[2]);
  exec_heap_delete(k->device.heap);
  k->device.heap = NULL;
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)
  const struct CMUnitTest tests[] = {
      TEST(test_memory_with_an_alignment_lies_at_its_multiples),
      TEST(test_loads_every_type_in_every_shape_and_extends_it),
      TEST(test_stores_every_type_in_every_shape_and_truncates_it),
      TEST(test_bytes_and_halves_are_extended_and_cut_off_whatever_the_addresses),
      TEST(test_moves_vectors_of_every_width),
      TEST(test_vectors_come_apart_in_order),
      TEST(test_a_load_may_overwrite_its_own_address),
      TEST(test_vectors_go_through_calls),
      TEST(test_a_number_may_be_added_to_an_operand),
      TEST(test_immediates_are_stored),
      TEST(test_the_highest_of_colliding_lanes_is_stored),
      TEST(test_shared_memory_belongs_to_the_cta),
      TEST(test_a_kernel_uses_a_shared_variable_of_a_function),
      TEST(test_shared_addresses_wrap_at_32_bits),
      TEST(test_local_memory_belongs_to_the_lane),
      TEST(test_reads_constants_and_variables),
      TEST(test_generic_addresses_find_their_space_lane_by_lane),
      TEST(test_generic_addresses_of_one_space),
      TEST(test_parameters_and_results_of_functions),
      TEST(test_a_parameter_whose_address_is_taken_lies_on_the_stack),
      TEST(test_kernel_parameters_can_be_indexed),
      TEST(test_kernel_parameters_have_generic_addresses),
      TEST(test_leaves_what_it_touched),
      TEST(test_notes_lanes_that_fell_into_another_space),
      TEST(test_hints_change_nothing_and_never_fault),
      TEST(test_reports_an_access_past_an_allocation),
      TEST(test_reports_null_and_freed_memory),
      TEST(test_an_access_may_not_reach_from_one_allocation_into_the_next),
      TEST(test_reports_misaligned_addresses),
      TEST(test_reports_writes_to_constants),
      TEST(test_reports_shared_local_and_parameter_bounds),
      TEST(test_texture_storage_is_not_plain_memory),
      TEST(test_refuses_forms_it_does_not_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
