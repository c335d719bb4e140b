/* CTAs that wait for kernels which they have launched (exec/run/device_wait.h), swapped out as by hardware of compute
 * capability 3.5 to 8.9. Such a CTA keeps its place until a CTA of a kernel that somebody waits for finds none. Then
 * waiting CTAs of one SM leave, in the order of their slots and no more than needed, if the new CTA fits into their
 * room. When the kernels that a CTA has launched have ended, it comes back before any new CTA of its SM, and other
 * waiting CTAs leave for it in turn. So no CTA that waits keeps a kernel from running that another waits for.
 *
 * Simplified: the state of a CTA is saved and restored in no time (there is no figure for it), and takes neither
 * memory nor bandwidth; a CTA comes back to the SM that it left, although CUDA says that it may come back to any;
 * replies that are in flight when it leaves are dropped. A CTA of a cluster, or one with bulk copies in flight, does
 * not leave. Warps that wait for kernels are counted as waiting at a barrier.
 *
 * Owns: nothing; the CTAs that are away belong to the SM. */
#include "gpu/gpu_parts.h"

#include "exec/run/cta_cluster.h"
#include "sm/sm.h"

static void send_away(struct gpu *g, uint32_t i, uint32_t slot) {
  if (gpu_cta_recorded(&g->ctas)) gpu_cta_ended(&g->ctas, i, slot, g->before_run + gpu_cycles_now(g));
  sm_send_away(&g->sms[i], slot, g->now);
}

/* On one SM, for a CTA of the grid. */
static bool make_room(struct gpu *g, uint32_t i, const struct exec_grid *grid) {
  struct sm *s = &g->sms[i];
  int slot;
  bool any = false;
  while (!sm_fits(s, grid, g->leaving[i].n) && (slot = sm_who_leaves(s, grid, g->leaving[i].n)) >= 0) {
    send_away(g, i, (uint32_t)slot);
    any = true;
  }
  return any;
}

static bool has_program(const struct gpu *g, uint32_t i, uint32_t program) { return g->program_of[i] == program && !g->sms[i].n_back; }

/* SMs from `first` to `end` that hold a CTA of the grid, now or if others leave. */
static uint32_t count_places(const struct gpu *g, const struct gpu_resident *r, uint32_t first, uint32_t end, bool others_leave) {
  uint32_t n = 0;
  for (uint32_t i = first; i < end; i++) {
    uint32_t leaving = g->leaving[i].n;
    if (!has_program(g, i, r->program)) continue;
    n += sm_fits(&g->sms[i], r->grid, leaving) || (others_leave && sm_who_leaves(&g->sms[i], r->grid, leaving) >= 0);
  }
  return n;
}

/* CTAs of a cluster need an SM of one GPC each. */
bool gpu_make_room(struct gpu *g, const struct gpu_resident *r) {
  uint32_t size = exec_cluster_size(r->grid), per = size > 1 && g->gpc_sms ? g->gpc_sms : g->n_sms;
  uint64_t made = 0, wanted = size > 1 ? size : r->waiting;
  for (uint32_t first = 0; first < g->n_sms; first += per)
    if (count_places(g, r, first, first + per < g->n_sms ? first + per : g->n_sms, false) >= size) return false;
  for (uint32_t first = 0; first < g->n_sms && !made; first += per) {
    uint32_t end = first + per < g->n_sms ? first + per : g->n_sms;
    if (count_places(g, r, first, end, true) < size) continue;
    for (uint32_t i = first; i < end && made < wanted; i++)
      if (has_program(g, i, r->program)) made += make_room(g, i, r->grid);
  }
  return made;
}

static void bring_back(struct gpu *g, uint32_t i) {
  struct sm *s = &g->sms[i];
  for (const struct exec_grid *grid; (grid = sm_first_back(s)); g->n_back--) {
    make_room(g, i, grid);
    if (!sm_fits(s, grid, g->leaving[i].n)) return;
    uint64_t ticket = g->grids.at[grid->place].ticket;
    uint32_t slot = sm_bring_back(s, g->now);
    if (gpu_cta_recorded(&g->ctas)) gpu_cta_started(&g->ctas, i, slot, ticket, g->before_run + gpu_cycles_now(g));
  }
}

bool gpu_bring_back(struct gpu *g) {
  for (uint32_t i = 0; i < g->n_sms && g->n_back; i++)
    if (g->sms[i].n_back) bring_back(g, i);
  return !g->n_back;
}

void gpu_children_ended(struct gpu *g, const struct exec_grid *grid, uint64_t cta) {
  for (uint32_t i = 0; i < g->n_sms; i++) {
    uint32_t back = g->sms[i].n_back;
    if (!sm_children_ended(&g->sms[i], grid, cta, g->now)) continue;
    g->n_back += g->sms[i].n_back - back;
    break;
  }
  g->dispatch_at = g->now;
}
