/* The parts of the memory family (PTX_MEMORY): memory.c handles loads, stores and hints, and the other files the rest. */
#ifndef EXEC_MEMORY_H
#define EXEC_MEMORY_H

#include "exec/decode.h"

/* atom, red */
bool exec_decode_atomic(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out);
/* Performs one element of an atomic operation for r's lanes, `at` bytes into each lane's vector. b and c are rows of operands (of cas, b is
 * compared and c written; c is NULL otherwise); d receives the old values (NULL: not needed). Rows have 4 bytes per lane for elements of up
 * to 4 bytes. Returns whether a lane wrote a value that differs from the old one. */
struct exec_reach;
typedef bool (*exec_rmw_fn)(const struct exec_reach *r, uint32_t at, void *d, const void *b, const void *c);
/* The operation of cp.reduce.async.bulk and red.async on global or shared memory; NULL: there is none for the type. */
exec_rmw_fn exec_bulk_reduction(const struct ptx_inst *pi, bool shared);
/* The same for elements of a type that the instruction does not name, in global memory; `flush`: subnormals of f32 are zeros. */
exec_rmw_fn exec_reduction_of(const struct ptx_inst *pi, enum ptx_type t, bool flush);
/* Reduces `bytes` of elements of `size` at `from` into those at `to`. */
void exec_reduce_block(const struct exec_warp *w, exec_rmw_fn reduce, uint32_t size, unsigned char *to, const unsigned char *from,
                       uint32_t bytes);

/* cp.async, cp.async.bulk, mbarrier */
bool exec_decode_async(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out);
/* cp.async.bulk.tensor */
bool exec_decode_tensor_copy(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out);
bool exec_decode_tensor_map(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out);
/* mbarrier, and cp.async.mbarrier.arrive */
bool exec_decode_mbarrier(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out);
bool exec_decode_copy_arrive(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out);
/* st.async, red.async */
bool exec_decode_async_store(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out);
/* An instruction that may leave signals and lines calls exec_send_begin before exec_note_access, and after it the functions below, which do
 * nothing in runs without timing. */
static inline void exec_send_begin(struct exec_warp *w) { w->sent.map = w->sent.n_lines = w->sent.n_signals = 0; }
void exec_leave_signal(struct exec_warp *w, const struct exec_signal *s);
void exec_send_lines(struct exec_warp *w, uint64_t addr, uint64_t bytes);
/* Fills w->access with a bulk copy that has left its lines; `addr` is where it begins in global memory. */
void exec_note_bulk(struct exec_warp *w, uint64_t addr, enum exec_access_op op);
/* So many bytes have arrived for which the mbarrier at an address of shared memory waits. False after a fault. */
bool exec_mbarrier_complete(struct exec_warp *w, const struct exec_inst *in, unsigned lane, uint64_t addr, uint32_t bytes);

/* What every instruction of the load/store unit has in common. */
static inline void exec_fill_memory(struct exec_inst *out, exec_fn fn, void *aux, unsigned size, enum ptx_space space) {
  out->fn = fn;
  out->aux = aux;
  out->unit = EXEC_U_LDST;
  out->flags |= EXEC_MEMORY;
  out->size = (uint8_t)size;
  out->space = (uint8_t)space;
}

/* Bytes per lane of the row that exec_decode_source or exec_decode_dest makes of an operand of type t: 4, 8 or 16. 0: not a data operand (a
 * predicate). */
unsigned exec_row_bytes(const struct exec_decoder *d, const struct ptx_opnd *o, enum ptx_type t);

/* A source, or a destination, whose row has exactly the width in which type t is kept (a predicate for PTX_PRED); a destination may be '_'.
 * Anything else is refused, so that no row is ever read beyond its end. */
bool exec_decode_value(struct exec_decoder *d, const struct ptx_inst *pi, const struct ptx_opnd *o,
                       enum ptx_type t, struct exec_opnd *out);
bool exec_decode_result(struct exec_decoder *d, const struct ptx_inst *pi, const struct ptx_opnd *o,
                        enum ptx_type t, struct exec_opnd *out);

/* The elements of a vector operand, or the operand itself; *n says how many. */
const struct ptx_opnd *exec_elements(const struct ptx_opnd *o, unsigned *n);

#endif
