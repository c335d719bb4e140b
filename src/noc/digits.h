/* 64 small numbers at once: a number is a bit in each of four words, one word a binary digit. Whoever is counted is a bit of a word. */
#ifndef NOC_DIGITS_H
#define NOC_DIGITS_H

#include <stdint.h>

enum { NOC_DIGITS = 4, NOC_MOST = (1 << NOC_DIGITS) - 1 };

static inline void noc_count_up(uint64_t *digits, uint64_t who) {
  for (uint32_t i = 0; i < NOC_DIGITS; i++) {
    uint64_t carry = digits[i] & who;
    digits[i] ^= who;
    who = carry;
  }
}

static inline void noc_count_down(uint64_t *digits, uint64_t who) {
  for (uint32_t i = 0; i < NOC_DIGITS; i++) {
    uint64_t borrow = ~digits[i] & who;
    digits[i] ^= who;
    who = borrow;
  }
}

/* Those whose number is not 0, and those whose number is 1. */
static inline uint64_t noc_not_zero(const uint64_t *digits) { return digits[0] | digits[1] | digits[2] | digits[3]; }
static inline uint64_t noc_is_one(const uint64_t *digits) { return digits[0] & ~(digits[1] | digits[2] | digits[3]); }

#endif
