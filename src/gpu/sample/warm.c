/* See warm.h. */
#include "gpu/sample/warm.h"

#include "gpu/gpu_parts.h"
#include "llc/llc.h"
#include "mem/mem_map.h"

enum { SECTOR = 32, SECTORS = MEM_LINE / SECTOR };

/* Bytes [at, end) of memory, of which the lines are installed with the sectors that are touched. */
static void install(struct gpu *g, uint64_t at, uint64_t end) {
  for (uint64_t line = at & ~(uint64_t)(MEM_LINE - 1); line < end; line += MEM_LINE) {
    uint64_t from = at > line ? (at - line) / SECTOR : 0, to = end < line + MEM_LINE ? (end - line + SECTOR - 1) / SECTOR : SECTORS;
    llc_install_line(g->slices[mem_map_slice(g->map, line)], line, (uint8_t)((1u << to) - (1u << from)));
  }
}

/* Lanes that follow each other in one line are one access. */
static void touch(void *user, const struct exec_warp *w, const struct exec_inst *in, const struct exec_shown *t) {
  struct gpu *g = user;
  (void)w, (void)in;
  if (t->space != PTX_GLOBAL || !t->lanes || llc_control_private(g->llc)) return;
  uint64_t at = 0, end = 0;
  for (uint32_t left = t->lanes; left; left &= left - 1) {
    uint64_t a = t->addr[__builtin_ctz(left)];
    if (end && a >= at && a <= end && a - at < MEM_LINE) {
      if (a + t->bytes > end) end = a + t->bytes;
      continue;
    }
    if (end) install(g, at, end);
    at = a;
    end = a + t->bytes;
  }
  install(g, at, end);
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
  g->warm = (struct exec_observer){.user = g, .touch = touch, .grid_begin = no_grid, .grid_end = no_grid, .cta_begin = no_cta,
                                   .cta_end = no_cta, .stray = no_stray, .order = no_order, .come = no_come, .meet = no_meet,
                                   .shuffle = no_shuffle, .arrive = no_arrive, .release = no_release, .allocated = no_alloc,
                                   .freed = no_alloc, .moved = no_move};
  return &g->warm;
}
