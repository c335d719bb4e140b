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

/* Index of the oldest instruction, which leaves first. */
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

struct sm_flight *sm_pipeline_issue(struct sm_pipeline *p, unsigned set) {
  struct sm_stage *s = &p->set[set].issued;
  assert(s->count < s->width);
  uint8_t flight = p->spare[SM_FLIGHTS - ++p->inside];
  struct sm_flight *f = &p->flight[flight];
  f->seq = p->seq++;
  f->set = (uint8_t)set;
  put(s, flight);
  return f;
}

/* An instruction has left the last stage. Its entry stays valid, because nothing issues before the creator has been notified. */
static const struct sm_flight *land(struct sm_pipeline *p, uint8_t flight) {
  p->spare[SM_FLIGHTS - p->inside--] = flight;
  return &p->flight[flight];
}

/* ---- plans ---- */

static struct sm_plan *far_plan(struct sm_pipeline *p, uint64_t cycle) {
  struct sm_far_plan *t = &p->far[cycle % SM_AHEAD];
  if (t->cycle != cycle) *t = (struct sm_far_plan){.cycle = cycle};
  if (cycle > p->far_until) p->far_until = cycle;
  return &t->plan;
}

static inline struct sm_plan *plan_for(struct sm_pipeline *p, uint64_t cycle) {
  return cycle - p->now < SM_NEAR ? &p->near[cycle % SM_NEAR] : far_plan(p, cycle);
}

/* Plans of cycles that have become near replace those of cycles that have passed. */
static void move_on(struct sm_pipeline *p, uint64_t now) {
  uint64_t passed = now - p->now < SM_NEAR ? p->now : now - SM_NEAR;
  for (p->now = now; passed < now; passed++) {
    uint64_t comes = passed + SM_NEAR;
    p->near[passed % SM_NEAR] = comes <= p->far_until ? *far_plan(p, comes) : (struct sm_plan){0};
  }
}

void sm_pipeline_write(struct sm_pipeline *p, uint64_t now, uint64_t cycle, uint32_t reg, uint32_t warp) {
  move_on(p, now); /* waiting stages are not visited, so time may have passed */
  plan_for(p, cycle)->written |= UINT32_C(1) << bank_of(p, reg, warp);
}

/* ---- units ---- */

/* The oldest instructions in front of a set's units enter them, each if the end of its unit and a bus will be free for its result. */
static void enter_units(struct sm_pipeline *p, unsigned set, uint64_t now,
                        void (*entered)(void *user, const struct sm_flight *f, uint64_t ready), void *user) {
  enum { TO_REGISTER = 2 }; /* cycles from the unit to the bus and over it */
  struct sm_stage *stage = &p->set[set].collected;
  for (unsigned unit = 0, units = p->c.units[set]; unit < units && stage->count; unit++) {
    if (p->free[set][unit] > now) continue;
    uint32_t first = oldest(p, stage);
    const struct sm_flight *f = &p->flight[at(stage, first)];
    uint64_t ready = now + f->latency + TO_REGISTER;
    struct sm_plan *end = plan_for(p, now + f->latency);
    if (end->results >= p->c.buses) return; /* no other unit finds a bus either */
    if (end->ends[set] >> unit & 1) continue;
    p->free[set][unit] = now + f->interval;
    end->ends[set] |= (uint8_t)(1u << unit);
    end->results++;
    f = land(p, leave(stage, first));
    for (unsigned i = 0; i < f->deps->n_results; i++)
      plan_for(p, ready)->written |= UINT32_C(1) << bank_of(p, f->deps->results[i], f->warp);
    entered(user, f, ready);
  }
}

/* ---- collectors ---- */

/* The next full collector after the one that an output port last emptied, round robin. */
static inline uint32_t next_full(uint64_t full, uint32_t last) {
  uint64_t after = full >> (last + 1) << (last + 1);
  return (uint32_t)__builtin_ctzll(after ? after : full);
}

/* Memory instructions leave in order: the collector of the oldest one, if it is full. */
static uint64_t first_in_order(const struct sm_pipeline *p, uint64_t used) {
  uint32_t best = (uint32_t)__builtin_ctzll(used);
  for (uint64_t left = used & (used - 1); left; left &= left - 1) {
    uint32_t i = (uint32_t)__builtin_ctzll(left);
    if (p->flight[p->collector[i].flight].seq < p->flight[p->collector[best].flight].seq) best = i;
  }
  return p->full & UINT64_C(1) << best;
}

/* Empties full collectors of a set, `full`, as far as there is room in front of the units. */
static void empty_collectors(struct sm_pipeline *p, unsigned s, uint64_t full) {
  struct sm_collector_set *set = &p->set[s];
  if (s == SM_SET_MEM) full = first_in_order(p, p->used & set->mine);
  for (unsigned way = 0; way < set->ports && full && set->collected.count < set->collected.width; way++) {
    uint32_t i = set->last[way] = next_full(full, set->last[way]);
    put(&set->collected, p->collector[i].flight);
    full &= ~(UINT64_C(1) << i);
    p->used &= ~(UINT64_C(1) << i);
    p->full &= ~(UINT64_C(1) << i);
  }
}

static void move_diagonal(struct sm_pipeline *p, uint64_t now) {
  if (now == p->turn_of + 1) p->turn = p->turn + 1 < p->square ? p->turn + 1 : 0;
  else if (now != p->turn_of) p->turn = (uint32_t)(now % p->square);
  p->turn_of = now;
}

/* Of these banks, the one from which a collector that receives one register per cycle reads: the next below its position on the diagonal,
 * cyclically. The diagonal moves in every cycle. */
static inline uint32_t on_diagonal(const struct sm_pipeline *p, uint32_t banks, uint32_t collector) {
  uint32_t place = collector >= p->turn ? collector - p->turn : collector + p->square - p->turn;
  uint64_t below = banks & ((UINT64_C(2) << place) - 1), from = below ? below : banks;
  return banks & UINT32_C(1) << (63 - __builtin_clzll(from | 1));
}

/* Those of these banks that have delivered their last register. */
static uint32_t last_of(struct sm_pipeline *p, uint32_t collector, uint32_t banks) {
  uint8_t *further = p->further[collector];
  uint32_t last = 0;
  for (uint32_t left = banks; left; left &= left - 1) {
    uint32_t b = (uint32_t)__builtin_ctz(left);
    if (!further[b]) last |= UINT32_C(1) << b;
    else further[b]--, p->collector[collector].further--;
  }
  return last;
}

/* Every bank that is not written delivers a register to the collector that asked first. */
static void read_banks(struct sm_pipeline *p, uint64_t now) {
  uint32_t banks = ~plan_for(p, now)->written, n = 0;
  bool parallel = p->c.parallel_reads;
  if (!parallel) move_diagonal(p, now);
  for (uint32_t k = 0; k < p->n_waiting; k++) {
    uint32_t i = p->waiting[k];
    struct sm_collector *c = &p->collector[i];
    uint32_t reads = c->wants & banks;
    banks &= ~c->wants;
    if (!parallel) reads = on_diagonal(p, reads, i);
    c->wants &= ~(c->further ? last_of(p, i, reads) : reads);
    p->full |= (uint64_t)!c->wants << i;
    p->waiting[n] = (uint8_t)i;
    n += c->wants != 0;
  }
  p->n_waiting = n;
}

/* The banks that hold the registers of a collector's instruction. */
static uint32_t banks_of(struct sm_pipeline *p, uint32_t collector, const struct sm_flight *f) {
  uint32_t wants = 0;
  for (unsigned k = 0; k < f->deps->n_operands; k++) {
    uint32_t b = bank_of(p, f->deps->operands[k], f->warp);
    if (wants >> b & 1) p->further[collector][b]++, p->collector[collector].further++;
    wants |= UINT32_C(1) << b;
  }
  return wants;
}

/* The oldest issued instructions of a set get collectors and ask for their registers. */
static void take_collectors(struct sm_pipeline *p, unsigned s) {
  struct sm_collector_set *set = &p->set[s];
  for (uint64_t unused = set->mine & ~p->used; unused && set->issued.count; unused &= unused - 1) {
    uint32_t i = (uint32_t)__builtin_ctzll(unused);
    struct sm_collector *c = &p->collector[i];
    *c = (struct sm_collector){.flight = leave(&set->issued, 0)};
    c->wants = banks_of(p, i, &p->flight[c->flight]);
    p->used |= UINT64_C(1) << i;
    p->full |= (uint64_t)!c->wants << i;
    p->waiting[p->n_waiting] = (uint8_t)i;
    p->n_waiting += c->wants != 0;
  }
}

/* ---- a cycle ---- */

static void hand_over(struct sm_pipeline *p, uint64_t now, void (*entered)(void *user, const struct sm_flight *f, uint64_t ready),
                      void *user) {
  struct sm_stage *m = &p->set[SM_SET_MEM].collected;
  if (m->count) entered(user, land(p, leave(m, 0)), now + 1);
}

void sm_pipeline_cycle(struct sm_pipeline *p, uint64_t now, bool memory,
                       void (*entered)(void *user, const struct sm_flight *f, uint64_t ready), void *user) {
  move_on(p, now);
  if (!p->inside) return;
  for (unsigned s = 0; s < SM_SET_MEM; s++)
    if (p->set[s].collected.count) enter_units(p, s, now, entered, user);
  if (memory && p->c.memory_stage) hand_over(p, now, entered, user);
  for (unsigned s = 0; s < SM_SETS; s++)
    if (p->full & p->set[s].mine) empty_collectors(p, s, p->full & p->set[s].mine);
  if (p->n_waiting) read_banks(p, now);
  for (unsigned s = 0; s < SM_SETS; s++)
    if (p->set[s].issued.count) take_collectors(p, s);
  if (memory && !p->c.memory_stage) hand_over(p, now, entered, user);
}
