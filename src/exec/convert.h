/* What a cvt does, decoded once into exec_inst.imm, for the lane functions that serve many variants.
 *
 * Owns: the packed description. The lane functions for the common conversions ignore it; the general one (lanes_convert.c) uses nothing
 * else. */
#ifndef EXEC_CONVERT_H
#define EXEC_CONVERT_H

#include "exec/float_bits.h"
#include "ptx/ptx.h"

struct exec_convert {
  uint8_t dst, src; /* enum ptx_type */
  uint8_t round;    /* enum exec_round; of whole numbers too (.rni and the like) */
  bool whole;       /* .rni, .rzi, .rmi, .rpi: round to a whole number */
  bool ftz, sat, satfinite, relu;
  bool wide_src, wide_dst; /* a type of up to 32 bits in a 64-bit register */
};

struct exec_convert exec_convert_of(const struct ptx_inst *pi); /* wide_src and wide_dst left false */
int64_t exec_convert_pack(struct exec_convert c);
static inline struct exec_convert exec_convert_unpack(int64_t imm) {
  const uint64_t u = (uint64_t)imm;
  return (struct exec_convert){.dst = (uint8_t)u,
                               .src = (uint8_t)(u >> 8),
                               .round = (uint8_t)(u >> 16),
                               .whole = u >> 24 & 1,
                               .ftz = u >> 25 & 1,
                               .sat = u >> 26 & 1,
                               .satfinite = u >> 27 & 1,
                               .relu = u >> 28 & 1,
                               .wide_src = u >> 29 & 1,
                               .wide_dst = u >> 30 & 1};
}

/* If pi->vec has this value, pick_convert returns the function for any row widths, otherwise one for rows of the type's own width. */
enum { EXEC_CONVERT_ANY_ROWS = 255 };

#endif
