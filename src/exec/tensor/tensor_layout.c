/* Which lane holds which element of a matrix operand.
 *
 * All fragments except those of the oldest shape follow one rule. A matrix is cut into blocks of 8 by 4 units; a unit is the elements of
 * one register (two for c and d). Lane i has unit i % 4 of line i / 4 in every block. Lines are rows of a and c and columns of b; units lie
 * along k, in c along the row. Shapes with more columns than rows are computed with the roles of a and b exchanged, so their units of c lie
 * along the column. Operands differ only in the order of the blocks. The ISA leaves the fragments of wmma open; these are the H200's, where
 * f16 fragments that are longer than the matrix hold it several times.
 *
 * Owns: the layouts, which are made on first use and kept. */
#include "exec/tensor/tensor.h"

#include <pthread.h>
#include <stdlib.h>

/* The order of blocks: pairs of lines first, then along the line, then further pairs of lines; or along the
 * line first. */
enum order { ORDER_PAIRS, ORDER_ALONG };

struct plan {
  uint16_t lines, length; /* of the matrix, in elements */
  uint8_t regs, reg_bits, bits;
  uint8_t unit; /* elements of a unit; it may span two registers */
  uint8_t order;
  bool transposed; /* lines are columns of the tile */
};

static void block_of(const struct plan *p, unsigned unit, unsigned *line, unsigned *along) {
  unsigned lines = p->lines / 8u, n = p->length / (4u * p->unit);
  unit %= lines * n;
  if (p->order == ORDER_ALONG || lines == 1) {
    *line = unit / n;
    *along = unit % n;
  } else {
    *line = unit % 2 + unit / (2 * n) * 2;
    *along = unit / 2 % n;
  }
}

static void fill(const struct plan *p, struct exec_tensor_layout *l) {
  *l = (struct exec_tensor_layout){.regs = p->regs, .reg_bits = p->reg_bits, .bits = p->bits};
  l->per_reg = (uint8_t)(p->reg_bits / p->bits);
  l->rows = p->transposed ? p->length : p->lines;
  l->cols = p->transposed ? p->lines : p->length;
  for (unsigned lane = 0; lane < EXEC_LANES; lane++)
    for (unsigned i = 0; i < p->regs * l->per_reg; i++) {
      unsigned line, along;
      block_of(p, i / p->unit, &line, &along);
      line = line * 8 + lane / 4;
      along = along * 4 * p->unit + lane % 4 * p->unit + i % p->unit;
      l->at[lane][i] = (uint16_t)(p->transposed ? along * l->cols + line : line * l->cols + along);
    }
  if (p->transposed) return;
  l->span = (uint8_t)(p->unit > l->per_reg ? p->unit / l->per_reg : 1);
  l->last_copy = (uint8_t)(p->regs - p->lines * p->length * p->bits / (EXEC_LANES * p->reg_bits));
  for (unsigned i = 0; i < p->regs / l->span; i++) l->block[i] = l->at[0][i * l->span * l->per_reg];
}

/* ---- the kept layouts --------------------------------------------------------------------------------- */

struct kept {
  struct kept *next;
  uint32_t key;
  struct exec_tensor_layout layout;
};
static struct kept *all_kept;
static pthread_mutex_t keeping = PTHREAD_MUTEX_INITIALIZER;

typedef void (*make_fn)(struct exec_tensor_layout *l, const void *what);

static const struct exec_tensor_layout *keep(uint32_t key, make_fn make, const void *what) {
  pthread_mutex_lock(&keeping);
  struct kept *k = all_kept;
  while (k && k->key != key) k = k->next;
  if (!k) {
    k = must_alloc(sizeof *k);
    make(&k->layout, what);
    k->key = key;
    k->next = all_kept;
    all_kept = k;
  }
  pthread_mutex_unlock(&keeping);
  return &k->layout;
}

static void make_plan(struct exec_tensor_layout *l, const void *what) { fill(what, l); }

static uint32_t key_of(unsigned kind, struct exec_tensor_shape s, enum exec_tensor_part part, unsigned bits) {
  return (uint32_t)(kind << 30 | (unsigned)part << 28 | (unsigned)s.m << 22 | (unsigned)s.n << 16 |
                    (unsigned)(s.k / 4) << 8 | bits);
}

/* ---- mma and wmma ------------------------------------------------------------------------------------- */

/* The part that mma and wmma agree on. */
static struct plan plan_of(struct exec_tensor_shape s, enum exec_tensor_part part, enum ptx_type t) {
  unsigned bits = t == PTX_TF32 ? 32 : ptx_type_bits(t);
  if (bits == 1) bits = 32, s.k /= 32;
  struct plan p = {.bits = (uint8_t)bits, .reg_bits = bits == 64 ? 64 : 32, .order = ORDER_PAIRS};
  bool wide = s.n > s.m; /* computed with a and b exchanged */
  if (part == EXEC_TENSOR_C) {
    p.lines = wide ? s.n : s.m;
    p.length = wide ? s.m : s.n;
    p.transposed = wide;
    p.unit = 2;
  } else {
    p.lines = part == EXEC_TENSOR_A ? s.m : s.n;
    p.length = s.k;
    p.unit = (uint8_t)(p.reg_bits / bits);
    if ((part == EXEC_TENSOR_B) != wide) p.order = ORDER_ALONG;
  }
  p.regs = (uint8_t)(p.lines * p.length * bits / (EXEC_LANES * p.reg_bits));
  return p;
}

const struct exec_tensor_layout *exec_tensor_layout_mma(struct exec_tensor_shape s,
                                                        enum exec_tensor_part part, enum ptx_type t) {
  struct plan p = plan_of(s, part, t);
  return keep(key_of(0, s, part, ptx_type_bits(t)), make_plan, &p);
}

const struct exec_tensor_layout *exec_tensor_layout_wmma(struct exec_tensor_shape s,
                                                         enum exec_tensor_part part, enum ptx_type t) {
  struct plan p = plan_of(s, part, t);
  bool f16 = t == PTX_F16 && part != EXEC_TENSOR_C;
  if (f16) p.regs = 8;
  return keep(key_of(f16 ? 1 : 0, s, part, ptx_type_bits(t)), make_plan, &p);
}

/* ---- the quad pairs of m8n8k4 ------------------------------------------------------------------------- */

struct quad {
  enum exec_tensor_part part;
  bool row_major, wide; /* wide: f32 */
};

static void quad_place(const struct quad *q, unsigned lane, unsigned i, unsigned *row, unsigned *col) {
  unsigned high = lane < 16 ? 0 : 4;
  if (q->part == EXEC_TENSOR_C && q->wide) {
    *row = (lane & 1) + (i & 2) + high;
    *col = (i & 4) + (lane & 2) + (i & 1);
  } else if (q->part == EXEC_TENSOR_C) {
    *row = lane % 4 + high;
    *col = i;
  } else if ((q->part == EXEC_TENSOR_A) == q->row_major) { /* four elements along k */
    *row = lane % 4 + high;
    *col = i;
  } else {
    *row = i + high;
    *col = lane % 4;
  }
}

static void make_quad(struct exec_tensor_layout *l, const void *what) {
  const struct quad *q = what;
  bool c = q->part == EXEC_TENSOR_C;
  *l = (struct exec_tensor_layout){.reg_bits = 32, .bits = q->wide ? 32 : 16, .rows = 32, .cols = c ? 8 : 4};
  l->per_reg = q->wide ? 1 : 2;
  l->regs = c ? (q->wide ? 8 : 4) : 2;
  for (unsigned lane = 0; lane < EXEC_LANES; lane++)
    for (unsigned i = 0; i < l->regs * l->per_reg; i++) {
      unsigned row, col;
      quad_place(q, lane, i, &row, &col);
      l->at[lane][i] = (uint16_t)((lane / 4 % 4 * 8 + row) * l->cols + col);
    }
}

const struct exec_tensor_layout *exec_tensor_layout_quad(enum exec_tensor_part part, enum ptx_type t,
                                                         bool row_major) {
  struct quad q = {part, row_major, t == PTX_F32};
  return keep(key_of(2, (struct exec_tensor_shape){8, row_major, 4}, part, ptx_type_bits(t)), make_quad, &q);
}

/* ---- fragments ---------------------------------------------------------------------------------------- */

bool exec_tensor_decode_fragment(struct exec_decoder *d, const struct ptx_inst *pi, const struct ptx_opnd *o,
                                 enum ptx_type element, bool destination, struct exec_tensor_fragment *f) {
  const struct ptx_opnd *e = o->kind == PTX_O_VEC ? o->elems : o;
  unsigned n = o->kind == PTX_O_VEC ? o->n_elems : 1;
  const struct exec_tensor_layout *l = f->layout;
  if (n != l->regs) return exec_refuse(d, pi, "a fragment has the wrong number of registers");
  f->lanes = d->lanes;
  enum ptx_type t = l->reg_bits == 64 ? PTX_F64 : PTX_B32;
  for (unsigned i = 0; i < n; i++) {
    if (e[i].kind == PTX_O_REG &&
        ptx_reg_class((enum ptx_type)d->pf->regs[e[i].reg].type) != (t == PTX_F64 ? PTX_R64 : PTX_R32))
      return exec_refuse(d, pi, "a fragment's registers must have its elements' width");
    if (e[i].kind == PTX_O_REG && d->pf->regs[e[i].reg].type == PTX_F32 && element != PTX_F32)
      return exec_refuse(d, pi, "only elements of .f32 lie in registers of .f32");
    if (destination ? !exec_decode_dest(d, &e[i], &f->regs[i])
                    : !exec_decode_source(d, &e[i], t, &f->regs[i]))
      return false;
  }
  return true;
}

#define INLINE inline __attribute__((always_inline))

static INLINE void gather_words(const struct exec_warp *w, const struct exec_tensor_fragment *f,
                                unsigned bits, uint32_t *tile) {
  const struct exec_tensor_layout *l = f->layout;
  const unsigned n = 32 / bits;
  const uint32_t mask = bits == 32 ? ~0u : (1u << bits % 32) - 1;
  for (unsigned r = 0; r < l->regs; r++) {
    const uint32_t *row = exec_row(w, f->regs[r]);
    for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
      const uint16_t *at = &l->at[lane][r * n];
      for (unsigned e = 0; e < n; e++) tile[at[e]] = row[lane] >> (e * bits) & mask;
    }
  }
}

/* As the width is a compile-time constant, the innermost loop is a few instructions. */
void exec_tensor_gather(const struct exec_warp *w, const struct exec_tensor_fragment *f, uint32_t *tile) {
  if (f->layout->span) {
    f->lanes->tensor->gather(w, f, tile);
    return;
  }
  switch (f->layout->bits) {
  case 4: gather_words(w, f, 4, tile); break;
  case 8: gather_words(w, f, 8, tile); break;
  case 16: gather_words(w, f, 16, tile); break;
  default: gather_words(w, f, 32, tile);
  }
}

static INLINE void scatter_words(struct exec_warp *w, const struct exec_tensor_fragment *f, unsigned bits,
                                 const uint32_t *tile) {
  const struct exec_tensor_layout *l = f->layout;
  const unsigned n = 32 / bits;
  for (unsigned r = 0; r < l->regs; r++) {
    if (f->regs[r].file == EXEC_FNONE) continue;
    uint32_t *row = exec_row(w, f->regs[r]);
    for (uint32_t m = w->mask; m; m &= m - 1) {
      unsigned lane = (unsigned)__builtin_ctz(m);
      const uint16_t *at = &l->at[lane][r * n];
      uint32_t x = 0;
      for (unsigned e = 0; e < n; e++) x |= tile[at[e]] << (e * bits);
      row[lane] = x;
    }
  }
}

void exec_tensor_scatter(struct exec_warp *w, const struct exec_tensor_fragment *f, const uint32_t *tile) {
  if (f->layout->span && w->mask == EXEC_ALL_LANES) {
    f->lanes->tensor->scatter(w, f, tile);
    return;
  }
  switch (f->layout->bits) {
  case 4: scatter_words(w, f, 4, tile); break;
  case 8: scatter_words(w, f, 8, tile); break;
  case 16: scatter_words(w, f, 16, tile); break;
  default: scatter_words(w, f, 32, tile);
  }
}

void exec_tensor_gather_wide(const struct exec_warp *w, const struct exec_tensor_fragment *f, uint64_t *tile) {
  f->lanes->tensor->gather_wide(w, f, tile);
}

void exec_tensor_scatter_wide(struct exec_warp *w, const struct exec_tensor_fragment *f, const uint64_t *tile) {
  const struct exec_tensor_layout *l = f->layout;
  if (w->mask == EXEC_ALL_LANES) {
    f->lanes->tensor->scatter_wide(w, f, tile);
    return;
  }
  for (unsigned r = 0; r < l->regs; r++) {
    if (f->regs[r].file == EXEC_FNONE) continue;
    uint64_t *row = exec_row(w, f->regs[r]);
    for (uint32_t m = w->mask; m; m &= m - 1) {
      unsigned lane = (unsigned)__builtin_ctz(m);
      row[lane] = tile[l->at[lane][r]];
    }
  }
}
