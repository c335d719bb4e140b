/* Texture instructions tex and tld4; surfaces and queries are in files of their own.
 *
 * A lane's handle is looked up, its coordinates are gathered, and the sample is taken by texture_sample.c, or for the whole warp at once by
 * lanes_texture.c. The timed model receives one address per lane: the first texel that the lane read, in the finest level used.
 *
 * Refused: depth comparison and multi-sample textures. The residency predicate of `d|p` is always true. */
#include "exec/float_bits.h"
#include "exec/memory/memory.h"
#include "exec/texture/texture_ops.h"
#include "exec/texture/texture_rows.h"
#include "exec/texture/texture_sample.h"

#include <string.h>

enum level_mode { LEVEL_BASE, LEVEL_GIVEN, LEVEL_GRADIENTS };

struct fetching { /* aux of tex and tld4 */
  struct exec_handle image, sampler;
  bool has_sampler;
  struct exec_geometry geometry;
  bool whole;      /* coordinates are whole numbers */
  uint8_t mode;    /* enum level_mode */
  bool halves;     /* results are two f16x2 */
  exec_sample_row_fn plain; /* NULL: it has something that texture_rows.h does not handle */
  uint8_t n;       /* result registers */
  uint8_t channel; /* tld4 */
  struct exec_opnd coords[3], layer, offset[3], lod, dx[3], dy[3];
  struct exec_opnd d[4], resident;
};

/* ---- execution ---------------------------------------------------------------------------------------- */

static void gather_floats(const struct exec_warp *w, const struct exec_opnd rows[3], unsigned lane,
                          float out[3]) {
  for (unsigned i = 0; i < 3; i++) out[i] = exec_float(exec_lane32(w, rows[i], lane));
}

static void make_query(const struct exec_warp *w, const struct fetching *x, unsigned lane,
                       struct exec_texture_query *q) {
  *q = (struct exec_texture_query){.whole = x->whole, .layer = exec_lane32(w, x->layer, lane)};
  for (unsigned i = 0; i < 3; i++) {
    uint32_t c = exec_lane32(w, x->coords[i], lane);
    q->u[i] = exec_float(c);
    q->at[i] = (int32_t)c;
    q->offset[i] = (int32_t)exec_lane32(w, x->offset[i], lane);
  }
  if (x->mode == LEVEL_GIVEN) {
    uint32_t lod = exec_lane32(w, x->lod, lane);
    q->lod = x->whole ? (float)(int32_t)lod : exec_float(lod);
  } else if (x->mode == LEVEL_GRADIENTS) {
    q->gradients = true;
    gather_floats(w, x->dx, lane, q->dx);
    gather_floats(w, x->dy, lane, q->dy);
  }
}

static void put(struct exec_warp *w, const struct fetching *x, unsigned lane, const uint32_t value[4]) {
  uint32_t packed[2];
  if (x->halves) {
    for (unsigned i = 0; i < 2; i++)
      packed[i] = exec_f16_from_float(exec_float(value[2 * i])) |
                  exec_f16_from_float(exec_float(value[2 * i + 1])) << 16;
    value = packed;
  }
  for (unsigned i = 0; i < x->n; i++)
    if (x->d[i].file != EXEC_FNONE) ((uint32_t *)exec_row(w, x->d[i]))[lane] = value[i];
}

/* The objects of a lane. Most warps use only one, so the last ones are kept. */
struct found {
  uint64_t handle;
  const struct exec_texture *image, *sampler;
};

static bool find_objects(struct exec_warp *w, const struct exec_inst *in, unsigned lane, struct found *f) {
  const struct fetching *x = in->aux;
  uint64_t handle = exec_handle_value(w, &x->image, lane);
  if (f->image && f->handle == handle && !x->has_sampler) return true;
  f->handle = handle;
  f->image = exec_handle_find(w, in, &x->image, lane, false);
  f->sampler = f->image;
  if (f->image && x->has_sampler) f->sampler = exec_handle_find(w, in, &x->sampler, lane, false);
  return f->image && f->sampler;
}

/* The whole warp at once, if possible: see texture_rows.h. */
static bool fetch_row(struct exec_warp *w, const struct exec_inst *in, uint64_t *first, struct found *f) {
  const struct fetching *x = in->aux;
  const unsigned lane = (unsigned)__builtin_ctz(w->mask);
  if (!x->plain || !(f->image = exec_handle_find(w, in, &x->image, lane, false))) return false;
  struct exec_texture_row q = {.whole = x->whole, .lanes = w->mask, .first = first, .lane = lane};
  if (x->image.row.file != EXEC_FNONE) q.objects = exec_row(w, x->image.row);
  for (unsigned i = 0; i < x->geometry.coords; i++) q.coords[i] = exec_row(w, x->coords[i]);
  for (unsigned i = 0; i < 4; i++) q.out[i] = x->d[i].file == EXEC_FNONE ? NULL : exec_row(w, x->d[i]);
  return x->plain(f->image, &q);
}

/* `first` receives the lanes' first addresses; NULL: not needed. */
static void fetch(struct exec_warp *w, const struct exec_inst *in, uint64_t *first) {
  const struct fetching *x = in->aux;
  struct found f = {0};
  bool done = fetch_row(w, in, first, &f);
  if (w->status == EXEC_FAULTED) return;
  for (uint32_t m = done ? 0 : w->mask; m; m &= m - 1) {
    unsigned lane = (unsigned)__builtin_ctz(m);
    struct exec_texture_query q;
    uint32_t value[4];
    uint64_t at;
    if (!find_objects(w, in, lane, &f)) return;
    make_query(w, x, lane, &q);
    if (in->ptx->op == PTX_OP_tld4) exec_texture_gather(f.image, f.sampler, &q, x->channel, value, &at);
    else exec_texture_sample(f.image, f.sampler, &q, value, &at);
    if (first) first[lane] = at;
    put(w, x, lane, value);
  }
  exec_set_pred(w, x->resident, EXEC_ALL_LANES);
  if (f.image && first) exec_texture_note(w, EXEC_LOAD, f.image->texel_bytes, w->mask);
}

static void run_fetch(struct exec_warp *w, const struct exec_inst *in) { fetch(w, in, w->access.addr); }
static void fetch_quickly(struct exec_warp *w, const struct exec_inst *in) { fetch(w, in, NULL); }

/* ---- decoding ----------------------------------------------------------------------------------------- */

static void no_rows(struct fetching *x) {
  const struct exec_opnd none = {.file = EXEC_FNONE};
  for (unsigned i = 0; i < 3; i++) x->coords[i] = x->offset[i] = x->dx[i] = x->dy[i] = none;
  for (unsigned i = 0; i < 4; i++) x->d[i] = none;
  x->layer = x->lod = x->resident = none;
}

static bool decode_results(struct exec_decoder *d, const struct ptx_inst *pi, struct fetching *x) {
  unsigned n;
  const struct ptx_opnd *o = &pi->ops[0], *e = exec_elements(o, &n);
  enum ptx_type t = (enum ptx_type)pi->types[0];
  x->halves = t == PTX_F16X2;
  x->n = x->halves ? 2 : 4;
  if (!x->halves && t != PTX_F32 && t != PTX_S32 && t != PTX_U32)
    return exec_refuse(d, pi, "the result must be .v4 of .f32, .s32 or .u32, or .v2.f16x2");
  if (n != x->n) return exec_refuse(d, pi, "the number of result registers is wrong");
  for (unsigned i = 0; i < n; i++) {
    if (e[i].kind == PTX_O_REG && exec_row_bytes(d, &e[i], t) != 4)
      return exec_refuse(d, pi, "result registers must have 32 bits");
    if (!exec_decode_dest(d, &e[i], &x->d[i])) return false;
  }
  if (o->second < 0) return true;
  struct ptx_opnd p = {.kind = PTX_O_REG, .reg = o->second, .second = -1};
  return exec_decode_dest(d, &p, &x->resident);
}

/* {layer, x, y, z}, as far as the geometry has them. */
static bool decode_coords(struct exec_decoder *d, const struct ptx_inst *pi, struct fetching *x) {
  const struct ptx_opnd *sampler, *c;
  unsigned n, layer = x->geometry.layered ? 1 : 0;
  enum ptx_type t = x->whole ? PTX_S32 : PTX_F32;
  if (!exec_texture_items(d, pi, &pi->ops[1], &sampler, &c, &n)) return false;
  if (n < x->geometry.coords + layer) return exec_refuse(d, pi, "there are too few coordinates");
  if (layer && !exec_texture_rows(d, pi, &c[0], PTX_U32, 1, &x->layer)) return false;
  for (unsigned i = 0; i < x->geometry.coords; i++)
    if (!exec_texture_rows(d, pi, &c[i + layer], t, 1, &x->coords[i])) return false;
  if (!exec_decode_handle(d, pi, &pi->ops[1].elems[0], &x->image)) return false;
  x->has_sampler = sampler != NULL;
  return !sampler || exec_decode_handle(d, pi, sampler, &x->sampler);
}

/* Level of detail, gradients and offsets, in this order after the coordinates. */
static bool decode_rest(struct exec_decoder *d, const struct ptx_inst *pi, struct fetching *x) {
  unsigned at = 2, n = x->geometry.coords;
  if (x->mode == LEVEL_GIVEN) {
    if (pi->n_ops < 3 || !exec_texture_rows(d, pi, &pi->ops[at++], x->whole ? PTX_S32 : PTX_F32, 1, &x->lod))
      return exec_refuse(d, pi, "a level of 32 bits is expected");
  } else if (x->mode == LEVEL_GRADIENTS) {
    if (pi->n_ops < 4) return exec_refuse(d, pi, "two gradients are expected");
    if (!exec_texture_rows(d, pi, &pi->ops[at++], PTX_F32, n, x->dx) ||
        !exec_texture_rows(d, pi, &pi->ops[at++], PTX_F32, n, x->dy))
      return false;
  }
  if (at == pi->n_ops) return true;
  const struct ptx_opnd *o = &pi->ops[at++];
  bool is_float = o->kind == PTX_O_REG && ptx_type_float((enum ptx_type)d->pf->regs[o->reg].type);
  if (at != pi->n_ops || is_float || x->geometry.cube || (o->kind != PTX_O_VEC && n > 1))
    return exec_refuse(d, pi, "depth comparison is not modelled");
  return exec_texture_rows(d, pi, o, PTX_S32, n, x->offset);
}

static bool decode_channel(struct exec_decoder *d, const struct ptx_inst *pi, struct fetching *x) {
  static const uint16_t WORDS[4] = {PTX_M_r, PTX_M_g, PTX_M_b, PTX_M_a};
  if (pi->op != PTX_OP_tld4) return true;
  for (unsigned i = 0; i < 4; i++)
    if (ptx_has(pi, (enum ptx_mod)WORDS[i])) {
      x->channel = (uint8_t)i;
      return x->geometry.coords == 2 || x->geometry.cube || exec_refuse(d, pi, "it is for two dimensions");
    }
  return exec_refuse(d, pi, "it needs .r, .g, .b or .a");
}

static bool decode_fetch(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  struct fetching *x = ARENA_NEW(d->arena, struct fetching);
  no_rows(x);
  if (pi->n_ops < 2 || pi->n_types != 2)
    return exec_refuse(d, pi, "it needs two types, a result and a texture");
  if (!exec_geometry_of(pi, &x->geometry)) return exec_refuse(d, pi, "this geometry is not modelled");
  x->whole = pi->types[1] == PTX_S32;
  if (!x->whole && pi->types[1] != PTX_F32) return exec_refuse(d, pi, "coordinates are .s32 or .f32");
  x->mode = ptx_has(pi, PTX_M_level) ? LEVEL_GIVEN : ptx_has(pi, PTX_M_grad) ? LEVEL_GRADIENTS : LEVEL_BASE;
  out->fn = run_fetch;
  out->quick = fetch_quickly;
  out->unit = EXEC_U_TEX;
  out->flags |= EXEC_MEMORY;
  out->size = 4;
  out->vec = 4;
  out->space = PTX_TEX;
  out->aux = x;
  if (!decode_results(d, pi, x) || !decode_coords(d, pi, x) || !decode_rest(d, pi, x) || !decode_channel(d, pi, x)) return false;
  if (pi->op == PTX_OP_tex && !x->halves && !x->has_sampler && !x->geometry.layered && !x->geometry.cube &&
      x->offset[0].file == EXEC_FNONE)
    x->plain = d->lanes->sample_row;
  return true;
}

bool exec_decode_texture(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  switch (pi->op) {
  case PTX_OP_tex:
  case PTX_OP_tld4: return decode_fetch(d, pi, out);
  case PTX_OP_suld:
  case PTX_OP_sust:
  case PTX_OP_sured: return exec_decode_surface(d, pi, out);
  default: return exec_decode_texture_query(d, pi, out);
  }
}
