/* See resident.h. */
#include "gpu/resident.h"

#include "sm/sm.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)GPU_MAX_GRIDS == (int)SM_MAX_GRIDS, "an SM counts for every slot");

bool gpu_residents_init(struct gpu_residents *r, const struct cfg *cfg, const struct gpu_cta_place *place, struct err *e) {
  *r = (struct gpu_residents){.most = (uint32_t)cfg_int(cfg, "gpu.concurrent_kernels"), .sched = cfg_policy(cfg, "gpu.cta_scheduler")};
  for (uint32_t i = 0; i < r->most + EXEC_LAUNCH_LEVELS; i++)
    if (!(r->at[i].ctas = r->sched->create(cfg, place, e))) return false;
  return true;
}

void gpu_residents_free(struct gpu_residents *r) {
  for (uint32_t i = 0; i < r->most + EXEC_LAUNCH_LEVELS; i++) {
    if (r->at[i].ctas) r->sched->destroy(r->at[i].ctas);
    free(r->at[i].before);
  }
}

/* Grids that others wait for come first, the one that most do; they inherit the others' turns. */
static bool is_served_before(const struct gpu_resident *a, const struct gpu_resident *b) {
  if (a->grid->awaited != b->grid->awaited) return a->grid->awaited > b->grid->awaited;
  return a->priority < b->priority;
}

struct gpu_resident *gpu_residents_add(struct gpu_residents *r, const struct gpu_launch *l, uint64_t ctas) {
  uint32_t slot = 0, at = r->n;
  while (r->at[slot].grid) slot++;
  struct gpu_resident *p = &r->at[slot];
  *p = (struct gpu_resident){.grid = l->grid,
                             .ctas = p->ctas,
                             .ticket = ++r->next_ticket,
                             .program = l->program,
                             .priority = l->priority,
                             .waiting = ctas,
                             .all = ctas,
                             .after = l->after,
                             .beside = r->n != 0};
  for (uint32_t i = 0; i < r->n; i++) r->at[r->order[i]].beside = true;
  for (; at > 0 && is_served_before(p, &r->at[r->order[at - 1]]); at--) r->order[at] = r->order[at - 1];
  r->order[at] = (uint8_t)slot;
  r->n++;
  l->grid->place = slot;
  r->sched->begin(p->ctas, ctas);
  return p;
}

void gpu_residents_remove(struct gpu_residents *r, struct gpu_resident *p) {
  uint32_t at = 0;
  while (&r->at[r->order[at]] != p) at++;
  r->n--;
  memmove(&r->order[at], &r->order[at + 1], r->n - at);
  free(p->before);
  p->before = NULL;
  p->grid = NULL;
}

uint32_t gpu_residents_first_pc(const struct gpu_residents *r, const struct exec_module *m) {
  uint32_t next = 0;
  for (uint32_t i = 0; i < r->n; i++) {
    const struct exec_grid *g = r->at[r->order[i]].grid;
    if (g->module == m) return g->first_pc;
    if (g->first_pc + g->module->n_insts > next) next = g->first_pc + g->module->n_insts;
  }
  return next;
}

static bool sms_in_use(const struct gpu_residents *r, const struct gpu_resident *p) {
  for (uint32_t i = 0; i < r->n; i++) {
    const struct gpu_resident *o = &r->at[r->order[i]];
    if (o != p && o->program == p->program && o->began) return true;
  }
  return false;
}

static bool is_held_back(const struct gpu_residents *r, const struct gpu_resident *p) {
  for (uint32_t i = 0; p->after && i < r->n; i++) {
    const struct gpu_resident *o = &r->at[r->order[i]];
    if (o->ticket == p->after) return o->triggered < o->all;
  }
  return false;
}

bool gpu_residents_must_wait(const struct gpu_residents *r, const struct gpu_resident *p, struct gpu_turns *t) {
  uint32_t program = 1u << p->program;
  if (is_held_back(r, p)) return true;
  if (t->taken & program || (t->held & program && !p->began && !p->grid->awaited)) return true;
  if (!p->grid->cooperative || p->began || !sms_in_use(r, p)) return false;
  t->held |= program;
  return true;
}
