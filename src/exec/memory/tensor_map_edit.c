/* tensormap.replace: changes one field of a tensor map for tiles, in global or shared memory. tensormap.cp_fenceproxy: copies a map from
 * shared to global memory, so that tensor copies see it.
 *
 * A map that is changed need not have been made by the CUDA layer: programs begin with 128 bytes of zeros and set every field. Fences
 * between the proxies have no effect here, because copies are done when they execute.
 *
 * Refused by name: swizzles of 96 bytes or with wider atoms, packed types. */
#include "exec/memory/address.h"
#include "exec/memory/memory.h"
#include "exec/memory/tensor_map.h"

#include <string.h>

enum { MAP_ALIGN = 64 };

enum field { ADDRESS, RANK, BOX, SIZE, STRIDE, STEP, TYPE, INTERLEAVE, SWIZZLE, FILL, FIELDS };

static const uint16_t names[FIELDS] = {
    [ADDRESS] = PTX_M_global_address, [RANK] = PTX_M_rank,     [BOX] = PTX_M_box_dim,
    [SIZE] = PTX_M_global_dim,        [STRIDE] = PTX_M_global_stride, [STEP] = PTX_M_element_stride,
    [TYPE] = PTX_M_elemtype,          [INTERLEAVE] = PTX_M_interleave_layout, [SWIZZLE] = PTX_M_swizzle_mode,
    [FILL] = PTX_M_fill_mode};

struct map_edit { /* aux */
  struct exec_where map, from; /* from: of cp_fenceproxy */
  struct exec_opnd value;
  uint8_t field, ordinal, space;
};

/* As PTX numbers them. */
static const uint8_t types[EXEC_TENSOR_TYPES] = {EXEC_TENSOR_U8,  EXEC_TENSOR_U16, EXEC_TENSOR_U32,  EXEC_TENSOR_S32,     EXEC_TENSOR_U64,
                                                 EXEC_TENSOR_S64, EXEC_TENSOR_F16, EXEC_TENSOR_F32,  EXEC_TENSOR_F32_FTZ, EXEC_TENSOR_F64,
                                                 EXEC_TENSOR_BF16, EXEC_TENSOR_TF32, EXEC_TENSOR_TF32_FTZ};
static const uint8_t type_bytes[EXEC_TENSOR_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

static void replace(struct exec_tensor_map *m, enum field f, unsigned i, uint64_t value) {
  uint32_t whole;
  m->mark = EXEC_TENSOR_MAP_MARK;
  switch (f) {
  case ADDRESS: m->address = value; break;
  case RANK: m->rank = (uint8_t)(value + 1); break; /* counted from zero */
  case BOX: m->box[i] = (uint16_t)((value + (m->steps[i] ? m->steps[i] - 1u : 0)) / (m->steps[i] ? m->steps[i] : 1u)); break;
  case SIZE: m->last[i] = (uint32_t)value - 1; break;
  case STRIDE: m->strides[i + 1] = value; break; /* the first is of the second dimension */
  case STEP:
    whole = (uint32_t)m->box[i] * (m->steps[i] ? m->steps[i] : 1u);
    m->steps[i] = i || m->interleave ? (uint8_t)value : 1;
    if (m->steps[i]) m->box[i] = (uint16_t)((whole + m->steps[i] - 1u) / m->steps[i]);
    break;
  case TYPE:
    m->type = types[value];
    m->strides[0] = type_bytes[m->type];
    break;
  case INTERLEAVE: m->interleave = (uint8_t)(value ? 8u << value : 0u); break;
  case SWIZZLE: m->swizzle = (uint8_t)((1u << value) - 1); break;
  case FILL: m->nan_fill = value; break;
  default: break;
  }
}

static void run_replace(struct exec_warp *w, const struct exec_inst *in) {
  const struct map_edit *x = in->aux;
  uint64_t at[EXEC_LANES];
  exec_form_addresses(w, &x->map, at);
  for (uint32_t left = w->mask; left; left &= left - 1) {
    unsigned lane = (unsigned)__builtin_ctz(left);
    unsigned char *p = exec_reach_block(w, in, lane, (enum ptx_space)x->space, EXEC_STORE, at[lane], EXEC_TENSOR_MAP_BYTES, MAP_ALIGN);
    if (!p) return;
    struct exec_tensor_map m;
    const void *row = exec_row(w, x->value);
    memcpy(&m, p, sizeof m);
    replace(&m, (enum field)x->field, x->ordinal, in->size == 8 ? ((const uint64_t *)row)[lane] : ((const uint32_t *)row)[lane]);
    memcpy(p, &m, sizeof m);
  }
}

/* The warp copies one map. */
static void run_copy(struct exec_warp *w, const struct exec_inst *in) {
  const struct map_edit *x = in->aux;
  uint64_t to[EXEC_LANES], from[EXEC_LANES];
  if (!w->mask) return;
  unsigned lane = (unsigned)__builtin_ctz(w->mask);
  exec_form_addresses(w, &x->map, to);
  exec_form_addresses(w, &x->from, from);
  const unsigned char *source = exec_reach_block(w, in, lane, PTX_SHARED, EXEC_LOAD, from[lane], EXEC_TENSOR_MAP_BYTES, MAP_ALIGN);
  unsigned char *p = source ? exec_reach_block(w, in, lane, PTX_GLOBAL, EXEC_STORE, to[lane], EXEC_TENSOR_MAP_BYTES, MAP_ALIGN) : NULL;
  if (p) memcpy(p, source, EXEC_TENSOR_MAP_BYTES);
}

/* ---- decoding --------------------------------------------------------------------------------------------- */

static bool is_number(const struct ptx_opnd *o, int64_t most) { return o->kind == PTX_O_INT && o->imm >= 0 && o->imm <= most; }

/* Checks the value of a field that is a word of its own. */
static const char *bad_word(enum field f, const struct ptx_opnd *o) {
  if (f == TYPE) return is_number(o, EXEC_TENSOR_TYPES - 1) ? NULL : "its element type is not modelled";
  if (f == INTERLEAVE) return is_number(o, 2) ? NULL : "its layout must be 0, 1 or 2";
  if (f == SWIZZLE) return is_number(o, 3) ? NULL : "its swizzle is not modelled";
  return f != FILL || is_number(o, 1) ? NULL : "the fill mode must be 0 or 1";
}

static bool decode_replace(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  struct map_edit *x = ARENA_NEW(d->arena, struct map_edit);
  while (x->field < FIELDS && !ptx_has(pi, (enum ptx_mod)names[x->field])) x->field++;
  bool ordered = x->field >= BOX && x->field <= STEP, wide = x->field == ADDRESS || x->field == STRIDE;
  if (x->field == FIELDS || !ptx_has(pi, PTX_M_tile)) return exec_refuse(d, pi, "the form is not known");
  if (pi->n_ops != 2u + ordered) return exec_refuse(d, pi, "operands are missing");
  if (ordered && !is_number(&pi->ops[1], EXEC_TENSOR_MAP_DIMS - 1 - (x->field == STRIDE)))
    return exec_refuse(d, pi, "the dimension must be a number from 0 on");
  const char *why = bad_word((enum field)x->field, &pi->ops[1 + ordered]);
  if (why) return exec_refuse(d, pi, why);
  x->ordinal = ordered ? (uint8_t)pi->ops[1].imm : 0;
  x->space = pi->space;
  exec_fill_memory(out, run_replace, x, wide ? 8 : 4, (enum ptx_space)pi->space);
  out->flags &= (uint8_t)~EXEC_MEMORY; /* it leaves no access */
  return exec_decode_where(d, pi, &pi->ops[0], (enum ptx_space)pi->space, &x->map) &&
         exec_decode_value(d, pi, &pi->ops[1 + ordered], wide ? PTX_B64 : PTX_B32, &x->value);
}

bool exec_decode_tensor_map(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  if (ptx_has(pi, PTX_M_replace)) return decode_replace(d, pi, out);
  if (!ptx_has(pi, PTX_M_cp_fenceproxy)) return exec_refuse(d, pi, "the form is not known");
  if (pi->n_ops != 3 || !is_number(&pi->ops[2], EXEC_TENSOR_MAP_BYTES) || pi->ops[2].imm != EXEC_TENSOR_MAP_BYTES)
    return exec_refuse(d, pi, "two addresses and 128 are expected");
  struct map_edit *x = ARENA_NEW(d->arena, struct map_edit);
  exec_fill_memory(out, run_copy, x, 16, PTX_GLOBAL);
  out->flags &= (uint8_t)~EXEC_MEMORY;
  return exec_decode_where(d, pi, &pi->ops[0], PTX_GLOBAL, &x->map) && exec_decode_where(d, pi, &pi->ops[1], PTX_SHARED, &x->from);
}
