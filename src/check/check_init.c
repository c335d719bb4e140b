/* initcheck: reads of memory that nobody wrote since it was allocated, or since the CTA began.
 *
 * Device memory is written by kernels, copies and fills; memory that the host can write by itself (managed, pinned,
 * registered), variables of modules, the heap of device malloc and texture storage count as written. A copy within the device
 * copies what is known of its bytes. Local memory and texture fetches are not looked at. */
#include "check/check_state.h"

static bool starts_fresh(const struct exec_alloc *a) { return a->kind == EXEC_ALLOC_DEVICE; }

void check_allocated(void *user, const struct exec_alloc *a) {
  struct check *c = user;
  uint64_t bytes = a->range.end - a->range.base;
  if (!(c->tools & CHECK_INIT) || a->kind == EXEC_ALLOC_REGISTERED) return;
  if (starts_fresh(a)) shadow_fresh(c->shadow, a->range.base, bytes);
  else shadow_written(c->shadow, a->range.base, bytes);
}

/* What is freed may be read by nobody, which is memcheck's to say. */
void check_freed(void *user, const struct exec_alloc *a) {
  struct check *c = user;
  if ((c->tools & CHECK_INIT) && starts_fresh(a)) shadow_written(c->shadow, a->range.base, a->range.end - a->range.base);
}

void check_moved(void *user, uint64_t to, uint64_t from, uint64_t bytes) {
  struct check *c = user;
  if (!(c->tools & CHECK_INIT) || !bytes) return;
  if (to && from) {
    shadow_copied(c->shadow, to, from, bytes);
    return;
  }
  if (to) {
    shadow_written(c->shadow, to, bytes);
    return;
  }
  uint64_t hole = shadow_unwritten(c->shadow, from, bytes);
  if (hole == UINT64_MAX || !check_is_new(c, CHECK_INIT, "uninitialized-copy", NULL, (void *)(uintptr_t)from)) return;
  check_write(c, &(struct check_found){.tool = CHECK_INIT,
                                       .kind = "uninitialized-copy",
                                       .text = "a copy to the host reads device memory that nobody wrote",
                                       .space = PTX_GLOBAL,
                                       .address = hole,
                                       .bytes = bytes});
}

static void report_uninitialised(struct check *c, const struct exec_warp *w, const struct exec_inst *in, const struct exec_shown *t,
                                 unsigned lane, uint64_t address) {
  const char *kind = t->space == PTX_SHARED ? "uninitialized-shared" : "uninitialized-global";
  if (!check_is_new(c, CHECK_INIT, kind, in, NULL)) return;
  check_write(c, &(struct check_found){.tool = CHECK_INIT,
                                       .kind = kind,
                                       .text = t->space == PTX_SHARED ? "shared memory that no thread of its block wrote"
                                                                      : "device memory that nobody wrote",
                                       .place = {check_place_of(w, in, lane, t->op == EXEC_LOAD ? "read" : "atomic")},
                                       .places = 1,
                                       .space = t->space,
                                       .address = address,
                                       .bytes = t->bytes});
}

/* Whether the few bytes, in one word of the bitmap, have all been written: most accesses. */
static bool all_set(const uint64_t *map, uint64_t at, uint64_t bytes) {
  return bytes < 64 && at % 64 + bytes <= 64 && !(~map[at / 64] >> at % 64 & ((UINT64_C(1) << bytes) - 1));
}

static bool all_written(struct check *c, const struct check_cta *cta, const struct exec_shown *t, uint64_t at, uint64_t bytes) {
  if (t->space == PTX_SHARED) return all_set(cta->written, at, bytes);
  const struct shadow_page *p = shadow_page(c->shadow, at);
  if (at % SHADOW_PAGE + bytes > SHADOW_PAGE) return false;
  return !p->written || all_set(p->written, at % SHADOW_PAGE, bytes);
}

static void visit(struct check *c, const struct exec_warp *w, const struct exec_inst *in, const struct exec_shown *t, unsigned lane,
                  uint64_t bytes) {
  struct check_cta *cta = (t->space == PTX_SHARED ? t->cta : w->cta)->observed;
  uint64_t at = t->addr[lane], hole = UINT64_MAX;
  if (all_written(c, cta, t, at, bytes)) return;
  bool shared = t->space == PTX_SHARED;
  if (t->op != EXEC_STORE) hole = shared ? bits_first_clear(cta->written, at, bytes) : shadow_unwritten(c->shadow, at, bytes);
  if (hole != UINT64_MAX) report_uninitialised(c, w, in, t, lane + (unsigned)((hole - at) / t->bytes), hole);
  if (t->op == EXEC_LOAD) return;
  if (shared) bits_set(cta->written, at, bytes);
  else shadow_written(c->shadow, at, bytes);
}

void check_init(struct check *c, const struct exec_warp *w, const struct exec_inst *in, const struct exec_shown *t) {
  struct exec_shown as = *t;
  if (in->ptx->op == PTX_OP_mbarrier && ptx_has(in->ptx, PTX_M_init)) as.op = EXEC_STORE;
  if (as.same || as.adjoining) { /* one range */
    visit(c, w, in, &as, (unsigned)__builtin_ctz(t->lanes), as.adjoining ? t->bytes * EXEC_LANES : t->bytes);
    return;
  }
  for (uint32_t m = t->lanes; m; m &= m - 1) visit(c, w, in, &as, (unsigned)__builtin_ctz(m), t->bytes);
}
