/* Rounding directions of the lane files: a loop over 32 lanes and its variants for .rz, .rm and .rp, which run the same loop under another
 * rounding direction of the host. */
#ifndef EXEC_DIRECTED_H
#define EXEC_DIRECTED_H

#include "exec/float_bits.h"
#include "exec/lanes/lanes.h"

#define EXEC_ARGS struct exec_warp *w, const struct exec_inst *in

/* Attribute for the definition of a loop: it must not be inlined, or exec_round_enter would not work. */
#define EXEC_KEEP_CALL(NAME) static void NAME(EXEC_ARGS) __attribute__((noinline));

#define EXEC_DIRECTION(NAME, LOOP, ROUND)                                                                    \
  static void NAME(EXEC_ARGS) {                                                                              \
    const unsigned old = exec_round_enter(ROUND);                                                            \
    LOOP(w, in);                                                                                             \
    exec_round_leave(old);                                                                                   \
  }
/* NAME_rz, NAME_rm and NAME_rp, each running LOOP. */
#define EXEC_DIRECTIONS(NAME, LOOP)                                                                          \
  EXEC_DIRECTION(NAME##_rz, LOOP, EXEC_RZ)                                                                   \
  EXEC_DIRECTION(NAME##_rm, LOOP, EXEC_RM)                                                                   \
  EXEC_DIRECTION(NAME##_rp, LOOP, EXEC_RP)
/* A row of a table indexed by enum exec_round. */
#define EXEC_BY_ROUND(NAME)                                                                                  \
  { NAME, NAME##_rz, NAME##_rm, NAME##_rp }

/* The rounding modifier of an instruction; nearest if there is none. */
static inline enum exec_round exec_rounding_of(const struct ptx_inst *pi) {
  if (ptx_has(pi, PTX_M_rz) || ptx_has(pi, PTX_M_rzi)) return EXEC_RZ;
  if (ptx_has(pi, PTX_M_rm) || ptx_has(pi, PTX_M_rmi)) return EXEC_RM;
  if (ptx_has(pi, PTX_M_rp) || ptx_has(pi, PTX_M_rpi)) return EXEC_RP;
  return ptx_has(pi, PTX_M_rna) ? EXEC_RNA : EXEC_RN;
}

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define EXEC_HOST_FMA       1
#define EXEC_FMA32(a, b, c) __builtin_fmaf(a, b, c)
#else
/* The product is exact in double. In a directed mode, rounding twice in the same direction is the same as rounding once; the second form is
 * for this case. */
#define EXEC_HOST_FMA                0
#define EXEC_FMA32(a, b, c)          (float)exec_odd_sum((double)(a) * (double)(b), (double)(c))
#define EXEC_FMA32_DIRECTED(a, b, c) (float)((double)(a) * (double)(b) + (double)(c))
#endif

#endif
