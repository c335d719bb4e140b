/* The addresses of 32 lanes: base plus offset, and in the same pass whether they are equal or consecutive and which bits they have.
 * Kept in vectors of eight, which each instruction set cuts as it likes. */
#include "exec/decode.h"

typedef uint64_t eight __attribute__((vector_size(64), aligned(8), may_alias));
typedef uint32_t eight_words __attribute__((vector_size(32), aligned(4), may_alias));

struct pass {
  eight first, expected, step, differ, gaps, bits;
};

#define ALL(x) ((eight){x, x, x, x, x, x, x, x})

static inline struct pass begin(uint64_t first, uint64_t bytes) {
  const eight lane = {0, 1, 2, 3, 4, 5, 6, 7};
  return (struct pass){.first = ALL(first), .expected = ALL(first) + lane * ALL(bytes), .step = ALL(8 * bytes)};
}

static inline void add(struct pass *p, const eight *x) {
  p->differ |= *x ^ p->first;
  p->gaps |= *x ^ p->expected;
  p->bits |= *x;
  p->expected += p->step;
}

static inline uint64_t any(const eight *v) {
  const eight x = *v;
  return (x[0] | x[1]) | (x[2] | x[3]) | (x[4] | x[5]) | (x[6] | x[7]);
}

static inline struct exec_shape end(const struct pass *p) { return (struct exec_shape){any(&p->differ), any(&p->gaps), any(&p->bits)}; }

struct exec_shape EXEC_LANES_NAME(form_wide)(const void *row, uint64_t offset, uint64_t bytes, uint64_t *addr);
struct exec_shape EXEC_LANES_NAME(form_wide)(const void *row, uint64_t offset, uint64_t bytes, uint64_t *addr) {
  const uint64_t *r = row;
  struct pass p = begin(r[0] + offset, bytes);
  for (unsigned i = 0; i < EXEC_LANES; i += 8) {
    eight x = *(const eight *)(r + i) + ALL(offset);
    *(eight *)(addr + i) = x;
    add(&p, &x);
  }
  return end(&p);
}

/* The sum wraps at 32 bits. */
struct exec_shape EXEC_LANES_NAME(form_narrow)(const void *row, uint64_t offset, uint64_t bytes, uint64_t *addr);
struct exec_shape EXEC_LANES_NAME(form_narrow)(const void *row, uint64_t offset, uint64_t bytes, uint64_t *addr) {
  const uint32_t *r = row, o = (uint32_t)offset;
  struct pass p = begin(r[0] + o, bytes);
  for (unsigned i = 0; i < EXEC_LANES; i += 8) {
    eight x = __builtin_convertvector(*(const eight_words *)(r + i) + (eight_words){o, o, o, o, o, o, o, o}, eight);
    *(eight *)(addr + i) = x;
    add(&p, &x);
  }
  return end(&p);
}
