/* suld, sust and sured: surfaces, read and written by byte (.b) or by texel (.p).
 *
 * With .b the first coordinate counts bytes, with .p texels. The instruction says how an access that is not completely inside is handled:
 * .trap ends the launch, .clamp moves it to the nearest place inside, .zero reads zeros and writes nothing. Lanes of sured are executed in
 * lane order. The timed model receives the address of each lane's access. */
#include "exec/float_bits.h"
#include "exec/memory/memory.h"
#include "exec/texture/texture_ops.h"
#include "exec/texture/texture_sample.h"

#include <string.h>

enum outside { OUTSIDE_TRAP, OUTSIDE_CLAMP, OUTSIDE_ZERO };
enum reduction { REDUCE_ADD, REDUCE_MIN, REDUCE_MAX, REDUCE_AND, REDUCE_OR };

struct surfing { /* aux */
  struct exec_handle surface;
  struct exec_geometry geometry;
  bool by_texel;
  uint8_t outside, reduction;
  uint8_t n, bytes; /* elements; of one */
  uint8_t type;     /* of sured */
  struct exec_opnd coords[3], layer, value[4];
};

/* ---- where -------------------------------------------------------------------------------------------- */

/* Puts i into [0, n) or says that it lies outside. */
static bool settle(const struct surfing *x, int64_t n, int64_t *i, bool *inside) {
  if (*i >= 0 && *i < n) return true;
  *inside = false;
  *i = *i < 0 ? 0 : n - 1;
  return x->outside != OUTSIDE_TRAP;
}

/* The first byte of a lane's access. *inside: false if some coordinate was outside. Returns false if that ends the launch. */
static bool locate(const struct exec_warp *w, const struct surfing *x, const struct exec_texture *t,
                   unsigned lane, unsigned char **at, bool *inside) {
  const struct exec_texture_level *l = &t->levels[0];
  int64_t unit = x->by_texel ? t->texel_bytes : x->n * x->bytes;
  int64_t places = x->by_texel ? l->width : (int64_t)l->width * t->texel_bytes - unit + 1;
  int64_t c[3] = {0, 0, 0};
  for (unsigned i = 0; i < x->geometry.coords; i++) c[i] = (int32_t)exec_lane32(w, x->coords[i], lane);
  if (x->geometry.layered) c[2] = exec_lane32(w, x->layer, lane); /* unsigned: -1 is beyond the last */
  *inside = true;
  if (!settle(x, places, &c[0], inside) || !settle(x, l->height, &c[1], inside) ||
      !settle(x, l->depth, &c[2], inside))
    return false;
  if (!x->by_texel) c[0] -= c[0] % unit;
  uint64_t first = l->base + (uint64_t)c[0] * (x->by_texel ? t->texel_bytes : 1);
  *at = exec_mem_ptr(first + (uint64_t)c[1] * l->row_bytes + (uint64_t)c[2] * l->slice_bytes);
  return true;
}

static bool reach(struct exec_warp *w, const struct exec_inst *in, unsigned lane,
                  const struct exec_texture **t, unsigned char **at, bool *inside) {
  const struct surfing *x = in->aux;
  *t = exec_handle_find(w, in, &x->surface, lane, true);
  if (!*t) return false;
  if (locate(w, x, *t, lane, at, inside)) {
    w->access.addr[lane] = (uint64_t)(uintptr_t)*at;
    return true;
  }
  exec_fault(w, in, EXEC_FAULT_ILLEGAL_ADDRESS, lane,
             "the coordinates lie outside the surface of %u x %u x %u texels", (*t)->levels[0].width,
             (*t)->levels[0].height, (*t)->levels[0].depth);
  return false;
}

static void note(struct exec_warp *w, const struct surfing *x, const struct exec_texture *t,
                 enum exec_access_op op) {
  if (t) exec_texture_note(w, op, x->by_texel ? t->texel_bytes : (uint32_t)x->n * x->bytes, w->mask);
  w->access.read_only = false;
  w->access.space = PTX_GLOBAL;
  w->access.cache = EXEC_CACHE_GLOBAL;
}

/* ---- execution ---------------------------------------------------------------------------------------- */

static void run_load(struct exec_warp *w, const struct exec_inst *in) {
  const struct surfing *x = in->aux;
  const struct exec_texture *t = NULL;
  for (uint32_t m = w->mask; m; m &= m - 1) {
    unsigned lane = (unsigned)__builtin_ctz(m);
    unsigned char *at;
    bool inside;
    if (!reach(w, in, lane, &t, &at, &inside)) return;
    bool zero = !inside && x->outside == OUTSIDE_ZERO;
    for (unsigned i = 0; i < x->n; i++) {
      uint64_t v = 0;
      if (!zero) memcpy(&v, at + i * x->bytes, x->bytes);
      if (x->value[i].file == EXEC_FNONE) continue;
      if (x->value[i].file == EXEC_F64)
        ((uint64_t *)exec_row(w, x->value[i]))[lane] = v;
      else
        ((uint32_t *)exec_row(w, x->value[i]))[lane] = (uint32_t)v;
    }
  }
  note(w, x, t, EXEC_LOAD);
}

static uint64_t value_of(const struct exec_warp *w, const struct surfing *x, unsigned i, unsigned lane) {
  const void *row = exec_row(w, x->value[i]);
  return x->bytes == 8 ? ((const uint64_t *)row)[lane] : ((const uint32_t *)row)[lane];
}

static void store_one(const struct exec_warp *w, const struct surfing *x, const struct exec_texture *t,
                      unsigned lane, unsigned char *at) {
  uint32_t formatted[4] = {0};
  for (unsigned i = 0; i < x->n; i++) {
    uint64_t v = value_of(w, x, i, lane);
    formatted[i] = (uint32_t)v;
    if (!x->by_texel) memcpy(at + i * x->bytes, &v, x->bytes);
  }
  if (x->by_texel) exec_texel_write(t, at, formatted);
}

static void run_store(struct exec_warp *w, const struct exec_inst *in) {
  const struct surfing *x = in->aux;
  const struct exec_texture *t = NULL;
  for (uint32_t m = w->mask; m; m &= m - 1) {
    unsigned lane = (unsigned)__builtin_ctz(m);
    unsigned char *at;
    bool inside;
    if (!reach(w, in, lane, &t, &at, &inside)) return;
    if (inside || x->outside == OUTSIDE_CLAMP) store_one(w, x, t, lane, at);
  }
  note(w, x, t, EXEC_STORE);
}

static bool less(const struct surfing *x, uint64_t a, uint64_t b) {
  switch (x->type) {
  case PTX_S32: return (int32_t)a < (int32_t)b;
  case PTX_S64: return (int64_t)a < (int64_t)b;
  default: return a < b;
  }
}

static uint64_t reduced(const struct surfing *x, uint64_t a, uint64_t b) {
  switch (x->reduction) {
  case REDUCE_ADD: return a + b;
  case REDUCE_MIN: return less(x, b, a) ? b : a;
  case REDUCE_MAX: return less(x, a, b) ? b : a;
  case REDUCE_AND: return a & b;
  default: return a | b;
  }
}

static void run_reduce(struct exec_warp *w, const struct exec_inst *in) {
  const struct surfing *x = in->aux;
  const struct exec_texture *t = NULL;
  for (uint32_t m = w->mask; m; m &= m - 1) {
    unsigned lane = (unsigned)__builtin_ctz(m);
    unsigned char *at;
    bool inside;
    if (!reach(w, in, lane, &t, &at, &inside)) return;
    if (!inside && x->outside == OUTSIDE_ZERO) continue;
    uint64_t old = 0;
    memcpy(&old, at, x->bytes);
    old = reduced(x, old, value_of(w, x, 0, lane));
    memcpy(at, &old, x->bytes);
  }
  note(w, x, t, EXEC_REDUCE);
}

/* ---- decoding ----------------------------------------------------------------------------------------- */

static bool decode_coords(struct exec_decoder *d, const struct ptx_inst *pi, const struct ptx_opnd *o,
                          struct surfing *x) {
  const struct ptx_opnd *sampler, *c;
  unsigned n, layer = x->geometry.layered ? 1 : 0;
  if (!exec_texture_items(d, pi, o, &sampler, &c, &n)) return false;
  if (sampler || n < x->geometry.coords + layer)
    return exec_refuse(d, pi, "[surface, coordinates] is expected");
  if (layer && !exec_texture_rows(d, pi, &c[0], PTX_U32, 1, &x->layer)) return false;
  for (unsigned i = 0; i < x->geometry.coords; i++)
    if (!exec_texture_rows(d, pi, &c[i + layer], PTX_S32, 1, &x->coords[i])) return false;
  return exec_decode_handle(d, pi, &o->elems[0], &x->surface);
}

static bool decode_values(struct exec_decoder *d, const struct ptx_inst *pi, const struct ptx_opnd *o,
                          struct surfing *x) {
  unsigned n;
  enum ptx_type t = (enum ptx_type)pi->types[0];
  const struct ptx_opnd *e = exec_elements(o, &n);
  if (n != pi->vec || n > 4) return exec_refuse(d, pi, "the number of registers does not fit the vector");
  x->n = (uint8_t)n;
  x->bytes = (uint8_t)(ptx_type_bits(t) / 8);
  x->type = (uint8_t)t;
  if (!x->bytes || x->bytes > 8 || x->n * x->bytes > 16)
    return exec_refuse(d, pi, "at most 16 bytes can be moved");
  for (unsigned i = 0; i < n; i++) {
    unsigned row = exec_row_bytes(d, &e[i], t);
    if (row != 4 && row != 8) return exec_refuse(d, pi, "registers of 32 or 64 bits are expected");
    if ((pi->op == PTX_OP_suld ? x->bytes > row : (x->bytes == 8) != (row == 8)))
      return exec_refuse(d, pi, "a register's width does not fit the type");
    if (pi->op == PTX_OP_suld ? !exec_decode_dest(d, &e[i], &x->value[i])
                              : !exec_decode_source(d, &e[i], t, &x->value[i]))
      return false;
  }
  return true;
}

/* Texels are reduced as .b32; bytes as bits by .and and .or, as whole numbers by the others. */
static bool reduces(const struct ptx_inst *pi, enum ptx_mod operation) {
  enum ptx_type t = (enum ptx_type)pi->types[0];
  if (ptx_has(pi, PTX_M_p) || operation == PTX_M_and || operation == PTX_M_or) return t == PTX_B32;
  return t == PTX_U32 || t == PTX_S32 || t == PTX_U64 || (t == PTX_S64 && operation != PTX_M_add);
}

static bool decode_words(struct exec_decoder *d, const struct ptx_inst *pi, struct surfing *x) {
  static const uint16_t REDUCTIONS[] = {PTX_M_add, PTX_M_min, PTX_M_max, PTX_M_and, PTX_M_or};
  x->by_texel = ptx_has(pi, PTX_M_p);
  x->outside = ptx_has(pi, PTX_M_clamp)  ? OUTSIDE_CLAMP
               : ptx_has(pi, PTX_M_zero) ? OUTSIDE_ZERO
                                         : OUTSIDE_TRAP;
  bool told = ptx_has(pi, PTX_M_clamp) || ptx_has(pi, PTX_M_zero) || ptx_has(pi, PTX_M_trap);
  if (!told && d->ptx->target >= 20) return exec_refuse(d, pi, "what happens outside is missing (.trap, .clamp or .zero)");
  if (!exec_geometry_of(pi, &x->geometry) || x->geometry.cube)
    return exec_refuse(d, pi, "this geometry is not modelled");
  if (x->by_texel == ptx_has(pi, PTX_M_b)) return exec_refuse(d, pi, "it needs .b or .p");
  if (pi->n_types != 1) return exec_refuse(d, pi, "it needs one type");
  if (x->by_texel && pi->op == PTX_OP_suld) return exec_refuse(d, pi, "formatted loads are not modelled");
  if (x->by_texel && ptx_type_bits((enum ptx_type)pi->types[0]) != 32)
    return exec_refuse(d, pi, "formatted stores are of 32 bits");
  if (pi->op != PTX_OP_sured) return true;
  for (unsigned i = 0; i < 5; i++)
    if (ptx_has(pi, (enum ptx_mod)REDUCTIONS[i])) {
      x->reduction = (uint8_t)i;
      return reduces(pi, REDUCTIONS[i]) || exec_refuse(d, pi, "this operation has no such type");
    }
  return exec_refuse(d, pi, "this operation is not modelled");
}

bool exec_decode_surface(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  struct surfing *x = ARENA_NEW(d->arena, struct surfing);
  const struct exec_opnd none = {.file = EXEC_FNONE};
  bool load = pi->op == PTX_OP_suld;
  x->layer = x->coords[0] = x->coords[1] = x->coords[2] = none;
  if (pi->n_ops != 2) return exec_refuse(d, pi, "it needs a surface and registers");
  if (!decode_words(d, pi, x)) return false;
  out->fn = load ? run_load : pi->op == PTX_OP_sust ? run_store : run_reduce;
  out->unit = EXEC_U_LDST;
  out->flags |= EXEC_MEMORY;
  out->space = PTX_GLOBAL;
  out->aux = x;
  if (!decode_coords(d, pi, &pi->ops[load ? 1 : 0], x) || !decode_values(d, pi, &pi->ops[load ? 0 : 1], x))
    return false;
  out->size = x->bytes;
  out->vec = x->n;
  return true;
}
