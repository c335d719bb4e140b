/* ldmatrix, stmatrix and movmatrix: 8 by 8 matrices of 16-bit elements, and the 8-bit form of ldmatrix.
 *
 * Lane i gives the address of row i % 8 of matrix i / 8; the timed model receives just these addresses, 16 bytes each. Every lane then has
 * elements 2 * (lane % 4) and the next of row lane / 4 of each matrix, or with .trans of that column. Refused: the 8-bit form of stmatrix,
 * and the forms that unpack 4- and 6-bit elements. */
#include "exec/memory/address.h"
#include "exec/memory/memory.h"
#include "exec/tensor/tensor.h"

#include <string.h>

enum { MOST_MATRICES = 4, ROW_BYTES = 16 };

struct matrix_move { /* aux */
  struct exec_where where;
  struct exec_opnd regs[MOST_MATRICES];
  uint8_t n;    /* registers a lane */
  uint8_t rows; /* row addresses: the first lanes give them */
  bool transposed;
  bool bytes; /* 16 by 16 matrices of bytes, always transposed; loads only */
};

typedef unsigned char matrix_rows[EXEC_LANES][ROW_BYTES];

/* Address of element `at` of a lane's register `reg`: the two bytes of a 16-bit element, or one byte. */
static inline unsigned char *element_of(const struct matrix_move *x, matrix_rows rows, unsigned lane,
                                        unsigned reg, unsigned at) {
  unsigned line = lane / 4;
  if (x->bytes) /* a register has four elements of one column */
    return &rows[lane % 4 * 4 + at + reg / 2 * 16][line + reg % 2 * 8];
  unsigned along = lane % 4 * 2 + at;
  return x->transposed ? &rows[reg * 8 + along][2 * line] : &rows[reg * 8 + line][2 * along];
}

static uint32_t collect(const struct matrix_move *x, matrix_rows rows, unsigned lane, unsigned reg) {
  uint32_t word = 0;
  for (unsigned at = 0; at < (x->bytes ? 4u : 2u); at++) {
    const unsigned char *p = element_of(x, rows, lane, reg, at);
    word |= x->bytes ? (uint32_t)p[0] << 8 * at : ((uint32_t)p[0] | (uint32_t)p[1] << 8) << 16 * at;
  }
  return word;
}

/* Checks the row addresses, which only the first lanes provide, and passes them to the timed model. */
static bool reach_rows(struct exec_warp *w, const struct exec_inst *in, enum exec_access_op op,
                       struct exec_reach *r) {
  const struct matrix_move *x = in->aux;
  uint32_t all = w->mask;
  w->mask = x->rows == 32 ? all : all & ((1u << x->rows) - 1);
  bool ok = exec_reach(w, in, &x->where, op, ROW_BYTES, w->access.addr, r);
  if (ok) exec_note_access(w, op, EXEC_CACHE_ALL, ROW_BYTES, r);
  w->mask = all;
  return ok;
}

/* Eight elements of 16 bits. */
typedef uint16_t matrix_row __attribute__((vector_size(ROW_BYTES), aligned(1), may_alias));

/* Interleaves rows of the upper half with those of the lower half, element by element. */
static inline void interleave(matrix_row out[8], const matrix_row in[8]) {
  for (unsigned i = 0; i < 4; i++) {
    out[2 * i] = __builtin_shufflevector(in[i], in[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
    out[2 * i + 1] = __builtin_shufflevector(in[i], in[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
  }
}

/* Transposes a matrix of 16-bit elements, with consecutive rows, which is one register of all lanes. */
static void turn_over(void *to, const void *from) {
  matrix_row once[8], twice[8];
  interleave(once, from);
  interleave(twice, once);
  interleave(to, twice);
}

/* Matrices of 16-bit elements between their rows and a register of all lanes. */
static void move_whole(const struct matrix_move *x, void *to, const void *from) {
  if (x->transposed) turn_over(to, from);
  else memcpy(to, from, 8 * ROW_BYTES);
}

static void run_load(struct exec_warp *w, const struct exec_inst *in) {
  const struct matrix_move *x = in->aux;
  matrix_rows rows;
  struct exec_reach r;
  if (!exec_wait_for_lanes(w, in, EXEC_ALL_LANES) || !reach_rows(w, in, EXEC_LOAD, &r)) return;
  if (w->mask != EXEC_ALL_LANES) memset(rows, 0, sizeof rows); /* some rows have no address */
  do {
    for (uint32_t m = r.lanes; m; m &= m - 1) {
      unsigned i = (unsigned)__builtin_ctz(m);
      memcpy(rows[i], exec_host(&r, i), ROW_BYTES);
    }
  } while (exec_reach_more(w, in, &r));
  for (unsigned k = 0; k < x->n; k++) {
    if (x->regs[k].file == EXEC_FNONE) continue;
    uint32_t *d = exec_row(w, x->regs[k]);
    if (!x->bytes && w->mask == EXEC_ALL_LANES) {
      move_whole(x, d, rows[k * 8]);
      continue;
    }
    for (uint32_t m = w->mask; m; m &= m - 1) {
      unsigned lane = (unsigned)__builtin_ctz(m);
      d[lane] = collect(x, rows, lane, k);
    }
  }
}

static void run_store(struct exec_warp *w, const struct exec_inst *in) {
  const struct matrix_move *x = in->aux;
  matrix_rows rows;
  struct exec_reach r;
  if (!exec_wait_for_lanes(w, in, EXEC_ALL_LANES) || !reach_rows(w, in, EXEC_STORE, &r)) return;
  for (unsigned k = 0; k < x->n; k++) move_whole(x, rows[k * 8], exec_row(w, x->regs[k]));
  do {
    for (uint32_t m = r.lanes; m; m &= m - 1) {
      unsigned i = (unsigned)__builtin_ctz(m);
      memcpy(exec_host(&r, i), rows[i], ROW_BYTES);
    }
  } while (exec_reach_more(w, in, &r));
}

static void run_transpose(struct exec_warp *w, const struct exec_inst *in) {
  uint32_t turned[EXEC_LANES];
  if (!exec_wait_for_lanes(w, in, EXEC_ALL_LANES)) return;
  uint32_t *d = exec_row(w, in->d);
  turn_over(turned, exec_row(w, in->a));
  for (uint32_t m = w->mask; m; m &= m - 1) d[__builtin_ctz(m)] = turned[__builtin_ctz(m)];
}

/* ---- decoding ----------------------------------------------------------------------------------------- */

static bool decode_transpose(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  if (!ptx_has(pi, PTX_M_m8n8) || !ptx_has(pi, PTX_M_trans) || pi->n_types != 1 || pi->types[0] != PTX_B16)
    return exec_refuse(d, pi, "it is movmatrix.sync.aligned.m8n8.trans.b16");
  if (!exec_decode_plain(d, pi, PTX_B32, 1, out)) return false;
  if (out->d.file != EXEC_F32) return exec_refuse(d, pi, "the registers must have 32 bits");
  out->fn = run_transpose;
  out->unit = EXEC_U_SHUFFLE;
  return true;
}

static bool decode_registers(struct exec_decoder *d, const struct ptx_inst *pi, const struct ptx_opnd *o,
                             struct matrix_move *x) {
  unsigned n;
  const struct ptx_opnd *e = exec_elements(o, &n);
  if (n != x->n) return exec_refuse(d, pi, "the number of registers does not fit the number of matrices");
  for (unsigned i = 0; i < n; i++) {
    if (exec_row_bytes(d, &e[i], PTX_B32) != 4) return exec_refuse(d, pi, "the registers must have 32 bits");
    bool ok = pi->op == PTX_OP_ldmatrix ? exec_decode_dest(d, &e[i], &x->regs[i])
                                        : exec_decode_source(d, &e[i], PTX_B32, &x->regs[i]);
    if (!ok) return false;
  }
  return true;
}

/* Registers and row addresses of the form. */
static bool decode_form(struct exec_decoder *d, const struct ptx_inst *pi, struct matrix_move *x) {
  bool load = pi->op == PTX_OP_ldmatrix;
  unsigned count = ptx_has(pi, PTX_M_x4) ? 4 : ptx_has(pi, PTX_M_x2) ? 2 : ptx_has(pi, PTX_M_x1) ? 1 : 0;
  enum ptx_type t = pi->n_types ? (enum ptx_type)pi->types[0] : PTX_NOTYPE;
  x->transposed = ptx_has(pi, PTX_M_trans);
  x->bytes = t == PTX_B8 && ptx_has(pi, load ? PTX_M_m16n16 : PTX_M_m16n8) && x->transposed;
  if (pi->n_types != 1 || !count || (!x->bytes && (t != PTX_B16 || !ptx_has(pi, PTX_M_m8n8))))
    return exec_refuse(d, pi, "this form is not modelled");
  if (x->bytes && !load) return exec_refuse(d, pi, "8-bit matrices cannot be stored yet");
  if (x->bytes && count == 4) return exec_refuse(d, pi, "there are at most two matrices of this size");
  x->n = (uint8_t)(x->bytes ? 2 * count : count);
  x->rows = (uint8_t)(x->bytes ? 16 * count : 8 * count);
  return true;
}

bool exec_tensor_decode_move(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  if (pi->op == PTX_OP_movmatrix) return decode_transpose(d, pi, out);
  struct matrix_move *x = ARENA_NEW(d->arena, struct matrix_move);
  bool load = pi->op == PTX_OP_ldmatrix;
  if (pi->n_ops != 2) return exec_refuse(d, pi, "it needs registers and an address");
  if (!decode_form(d, pi, x)) return false;
  if (!exec_decode_where(d, pi, &pi->ops[load ? 1 : 0], (enum ptx_space)pi->space, &x->where)) return false;
  if (x->where.space != PTX_SHARED && x->where.space != PTX_GENERIC)
    return exec_refuse(d, pi, "the matrices lie in shared memory");
  out->fn = load ? run_load : run_store;
  out->unit = EXEC_U_LDST;
  out->flags |= EXEC_MEMORY;
  out->size = ROW_BYTES;
  out->vec = 1;
  out->space = x->where.space;
  out->aux = x;
  return decode_registers(d, pi, &pi->ops[load ? 0 : 1], x);
}
