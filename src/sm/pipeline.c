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
    set->in_ports = set->out_ports = set->issued.width = set->collected.width = width;
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

void sm_pipeline_write(struct sm_pipeline *p, uint64_t cycle, uint32_t reg, uint32_t warp) {
  p->written[cycle % SM_AHEAD] |= UINT32_C(1) << bank_of(p, reg, warp);
}

/* ---- units ---- */

static bool ends_at(const struct sm_unit *u, uint64_t cycle) { return u->ends[cycle % SM_AHEAD / 64] >> cycle % 64 & 1; }

/* The oldest instruction in front of the units of a set goes into one of them, if its result will find it and a bus free. */
static void enter_unit(struct sm_pipeline *p, unsigned set, struct sm_unit *u, uint64_t now,
                       void (*entered)(void *user, const struct sm_flight *f, uint64_t ready), void *user) {
  enum { TO_REGISTER = 2 }; /* cycles after the unit: to the bus and over it */
  struct sm_flight *f = oldest(&p->set[set].collected);
  if (!f || u->free > now) return;
  uint64_t end = now + f->latency, ready = end + TO_REGISTER;
  if (ends_at(u, end) || p->bus[end % SM_AHEAD] >= p->c.buses) return;
  u->free = now + f->interval;
  u->ends[end % SM_AHEAD / 64] |= UINT64_C(1) << end % 64;
  p->bus[end % SM_AHEAD]++;
  struct sm_flight gone = *f;
  leave(&p->set[set].collected, f);
  p->inside--;
  for (unsigned i = 0; i < gone.deps->n_results; i++) sm_pipeline_write(p, ready, gone.deps->results[i], gone.warp);
  entered(user, &gone, ready);
}

/* ---- collectors ---- */

/* One way out of a set takes the next collector that has its registers, going round; memory instructions go in order. */
static void empty_collector(struct sm_pipeline *p, unsigned s, unsigned way) {
  struct sm_collector_set *set = &p->set[s];
  if (set->collected.count == set->collected.width) return;
  struct sm_collector *best = NULL;
  for (uint32_t k = 0; k < set->n; k++) {
    uint32_t i = (set->last[way] + 1 + k) % set->n;
    struct sm_collector *c = &set->at[i];
    if (!c->used || (s != SM_SET_MEM && c->waits)) continue;
    if (best && (s != SM_SET_MEM || best->f.seq < c->f.seq)) continue;
    best = c;
  }
  if (!best || best->waits) return;
  set->last[way] = (uint32_t)(best - set->at);
  put(&set->collected, &best->f);
  best->used = false;
  set->used--;
}

static struct sm_collector *collector(struct sm_pipeline *p, uint32_t number) {
  unsigned s = SM_SETS - 1;
  while (p->first[s] > number) s--;
  return &p->set[s].at[number - p->first[s]];
}

static void pop_read(struct sm_pipeline *p, struct sm_bank *b) {
  collector(p, b->queue[b->head])->waits--;
  b->head = (b->head + 1) % sizeof b->queue;
  b->count--;
}

/* Every bank that is not written reads for the collector that asked first. Where a collector receives one register a cycle,
 * banks that want the same one are ordered by a diagonal that moves on every cycle. */
static void read_banks(struct sm_pipeline *p, uint64_t now) {
  uint32_t busy = p->written[now % SM_AHEAD], square = p->total > p->c.banks ? p->total : p->c.banks;
  uint8_t rank[SM_SETS * SM_SET_COLLECTORS], bank[SM_SETS * SM_SET_COLLECTORS];
  if (!p->c.parallel_reads) memset(rank, 0xff, p->total);
  for (uint32_t b = 0; b < p->c.banks; b++) {
    struct sm_bank *k = &p->bank[b];
    if (!k->count || busy >> b & 1) continue;
    if (p->c.parallel_reads) {
      pop_read(p, k);
      continue;
    }
    uint32_t c = k->queue[k->head], r = (uint32_t)((c + 2 * square - b - now % square) % square);
    if (r < rank[c]) rank[c] = (uint8_t)r, bank[c] = (uint8_t)b;
  }
  if (p->c.parallel_reads) return;
  for (uint32_t c = 0; c < p->total; c++)
    if (rank[c] != 0xff) pop_read(p, &p->bank[bank[c]]);
}

/* The oldest issued instruction of a set gets a collector, and asks for its registers. */
static void take_collector(struct sm_pipeline *p, unsigned s) {
  struct sm_collector_set *set = &p->set[s];
  if (!set->issued.count || set->used == set->n) return;
  struct sm_flight *f = oldest(&set->issued);
  uint32_t i = 0;
  while (set->at[i].used) i++;
  struct sm_collector *c = &set->at[i];
  *c = (struct sm_collector){.f = *f, .used = true, .waits = f->deps->n_operands};
  leave(&set->issued, f);
  set->used++;
  for (unsigned k = 0; k < c->f.deps->n_operands; k++) {
    struct sm_bank *b = &p->bank[bank_of(p, c->f.deps->operands[k], c->f.warp)];
    b->queue[(b->head + b->count++) % sizeof b->queue] = (uint8_t)(p->first[s] + i);
  }
}

/* ---- a cycle ---- */

/* What was planned for cycles that have passed is forgotten. */
static void pass(struct sm_pipeline *p, uint64_t now) {
  uint64_t from = now - p->now > SM_AHEAD ? now - SM_AHEAD : p->now;
  for (uint64_t t = from; t < now; t++) {
    p->bus[t % SM_AHEAD] = 0;
    p->written[t % SM_AHEAD] = 0;
    for (unsigned s = 0; s < SM_SET_MEM; s++)
      for (unsigned u = 0; u < p->c.units[s]; u++) p->unit[s][u].ends[t % SM_AHEAD / 64] &= ~(UINT64_C(1) << t % 64);
  }
  p->now = now;
}

static void hand_over(struct sm_pipeline *p, uint64_t now, void (*entered)(void *user, const struct sm_flight *f, uint64_t ready), void *user) {
  struct sm_stage *m = &p->set[SM_SET_MEM].collected;
  if (!m->count) return;
  struct sm_flight gone = m->at[0];
  leave(m, &m->at[0]);
  p->inside--;
  entered(user, &gone, now + 1);
}

void sm_pipeline_cycle(struct sm_pipeline *p, uint64_t now, bool memory,
                       void (*entered)(void *user, const struct sm_flight *f, uint64_t ready), void *user) {
  pass(p, now);
  if (!p->inside) return;
  for (unsigned s = 0; s < SM_SET_MEM; s++)
    for (unsigned u = 0; u < p->c.units[s]; u++) enter_unit(p, s, &p->unit[s][u], now, entered, user);
  if (memory && p->c.memory_stage) hand_over(p, now, entered, user);
  for (unsigned s = 0; s < SM_SETS; s++)
    for (unsigned way = 0; way < p->set[s].out_ports && p->set[s].used; way++) empty_collector(p, s, way);
  read_banks(p, now);
  for (unsigned s = 0; s < SM_SETS; s++)
    for (unsigned i = 0; i < p->set[s].in_ports; i++) take_collector(p, s);
  if (memory && !p->c.memory_stage) hand_over(p, now, entered, user);
}
