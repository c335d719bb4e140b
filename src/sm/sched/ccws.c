/* CCWS, cache-conscious wavefront scheduling (Rogers, O'Connor, Aamodt, MICRO 2012): greedy, then oldest; and a warp may issue loads only
 * as long as the warps that lose locality in L1D leave capacity for it.
 *
 * Each line of L1D knows the warp that brought it in. When the line is replaced, its tag goes into that warp's victim tag array
 * (sm.ccws.victims entries, sm.ccws.ways per set, LRU). A load that misses looks into its own warp's array. If it finds its line there,
 * locality was lost: the entry is removed, and the warp's score is set to
 *
 *   lost locality so far / instructions issued so far x sm.ccws.throttle x cutoff,   cutoff = live warps x sm.ccws.base
 *
 * (at least the base). A score falls by one per cycle until it is at the base. Warps are ordered by score, the highest first, equal ones by
 * age. A warp may not issue loads if its score plus all scores before it exceeds the cutoff.
 *
 * The available description leaves the following open. Here the first warp of that order may always load (a single score may exceed the
 * cutoff, and no warp could load until it had fallen); a victim's tag is entered before the miss that replaced it looks for its own; a new
 * warp in a slot begins with an empty array and the base score; counts are those of the whole run.
 *
 * Scores are kept as the cycle at which they reach the base, so that time can be skipped. */
#include "mem/mem_tags.h"
#include "sm/sm.h"

#include <stdlib.h>

static const struct cfg_key keys[] = {
    {"sm.ccws.victims", CFG_INT, "16", 1, 4096, NULL, "tags", "entries of a warp's victim tag array (sm.scheduler = ccws)"},
    {"sm.ccws.ways", CFG_INT, "8", 1, 4096, NULL, "tags", "associativity of a warp's victim tag array (sm.scheduler = ccws)"},
    {"sm.ccws.base", CFG_INT, "100", 1, 1000000, NULL, "points", "lowest score of a warp (sm.scheduler = ccws)"},
    {"sm.ccws.throttle", CFG_INT, "8", 0, 1000000, NULL, "", "how strongly lost locality throttles other warps (sm.scheduler = ccws)"},
    {0},
};

struct warp {
  uint64_t age;    /* of the warp that these data belong to */
  uint64_t falls;  /* cycle at which its score has fallen to the base */
  struct mem_tags victims;
};
struct ccws {
  uint32_t base, throttle, schedulers, n_warps;
  struct warp warps[SM_MAX_WARPS];
  struct {
    unsigned last;
    uint64_t last_age;
  } greedy[SM_MAX_SCHEDULERS];
  uint64_t lost;
  /* The last result of find_held, and the state that it was computed from. */
  struct {
    uint64_t mask, live, ages, from, until;
  } held;
};

/* ---- which warp issues -------------------------------------------------------------------------------------------------- */

static unsigned pick(void *state, uint64_t ready, const struct sm_warp_view *warps) {
  struct ccws *c = state;
  unsigned best = (unsigned)__builtin_ctzll(ready), k = best % c->schedulers, last = c->greedy[k].last;
  if (ready >> last & 1 && warps[last].age == c->greedy[k].last_age) return last;
  for (uint64_t left = ready & (ready - 1); left; left &= left - 1) {
    unsigned i = (unsigned)__builtin_ctzll(left);
    if (warps[i].age < warps[best].age) best = i;
  }
  c->greedy[k].last = best;
  c->greedy[k].last_age = warps[best].age;
  return best;
}

/* ---- which warps may load ------------------------------------------------------------------------------------------------ */

static uint64_t above_base(const struct ccws *c, const struct sm_now *now, unsigned i) {
  const struct warp *w = &c->warps[i];
  return w->age == now->warps[i].age && w->falls > now->cycle ? w->falls - now->cycle : 0;
}

struct place {
  uint64_t above, age;
  unsigned warp;
};

/* Live warps, the highest score first, equals by age. */
static unsigned rank(const struct ccws *c, const struct sm_now *now, struct place *out) {
  unsigned n = 0;
  for (uint64_t left = now->live; left; left &= left - 1, n++) {
    unsigned i = (unsigned)__builtin_ctzll(left), k = n;
    struct place p = {above_base(c, now, i), now->warps[i].age, i};
    for (; k && (out[k - 1].above < p.above || (out[k - 1].above == p.above && out[k - 1].age > p.age)); k--) out[k] = out[k - 1];
    out[k] = p;
  }
  return n;
}

/* Scores above the base fall together, so their order does not change until one reaches the base. Before that, the first held warp is the
 * first to be freed, when the scores before it and its own have fallen enough. */
static uint64_t find_held(const struct ccws *c, const struct sm_now *now, uint64_t *until) {
  struct place p[SM_MAX_WARPS];
  unsigned n = rank(c, now, p), falling = 0;
  uint64_t cutoff = (uint64_t)n * c->base, sum = 0, mask = 0;
  *until = UINT64_MAX;
  for (unsigned i = 0; i < n; i++) {
    sum += c->base + p[i].above;
    if (p[i].above) {
      falling++;
      if (now->cycle + p[i].above < *until) *until = now->cycle + p[i].above;
    }
    if (!i || sum <= cutoff) continue;
    uint64_t freed = now->cycle + (sum - cutoff + falling - 1) / falling;
    if (!mask && freed < *until) *until = freed;
    mask |= UINT64_C(1) << p[i].warp;
  }
  return mask;
}

static uint64_t holds(void *state, const struct sm_now *now, uint64_t *until) {
  struct ccws *c = state;
  uint64_t ages = 0;
  for (uint64_t left = now->live; left; left &= left - 1) ages += now->warps[__builtin_ctzll(left)].age;
  bool known = c->held.live == now->live && c->held.ages == ages && c->held.from <= now->cycle && now->cycle < c->held.until;
  if (!known) {
    c->held.mask = find_held(c, now, &c->held.until);
    c->held.live = now->live;
    c->held.ages = ages;
    c->held.from = now->cycle;
  }
  *until = c->held.until;
  return c->held.mask;
}

/* ---- victims and lost locality -------------------------------------------------------------------------------------------- */

/* The victim tag array of the warp that is in a slot now. */
static struct mem_tags *victims_of(struct ccws *c, const struct sm_now *now, unsigned warp) {
  struct warp *w = &c->warps[warp];
  if (w->age != now->warps[warp].age) {
    mem_tags_clear(&w->victims);
    w->age = now->warps[warp].age;
    w->falls = 0;
  }
  return &w->victims;
}

static void evicted(void *state, const struct sm_now *now, unsigned warp, uint64_t line) {
  struct mem_tags *t = victims_of(state, now, warp);
  uint32_t set = mem_tags_set(t, line);
  int32_t frame = mem_tags_find(t, set, line);
  if (frame != MEM_NO_FRAME) mem_tags_touch(t, frame);
  else mem_tags_place(t, mem_tags_victim(t, set), line);
}

static void missed(void *state, const struct sm_now *now, unsigned warp, uint64_t line) {
  struct ccws *c = state;
  struct mem_tags *t = victims_of(c, now, warp);
  int32_t frame = mem_tags_find(t, mem_tags_set(t, line), line);
  if (frame == MEM_NO_FRAME) return;
  mem_tags_drop(t, frame);
  c->lost++;
  uint64_t cutoff = (uint64_t)__builtin_popcountll(now->live) * c->base;
  uint64_t score = c->lost * c->throttle * cutoff / (now->issued ? now->issued : 1);
  c->warps[warp].falls = now->cycle + (score > c->base ? score - c->base : 0);
  c->held.until = 0;
}

/* ---- life -------------------------------------------------------------------------------------------------------------------- */

static void *create(const struct cfg *cfg, unsigned n_warps, uint64_t *stats) {
  (void)stats;
  struct ccws *c = must_alloc(sizeof *c);
  uint32_t victims = (uint32_t)cfg_int(cfg, "sm.ccws.victims"), ways = (uint32_t)cfg_int(cfg, "sm.ccws.ways");
  if (ways > victims) ways = victims;
  c->base = (uint32_t)cfg_int(cfg, "sm.ccws.base");
  c->throttle = (uint32_t)cfg_int(cfg, "sm.ccws.throttle");
  c->schedulers = (uint32_t)cfg_int(cfg, "sm.schedulers");
  c->n_warps = n_warps;
  for (unsigned k = 0; k < SM_MAX_SCHEDULERS; k++) c->greedy[k].last_age = UINT64_MAX;
  for (unsigned i = 0; i < n_warps; i++) {
    c->warps[i].age = UINT64_MAX;
    mem_tags_init(&c->warps[i].victims, &(struct mem_tags_config){.sets = victims / ways, .ways = ways});
  }
  return c;
}

static void destroy(void *state) {
  struct ccws *c = state;
  for (unsigned i = 0; i < c->n_warps; i++) mem_tags_free(&c->warps[i].victims);
  free(c);
}

/* A tag with 32-bit addresses and a valid bit for each victim, a score a warp, and a warp's number in each line of L1D. */
static bool storage_bits(const struct cfg *cfg, uint64_t *bits, struct err *e) {
  enum { ADDRESS = 32, LINE = 7, SCORE = 16 };
  uint64_t warps = (uint64_t)cfg_int(cfg, "sm.warps"), victims = (uint64_t)cfg_int(cfg, "sm.ccws.victims");
  uint64_t lines = (uint64_t)(cfg_int(cfg, "l1.sets") * cfg_int(cfg, "l1.ways"));
  uint64_t sets = victims / (uint64_t)cfg_int(cfg, "sm.ccws.ways");
  unsigned index = sets > 1 ? 64u - (unsigned)__builtin_clzll(sets - 1) : 0;
  unsigned owner = warps > 1 ? 64u - (unsigned)__builtin_clzll(warps - 1) : 0;
  (void)e;
  *bits = warps * (victims * (ADDRESS - LINE - index + 1) + SCORE) + lines * owner;
  return true;
}
static const struct policy_part storage[] = {{"sm.scheduler", POLICY_OF_SM, storage_bits, "sm.warps", "l1d.misses", false}, {0}};

const struct sm_scheduler sm_ccws = {
    .policy = {.name = "ccws", .meaning = "greedy, then oldest; fewer warps may load while some lose locality",
               .paper = "Rogers, O'Connor, Aamodt: Cache-conscious wavefront scheduling, MICRO 2012", .keys = keys,
               .storage = storage},
    .of_sm = true, .create = create, .destroy = destroy, .pick = pick, .holds = holds, .missed = missed,
    .evicted = evicted};
