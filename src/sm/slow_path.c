/* Which rounded divisions, reciprocals and roots take a machine's long sequence (slow path) instead of the short one: those with an operand
 * of some lane that is zero or near the ends of the exponent range. The rules are those that NVIDIA's assembler writes for sm_90 before the
 * branch (FCHK for a division of f32); the limits of FCHK were found by trying operands on an H200. The rules for f64 look only at upper
 * words; a division's at those of dividend, divisor and quotient.
 *
 * Owns nothing. Does not know what either sequence costs (sm.slow_path.*). */
#include "sm/sm.h"

#include <string.h>

static unsigned exponent_of(uint32_t bits) { return bits >> 23 & 255; }

/* The remainder of the last step must be a normal number, and so must the quotient and its reciprocal. */
static bool slow_division(uint32_t a, uint32_t b) {
  enum { LEAST_DIVIDEND = 25, LEAST_DIVISOR = 2, MOST_DIVISOR = 252, MOST_DISTANCE = 125 };
  int up = (int)exponent_of(a), down = (int)exponent_of(b), distance = up - down;
  return up < LEAST_DIVIDEND || up == 255 || down < LEAST_DIVISOR || down > MOST_DIVISOR || distance > MOST_DISTANCE ||
         distance < -MOST_DISTANCE;
}

static bool slow_reciprocal(uint32_t a) { return exponent_of(a + 0x1800000) <= 3; }

static bool slow_root(uint32_t a) { return a - 0xd000000 > 0x727fffff; }

/* ---- f64 ---- */

enum { SIGN_OFF = 0x7fffffff, INFINITE_F32 = 0x7f800000 };

/* True if the dividend's upper word, read as f32, is below 6.58e-37, or the quotient's is not above 1.47e-39. A divisor whose upper word is
 * infinite as f32 makes the second comparison fail. */
static bool slow_double_division(uint64_t a, uint64_t b) {
  enum { LEAST_DIVIDEND = 0x03600000, MOST_TINY = 0x00100000 };
  double x, y, q;
  uint64_t bits;
  memcpy(&x, &a, sizeof x);
  memcpy(&y, &b, sizeof y);
  q = x / y;
  memcpy(&bits, &q, sizeof bits);
  uint32_t up = a >> 32 & SIGN_OFF, down = b >> 32 & SIGN_OFF, quotient = bits >> 32 & SIGN_OFF;
  return up < LEAST_DIVIDEND || up > INFINITE_F32 || down >= INFINITE_F32 || quotient <= MOST_TINY || quotient > INFINITE_F32;
}

static bool slow_double_reciprocal(uint64_t a) { return (((uint32_t)(a >> 32) + 0x300402) & SIGN_OFF) < 0x00400402; }

static bool slow_double_root(uint64_t a) { return (uint32_t)(a >> 32) - 0x03500000 >= 0x7ca00000; }

/* ---- of a warp ---- */

static bool is_slow(const struct exec_inst *in, const void *a, const void *b, unsigned i) {
  enum ptx_op op = (enum ptx_op)in->ptx->op;
  if (in->unit == EXEC_U_FDIV) {
    uint32_t x = ((const uint32_t *)a)[i];
    return op == PTX_OP_div ? slow_division(x, ((const uint32_t *)b)[i]) : op == PTX_OP_rcp ? slow_reciprocal(x) : slow_root(x);
  }
  uint64_t x = ((const uint64_t *)a)[i];
  return op == PTX_OP_div   ? slow_double_division(x, ((const uint64_t *)b)[i])
         : op == PTX_OP_rcp ? slow_double_reciprocal(x)
                            : slow_double_root(x);
}

bool sm_takes_slow_path(const struct exec_warp *w, const struct exec_inst *in) {
  uint32_t lanes = w->active;
  if (in->guarded) lanes &= *(const uint32_t *)(w->file[EXEC_FPRED] + in->guard) ^ (in->guard_negate ? EXEC_ALL_LANES : 0);
  const void *a = exec_row(w, in->a), *b = in->ptx->op == PTX_OP_div ? exec_row(w, in->b) : NULL;
  for (; lanes; lanes &= lanes - 1)
    if (is_slow(in, a, b, (unsigned)__builtin_ctz(lanes))) return true;
  return false;
}
