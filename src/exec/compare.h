/* The contract between compare.c, which decodes comparisons, and lanes_compare.c, which executes them.
 *
 * Every comparison of PTX is one of five, possibly with its operands swapped or the result inverted: gt is a swapped lt, geu ("greater,
 * equal or unordered") an inverted lt. The lane function computes the basic comparison; the decoder swaps the operands and leaves the
 * inversion in exec_inst.imm, a mask to be XORed to the bits. */
#ifndef EXEC_COMPARE_H
#define EXEC_COMPARE_H

#include "exec/exec.h"

enum exec_compare_base {
  EXEC_CMP_EQ,
  EXEC_CMP_NE /* ordered */,
  EXEC_CMP_LT,
  EXEC_CMP_LE,
  EXEC_CMP_NUM,
  EXEC_CMPS
};
struct exec_comparison {
  enum exec_compare_base base;
  bool swap, invert;
};
/* Reads the comparison of `pi` (set, setp, vset and the like), which must suit type t. False if there is
 * none. */
bool exec_comparison_of(const struct ptx_inst *pi, enum ptx_type t, struct exec_comparison *out);

/* exec_inst.sub of set and setp: what to do with the bits. */
enum exec_compare_result {
  EXEC_CMP_PREDICATE, /* setp with one result: the destination is d */
  EXEC_CMP_GENERAL,   /* anything else: see exec_compare_finish */
};

/* Everything except a plain setp: results that are combined with c and written to two predicates or to a row. For packed types `first` and
 * `second` are the bits of the lower and the upper element, for others those of the comparison and of its complement. In compare.c. */
void exec_compare_finish(struct exec_warp *w, const struct exec_inst *in, uint32_t first, uint32_t second);

#endif
