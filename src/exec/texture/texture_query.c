/* txq, suq and istypep: properties of a texture or surface object. Formats and channel orders have the numbers of OpenCL, as the ISA
 * says. */
#include "exec/memory/memory.h"
#include "exec/texture/texture_ops.h"

struct asking { /* aux */
  struct exec_handle object;
  struct exec_opnd level; /* txq.level */
  uint16_t what;          /* enum ptx_mod */
};

static uint32_t channel_type(const struct exec_texture *t) {
  static const uint16_t WHOLE[] = {0x10da, 0x10db, 0x10dc, 0x10d7, 0x10d8, 0x10d9, 0x10dd, 0x10de};
  static const uint16_t NORMAL[] = {0x10d2, 0x10d3, 0x10dc, 0x10d0, 0x10d1, 0x10d9, 0x10dd, 0x10de};
  return (t->as_float ? NORMAL : WHOLE)[t->texel];
}

static uint32_t channel_order(const struct exec_texture *t) {
  return t->channels == 1 ? 0x10b0 : t->channels == 2 ? 0x10b1 : 0x10b5;
}

static bool is_cube(const struct exec_texture *t) {
  return t->shape == EXEC_TEX_CUBE || t->shape == EXEC_TEX_CUBE_LAYERED;
}

/* Layers count as the axis after the last. For other axes that the texture does not have, the answer is the hardware's. */
static uint32_t height_of(const struct exec_texture *t, const struct exec_texture_level *l) {
  switch (t->shape) {
  case EXEC_TEX_BUFFER:
  case EXEC_TEX_1D: return t->surface ? 0 : 1;
  case EXEC_TEX_1D_LAYERED: return l->depth;
  default: return l->height;
  }
}
static uint32_t depth_of(const struct exec_texture *t, const struct exec_texture_level *l) {
  switch (t->shape) {
  case EXEC_TEX_3D:
  case EXEC_TEX_2D_LAYERED: return l->depth;
  case EXEC_TEX_CUBE: return t->surface ? 6 : 0;
  case EXEC_TEX_CUBE_LAYERED: return t->surface ? l->depth : l->depth / 6;
  default: return 0;
  }
}

static uint32_t answer(const struct exec_texture *t, uint16_t what, uint32_t level) {
  const struct exec_texture_level *l = &t->levels[level < t->n_levels ? level : t->n_levels - 1];
  bool layered =
      t->shape == EXEC_TEX_1D_LAYERED || t->shape == EXEC_TEX_2D_LAYERED || t->shape == EXEC_TEX_CUBE_LAYERED;
  switch (what) {
  case PTX_M_width: return l->width;
  case PTX_M_height: return height_of(t, l);
  case PTX_M_depth: return depth_of(t, l);
  case PTX_M_array_size: return layered ? l->depth / (is_cube(t) ? 6 : 1) : 0;
  case PTX_M_channel_data_type: return channel_type(t);
  case PTX_M_channel_order: return channel_order(t);
  case PTX_M_normalized_coords: return t->normalized;
  case PTX_M_num_mipmap_levels: return t->n_levels;
  case PTX_M_num_samples: return 1;
  case PTX_M_filter_mode: return t->filter;
  case PTX_M_addr_mode_0: return t->address[0];
  case PTX_M_addr_mode_1: return t->address[1];
  case PTX_M_addr_mode_2: return t->address[2];
  default: return 0; /* force_unnormalized_coords; memory_layout */
  }
}

static void run_query(struct exec_warp *w, const struct exec_inst *in) {
  const struct asking *x = in->aux;
  uint32_t *d = exec_row(w, in->d);
  for (uint32_t m = w->mask; m; m &= m - 1) {
    unsigned lane = (unsigned)__builtin_ctz(m);
    const struct exec_texture *t = exec_handle_find(w, in, &x->object, lane, in->ptx->op == PTX_OP_suq);
    if (!t) return;
    d[lane] = answer(t, x->what, exec_lane32(w, x->level, lane));
  }
}

static void run_is_type(struct exec_warp *w, const struct exec_inst *in) {
  const struct asking *x = in->aux;
  uint32_t bits = 0;
  for (uint32_t m = w->mask; m; m &= m - 1) {
    unsigned lane = (unsigned)__builtin_ctz(m);
    const struct exec_texture *t = exec_texture_find(exec_handle_value(w, &x->object, lane));
    if (t && t->surface == (x->what == PTX_M_surfref)) bits |= 1u << lane;
  }
  exec_set_pred(w, in->d, bits);
}

/* ---- decoding ----------------------------------------------------------------------------------------- */

static const uint16_t QUESTIONS[] = {PTX_M_width,
                                     PTX_M_height,
                                     PTX_M_depth,
                                     PTX_M_array_size,
                                     PTX_M_channel_data_type,
                                     PTX_M_channel_order,
                                     PTX_M_normalized_coords,
                                     PTX_M_num_mipmap_levels,
                                     PTX_M_num_samples,
                                     PTX_M_filter_mode,
                                     PTX_M_addr_mode_0,
                                     PTX_M_addr_mode_1,
                                     PTX_M_addr_mode_2,
                                     PTX_M_force_unnormalized_coords,
                                     PTX_M_memory_layout,
                                     PTX_M_texref,
                                     PTX_M_samplerref,
                                     PTX_M_surfref};

static bool find_question(const struct ptx_inst *pi, struct asking *x) {
  for (size_t i = 0; i < sizeof QUESTIONS / sizeof *QUESTIONS; i++)
    if (ptx_has(pi, (enum ptx_mod)QUESTIONS[i])) {
      x->what = QUESTIONS[i];
      return true;
    }
  return false;
}

static bool decode_is_type(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out,
                           struct asking *x) {
  out->fn = run_is_type;
  return exec_decode_handle(d, pi, &pi->ops[1], &x->object) && exec_decode_dest(d, &pi->ops[0], &out->d);
}

bool exec_decode_texture_query(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  struct asking *x = ARENA_NEW(d->arena, struct asking);
  x->level = (struct exec_opnd){.file = EXEC_FNONE};
  out->unit = EXEC_U_ALU;
  out->aux = x;
  if (pi->n_ops < 2 || !find_question(pi, x)) return exec_refuse(d, pi, "this question is not modelled");
  if (pi->op == PTX_OP_istypep) return decode_is_type(d, pi, out, x);
  if (exec_row_bytes(d, &pi->ops[0], PTX_B32) != 4) return exec_refuse(d, pi, "the result has 32 bits");
  if (pi->ops[1].kind != PTX_O_MEM || pi->ops[1].n_elems != 1)
    return exec_refuse(d, pi, "an object in brackets is expected");
  out->fn = run_query;
  if (!exec_decode_dest(d, &pi->ops[0], &out->d)) return false;
  if (out->d.file == EXEC_FNONE) return exec_refuse(d, pi, "the destination cannot be '_'");
  if (!exec_decode_handle(d, pi, &pi->ops[1].elems[0], &x->object)) return false;
  return pi->n_ops == 2 || exec_texture_rows(d, pi, &pi->ops[2], PTX_S32, 1, &x->level);
}
