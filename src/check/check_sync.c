/* Who learns of whom, and synccheck.
 *
 * Knowledge spreads by
 *   CTA barriers: all that arrived, to all that waited; barriers of clusters: all of their CTAs, to all;
 *   meetings of lanes (.sync instructions, __syncwarp, shuffles, votes): among the lanes of the mask;
 *   flags: a strong write hands on what the writer had fenced (with .release: all it knows), a strong read takes it. An atomic
 *     operation adds to what the place hands on, a store replaces it. A read takes it whether or not a fence follows;
 *   mbarriers: an arrival hands on all, a completed bulk copy itself, a wait takes;
 *   waits for groups of asynchronous copies: the copies, to the warp that issued them.
 *
 * Scopes are not distinguished (a fence of .cta hands on to other CTAs too), and what a lane learns its whole warp knows: so
 * some races are missed, none is made up. */
#include "check/check_state.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

/* ---- instructions --------------------------------------------------------------------------------------------------- */

static bool has_any(const struct ptx_inst *pi, const uint16_t *mods, size_t n) {
  for (size_t i = 0; i < pi->n_mods; i++)
    for (size_t k = 0; k < n; k++)
      if (pi->mods[i] == mods[k]) return true;
  return false;
}
#define HAS_ANY(pi, ...) has_any((pi), (const uint16_t[]){__VA_ARGS__}, sizeof(const uint16_t[]){__VA_ARGS__} / sizeof(uint16_t))

bool check_is_strong(const struct exec_inst *in, const struct exec_shown *t) {
  const struct ptx_inst *pi = in->ptx;
  if (pi->op == PTX_OP_mbarrier) return !HAS_ANY(pi, PTX_M_init, PTX_M_inval);
  if (t->op == EXEC_ATOMIC || t->op == EXEC_REDUCE) return true;
  if (!pi->n_mods) return false;
  return HAS_ANY(pi, PTX_M_volatile, PTX_M_relaxed, PTX_M_acquire, PTX_M_release, PTX_M_acq_rel, PTX_M_mmio);
}

unsigned check_agent_of(const struct exec_inst *in) {
  if (in->ptx->op != PTX_OP_cp) return AGENT_NONE;
  return ptx_has(in->ptx, PTX_M_bulk) ? AGENT_BULK : AGENT_COPY;
}

/* ---- what a warp knows ------------------------------------------------------------------------------------------------ */

/* All that has happened before, its own doings included; nothing it does from now on. */
static struct vclock *knowledge(struct check *c, const struct check_cta *cta, struct check_warp *w) {
  struct vclock_entry e[CHECK_MOST_WARPS * AGENTS];
  uint32_t n = 0;
  for (uint32_t i = 0; i < cta->n_warps; i++) {
    const struct check_warp *o = &cta->warps[i];
    uint32_t before[AGENTS] = {o == w ? c->next : cta->base, o == w ? w->done[1] : o->done_all[1], o == w ? w->done[2] : o->done_all[2]};
    for (unsigned a = 0; a < AGENTS; a++)
      if (before[a] > c->first) e[n++] = (struct vclock_entry){who(o->id, a), before[a]};
  }
  struct vclock *own = vclock_of(e, n), *all = vclock_join(own, w->now);
  vclock_drop(own);
  check_split(w);
  return all;
}

static void hear(struct check_warp *w, struct vclock *c) {
  if (!c || c == w->heard) return;
  vclock_drop(w->heard);
  w->heard = vclock_keep(c);
  vclock_learn(&w->now, c);
}

/* ---- flags --------------------------------------------------------------------------------------------------------------- */

void check_flags_clear(struct check *c) {
  uint64_t key;
  size_t at = 0;
  for (struct vclock **flag; (flag = table_next(&c->flags, &at, &key)) != NULL;) vclock_drop(*flag);
  table_free(&c->flags);
}

static uint64_t key_of(const struct exec_shown *t, unsigned lane) {
  if (t->space == PTX_GLOBAL) return t->addr[lane];
  return UINT64_C(1) << 63 | t->cta->linear_id << 24 | t->addr[lane] | UINT64_C(1) << 62;
}

static void hear_flag(const struct check *c, struct check_warp *w, uint64_t key) {
  struct vclock *const *flag = table_find(&c->flags, key);
  if (flag) hear(w, *flag);
}

static void hand_on(struct check *c, uint64_t key, struct vclock *what, bool adds) {
  if (!what && (!c->flags.n || adds)) return;
  bool fresh;
  struct vclock **flag = table_put(&c->flags, key, sizeof *flag, &fresh);
  if (!adds) {
    vclock_drop(*flag);
    *flag = NULL;
  }
  vclock_learn(flag, what);
}

/* An mbarrier hears that copies are complete. */
static void hand_on_copies(struct check *c, struct check_warp *w, uint64_t key, unsigned agent) {
  struct vclock_entry e = {who(w->id, agent), c->next};
  struct vclock *done = vclock_of(&e, 1);
  hand_on(c, key, done, true);
  vclock_drop(done);
  w->agent_event[agent] = 0;
}

static bool releases(const struct ptx_inst *pi) {
  return pi->op == PTX_OP_mbarrier || HAS_ANY(pi, PTX_M_release, PTX_M_acq_rel, PTX_M_async); /* st.async signals what it stored */
}

void check_flags(struct check *c, const struct exec_warp *w, const struct exec_inst *in, const struct exec_shown *t) {
  unsigned agent = check_agent_of(in);
  bool reads = t->op == EXEC_LOAD || (t->op == EXEC_ATOMIC && in->ptx->op == PTX_OP_atom), writes = t->op != EXEC_LOAD;
  struct check_warp *cw = check_warp_of(w);
  if (agent ? t->op != EXEC_ATOMIC : !check_is_strong(in, t)) return;
  bool release = writes && !agent && releases(in->ptx);
  if (!c->flags.n && !agent && !release && !(writes && cw->fenced)) return;
  struct vclock *what = release ? knowledge(c, w->cta->observed, cw) : vclock_keep(cw->fenced);
  uint32_t lanes = t->same ? t->lanes & -t->lanes : t->lanes;
  for (uint32_t m = lanes; m; m &= m - 1) {
    uint64_t key = key_of(t, (unsigned)__builtin_ctz(m));
    if (agent) hand_on_copies(c, cw, key, agent);
    else if (reads) hear_flag(c, cw, key);
    if (writes && !agent) hand_on(c, key, what, t->op != EXEC_STORE);
  }
  vclock_drop(what);
}

/* ---- fences and groups of copies ------------------------------------------------------------------------------------------ */

static void commit(struct check *c, struct check_warp *w, unsigned agent) {
  w->group[agent][w->n_groups[agent]++ % GROUPS] = c->next;
  w->agent_event[agent] = 0;
}

/* All groups but the last `pending` are complete. */
static void wait_groups(struct check_warp *w, unsigned agent, uint32_t pending) {
  uint32_t n = w->n_groups[agent];
  if (pending >= n || pending >= GROUPS) return;
  uint32_t done = w->group[agent][(n - 1 - pending) % GROUPS];
  if (done > w->done[agent]) w->done[agent] = done;
}

static void group(struct check *c, struct check_warp *w, const struct ptx_inst *pi) {
  unsigned agent = ptx_has(pi, PTX_M_bulk) ? AGENT_BULK : AGENT_COPY;
  if (ptx_has(pi, PTX_M_commit_group)) {
    commit(c, w, agent);
  } else if (ptx_has(pi, PTX_M_wait_all)) {
    w->agent_event[agent] = 0;
    w->done[agent] = c->next;
  } else {
    wait_groups(w, agent, pi->n_ops && pi->ops[0].kind == PTX_O_INT ? (uint32_t)pi->ops[0].imm : 0);
  }
}

void check_order(void *user, const struct exec_warp *w, const struct exec_inst *in) {
  struct check *c = user;
  struct check_warp *cw = check_warp_of(w);
  if (!(c->tools & CHECK_RACE)) return;
  if (in->ptx->op == PTX_OP_cp) group(c, cw, in->ptx);
  if (in->ptx->op != PTX_OP_membar && in->ptx->op != PTX_OP_fence) return;
  struct vclock *all = knowledge(c, w->cta->observed, cw);
  vclock_drop(cw->fenced);
  cw->fenced = all;
}

/* ---- masks ---------------------------------------------------------------------------------------------------------------- */

static void report_mask(struct check *c, const struct exec_warp *w, const struct exec_inst *in, const char *kind, unsigned lane,
                      unsigned other, const char *text) {
  if (!check_is_new(c, CHECK_SYNC, kind, in, NULL)) return;
  check_write(c, &(struct check_found){.tool = CHECK_SYNC,
                                       .kind = kind,
                                       .text = text,
                                       .place = {check_place_of(w, in, lane, NULL), check_place_of(w, in, other, NULL)},
                                       .places = other == lane ? 1 : 2});
}

void check_come(void *user, const struct exec_warp *w, const struct exec_inst *in, const uint32_t *masks) {
  struct check *c = user;
  if (!(c->tools & CHECK_SYNC)) return;
  uint32_t first = masks[__builtin_ctz(w->mask)];
  if (first == EXEC_ALL_LANES && w->mask == EXEC_ALL_LANES && !memcmp(masks, masks + 1, 31 * sizeof *masks)) return;
  char text[128];
  for (uint32_t m = w->mask; m; m &= m - 1) {
    unsigned lane = (unsigned)__builtin_ctz(m);
    if (!(masks[lane] >> lane & 1)) {
      snprintf(text, sizeof text, "lane %u executes it but is not in its own mask 0x%08x", lane, masks[lane]);
      report_mask(c, w, in, "not-in-mask", lane, lane, text);
    }
    for (uint32_t o = masks[lane] & w->mask & (m - 1); o; o &= o - 1) {
      unsigned other = (unsigned)__builtin_ctz(o);
      if (masks[other] == masks[lane]) continue;
      snprintf(text, sizeof text, "lanes that wait for each other have different masks, 0x%08x and 0x%08x", masks[lane], masks[other]);
      report_mask(c, w, in, "mask-mismatch", lane, other, text);
      break;
    }
  }
}

void check_meet(void *user, const struct exec_warp *w, uint32_t members) {
  struct check *c = user;
  if (!(c->tools & CHECK_RACE)) return;
  struct check_warp *cw = check_warp_of(w);
  check_split(cw);
  if ((members & w->live) == w->live) {
    cw->synced = c->next;
    return;
  }
  for (uint32_t m = members; m; m &= m - 1) {
    cw->lane_synced[__builtin_ctz(m)] = c->next;
    cw->lane_with[__builtin_ctz(m)] = members;
  }
}

void check_shuffle(void *user, const struct exec_warp *w, const struct exec_inst *in, uint32_t members, uint32_t sources) {
  struct check *c = user;
  uint32_t absent = sources & ~members;
  if (!(c->tools & CHECK_SYNC) || !absent) return;
  unsigned lane = (unsigned)__builtin_ctz(w->mask);
  char text[128];
  snprintf(text, sizeof text, "it reads lanes 0x%08x, which do not take part (0x%08x do)", absent, members);
  report_mask(c, w, in, "absent-lane", lane, lane, text);
}

/* ---- barriers ------------------------------------------------------------------------------------------------------------- */

static bool same_line(const struct ptx_inst *a, const struct ptx_inst *b) {
  if (a->use_file && b->use_file) return a->use_file == b->use_file && a->use_line == b->use_line;
  return a->line == b->line;
}

static void report_barrier(struct check *c, const struct exec_warp *w, const struct exec_inst *in, const struct check_barrier *b,
                         const char *kind, const char *text) {
  const struct exec_inst *first = b ? b->first : NULL;
  if (!check_is_new(c, CHECK_SYNC, kind, in, first)) return;
  struct check_place here = check_place_of(w, in, (unsigned)__builtin_ctz(w->mask), "arrive"), there = here;
  if (b) {
    there.in = b->first;
    there.thread = b->warp * EXEC_LANES + b->lane;
  }
  check_write(c, &(struct check_found){
                     .tool = CHECK_SYNC, .kind = kind, .text = text, .place = {there, here}, .places = b ? 2 : 1});
}

static void check_arrival(struct check *c, const struct exec_warp *w, const struct exec_inst *in, const struct check_barrier *b,
                          unsigned id, uint32_t threads) {
  char text[256];
  uint32_t all = w->cta->n_warps * EXEC_LANES;
  if (threads > all) {
    snprintf(text, sizeof text, "barrier %u waits for %u threads, the block has %u", id, threads, w->cta->threads);
    report_barrier(c, w, in, NULL, "barrier-count", text);
  }
  const struct check_arrival *part = &b->by_warp[w->index];
  if (part->lanes && !same_line(part->in->ptx, in->ptx)) {
    snprintf(text, sizeof text, "lanes 0x%08x and 0x%08x of one warp come to barrier %u at different places", part->lanes, w->mask, id);
    struct check_barrier apart = {.first = part->in, .warp = w->index, .lane = (uint32_t)__builtin_ctz(part->lanes)};
    report_barrier(c, w, in, &apart, "divergent-barrier", text);
    return;
  }
  if (!b->first || b->first == in) return;
  if (b->threads != threads) {
    snprintf(text, sizeof text, "barrier %u is waited for with different counts, %u and %u threads (0: all)", id, b->threads, threads);
    report_barrier(c, w, in, b, "barrier-mismatch", text);
  } else if (!threads && !same_line(b->first->ptx, in->ptx)) {
    snprintf(text, sizeof text, "threads of the block come to barrier %u at different places", id);
    report_barrier(c, w, in, b, "barrier-mismatch", text);
  }
}

/* The other CTAs of the cluster. */
static void tell_cluster(const struct exec_cta *from, struct vclock *what) {
  for (uint32_t i = 0; i < from->cluster->n; i++) {
    const struct exec_cta *x = from->cluster->ctas[i];
    if (x && x != from) vclock_learn(&((struct check_cta *)x->observed)->barriers[EXEC_CLUSTER_BARRIER].now, what);
  }
}

void check_arrive(void *user, const struct exec_warp *w, const struct exec_inst *in, unsigned id, uint32_t threads, bool wait) {
  struct check *c = user;
  struct check_cta *cta = w->cta->observed;
  struct check_warp *cw = &cta->warps[w->index];
  struct check_barrier *b = &cta->barriers[id];
  if (c->tools & CHECK_SYNC && id != EXEC_CLUSTER_BARRIER) check_arrival(c, w, in, b, id, threads);
  if (!b->first) {
    b->first = in;
    b->threads = threads;
    b->warp = w->index;
    b->lane = (uint32_t)__builtin_ctz(w->mask);
  }
  if (wait) b->waiting |= UINT64_C(1) << w->index;
  b->by_warp[w->index].in = in;
  b->by_warp[w->index].lanes |= w->mask;
  if (!(c->tools & CHECK_RACE)) return;
  bool many = id == EXEC_CLUSTER_BARRIER && w->cta->cluster->n > 1;
  struct vclock *what = threads || many ? knowledge(c, cta, cw) : vclock_keep(cw->now);
  vclock_learn(&b->now, what);
  if (many) tell_cluster(w->cta, what);
  vclock_drop(what);
  vclock_learn(&b->fenced, cw->fenced);
  check_split(cw);
}

static bool aligned(const struct ptx_inst *pi) { return pi->op == PTX_OP_bar || ptx_has(pi, PTX_M_aligned); }

/* A barrier is complete: lanes of its warps that are neither there nor have ended are on a way of their own. */
static void check_absent(struct check *c, const struct exec_warp *w, const struct check_arrival *a, unsigned id) {
  uint32_t absent = a->lanes ? w->live & ~a->lanes : 0;
  if (!absent || !aligned(a->in->ptx) || !check_is_new(c, CHECK_SYNC, "divergent-barrier", a->in, NULL)) return;
  char text[160];
  snprintf(text, sizeof text, "lanes 0x%08x of a warp complete barrier %u without lanes 0x%08x", a->lanes, id, absent);
  struct check_place p = check_place_of(w, a->in, (unsigned)__builtin_ctz(a->lanes), "arrive");
  check_write(c, &(struct check_found){.tool = CHECK_SYNC, .kind = "divergent-barrier", .text = text, .place = {p}, .places = 1});
}

static void pass_barrier(struct check *c, struct check_warp *w, const struct check_barrier *b) {
  vclock_learn(&w->now, b->now);
  vclock_learn(&w->fenced, b->fenced);
  check_split(w);
  w->synced = c->next;
}

void check_release(void *user, const struct exec_cta *exec, unsigned id) {
  struct check *c = user;
  struct check_cta *cta = exec->observed;
  struct check_barrier *b = &cta->barriers[id];
  bool all = !b->threads;
  all |= b->waiting == (UINT64_C(1) << cta->n_warps) - 1;
  for (uint32_t i = 0; i < cta->n_warps; i++) check_absent(c, &exec->warps[i], &b->by_warp[i], id);
  if (all) cta->base = c->next;
  for (uint32_t i = 0; i < cta->n_warps; i++) {
    if (b->waiting >> i & 1) pass_barrier(c, &cta->warps[i], b);
    for (unsigned a = 0; all && a < AGENTS; a++) cta->warps[i].done_all[a] = cta->warps[i].done[a];
  }
  vclock_drop(b->now);
  vclock_drop(b->fenced);
  *b = (struct check_barrier){0};
}

void check_left(struct check *c, const struct exec_cta *exec) {
  const struct check_cta *cta = exec->observed;
  for (unsigned id = 0; id < EXEC_ALL_BARRIERS && c->tools & CHECK_SYNC; id++) {
    const struct check_barrier *b = &cta->barriers[id];
    if (!b->first || !check_is_new(c, CHECK_SYNC, "barrier-left", b->first, NULL)) continue;
    char text[128];
    if (id == EXEC_CLUSTER_BARRIER) snprintf(text, sizeof text, "the block ends while the cluster's barrier waits");
    else
      snprintf(text, sizeof text, "the block ends while barrier %u waits: %u threads have arrived of %u", id, exec->barriers[id].arrived,
               exec->barriers[id].expected);
    struct check_place p = check_place_of(&exec->warps[b->warp], b->first, b->lane, "arrive");
    check_write(c, &(struct check_found){.tool = CHECK_SYNC, .kind = "barrier-left", .text = text, .place = {p}, .places = 1});
  }
}
