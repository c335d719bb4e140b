/* A bench for lane functions: one warp of rows that a test fills, the function an instruction's text asks for
 * on each instruction set this CPU has, and an exact reference that rounds 128-bit floats to any format in
 * any direction. */
#ifndef TESTS_EXEC_FLOAT_RIG_H
#define TESTS_EXEC_FLOAT_RIG_H

#include "exec/convert.h"
#include "exec/decode.h"
#include "exec/float_bits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- instructions -------------------------------------------------------------------------------------- */

/* "add.rz.ftz.f32": opcode, modifiers and types; fails the test on a word that PTX does not have. */
struct ptx_inst rig_instruction(const char *text);

enum rig_family { RIG_FLOAT, RIG_HALF, RIG_CONVERT };

/* The instruction sets of this CPU, as lane tables. */
enum { RIG_MAX_ISAS = 3 };
unsigned rig_isas(const struct exec_lanes *out[RIG_MAX_ISAS]);

/* ---- running ------------------------------------------------------------------------------------------- */

/* A lane's operands and what must come out, as bits. */
struct rig_case {
  uint64_t in[3], want;
};

/* Widths of the rows in bits: 32 or 64. */
struct rig_shape {
  unsigned dst, src[3], n_src;
  uint64_t mask; /* bits of the result that count; 0: all of the row */
};

/* Runs the instruction over all cases on every instruction set, 32 at a time, with full and partial masks and
 * with the destination in a row of its own or the first source's, and fails with the first difference. */
void rig_check(const char *text, enum rig_family family, struct rig_shape shape, const struct rig_case *cases,
               size_t n);
/* The same, but only fetches results of one instruction set (want is filled). */
void rig_fetch(const struct exec_lanes *isa, const char *text, enum rig_family family, struct rig_shape shape,
               struct rig_case *cases, size_t n);
/* Asserts that no instruction set has this instruction. */
void rig_refused(const char *text, enum rig_family family);

/* ---- inputs -------------------------------------------------------------------------------------------- */

uint64_t rig_random(uint64_t *state);
/* Float bits worth trying in a format: k-th special value, and a random one near other operands' exponents.
 */
enum { RIG_SPECIALS = 24 };
uint64_t rig_special(unsigned exponent_bits, unsigned mantissa_bits, unsigned k);
uint64_t rig_float(unsigned exponent_bits, unsigned mantissa_bits, uint64_t *state);

/* ---- reference ----------------------------------------------------------------------------------------- */

typedef __float128 quad;

/* A number as an unevaluated sum: s is the nearest quad, e has the sign of what is missing. */
struct exact {
  quad s, e;
};
struct exact exact_add(quad a, quad b);
struct exact exact_div(quad a, quad b);
struct exact exact_sqrt(quad a);

/* Rounds to a format of exponent_bits and mantissa_bits with infinities and subnormals; the sign is the top
 * bit. NaN and zero are the caller's: x.s must be neither. */
uint64_t exact_round(struct exact x, unsigned exponent_bits, unsigned mantissa_bits, enum exec_round round);
/* The value of bits in such a format. */
quad exact_value(uint64_t bits, unsigned exponent_bits, unsigned mantissa_bits);
bool exact_is_nan(uint64_t bits, unsigned exponent_bits, unsigned mantissa_bits);

#endif
