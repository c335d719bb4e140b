/* mov in all its forms (registers, addresses, packing and unpacking, clocks), cvta, isspacep, mapa and getctarank. */
#include "exec/run/cta_cluster.h"
#include "exec/memory/address.h"
#include "exec/decode.h"

#include <string.h>

/* ---- plain rows ------------------------------------------------------------------------------------------------- */

static void move128(struct exec_warp *w, const struct exec_inst *in) {
  unsigned __int128 *d = exec_row(w, in->d);
  const unsigned __int128 *a = exec_row(w, in->a);
  for (uint32_t m = w->mask; m; m &= m - 1) d[__builtin_ctz(m)] = a[__builtin_ctz(m)];
}

static void move_pred(struct exec_warp *w, const struct exec_inst *in) { exec_set_pred(w, in->d, exec_pred(w, in->a)); }

/* The address of a .local variable depends on how deep the call is. */
static void move_local(struct exec_warp *w, const struct exec_inst *in) {
  uint64_t at = (uint64_t)in->imm + w->frame->local_base;
  for (unsigned i = 0; i < EXEC_LANES; i++) {
    if (!(w->mask >> i & 1)) continue;
    if (in->size == 8) ((uint64_t *)exec_row(w, in->d))[i] = at;
    else ((uint32_t *)exec_row(w, in->d))[i] = (uint32_t)at;
  }
}

/* ---- clocks ----------------------------------------------------------------------------------------------------- */

/* In runs without timing: about the cycles of an instruction that depends on the one before, as in a loop that polls the clock. With this
 * value a wait for some milliseconds is eight times shorter than with one cycle each. */
enum { CYCLES_AN_INSTRUCTION = 8 };

/* A warp that reads the clock again within NEAR instructions, and has done so for WAITS cycles, waits for time to pass. From then on a
 * SHARE-th of the time that it has waited passes at once, so that a wait needs some dozen reads. At most MOST passes at once, because a
 * program may keep only the low 32 bits and must not miss the moment. */
enum { NEAR = 32, WAITS = 256, SHARE = 2, MOST = 1 << 26 };

static uint64_t cycles(struct exec_warp *w) {
  const struct exec_grid *g = w->grid;
  if (g->clock) return g->clock(g->clock_user);
  struct exec_clock *c = &w->clock;
  uint64_t now = (g->instructions + w->instructions) * CYCLES_AN_INSTRUCTION + c->ahead;
  if (!c->read || w->instructions - c->read > NEAR) c->since = now;
  uint64_t skipped = now - c->since < WAITS ? 0 : (now - c->since) / SHARE;
  if (skipped > MOST) skipped = MOST;
  c->ahead += skipped;
  c->read = w->instructions;
  return now + skipped;
}

static uint64_t clock_value(struct exec_warp *w, enum ptx_sreg s) {
  uint64_t c = cycles(w);
  uint64_t hz = w->grid->device->clock_hz ? w->grid->device->clock_hz : 1000000000u;
  uint64_t ns = (uint64_t)((unsigned __int128)c * 1000000000u / hz);
  switch (s) {
  case PTX_SR_clock_hi: return c >> 32;
  case PTX_SR_globaltimer:
  case PTX_SR_globaltimer_lo: return ns;
  case PTX_SR_globaltimer_hi: return ns >> 32;
  default: return c;
  }
}

static void move_clock(struct exec_warp *w, const struct exec_inst *in) {
  uint64_t v = clock_value(w, (enum ptx_sreg)in->sub);
  for (unsigned i = 0; i < EXEC_LANES; i++) {
    if (!(w->mask >> i & 1)) continue;
    if (in->size == 8) ((uint64_t *)exec_row(w, in->d))[i] = v;
    else ((uint32_t *)exec_row(w, in->d))[i] = (uint32_t)v;
  }
}

/* ---- packing ---------------------------------------------------------------------------------------------------- */

struct pack {
  unsigned n, bits; /* elements and bits of each */
  struct exec_opnd whole, part[8], component[4];
  unsigned whole_bytes;
  const struct exec_lanes *lanes;
};

static unsigned lane_bytes(struct exec_opnd o) { return o.file == EXEC_F64 ? 8 : o.file == EXEC_F128 ? 16 : 4; }

static uint64_t load_part(const struct exec_warp *w, const struct pack *p, unsigned k, unsigned lane) {
  uint64_t v = 0;
  unsigned bytes = p->bits > 32 ? 8 : 4;
  memcpy(&v, (const unsigned char *)exec_row(w, p->part[k]) + (size_t)lane * bytes, bytes);
  return p->bits >= 64 ? v : v & ((UINT64_C(1) << p->bits) - 1);
}

static void do_pack(struct exec_warp *w, const struct exec_inst *in) {
  const struct pack *p = in->aux;
  for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
    if (!(w->mask >> lane & 1)) continue;
    unsigned __int128 v = 0;
    for (unsigned k = 0; k < p->n; k++) v |= (unsigned __int128)load_part(w, p, k, lane) << (k * p->bits);
    memcpy((unsigned char *)exec_row(w, p->whole) + (size_t)lane * p->whole_bytes, &v, p->whole_bytes);
  }
}

static void do_unpack(struct exec_warp *w, const struct exec_inst *in) {
  const struct pack *p = in->aux;
  for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
    if (!(w->mask >> lane & 1)) continue;
    unsigned __int128 v = 0;
    memcpy(&v, (const unsigned char *)exec_row(w, p->whole) + (size_t)lane * p->whole_bytes, p->whole_bytes);
    for (unsigned k = 0; k < p->n; k++) {
      if (p->part[k].file == EXEC_FNONE) continue;
      uint64_t e = (uint64_t)(v >> (k * p->bits));
      if (p->bits < 64) e &= (UINT64_C(1) << p->bits) - 1;
      unsigned bytes = lane_bytes(p->part[k]);
      memcpy((unsigned char *)exec_row(w, p->part[k]) + (size_t)lane * bytes, &e, bytes);
    }
  }
}

/* Packs parts of up to 32 bits, in rows of words, into a value of 32 or 64. */
static void pack_words(struct exec_warp *w, const struct exec_inst *in) {
  const struct pack *p = in->aux;
  const uint32_t *parts[8];
  for (unsigned k = 0; k < p->n; k++) parts[k] = exec_row(w, p->part[k]);
  p->lanes->pack(parts, p->n, p->bits, exec_row(w, p->whole), w->mask);
}

static void unpack_words(struct exec_warp *w, const struct exec_inst *in) {
  const struct pack *p = in->aux;
  uint32_t *parts[8];
  for (unsigned k = 0; k < p->n; k++) parts[k] = p->part[k].file == EXEC_FNONE ? NULL : exec_row(w, p->part[k]);
  p->lanes->unpack(exec_row(w, p->whole), parts, p->n, p->bits, w->mask);
}

static bool parts_are_words(const struct pack *p) {
  for (unsigned k = 0; k < p->n; k++)
    if (p->part[k].file != EXEC_FNONE && lane_bytes(p->part[k]) != 4) return false;
  return p->bits <= 32 && p->whole_bytes <= 8;
}

static exec_fn packer(const struct pack *p, bool packs) {
  if (!parts_are_words(p)) return packs ? do_pack : do_unpack;
  return packs ? pack_words : unpack_words;
}

static enum ptx_type bits_type(unsigned bits) {
  return bits == 8 ? PTX_B8 : bits == 16 ? PTX_B16 : bits == 32 ? PTX_B32 : PTX_B64;
}

static bool decode_pack(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  bool packs = pi->ops[1].kind == PTX_O_VEC;
  const struct ptx_opnd *vec = &pi->ops[packs ? 1 : 0], *whole = &pi->ops[packs ? 0 : 1];
  struct pack *p = ARENA_NEW(d->arena, struct pack);
  unsigned bits = ptx_type_bits((enum ptx_type)pi->types[0]);
  p->n = vec->n_elems;
  if (p->n != 2 && p->n != 4 && p->n != 8) return exec_refuse(d, pi, "a vector of 2, 4 or 8 elements is expected");
  p->bits = bits / p->n;
  if (p->bits < 8) return exec_refuse(d, pi, "elements of less than 8 bits");
  bool ok = packs ? exec_decode_dest(d, whole, &p->whole)
                  : exec_decode_source(d, whole, (enum ptx_type)pi->types[0], &p->whole);
  p->lanes = d->lanes;
  p->whole_bytes = bits == 128 ? 16 : bits == 64 ? 8 : 4;
  for (unsigned i = 0; i < p->n && ok; i++)
    ok = packs ? exec_decode_source(d, &vec->elems[i], bits_type(p->bits), &p->part[i])
               : exec_decode_dest(d, &vec->elems[i], &p->part[i]);
  out->aux = p;
  out->fn = packer(p, packs);
  return ok;
}

/* mov.v4.u32 {a, b, c, d}, %tid: element by element. */
static void move_components(struct exec_warp *w, const struct exec_inst *in) {
  const struct pack *p = in->aux;
  for (unsigned k = 0; k < p->n; k++) {
    if (p->part[k].file == EXEC_FNONE) continue;
    uint32_t *d = exec_row(w, p->part[k]);
    const uint32_t *a = exec_row(w, p->component[k]);
    for (unsigned i = 0; i < EXEC_LANES; i++) d[i] = w->mask >> i & 1 ? a[i] : d[i];
  }
}

static bool decode_components(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  const struct ptx_opnd *to = &pi->ops[0], *from = &pi->ops[1];
  struct pack *p = ARENA_NEW(d->arena, struct pack);
  enum ptx_type t = (enum ptx_type)pi->types[0];
  if (to->kind != PTX_O_VEC || from->kind != PTX_O_VEC || to->n_elems != from->n_elems || to->n_elems > 4 ||
      ptx_type_bits(t) > 32)
    return exec_refuse(d, pi, "two vectors of up to four 32-bit elements are expected");
  p->n = to->n_elems;
  bool ok = true;
  for (unsigned k = 0; k < p->n && ok; k++)
    ok = exec_decode_dest(d, &to->elems[k], &p->part[k]) &&
         exec_decode_source(d, &from->elems[k], t, &p->component[k]);
  out->aux = p;
  out->fn = move_components;
  return ok;
}

/* ---- decoding --------------------------------------------------------------------------------------------------- */

static bool is_local_address(const struct exec_decoder *d, const struct ptx_opnd *o) {
  return o->kind == PTX_O_VAR && d->ptx->vars[o->sym].space == PTX_LOCAL;
}

static bool decode_mov(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  if (pi->n_ops != 2 || pi->n_types != 1) return exec_refuse(d, pi, "two operands and one type are expected");
  enum ptx_type t = (enum ptx_type)pi->types[0];
  const struct ptx_opnd *from = &pi->ops[1];
  out->unit = EXEC_U_ALU;
  if (pi->vec > 1) return decode_components(d, pi, out);
  if (from->kind == PTX_O_VEC || pi->ops[0].kind == PTX_O_VEC) return decode_pack(d, pi, out);
  if (!exec_decode_dest(d, &pi->ops[0], &out->d)) return false;
  if (out->d.file == EXEC_FNONE) return exec_refuse(d, pi, "the destination cannot be '_'");
  out->size = (uint8_t)lane_bytes(out->d);
  if (from->kind == PTX_O_SREG && exec_is_clock((enum ptx_sreg)from->reg)) {
    out->sub = (uint8_t)from->reg;
    out->fn = move_clock;
    return true;
  }
  if (is_local_address(d, from)) {
    out->imm = (int64_t)d->ptx->vars[from->sym].offset + from->imm;
    out->fn = move_local;
    return true;
  }
  if (!exec_decode_source(d, from, t, &out->a)) return false;
  if (t == PTX_PRED) out->fn = move_pred;
  else out->fn = out->size == 16 ? move128 : out->size == 8 ? d->lanes->move64 : d->lanes->move32;
  return true;
}

/* cvta adds a window's base to go to generic addresses and subtracts it on the way back. */
static void do_cvta(struct exec_warp *w, const struct exec_inst *in) {
  const uint32_t m = w->mask;
  if (in->size == 8) {
    uint64_t *d = exec_row(w, in->d);
    const uint64_t *a = exec_row(w, in->a);
    for (unsigned i = 0; i < EXEC_LANES; i++) d[i] = m >> i & 1 ? a[i] + (uint64_t)in->imm : d[i];
  } else {
    uint32_t *d = exec_row(w, in->d);
    const uint32_t *a = exec_row(w, in->a);
    for (unsigned i = 0; i < EXEC_LANES; i++) d[i] = m >> i & 1 ? a[i] + (uint32_t)in->imm : d[i];
  }
}

static void cvta_local(struct exec_warp *w, const struct exec_inst *in) {
  uint64_t *d = exec_row(w, in->d);
  for (unsigned i = 0; i < EXEC_LANES; i++)
    if (w->mask >> i & 1) d[i] = (uint64_t)in->imm + w->frame->local_base;
}

static uint64_t window_of(enum ptx_space s) {
  return s == PTX_SHARED ? EXEC_SHARED_WINDOW : s == PTX_LOCAL ? EXEC_LOCAL_WINDOW : s == PTX_PARAM ? EXEC_PARAM_WINDOW : 0;
}

static bool decode_cvta(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  enum ptx_type t = (enum ptx_type)pi->types[0];
  uint64_t base = window_of((enum ptx_space)pi->space);
  bool narrow = ptx_type_bits(t) == 32 && d->ptx->address_size == 32; /* in global memory the address stays as it is */
  if (pi->n_ops != 2 || (ptx_type_bits(t) != 64 && (!narrow || base)))
    return exec_refuse(d, pi, "generic addresses of shared and local memory have 64 bits here");
  out->unit = EXEC_U_ALU;
  out->size = narrow ? 4 : 8;
  out->imm = ptx_has(pi, PTX_M_to) ? -(int64_t)base : (int64_t)base;
  if (!exec_decode_dest(d, &pi->ops[0], &out->d)) return false;
  if (is_local_address(d, &pi->ops[1])) {
    out->imm += (int64_t)d->ptx->vars[pi->ops[1].sym].offset + pi->ops[1].imm;
    out->fn = cvta_local;
    return true;
  }
  out->fn = base ? do_cvta : narrow ? d->lanes->move32 : d->lanes->move64;
  return exec_decode_source(d, &pi->ops[1], t, &out->a);
}

static bool in_space(uint64_t a, enum ptx_space s) {
  bool shared = a - EXEC_SHARED_WINDOW < EXEC_CLUSTER_WINDOW_BYTES;
  bool local = a - EXEC_LOCAL_WINDOW < EXEC_LOCAL_WINDOW_BYTES;
  bool param = a - EXEC_PARAM_WINDOW < EXEC_PARAM_WINDOW_BYTES;
  if (s == PTX_SHARED) return shared;
  if (s == PTX_LOCAL) return local;
  if (s == PTX_PARAM) return param;
  return !shared && !local && !param;
}

/* Whether a generic address of shared memory belongs to the warp's own CTA. */
static bool is_own(const struct exec_warp *w, uint64_t a) {
  uint64_t offset;
  return exec_cluster_cta(w, a - EXEC_SHARED_WINDOW, &offset) == w->cta;
}

static void do_isspacep(struct exec_warp *w, const struct exec_inst *in) {
  const uint64_t *a = exec_row(w, in->a);
  const struct exec_mem *mem = w->grid->device->mem;
  uint32_t bits = 0;
  for (unsigned i = 0; i < EXEC_LANES; i++) {
    if (!(w->mask >> i & 1)) continue;
    bool yes = in_space(a[i], (enum ptx_space)in->space);
    if (yes && in->space == PTX_SHARED && !in->sub) yes = is_own(w, a[i]);
    if (yes && in->space == PTX_CONST) {
      const struct exec_alloc *al = exec_mem_find(mem, a[i], NULL);
      yes = al && al->kind == EXEC_ALLOC_CONST;
    }
    bits |= (uint32_t)yes << i;
  }
  exec_set_pred(w, in->d, bits);
}

static bool decode_isspacep(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  if (pi->n_ops != 2) return exec_refuse(d, pi, "two operands are expected");
  if (pi->space == PTX_GENERIC || pi->space == PTX_REG || pi->space == PTX_SREG || pi->space == PTX_TEX)
    return exec_refuse(d, pi, "it asks for .global, .shared, .local, .const or .param");
  out->space = pi->space;
  out->sub = ptx_has(pi, PTX_M_shared__cluster); /* of any CTA */
  out->fn = do_isspacep;
  return exec_decode_dest(d, &pi->ops[0], &out->d) && exec_decode_source(d, &pi->ops[1], PTX_U64, &out->a);
}

/* ---- mapa, getctarank --------------------------------------------------------------------------------------------- */

/* The same offset in the CTA with a rank, whichever CTA the address belongs to. */
static void do_mapa(struct exec_warp *w, const struct exec_inst *in) {
  const uint32_t *rank = exec_row(w, in->b);
  const uint64_t offset = (UINT64_C(1) << EXEC_RANK_SHIFT) - 1;
  for (uint32_t m = w->mask; m; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    uint64_t a = in->size == 8 ? ((const uint64_t *)exec_row(w, in->a))[i] : ((const uint32_t *)exec_row(w, in->a))[i];
    uint64_t there = (uint64_t)in->imm + ((uint64_t)(rank[i] % EXEC_MAX_CLUSTER + 1) << EXEC_RANK_SHIFT) + (a & offset);
    if (in->size == 8) ((uint64_t *)exec_row(w, in->d))[i] = there;
    else ((uint32_t *)exec_row(w, in->d))[i] = (uint32_t)there;
  }
}

static void do_getctarank(struct exec_warp *w, const struct exec_inst *in) {
  uint32_t *d = exec_row(w, in->d);
  for (uint32_t m = w->mask; m; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    uint64_t a = in->size == 8 ? ((const uint64_t *)exec_row(w, in->a))[i] : ((const uint32_t *)exec_row(w, in->a))[i];
    uint64_t rank = (a - (uint64_t)in->imm) >> EXEC_RANK_SHIFT;
    d[i] = rank ? (uint32_t)rank - 1 : w->cta->rank;
  }
}

static bool decode_rank(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  enum ptx_type t = pi->n_types == 1 ? (enum ptx_type)pi->types[0] : PTX_NOTYPE;
  bool cluster = ptx_has(pi, PTX_M_shared__cluster), maps = pi->op == PTX_OP_mapa;
  if ((t != PTX_U32 && t != PTX_U64) || (!cluster && pi->space != PTX_GENERIC))
    return exec_refuse(d, pi, "it takes a generic or a .shared::cluster address of .u32 or .u64");
  if (!cluster && t == PTX_U32) return exec_refuse(d, pi, "generic addresses of shared memory have 64 bits here");
  out->fn = maps ? do_mapa : do_getctarank;
  out->unit = EXEC_U_ALU;
  out->size = t == PTX_U64 ? 8 : 4;
  out->imm = cluster ? 0 : (int64_t)EXEC_SHARED_WINDOW;
  return exec_decode_dest(d, &pi->ops[0], &out->d) && exec_decode_source(d, &pi->ops[1], t, &out->a) &&
         (!maps || exec_decode_source(d, &pi->ops[2], PTX_U32, &out->b));
}

bool exec_decode_move(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  switch ((enum ptx_op)pi->op) {
  case PTX_OP_mov: return decode_mov(d, pi, out);
  case PTX_OP_cvta: return decode_cvta(d, pi, out);
  case PTX_OP_mapa:
  case PTX_OP_getctarank: return decode_rank(d, pi, out);
  default: return decode_isspacep(d, pi, out);
  }
}
