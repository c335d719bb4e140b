/* Shared by the parts of the texture family (PTX_TEXTURE): handles and geometries. */
#ifndef EXEC_TEXTURE_OPS_H
#define EXEC_TEXTURE_OPS_H

#include "exec/decode.h"
#include "exec/texture/texture.h"

/* The word .1d, .a2d, .cube ... of an instruction. */
struct exec_geometry {
  uint8_t coords; /* besides the layer */
  bool layered, cube;
};
/* False: none is specified, or one that is not modelled. */
bool exec_geometry_of(const struct ptx_inst *pi, struct exec_geometry *g);

/* A texture or surface operand. */
struct exec_handle {
  struct exec_opnd row; /* of 64 bits; EXEC_FNONE: none, or a kernel parameter */
  bool variable;        /* the row holds the address of a reference variable */
  bool param;           /* the handle lies in the kernel's parameters */
  uint32_t offset;
};
bool exec_decode_handle(struct exec_decoder *d, const struct ptx_inst *pi, const struct ptx_opnd *o,
                        struct exec_handle *h);
/* The handle, 0 if none is bound. */
uint64_t exec_handle_value(const struct exec_warp *w, const struct exec_handle *h, unsigned lane);
/* The descriptor of a lane's handle, checked; NULL after a fault. */
const struct exec_texture *exec_handle_find(struct exec_warp *w, const struct exec_inst *in,
                                            const struct exec_handle *h, unsigned lane, bool surface);

/* The items between the brackets: the object, an optional sampler, and n coordinates. *sampler is NULL if
 * absent. */
bool exec_texture_items(struct exec_decoder *d, const struct ptx_inst *pi, const struct ptx_opnd *o,
                        const struct ptx_opnd **sampler, const struct ptx_opnd **coords, unsigned *n);
/* n rows of 32 bits from a vector operand or a single one; more elements than n are padding. */
bool exec_texture_rows(struct exec_decoder *d, const struct ptx_inst *pi, const struct ptx_opnd *o,
                       enum ptx_type t, unsigned n, struct exec_opnd *rows);

/* Starts w->access for lanes that access `bytes` each. */
void exec_texture_note(struct exec_warp *w, enum exec_access_op op, uint32_t bytes, uint32_t lanes);

/* suld, sust, sured */
bool exec_decode_surface(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out);
/* txq, suq, istypep */
bool exec_decode_texture_query(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out);

static inline uint32_t exec_lane32(const struct exec_warp *w, struct exec_opnd o, unsigned lane) {
  return o.file == EXEC_FNONE ? 0 : ((const uint32_t *)exec_row(w, o))[lane];
}

#endif
