/* See pipeline.h. */
#include "sm/pipeline.h"

#include <assert.h>
#include <string.h>

void sm_pipeline_init(struct sm_pipeline *p, const struct sm_pipeline_config *c) {
  memset(p, 0, sizeof *p);
  p->c = *c;
  for (unsigned s = 0; s < SM_SETS; s++) {
    struct sm_collector_set *set = &p->set[s];
    uint32_t width = s == SM_SET_MEM ? 1 : c->units[s];
    set->n = c->collectors[s];
    set->ports = set->issued.width = set->collected.width = width;
    p->first[s] = p->total;
    p->total += set->n;
  }
}

static uint32_t bank_of(const struct sm_pipeline *p, uint32_t reg, uint32_t warp) { return (reg + warp) % p->c.banks; }

/* ---- stages ---- */

static void put(struct sm_stage *s, const struct sm_flight *f) { s->at[s->count++] = *f; }

/* The oldest leaves first. */
static struct sm_flight *oldest(struct sm_stage *s) {
  struct sm_flight *best = NULL;
  for (uint32_t i = 0; i < s->count; i++)
    if (!best || s->at[i].seq < best->seq) best = &s->at[i];
  return best;
}

static void leave(struct sm_stage *s, struct sm_flight *f) { *f = s->at[--s->count]; }

void sm_pipeline_issue(struct sm_pipeline *p, const struct sm_flight *f) {
  struct sm_stage *s = &p->set[f->set].issued;
  assert(s->count < s->width);
  put(s, f);
  s->at[s->count - 1].seq = p->seq++;
  p->inside++;
}

static struct sm_plan *plan_for(struct sm_pipeline *p, uint64_t cycle) {
  struct sm_plan *t = &p->plan[cycle % SM_AHEAD];
  if (t->cycle != cycle) *t = (struct sm_plan){.cycle = cycle};
  return t;
}

void sm_pipeline_write(struct sm_pipeline *p, uint64_t cycle, uint32_t reg, uint32_t warp) {
  plan_for(p, cycle)->written |= UINT32_C(1) << bank_of(p, reg, warp);
}

/* ---- units ---- */

/* The oldest instruction in front of the units of a set goes into one of them, if its result will find it and a bus free. */
static void enter_unit(struct sm_pipeline *p, unsigned set, unsigned unit, uint64_t now,
                       void (*entered)(void *user, const struct sm_flight *f, uint64_t ready), void *user) {
  enum { TO_REGISTER = 2 }; /* cycles after the unit: to the bus and over it */
  struct sm_flight *f = oldest(&p->set[set].collected);
  if (!f || p->free[set][unit] > now) return;
  uint64_t ready = now + f->latency + TO_REGISTER;
  struct sm_plan *end = plan_for(p, now + f->latency);
  if (end->ends[set] >> unit & 1 || end->results >= p->c.buses) return;
  p->free[set][unit] = now + f->interval;
  end->ends[set] |= (uint8_t)(1u << unit);
  end->results++;
  struct sm_flight gone = *f;
  leave(&p->set[set].collected, f);
  p->inside--;
  for (unsigned i = 0; i < gone.deps->n_results; i++) sm_pipeline_write(p, ready, gone.deps->results[i], gone.warp);
  entered(user, &gone, ready);
}

/* ---- collectors ---- */

/* Of the full collectors the next after the one this way out last emptied, going round; memory instructions go in order. */
static int next_full(const struct sm_collector_set *set, bool in_order, unsigned way) {
  if (!in_order) {
    uint32_t after = set->full >> (set->last[way] + 1) << (set->last[way] + 1);
    return set->full ? __builtin_ctz(after ? after : set->full) : -1;
  }
  int best = -1;
  for (uint32_t left = set->used; left; left &= left - 1) {
    int i = __builtin_ctz(left);
    if (best < 0 || set->at[i].f.seq < set->at[best].f.seq) best = i;
  }
  return best >= 0 && set->full >> best & 1 ? best : -1;
}

static void empty_collector(struct sm_pipeline *p, unsigned s, unsigned way) {
  struct sm_collector_set *set = &p->set[s];
  int i = set->collected.count < set->collected.width ? next_full(set, s == SM_SET_MEM, way) : -1;
  if (i < 0) return;
  set->last[way] = (uint32_t)i;
  put(&set->collected, &set->at[i].f);
  set->used &= ~(UINT32_C(1) << i);
  set->full &= ~(UINT32_C(1) << i);
}

/* A bank has read for the collector that asked first. */
static void pop_read(struct sm_pipeline *p, uint32_t bank) {
  struct sm_bank *b = &p->bank[bank];
  uint32_t number = b->queue[b->head], s = SM_SETS - 1;
  while (p->first[s] > number) s--;
  number -= p->first[s];
  if (!--p->set[s].at[number].waits) p->set[s].full |= UINT32_C(1) << number;
  b->head = (b->head + 1) % sizeof b->queue;
  if (!--b->count) p->asked &= ~(UINT32_C(1) << bank);
}

/* Every bank that is not written reads for the collector that asked first. Where a collector receives one register a cycle,
 * banks that want the same one are ordered by a diagonal that moves on every cycle. */
static void read_banks(struct sm_pipeline *p, uint64_t now) {
  uint32_t asked = p->asked & ~plan_for(p, now)->written;
  if (p->c.parallel_reads) {
    for (; asked; asked &= asked - 1) pop_read(p, (uint32_t)__builtin_ctz(asked));
    return;
  }
  uint32_t square = p->total > p->c.banks ? p->total : p->c.banks, turn = (uint32_t)(now % square);
  uint8_t rank[SM_SETS * SM_SET_COLLECTORS], bank[SM_SETS * SM_SET_COLLECTORS];
  uint64_t wanted = 0;
  for (; asked; asked &= asked - 1) {
    uint32_t b = (uint32_t)__builtin_ctz(asked), c = p->bank[b].queue[p->bank[b].head], r = (c + 2 * square - b - turn) % square;
    if (wanted >> c & 1 && rank[c] <= r) continue;
    wanted |= UINT64_C(1) << c;
    rank[c] = (uint8_t)r, bank[c] = (uint8_t)b;
  }
  for (; wanted; wanted &= wanted - 1) pop_read(p, bank[__builtin_ctzll(wanted)]);
}

/* The oldest issued instruction of a set gets a collector, and asks for its registers. */
static void take_collector(struct sm_pipeline *p, unsigned s) {
  struct sm_collector_set *set = &p->set[s];
  uint32_t unused = ~set->used & ((UINT32_C(1) << set->n) - 1);
  if (!set->issued.count || !unused) return;
  struct sm_flight *f = oldest(&set->issued);
  uint32_t i = (uint32_t)__builtin_ctz(unused);
  struct sm_collector *c = &set->at[i];
  *c = (struct sm_collector){.f = *f, .waits = f->deps->n_operands};
  leave(&set->issued, f);
  set->used |= UINT32_C(1) << i;
  if (!c->waits) set->full |= UINT32_C(1) << i;
  for (unsigned k = 0; k < c->f.deps->n_operands; k++) {
    uint32_t bank = bank_of(p, c->f.deps->operands[k], c->f.warp);
    struct sm_bank *b = &p->bank[bank];
    b->queue[(b->head + b->count++) % sizeof b->queue] = (uint8_t)(p->first[s] + i);
    p->asked |= UINT32_C(1) << bank;
  }
}

/* ---- a cycle ---- */

static void hand_over(struct sm_pipeline *p, uint64_t now, void (*entered)(void *user, const struct sm_flight *f, uint64_t ready),
                      void *user) {
  struct sm_stage *m = &p->set[SM_SET_MEM].collected;
  if (!m->count) return;
  struct sm_flight gone = m->at[0];
  leave(m, &m->at[0]);
  p->inside--;
  entered(user, &gone, now + 1);
}

void sm_pipeline_cycle(struct sm_pipeline *p, uint64_t now, bool memory,
                       void (*entered)(void *user, const struct sm_flight *f, uint64_t ready), void *user) {
  p->now = now;
  if (!p->inside) return;
  for (unsigned s = 0; s < SM_SET_MEM; s++)
    for (unsigned u = 0; u < p->c.units[s] && p->set[s].collected.count; u++) enter_unit(p, s, u, now, entered, user);
  if (memory && p->c.memory_stage) hand_over(p, now, entered, user);
  for (unsigned s = 0; s < SM_SETS; s++)
    for (unsigned way = 0; way < p->set[s].ports && p->set[s].full; way++) empty_collector(p, s, way);
  if (p->asked) read_banks(p, now);
  for (unsigned s = 0; s < SM_SETS; s++)
    for (unsigned i = 0; i < p->set[s].ports && p->set[s].issued.count; i++) take_collector(p, s);
  if (memory && !p->c.memory_stage) hand_over(p, now, entered, user);
}
