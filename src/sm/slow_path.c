/* Which rounded divisions, reciprocals and roots of f32 leave the short sequence of a machine for its long one: those of which one
 * lane's operand is near the ends of the exponents, zero among them. The rules are what NVIDIA's assembler writes for sm_90 in front
 * of the branch (FCHK for a division); the limits of the division were found by trying operands on an H200.
 *
 * Owns nothing. Does not know what either sequence costs (sm.slow_path.*), nor those of f64. */
#include "sm/sm.h"

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

bool sm_takes_slow_path(const struct exec_warp *w, const struct exec_inst *in) {
  uint32_t lanes = w->active;
  if (in->unit != EXEC_U_FDIV) return false;
  if (in->guarded) lanes &= *(const uint32_t *)(w->file[EXEC_FPRED] + in->guard) ^ (in->guard_negate ? EXEC_ALL_LANES : 0);
  const uint32_t *a = exec_row(w, in->a), *b = in->ptx->op == PTX_OP_div ? exec_row(w, in->b) : NULL;
  for (; lanes; lanes &= lanes - 1) {
    unsigned i = (unsigned)__builtin_ctz(lanes);
    if (b ? slow_division(a[i], b[i]) : in->ptx->op == PTX_OP_rcp ? slow_reciprocal(a[i]) : slow_root(a[i])) return true;
  }
  return false;
}
