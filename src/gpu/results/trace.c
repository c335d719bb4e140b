/* See trace.h. */
#include "gpu/results/trace.h"

#include "base/arena.h"
#include "llc/llc.h"
#include "sm/sm.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
  FIRST_PERIOD = 8,        /* core cycles between looks at warps, to begin with */
  LOOK_BYTES = 32 << 20,   /* of memory for looks at warps */
  MOST_LOOKS = 4096,
  REQUEST_EVENTS = 6,      /* slices of a request: itself and its stages */
  RECENT = 16,             /* answers that the parts of one come among, mostly */
  UNEVEN = 8,              /* times its share that a slice or SM may hold: the file is filled though they are not used alike */
};
/* Parts of the file. */
enum { CTA_PART = 8, WARP_PART = 4, REQUEST_PART = 2 };

/* ---- records ------------------------------------------------------------------------------------------------------------------ */

struct request { /* as a slice saw it; times in ticks */
  uint64_t key, line, born, sent, came, from, to, left; /* from, to: in DRAM; 0: it was not */
  uint16_t sm;
  uint8_t kind, class_;
  bool waits; /* for data from below */
};

struct arrival { /* of an answer at its SM; what came first comes first */
  uint64_t key, at;
};

struct of_slice {
  struct request *inside, *rows; /* in the slice now, and those that have left it */
  size_t n_inside, inside_cap, n, cap, most;
  uint64_t mask; /* keys that have one of these bits are not kept */
};

struct of_sm {
  struct arrival *rows;
  size_t n, cap, most;
  uint64_t mask;
};

struct period { /* of time in which the GPU was busy */
  uint64_t tick, cycle;
};

struct gpu_trace {
  struct gpu_trace_shape shape;
  struct of_slice *slices;
  struct of_sm *sms;
  struct period *periods;
  size_t n_periods, periods_cap;
  /* Looks at warps: a byte a warp, 0: no warp, 1: it could issue, else 1 + enum sm_stall. */
  uint8_t *looks;
  struct look {
    uint64_t cycle;
    size_t period;
  } *look_at;
  size_t n_looks, most_looks;
  uint64_t every, next;   /* cycles of the run */
};

static size_t events_of(const struct gpu_trace *t) { return t->shape.bytes / TRACE_EVENT_BYTES; }
static size_t look_size(const struct gpu_trace *t) { return (size_t)t->shape.n_sms * t->shape.warps; }
static size_t request_room(const struct gpu_trace *t) { return events_of(t) / REQUEST_PART / REQUEST_EVENTS; }
size_t gpu_trace_ctas(const struct gpu_trace *t) { return events_of(t) / CTA_PART + 1; }

/* ---- requests ----------------------------------------------------------------------------------------------------------------- */

static uint64_t key_of(const struct mem_packet *k) {
  uint64_t x = k->line ^ (uint64_t)k->sm << 48 ^ k->born * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)k->owner << 20;
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

static void saw_lookup(void *user, const struct mem_seen_lookup *l) {
  struct of_slice *s = user;
  const struct mem_packet *k = l->k;
  uint64_t key = key_of(k);
  if (key & s->mask || k->kind == MEM_PREFETCH) return; /* a prefetch has no answer */
  GROW(s->inside, s->inside_cap, s->n_inside + 1);
  s->inside[s->n_inside++] = (struct request){.key = key, .line = k->line, .born = k->born, .sent = k->sent, .came = l->came, .sm = k->sm,
                                              .kind = k->kind, .class_ = k->class_, .waits = l->result != MEM_SEEN_HIT};
}

/* Everybody who waits for the line has waited for DRAM since it was asked, or since he came. */
static void saw_fill(void *user, const struct mem_packet *f, uint64_t now) {
  struct of_slice *s = user;
  for (size_t i = 0; i < s->n_inside; i++) {
    struct request *r = &s->inside[i];
    if (!r->waits || r->line != f->line) continue;
    if (!r->to) r->from = f->born > r->came ? f->born : r->came;
    r->to = now;
  }
}

static void thin_slice(struct of_slice *s) {
  size_t kept = 0;
  s->mask = 2 * s->mask + 1;
  for (size_t i = 0; i < s->n; i++)
    if (!(s->rows[i].key & s->mask)) s->rows[kept++] = s->rows[i];
  s->n = kept;
  kept = 0;
  for (size_t i = 0; i < s->n_inside; i++)
    if (!(s->inside[i].key & s->mask)) s->inside[kept++] = s->inside[i];
  s->n_inside = kept;
}

static void saw_reply_leave(void *user, const struct mem_packet *k, uint64_t now) {
  struct of_slice *s = user;
  uint64_t key = key_of(k);
  size_t i = 0;
  while (i < s->n_inside && s->inside[i].key != key) i++;
  if (i == s->n_inside) return; /* not kept, or a further part of the answer */
  struct request r = s->inside[i];
  s->inside[i] = s->inside[--s->n_inside];
  r.left = now;
  while (s->n >= s->most) thin_slice(s);
  if (r.key & s->mask) return;
  GROW(s->rows, s->cap, s->n + 1);
  s->rows[s->n++] = r;
}

static void saw_reply_come(void *user, const struct mem_packet *k, uint64_t now) {
  struct of_sm *s = user;
  uint64_t key = key_of(k);
  for (size_t i = s->n; i && i + RECENT > s->n; i--)
    if (s->rows[i - 1].key == key) { /* a further part of an answer */
      s->rows[i - 1].at = now;
      return;
    }
  while (s->n >= s->most) {
    size_t kept = 0;
    s->mask = 2 * s->mask + 1;
    for (size_t i = 0; i < s->n; i++)
      if (!(s->rows[i].key & s->mask)) s->rows[kept++] = s->rows[i];
    s->n = kept;
  }
  if (key & s->mask) return;
  GROW(s->rows, s->cap, s->n + 1);
  s->rows[s->n++] = (struct arrival){key, now};
}

/* ---- warps -------------------------------------------------------------------------------------------------------------------- */

void gpu_trace_period(struct gpu_trace *t, uint64_t now, uint64_t cycle) {
  GROW(t->periods, t->periods_cap, t->n_periods + 1);
  t->periods[t->n_periods++] = (struct period){now, cycle};
  t->next = cycle / t->every * t->every + t->every;
}

uint64_t gpu_trace_next(const struct gpu_trace *t) { return t->next; }

static void look_rarer(struct gpu_trace *t) {
  size_t kept = 0, size = look_size(t);
  t->every *= 2;
  for (size_t i = 0; i < t->n_looks; i++) {
    if (t->look_at[i].cycle % t->every) continue;
    t->look_at[kept] = t->look_at[i];
    memmove(t->looks + kept * size, t->looks + i * size, size);
    kept++;
  }
  t->n_looks = kept;
}

void gpu_trace_look(struct gpu_trace *t, uint64_t cycle, uint64_t now) {
  while (t->n_looks == t->most_looks) look_rarer(t);
  t->next = cycle / t->every * t->every + t->every;
  if (cycle % t->every) return;
  uint8_t *to = t->looks + t->n_looks * look_size(t);
  for (uint32_t i = 0; i < t->shape.n_sms; i++) {
    const struct sm *s = &t->shape.sms[i];
    for (uint32_t w = 0; w < t->shape.warps; w++) {
      const struct sm_stand *at = &s->ready.warp[w];
      *to++ = (uint8_t)(!(s->live >> w & 1) ? 0 : at->ready <= now ? 1 : 1 + at->why);
    }
  }
  t->look_at[t->n_looks++] = (struct look){cycle, t->n_periods - 1};
}

/* ---- life --------------------------------------------------------------------------------------------------------------------- */

struct gpu_trace *gpu_trace_new(const struct gpu_trace_shape *shape) {
  static const struct mem_observer of_slices = {.lookup = saw_lookup, .filled = saw_fill, .replied = saw_reply_leave};
  static const struct mem_observer of_sms = {.reply = saw_reply_come};
  struct gpu_trace *t = must_alloc(sizeof *t);
  t->shape = *shape;
  t->slices = must_alloc(shape->n_slices * sizeof *t->slices);
  t->sms = must_alloc(shape->n_sms * sizeof *t->sms);
  for (uint32_t i = 0; i < shape->n_slices; i++) {
    t->slices[i].most = request_room(t) * UNEVEN / shape->n_slices + 16;
    mem_observers_add(&shape->slices[i]->observers, &of_slices, &t->slices[i]);
  }
  for (uint32_t i = 0; i < shape->n_sms; i++) {
    t->sms[i].most = request_room(t) * UNEVEN / shape->n_sms + 16;
    mem_observers_add(&shape->sms[i].observers, &of_sms, &t->sms[i]);
  }
  t->every = t->next = FIRST_PERIOD;
  t->most_looks = LOOK_BYTES / look_size(t);
  if (t->most_looks > MOST_LOOKS) t->most_looks = MOST_LOOKS;
  t->looks = must_alloc(t->most_looks * look_size(t));
  t->look_at = must_alloc(t->most_looks * sizeof *t->look_at);
  return t;
}

void gpu_trace_delete(struct gpu_trace *t) {
  if (!t) return;
  for (uint32_t i = 0; i < t->shape.n_slices; i++) {
    free(t->slices[i].inside);
    free(t->slices[i].rows);
  }
  for (uint32_t i = 0; i < t->shape.n_sms; i++) free(t->sms[i].rows);
  free(t->slices);
  free(t->sms);
  free(t->periods);
  free(t->looks);
  free(t->look_at);
  free(t);
}

/* ---- the file ----------------------------------------------------------------------------------------------------------------- */

enum { WARP_TID = 100, REQUEST_TID = 200 }; /* of an SM's process: CTA slots from 1 on, then warps, then requests */

struct output {
  struct gpu_trace *t;
  const struct gpu_trace_clock *clock;
  struct trace_file *to;
};

/* A cycle of the run; the last one of a busy period is the first of the next, so that the period must be known. */
static uint64_t at_cycle(const struct output *o, size_t period, uint64_t cycle) {
  return o->clock->at(o->clock->user, period, (double)(cycle - o->t->periods[period].cycle));
}

static uint64_t at_tick(const struct output *o, size_t period, uint64_t tick) {
  return o->clock->at(o->clock->user, period, (double)(tick - o->t->periods[period].tick) / (double)o->t->shape.core);
}

/* The last that has begun, by its time or its first cycle. */
static size_t period_of(const struct gpu_trace *t, uint64_t tick, uint64_t cycle) {
  size_t low = 0, high = t->n_periods;
  while (low + 1 < high) {
    size_t mid = (low + high) / 2;
    if (t->periods[mid].tick <= tick && t->periods[mid].cycle <= cycle) low = mid;
    else high = mid;
  }
  return low;
}

static void put_names(const struct output *o, uint32_t slots) {
  char name[48];
  for (uint32_t i = 0; i < o->t->shape.n_sms; i++) {
    snprintf(name, sizeof name, "SM %u", i);
    trace_process(o->to, o->clock->pid + i, name);
    for (uint32_t k = 0; k < slots; k++) {
      snprintf(name, sizeof name, "CTA slot %u", k);
      trace_thread(o->to, o->clock->pid + i, 1 + k, name);
    }
  }
}

static void put_ctas(const struct output *o, const struct gpu_cta *ctas, size_t n) {
  uint32_t slots = 0;
  for (size_t i = 0; i < n; i++)
    if (ctas[i].slot >= slots) slots = ctas[i].slot + 1u;
  put_names(o, slots);
  for (size_t i = 0; i < n; i++) {
    const struct gpu_cta *c = &ctas[i];
    char args[64];
    snprintf(args, sizeof args, "\"launch\":%llu", (unsigned long long)c->ticket);
    size_t period = period_of(o->t, UINT64_MAX, c->start);
    trace_slice(o->to, o->clock->pid + c->sm, 1u + c->slot, "CTA", at_cycle(o, period, c->start),
                at_cycle(o, period, c->start + c->cycles), args);
  }
}

/* ---- warps ---- */

static const char *state_name(uint8_t state) { return state == 1 ? "ready" : gpu_stall_name(state - 1u); }

static uint8_t look_at(const struct gpu_trace *t, size_t i, size_t warp) { return t->looks[i * look_size(t) + warp]; }

/* Looks that follow each other without a gap: no busy period began between them. */
static bool goes_on(const struct gpu_trace *t, size_t i) {
  return i + 1 < t->n_looks && t->look_at[i + 1].period == t->look_at[i].period;
}

/* Where a state that begins at look i ends: the first look that sees another. */
static size_t state_end(const struct gpu_trace *t, size_t i, size_t warp) {
  size_t k = i;
  while (goes_on(t, k) && look_at(t, k + 1, warp) == look_at(t, i, warp)) k++;
  return k;
}

static size_t count_states(const struct gpu_trace *t) {
  size_t n = 0;
  for (size_t w = 0; w < look_size(t); w++)
    for (size_t i = 0; i < t->n_looks; i = state_end(t, i, w) + 1) n += look_at(t, i, w) != 0;
  return n;
}

/* A look stands for the time up to the next one. */
static void put_warp(const struct output *o, size_t warp) {
  const struct gpu_trace *t = o->t;
  unsigned pid = o->clock->pid + (unsigned)(warp / t->shape.warps), tid = WARP_TID + (unsigned)(warp % t->shape.warps);
  bool named = false;
  for (size_t i = 0, end; i < t->n_looks; i = end + 1) {
    end = state_end(t, i, warp);
    uint8_t state = look_at(t, i, warp);
    if (!state) continue;
    char name[32];
    snprintf(name, sizeof name, "warp slot %u", tid - WARP_TID);
    if (!named) trace_thread(o->to, pid, tid, name);
    named = true;
    uint64_t until = goes_on(t, end) ? t->look_at[end + 1].cycle : t->look_at[end].cycle + 1;
    size_t period = t->look_at[i].period;
    trace_slice(o->to, pid, tid, state_name(state), at_cycle(o, period, t->look_at[i].cycle), at_cycle(o, period, until), NULL);
  }
}

/* Reasons that a warp has by itself; the others are a scheduler's. */
static const unsigned of_a_warp =
    1u << SM_STALL_BARRIER | 1u << SM_STALL_FENCE | 1u << SM_STALL_FETCH | 1u << SM_STALL_MEMORY | 1u << SM_STALL_ALU;

/* How many warps of the GPU stand where. */
static void put_counter(const struct output *o, size_t i) {
  const struct gpu_trace *t = o->t;
  uint32_t n[2 + SM_STALLS] = {0};
  char args[400];
  int used = 0;
  for (size_t w = 0; w < look_size(t); w++) n[look_at(t, i, w)]++;
  for (uint8_t s = 1; s < 1 + SM_STALLS; s++)
    if (s == 1 || of_a_warp >> (s - 1) & 1)
      used += snprintf(args + used, sizeof args - (size_t)used, "%s\"%s\":%u", used ? "," : "", state_name(s), n[s]);
  trace_counter(o->to, 0, "warps", at_cycle(o, t->look_at[i].period, t->look_at[i].cycle), args);
}

static void put_warps(const struct output *o) {
  struct gpu_trace *t = o->t;
  while (t->n_looks > 2 && count_states(t) > events_of(t) / WARP_PART) look_rarer(t);
  for (size_t i = 0; i < t->n_looks; i++) put_counter(o, i);
  for (size_t w = 0; w < look_size(t); w++) put_warp(o, w);
}

/* ---- requests ---- */

static int by_key(const void *a, const void *b) {
  const struct arrival *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return x->at < y->at ? -1 : x->at > y->at;
}

/* When the last part of its answer came; 0: it has not, or is not known. */
static uint64_t arrived(const struct of_sm *s, uint64_t key) {
  size_t low = 0, high = s->n;
  while (low < high) {
    size_t mid = (low + high) / 2;
    if (s->rows[mid].key <= key) low = mid + 1;
    else high = mid;
  }
  return low && s->rows[low - 1].key == key ? s->rows[low - 1].at : 0;
}

static int by_birth(const void *a, const void *b) {
  const struct request *x = a, *y = b;
  if (x->sm != y->sm) return x->sm < y->sm ? -1 : 1;
  if (x->born != y->born) return x->born < y->born ? -1 : 1;
  return x->key < y->key ? -1 : x->key > y->key;
}

/* Those that were answered, of all slices, by SM and time, with the end of their life in `key`: at most as many as fit. */
static struct request *gather(struct gpu_trace *t, size_t *n, uint64_t *mask) {
  struct request *all = NULL;
  size_t cap = 0;
  for (uint32_t i = 0; i < t->shape.n_slices; i++) *mask |= t->slices[i].mask;
  for (uint32_t i = 0; i < t->shape.n_sms; i++) {
    *mask |= t->sms[i].mask;
    if (t->sms[i].n) qsort(t->sms[i].rows, t->sms[i].n, sizeof *t->sms[i].rows, by_key);
  }
  for (;;) {
    *n = 0;
    for (uint32_t i = 0; i < t->shape.n_slices; i++)
      for (size_t k = 0; k < t->slices[i].n; k++) {
        struct request r = t->slices[i].rows[k];
        uint64_t end = r.key & *mask ? 0 : arrived(&t->sms[r.sm], r.key);
        if (!end) continue;
        GROW(all, cap, *n + 1);
        r.key = end;
        all[(*n)++] = r;
      }
    if (*n <= request_room(t)) break;
    *mask = 2 * *mask + 1;
  }
  if (*n) qsort(all, *n, sizeof *all, by_birth);
  return all;
}

static const char *request_name(const struct request *r) {
  static const char *const classes[] = {[MEM_CONST] = "constant", [MEM_TEXTURE] = "texture", [MEM_INSTRUCTION] = "instructions"};
  if (r->class_ >= MEM_CONST) return classes[r->class_];
  return r->kind == MEM_READ ? "load" : r->kind == MEM_WRITE ? "store" : "atomic";
}

/* A request and its stages, one within the other. */
static void put_request(const struct output *o, const struct request *r, unsigned tid) {
  unsigned pid = o->clock->pid + r->sm;
  char args[64];
  snprintf(args, sizeof args, "\"line\":\"0x%llx\",\"l2\":\"%s\"", (unsigned long long)r->line, r->waits ? "miss" : "hit");
  size_t p = period_of(o->t, r->born, UINT64_MAX);
  uint64_t born = at_tick(o, p, r->born), sent = at_tick(o, p, r->sent), came = at_tick(o, p, r->came), left = at_tick(o, p, r->left);
  uint64_t end = at_tick(o, p, r->key);
  if (!trace_slice(o->to, pid, tid, request_name(r), born, end, args)) return;
  trace_slice(o->to, pid, tid, "L1", born, sent, NULL);
  trace_slice(o->to, pid, tid, "request network", sent, came, NULL);
  trace_slice(o->to, pid, tid, "L2", came, left, NULL);
  if (r->to) trace_slice(o->to, pid, tid, "DRAM", at_tick(o, p, r->from), at_tick(o, p, r->to), NULL);
  trace_slice(o->to, pid, tid, "reply network", left, end, NULL);
}

/* Requests of an SM on as many threads as were on their way at once. */
static void put_requests(const struct output *o, const struct request *r, size_t n) {
  uint64_t *free_at = NULL;
  size_t lanes = 0, cap = 0;
  for (size_t i = 0; i < n; i++) {
    if (!i || r[i].sm != r[i - 1].sm) lanes = 0;
    size_t k = 0;
    while (k < lanes && free_at[k] > r[i].born) k++;
    if (k == lanes) {
      char name[32];
      GROW(free_at, cap, lanes + 1);
      snprintf(name, sizeof name, "requests %zu", lanes++);
      trace_thread(o->to, o->clock->pid + r[i].sm, REQUEST_TID + (unsigned)k, name);
    }
    free_at[k] = r[i].key;
    put_request(o, &r[i], REQUEST_TID + (unsigned)k);
  }
  free(free_at);
}

struct gpu_trace_kept gpu_trace_put(struct gpu_trace *t, const struct gpu_cta *ctas, size_t n_ctas, const struct gpu_trace_clock *clock,
                                    struct trace_file *to) {
  struct output o = {t, clock, to};
  struct gpu_trace_kept kept = {.ctas = n_ctas};
  if (!t->n_periods) return kept;
  put_ctas(&o, ctas, n_ctas);
  put_warps(&o);
  uint64_t mask = 0;
  struct request *all = gather(t, &kept.requests, &mask);
  put_requests(&o, all, kept.requests);
  free(all);
  kept.request_step = mask + 1;
  kept.look_cycles = t->every;
  return kept;
}
