/* Decoding: one PTX instruction becomes one exec_inst. decode.c converts operands and asks the opcode's family for the function; a family
 * is one row of the table in decode.c. To add an instruction only its family's file changes.
 *
 * Lane families (`lanes_*.c`) are plain loops over 32 lanes, compiled once per instruction set of the host; each exports one pick function.
 * exec_lanes_best() chooses when the program starts (HEDDLE_ISA=portable|avx2|avx512 overrides). */
#ifndef EXEC_DECODE_H
#define EXEC_DECODE_H

#include "exec/exec.h"
#include "exec/warp.h"

/* Alignment of data that is read and written by whole host vectors: rows of registers, tiles of matrices. */
#define EXEC_ALIGNED __attribute__((aligned(64)))

struct exec_decoder {
  struct exec_module *module;
  struct exec_func *func;
  const struct ptx_module *ptx;
  const struct ptx_func *pf;
  const struct exec_lanes *lanes;
  struct arena *arena;       /* for aux data, lives as long as the module */
  struct err *e;
  /* growing constant rows of the function */
  unsigned char *constants;
  size_t n_constant, constant_cap;
  struct strmap constant_index; /* bytes of the value -> offset */
};

/* Converts a scalar source operand of the given type to a row: register, immediate (converted to the type: an integer
 * literal is truncated, a 0f/0d or decimal literal is rounded to f32/f64/f16 as the type says), special register, or
 * the address of a variable or function. */
bool exec_decode_source(struct exec_decoder *d, const struct ptx_opnd *o, enum ptx_type t, struct exec_opnd *out);
/* A destination register, or the sink `_`. */
bool exec_decode_dest(struct exec_decoder *d, const struct ptx_opnd *o, struct exec_opnd *out);
/* Whether a special register is a clock, which changes while a warp runs: only mov reads those. */
bool exec_is_clock(enum ptx_sreg s);
/* The row of a register of a function. */
struct exec_opnd exec_register_row(const struct ptx_func *f, int32_t reg);
/* ops[0..3] to d, a, b, c, all of type t, as most arithmetic needs it. `n_sources` operands are expected. */
bool exec_decode_plain(struct exec_decoder *d, const struct ptx_inst *pi, enum ptx_type t, unsigned n_sources,
                       struct exec_inst *out);
/* An address operand [base + offset]: out->a becomes the 64-bit base row (a 32-bit base is zero-extended: then
 * out->sub has bit 7 set), out->imm the offset. Variables become constants. */
bool exec_decode_address(struct exec_decoder *d, const struct ptx_opnd *o, enum ptx_space space, struct exec_inst *out);
/* Decodes every function of a module whose variables are placed, and returns the number of refusals. With `report` each refusal is
 * reported; without, decoding of a function ends at its first one, which is stored in the function. */
unsigned exec_decode_module(struct exec_module *m, exec_report_fn report, void *user);
/* Places the .shared variables of one entry; their addresses are valid while that entry is decoded. */
void exec_layout_entry(struct exec_module *m, struct exec_func *f);
/* The standard refusal: names the instruction and why. Returns false. */
bool exec_refuse(struct exec_decoder *d, const struct ptx_inst *pi, const char *why);

/* A family's decoder: fills out (operands, fn, unit, flags) or refuses. Guard, ptx and deps are filled by decode.c. */
typedef bool (*exec_family_fn)(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out);
bool exec_decode_arith(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out);
bool exec_decode_compare(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out);
bool exec_decode_convert(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out);
bool exec_decode_move(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out);
bool exec_decode_video(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out);
bool exec_decode_memory(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out);
bool exec_decode_warp(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out);
bool exec_decode_control(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out);
bool exec_decode_tensor(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out);
bool exec_decode_texture(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out);

/* What the lane files export, one struct per host instruction set. NULL: the variant does not exist. */
/* The result of a pass over 32 addresses. */
struct exec_shape {
  uint64_t differ; /* bits in which any address differs from the first */
  uint64_t gaps;   /* the same against addresses `bytes` apart */
  uint64_t bits;   /* all addresses, or-ed */
};
/* Writes row + offset to addr for every lane of the mask; the other lanes get the address of the first lane of the mask. */
typedef struct exec_shape (*exec_form_fn)(const void *row, uint64_t offset, uint64_t bytes, uint32_t mask, uint64_t *addr);

/* Memory that lanes may access: addresses [lo, lo + size). The first one is at base + lo on the host, for lane i `stride` times i behind
 * it. */
struct exec_window {
  uint64_t base, lo, size, stride;
};
/* Loads or stores one element per lane of the mask, at row + offset. False: nothing was done, because a lane is outside the window or not
 * aligned. */
typedef bool (*exec_quick_fn)(void *data, const void *row, uint64_t offset, uint32_t mask, const struct exec_window *at);

/* The elements for which there are such functions. Those of 8 and 16 bits are loaded into 32-bit registers and stored from them; those of
 * 128 bits lie one behind the other, 16 bytes per lane. */
enum exec_quick {
  EXEC_QUICK_32, EXEC_QUICK_64, EXEC_QUICK_128, EXEC_QUICK_8, EXEC_QUICK_16, /* loaded and stored */
  EXEC_QUICK_S8, EXEC_QUICK_S16, EXEC_QUICK_KINDS,                           /* loaded */
};

struct exec_tensor_fragment;
struct exec_tensor_product;
struct exec_texture;
struct exec_texture_row;

/* Tensor instructions (tensor.h) on fragments made of blocks, with all lanes taking part. False: the case is not handled, nothing was
 * done. */
struct exec_tensor_lanes {
  void (*gather)(const struct exec_warp *w, const struct exec_tensor_fragment *f, uint32_t *tile);
  void (*scatter)(struct exec_warp *w, const struct exec_tensor_fragment *f, const uint32_t *tile);
  void (*gather_wide)(const struct exec_warp *w, const struct exec_tensor_fragment *f, uint64_t *tile);
  void (*scatter_wide)(struct exec_warp *w, const struct exec_tensor_fragment *f, const uint64_t *tile);
  bool (*floats)(const struct exec_tensor_product *p, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d);
  void (*wholes)(const struct exec_tensor_product *p, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d);
  /* Product of 8 by 8 by 4 f64, on registers: a, b, and the two registers of c and of d. */
  bool (*small_doubles)(const uint64_t *a, const uint64_t *b, const uint64_t *const c[2], uint64_t *const d[2]);
  bool (*doubles)(const struct exec_tensor_product *p, const uint64_t *a, const uint64_t *b, const uint64_t *c, uint64_t *d);
};

struct exec_lanes {
  const char *name; /* "portable", "avx2", "avx512" */
  exec_fn (*pick_int)(const struct ptx_inst *pi);      /* integer arithmetic and logic, integer and bit types */
  exec_fn (*pick_float)(const struct ptx_inst *pi);    /* f32 and f64 arithmetic and approximations */
  exec_fn (*pick_half)(const struct ptx_inst *pi);     /* f16, bf16 and their packed forms */
  exec_fn (*pick_compare)(const struct ptx_inst *pi);  /* set, setp, selp, slct, testp */
  exec_fn (*pick_convert)(const struct ptx_inst *pi);  /* cvt */
  exec_form_fn form_wide, form_narrow;                 /* rows of 64 and of 32 bits per lane; the sum of the latter wraps */
  bool (*within)(const uint64_t *addr, uint64_t lo, uint64_t last); /* all addresses in bounds, which are below 2^63 */
  exec_quick_fn load[2][EXEC_QUICK_KINDS], store[2][EXEC_QUICK_S8]; /* [rows of 64 bits an address][enum exec_quick] */
  /* Rows of words from and to four words per lane, one lane behind the other; all aligned to 64 bytes. */
  void (*take_quads)(const void *from, uint32_t *const rows[4]);
  void (*give_quads)(void *to, const uint32_t *const rows[4]);
  void (*permute)(uint32_t *to, const uint32_t *from, const uint32_t *lane); /* to[i] = from[lane[i]], below 32; rows that do not overlap */
  exec_fn move32, move64;                                                    /* d = a */
  /* n parts of 8 to 32 bits in rows of words, the lowest first, from and to a value of 32 or 64 bits; a part that is NULL is skipped. */
  void (*pack)(const uint32_t *const *parts, unsigned n, unsigned bits, void *whole, uint32_t mask);
  void (*unpack)(const void *whole, uint32_t *const *parts, unsigned n, unsigned bits, uint32_t mask);
  bool (*sample_row)(const struct exec_texture *t, const struct exec_texture_row *q); /* see exec_sample_row_fn */
  const struct exec_tensor_lanes *tensor;
};
const struct exec_lanes *exec_lanes_best(void);

/* In a lane file: the exported name for this instruction set, e.g. EXEC_LANES_NAME(pick_int) -> exec_pick_int_avx2. */
#ifdef EXEC_ISA
#define EXEC_PASTE2(a, b) exec_##a##_##b
#define EXEC_PASTE(a, b) EXEC_PASTE2(a, b)
#define EXEC_LANES_NAME(base) EXEC_PASTE(base, EXEC_ISA)
#endif

#endif
