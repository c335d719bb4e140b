/* The parts of the memory family (PTX_MEMORY): memory.c takes loads, stores and hints, and asks these for the
 * rest. */
#ifndef EXEC_MEMORY_H
#define EXEC_MEMORY_H

#include "exec/decode.h"

/* atom, red */
bool exec_decode_atomic(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out);
/* cp.async, cp.async.bulk, mbarrier */
bool exec_decode_async(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out);

/* Bytes a lane of the row that exec_decode_source or exec_decode_dest makes of an operand of type t: 4, 8
 * or 16. 0: not a data operand (a predicate). */
unsigned exec_row_bytes(const struct exec_decoder *d, const struct ptx_opnd *o, enum ptx_type t);

/* A source, or a destination, whose row has exactly the width that type t is kept in (a predicate for
 * PTX_PRED); a destination may be '_'. Anything else is refused, so that no row is ever read beyond its end.
 */
bool exec_decode_value(struct exec_decoder *d, const struct ptx_inst *pi, const struct ptx_opnd *o,
                       enum ptx_type t, struct exec_opnd *out);
bool exec_decode_result(struct exec_decoder *d, const struct ptx_inst *pi, const struct ptx_opnd *o,
                        enum ptx_type t, struct exec_opnd *out);

/* The elements of a vector operand, or the operand itself; *n says how many. */
const struct ptx_opnd *exec_elements(const struct ptx_opnd *o, unsigned *n);

#endif
