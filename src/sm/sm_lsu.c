/* The load/store unit: memory instructions in order, one at a time, and replies.
 *
 * A register that a load writes is ready when the last of its accesses has been answered. Data of a hit are ready a hit latency after the
 * access, data of a miss when the line is filled. Which lines an instruction accesses is found when it is accepted (sm_accept.c). */
#include "l1/bypass.h"
#include "l1/l1_index.h"
#include "mem/mem_stall.h"
#include "sm/sm.h"

#include <string.h>

bool sm_lsu_full(const struct sm *s) {
  enum { SPARE = 4 }; /* at least as many memory instructions as one cycle can add */
  uint32_t spare = s->config->schedulers > SPARE ? s->config->schedulers : SPARE;
  return s->lsu_count + s->lsu_reserved >= s->config->lsu_queue || s->memops_out + spare > s->n_memops;
}

/* ---- completing ------------------------------------------------------------------------------------------------------ */

/* The slot of an ended warp is free when the last reply has come (with sm.free_at_exit, replies to loads and stores do not count). */
static void maybe_free_slot(struct sm *s, unsigned slot) {
  if (sm_owes(s, slot) || s->live >> slot & 1) return;
  s->owed &= ~(UINT64_C(1) << slot);
  s->slot_freed = true;
}

static void complete(struct sm *s, struct sm_memop *m, uint64_t now) {
  sm_stir(s, now);
  struct sm_warp *w = &s->warps[m->warp];
  bool gone = m->life != w->life; /* the slot has another warp now */
  uint64_t at = sm_after(s, mem_later(m->data_ready, now), m->returns * s->config->return_interval);
  for (unsigned i = 0; !gone && i < m->deps->n_writes; i++) w->reg_ready[m->deps->writes[i]] = at;
  if (m->counts) {
    l1_count_instruction(&s->l1, m->missed);
    uint64_t cycles = (at - m->issued) / s->wake.period;
    s->stats[SM_S_LOAD_LATENCY] += cycles;
    MEM_NOTIFY(&s->observers, load, &(struct mem_seen_load){(uint32_t)(m - s->memops), cycles});
    if (s->profile) {
      s->profile->rows[m->pc].loads++;
      s->profile->rows[m->pc].latency += cycles;
    }
  }
  if (m->bulk < 0) {
    w->outstanding -= !gone;
  } else {
    w->bulk--;
    sm_bulk_done(s, m, at);
  }
  if (!gone) sm_copy_ends(w, m);
  maybe_free_slot(s, m->warp);
  m->next_free = s->free_memop;
  s->free_memop = (int32_t)(m - s->memops);
  s->memops_out--;
  s->grid_memops[m->grid]--;
  if (!gone && s->live >> m->warp & 1 && s->ready.warp[m->warp].ready == MEM_NEVER) sm_refresh_warp(s, m->warp, now);
}

void sm_maybe_complete(struct sm *s, struct sm_memop *m, uint64_t now) {
  if (m->sent && !m->outstanding) complete(s, m, now);
}

struct answer {
  struct sm *s;
  uint64_t now;
};

static void answer_memop(struct answer *a, uint32_t owner, unsigned parts) {
  struct sm_memop *m = &a->s->memops[owner];
  m->outstanding -= parts;
  sm_maybe_complete(a->s, m, a->now);
}

/* When the reply to an access is in the register: one per cycle is written (sm.reply_latency). */
static void write_answer(struct sm *s, struct sm_memop *m, uint64_t now) {
  if (!s->config->reply_latency || !m->deps->n_writes) return;
  uint64_t at = mem_later(sm_after(s, now, s->config->reply_latency), s->write_free);
  s->write_free = sm_after(s, at, 1);
  m->data_ready = mem_later(m->data_ready, at);
  for (unsigned i = 0; s->config->pipeline.banks && i < m->deps->n_results; i++)
    sm_pipeline_write(&s->pipeline, now / s->wake.period, at / s->wake.period, m->deps->results[i], m->warp);
}

static void memop_answered(void *user, uint32_t owner) {
  struct answer *a = user;
  write_answer(a->s, &a->s->memops[owner], a->now);
  answer_memop(a, owner, 1);
}

static void fetch_answered(void *user, uint32_t owner) {
  struct answer *a = user;
  sm_stir(a->s, a->now);
  a->s->warps[owner].fetching = false;
  maybe_free_slot(a->s, owner);
  if (a->s->config->instruction_buffer) {
    if (a->s->live >> owner & 1) sm_buffer_answered(a->s, owner);
    return;
  }
  if (!(a->s->live >> owner & 1)) return;
  a->s->warps[owner].not_before = mem_later(a->s->warps[owner].not_before, sm_after(a->s, a->now, a->s->config->fetch_miss));
  sm_refresh_warp(a->s, owner, a->now);
}

static void take_reply(struct sm *s, struct mem_packet *k, uint64_t now) {
  struct answer a = {s, now};
  if (k->kind != MEM_WRITE_ACK && (k->kind != MEM_READ_REPLY || k->bypass)) write_answer(s, &s->memops[k->owner], now);
  if (k->kind != MEM_READ_REPLY || k->bypass) answer_memop(&a, k->owner, (unsigned)__builtin_popcount(k->sectors));
  else if (k->class_ == MEM_CONST) ro_fill(&s->constant, k, memop_answered, &a);
  else if (k->class_ == MEM_INSTRUCTION) ro_fill(&s->instruction, k, fetch_answered, &a);
  else if (k->class_ == MEM_TEXTURE) ro_fill(&s->texture, k, memop_answered, &a);
  else {
    if (k->class_ == MEM_GLOBAL) {
      s->stats[SM_S_MISS_REPLIES]++;
      s->stats[SM_S_MISS_LATENCY] += (now - k->born) / s->wake.period;
    }
    l1_fill(&s->l1, k, memop_answered, &a);
  }
}

/* Replies from other L1Ds come first, so that they do not block their network. */
static struct mem_packet *next_reply(struct sm *s, uint64_t now) {
  if (s->coop && mem_port_peek(&s->coop->replies, now)) {
    struct mem_packet *k = mem_port_pop(&s->coop->replies, now);
    coop_took(s->coop, k, now);
    return k;
  }
  return mem_port_peek(s->from_net, now) ? mem_port_pop(s->from_net, now) : NULL;
}

static bool uses_l1(const struct sm *s, const struct sm_lsu_entry *e) {
  return e->space != PTX_CONST && e->space != PTX_PARAM && (e->space != PTX_TEX || s->config->unified_texture);
}

/* Whether the accesses of the oldest instruction go straight to L1D, or pass through l1.bypass's queues or l1.tag_queue. */
static bool in_order(const struct sm *s) { return !s->l1.bypass_ops->next && !s->l1.config.tag_queue; }

/* A reply has arrived or a packet has left: what was refused is tried again, unless L1D still lacks what it lacked. */
static void try_again(struct sm *s, uint64_t now) {
  if (!s->lsu_stalled && !s->l1_stalled) return;
  bool refused = l1_still_refuses(&s->l1), of_lsu = refused && in_order(s) && uses_l1(s, &s->lsu[s->lsu_head]);
  sm_lsu_settle(s, now);
  s->lsu_stalled &= of_lsu;
  s->l1_stalled &= refused;
}

void sm_lsu_replies(struct sm *s, uint64_t now) {
  for (unsigned n = 0; n < s->config->reply_rate; n++) {
    struct mem_packet *k = next_reply(s, now);
    if (!k) return;
    if (k->kind == MEM_PEER_READ) {
      s->coop->net->ops->asked(s->coop, k, now);
      continue;
    }
    MEM_NOTIFY(&s->observers, reply, k, now);
    take_reply(s, k, now);
    mem_packet_free(s->pool, k);
    try_again(s, now);
  }
}

/* ---- a cycle ---------------------------------------------------------------------------------------------------------- */

static void leave_queue(struct sm *s, uint64_t now) {
  sm_stir(s, now);
  s->handed -= s->config->pipeline.banks && s->handed;
  s->lsu_head = s->lsu_head + 1 < s->config->lsu_queue ? s->lsu_head + 1 : 0;
  s->lsu_count--;
}

static void pop_entry(struct sm *s, uint64_t now) {
  struct sm_memop *m = &s->memops[s->lsu[s->lsu_head].memop];
  leave_queue(s, now);
  m->sent = true;
  sm_maybe_complete(s, m, now);
}

/* A hash of the address decides which lines of a window count as hits, so a line always has the same property. */
uint8_t sm_window_keep(const struct exec_l2_window *x, uint64_t line) {
  static const uint8_t keep[] = {
      [EXEC_L2_NORMAL] = MEM_KEEP_NORMAL, [EXEC_L2_STREAMING] = MEM_KEEP_STREAMING, [EXEC_L2_PERSISTING] = MEM_KEEP_PERSISTING};
  if (line + MEM_LINE <= x->base || line >= x->base + x->bytes || !x->bytes) return MEM_NO_WINDOW;
  uint32_t chance = (uint32_t)(line / MEM_LINE * UINT64_C(0x9e3779b97f4a7c15) >> 40); /* 24 bits */
  return keep[(float)chance < x->hit_ratio * (float)(1 << 24) ? x->hit : x->miss];
}

/* Fills in the next access of an instruction, one field at a time: copying a returned struct would read in larger pieces than were written,
 * and the host would stall. Whether a load uses L1D is decided for all its accesses when the first of them is about to be made. */
static void next_request(struct sm *s, struct sm_lsu_entry *e, struct l1_request *r) {
  const struct sm_segment *g = &e->seg[e->next];
  const struct sm_memop *m = &s->memops[e->memop];
  r->line = g->line;
  r->bytes = g->bytes;
  r->kind = e->kind;
  r->class_ = e->space == PTX_LOCAL ? MEM_LOCAL : MEM_GLOBAL;
  r->cache = e->cache;
  r->keep = sm_window_keep(e->window, g->line);
  r->atomic = e->atomic;
  r->texture = e->space == PTX_TEX;
  r->bypasses = e->bypasses;
  r->warp = m->warp;
  r->degree = e->n;
  r->pc = m->pc;
  r->owner = e->memop;
  if (e->asked) return;
  e->asked = true;
  r->bypasses = e->bypasses = l1_load_bypasses(&s->l1, r);
}

/* Parameters with a fixed latency: the first access requests them, later ones wait for them or find them. */
static enum l1_result access_params(struct sm *s, uint64_t line, uint64_t now) {
  if (!ro_holds(&s->constant, line)) s->params_there = sm_after(s, now, s->config->param_latency);
  return ro_access_preloaded(&s->constant, line);
}

static enum l1_result send_segment(struct sm *s, struct sm_lsu_entry *e, uint64_t now) {
  if (e->space == PTX_PARAM && s->config->param_latency) return access_params(s, e->seg[e->next].line, now);
  if (!uses_l1(s, e))
    return ro_access(e->space == PTX_TEX ? &s->texture : &s->constant, e->seg[e->next].line, e->memop, now);
  struct l1_request r;
  next_request(s, e, &r);
  return l1_access(&s->l1, &r, now);
}

static uint32_t hit_latency(const struct sm *s, const struct sm_lsu_entry *e) {
  if (e->literal) return s->config->literal_latency;
  if (e->space == PTX_CONST || e->space == PTX_PARAM) return s->config->const_latency;
  return e->space == PTX_TEX ? s->config->tex_latency : s->l1.config.latency;
}

/* Stores and reductions are answered too, because fences and the end of a kernel wait for them. What goes to L2 without a line in L1D is
 * answered sector by sector, in any number of packets. */
static void note_result(struct sm *s, struct sm_lsu_entry *e, enum l1_result r, uint64_t now) {
  struct sm_memop *m = &s->memops[e->memop];
  if (s->observers.n) sm_notify_access(s, e, r);
  if (r == L1_HIT) {
    uint64_t at = sm_after(s, now, hit_latency(s, e));
    if (e->space == PTX_PARAM) at = mem_later(at, s->params_there);
    if (at > m->data_ready) m->data_ready = at;
    if (s->profile && (e->space == PTX_GLOBAL || e->space == PTX_LOCAL)) s->profile->rows[m->pc].hits++;
  } else if (r != L1_SENT) {
    m->outstanding++;
    m->missed = true;
  } else if (e->kind != MEM_PREFETCH)
    m->outstanding += (unsigned)__builtin_popcount(mem_sectors_of(e->seg[e->next].bytes));
}

/* The second half of a 256-byte line needs no lookup of its own. */
static bool same_lookup(const struct sm *s, const struct sm_lsu_entry *e) {
  uint64_t differs = e->seg[e->next].line ^ e->seg[e->next - 1].line;
  return s->l1.traits.line_bytes > MEM_LINE && differs < s->l1.traits.line_bytes;
}

/* The read-only caches count their own refusals at each attempt. */
static void count_refused(struct sm *s, uint64_t cycles) {
  ++*s->stamp;
  bool of_lsu = in_order(s) && s->lsu_stalled && s->lsu_count && uses_l1(s, &s->lsu[s->lsu_head]);
  if (of_lsu || s->l1_stalled) l1_count_stall(&s->l1, cycles);
}

void sm_lsu_settle(struct sm *s, uint64_t now) {
  if (now <= s->lsu_counted || !s->n_ctas) return;
  uint64_t cycles = (now - s->lsu_counted) / s->wake.period;
  if (cycles) count_refused(s, cycles);
  s->lsu_counted += cycles * s->wake.period;
}

static void charge_busy(struct sm *s, uint64_t now) {
  if (s->l1.busy) s->lsu_busy = sm_after(s, now, 1 + s->l1.busy);
  s->l1.busy = 0;
}

/* When all data are in the registers that the banks deliver from `at` on, in so many cycles. */
static uint64_t return_data(struct sm *s, unsigned slot, uint64_t at, unsigned cycles) {
  uint32_t interval = s->config->return_interval;
  if (!interval) return sm_after(s, at, cycles - 1);
  uint64_t *free = &s->return_free[slot % s->config->schedulers], from = mem_later(at, *free);
  *free = sm_after(s, from, interval * cycles);
  return sm_after(s, from, interval * (cycles - 1));
}

/* The data banks may take longer than the tag banks did. A load of which a part misses also occupies them: its words pass through them when
 * they have arrived. A load that hits completely returns its data now. */
static void bank_cycles(struct sm *s, const struct sm_lsu_entry *e, uint64_t now) {
  struct sm_memop *m = &s->memops[e->memop];
  if (e->cycles > e->lookups) s->lsu_busy = sm_after(s, now, 1u + e->cycles - e->lookups);
  if (e->kind != MEM_READ) return;
  if (m->missed) m->returns = (uint16_t)(e->cycles - 1u);
  else if (m->data_ready) m->data_ready = return_data(s, m->warp, m->data_ready, e->cycles);
}

/* Constants: one address after the other (sm.const_serial). */
static void serial_cycles(struct sm *s, const struct sm_lsu_entry *e, uint64_t now) {
  struct sm_memop *m = &s->memops[e->memop];
  s->lsu_busy = sm_after(s, now, e->cycles);
  m->data_ready = sm_after(s, mem_later(m->data_ready, now), e->cycles - 1u);
}

/* Whether another line can be looked up in this cycle; *seen holds what the cycle has looked up so far. */
static bool another_lookup(const struct sm *s, const struct sm_lsu_entry *e, unsigned *seen) {
  if (e->lookups) {
    unsigned bank = 1u << l1_tag_bank(e->seg[e->next].line);
    bool free = !(*seen & bank);
    *seen |= bank;
    return free;
  }
  *seen += !e->next || !same_lookup(s, e);
  return *seen <= s->l1.config.tags_per_cycle;
}

static void memory_cycle(struct sm *s, struct sm_lsu_entry *e, uint64_t now) {
  for (unsigned seen = 0; e->next < e->n; e->next++) {
    if (!another_lookup(s, e, &seen)) return;
    enum l1_result r = send_segment(s, e, now);
    if (r == L1_STALL) {
      s->lsu_stalled = true;
      return;
    }
    note_result(s, e, r, now);
    charge_busy(s, now);
  }
  if (e->lookups) bank_cycles(s, e, now);
  else if (e->cycles > 1) serial_cycles(s, e, now);
  pop_entry(s, now);
}

/* ---- queues of l1.bypass between coalescer and L1D -------------------------------------------------------------------- */

/* Puts an instruction's accesses into the queues; it counts as sent when all are in. */
static void queue_cycle(struct sm *s, struct sm_lsu_entry *e, uint64_t now) {
  const struct l1_bypass *b = s->l1.bypass_ops;
  struct sm_memop *m = &s->memops[e->memop];
  for (unsigned n = 0; n < s->l1.config.tags_per_cycle && e->next < e->n; n++, e->next++) {
    if (!b->has_slot(s->l1.bypass, m->warp)) {
      s->lsu_stalled = true;
      return;
    }
    struct l1_request r;
    next_request(s, e, &r);
    b->put(s->l1.bypass, m->warp, &r);
    m->outstanding++;
  }
  if (e->next == e->n) pop_entry(s, now);
}

/* Like note_result, for an access that was counted as outstanding when it was queued. */
static void note_queued(struct sm *s, const struct l1_request *r, enum l1_result result, uint64_t now) {
  struct sm_memop *m = &s->memops[r->owner];
  if (result == L1_MISS || result == L1_PENDING) m->missed = true;
  else if (result == L1_SENT && r->kind != MEM_PREFETCH)
    m->outstanding += (unsigned)__builtin_popcount(mem_sectors_of(r->bytes)) - 1;
  else {
    uint64_t at = sm_after(s, now, s->l1.config.tag_queue ? 0 : s->l1.config.latency);
    if (result == L1_HIT && at > m->data_ready) m->data_ready = at;
    if (result == L1_HIT && s->profile) s->profile->rows[m->pc].hits++;
    m->outstanding--;
    sm_maybe_complete(s, m, now);
  }
}

static void drain_queues(struct sm *s, uint64_t now) {
  const struct l1_bypass *b = s->l1.bypass_ops;
  for (unsigned n = 0; n < s->l1.config.tags_per_cycle && s->lsu_busy <= now; n++) {
    const struct l1_request *next = b->next(s->l1.bypass);
    if (!next) return;
    struct l1_request r = *next;
    enum l1_result result = l1_access(&s->l1, &r, now);
    s->l1_stalled = result == L1_STALL;
    if (s->l1_stalled) return;
    b->took(s->l1.bypass);
    s->lsu_stalled = false;
    note_queued(s, &r, result, now);
    charge_busy(s, now);
  }
}

/* ---- the latency in front of the tags (l1.tag_queue) ------------------------------------------------------------------- */

/* Every access to L1D, except those that bypass it, waits for l1.latency before its tag lookup. One lookup is made per cycle; a refused
 * access blocks those behind it, which close up. */
static bool waits_for_tags(const struct sm *s, const struct sm_lsu_entry *e) {
  return s->l1.config.tag_queue && uses_l1(s, e) && e->kind != MEM_ATOMIC && e->kind != MEM_REDUCE;
}

static void enter_tag_queue(struct sm *s, struct sm_lsu_entry *e, uint64_t now) {
  struct sm_memop *m = &s->memops[e->memop];
  if (s->n_tag_queue == s->l1.config.latency) return;
  uint32_t at = (s->tag_queue_head + s->n_tag_queue++) % s->l1.config.latency;
  next_request(s, e, &s->tag_queue[at].r);
  s->tag_queue[at].ready = sm_after(s, now, s->l1.config.latency);
  m->outstanding++;
  if (++e->next == e->n) pop_entry(s, now);
}

static void drain_tag_queue(struct sm *s, uint64_t now) {
  struct sm_tag_access *a = &s->tag_queue[s->tag_queue_head];
  if (!s->n_tag_queue || a->ready > now) return;
  struct l1_request r = a->r;
  enum l1_result result = l1_access(&s->l1, &r, now);
  s->l1_stalled = result == L1_STALL;
  if (s->l1_stalled) return;
  s->tag_queue_head = (s->tag_queue_head + 1) % s->l1.config.latency;
  s->n_tag_queue--;
  note_queued(s, &r, result, now);
}

/* Whether the oldest instruction waits for a slot of the queue; it can enter in the cycle in which one becomes free. */
static bool tag_queue_full(const struct sm *s) {
  return s->l1.config.tag_queue && s->n_tag_queue == s->l1.config.latency && waits_for_tags(s, &s->lsu[s->lsu_head]);
}

static uint64_t tag_queue_next(const struct sm *s, uint64_t now) {
  if (!s->n_tag_queue || s->l1_stalled) return MEM_NEVER;
  return mem_later(s->tag_queue[s->tag_queue_head].ready, sm_after(s, now, 1));
}

/* ---- one visit --------------------------------------------------------------------------------------------------------- */

/* Some of the data are in other SMs, whose shared memory is reached one access after the other. */
static void reach_across(struct sm *s, const struct sm_lsu_entry *e, uint64_t now) {
  struct sm_memop *m = &s->memops[e->memop];
  uint32_t cycles = (e->across + s->config->dsm_bytes - 1) / s->config->dsm_bytes;
  s->dsm_free = sm_after(s, mem_later(now, s->dsm_free), cycles);
  s->lsu_busy = mem_later(s->lsu_busy, s->dsm_free);
  m->data_ready = mem_later(m->data_ready, sm_after(s, s->dsm_free, s->config->dsm_latency - 1));
}

static void shared_cycle(struct sm *s, struct sm_lsu_entry *e, uint64_t now) {
  unsigned cycles = e->cycles ? e->cycles : 1;
  if (e->memop == SM_NO_MEMOP) {
    s->lsu_busy = sm_after(s, now, cycles);
    leave_queue(s, now);
    return;
  }
  struct sm_memop *m = &s->memops[e->memop];
  m->data_ready = return_data(s, m->warp, sm_after(s, now, s->config->shared_latency), cycles);
  s->lsu_busy = sm_after(s, now, cycles);
  if (e->across) reach_across(s, e, now);
  pop_entry(s, now);
}

/* Cycles to send a packet: the written data in units of l1.store_bytes, and one more for the byte mask if a sector is not written whole. An
 * atomic operation on one word takes no longer than its header. */
static uint32_t cycles_below(const struct sm *s, const struct mem_packet *k) {
  uint32_t unit = s->l1.config.store_bytes;
  bool write = k->kind == MEM_WRITE, atomic = k->kind == MEM_ATOMIC || k->kind == MEM_REDUCE;
  if (!unit || !(write || atomic)) return 1;
  if (atomic && __builtin_popcountll(k->bytes.b[0]) + __builtin_popcountll(k->bytes.b[1]) <= 4) return 1;
  return (uint32_t)__builtin_popcount(k->sectors) * MEM_SECTOR / unit + (atomic || mem_in_part(k->bytes));
}

static void send_below(struct sm *s, struct mem_packet *k, uint64_t now) {
  s->out_free = sm_after(s, now, cycles_below(s, k));
  k->slice = (uint16_t)s->slice_of(s->slice_user, k->line);
  k->sent = now;
  mem_port_push(s->to_net, k, now);
}

static bool offer(struct sm *s, struct mem_packet *k, bool free_slot, uint64_t now) {
  if (!s->coop || !coop_eligible(k)) return false;
  k->slice = (uint16_t)s->slice_of(s->slice_user, k->line);
  return coop_offer(s->coop, k, free_slot, now);
}

/* A store waits while another one arrives that may join it (l1.join_stores). */
static bool is_held(const struct sm *s, const struct mem_packet *k) {
  const struct sm_lsu_entry *e = &s->lsu[s->lsu_head];
  bool comes = s->lsu_count && e->handed && !s->lsu_stalled && e->kind == MEM_WRITE && e->space != PTX_SHARED;
  return comes && k->kind == MEM_WRITE && l1_waits_for_stores(&s->l1);
}

/* One packet per cycle goes to L2. Packets that came back from the other L1Ds unanswered are older and precede the next one of the miss
 * queue, which is first offered to the other L1Ds. */
static void drain_queue(struct sm *s, uint64_t now) {
  struct mem_packet *k = l1_next_request(&s->l1);
  bool free_slot = s->out_free <= now && mem_port_free_slots(s->to_net, now);
  if (s->coop && free_slot && mem_port_peek(&s->coop->returned, now)) {
    send_below(s, mem_port_pop(&s->coop->returned, now), now);
    free_slot = false;
  }
  if (!k || (s->l1.config.join_stores && is_held(s, k))) return;
  bool taken = offer(s, k, free_slot, now);
  if (!taken && !free_slot) return;
  l1_pop_request(&s->l1);
  if (s->l1.config.store_lines) l1_note_left(&s->l1, k, sm_after(s, now, s->l1.config.leave_latency));
  if (!taken) send_below(s, k, now);
  try_again(s, now);
}

/* When the miss queue, or packets that came back from the other L1Ds, need the next visit. */
static uint64_t drain_next(struct sm *s, uint64_t now) {
  uint64_t soon = sm_after(s, now, 1), back = s->coop ? mem_port_next(&s->coop->returned) : MEM_NEVER;
  struct mem_packet *k = l1_next_request(&s->l1);
  if (s->coop && k && coop_eligible(k) && s->coop->net->ops->offer) return soon;
  if (back != MEM_NEVER && back > now) return k ? soon : back;
  if (!k && back == MEM_NEVER) return MEM_NEVER;
  if (s->out_free > soon) return s->out_free;
  return mem_port_free_slots(s->to_net, now) ? soon : mem_port_stall(s->to_net, &s->wake, now);
}

void sm_lsu_cycle(struct sm *s, uint64_t now) {
  bool queues = s->l1.bypass_ops->next;
  drain_queue(s, now);
  sm_lsu_settle(s, now);
  s->lsu_counted = sm_after(s, now, 1);
  if (s->coop && s->coop->stolen > s->lsu_busy) s->lsu_busy = s->coop->stolen;
  if (in_order(s) ? s->lsu_stalled && s->lsu_busy <= now : s->l1_stalled) count_refused(s, 1);
  else if (queues) drain_queues(s, now);
  else if (s->l1.config.tag_queue) drain_tag_queue(s, now);
  if (!s->lsu_count || s->lsu_busy > now || s->lsu_stalled) return;
  struct sm_lsu_entry *e = &s->lsu[s->lsu_head];
  if (!e->handed || e->from > now) return;
  if (e->space == PTX_SHARED) shared_cycle(s, e, now);
  else if (queues && uses_l1(s, e)) queue_cycle(s, e, now);
  else if (waits_for_tags(s, e)) enter_tag_queue(s, e, now);
  else memory_cycle(s, e, now);
}

void sm_reconsider(struct sm *s, uint64_t now) {
  if (!s->lsu_stalled && !s->l1_stalled) return;
  s->lsu_stalled = s->l1_stalled = false;
  sm_wake(s, mem_edge(&s->wake, now));
}

uint64_t sm_lsu_next(struct sm *s, uint64_t now) {
  uint64_t next = drain_next(s, now);
  const struct l1_bypass *b = s->l1.bypass_ops;
  bool queued = b->next && !s->l1_stalled && b->next(s->l1.bypass);
  if (queued || (s->lsu_count && !s->lsu_stalled && s->lsu[s->lsu_head].handed && !tag_queue_full(s))) {
    uint64_t t = s->lsu_busy > now ? s->lsu_busy : sm_after(s, now, 1);
    if (t < next) next = t;
  }
  return s->l1.config.tag_queue ? mem_earlier(next, tag_queue_next(s, now)) : next;
}
