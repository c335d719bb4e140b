/* Shared by the parts of the matrix family (PTX_TENSOR): shapes, fragments, and the arithmetic on whole tiles.
 *
 * A fragment is a matrix distributed over the registers of 32 lanes. Every matrix instruction works in three steps: it gathers fragments
 * into tiles (a and b with k innermost, c and d row by row, one element per 32-bit word, f64 in tiles of 64-bit words), computes on the
 * tiles, and scatters the result. The usual cases use the loops of lanes/lanes_tensor.c. */
#ifndef EXEC_TENSOR_H
#define EXEC_TENSOR_H

#include "exec/decode.h"
#include "exec/float_bits.h"

enum {
  EXEC_TENSOR_REGS = 8,    /* most registers of a fragment */
  EXEC_TENSOR_LANE = 32,   /* most elements of a fragment in one lane */
  EXEC_TENSOR_TILE = 1024, /* most elements of a tile */
  EXEC_TENSOR_WIDE_TILE = 256, /* of f64 */
  EXEC_TENSOR_FRACTION = 25, EXEC_TENSOR_BYTE_FRACTION = 13, /* see tensor_float.c */
};

struct exec_tensor_shape {
  uint8_t m, n;
  uint16_t k;
};

/* Which elements a lane's registers hold. */
struct exec_tensor_layout {
  uint8_t regs;                              /* registers a lane */
  uint8_t reg_bits;                          /* 32 or 64 */
  uint8_t per_reg;                           /* elements in one */
  uint8_t bits;                              /* of an element; single bits go by words of 32 */
  uint16_t rows, cols;                       /* of the tile */
  uint16_t at[EXEC_LANES][EXEC_TENSOR_LANE]; /* index in the tile, row * cols + col */
  /* Of layouts made of blocks of eight lines by four units, unit i % 4 of line i / 4 in lane i: */
  uint8_t span;                         /* registers of a unit, 1 or 2; 0: the layout has no such blocks */
  uint8_t last_copy;                    /* first register of the last copy, if the fragment holds the matrix several times */
  uint16_t block[EXEC_TENSOR_REGS];     /* place in the tile of the first element of each block */
};

enum exec_tensor_part { EXEC_TENSOR_A, EXEC_TENSOR_B, EXEC_TENSOR_C /* c and d */ };

/* The layout of one operand. For b, rows of the tile are the columns of the matrix (k is innermost). The result is valid as long as the
 * process lives. */
const struct exec_tensor_layout *exec_tensor_layout_mma(struct exec_tensor_shape s,
                                                        enum exec_tensor_part part, enum ptx_type t);
const struct exec_tensor_layout *exec_tensor_layout_wmma(struct exec_tensor_shape s,
                                                         enum exec_tensor_part part, enum ptx_type t);
/* mma.m8n8k4 with f16 operands works on four tiles at once, one per quad pair: rows are numbered through all of them. */
const struct exec_tensor_layout *exec_tensor_layout_quad(enum exec_tensor_part part, enum ptx_type t,
                                                         bool row_major);

/* The registers of a fragment operand. */
struct exec_tensor_fragment {
  const struct exec_tensor_layout *layout;
  const struct exec_lanes *lanes;
  struct exec_opnd regs[EXEC_TENSOR_REGS];
};
/* Decodes `{r0, r1, ..}` for the layout that *f already names, of elements of a type. */
bool exec_tensor_decode_fragment(struct exec_decoder *d, const struct ptx_inst *pi, const struct ptx_opnd *o,
                                 enum ptx_type element, bool destination, struct exec_tensor_fragment *f);
void exec_tensor_gather(const struct exec_warp *w, const struct exec_tensor_fragment *f, uint32_t *tile);
void exec_tensor_scatter(struct exec_warp *w, const struct exec_tensor_fragment *f, const uint32_t *tile);
void exec_tensor_gather_wide(const struct exec_warp *w, const struct exec_tensor_fragment *f, uint64_t *tile);
void exec_tensor_scatter_wide(struct exec_warp *w, const struct exec_tensor_fragment *f, const uint64_t *tile);

/* How a product of tiles is formed. */
struct exec_tensor_product {
  struct exec_tensor_shape shape; /* k in words of 32 for single bits */
  uint8_t a, b, c, d;             /* enum ptx_type */
  uint8_t round;                  /* enum exec_round, f64 only */
  bool saturate;                  /* .satfinite */
  bool both;                      /* single bits: and instead of xor */
  uint8_t tiles;                  /* computed side by side: 4 with quad pairs, else 1 */
  uint8_t group;                  /* floating-point products added at once: at most 32, a divisor of k */
  bool native;                    /* 8-bit floats are multiplied as they are, not as f16: wgmma */
  const struct exec_lanes *lanes;
};
/* d = a * b + c on tiles of raw bits; of f64 the wide one. */
void exec_tensor_multiply(const struct exec_tensor_product *p, const uint32_t *a, const uint32_t *b,
                          const uint32_t *c, uint32_t *d);
void exec_tensor_multiply_wide(const struct exec_tensor_product *p, const uint64_t *a, const uint64_t *b, const uint64_t *c, uint64_t *d);
/* The floating-point part of it. */
void exec_tensor_multiply_float(const struct exec_tensor_product *p, const uint32_t *a, const uint32_t *b,
                                const uint32_t *c, uint32_t *d);

/* 8-bit floats that are not native, with sums in f16. */
void exec_tensor_multiply_bytes(const struct exec_tensor_product *p, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d);

/* Which elements of a sparse a are kept: tensor_sparse.c. The product's k counts the kept ones; b has twice as many. */
struct exec_tensor_sparse {
  struct exec_opnd meta;
  uint8_t lanes, selector; /* how many of every four lanes have metadata, 1, 2 or 4; which ones. lanes 0: a is dense */
  bool narrow;             /* elements of 8 or 4 bits */
};
/* Decodes metadata and selector from operand `first` on; k: of the dense matrix. */
bool exec_tensor_decode_sparse(struct exec_decoder *d, const struct ptx_inst *pi, unsigned first, enum ptx_type t, unsigned k,
                               struct exec_tensor_sparse *s);
unsigned exec_tensor_sparse_lanes(enum ptx_type t, unsigned k);
void exec_tensor_multiply_sparse(const struct exec_warp *w, const struct exec_tensor_product *p, const struct exec_tensor_sparse *s,
                                 const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d);

/* The shape written in the instruction's modifiers; false if there is none. */
bool exec_tensor_shape_of(const struct ptx_inst *pi, struct exec_tensor_shape *s);

bool exec_tensor_decode_mma(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out);
bool exec_tensor_decode_wmma(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out);
bool exec_tensor_decode_wgmma(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out);
bool exec_tensor_decode_move(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out);

#endif
