/* Counts many small numbers at once. A number is one bit in each of four words, one word for each binary digit, so
 * each bit position of the words counts for one thing. A pair is one word for requests and one for replies, which fit
 * into one register of the host. */
#ifndef NOC_DIGITS_H
#define NOC_DIGITS_H

#include <stdint.h>

enum { NOC_DIGITS = 4, NOC_MOST = (1 << NOC_DIGITS) - 1 };

typedef uint64_t noc_pair __attribute__((vector_size(16), may_alias));

/* Counting functions for numbers whose digits are of this type: `who` is the set of those that count. */
#define NOC_COUNTING(type, up, down, not_zero)                \
  static inline void up(type *digits, type who) {             \
    for (uint32_t i = 0; i < NOC_DIGITS; i++) {               \
      type carry = digits[i] & who;                           \
      digits[i] ^= who;                                       \
      who = carry;                                            \
    }                                                         \
  }                                                           \
  static inline void down(type *digits, type who) {           \
    for (uint32_t i = 0; i < NOC_DIGITS; i++) {               \
      type borrow = ~digits[i] & who;                         \
      digits[i] ^= who;                                       \
      who = borrow;                                           \
    }                                                         \
  }                                                           \
  /* Those whose number is not 0. */                          \
  static inline type not_zero(const type *digits) { return digits[0] | digits[1] | digits[2] | digits[3]; }

NOC_COUNTING(uint64_t, noc_count_up, noc_count_down, noc_not_zero)
NOC_COUNTING(noc_pair, noc_pair_up, noc_pair_down, noc_pair_not_zero)

/* Those whose number is 1. */
static inline uint64_t noc_is_one(const uint64_t *digits) { return digits[0] & ~(digits[1] | digits[2] | digits[3]); }

#endif
