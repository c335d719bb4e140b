/* Which modifiers an instruction needs or may not have, according to the ISA's manual and to what ptxas 13 refuses (tests/ptx/accept), and
 * the least architecture that has the instruction. What is wrong is stated as the reason of a refusal.
 *
 * Modules for architectures before sm_20 are older than these rules: their divisions and conversions name no rounding. Up to PTX 3.1 a
 * mad.f32 without rounding is rounded to nearest, for later architectures too.
 *
 * Does not look at operands, except the numbers of barriers and events, nor at forms for which no lane function exists (the families refuse
 * those). */
#include "exec/forms.h"

static bool has_rounding(const struct ptx_inst *pi) {
  return ptx_has(pi, PTX_M_rn) || ptx_has(pi, PTX_M_rz) || ptx_has(pi, PTX_M_rm) || ptx_has(pi, PTX_M_rp);
}

static bool has_directed(const struct ptx_inst *pi) { return has_rounding(pi) && !ptx_has(pi, PTX_M_rn); }

static bool has_any(const struct ptx_inst *pi, const enum ptx_mod *mods) {
  for (; *mods; mods++)
    if (ptx_has(pi, *mods)) return true;
  return false;
}

static const char *sum_fault(const struct ptx_inst *pi, enum ptx_type t) {
  static const enum ptx_mod never[] = {PTX_M_cc, PTX_M_approx, PTX_M_full, PTX_M_rna, PTX_M_lo, PTX_M_hi, PTX_M_wide, PTX_M_none};
  if (has_any(pi, never)) return "a floating-point type does not have one of its modifiers";
  bool any_rounding = pi->op == PTX_OP_fma && (t == PTX_BF16 || t == PTX_BF16X2);
  if (exec_form_is_half(t) && has_directed(pi) && !any_rounding) return "this type is rounded to nearest only";
  return NULL;
}

static const char *fma_fault(const struct ptx_inst *pi, enum ptx_type t) {
  const char *fault = sum_fault(pi, t);
  if (fault) return fault;
  if (!has_rounding(pi)) return "its rounding is missing (.rn, .rz, .rm or .rp)";
  if (ptx_has(pi, PTX_M_relu) && !exec_form_is_half(t)) return "only f16 and bf16 types have .relu";
  if (pi->op == PTX_OP_mad && exec_form_is_half(t)) return "mad has no f16 or bf16 type (fma has)";
  return NULL;
}

static const char *quotient_fault(const struct ptx_inst *pi, enum ptx_type t) {
  bool approximate = ptx_has(pi, PTX_M_approx), full = ptx_has(pi, PTX_M_full), rounded = has_rounding(pi);
  if (full && (pi->op != PTX_OP_div || t != PTX_F32)) return "only div.f32 has .full";
  if (approximate + full + rounded != 1) return "exactly one of a rounding, .approx and .full is expected";
  return NULL;
}

/* Approximations only: tanh never flushes, ex2 of bf16 always does. */
static const char *approximation_fault(const struct ptx_inst *pi, enum ptx_type t) {
  bool flush = ptx_has(pi, PTX_M_ftz), bf16 = t == PTX_BF16 || t == PTX_BF16X2;
  if (!ptx_has(pi, PTX_M_approx)) return ".approx is missing";
  if (has_rounding(pi)) return "an approximation has no rounding";
  if (pi->op == PTX_OP_tanh && flush) return "tanh has no .ftz";
  if (pi->op == PTX_OP_ex2 && exec_form_is_half(t) && flush != bf16) return bf16 ? "a bf16 type needs .ftz" : "an f16 type has no .ftz";
  return NULL;
}

static const char *float_fault(const struct ptx_inst *pi) {
  enum ptx_type t = (enum ptx_type)pi->types[0];
  if (!ptx_type_float(t)) return NULL;
  switch (pi->op) {
  case PTX_OP_add:
  case PTX_OP_sub:
  case PTX_OP_mul: return sum_fault(pi, t);
  case PTX_OP_fma:
  case PTX_OP_mad: return fma_fault(pi, t);
  case PTX_OP_div:
  case PTX_OP_rcp:
  case PTX_OP_sqrt: return quotient_fault(pi, t);
  case PTX_OP_min:
  case PTX_OP_max: return ptx_has(pi, PTX_M_relu) ? "only integer types have .relu" : NULL;
  case PTX_OP_rsqrt:
  case PTX_OP_sin:
  case PTX_OP_cos:
  case PTX_OP_lg2:
  case PTX_OP_ex2:
  case PTX_OP_tanh: return approximation_fault(pi, t);
  default: return NULL;
  }
}

/* ---- conversions ---------------------------------------------------------------------------------------- */

static bool plain_float(enum ptx_type t) { return t == PTX_F16 || t == PTX_BF16 || t == PTX_F32 || t == PTX_F64; }

static bool plain_integer(enum ptx_type t) { return (t >= PTX_U8 && t <= PTX_U64) || (t >= PTX_S8 && t <= PTX_S64); }

static const char *convert_fault(const struct ptx_inst *pi) {
  if (pi->n_types != 2 || pi->n_ops != 2) return NULL;
  enum ptx_type to = (enum ptx_type)pi->types[0], from = (enum ptx_type)pi->types[1];
  bool rounded = has_rounding(pi) || ptx_has(pi, PTX_M_rna);
  bool whole = ptx_has(pi, PTX_M_rni) || ptx_has(pi, PTX_M_rzi) || ptx_has(pi, PTX_M_rmi) || ptx_has(pi, PTX_M_rpi);
  if (to == PTX_F16X2 && (from == PTX_E4M3X2 || from == PTX_E5M2X2) && !ptx_has(pi, PTX_M_rn)) return "its rounding is missing (.rn)";
  if (plain_integer(to) && plain_integer(from)) return rounded || whole ? "between integers nothing is rounded" : NULL;
  if (!plain_float(to)) return NULL;
  if (plain_integer(from)) {
    if (whole) return "an integer is not rounded to an integer";
    return rounded ? NULL : "its rounding is missing (.rn, .rz, .rm or .rp)";
  }
  if (!plain_float(from)) return NULL;
  if (to == from) return rounded && to != PTX_BF16 ? "a value of the same type is rounded to integers only" : NULL;
  if (whole) return "only a value of the same type is rounded to integers";
  if (ptx_type_bits(to) > ptx_type_bits(from)) return rounded && from != PTX_BF16 ? "a wider type needs no rounding" : NULL;
  if (ptx_type_bits(to) < ptx_type_bits(from) && !rounded) return "its rounding is missing (.rn, .rz, .rm or .rp)";
  return NULL;
}

/* ---- moves ---------------------------------------------------------------------------------------------- */

static const char *mov_fault(const struct ptx_inst *pi) {
  enum ptx_type t = (enum ptx_type)pi->types[0];
  if (exec_form_is_half(t)) return "values of 16 bits are moved as .b16 or .b32";
  if (ptx_type_bits(t) == 8) return "registers of 8 bits are not moved";
  bool parts = pi->n_ops == 2 && (pi->ops[0].kind == PTX_O_VEC || pi->ops[1].kind == PTX_O_VEC) && pi->vec == 1;
  bool bits = t == PTX_B16 || t == PTX_B32 || t == PTX_B64 || t == PTX_B128;
  return parts && !bits ? "parts are put together and taken apart as .b types" : NULL;
}

static const char *cvta_fault(const struct ptx_inst *pi) {
  if (pi->space == PTX_GENERIC) return "its state space is missing";
  return pi->types[0] == PTX_U32 || pi->types[0] == PTX_U64 ? NULL : "addresses are .u32 or .u64";
}

/* ---- what threads do together ---------------------------------------------------------------------------- */

static const char *fence_fault(const struct ptx_inst *pi) {
  if (ptx_has(pi, PTX_M_proxy) || ptx_has(pi, PTX_M_mbarrier_init)) return NULL;
  if (pi->op == PTX_OP_membar)
    return ptx_has(pi, PTX_M_cta) || ptx_has(pi, PTX_M_gl) || ptx_has(pi, PTX_M_sys) ? NULL : "its level is missing (.cta, .gl or .sys)";
  return exec_form_has_scope(pi) ? NULL : "its scope is missing (.cta, .cluster, .gpu or .sys)";
}

/* A barrier's number, and the number of threads that follows it. */
static const char *barrier_fault(const struct ptx_inst *pi) {
  if (ptx_has(pi, PTX_M_cluster))
    return ptx_has(pi, PTX_M_wait) && ptx_has(pi, PTX_M_relaxed) ? ".wait of a cluster is never .relaxed" : NULL;
  if (ptx_has(pi, PTX_M_warp)) return NULL;
  unsigned red = ptx_has(pi, PTX_M_red); /* a result in front, and a predicate behind */
  if (2 * red >= pi->n_ops) return NULL;
  const struct ptx_opnd *number = &pi->ops[red], *threads = pi->n_ops > 2 * red + 1 ? &pi->ops[red + 1] : NULL;
  if (number->kind == PTX_O_INT && (uint64_t)number->imm > 15) return "barriers have the numbers 0 to 15";
  return threads && threads->kind == PTX_O_INT && threads->imm % 32 ? "the threads of a barrier are a multiple of 32" : NULL;
}

static const char *shared_value_fault(const struct ptx_inst *pi) {
  enum ptx_type t = (enum ptx_type)pi->types[0];
  bool logic = ptx_has(pi, PTX_M_and) || ptx_has(pi, PTX_M_or) || ptx_has(pi, PTX_M_xor);
  switch (pi->op) {
  case PTX_OP_shfl: return ptx_has(pi, PTX_M_sync) && t != PTX_B32 ? "it moves .b32" : NULL;
  case PTX_OP_redux: return logic == (t == PTX_B32) ? NULL : ".and, .or and .xor are for .b32, the others for numbers";
  case PTX_OP_match:
    if (t != PTX_B32 && t != PTX_B64) return "it compares .b32 or .b64";
    return ptx_has(pi, PTX_M_any) && pi->ops[0].second >= 0 ? "match.any has no predicate (match.all has)" : NULL;
  default: return NULL;
  }
}

static const char *together_fault(const struct ptx_inst *pi) {
  switch (pi->op) {
  case PTX_OP_membar:
  case PTX_OP_fence: return fence_fault(pi);
  case PTX_OP_bar:
  case PTX_OP_barrier: return barrier_fault(pi);
  case PTX_OP_shfl:
  case PTX_OP_redux:
  case PTX_OP_match: return pi->n_types ? shared_value_fault(pi) : NULL;
  case PTX_OP_activemask: return pi->n_types ? NULL : "its type is missing (.b32)";
  case PTX_OP_nanosleep: return pi->n_types ? NULL : "its type is missing (.u32)";
  case PTX_OP_mma: return ptx_has(pi, PTX_M_aligned) ? NULL : ".aligned is missing";
  case PTX_OP_griddepcontrol:
    return ptx_has(pi, PTX_M_wait) || ptx_has(pi, PTX_M_launch_dependents) ? NULL : "it needs .wait or .launch_dependents";
  case PTX_OP_exit:
  case PTX_OP_trap:
  case PTX_OP_brkpt: return ptx_has(pi, PTX_M_uni) ? "it has no .uni" : NULL;
  case PTX_OP_pmevent:
    return !ptx_has(pi, PTX_M_mask) && pi->n_ops && pi->ops[0].kind == PTX_O_INT && (uint64_t)pi->ops[0].imm > 15
               ? "events have the numbers 0 to 15"
               : NULL;
  default: return NULL;
  }
}

/* ---- architectures -------------------------------------------------------------------------------------- */

static unsigned least_target(const struct ptx_inst *pi) {
  enum ptx_type t = pi->n_types ? (enum ptx_type)pi->types[0] : PTX_NOTYPE;
  bool moves = pi->op == PTX_OP_ld || pi->op == PTX_OP_st;
  bool sums = pi->op == PTX_OP_atom || pi->op == PTX_OP_red;
  if (t == PTX_F32X2 || (pi->vec == 8 && !sums) || (moves && pi->vec * ptx_type_bits(t) > 128)) return 100;
  switch (pi->op) {
  case PTX_OP_add:
  case PTX_OP_sub:
  case PTX_OP_mul: return t == PTX_BF16 || t == PTX_BF16X2 ? 90 : 0;
  case PTX_OP_min:
  case PTX_OP_max: return pi->n_ops == 4 ? 100 : ptx_has(pi, PTX_M_NaN) ? 80 : 0;
  case PTX_OP_redux: return t == PTX_F32 ? 100 : 80;
  case PTX_OP_elect:
  case PTX_OP_mapa:
  case PTX_OP_tensormap:
  case PTX_OP_getctarank: return 90;
  case PTX_OP_mbarrier: return ptx_has(pi, PTX_M_try_wait) ? 90 : 80;
  case PTX_OP_cp: return ptx_has(pi, PTX_M_async) ? 80 : 0;
  case PTX_OP_cvt: return t == PTX_E4M3X2 || t == PTX_E5M2X2 ? 89 : 0;
  case PTX_OP_tanh: return 75;
  default: return 0;
  }
}

/* Only for code that was made for one architecture (sm_90a). */
static const char *specific_fault(const struct ptx_inst *pi, const struct ptx_module *m) {
  if (pi->op != PTX_OP_wgmma && pi->op != PTX_OP_setmaxnreg && !(pi->op == PTX_OP_tensormap && ptx_has(pi, PTX_M_replace))) return NULL;
  bool has = m->target_arch_specific && (pi->op == PTX_OP_wgmma ? m->target == 90 : m->target >= 90);
  return has ? NULL : "it needs .target sm_90a";
}

static const char *target_fault(const struct ptx_inst *pi, const struct ptx_module *m) {
  const char *specific = specific_fault(pi, m);
  if (specific) return specific;
  static const char *const missing[] = {[75] = "it needs .target sm_75 or higher", [80] = "it needs .target sm_80 or higher",
                                        [89] = "it needs .target sm_89 or higher", [90] = "it needs .target sm_90 or higher",
                                        [100] = "it needs .target sm_100 or higher"};
  unsigned least = least_target(pi);
  if (m->target < least) return missing[least];
  bool plain = (pi->op == PTX_OP_shfl || pi->op == PTX_OP_vote) && !ptx_has(pi, PTX_M_sync);
  return plain && m->target >= 70 && m->version >= 64 ? "without .sync it ended with sm_70" : NULL;
}

static bool rounded_by_default(const struct ptx_inst *pi, const struct ptx_module *m) {
  return m->version <= 31 && pi->op == PTX_OP_mad && pi->types[0] == PTX_F32 && !has_rounding(pi);
}

const char *exec_form_fault(const struct ptx_inst *pi, const struct ptx_module *m) {
  const char *fault = target_fault(pi, m);
  if (fault || m->target < 20) return fault;
  fault = exec_access_fault(pi);
  if (!fault) fault = together_fault(pi);
  if (fault || pi->n_types == 0) return fault;
  if (rounded_by_default(pi, m)) return sum_fault(pi, PTX_F32);
  switch (pi->op) {
  case PTX_OP_cvt: return convert_fault(pi);
  case PTX_OP_cvta: return cvta_fault(pi);
  case PTX_OP_mov: return mov_fault(pi);
  default: return float_fault(pi);
  }
}
