/* See warm.h. */
#include "gpu/sample/warm.h"

#include "gpu/gpu_parts.h"
#include "llc/llc.h"
#include "mem/mem_map.h"
#include "sm/sm.h"

/* Bytes [from, to) of a line. */
static struct mem_bytes span(uint64_t from, uint64_t to) {
  const uint64_t all = UINT64_MAX;
  uint64_t low = from < 64 ? all << from : 0, high = from > 64 ? all << (from - 64) : all;
  if (to < 64) low &= all >> (64 - to);
  high &= to <= 64 ? 0 : all >> (128 - to);
  return (struct mem_bytes){{low, high}};
}

/* What L1D lacks of these bytes, which are in it afterwards; all of them where it is not warmed. */
static struct mem_bytes load_l1(struct l1 *c, uint64_t line, struct mem_bytes bytes) {
  struct mem_bytes missing = MEM_NOTHING;
  for (uint64_t at = 0; at < MEM_LINE; at += c->access_bytes) {
    struct mem_bytes part = mem_and(bytes, span(at, at + c->access_bytes));
    if (!mem_none(part)) missing = mem_or(missing, l1_warm_load(c, line + at, part));
  }
  return missing;
}

static void store_l1(struct l1 *c, uint64_t line, struct mem_bytes bytes, bool atomic) {
  for (uint64_t at = 0; at < MEM_LINE; at += c->access_bytes) {
    struct mem_bytes part = mem_and(bytes, span(at, at + c->access_bytes));
    if (!mem_none(part)) l1_warm_store(c, line + at, part, atomic);
  }
}

/* A miss of an L1D: one line less of it is unknown. */
static void count_miss(struct gpu *g, uint32_t *unknown) {
  if (!*unknown) return;
  --*unknown;
  g->warm.seen.left--;
}

static void access_line(struct gpu *g, struct l1 *c, uint8_t op, uint64_t line, struct mem_bytes bytes) {
  bool shared = !llc_control_private(g->llc);
  struct llc_slice *slice = g->slices[mem_map_slice(g->map, line)];
  if (op == EXEC_LOAD && c) bytes = load_l1(c, line, bytes);
  if (op != EXEC_LOAD && c) store_l1(c, line, bytes, op != EXEC_STORE);
  if (mem_none(bytes)) return;
  if (op == EXEC_LOAD && c) count_miss(g, &g->warm.unknown[c->sm]);
  if (!shared) return;
  bool known = true;
  if (op != EXEC_STORE) known &= llc_warm_read(slice, line, mem_sectors_of(bytes));
  if (op != EXEC_LOAD) known &= llc_warm_write(slice, line, &bytes);
  g->warm.seen.lookups++;
  g->warm.seen.unknown += !known;
  g->warm.seen.left -= !known;
}

/* Bytes [at, end) of memory, line by line. */
static void access_bytes(struct gpu *g, struct l1 *c, uint8_t op, uint64_t at, uint64_t end) {
  for (uint64_t line = at & ~(uint64_t)(MEM_LINE - 1); line < end; line += MEM_LINE)
    access_line(g, c, op, line, span(at > line ? at - line : 0, end < line + MEM_LINE ? end - line : MEM_LINE));
}

static bool warmed(const struct gpu *g, uint32_t sm) { return !g->coop && l1_is_warmed(&g->sms[sm].l1); }

/* Lanes that follow each other are one access. */
static void touch(void *user, const struct exec_warp *w, const struct exec_inst *in, const struct exec_shown *t) {
  struct gpu *g = user;
  (void)in;
  if (t->space != PTX_GLOBAL || !t->lanes) return;
  uint32_t sm = (w->cta->sm + (g->cta_turns ? g->cta_turn : 0)) % g->n_sms;
  struct l1 *c = warmed(g, sm) ? &g->sms[sm].l1 : NULL;
  g->used_sms[sm / 64] |= UINT64_C(1) << sm % 64;
  uint64_t at = 0, end = 0;
  if (t->same || t->adjoining) {
    at = t->addr[__builtin_ctz(t->lanes)];
    access_bytes(g, c, t->op, at, at + t->bytes * (t->same ? 1 : EXEC_LANES));
    return;
  }
  for (uint32_t left = t->lanes; left; left &= left - 1) {
    uint64_t a = t->addr[__builtin_ctz(left)];
    if (end && a >= at && a <= end && a - at < MEM_LINE) {
      if (a + t->bytes > end) end = a + t->bytes;
      continue;
    }
    if (end) access_bytes(g, c, t->op, at, end);
    at = a;
    end = a + t->bytes;
  }
  access_bytes(g, c, t->op, at, end);
}

/* As behind a kernel in time, L1Ds are emptied where they are not kept. A kernel that is in the middle of being simulated goes on. */
static void end_grid(void *user, const struct exec_grid *grid) {
  struct gpu *g = user;
  (void)grid;
  for (uint32_t i = 0; i < g->n_sms && !g->grids.n; i++) sm_flush_caches(&g->sms[i]);
}

/* What does not concern a cache. */
static void no_grid(void *user, const struct exec_grid *g) { (void)user, (void)g; }
static void no_cta(void *user, struct exec_cta *c) { (void)user, (void)c; }
static void no_stray(void *user, const struct exec_touch *t) { (void)user, (void)t; }
static void no_order(void *user, const struct exec_warp *w, const struct exec_inst *in) { (void)user, (void)w, (void)in; }
static void no_come(void *user, const struct exec_warp *w, const struct exec_inst *in, const uint32_t *masks) {
  (void)user, (void)w, (void)in, (void)masks;
}
static void no_meet(void *user, const struct exec_warp *w, uint32_t members) { (void)user, (void)w, (void)members; }
static void no_shuffle(void *user, const struct exec_warp *w, const struct exec_inst *in, uint32_t members, uint32_t sources) {
  (void)user, (void)w, (void)in, (void)members, (void)sources;
}
static void no_arrive(void *user, const struct exec_warp *w, const struct exec_inst *in, unsigned id, uint32_t threads, bool wait) {
  (void)user, (void)w, (void)in, (void)id, (void)threads, (void)wait;
}
static void no_release(void *user, const struct exec_cta *c, unsigned id) { (void)user, (void)c, (void)id; }
static void no_alloc(void *user, const struct exec_alloc *a) { (void)user, (void)a; }
static void no_move(void *user, uint64_t to, uint64_t from, uint64_t bytes) { (void)user, (void)to, (void)from, (void)bytes; }

const struct exec_observer *gpu_warm_observer(struct gpu *g) {
  g->warm.seen.lookups = g->warm.seen.unknown = 0;
  g->warm.observer = (struct exec_observer){.user = g, .touch = touch, .grid_begin = no_grid, .grid_end = end_grid, .cta_begin = no_cta,
                                   .cta_end = no_cta, .stray = no_stray, .order = no_order, .come = no_come, .meet = no_meet,
                                   .shuffle = no_shuffle, .arrive = no_arrive, .release = no_release, .allocated = no_alloc,
                                   .freed = no_alloc, .moved = no_move};
  return &g->warm.observer;
}

void gpu_warm_ended(struct gpu *g, const struct exec_grid *grid) {
  uint64_t ctas = (uint64_t)grid->grid[0] * grid->grid[1] * grid->grid[2];
  g->cta_turn = (uint32_t)((g->cta_turn + ctas) % g->n_sms);
}

struct gpu_followed gpu_warm_followed(const struct gpu *g) { return g->warm.seen; }

static uint32_t kept_lines(const struct gpu *g, uint32_t sm) {
  return g->sms[sm].config->keep_l1 && warmed(g, sm) ? (uint32_t)(cfg_int(g->cfg, "l1.sets") * cfg_int(g->cfg, "l1.ways")) : 0;
}

uint64_t gpu_warm_lines(const struct gpu *g) {
  return (uint64_t)g->n_slices * llc_lines(g->slices[0]) + (uint64_t)g->n_sms * kept_lines(g, 0);
}

void gpu_warm_lose(struct gpu *g) {
  g->warm.seen.left = gpu_warm_lines(g);
  for (uint32_t i = 0; i < g->n_slices; i++) llc_warm_lose(g->slices[i]);
  for (uint32_t i = 0, lines = kept_lines(g, 0); i < g->n_sms; i++) g->warm.unknown[i] = lines;
}
