/* See pipeline.h. */
#include "sm/pipeline.h"

#include <assert.h>
#include <string.h>

void sm_pipeline_init(struct sm_pipeline *p, const struct sm_pipeline_config *c) {
  uint32_t first = 0;
  memset(p, 0, sizeof *p);
  p->c = *c;
  p->bank_mask = c->banks & (c->banks - 1) ? 0 : c->banks - 1;
  for (unsigned s = 0; s < SM_SETS; s++) {
    struct sm_collector_set *set = &p->set[s];
    uint32_t width = s == SM_SET_MEM ? 1 : c->units[s];
    set->ports = width;
    set->issued.width = set->collected.width = (uint8_t)width;
    set->mine = ((UINT64_C(1) << c->collectors[s]) - 1) << first;
    for (unsigned way = 0; way < SM_MAX_WIDTH; way++) set->last[way] = first;
    first += c->collectors[s];
  }
  p->square = first > c->banks ? first : c->banks;
  for (unsigned i = 0; i < SM_FLIGHTS; i++) p->spare[i] = (uint8_t)i;
}

static uint32_t bank_of(const struct sm_pipeline *p, uint32_t reg, uint32_t warp) {
  return p->bank_mask ? (reg + warp) & p->bank_mask : (reg + warp) % p->c.banks;
}

/* ---- stages ---- */

static inline uint8_t at(const struct sm_stage *s, uint32_t i) { return (uint8_t)(s->at >> 8 * i); }

static inline void put(struct sm_stage *s, uint8_t flight) { s->at |= (uint32_t)flight << 8 * s->count++; }

/* Where the oldest is, which leaves first. */
static inline uint32_t oldest(const struct sm_pipeline *p, const struct sm_stage *s) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < s->count; i++)
    if (p->flight[at(s, i)].seq < p->flight[at(s, best)].seq) best = i;
  return best;
}

static inline uint8_t leave(struct sm_stage *s, uint32_t i) {
  uint8_t flight = at(s, i);
  uint32_t before = (UINT32_C(1) << 8 * i) - 1;
  s->at = (s->at & before) | (s->at >> 8 & ~before);
  s->count--;
  return flight;
}

void sm_pipeline_issue(struct sm_pipeline *p, const struct sm_flight *f) {
  struct sm_stage *s = &p->set[f->set].issued;
  assert(s->count < s->width);
  uint8_t flight = p->spare[SM_FLIGHTS - ++p->inside];
  p->flight[flight] = *f;
  p->flight[flight].seq = p->seq++;
  put(s, flight);
}

/* An instruction has left the last stage: nobody issues before its creator has been notified. */
static const struct sm_flight *land(struct sm_pipeline *p, uint8_t flight) {
  p->spare[SM_FLIGHTS - p->inside--] = flight;
  return &p->flight[flight];
}

static struct sm_plan *far_plan(struct sm_pipeline *p, uint64_t cycle) {
  struct sm_plan *t = &p->far[cycle % SM_AHEAD];
  if (t->cycle != cycle) *t = (struct sm_plan){.cycle = cycle};
  if (cycle > p->far_until) p->far_until = cycle;
  return t;
}

/* A cycle that is near stays so; what was planned for it before it was is taken over. */
static inline struct sm_plan *plan_for(struct sm_pipeline *p, uint64_t cycle) {
  if (cycle - p->now >= SM_NEAR) return far_plan(p, cycle);
  struct sm_plan *t = &p->near[cycle % SM_NEAR];
  if (t->cycle != cycle) *t = cycle <= p->far_until ? *far_plan(p, cycle) : (struct sm_plan){.cycle = cycle};
  return t;
}

void sm_pipeline_write(struct sm_pipeline *p, uint64_t now, uint64_t cycle, uint32_t reg, uint32_t warp) {
  p->now = now; /* stages that wait are not visited, and what is near is so from now on */
  plan_for(p, cycle)->written |= UINT32_C(1) << bank_of(p, reg, warp);
}

/* ---- units ---- */

/* The oldest instruction in front of the units of a set goes into one of them, if its result will find it and a bus free. */
static void enter_unit(struct sm_pipeline *p, unsigned set, unsigned unit, uint64_t now,
                       void (*entered)(void *user, const struct sm_flight *f, uint64_t ready), void *user) {
  enum { TO_REGISTER = 2 }; /* cycles after the unit: to the bus and over it */
  struct sm_stage *stage = &p->set[set].collected;
  if (p->free[set][unit] > now) return;
  uint32_t first = oldest(p, stage);
  const struct sm_flight *f = &p->flight[at(stage, first)];
  uint64_t ready = now + f->latency + TO_REGISTER;
  struct sm_plan *end = plan_for(p, now + f->latency);
  if (end->ends[set] >> unit & 1 || end->results >= p->c.buses) return;
  p->free[set][unit] = now + f->interval;
  end->ends[set] |= (uint8_t)(1u << unit);
  end->results++;
  f = land(p, leave(stage, first));
  for (unsigned i = 0; i < f->deps->n_results; i++) sm_pipeline_write(p, now, ready, f->deps->results[i], f->warp);
  entered(user, f, ready);
}

/* ---- collectors ---- */

/* Of the full collectors of a set the next after the one this way out last emptied, going round; memory instructions go in order. */
static int next_full(const struct sm_pipeline *p, const struct sm_collector_set *set, bool in_order, unsigned way) {
  uint64_t full = p->full & set->mine;
  if (!in_order) {
    uint64_t after = full >> (set->last[way] + 1) << (set->last[way] + 1);
    return full ? __builtin_ctzll(after ? after : full) : -1;
  }
  int best = -1;
  for (uint64_t left = p->used & set->mine; left; left &= left - 1) {
    int i = __builtin_ctzll(left);
    if (best < 0 || p->flight[p->collector[i].flight].seq < p->flight[p->collector[best].flight].seq) best = i;
  }
  return best >= 0 && full >> best & 1 ? best : -1;
}

static void empty_collector(struct sm_pipeline *p, unsigned s, unsigned way) {
  struct sm_collector_set *set = &p->set[s];
  int i = set->collected.count < set->collected.width ? next_full(p, set, s == SM_SET_MEM, way) : -1;
  if (i < 0) return;
  set->last[way] = (uint32_t)i;
  put(&set->collected, p->collector[i].flight);
  p->used &= ~(UINT64_C(1) << i);
  p->full &= ~(UINT64_C(1) << i);
}

/* A bank has read for the collector that asked first. */
static inline void pop_read(struct sm_pipeline *p, uint32_t bank) {
  struct sm_bank *b = &p->bank[bank];
  uint32_t i = p->waiting[b->head++][bank];
  if (!--p->collector[i].waits) p->full |= UINT64_C(1) << i;
  if (b->head == SM_WAITING) b->head = 0;
  if (--b->count) return;
  b->head = 0;
  p->asked &= ~(UINT32_C(1) << bank);
}

static void move_diagonal(struct sm_pipeline *p, uint64_t now) {
  if (now == p->turn_of + 1) p->turn = p->turn + 1 < p->square ? p->turn + 1 : 0;
  else if (now != p->turn_of) p->turn = (uint32_t)(now % p->square);
  p->turn_of = now;
}

/* Where a bank and a collector are on the diagonal, which moves on every cycle. */
static inline uint32_t rank_of(const struct sm_pipeline *p, uint32_t bank, uint32_t collector) {
  uint32_t r = collector + 2 * p->square - bank - p->turn;
  if (r >= 2 * p->square) return r - 2 * p->square;
  return r >= p->square ? r - p->square : r;
}

/* Every bank that is not written reads for the collector that asked first. Where a collector receives one register a cycle, the diagonal
 * decides between banks. */
static void read_banks(struct sm_pipeline *p, uint64_t now) {
  uint32_t asked = p->asked & ~plan_for(p, now)->written;
  if (p->c.parallel_reads) {
    for (; asked; asked &= asked - 1) pop_read(p, (uint32_t)__builtin_ctz(asked));
    return;
  }
  uint8_t bank[SM_COLLECTORS];
  uint64_t wanted = 0;
  move_diagonal(p, now);
  for (; asked; asked &= asked - 1) {
    uint32_t b = (uint32_t)__builtin_ctz(asked), c = p->waiting[p->bank[b].head][b];
    if (wanted >> c & 1 && rank_of(p, bank[c], c) <= rank_of(p, b, c)) continue;
    wanted |= UINT64_C(1) << c;
    bank[c] = (uint8_t)b;
  }
  for (; wanted; wanted &= wanted - 1) pop_read(p, bank[__builtin_ctzll(wanted)]);
}

static void ask_bank(struct sm_pipeline *p, uint32_t bank, uint32_t collector) {
  struct sm_bank *b = &p->bank[bank];
  uint32_t last = b->head + b->count++;
  p->waiting[last < SM_WAITING ? last : last - SM_WAITING][bank] = (uint8_t)collector;
  p->asked |= UINT32_C(1) << bank;
}

/* The oldest issued instruction of a set gets a collector, and asks for its registers. */
static void take_collector(struct sm_pipeline *p, unsigned s) {
  struct sm_collector_set *set = &p->set[s];
  uint64_t unused = set->mine & ~p->used;
  if (!unused) return;
  uint32_t i = (uint32_t)__builtin_ctzll(unused);
  uint8_t flight = leave(&set->issued, 0);
  const struct sm_flight *f = &p->flight[flight];
  const struct exec_deps *d = f->deps;
  p->collector[i] = (struct sm_collector){flight, d->n_operands};
  p->used |= UINT64_C(1) << i;
  if (!d->n_operands) p->full |= UINT64_C(1) << i;
  for (unsigned k = 0; k < d->n_operands; k++) ask_bank(p, bank_of(p, d->operands[k], f->warp), i);
}

/* ---- a cycle ---- */

static void hand_over(struct sm_pipeline *p, uint64_t now, void (*entered)(void *user, const struct sm_flight *f, uint64_t ready),
                      void *user) {
  struct sm_stage *m = &p->set[SM_SET_MEM].collected;
  if (m->count) entered(user, land(p, leave(m, 0)), now + 1);
}

void sm_pipeline_cycle(struct sm_pipeline *p, uint64_t now, bool memory,
                       void (*entered)(void *user, const struct sm_flight *f, uint64_t ready), void *user) {
  p->now = now;
  if (!p->inside) return;
  for (unsigned s = 0; s < SM_SET_MEM; s++)
    for (unsigned u = 0; u < p->c.units[s] && p->set[s].collected.count; u++) enter_unit(p, s, u, now, entered, user);
  if (memory && p->c.memory_stage) hand_over(p, now, entered, user);
  for (unsigned s = 0; s < SM_SETS && p->full; s++)
    for (unsigned way = 0; way < p->set[s].ports && p->full & p->set[s].mine; way++) empty_collector(p, s, way);
  if (p->asked) read_banks(p, now);
  for (unsigned s = 0; s < SM_SETS; s++)
    for (unsigned i = 0; i < p->set[s].ports && p->set[s].issued.count; i++) take_collector(p, s);
  if (memory && !p->c.memory_stage) hand_over(p, now, entered, user);
}
