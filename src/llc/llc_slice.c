/* See llc.h. One visit is one L2 cycle: replies and misses leave, data comes in, answered misses and new accesses use
 * the tags and the data port, and requests enter the latency pipe. The slice sleeps until the next of these can
 * happen; the cycles that a request had to wait are counted when it goes on. The parts are in files of their own
 * (llc_slice.h). This file has their order within a visit, making and connecting, the conservation checks, and the
 * watchdog's question. */
#include "llc/llc_slice.h"

#include "base/arena.h"

#include <stdlib.h>

/* ---- one cycle ---- */

/* The earlier of t and next, if t is to come. */
static uint64_t later_than(uint64_t now, uint64_t t, uint64_t next) { return t > now && t < next ? t : next; }

uint64_t llc_tick(struct llc_slice *base, uint64_t now) {
  struct slice *s = llc_of(base);
  ++*base->stamp;
  if (s->stall) {
    s->base.counters[s->stall] += llc_whole_cycles(s, now - s->stalled_since);
    s->stall = 0;
  }
  s->moved = false;
  uint64_t next = llc_drain_replies(s, now);
  if (s->misses.count) next = mem_earlier(next, llc_drain_misses(s, now));
  if (base->fill.count) next = mem_earlier(next, llc_take_fill(s, now));
  if (s->base.peers) next = mem_earlier(next, llc_take_answer(s, now));
  if (s->answered) next = mem_earlier(next, llc_answer_miss(s, now));
  if (s->flushing) next = mem_earlier(next, llc_flush_some(s, now));
  if (s->c.partitions > 1) next = mem_earlier(next, llc_access_distant(s, now));
  if (mem_port_next(&base->in) <= now) llc_take_requests(s, now);
  next = mem_earlier(next, llc_access_tags(s, now));
  if (s->c.unbounded_latency) next = mem_earlier(next, llc_leave_latency(s, now));
  /* A move may have freed a slot for what stalled, or put something new into a ring. */
  if (s->moved && (s->stall || s->distant_stalled || s->answered || s->misses.count)) next = now;
  if (base->in.count && llc_takes_requests(s)) next = mem_earlier(next, mem_port_next(&base->in));
  next = later_than(now, mem_ring_next(&s->ready), next);
  next = later_than(now, mem_ring_next(&s->replies), next);
  if (s->distant.count) next = later_than(now, mem_ring_next(&s->distant), next);
  return next > now ? next : now + base->wake.period;
}

/* ---- making and connecting ---- */

struct llc_slice *llc_slice_new(const struct cfg *cfg, const struct llc_place *place, struct err *e) {
  struct slice *s = must_alloc(sizeof *s);
  if (!llc_config_read(&s->c, cfg, place, e)) return free(s), NULL;
  s->base.wake = (struct mem_wake){.at = MEM_NEVER, .period = place->period};
  s->base.id = place->id;
  s->base.stamp = &s->base.own_stamp;
  s->sms = place->sms;
  s->map = place->map;
  s->pool = place->pool;
  uint32_t per_channel = mem_map_slices(place->map) / mem_map_channels(place->map);
  s->partition = place->id / per_channel % s->c.partitions;
  mem_port_init(&s->base.in, (uint32_t)cfg_int(cfg, "l2.input_queue"), 1, &s->base.wake, NULL);
  mem_port_init(&s->base.fill, (uint32_t)cfg_int(cfg, "l2.fill_queue"), 1, &s->base.wake, NULL);
  mem_tags_init(&s->tags, &s->c.tags);
  mem_mshr_init(&s->mshr, (uint32_t)cfg_int(cfg, "l2.mshrs"), (uint32_t)cfg_int(cfg, "l2.mshr_merge"));
  llc_coalescer_init(&s->coalescer, s->c.coalesce, s->c.coalesce_groups, place->sms);
  s->lines = must_alloc((size_t)s->c.tags.sets * s->c.tags.ways * sizeof *s->lines);
  if (s->c.partial_lines) s->parts = must_alloc(llc_most_parts(s) * sizeof *s->parts);
  uint32_t in_latency = (uint32_t)cfg_int(cfg, "l2.latency") * s->c.ports;
  enum { UNBOUNDED = 4096 }; /* more than the network can bring while the tags are blocked */
  uint32_t queue = (uint32_t)cfg_int(cfg, "l2.access_queue");
  mem_ring_init(&s->pipe, s->c.unbounded_latency ? UNBOUNDED : in_latency + queue);
  mem_ring_init(&s->ready, s->c.unbounded_latency ? queue : 1);
  mem_ring_init(&s->distant, s->c.partitions > 1 ? (uint32_t)cfg_int(cfg, "l2.far_queue") : 1);
  mem_ring_init(&s->replies, (uint32_t)cfg_int(cfg, "l2.reply_queue"));
  mem_ring_init(&s->misses, (uint32_t)cfg_int(cfg, "l2.miss_queue"));
  return &s->base;
}

void llc_slice_delete(struct llc_slice *base) {
  if (!base) return;
  struct slice *s = llc_of(base);
  mem_port_free(&base->in);
  mem_port_free(&base->fill);
  mem_tags_free(&s->tags);
  mem_mshr_free(&s->mshr);
  llc_coalescer_free(&s->coalescer);
  free(s->lines);
  free(s->parts);
  mem_ring_free(&s->pipe);
  mem_ring_free(&s->ready);
  mem_ring_free(&s->distant);
  mem_ring_free(&s->replies);
  mem_ring_free(&s->misses);
  mem_observers_free(&base->observers);
  free(s);
}

void llc_connect(struct llc_slice *s, struct mem_port *reply, struct mem_port *mem) {
  s->reply = reply;
  s->mem = mem;
  reply->producer = mem->producer = &s->wake;
}

void llc_register(const struct llc_slice *s, struct stats *st) {
  stats_watch(st, s->stamp);
  stats_register(st, llc_stats, LLC_STATS, s->counters, s->id);
  stats_watch(st, NULL);
}

/* ---- occupancy and checks ---- */

uint64_t llc_input_occupancy(const struct llc_slice *base, uint64_t now) {
  uint64_t sum = base->counters[LLC_INPUT_WAIT];
  for (uint32_t i = 0; i < base->in.count; i++) {
    uint64_t ready = base->in.ring[(base->in.head + i) % base->in.capacity].ready;
    if (ready <= now) sum += (now - ready) / base->wake.period + 1;
  }
  return sum;
}

bool llc_idle(const struct llc_slice *base) {
  const struct slice *s = llc_of_const(base);
  return !base->in.count && !base->fill.count && !s->pipe.count && !s->ready.count && !s->distant.count && !s->replies.count &&
         !s->misses.count && !s->mshr.used && !s->answered && !s->flushing &&
         !(base->packer && base->packer->inside.count);
}

bool llc_check(const struct llc_slice *base, struct err *e) {
  const struct slice *s = llc_of_const(base);
  const uint64_t *c = base->counters;
  if (c[LLC_ACCESSES] != c[LLC_HITS] + c[LLC_MISSES] + c[LLC_PENDING_HITS])
    return err_set(e, ERR_FAULT,
                   "l2.accesses of slice %u: %lu, but %lu hits, %lu misses and %lu pending hits", base->id,
                   c[LLC_ACCESSES], c[LLC_HITS], c[LLC_MISSES], c[LLC_PENDING_HITS]);
  if (llc_idle(base) && c[LLC_ACCESSES] != s->finished)
    return err_set(e, ERR_FAULT, "l2.accesses of slice %u: %lu, but %lu were answered", base->id,
                   c[LLC_ACCESSES], s->finished);
  if (llc_idle(base) && c[LLC_FETCHES] != c[LLC_FILLS])
    return err_set(e, ERR_FAULT, "l2.fetches of slice %u: %lu, but %lu fills", base->id, c[LLC_FETCHES],
                   c[LLC_FILLS]);
  return true;
}

/* ---- the watchdog's question ---- */

static void explain_mshrs(const struct slice *s, uint64_t now, struct str *out) {
  const struct mem_packet *oldest = NULL;
  uint8_t pending = 0;
  for (uint32_t i = 0; i < llc_frames(s); i++) {
    if (!s->lines[i].pending) continue;
    const struct mem_packet *k = s->mshr.entries[mem_mshr_find(&s->mshr, s->tags.line[i])].first;
    if (k && (!oldest || k->born < oldest->born)) oldest = k, pending = s->lines[i].pending;
  }
  if (oldest)
    str_add(out, "  oldest miss: line 0x%lx of SM %u, %lu cycles old, waits for sectors %x from DRAM\n",
            oldest->line, oldest->sm, (now - oldest->born) / s->base.wake.period, pending);
}

void llc_explain(const struct llc_slice *base, uint64_t now, struct str *out) {
  const struct slice *s = llc_of_const(base);
  if (llc_idle(base)) return;
  str_add(out,
          "L2 slice %u: %u packets at the input, %u in the pipe, %u from the other partition, %u of %u "
          "MSHRs, %u to DRAM, %u replies\n",
          base->id, base->in.count, s->pipe.count + s->ready.count, s->distant.count, s->mshr.used, s->mshr.n, s->misses.count,
          s->replies.count);
  const struct mem_slot *t = mem_ring_head(&s->pipe);
  if (t)
    str_add(out, "  oldest request: line 0x%lx of SM %u, %lu cycles old, %s\n", t->k->line, t->k->sm,
            (now - t->k->born) / base->wake.period,
            s->stall ? llc_stats[s->stall].meaning : "is in the latency pipe");
  if (base->packer && base->packer->inside.count)
    str_add(out, "  %u of %u replies in the compressor\n", base->packer->inside.count, base->packer->inside.capacity);
  if (s->replies.count && !mem_port_free_slots(base->reply, now))
    str_add(out, "  replies wait: the reply network's input %u is full\n", base->id);
  if (s->misses.count && !mem_port_free_slots(base->mem, now))
    str_add(out, "  misses wait: the DRAM channel's port is full\n");
  explain_mshrs(s, now, out);
}
