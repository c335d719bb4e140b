/* Loops over the 32 lanes of a warp, for the lane files. The same source is compiled once per host instruction set;
 * the loops are written so that compilers vectorise them: rows are aligned, a destination may alias a source only
 * lane by lane (the same register), and inactive lanes keep their value through a select rather than a branch.
 * An expression is evaluated for inactive lanes too, so it must be defined for every input. */
#ifndef EXEC_LANES_H
#define EXEC_LANES_H

#include "exec/decode.h"

#include <string.h>

#if defined(__clang__)
#define EXEC_VECTORISE _Pragma("clang loop vectorize(assume_safety)")
#else
#define EXEC_VECTORISE _Pragma("GCC ivdep")
#endif

#define EXEC_ROW(w, opnd, type) ((type *)__builtin_assume_aligned(exec_row((w), (opnd)), 64))

/* Runs `body` for each lane i; inside, `d[i] = ...` must be written through EXEC_KEEP below or in full. */
#define EXEC_EACH_LANE(i)                                                                                              \
  EXEC_VECTORISE                                                                                                       \
  for (int i = 0; i < EXEC_LANES; i++)

/* NAME(d = f(x)), f(x, y), f(x, y, z): TD, TA.. are the row element types; X, Y, Z the names used in EXPR. */
#define EXEC_OP1(NAME, TD, TA, EXPR)                                                                                   \
  static void NAME(struct exec_warp *w, const struct exec_inst *in) {                                                 \
    TD *d = EXEC_ROW(w, in->d, TD);                                                                                    \
    const TA *a_ = EXEC_ROW(w, in->a, TA);                                                                             \
    const uint32_t m_ = w->mask;                                                                                       \
    if (m_ == EXEC_ALL_LANES) {                                                                                        \
      EXEC_EACH_LANE(i) { const TA x = a_[i]; d[i] = (TD)(EXPR); }                                                     \
    } else {                                                                                                           \
      EXEC_EACH_LANE(i) { const TA x = a_[i]; const TD r_ = (TD)(EXPR); d[i] = (m_ >> i & 1) ? r_ : d[i]; }            \
    }                                                                                                                  \
  }
#define EXEC_OP2(NAME, TD, TA, TB, EXPR)                                                                               \
  static void NAME(struct exec_warp *w, const struct exec_inst *in) {                                                 \
    TD *d = EXEC_ROW(w, in->d, TD);                                                                                    \
    const TA *a_ = EXEC_ROW(w, in->a, TA);                                                                             \
    const TB *b_ = EXEC_ROW(w, in->b, TB);                                                                             \
    const uint32_t m_ = w->mask;                                                                                       \
    if (m_ == EXEC_ALL_LANES) {                                                                                        \
      EXEC_EACH_LANE(i) { const TA x = a_[i]; const TB y = b_[i]; d[i] = (TD)(EXPR); }                                 \
    } else {                                                                                                           \
      EXEC_EACH_LANE(i) {                                                                                              \
        const TA x = a_[i]; const TB y = b_[i]; const TD r_ = (TD)(EXPR); d[i] = (m_ >> i & 1) ? r_ : d[i];            \
      }                                                                                                                \
    }                                                                                                                  \
  }
#define EXEC_OP3(NAME, TD, TA, TB, TC, EXPR)                                                                           \
  static void NAME(struct exec_warp *w, const struct exec_inst *in) {                                                 \
    TD *d = EXEC_ROW(w, in->d, TD);                                                                                    \
    const TA *a_ = EXEC_ROW(w, in->a, TA);                                                                             \
    const TB *b_ = EXEC_ROW(w, in->b, TB);                                                                             \
    const TC *c_ = EXEC_ROW(w, in->c, TC);                                                                             \
    const uint32_t m_ = w->mask;                                                                                       \
    if (m_ == EXEC_ALL_LANES) {                                                                                        \
      EXEC_EACH_LANE(i) { const TA x = a_[i]; const TB y = b_[i]; const TC z = c_[i]; d[i] = (TD)(EXPR); }             \
    } else {                                                                                                           \
      EXEC_EACH_LANE(i) {                                                                                              \
        const TA x = a_[i]; const TB y = b_[i]; const TC z = c_[i];                                                    \
        const TD r_ = (TD)(EXPR); d[i] = (m_ >> i & 1) ? r_ : d[i];                                                    \
      }                                                                                                                \
    }                                                                                                                  \
  }

/* d is a predicate: bit i of the result comes from EXPR over x and y. */
#define EXEC_PRED2(NAME, TA, TB, EXPR)                                                                                 \
  static inline uint32_t NAME(const struct exec_warp *w, const struct exec_inst *in) {                                \
    const TA *a_ = EXEC_ROW(w, in->a, TA);                                                                             \
    const TB *b_ = EXEC_ROW(w, in->b, TB);                                                                             \
    uint32_t bits[EXEC_LANES], r = 0;                                                                                  \
    EXEC_EACH_LANE(i) { const TA x = a_[i]; const TB y = b_[i]; bits[i] = (uint32_t)((EXPR) ? 1u : 0u) << i; }         \
    EXEC_EACH_LANE(i) r |= bits[i];                                                                                    \
    return r;                                                                                                          \
  }

#endif
