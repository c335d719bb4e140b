/* Which modifiers and types memory instructions may have (forms.h), as ptxas 13 refuses them (tests/ptx/accept).
 *
 * Looks neither at addresses nor at the operands of bulk copies and mbarriers, which are checked when these are decoded. */
#include "exec/forms.h"

static bool is_bits(enum ptx_type t) { return t == PTX_B16 || t == PTX_B32 || t == PTX_B64 || t == PTX_B128; }

/* ---- loads and stores ------------------------------------------------------------------------------------ */

static const char *order_fault(const struct ptx_inst *pi) {
  bool load = pi->op == PTX_OP_ld, ordered = ptx_has(pi, load ? PTX_M_acquire : PTX_M_release) || ptx_has(pi, PTX_M_relaxed);
  if (ptx_has(pi, load ? PTX_M_release : PTX_M_acquire)) return load ? "a load does not release" : "a store does not acquire";
  if (ordered && !exec_form_has_scope(pi)) return "its scope is missing (.cta, .cluster, .gpu or .sys)";
  return exec_form_has_scope(pi) && !ordered ? "a scope is for .acquire, .release and .relaxed" : NULL;
}

/* Cache operators, eviction priorities and hints. */
static const char *cache_fault(const struct ptx_inst *pi) {
  bool load = pi->op == PTX_OP_ld, hint = ptx_has(pi, PTX_M_L2__cache_hint);
  bool size = ptx_has(pi, PTX_M_L2__64B) || ptx_has(pi, PTX_M_L2__128B) || ptx_has(pi, PTX_M_L2__256B);
  bool l1 = ptx_has(pi, PTX_M_L1__evict_normal) || ptx_has(pi, PTX_M_L1__evict_unchanged) || ptx_has(pi, PTX_M_L1__evict_first) ||
            ptx_has(pi, PTX_M_L1__evict_last) || ptx_has(pi, PTX_M_L1__no_allocate);
  bool l2 = ptx_has(pi, PTX_M_L2__evict_last) || ptx_has(pi, PTX_M_L2__evict_first) || ptx_has(pi, PTX_M_L2__evict_normal);
  if (load ? ptx_has(pi, PTX_M_wb) || ptx_has(pi, PTX_M_wt) : ptx_has(pi, PTX_M_ca) || ptx_has(pi, PTX_M_lu) || ptx_has(pi, PTX_M_cv))
    return load ? "this cache operation is for stores" : "this cache operation is for loads";
  if (ptx_has(pi, PTX_M_nc) && (!load || pi->space != PTX_GLOBAL)) return ".nc is for loads of global memory";
  if (size && !load) return "only a load names how much L2 shall fetch";
  if (l2 && pi->vec * ptx_type_bits((enum ptx_type)pi->types[0]) <= 128) return "L2 is told what to evict by accesses of 32 bytes only";
  if (pi->space == PTX_SHARED && (size || l1 || l2 || hint)) return "shared memory has no such caches";
  if (hint != (pi->n_ops == 3)) return hint ? "its cache policy is missing" : "a cache policy needs .L2::cache_hint";
  return NULL;
}

static const char *width_fault(const struct ptx_inst *pi) {
  enum ptx_type t = (enum ptx_type)pi->types[0];
  if (exec_form_is_half(t)) return "values of 16 bits are moved as .b16 or .b32";
  if (pi->op == PTX_OP_ld && pi->vec == 8 && ptx_type_bits(t) != 32) return "eight loaded elements have 32 bits each";
  return pi->vec * ptx_type_bits(t) > 128 && pi->space == PTX_SHARED ? "accesses of 32 bytes are of global memory" : NULL;
}

static const char *move_fault(const struct ptx_inst *pi) {
  if (ptx_has(pi, PTX_M_async) || ptx_has(pi, PTX_M_bulk)) return NULL;
  const char *fault = order_fault(pi);
  if (!fault) fault = cache_fault(pi);
  return fault ? fault : width_fault(pi);
}

/* ---- atomic operations ----------------------------------------------------------------------------------- */

static const char *atomic_fault(const struct ptx_inst *pi) {
  enum ptx_type t = (enum ptx_type)pi->types[0];
  bool swaps = ptx_has(pi, PTX_M_exch) || ptx_has(pi, PTX_M_cas), reduces = pi->op == PTX_OP_red;
  if (swaps && reduces) return "red has no .exch and no .cas (atom has)";
  if (reduces && (ptx_has(pi, PTX_M_acquire) || ptx_has(pi, PTX_M_acq_rel))) return "red reads nothing that it could acquire by";
  if (swaps && !is_bits(t)) return ".exch and .cas are for .b types";
  if (!ptx_has(pi, PTX_M_add)) return NULL;
  if ((t == PTX_S64 && !ptx_has(pi, PTX_M_async)) || is_bits(t)) return ".add has .u64, and no .s64 or .b type";
  return exec_form_is_half(t) && !ptx_has(pi, PTX_M_noftz) ? "a sum of this type needs .noftz" : NULL;
}

/* ---- others ---------------------------------------------------------------------------------------------- */

static const char *prefetch_fault(const struct ptx_inst *pi) {
  if (pi->op == PTX_OP_prefetchu && !ptx_has(pi, PTX_M_L1)) return "prefetchu is for L1";
  return pi->space == PTX_SHARED ? "shared memory is not cached" : NULL;
}

/* cp.async of up to 16 bytes, and the waits for it. */
static const char *copy_fault(const struct ptx_inst *pi) {
  if (!ptx_has(pi, PTX_M_async) || ptx_has(pi, PTX_M_bulk)) return NULL;
  if (ptx_has(pi, PTX_M_wait_group)) return pi->n_ops && pi->ops[0].kind == PTX_O_INT ? NULL : "how many groups may be left is a constant";
  bool copies = !ptx_has(pi, PTX_M_commit_group) && !ptx_has(pi, PTX_M_wait_all) && !ptx_has(pi, PTX_M_mbarrier);
  return copies && !ptx_has(pi, PTX_M_ca) && !ptx_has(pi, PTX_M_cg) ? "its cache operation is missing (.ca or .cg)" : NULL;
}

const char *exec_access_fault(const struct ptx_inst *pi) {
  switch (pi->op) {
  case PTX_OP_ld:
  case PTX_OP_st: return pi->n_types ? move_fault(pi) : NULL;
  case PTX_OP_ldu: return pi->space != PTX_GLOBAL && pi->space != PTX_GENERIC ? "ldu reads global memory" : NULL;
  case PTX_OP_atom:
  case PTX_OP_red: return pi->n_types ? atomic_fault(pi) : NULL;
  case PTX_OP_cp: return copy_fault(pi);
  case PTX_OP_mbarrier: return pi->n_types && pi->types[0] != PTX_B64 ? "a barrier in memory is a .b64" : NULL;
  case PTX_OP_prefetch:
  case PTX_OP_prefetchu: return prefetch_fault(pi);
  case PTX_OP_discard: return pi->n_ops == 2 && pi->ops[1].kind == PTX_O_INT && pi->ops[1].imm == 128 ? NULL : "128 bytes are discarded";
  default: return NULL;
  }
}
