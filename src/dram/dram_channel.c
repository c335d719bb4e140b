/* See dram.h. A visit does the work of one command clock: data leaves, a packet comes in, free banks get requests,
 * and one command is issued (with a dual command bus, one row command and one column command). Between visits the
 * channel sleeps until the earliest time at which any of this can happen.
 *
 * Simplified: with a scheduler that picks requests (all but bank-turns), a bank serves one request at a time, with
 * all its bursts; a write-back ends when its last burst is issued; in one clock at most one packet comes in and one
 * leaves. */
#include "dram/dram_parts.h"

#include "base/arena.h"
#include "mem/mem_stall.h"

#include <stdlib.h>
#include <string.h>

static struct channel *of(struct dram_channel *c) { return (struct channel *)c; }

/* ---- lists ---- */

static void enqueue(struct channel *c, int32_t at) {
  struct dram_request *r = &c->requests[at];
  struct dram_queue *q = &c->queue[r->queue];
  r->next = r->all_next = DRAM_NONE;
  r->prev = q->last[r->bank];
  r->all_prev = q->all.last;
  *(r->prev == DRAM_NONE ? &q->first[r->bank] : &c->requests[r->prev].next) = at;
  *(r->all_prev == DRAM_NONE ? &q->all.first : &c->requests[r->all_prev].all_next) = at;
  q->last[r->bank] = q->all.last = at;
  q->banks |= 1ull << r->bank;
  q->count++;
}

/* Removes a request from the lists; it still counts until it is done. */
static void unlink_request(struct channel *c, int32_t at) {
  struct dram_request *r = &c->requests[at];
  struct dram_queue *q = &c->queue[r->queue];
  *(r->prev == DRAM_NONE ? &q->first[r->bank] : &c->requests[r->prev].next) = r->next;
  *(r->next == DRAM_NONE ? &q->last[r->bank] : &c->requests[r->next].prev) = r->prev;
  *(r->all_prev == DRAM_NONE ? &q->all.first : &c->requests[r->all_prev].all_next) = r->all_next;
  *(r->all_next == DRAM_NONE ? &q->all.last : &c->requests[r->all_next].all_prev) = r->all_prev;
  if (q->first[r->bank] == DRAM_NONE) q->banks &= ~(1ull << r->bank);
}

/* ---- coming in ---- */

/* Takes one packet per clock, from the slices in turn. While a packet is in the channel, its `local` is its time of arrival. */
static void take_packet(struct channel *c, uint64_t now) {
  struct dram_channel *b = &c->base;
  if (c->pipe.count == c->pipe.capacity) return;
  for (uint32_t j = 0; j < b->n_slices; j++) {
    uint32_t i = c->next_port + j < b->n_slices ? c->next_port + j : c->next_port + j - b->n_slices;
    if (!mem_port_peek(&b->in[i], now)) continue;
    struct mem_packet *k = mem_port_pop(&b->in[i], now);
    k->local = now;
    mem_ring_push(&c->pipe, k, mem_edge(&b->wake, now + c->c.latency));
    c->next_port = i + 1 < b->n_slices ? i + 1 : 0;
    return;
  }
}

/* When a packet can be taken next. */
static uint64_t next_packet(const struct channel *c) {
  uint64_t next = MEM_NEVER;
  if (c->pipe.count == c->pipe.capacity) return MEM_NEVER;
  for (uint32_t i = 0; i < c->base.n_slices; i++) next = mem_earlier(next, mem_port_next(&c->base.in[i]));
  return next;
}

static uint8_t bursts_of(const struct channel *c, uint8_t sectors) {
  uint32_t each = c->dev.t.burst_bytes / MEM_SECTOR, n = 0;
  if (each <= 1)
    return (uint8_t)((uint32_t)__builtin_popcount(sectors) * (MEM_SECTOR / c->dev.t.burst_bytes));
  for (uint32_t i = 0; i < MEM_SECTORS; i += each) n += ((uint32_t)sectors >> i & ((1u << each) - 1)) != 0;
  return (uint8_t)n;
}

/* A write-back ends here; a write is acknowledged to its slice. */
static bool is_write(const struct mem_packet *k) { return k->kind == MEM_WRITEBACK || k->kind == MEM_WRITE; }

static void new_request(struct channel *c, struct mem_packet *k, unsigned queue, uint64_t now) {
  int32_t at = c->free;
  struct dram_request *r = &c->requests[at];
  struct mem_place p = mem_map(c->map, k->line);
  c->free = r->next;
  *r = (struct dram_request){.k = k,
                             .row = p.row,
                             .arrived = now,
                             .age = c->age++,
                             .bank = p.bank,
                             .bursts = bursts_of(c, k->sectors),
                             .queue = (uint8_t)queue,
                             .write = is_write(k)};
  enqueue(c, at);
  if (c->c.scheduler->arrived) c->c.scheduler->arrived(c->scheduler, r, now);
}

/* Packets whose latency has passed go into their queue, in order, as long as it has a free slot. */
static uint64_t fill_queues(struct channel *c, uint64_t now) {
  struct mem_slot *t;
  if (c->queue_since != MEM_NEVER) {
    c->base.counters[DRAM_STALL_QUEUE] += (now - c->queue_since) / c->base.wake.period;
    c->queue_since = MEM_NEVER;
  }
  while ((t = mem_ring_head(&c->pipe)) && t->ready <= now) {
    unsigned q = c->c.own_write_queue && is_write(t->k) ? WRITES : READS;
    if (c->queue[q].count == c->c.size[q]) {
      c->queue_since = now;
      return MEM_NEVER;
    }
    new_request(c, t->k, q, now);
    mem_ring_pop(&c->pipe);
  }
  return t ? t->ready : MEM_NEVER;
}

/* ---- choosing ---- */

/* Which queue is served: writes once there are many, until there are few; or while there is nothing to read.
 */
static unsigned served_queue(struct channel *c) {
  if (!c->c.own_write_queue) return READS;
  uint32_t reads = c->queue[READS].count, writes = c->queue[WRITES].count;
  if (c->draining)
    c->draining = writes > c->c.low || (writes && !reads);
  else if (writes >= c->c.high || (writes && !reads)) {
    c->draining = true;
    c->base.counters[DRAM_WRITE_DRAINS]++;
  }
  return c->draining ? WRITES : READS;
}

static void find_need(struct channel *c, unsigned bank) {
  c->needs[bank] = (uint8_t)dram_need(&c->requests[c->serving[bank]], c->dev.open[bank]);
}

static void serve(struct channel *c, unsigned bank, int32_t at) {
  const struct dram_request *r = &c->requests[at];
  uint64_t *n = c->base.counters, open = c->dev.open[bank];
  unlink_request(c, at);
  c->serving[bank] = at;
  if (!c->c.count_serving) c->queue[r->queue].count--;
  c->busy |= 1ull << bank;
  find_need(c, bank);
  n[r->write ? DRAM_WRITES : DRAM_READS]++;
  n[open == r->row ? DRAM_ROW_HITS : DRAM_ROW_MISSES]++;
  if (open != r->row && open != DRAM_CLOSED) n[DRAM_ROW_CONFLICTS]++;
}

/* The first of these banks from `turn` on, round robin. */
static unsigned first_in_turn(const struct channel *c, uint64_t banks) {
  uint64_t after = banks >> c->turn << c->turn;
  return (unsigned)__builtin_ctzll(after ? after : banks);
}

static void next_turn(struct channel *c, unsigned bank) { c->turn = bank + 1 < c->dev.t.banks ? bank + 1 : 0; }

static struct dram_view view_of(const struct channel *c, const struct dram_queue *q, uint64_t now) {
  return (struct dram_view){c->requests, q->first, q->all.first, c->dev.open, now, &c->dev};
}

/* Serves one bank per clock, the banks in turn. */
static void give_to_one(struct channel *c, uint64_t now) {
  struct dram_queue *q = &c->queue[served_queue(c)];
  uint64_t left = q->banks & ~c->busy;
  while (left) {
    unsigned bank = first_in_turn(c, left);
    struct dram_view v = view_of(c, q, now);
    int32_t at = c->c.scheduler->pick(c->scheduler, &v, bank);
    left &= ~(1ull << bank);
    if (at == DRAM_NONE) continue;
    serve(c, bank, at);
    next_turn(c, c->turn);
    c->ended |= left != 0; /* the other banks in the next clock */
    return;
  }
}

static void give_to_banks(struct channel *c, uint64_t now) {
  if (!c->c.scheduler->pick) return;
  if (c->c.rotate) {
    give_to_one(c, now);
    return;
  }
  struct dram_queue *q = &c->queue[served_queue(c)];
  bool again = true;
  while (again) {
    again = false;
    for (uint64_t m = q->banks & ~c->busy; m; m &= m - 1) {
      unsigned bank = (unsigned)__builtin_ctzll(m);
      struct dram_view v = view_of(c, q, now);
      int32_t at = c->c.scheduler->pick(c->scheduler, &v, bank);
      if (at == DRAM_NONE) continue;
      serve(c, bank, at);
      again = (q->banks & ~c->busy) != 0;
    }
  }
}

/* ---- commands ---- */

struct candidate {
  int bank;
  uint64_t age;
};

static bool is_column(unsigned command) { return command <= DRAM_WRITE; }

/* Banks with a request, except those whose next command is the last burst of a request with a reply, while the return queue is full. */
static uint64_t able_banks(const struct channel *c) {
  uint64_t able = c->busy;
  if (c->returns.count < c->returns.capacity) return able;
  for (uint64_t m = c->busy; m; m &= m - 1) {
    unsigned bank = (unsigned)__builtin_ctzll(m);
    const struct dram_request *r = &c->requests[c->serving[bank]];
    if (is_column(c->needs[bank]) && r->k->kind != MEM_WRITEBACK && r->bursts == 1) able &= ~(m & -m);
  }
  return able;
}

/* The oldest request with a column, and with a row, command that may go now; returns the earliest time of
 * any. */
static uint64_t ready_commands(const struct channel *c, uint64_t now, struct candidate *column,
                               struct candidate *row) {
  uint64_t next = MEM_NEVER;
  column->bank = row->bank = -1;
  for (uint64_t m = able_banks(c); m; m &= m - 1) {
    unsigned bank = (unsigned)__builtin_ctzll(m), need = c->needs[bank];
    uint64_t may = dram_device_may(&c->dev, bank, need);
    next = mem_earlier(next, may);
    if (may > now) continue;
    struct candidate *best = is_column(need) ? column : row;
    uint64_t age = c->requests[c->serving[bank]].age;
    if (best->bank < 0 || age < best->age) *best = (struct candidate){(int)bank, age};
  }
  return next;
}

/* The first bank in turn with a command that may go now, whatever it is; returns the earliest time of any. */
static uint64_t command_in_turn(const struct channel *c, uint64_t now, int *chosen) {
  uint64_t next = MEM_NEVER, ready = 0;
  for (uint64_t m = able_banks(c); m; m &= m - 1) {
    unsigned bank = (unsigned)__builtin_ctzll(m);
    uint64_t may = dram_device_may(&c->dev, bank, c->needs[bank]);
    next = mem_earlier(next, may);
    if (may <= now) ready |= 1ull << bank;
  }
  *chosen = ready ? (int)first_in_turn(c, ready) : -1;
  return next;
}

/* The last burst of a request is issued. */
static void end_request(struct channel *c, int32_t at, uint64_t now) {
  struct dram_request *r = &c->requests[at];
  const struct dram_timing *t = &c->dev.t;
  if (c->c.scheduler->completed) c->c.scheduler->completed(c->scheduler, r, now);
  c->base.counters[DRAM_OCCUPANCY] += (now - r->arrived) / t->period;
  if (r->k->kind == MEM_WRITEBACK)
    mem_packet_free(c->pool, r->k);
  else
    mem_ring_push(&c->returns, r->k, now + (r->write ? t->wl : t->cl) + t->burst);
  r->next = c->free;
  c->free = at;
  c->ended = true;
}

static void finish(struct channel *c, unsigned bank, uint64_t now) {
  int32_t at = c->serving[bank];
  if (c->c.count_serving) c->queue[c->requests[at].queue].count--;
  c->serving[bank] = DRAM_NONE;
  c->busy &= ~(1ull << bank);
  end_request(c, at, now);
}

static void count_command(struct channel *c, enum dram_command command) {
  static const enum dram_stat counts[DRAM_COMMANDS] = {DRAM_READ_BURSTS, DRAM_WRITE_BURSTS, DRAM_ACTIVATES,
                                                       DRAM_PRECHARGES};
  uint64_t *n = c->base.counters;
  n[counts[command]]++;
  if (!is_column(command)) return;
  n[DRAM_BYTES] += c->dev.t.burst_bytes;
  n[DRAM_BUSY] += c->dev.t.burst / c->dev.t.period;
}

static void issue(struct channel *c, unsigned bank, uint64_t now) {
  struct dram_request *r = &c->requests[c->serving[bank]];
  enum dram_command command = c->needs[bank];
  dram_device_issue(&c->dev, bank, command, r->row, now);
  count_command(c, command);
  if (c->c.scheduler->issued) c->c.scheduler->issued(c->scheduler, r, command, now);
  if (!is_column(command)) {
    next_turn(c, bank);
    find_need(c, bank);
    return;
  }
  c->used[bank] = now;
  if (--r->bursts == 0) finish(c, bank, now);
}

/* A command that the scheduler chose. A request counts when its first burst is issued, as a miss if a row was opened for it. */
static void issue_choice(struct channel *c, const struct dram_choice *choice, uint64_t now) {
  struct dram_request *r = &c->requests[choice->request];
  uint64_t *n = c->base.counters;
  dram_device_issue(&c->dev, r->bank, choice->command, r->row, now);
  count_command(c, choice->command);
  if (c->c.scheduler->issued) c->c.scheduler->issued(c->scheduler, r, choice->command, now);
  if (!is_column(choice->command)) {
    n[DRAM_ROW_CONFLICTS] += choice->command == DRAM_PRECHARGE && !r->opened;
    r->opened = true;
    return;
  }
  c->used[r->bank] = now;
  n[r->write ? DRAM_WRITES : DRAM_READS] += !r->counted;
  n[r->opened ? DRAM_ROW_MISSES : DRAM_ROW_HITS] += !r->counted;
  r->counted = true;
  if (--r->bursts) return;
  unlink_request(c, choice->request);
  c->queue[r->queue].count--;
  end_request(c, choice->request, now);
}

static bool is_wanted(const struct channel *c, unsigned bank) {
  for (unsigned q = 0; q < QUEUES; q++)
    for (int32_t r = c->queue[q].first[bank]; r != DRAM_NONE; r = c->requests[r].next)
      if (c->requests[r].row == c->dev.open[bank]) return true;
  return false;
}

/* Closes one row that the page policy wants closed, if the command bus is free at this clock; returns when the next may be. */
static uint64_t close_rows(struct channel *c, bool free_bus, uint64_t now) {
  struct dram_view v = view_of(c, &c->queue[READS], now);
  uint64_t next = MEM_NEVER;
  for (unsigned bank = 0; bank < c->dev.t.banks; bank++) {
    if (c->dev.open[bank] == DRAM_CLOSED || c->busy >> bank & 1 || is_wanted(c, bank)) continue;
    uint64_t at = mem_later(c->c.page->close_at(c->page, &v, bank, c->used[bank]), dram_device_may(&c->dev, bank, DRAM_PRECHARGE));
    if (at > now || !free_bus) {
      next = mem_earlier(next, mem_later(at, now + c->base.wake.period));
      continue;
    }
    dram_device_issue(&c->dev, bank, DRAM_PRECHARGE, 0, now);
    c->base.counters[DRAM_PRECHARGES]++;
    free_bus = false;
  }
  return next;
}

/* After the commands of a clock: the earliest time of another, which may be one that closes a row. */
static uint64_t after_commands(struct channel *c, uint64_t next, bool free_bus, uint64_t now) {
  return c->c.page->close_at ? mem_earlier(next, close_rows(c, free_bus, now)) : next;
}

/* Returns when the next command can go. */
static uint64_t issue_in_turn(struct channel *c, uint64_t now) {
  int bank;
  uint64_t next = command_in_turn(c, now, &bank);
  if (bank < 0) return after_commands(c, next, true, now);
  issue(c, (unsigned)bank, now);
  return after_commands(c, command_in_turn(c, now, &bank), false, now);
}

/* When a queued request can have its next command, at the earliest the next clock. */
static uint64_t next_choice(const struct channel *c, const struct dram_queue *q, uint64_t now) {
  uint64_t next = MEM_NEVER;
  for (int32_t i = q->all.first; i != DRAM_NONE; i = c->requests[i].all_next) {
    const struct dram_request *r = &c->requests[i];
    next = mem_earlier(next, dram_device_may(&c->dev, r->bank, dram_need(r, c->dev.open[r->bank])));
  }
  return next == MEM_NEVER ? next : mem_later(next, now + c->base.wake.period);
}

/* The commands that the scheduler chooses, none while the return queue is full. */
static uint64_t issue_choices(struct channel *c, uint64_t now) {
  const struct dram_queue *q = &c->queue[served_queue(c)];
  bool columns = false, rows = false, full = c->returns.count == c->returns.capacity;
  for (unsigned bus = 0; bus < 1u + c->c.dual && !full; bus++) {
    struct dram_view v = view_of(c, q, now);
    struct dram_choice choice;
    if (!c->c.scheduler->choose(c->scheduler, &v, &choice)) break;
    bool column = is_column(choice.command);
    if (column ? columns : rows) break;
    *(column ? &columns : &rows) = true;
    issue_choice(c, &choice, now);
  }
  bool free_bus = !rows && (!columns || c->c.dual);
  return after_commands(c, full ? MEM_NEVER : next_choice(c, q, now), free_bus, now);
}

static uint64_t issue_commands(struct channel *c, uint64_t now) {
  if (c->c.scheduler->choose) return issue_choices(c, now);
  if (c->c.rotate) return issue_in_turn(c, now);
  struct candidate column, row;
  uint64_t next = ready_commands(c, now, &column, &row);
  if (column.bank < 0 && row.bank < 0) return after_commands(c, next, true, now);
  bool free_bus = row.bank < 0 && c->c.dual;
  if (column.bank >= 0) issue(c, (unsigned)column.bank, now);
  if (row.bank >= 0 && (column.bank < 0 || c->c.dual)) issue(c, (unsigned)row.bank, now);
  return after_commands(c, ready_commands(c, now, &column, &row), free_bus, now);
}

static void refresh(struct channel *c, uint64_t now) {
  uint32_t closed;
  if (c->dev.refresh_due > now) return;
  c->base.counters[DRAM_REFRESHES] += dram_device_refresh(&c->dev, now, &closed);
  c->base.counters[DRAM_PRECHARGES] += closed;
  for (uint64_t m = c->busy; m; m &= m - 1) find_need(c, (unsigned)__builtin_ctzll(m));
}

/* ---- going back ---- */

static uint64_t return_data(struct channel *c, uint64_t now) {
  struct dram_channel *b = &c->base;
  struct mem_slot *t = mem_ring_head(&c->returns);
  if (c->return_since != MEM_NEVER) {
    b->counters[DRAM_STALL_RETURN] += (now - c->return_since) / b->wake.period;
    c->return_since = MEM_NEVER;
  }
  if (!t || t->ready > now) return t ? t->ready : MEM_NEVER;
  struct mem_packet *k = t->k;
  struct mem_port *out = b->out[k->slice % b->n_slices];
  if (!mem_port_free_slots(out, now)) {
    c->return_since = now;
    return mem_port_stall(out, &b->wake, now);
  }
  b->counters[DRAM_LATENCY] += (now - k->local) / b->wake.period;
  k->payload = k->kind == MEM_WRITE ? 0 : (uint16_t)(MEM_SECTOR * __builtin_popcount(k->sectors));
  k->kind = k->kind == MEM_WRITE ? MEM_WRITE_ACK : MEM_READ_REPLY;
  mem_port_push(out, k, now);
  mem_ring_pop(&c->returns);
  t = mem_ring_head(&c->returns);
  return t ? mem_later(t->ready, now) : MEM_NEVER;
}

/* ---- one clock ---- */

uint64_t dram_tick(struct dram_channel *base, uint64_t now) {
  struct channel *c = of(base);
  c->ended = false;
  refresh(c, now);
  uint64_t next = return_data(c, now);
  take_packet(c, now);
  next = mem_earlier(next, fill_queues(c, now));
  give_to_banks(c, now);
  next = mem_earlier(next, issue_commands(c, now));
  next = mem_earlier(next, next_packet(c));
  const struct mem_slot *data = mem_ring_head(&c->returns);
  if (data && data->ready > now) next = mem_earlier(next, data->ready);
  /* A request that ended leaves its bank and its slot in the queue to another, next clock. */
  uint64_t waiting = c->queue[READS].banks | c->queue[WRITES].banks;
  if (c->ended && (waiting || c->queue_since == now)) next = now;
  if (c->busy | waiting) next = mem_earlier(next, c->dev.refresh_due);
  return next > now ? next : now + base->wake.period;
}

/* ---- making and joining ---- */

static void make_queues(struct channel *c, uint32_t banks) {
  uint32_t n = c->c.size[READS] + c->c.size[WRITES] + (c->c.count_serving ? 0 : banks);
  c->requests = must_alloc(n * sizeof *c->requests);
  for (uint32_t i = 0; i < n; i++) c->requests[i].next = i + 1 < n ? (int32_t)(i + 1) : DRAM_NONE;
  c->serving = must_alloc(banks * sizeof *c->serving);
  c->needs = must_alloc(banks * sizeof *c->needs);
  c->used = must_alloc(banks * sizeof *c->used);
  memset(c->serving, 0xff, banks * sizeof *c->serving);
  for (unsigned q = 0; q < QUEUES; q++) {
    c->queue[q].first = must_alloc(2 * banks * sizeof *c->queue[q].first);
    c->queue[q].last = c->queue[q].first + banks;
    memset(c->queue[q].first, 0xff, 2 * banks * sizeof *c->queue[q].first);
    c->queue[q].all = (struct dram_list){DRAM_NONE, DRAM_NONE};
  }
  c->queue_since = c->return_since = MEM_NEVER;
}

static void make_ports(struct channel *c, const struct cfg *cfg, const struct dram_place *place) {
  struct dram_channel *b = &c->base;
  b->wake = (struct mem_wake){.at = MEM_NEVER, .period = place->period};
  b->id = place->id;
  b->n_slices = mem_map_slices(place->map) / mem_map_channels(place->map);
  b->in = must_alloc(b->n_slices * sizeof *b->in);
  b->out = must_alloc(b->n_slices * sizeof *b->out);
  for (unsigned i = 0; i < b->n_slices; i++)
    mem_port_init(&b->in[i], (uint32_t)cfg_int(cfg, "dram.input_queue"), 1, &b->wake, NULL);
  mem_ring_init(&c->pipe, (uint32_t)(c->c.latency / place->period) + 2);
  mem_ring_init(&c->returns, (uint32_t)cfg_int(cfg, "dram.return_queue"));
}

static bool make_policies(struct channel *c, const struct cfg *cfg, uint32_t banks, struct err *e) {
  const struct dram_scheduler *s = c->c.scheduler;
  const struct dram_page *p = c->c.page;
  struct dram_sched_place place = {c->base.id, banks, c->base.wake.period, NULL};
  place.stats = c->scheduler_stats = policy_counters(&s->policy);
  if (s->create && !(c->scheduler = s->create(cfg, &place, e))) return false;
  place.stats = c->page_stats = policy_counters(&p->policy);
  return !p->create || (c->page = p->create(cfg, &place, e));
}

struct dram_channel *dram_channel_new(const struct cfg *cfg, const struct dram_place *place, struct err *e) {
  struct channel *c = must_alloc(sizeof *c);
  uint32_t banks = mem_map_banks(place->map);
  struct dram_device_place device = {place->period, banks, place->id, mem_map_channels(place->map)};
  if (!dram_read_config(&c->c, cfg, place, e) || !dram_device_init(&c->dev, cfg, &device, e)) return free(c), NULL;
  c->map = place->map;
  c->pool = place->pool;
  make_queues(c, banks);
  make_ports(c, cfg, place);
  if (make_policies(c, cfg, banks, e)) return &c->base;
  dram_channel_delete(&c->base);
  return NULL;
}

void dram_channel_delete(struct dram_channel *base) {
  if (!base) return;
  struct channel *c = of(base);
  for (unsigned i = 0; i < base->n_slices; i++) mem_port_free(&base->in[i]);
  for (unsigned q = 0; q < QUEUES; q++) free(c->queue[q].first);
  dram_device_free(&c->dev);
  if (c->scheduler) c->c.scheduler->destroy(c->scheduler);
  if (c->page) c->c.page->destroy(c->page);
  free(c->scheduler_stats);
  free(c->page_stats);
  free(base->in);
  free(base->out);
  free(c->pipe.at);
  free(c->returns.at);
  free(c->requests);
  free(c->serving);
  free(c->needs);
  free(c->used);
  free(c);
}

struct mem_port *dram_connect(struct dram_channel *c, unsigned i, struct mem_port *fill) {
  c->out[i] = fill;
  fill->producer = &c->wake;
  return &c->in[i];
}
