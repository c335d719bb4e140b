/* Bulk copies, signals to mbarriers, and waits for mbarriers.
 *
 * A unit of its own requests the lines of bulk copies from L2, one copy after the other, without the load/store unit and L1D. A copy is
 * done when all its lines have been answered; its mbarriers are signalled sm.copy_latency later. Stores and reductions are sent in the same
 * way.
 *
 * A signal goes to an mbarrier of this or another CTA of the cluster. It arrives at its time between visits, when all SMs may be touched
 * (sm_commit).
 *
 * A warp that issues a copy goes on after sm.copy_interval. The first copy of an SM with a tensor map fetches the map: copy and warp are
 * delayed by sm.map_latency, or less if prefetch.tensormap named the map before. Maps are fetched again after the SM was without CTAs, and
 * behind a fence of their proxy.
 *
 * A warp whose next instruction is mbarrier.try_wait does not issue it while its phase is incomplete, until an arrival at an mbarrier of
 * its CTA, or bytes that have come, may have completed the phase, or until sm.wait_limit has passed; then the instruction answers false.
 * Warps that wait by generic addresses, or at mbarriers of other CTAs, poll.
 *
 * Simplified: any number of copies can wait; their reads and writes of shared memory take no bandwidth from it; data of a multicast reach
 * all CTAs at once; how many tensor maps an SM keeps was not measured (SM_MAPS). */
#include "mem/mem_stall.h"
#include "sm/sm.h"

#include <stdlib.h>
#include <string.h>

static void *copied(const void *from, size_t bytes) {
  void *to = must_alloc(bytes ? bytes : 1);
  memcpy(to, from, bytes);
  return to;
}

static uint32_t free_bulk(struct sm *s) {
  for (uint32_t i = 0; i < s->n_bulk; i++)
    if (!s->bulk[i].used) return i;
  GROW(s->bulk, s->bulk_capacity, s->n_bulk + 1);
  return (uint32_t)s->n_bulk++;
}

static enum mem_kind kind_of(uint8_t op) {
  static const uint8_t kind[] = {
      [EXEC_LOAD] = MEM_READ, [EXEC_STORE] = MEM_WRITE, [EXEC_REDUCE] = MEM_REDUCE, [EXEC_PREFETCH] = MEM_PREFETCH};
  return (enum mem_kind)kind[op];
}

uint64_t sm_map_comes(struct sm *s, const struct sm_warp *w, uint64_t now) {
  uint64_t map = w->x->sent.map;
  if (!map || !s->config->map_latency) return now;
  for (uint32_t i = 0; i < s->n_maps && i < SM_MAPS; i++)
    if (s->maps[i].map == map) return mem_later(s->maps[i].at, now);
  uint32_t k = s->n_maps++ % SM_MAPS;
  s->maps[k].map = map;
  s->maps[k].at = sm_after(s, now, s->config->map_latency);
  return s->maps[k].at;
}

void sm_bulk_accept(struct sm *s, unsigned slot, uint32_t pc, const struct exec_deps *deps, uint64_t now) {
  struct sm_warp *w = &s->warps[slot];
  const struct exec_access *a = &w->x->access;
  const struct exec_sent *sent = &w->x->sent;
  uint32_t k = free_bulk(s), memop = sm_new_memop(s, slot, pc, deps, now);
  s->bulk[k] = (struct sm_bulk){.used = true,
                                .kind = (uint8_t)kind_of(a->op),
                                .memop = memop,
                                .n = (uint32_t)sent->n_lines,
                                .from = sm_map_comes(s, w, now),
                                .window = &w->x->grid->window,
                                .lines = copied(sent->lines, sent->n_lines * sizeof *sent->lines)};
  if (a->signals) {
    s->bulk[k].n_signals = (uint32_t)sent->n_signals;
    s->bulk[k].signals = copied(sent->signals, sent->n_signals * sizeof *sent->signals);
  } else {
    sm_copy_begins(w, &s->memops[memop]);
  }
  s->memops[memop].bulk = (int32_t)k;
  w->bulk++;
  GROW(s->bulk_queue, s->bulk_queue_capacity, s->n_bulk_queue + 1);
  s->bulk_queue[s->n_bulk_queue++] = k;
  s->stats[SM_S_BULK_COPIES]++;
}

static struct l1_request request_of(const struct sm *s, const struct sm_bulk *b) {
  const struct exec_line *l = &b->lines[b->next];
  struct l1_request r = {.line = l->line,
                         .kind = b->kind,
                         .class_ = MEM_GLOBAL,
                         .cache = EXEC_CACHE_GLOBAL,
                         .keep = sm_window_keep(b->window, l->line),
                         .bypasses = true,
                         .degree = 1,
                         .warp = s->memops[b->memop].warp,
                         .pc = s->memops[b->memop].pc,
                         .owner = b->memop};
  for (unsigned i = 0; i < MEM_LINE / MEM_SECTOR; i++)
    if (l->sectors >> i & 1) r.bytes.b[i / 2] |= UINT64_C(0xffffffff) << i % 2 * 32;
  return r;
}

/* Requests the next line. False: L1D cannot send the request now. */
static bool ask(struct sm *s, struct sm_bulk *b, uint64_t now) {
  struct l1_request r = request_of(s, b);
  if (l1_access(&s->l1, &r, now) == L1_STALL) return false;
  if (b->kind != MEM_PREFETCH) s->memops[b->memop].outstanding += (unsigned)__builtin_popcount(b->lines[b->next].sectors);
  b->next++;
  s->stats[SM_S_BULK_LINES]++;
  return true;
}

/* One line per cycle is enough, because the miss queue sends one packet per cycle. */
void sm_bulk_cycle(struct sm *s, uint64_t now) {
  if (!s->n_bulk_queue) return;
  struct sm_bulk *b = &s->bulk[s->bulk_queue[0]];
  if (b->from > now || (b->next < b->n && !ask(s, b, now)) || b->next < b->n) return;
  s->n_bulk_queue--;
  memmove(s->bulk_queue, s->bulk_queue + 1, s->n_bulk_queue * sizeof *s->bulk_queue);
  s->memops[b->memop].sent = true;
  sm_maybe_complete(s, &s->memops[b->memop], now);
}

void sm_bulk_done(struct sm *s, struct sm_memop *m, uint64_t at) {
  struct sm_bulk *b = &s->bulk[m->bulk];
  sm_send_signals(s, b->signals, b->n_signals, sm_after(s, at, s->config->copy_latency));
  free(b->lines);
  free(b->signals);
  *b = (struct sm_bulk){.used = false};
}

void sm_bulk_free(struct sm *s) {
  for (size_t i = 0; i < s->n_bulk; i++) {
    free(s->bulk[i].lines);
    free(s->bulk[i].signals);
  }
  free(s->bulk);
  free(s->bulk_queue);
  free(s->signals);
}

/* ---- waits at mbarriers -------------------------------------------------------------------------------------------------- */

uint64_t sm_try_wait_until(struct sm *s, unsigned slot, const struct exec_inst *in, uint64_t now) {
  struct sm_warp *w = &s->warps[slot];
  bool holds = s->config->wait_limit && in->ptx->op == PTX_OP_mbarrier && exec_mbarrier_holds(w->x, in);
  if (!holds) w->wait_until = 0;
  else if (!w->wait_until) w->wait_until = sm_after(s, mem_later(w->not_before, now), s->config->wait_limit);
  return w->wait_until;
}

void sm_try_wait_again(struct sm *s, const struct sm_cta *cta, uint64_t now) {
  for (uint64_t left = cta->all_slots & s->live; left; left &= left - 1) {
    unsigned slot = (unsigned)__builtin_ctzll(left);
    if (s->warps[slot].wait_until) sm_refresh_warp(s, slot, now);
  }
}

/* ---- signals ------------------------------------------------------------------------------------------------------------ */

void sm_send_signals(struct sm *s, const struct exec_signal *signals, size_t n, uint64_t at) {
  for (size_t i = 0; i < n; i++) {
    GROW(s->signals, s->signal_capacity, s->n_signals + 1);
    s->signals[s->n_signals++] = (struct sm_signal){at, signals[i]};
  }
}

/* Warps of the CTA, which may belong to another SM, check their mbarriers again. exec_cta is the first member of struct sm_cta. */
static void hear(struct exec_cta *x, uint64_t now) {
  struct sm_cta *cta = (struct sm_cta *)(void *)x;
  struct sm *s = cta->sm;
  if (!s->config->wait_limit || !cta->active) return;
  ++*s->stamp;
  sm_settle(s, now);
  sm_try_wait_again(s, cta, now);
  sm_wake(s, sm_after(s, now, 1));
}

/* Signals of the same time arrive in the order in which they were sent. */
void sm_signals_arrive(struct sm *s, uint64_t now) {
  size_t left = 0;
  for (size_t i = 0; i < s->n_signals; i++) {
    if (s->signals[i].at > now) {
      s->signals[left++] = s->signals[i];
      continue;
    }
    exec_signal_arrives(&s->signals[i].signal);
    hear(s->signals[i].signal.cta, now);
    s->progress++;
  }
  s->n_signals = left;
  s->signals_due = false;
}

uint64_t sm_bulk_next(const struct sm *s, uint64_t now) {
  uint64_t next = s->n_bulk_queue ? mem_later(s->bulk[s->bulk_queue[0]].from, sm_after(s, now, 1)) : MEM_NEVER;
  for (size_t i = 0; i < s->n_signals; i++) next = mem_earlier(next, mem_later(s->signals[i].at, sm_after(s, now, 1)));
  return next;
}
