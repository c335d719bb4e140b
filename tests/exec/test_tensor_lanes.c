/* The quick loops of tensor instructions (lanes_tensor.c) against the long way of tensor_float.c, plain sums, and the tables of layouts:
 * the same bits for every format, in ranges of numbers that need each of their cases, with every instruction set of the host. */
#include "base/rng.h"
#include "exec/tensor/tensor.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const ISAS[] = {"portable", "avx2", "avx512"};
enum { N_ISAS = 3, TRIES = 60 };

static const struct exec_lanes *lanes_of(unsigned isa) {
  setenv("HEDDLE_ISA", ISAS[isa], 1);
  return exec_lanes_best();
}

/* ---- numbers -------------------------------------------------------------------------------------------------- */

enum kind { SMALL_WHOLE, NARROW, WIDE, ANY_FINITE, MOSTLY_ZERO, KINDS };

static double number(struct rng *r, enum kind kind) {
  double sign = rng_below(r, 2) ? -1 : 1, m = 1 + (double)rng_below(r, 1u << 23) / (1u << 23);
  switch (kind) {
  case SMALL_WHOLE: return (double)rng_below(r, 5) * sign;
  case NARROW: return sign * ldexp(m, (int)rng_below(r, 6) - 3);
  case WIDE: return sign * ldexp(m, (int)rng_below(r, 24) - 12);
  case MOSTLY_ZERO: return rng_below(r, 8) ? 0 * sign : sign * m;
  default: return sign * ldexp(m, (int)rng_below(r, 240) - 120);
  }
}

static uint32_t element(struct rng *r, enum kind kind, uint8_t type) {
  double x = number(r, kind);
  uint32_t bits;
  switch (type) {
  case PTX_F16: bits = exec_f16_from_float((float)x); return (bits & 0x7c00) == 0x7c00 ? 0x3c00 : bits;
  case PTX_BF16: bits = exec_bf16_from_float((float)x); return bits;
  case PTX_E4M3: return exec_narrow(x, &EXEC_FORMAT_E4M3, EXEC_RN, true);
  case PTX_E5M2: return exec_narrow(x, &EXEC_FORMAT_E5M2, EXEC_RN, true);
  default: return exec_bits32((float)x);
  }
}

/* ---- floating point ------------------------------------------------------------------------------------------- */

static const struct exec_tensor_product PRODUCTS[] = {
    {.shape = {16, 8, 16}, .a = PTX_F16, .b = PTX_F16, .c = PTX_F32, .d = PTX_F32, .tiles = 1, .group = 16},
    {.shape = {16, 16, 16}, .a = PTX_F16, .b = PTX_F16, .c = PTX_F16, .d = PTX_F16, .tiles = 1, .group = 16},
    {.shape = {8, 32, 16}, .a = PTX_F16, .b = PTX_F16, .c = PTX_F16, .d = PTX_F32, .tiles = 1, .group = 16},
    {.shape = {16, 8, 8}, .a = PTX_F16, .b = PTX_F16, .c = PTX_F32, .d = PTX_F32, .tiles = 1, .group = 8},
    {.shape = {16, 8, 8}, .a = PTX_F16, .b = PTX_F16, .c = PTX_F16, .d = PTX_F16, .tiles = 1, .group = 8},
    {.shape = {32, 8, 16}, .a = PTX_BF16, .b = PTX_BF16, .c = PTX_F32, .d = PTX_F32, .tiles = 1, .group = 16},
    {.shape = {16, 16, 8}, .a = PTX_TF32, .b = PTX_TF32, .c = PTX_F32, .d = PTX_F32, .tiles = 1, .group = 4},
    {.shape = {16, 8, 4}, .a = PTX_TF32, .b = PTX_TF32, .c = PTX_F32, .d = PTX_F32, .tiles = 1, .group = 4},
    {.shape = {16, 8, 32}, .a = PTX_E4M3, .b = PTX_E5M2, .c = PTX_F32, .d = PTX_F32, .tiles = 1, .group = 16},
    {.shape = {16, 8, 32}, .a = PTX_E4M3, .b = PTX_E4M3, .c = PTX_F32, .d = PTX_F32, .tiles = 1, .group = 32, .native = true},
    {.shape = {16, 8, 32}, .a = PTX_E5M2, .b = PTX_E4M3, .c = PTX_F16, .d = PTX_F16, .tiles = 1, .group = 32, .native = true},
    {.shape = {1, 8, 16}, .a = PTX_F16, .b = PTX_F16, .c = PTX_F32, .d = PTX_F32, .tiles = 1, .group = 16}};
enum { N_PRODUCTS = sizeof PRODUCTS / sizeof *PRODUCTS };

struct tiles {
  uint32_t a[EXEC_TENSOR_TILE] EXEC_ALIGNED, b[EXEC_TENSOR_TILE] EXEC_ALIGNED, c[EXEC_TENSOR_TILE] EXEC_ALIGNED,
      d[EXEC_TENSOR_TILE] EXEC_ALIGNED, right[EXEC_TENSOR_TILE] EXEC_ALIGNED;
};

static void fill(struct rng *r, const struct exec_tensor_product *p, enum kind kind, enum kind kind_c, struct tiles *t) {
  for (unsigned i = 0; i < (unsigned)p->shape.m * p->shape.k; i++) t->a[i] = element(r, kind, p->a);
  for (unsigned i = 0; i < (unsigned)p->shape.n * p->shape.k; i++) t->b[i] = element(r, kind, p->b);
  for (unsigned i = 0; i < (unsigned)p->shape.m * p->shape.n; i++) t->c[i] = element(r, kind_c, p->c);
}

/* How many of the products the quick loops took; all of them must be right. */
static unsigned compare_floats(const struct exec_tensor_product *p, enum kind kind, enum kind kind_c) {
  struct rng r;
  struct tiles t;
  unsigned taken = 0;
  r.state = 7u + (unsigned)kind * 31 + (unsigned)kind_c;
  for (unsigned i = 0; i < TRIES; i++) {
    fill(&r, p, kind, kind_c, &t);
    if (!p->lanes->tensor->floats(p, t.a, t.b, t.c, t.d)) continue;
    exec_tensor_multiply_float(p, t.a, t.b, t.c, t.right);
    assert_memory_equal(t.d, t.right, (size_t)p->shape.m * p->shape.n * sizeof *t.d);
    taken++;
  }
  return taken;
}

static void test_floats_are_summed_as_by_the_long_way(void **state) {
  (void)state;
  for (unsigned isa = 0; isa < N_ISAS; isa++)
    for (unsigned i = 0; i < N_PRODUCTS; i++) {
      struct exec_tensor_product p = PRODUCTS[i];
      p.lanes = lanes_of(isa);
      for (unsigned kind = 0; kind < KINDS; kind++)
        for (unsigned kind_c = 0; kind_c < KINDS; kind_c++) {
          unsigned taken = compare_floats(&p, (enum kind)kind, (enum kind)kind_c);
          if (kind != ANY_FINITE && kind_c != ANY_FINITE) assert_int_equal(taken, TRIES);
        }
    }
}

static void test_infinities_and_nan_are_left_to_the_long_way(void **state) {
  static const uint32_t SPECIAL[] = {0x7c00, 0xfc00, 0x7e00};
  struct rng r;
  struct tiles t;
  (void)state;
  r.state = 3;
  for (unsigned isa = 0; isa < N_ISAS; isa++)
    for (unsigned i = 0; i < 3; i++) {
      struct exec_tensor_product p = PRODUCTS[0];
      p.lanes = lanes_of(isa);
      fill(&r, &p, SMALL_WHOLE, SMALL_WHOLE, &t);
      t.a[37] = SPECIAL[i];
      assert_false(p.lanes->tensor->floats(&p, t.a, t.b, t.c, t.d));
      fill(&r, &p, SMALL_WHOLE, SMALL_WHOLE, &t);
      t.c[100] = SPECIAL[i] << 16 | 0x7f800000;
      assert_false(p.lanes->tensor->floats(&p, t.a, t.b, t.c, t.d));
    }
}

/* ---- whole numbers and f64 ------------------------------------------------------------------------------------- */

static int64_t whole_of(uint32_t x, uint8_t type) {
  unsigned bits = ptx_type_bits((enum ptx_type)type);
  return ptx_type_signed((enum ptx_type)type) && x >> (bits - 1) ? (int64_t)x - (INT64_C(1) << bits) : (int64_t)x;
}

static void compare_wholes(const struct exec_tensor_product *p, struct rng *r) {
  struct tiles t;
  const unsigned m = p->shape.m, n = p->shape.n, k = p->shape.k, range = 1u << ptx_type_bits((enum ptx_type)p->a);
  for (unsigned i = 0; i < m * k; i++) t.a[i] = rng_below(r, 4) ? (uint32_t)rng_below(r, range) : range - 1;
  for (unsigned i = 0; i < n * k; i++) t.b[i] = rng_below(r, 4) ? (uint32_t)rng_below(r, range) : range - 1;
  for (unsigned i = 0; i < m * n; i++) t.c[i] = (uint32_t)rng_next(r) | (i % 3 ? 0 : 0x7fff0000u);
  p->lanes->tensor->wholes(p, t.a, t.b, t.c, t.d);
  for (unsigned i = 0; i < m; i++)
    for (unsigned j = 0; j < n; j++) {
      int64_t sum = (int32_t)t.c[i * n + j];
      for (unsigned q = 0; q < k; q++) sum += whole_of(t.a[i * k + q], p->a) * whole_of(t.b[j * k + q], p->b);
      if (p->saturate) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
      assert_int_equal(t.d[i * n + j], (uint32_t)sum);
    }
}

static void test_whole_numbers_are_summed_exactly(void **state) {
  static const struct exec_tensor_product ALL[] = {{.shape = {16, 8, 32}, .a = PTX_S8, .b = PTX_U8},
                                                   {.shape = {16, 16, 16}, .a = PTX_U8, .b = PTX_U8, .saturate = true},
                                                   {.shape = {1, 8, 64}, .a = PTX_S4, .b = PTX_S4},
                                                   {.shape = {16, 8, 64}, .a = PTX_U4, .b = PTX_S4, .saturate = true}};
  struct rng r;
  (void)state;
  r.state = 11;
  for (unsigned isa = 0; isa < N_ISAS; isa++)
    for (unsigned i = 0; i < 4 * TRIES; i++) {
      struct exec_tensor_product p = ALL[i % 4];
      p.lanes = lanes_of(isa);
      compare_wholes(&p, &r);
    }
}

static void test_f64_is_a_chain_of_fused_multiply_adds(void **state) {
  static const uint16_t K[] = {4, 8, 16};
  uint64_t a[EXEC_TENSOR_WIDE_TILE], b[EXEC_TENSOR_WIDE_TILE], c[EXEC_TENSOR_WIDE_TILE], d[EXEC_TENSOR_WIDE_TILE];
  struct rng r;
  (void)state;
  r.state = 5;
  for (unsigned isa = 0; isa < N_ISAS; isa++)
    for (unsigned i = 0; i < 3; i++) {
      struct exec_tensor_product p = {.shape = {16, 8, K[i]}, .a = PTX_F64, .lanes = lanes_of(isa)};
      for (unsigned e = 0; e < EXEC_TENSOR_WIDE_TILE; e++) {
        a[e] = exec_bits64(number(&r, WIDE) / 3);
        b[e] = exec_bits64(number(&r, WIDE) / 7);
        c[e] = exec_bits64(number(&r, WIDE));
      }
      assert_true(p.lanes->tensor->doubles(&p, a, b, c, d));
      for (unsigned o = 0; o < 128; o++) {
        double sum = exec_double(c[o]);
        for (unsigned q = 0; q < K[i]; q++) sum = fma(exec_double(a[o / 8 * K[i] + q]), exec_double(b[o % 8 * K[i] + q]), sum);
        assert_true(d[o] == exec_bits64(sum));
      }
      a[0] = EXEC_NAN64_BITS;
      assert_false(p.lanes->tensor->doubles(&p, a, b, c, d));
    }
}

/* The same straight from registers: lane i has row i / 4 of a and column i / 4 of b at k = i % 4, and two neighbours of a row of c. */
static void test_small_f64_products_of_registers(void **state) {
  uint64_t a[EXEC_LANES] EXEC_ALIGNED, b[EXEC_LANES] EXEC_ALIGNED, c[2][EXEC_LANES] EXEC_ALIGNED, d[2][EXEC_LANES] EXEC_ALIGNED;
  struct rng r;
  (void)state;
  r.state = 9;
  for (unsigned isa = 0; isa < N_ISAS; isa++) {
    const struct exec_tensor_lanes *lanes = lanes_of(isa)->tensor;
    for (unsigned i = 0; i < EXEC_LANES; i++) {
      a[i] = exec_bits64(number(&r, WIDE) / 3);
      b[i] = exec_bits64(number(&r, WIDE) / 7);
      c[0][i] = exec_bits64(number(&r, WIDE));
      c[1][i] = exec_bits64(number(&r, WIDE));
    }
    assert_true(lanes->small_doubles(a, b, (const uint64_t *const[]){c[0], c[1]}, (uint64_t *const[]){d[0], d[1]}));
    for (unsigned o = 0; o < 64; o++) {
      unsigned row = o / 8, col = o % 8, lane = row * 4 + col / 2;
      double sum = exec_double(c[col % 2][lane]);
      for (unsigned q = 0; q < 4; q++) sum = fma(exec_double(a[row * 4 + q]), exec_double(b[col * 4 + q]), sum);
      assert_true(d[col % 2][lane] == exec_bits64(sum));
    }
    memset(d, 0, sizeof d);
    b[17] = EXEC_NAN64_BITS;
    assert_false(lanes->small_doubles(a, b, (const uint64_t *const[]){c[0], c[1]}, (uint64_t *const[]){d[0], d[1]}));
    for (unsigned i = 0; i < EXEC_LANES; i++) assert_true(!d[0][i] && !d[1][i]); /* left to the long way, which reads what is there */
  }
}

/* ---- fragments -------------------------------------------------------------------------------------------------- */

static unsigned char registers[EXEC_TENSOR_REGS * EXEC_LANES * 8] EXEC_ALIGNED;

/* Where the table says that an element is. */
static uint64_t of_register(const struct exec_tensor_layout *l, unsigned lane, unsigned i) {
  unsigned reg = i / l->per_reg, bytes = l->reg_bits / 8u;
  uint64_t x = 0;
  memcpy(&x, registers + (reg * EXEC_LANES + lane) * bytes, bytes);
  return l->bits == 64 ? x : x >> i % l->per_reg * l->bits & (l->bits == 32 ? ~0u : (1u << l->bits) - 1);
}

static void check_layout(const struct exec_tensor_layout *l, const struct exec_lanes *lanes, struct rng *r) {
  static struct exec_warp w;
  struct exec_tensor_fragment f = {.layout = l, .lanes = lanes};
  uint32_t tile[EXEC_TENSOR_TILE] EXEC_ALIGNED, back[EXEC_TENSOR_TILE] EXEC_ALIGNED;
  uint64_t wide[EXEC_TENSOR_WIDE_TILE];
  assert_true(l->span);
  w.mask = EXEC_ALL_LANES;
  w.file[EXEC_F32] = registers;
  for (unsigned i = 0; i < l->regs; i++) f.regs[i] = (struct exec_opnd){.file = EXEC_F32, .off = i * EXEC_LANES * l->reg_bits / 8u};
  for (unsigned i = 0; i < sizeof registers; i++) registers[i] = (unsigned char)rng_next(r);
  if (l->bits == 64) exec_tensor_gather_wide(&w, &f, wide);
  else exec_tensor_gather(&w, &f, tile);
  unsigned first = l->last_copy * l->per_reg;
  for (unsigned lane = 0; lane < EXEC_LANES; lane++)
    for (unsigned i = first; i < (unsigned)l->regs * l->per_reg; i++) {
      uint64_t right = of_register(l, lane, i);
      assert_true((l->bits == 64 ? wide[l->at[lane][i]] : tile[l->at[lane][i]]) == right);
    }
  memset(registers, 0, sizeof registers);
  if (l->bits == 64) exec_tensor_scatter_wide(&w, &f, wide);
  else exec_tensor_scatter(&w, &f, tile);
  for (unsigned lane = 0; lane < EXEC_LANES; lane++)
    for (unsigned i = 0; i < (unsigned)l->regs * l->per_reg; i++)
      assert_true(of_register(l, lane, i) == (l->bits == 64 ? wide[l->at[lane][i]] : tile[l->at[lane][i]]));
  if (l->bits == 64) return;
  exec_tensor_gather(&w, &f, back);
  assert_memory_equal(tile, back, (size_t)l->rows * l->cols * sizeof *tile);
}

static void test_fragments_of_blocks_are_where_the_tables_say(void **state) {
  static const struct { struct exec_tensor_shape shape; uint8_t part, type; bool wmma; } ALL[] = {
      {{16, 8, 16}, EXEC_TENSOR_A, PTX_F16, false}, {{16, 8, 16}, EXEC_TENSOR_B, PTX_F16, false},
      {{16, 8, 16}, EXEC_TENSOR_C, PTX_F32, false},
      {{16, 16, 16}, EXEC_TENSOR_A, PTX_F16, true}, {{8, 32, 16}, EXEC_TENSOR_A, PTX_F16, true},
      {{16, 16, 16}, EXEC_TENSOR_C, PTX_F32, true},
      {{16, 16, 16}, EXEC_TENSOR_C, PTX_F16, true}, {{16, 16, 8}, EXEC_TENSOR_A, PTX_TF32, true},
      {{16, 8, 4}, EXEC_TENSOR_B, PTX_TF32, false},
      {{16, 8, 32}, EXEC_TENSOR_A, PTX_S8, false}, {{16, 8, 64}, EXEC_TENSOR_A, PTX_U4, false},
      {{8, 8, 4}, EXEC_TENSOR_A, PTX_F64, false},
      {{8, 8, 4}, EXEC_TENSOR_C, PTX_F64, false}, {{16, 8, 16}, EXEC_TENSOR_A, PTX_F64, false},
      {{16, 8, 256}, EXEC_TENSOR_A, PTX_B1, false}};
  struct rng r;
  (void)state;
  r.state = 23;
  for (unsigned isa = 0; isa < N_ISAS; isa++)
    for (size_t i = 0; i < sizeof ALL / sizeof *ALL; i++) {
      enum exec_tensor_part part = (enum exec_tensor_part)ALL[i].part;
      enum ptx_type t = (enum ptx_type)ALL[i].type;
      const struct exec_tensor_layout *l =
          ALL[i].wmma ? exec_tensor_layout_wmma(ALL[i].shape, part, t) : exec_tensor_layout_mma(ALL[i].shape, part, t);
      check_layout(l, lanes_of(isa), &r);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_floats_are_summed_as_by_the_long_way),
                                     cmocka_unit_test(test_infinities_and_nan_are_left_to_the_long_way),
                                     cmocka_unit_test(test_whole_numbers_are_summed_exactly),
                                     cmocka_unit_test(test_f64_is_a_chain_of_fused_multiply_adds),
                                     cmocka_unit_test(test_small_f64_products_of_registers),
                                     cmocka_unit_test(test_fragments_of_blocks_are_where_the_tables_say)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
