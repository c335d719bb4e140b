/* See texture_ops.h. A handle without an object ends the launch, and so does an object whose memory has been freed. */
#include "exec/texture/texture_ops.h"

#include "exec/memory/memory.h"

#include <string.h>

bool exec_geometry_of(const struct ptx_inst *pi, struct exec_geometry *g) {
  static const struct {
    uint16_t mod;
    struct exec_geometry g;
  } TABLE[] = {{PTX_M_1d, {1, false, false}}, {PTX_M_2d, {2, false, false}}, {PTX_M_3d, {3, false, false}},
               {PTX_M_a1d, {1, true, false}}, {PTX_M_a2d, {2, true, false}}, {PTX_M_cube, {3, false, true}},
               {PTX_M_acube, {3, true, true}}};
  for (size_t i = 0; i < sizeof TABLE / sizeof *TABLE; i++)
    if (ptx_has(pi, (enum ptx_mod)TABLE[i].mod)) {
      *g = TABLE[i].g;
      return true;
    }
  return false;
}

/* ---- handles ------------------------------------------------------------------------------------------ */

static bool is_reference(uint8_t type) {
  return type == PTX_TEXREF || type == PTX_SURFREF || type == PTX_SAMPLERREF;
}

bool exec_decode_handle(struct exec_decoder *d, const struct ptx_inst *pi, const struct ptx_opnd *o,
                        struct exec_handle *h) {
  *h = (struct exec_handle){.row = {.file = EXEC_FNONE}};
  if (o->kind == PTX_O_VAR) {
    const struct ptx_var *v = &d->ptx->vars[o->sym];
    if (!is_reference(v->type)) return exec_refuse(d, pi, "the variable is no texture or surface reference");
    if (v->space == PTX_PARAM) {
      h->param = true;
      h->offset = (uint32_t)(v->offset + (uint64_t)o->imm);
      return d->pf->is_entry || exec_refuse(d, pi, "references as parameters of functions are not modelled");
    }
    h->variable = true;
  } else if (o->kind != PTX_O_REG || exec_row_bytes(d, o, PTX_U64) != 8) {
    return exec_refuse(d, pi, "a texture or surface is a 64-bit register or a reference variable");
  }
  return exec_decode_source(d, o, PTX_U64, &h->row);
}

/* A register may also hold the address of a reference variable; addresses are far above all handles. */
static uint64_t behind(const struct exec_warp *w, uint64_t value) {
  const struct exec_alloc *a = exec_mem_find(w->grid->device->mem, value, NULL);
  if (!a || a->kind != EXEC_ALLOC_MODULE || a->range.end - value < 8) return value;
  memcpy(&value, exec_mem_ptr(value), sizeof value);
  return value;
}

uint64_t exec_handle_value(const struct exec_warp *w, const struct exec_handle *h, unsigned lane) {
  uint64_t value;
  if (h->param) {
    memcpy(&value, (const unsigned char *)w->grid->params + h->offset, sizeof value);
    return value;
  }
  value = ((const uint64_t *)exec_row(w, h->row))[lane];
  return h->variable || value >= EXEC_DEVICE_BASE ? behind(w, value) : value;
}

static bool still_there(const struct exec_device *d, uint64_t storage) {
  struct exec_alloc_range any;
  return d->check ? exec_mem_find(d->mem, storage, NULL) != NULL : exec_mem_backed(d->mem, storage, &any);
}

const struct exec_texture *exec_handle_find(struct exec_warp *w, const struct exec_inst *in,
                                            const struct exec_handle *h, unsigned lane, bool surface) {
  uint64_t value = exec_handle_value(w, h, lane);
  const struct exec_texture *t = exec_texture_find(value);
  const char *what = surface ? "surface" : "texture";
  if (!value) {
    exec_fault(w, in, EXEC_FAULT_ILLEGAL_ADDRESS, lane, "no %s is bound", what);
    return NULL;
  }
  if (!t || t->surface != surface) {
    exec_fault(w, in, EXEC_FAULT_ILLEGAL_ADDRESS, lane, "0x%llx is not a live %s object",
               (unsigned long long)value, what);
    return NULL;
  }
  if (!still_there(w->grid->device, t->levels[0].base)) {
    exec_fault(w, in, EXEC_FAULT_ILLEGAL_ADDRESS, lane, "the memory of %s object 0x%llx has been freed", what,
               (unsigned long long)value);
    return NULL;
  }
  return t;
}

/* ---- operands ----------------------------------------------------------------------------------------- */

bool exec_texture_items(struct exec_decoder *d, const struct ptx_inst *pi, const struct ptx_opnd *o,
                        const struct ptx_opnd **sampler, const struct ptx_opnd **coords, unsigned *n) {
  *sampler = NULL;
  if (o->kind != PTX_O_MEM || o->n_elems < 2 || o->n_elems > 3 || o->imm)
    return exec_refuse(d, pi, "[object, coordinates] is expected");
  if (o->n_elems == 3) *sampler = &o->elems[1];
  *coords = &o->elems[o->n_elems - 1u];
  *coords = exec_elements(*coords, n);
  return *n != 3 || d->ptx->target < 20 || exec_refuse(d, pi, "coordinates are 1, 2 or 4");
}

bool exec_texture_rows(struct exec_decoder *d, const struct ptx_inst *pi, const struct ptx_opnd *o,
                       enum ptx_type t, unsigned n, struct exec_opnd *rows) {
  unsigned given;
  const struct ptx_opnd *e = exec_elements(o, &given);
  if (given < n) return exec_refuse(d, pi, "there are too few coordinates");
  for (unsigned i = 0; i < n; i++) {
    if (exec_row_bytes(d, &e[i], t) != 4) return exec_refuse(d, pi, "coordinates have 32 bits");
    if (!exec_decode_source(d, &e[i], t, &rows[i])) return false;
  }
  return true;
}

void exec_texture_note(struct exec_warp *w, enum exec_access_op op, uint32_t bytes, uint32_t lanes) {
  struct exec_access *a = &w->access;
  a->op = (uint8_t)op;
  a->cache = EXEC_CACHE_ALL;
  a->space = op == EXEC_LOAD ? PTX_TEX : PTX_GLOBAL;
  a->read_only = op == EXEC_LOAD;
  a->async = false;
  a->bytes = (uint8_t)bytes;
  a->mask = lanes;
  a->other_mask = 0;
}
