/* Operand classes of the conformance kit and the values given to them.
 *
 * A class says how an operand is declared and loaded in PTX and which bit patterns it takes. Inputs are
 * computed from the class, the operand's position and the lane, never stored: the recorder and the checker
 * see the same numbers because they run this code. One operand of one lane is one or more 64-bit slots; the
 * element a register takes is in the low bits of a slot, the bits above hold further elements of the class.
 */
#ifndef CONFORMANCE_INPUTS_H
#define CONFORMANCE_INPUTS_H

#include <stdint.h>

enum input_kind {
  INPUT_INT,    /* integers of `width` bits: extremes crossed, then random */
  INPUT_FLOAT,  /* IEEE-like floats: zeros, subnormals, infinities, NaN payloads, ties, random */
  INPUT_BITS,   /* uniformly random bits */
  INPUT_RANGE,  /* integers 0 .. limit - 1 */
  INPUT_SHIFT,  /* shift counts: mostly 0 .. 70, sometimes huge */
  INPUT_MODEST, /* finite floats of magnitude about 2^-3 .. 2^3, no specials */
  INPUT_SPARSE, /* small whole numbers with now and then a negative zero, an infinity or a NaN */
  INPUT_WHOLE,  /* floats that are small whole numbers: sums are exact in any order */
  INPUT_KEPT,   /* metadata of sparse matrices: which two of four elements are kept, in order */
  INPUT_KEPT_PAIRS, /* the same of elements that are kept in pairs: the first two or the last two */
};

/* How one operand is declared, loaded, stored and filled. */
struct operand_class {
  const char *name;     /* as written in a signature */
  const char *reg;      /* PTX register type */
  const char *mem;      /* PTX type of the ld or st that moves it; NULL for a predicate */
  unsigned bytes;       /* bytes stored for a result */
  enum input_kind kind; /* how inputs are made */
  unsigned width;       /* bits of an element */
  unsigned exponent;    /* floats: exponent bits */
  unsigned mantissa;    /* floats: mantissa bits */
  unsigned limit;       /* INPUT_RANGE: one past the largest value; INPUT_WHOLE: largest magnitude */
};

/* The class with that name, or NULL. */
const struct operand_class *input_class(const char *name);

/* Slot `slot` of `lane` for the operand at `position` (0..3) of an instruction with `arity` operands. */
uint64_t input_slot(const struct operand_class *cls, unsigned position, unsigned arity, unsigned lane,
                    unsigned slot);

/* A well-mixed 64-bit hash of two words. */
uint64_t input_mix(uint64_t a, uint64_t b);

#endif
