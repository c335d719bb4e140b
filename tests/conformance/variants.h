/* The table of instruction variants.
 *
 * A row is a template: `add{,.rn,.rz}{,.ftz}.f32` stands for six variants. Braces list alternatives; `$1`,
 * `$2` ... in the signature and the body stand for the alternative taken in the first, second ... brace.
 * The text after a space in the template is part of the variant's name only, not of its opcode.
 *
 * The signature is `results:operands`, each a comma-separated list of operand classes (inputs.h). Results are
 * called %d %e %f %g, operands %a %b %c %h. `class*4` is a list of four registers %a0 .. %a3; `&class` gives
 * no register, only the address %pa of the lane's slot and %wa of the warp's first slot.
 *
 * The body is PTX, in which `@@` stands for the opcode; without one, the instruction is written from its
 * signature. kernel.h lists the further registers a body may name. */
#ifndef CONFORMANCE_VARIANTS_H
#define CONFORMANCE_VARIANTS_H

#include "lane_inputs.h"

#include <stdbool.h>
#include <stddef.h>

/* How a result is judged. */
enum judge {
  JUDGE_EXACT,    /* bit for bit as silicon */
  JUDGE_NAN,      /* bit for bit, but any NaN for a NaN */
  JUDGE_ULP,      /* within `bound` units in the last place of the true value */
  JUDGE_RELATIVE, /* relative error at most 2^bound */
  JUDGE_ABSOLUTE, /* absolute error at most 2^bound */
  JUDGE_LOG,      /* absolute 2^bound for arguments in (0.5, 2), relative 2^bound elsewhere */
  JUDGE_NEAR,     /* absolute distance from silicon at most 2^bound: sums of unspecified order */
};

/* The function an approximate instruction approximates. */
enum truth {
  TRUTH_NONE,
  TRUTH_DIV,
  TRUTH_RCP,
  TRUTH_SQRT,
  TRUTH_RSQRT,
  TRUTH_SIN,
  TRUTH_COS,
  TRUTH_LG2,
  TRUTH_EX2,
  TRUTH_TANH
};

struct bound {
  enum judge judge;
  enum truth truth;
  double bound;
};

struct row {
  const char *family;    /* name of the group in reports */
  const char *op;        /* opcode template */
  const char *signature; /* results:operands */
  const char *body;      /* PTX, or NULL for the plain instruction */
  unsigned lanes;        /* threads, a multiple of 128; 0 for the default */
  struct bound bound;
  const char *prelude; /* PTX at module level, or NULL */
  unsigned cluster;    /* CTAs of a cluster; 0: launched without clusters */
  const struct tensor_shape *tensor; /* of the map that is the kernel's parameter p_map, or NULL */
};

/* A tensor map over the slots of the first operand or over the scratch memory, in the words of cuTensorMapEncodeTiled and
 * cuTensorMapEncodeIm2col. */
struct tensor_shape {
  unsigned type, rank; /* CUtensorMapDataType */
  uint64_t sizes[5], strides[4];
  uint32_t box[5], steps[5];
  unsigned interleave, swizzle, fill; /* the enumerators' numbers */
  bool scratch;                       /* over the scratch memory */
  bool im2col;                        /* box is: channels, pixels */
  int lower[3], upper[3];             /* corners of im2col */
};

enum { VARIANT_RESULTS = 4, VARIANT_OPERANDS = 4, VARIANT_CTA = 128 };

struct operand {
  const struct operand_class *cls;
  unsigned count;    /* registers */
  bool address_only; /* no registers, only addresses */
  unsigned offset;   /* results: byte offset of the first register in a lane's record */
};

struct variant {
  char *name;
  char *opcode;
  char *body;
  const char *prelude;
  unsigned cluster;
  const struct tensor_shape *tensor;
  const char *family;
  struct operand results[VARIANT_RESULTS];
  struct operand operands[VARIANT_OPERANDS];
  unsigned result_count, operand_count;
  unsigned lanes;
  unsigned stride; /* bytes of results a lane */
  struct bound bound;
};

struct variants {
  struct variant *list;
  size_t count, capacity;
};

/* All variants, in a fixed order, from all tables. */
void variants_build(struct variants *all);
void variants_free(struct variants *all);

/* Expands one row, or `count` rows, into `all`. A malformed row ends the program: it is our own mistake. */
void variants_add(struct variants *all, const struct row *row);
void variants_add_rows(struct variants *all, const struct row *rows, size_t count);

/* The tables, one file each. */
void rows_integer(struct variants *all);
void rows_float(struct variants *all);
void rows_compare(struct variants *all);
void rows_convert(struct variants *all);
void rows_video(struct variants *all);
void rows_warp(struct variants *all);
void rows_memory(struct variants *all);
void rows_atomic(struct variants *all);
void rows_matrix(struct variants *all);
void rows_machine(struct variants *all);
void rows_wgmma(struct variants *all);
void rows_sparse(struct variants *all);
void rows_cluster(struct variants *all);
void rows_tensor(struct variants *all);

#endif
