/* racecheck: two touches of one byte, at least one of them a write, that nothing orders.
 *
 * Each cell of shadow memory keeps the last writer and the last two readers of different warps. A write forgets the readers.
 * Two strong touches (atomic, volatile, relaxed and stronger) never race, whatever their scopes. A store that leaves the
 * value that is there is no race: that is how flags are set by many.
 *
 * Most accesses of a warp are 32 neighbouring words whose cells are of earlier launches or its own: those are decided
 * without looking at lanes. */
#include "check/check_state.h"

#include <string.h>

struct visit {
  struct check *c;
  const struct exec_warp *w;
  const struct exec_inst *in;
  const struct exec_shown *t;
  const struct check_cta *cta;
  struct check_warp *warp;
  const struct check_cta *owner; /* whose shared memory */
  struct plane *plane;
  uint64_t stamp;  /* without lane */
  uint64_t limit;  /* stamps below are before us */
  uint64_t window; /* address of the plane's first byte */
  bool writes;
};

/* ---- order -------------------------------------------------------------------------------------------------------- */

static bool ordered_lanes(const struct check *c, const struct check_warp *w, unsigned lane, uint64_t stamp, uint32_t mask) {
  uint32_t e = stamp_event(stamp);
  unsigned other = stamp_lane(stamp);
  if (other == lane && !(stamp & STAMP_MANY)) return true;
  if (e < w->synced || (e < w->lane_synced[lane] && w->lane_with[lane] >> other & 1)) return true;
  if (vclock_knows(w->now, who(w->id, AGENT_NONE), e)) return true;
  return c->lockstep && mask >> lane & 1;
}

bool check_ordered(const struct check *c, const struct check_cta *cta, const struct check_warp *w, unsigned lane, uint64_t stamp) {
  uint32_t e = stamp_event(stamp);
  if (e < c->first) return true;
  const struct check_event *ev = check_event_at(c, e);
  uint32_t at = ev->warp - cta->first_warp;
  unsigned agent = stamp_agent(stamp);
  bool ours = at < cta->n_warps;
  if (agent) {
    if (ours && (e < cta->warps[at].done_all[agent] || (ev->warp == w->id && e < w->done[agent]))) return true;
  } else {
    if (ev->warp == w->id) return ordered_lanes(c, w, lane, stamp, ev->mask);
    if (ours && e < cta->base) return true;
  }
  return vclock_knows(w->now, who(ev->warp, agent), e);
}

/* ---- findings ------------------------------------------------------------------------------------------------------ */

static const unsigned char *bytes_at(const struct visit *v, unsigned lane) {
  uint64_t addr = v->t->addr[lane];
  return v->t->space == PTX_SHARED ? v->t->cta->shared + addr : exec_mem_ptr(addr);
}

/* Whether the store leaves what is there. */
static bool changes_nothing(const struct visit *v, unsigned lane) {
  unsigned char value[EXEC_STORED_BYTES];
  unsigned n = v->t->op == EXEC_STORE ? exec_stored_value(v->w, v->in, lane, value) : 0;
  return n && !memcmp(value, bytes_at(v, lane), n);
}

static const char *verb(const struct exec_inst *in, bool wrote) {
  if (!in) return wrote ? "write" : "read";
  if (in->ptx->op == PTX_OP_atom || in->ptx->op == PTX_OP_red) return "atomic";
  if (in->ptx->op == PTX_OP_cp) return wrote ? "async write" : "async read";
  return wrote ? "write" : "read";
}

/* NULL: beyond what a stamp can name. */
static const struct exec_inst *inst_at(const struct check *c, uint32_t pc) {
  const struct exec_module *m = c->grid->module;
  for (uint32_t i = 0; i < m->ptx.n_funcs; i++)
    if (m->funcs[i].insts && pc - m->funcs[i].first_pc < m->funcs[i].n_insts) return &m->funcs[i].insts[pc - m->funcs[i].first_pc];
  return NULL;
}

struct check_place check_place_at(const struct check *c, uint64_t stamp, const char *did) {
  const struct check_event *ev = check_event_at(c, stamp_event(stamp));
  return (struct check_place){.in = inst_at(c, stamp_pc(stamp)),
                              .did = did,
                              .cta = ev->warp / c->warps_per_cta,
                              .thread = ev->warp % c->warps_per_cta * EXEC_LANES + stamp_lane(stamp)};
}

static const char *relation(const struct visit *v, const struct check_event *ev, unsigned agent) {
  if (agent) return "an asynchronous copy, with nothing that says it is complete";
  if (ev->warp == v->warp->id) return "two lanes of one warp, with no __syncwarp between them";
  if (ev->warp - v->cta->first_warp < v->cta->n_warps) return "two warps of one block, with no barrier between them";
  return "two blocks, with nothing that orders them";
}

/* The other side's stamp is not ordered: reports it, once a pair of instructions. */
static void report_race(const struct visit *v, unsigned lane, uint64_t addr, uint64_t stamp, bool other_wrote, const char *kind) {
  const struct exec_inst *other = inst_at(v->c, stamp_pc(stamp));
  if (!check_is_new(v->c, CHECK_RACE, kind, v->in, other)) return;
  check_write(v->c, &(struct check_found){
                        .tool = CHECK_RACE,
                        .kind = kind,
                        .text = relation(v, check_event_at(v->c, stamp_event(stamp)), stamp_agent(stamp)),
                        .place = {check_place_at(v->c, stamp, verb(other, other_wrote)),
                                  check_place_of(v->w, v->in, lane, verb(v->in, v->writes))},
                        .places = 2,
                        .space = v->t->space,
                        .address = addr,
                        .bytes = v->t->bytes});
}

static bool races(const struct visit *v, unsigned lane, uint64_t stamp) {
  if (stamp < v->limit || (stamp & v->stamp & STAMP_STRONG)) return false;
  if (v->t->space == PTX_SHARED && stamp_event(stamp) < v->owner->first) return false; /* the slot's CTA before */
  return !check_ordered(v->c, v->cta, v->warp, lane, stamp);
}

/* Another lane of this very instruction stored to the byte already. */
static bool collides(const struct visit *v, unsigned lane, uint64_t addr, unsigned *with) {
  for (uint32_t m = v->t->lanes & ((UINT32_C(1) << lane) - 1); m; m &= m - 1) {
    *with = (unsigned)__builtin_ctz(m);
    if (addr - v->t->addr[*with] < v->t->bytes) return true;
  }
  return false;
}

static void report_collision(const struct visit *v, unsigned lane, unsigned with, uint64_t addr) {
  unsigned char a[EXEC_STORED_BYTES], b[EXEC_STORED_BYTES];
  unsigned n = v->t->op == EXEC_STORE ? exec_stored_value(v->w, v->in, lane, a) : 0;
  if (!n || exec_stored_value(v->w, v->in, with, b) != n || !memcmp(a, b, n)) return;
  if (!check_is_new(v->c, CHECK_RACE, "same-instruction", v->in, NULL)) return;
  check_write(v->c, &(struct check_found){.tool = CHECK_RACE,
                                          .kind = "same-instruction",
                                          .text = "lanes of one store write different values to one place",
                                          .place = {check_place_of(v->w, v->in, with, "write"),
                                                    check_place_of(v->w, v->in, lane, "write")},
                                          .places = 2,
                                          .space = v->t->space,
                                          .address = addr,
                                          .bytes = v->t->bytes});
}

/* ---- one cell ------------------------------------------------------------------------------------------------------- */

static uint64_t address_of(const struct visit *v, size_t cell) { return v->window + ((uint64_t)cell << v->plane->shift); }

static bool same_event(uint64_t a, uint64_t b) { return !((a ^ b) >> 32); }

static void read_cell(const struct visit *v, size_t i, unsigned lane) {
  struct plane *p = v->plane;
  if (races(v, lane, p->w[i])) report_race(v, lane, address_of(v, i), p->w[i], true, "read-after-write");
  uint64_t r = p->r1[i], mine = v->stamp | lane;
  if (same_event(r, mine)) {
    if ((r ^ mine) & 31) p->r1[i] = r | STAMP_MANY;
    return;
  }
  if (r >= v->limit) {
    if (same_event(p->r2[i], mine)) return;
    uint32_t e = stamp_event(r);
    if (e >= v->c->first && (stamp_agent(r) || check_event_at(v->c, e)->warp != v->warp->id)) p->r2[i] = r;
  }
  p->r1[i] = mine;
}

static void write_cell(const struct visit *v, size_t i, unsigned lane) {
  struct plane *p = v->plane;
  uint64_t w = p->w[i], mine = v->stamp | lane, addr = address_of(v, i);
  unsigned with;
  bool self = !((w ^ mine) & ~UINT64_C(31)) && ((w ^ mine) & 31); /* this instruction, another lane */
  if (self && v->t->lanes != UINT32_C(1) << lane && collides(v, lane, addr, &with)) report_collision(v, lane, with, addr);
  else if (races(v, lane, w) && !changes_nothing(v, lane)) report_race(v, lane, addr, w, true, "write-after-write");
  if (p->r1[i] >= v->limit && races(v, lane, p->r1[i]) && !changes_nothing(v, lane))
    report_race(v, lane, addr, p->r1[i], false, "write-after-read");
  if (p->r2[i] >= v->limit && races(v, lane, p->r2[i]) && !changes_nothing(v, lane))
    report_race(v, lane, addr, p->r2[i], false, "write-after-read");
  p->w[i] = mine;
  p->r1[i] = p->r2[i] = 0;
}

/* A cell that is most likely of an earlier launch, or this lane's own. */
static inline void visit_word(const struct visit *v, size_t i, unsigned lane) {
  const uint64_t same_lane = ~UINT64_C(0) << 32 | STAMP_MANY | 31;
  struct plane *p = v->plane;
  uint64_t w = p->w[i], r = p->r1[i], mine = v->stamp | lane;
  bool quiet = w < v->limit || (w & mine & STAMP_STRONG) || !((w ^ mine) & same_lane);
  if (quiet && r < v->limit) {
    *(v->writes ? &p->w[i] : &p->r1[i]) = mine;
    return;
  }
  if (v->writes) write_cell(v, i, lane);
  else if (!quiet || (r ^ mine) & same_lane) read_cell(v, i, lane);
}

/* ---- neighbouring lanes at once ---------------------------------------------------------------------------------------- */

/* Whether all stamps are before us, or the same lane's of this very event. */
static bool all_quiet(const uint64_t *at, size_t n, uint64_t limit, uint64_t stamp, unsigned words) {
  uint64_t loud = 0;
  for (size_t i = 0; i < n; i++) {
    uint64_t s = at[i], own = (s ^ (stamp + i / words)) & (~UINT64_C(0) << 32 | STAMP_MANY | 31);
    loud |= (uint64_t)(s >= limit) & (uint64_t)(own != 0);
  }
  return !loud;
}

/* Whether all are of the event that the stamp is of. */
static bool all_of_event(const uint64_t *at, size_t n, uint64_t stamp) {
  uint64_t differ = 0;
  for (size_t i = 0; i < n; i++) differ |= (at[i] ^ stamp) >> 32;
  return !differ;
}

static void fill(uint64_t *at, size_t n, uint64_t stamp, unsigned words) {
  for (size_t i = 0; i < n; i++) at[i] = stamp + i / words;
}

/* Reads of cells that one other warp has read before: true when it was decided. */
static bool read_after(const struct visit *v, size_t first, size_t n, uint64_t stamp, unsigned words) {
  uint64_t *r1 = v->plane->r1 + first, *r2 = v->plane->r2 + first, r = r1[0];
  if (all_of_event(r1, n, stamp) || all_of_event(r2, n, stamp)) return true;
  if (!all_of_event(r1, n, r) || stamp_event(r) < v->c->first) return false;
  if (stamp_agent(r) || check_event_at(v->c, stamp_event(r))->warp != v->warp->id) memcpy(r2, r1, n * sizeof *r2);
  fill(r1, n, stamp, words);
  return true;
}

/* `lanes` lanes from `lane` on, whose cells lie side by side from `first` on, `words` a lane. True when it was decided. */
static bool visit_row(const struct visit *v, size_t first, unsigned lane, unsigned lanes, unsigned words) {
  struct plane *p = v->plane;
  size_t n = (size_t)lanes * words;
  uint64_t stamp = v->stamp + lane;
  if (!all_quiet(p->w + first, n, v->limit, stamp, words)) return false;
  bool quiet = all_quiet(p->r1 + first, n, v->limit, stamp, words);
  if (!quiet) return !v->writes && read_after(v, first, n, stamp, words);
  fill(v->writes ? p->w + first : p->r1 + first, n, stamp, words);
  return true;
}

/* ---- an access -------------------------------------------------------------------------------------------------------- */

static void visit_range(struct visit *v, uint64_t at, uint64_t bytes, unsigned lane) {
  if (v->plane->shift && ((at | bytes) & 3)) plane_split(v->plane);
  size_t end = (size_t)((at + bytes - 1) >> v->plane->shift);
  for (size_t i = (size_t)(at >> v->plane->shift); i <= end; i++) {
    if (v->writes) write_cell(v, i, lane);
    else read_cell(v, i, lane);
  }
}

static struct plane *page_plane(struct check *c, uint64_t addr) {
  struct shadow_page *p = shadow_page(c->shadow, addr);
  if (!p->plane.w) plane_make(&p->plane, SHADOW_PAGE);
  return &p->plane;
}

/* One lane's bytes, which may lie in several pages. */
static void visit_lane(struct visit *v, unsigned lane) {
  uint64_t addr = v->t->addr[lane], bytes = v->t->bytes;
  if (v->t->space == PTX_SHARED) {
    if (bytes == 4 && v->plane->shift) visit_word(v, (size_t)(addr / 4), lane);
    else visit_range(v, addr, bytes, lane);
    return;
  }
  if (bytes == 4 && !(addr & 3)) {
    v->plane = page_plane(v->c, addr);
    v->window = addr - addr % SHADOW_PAGE;
    if (v->plane->shift) {
      visit_word(v, (size_t)(addr % SHADOW_PAGE / 4), lane);
      return;
    }
  }
  while (bytes) {
    uint64_t at = addr % SHADOW_PAGE, n = bytes < SHADOW_PAGE - at ? bytes : SHADOW_PAGE - at;
    v->plane = page_plane(v->c, addr);
    v->window = addr - at;
    visit_range(v, at, n, lane);
    addr += n, bytes -= n;
  }
}

/* The lanes from `lane` on that lie side by side. */
static unsigned run_length(const struct exec_shown *t, unsigned lane) {
  unsigned n = 1;
  if (t->adjoining) return EXEC_LANES;
  while (lane + n < EXEC_LANES && t->lanes >> (lane + n) & 1 && t->addr[lane + n] == t->addr[lane] + n * t->bytes) n++;
  return n;
}

/* The lanes from `lane` on, one after the other, that have its address. */
static unsigned repeats(const struct exec_shown *t, unsigned lane) {
  unsigned n = 1;
  while (lane + n < EXEC_LANES && t->lanes >> (lane + n) & 1 && t->addr[lane + n] == t->addr[lane]) n++;
  return n;
}

/* Some lanes that lie side by side, as one. */
static bool visit_run(struct visit *v, unsigned lane, unsigned lanes) {
  const struct exec_shown *t = v->t;
  if (lanes < 4 || t->bytes < 4 || t->bytes > EXEC_STORED_BYTES) return false;
  uint64_t at = t->addr[lane], all = t->bytes * lanes;
  if (t->space == PTX_GLOBAL) {
    if (at % SHADOW_PAGE + all > SHADOW_PAGE) return false;
    v->plane = page_plane(v->c, at);
    v->window = at - at % SHADOW_PAGE;
    at %= SHADOW_PAGE;
  }
  return v->plane->shift == 2 && visit_row(v, (size_t)(at / 4), lane, lanes, (unsigned)t->bytes / 4);
}

static void begin(struct visit *v) {
  unsigned agent = check_agent_of(v->in);
  bool async = agent && (v->t->space == PTX_SHARED || agent == AGENT_BULK) && v->t->op != EXEC_ATOMIC;
  uint32_t pc = v->w->frame->func->first_pc + v->in->deps;
  uint32_t event;
  if (pc > STAMP_LAST_PC) pc = STAMP_LAST_PC;
  if (async) {
    uint32_t *own = &v->warp->agent_event[agent];
    if (!*own) *own = check_new_event(v->c, v->warp->id, v->t->lanes);
    event = *own;
  } else {
    event = check_event(v->c, v->warp, v->w->mask);
  }
  v->stamp = (uint64_t)event << 32 | (uint64_t)pc << STAMP_PC;
  if (async) v->stamp |= STAMP_ASYNC | (uint64_t)agent << STAMP_AGENT;
  if (check_is_strong(v->in, v->t)) v->stamp |= STAMP_STRONG;
  bool alone = v->w->cta->cluster->n == 1; /* nobody else reaches its shared memory: all before its last barrier is before us */
  v->limit = (uint64_t)(v->t->space == PTX_SHARED && alone ? v->cta->base : v->c->first) << 32;
}

void check_race(struct check *c, const struct exec_warp *w, const struct exec_inst *in, const struct exec_shown *t) {
  struct check_cta *cta = w->cta->observed;
  struct check_cta *owner = t->space == PTX_SHARED ? t->cta->observed : cta;
  struct visit v = {.c = c, .w = w, .in = in, .t = t, .cta = cta, .warp = &cta->warps[w->index], .owner = owner, .plane = &owner->shared};
  v.writes = t->op != EXEC_LOAD;
  begin(&v);
  for (uint32_t m = t->lanes; m;) {
    unsigned lane = (unsigned)__builtin_ctz(m), same = t->op == EXEC_STORE ? 1 : repeats(t, lane), n = same > 1 ? 1 : run_length(t, lane);
    uint64_t plain = v.stamp;
    if (same > 1) v.stamp |= STAMP_MANY; /* one lane stands for all at its address */
    if (!visit_run(&v, lane, n))
      for (unsigned i = 0; i < n; i++) visit_lane(&v, lane + i);
    v.stamp = plain;
    unsigned next = lane + (same > n ? same : n);
    m = next >= EXEC_LANES ? 0 : m >> next << next;
  }
}
