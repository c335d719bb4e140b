/* What arith.c decodes beyond the operands every instruction has, for the lane files. */
#ifndef EXEC_ARITH_H
#define EXEC_ARITH_H

#include "exec/exec.h"

/* exec_inst.aux of bfi and lop3.BoolOp. */
struct exec_arith_more {
  struct exec_opnd e;   /* fourth source: bfi's length, the predicate of lop3.BoolOp */
  struct exec_opnd p;   /* predicate result of lop3.BoolOp */
  enum ptx_mod bool_op; /* PTX_M_and, PTX_M_or, PTX_M_xor */
};

#endif
