/* See follow.h. */
#include "gpu/sample/follow.h"

#include "base/arena.h"
#include "gpu/gpu_parts.h"
#include "llc/llc.h"
#include "mem/mem_map.h"
#include "probe/probe.h"
#include "base/table.h"
#include "sm/sm.h"

#include <stdlib.h>

struct gpu_follow {
  struct table read; /* lines of the launch under way */
};

/* To the slice that serves the line, as a read of it. */
static void show_line(struct gpu *g, uint64_t line, bool texture) {
  bool is_new;
  table_put(&g->follow->read, line, 0, &is_new);
  if (!is_new) return;
  struct mem_packet k = {.line = line, .kind = MEM_READ, .class_ = texture ? MEM_TEXTURE : MEM_GLOBAL};
  MEM_NOTIFY(&g->slices[mem_map_slice(g->map, line)]->observers, request, &k, 0);
}

static void memory(void *user, const struct mem_seen_memory *m) {
  if (m->op != MEM_SEEN_LOAD || (m->space != MEM_SEEN_IN_GLOBAL && m->space != MEM_SEEN_IN_TEXTURE)) return;
  for (uint32_t i = 0; i < m->n; i++)
    show_line(user, m->parts[i].line & ~(uint64_t)(MEM_LINE - 1), m->space == MEM_SEEN_IN_TEXTURE);
}

static void stepped(void *user, const struct exec_warp *w, const struct exec_inst *in, unsigned lanes) {
  struct gpu *g = user;
  sm_show_untimed(&g->sms[w->cta->sm % g->n_sms], w, in, lanes);
}

bool gpu_follow_start(struct gpu *g, const char *probes, struct err *e) {
  static const struct mem_observer events = {.memory = memory};
  g->follow = must_alloc(sizeof *g->follow);
  if (!gpu_set_probes(g, probes, e)) return false;
  for (uint32_t i = 0; i < g->n_sms; i++) mem_observers_add(&g->sms[i].observers, &events, g);
  return true;
}

void gpu_follow_grid(struct gpu *g, struct exec_grid *grid) {
  g->packing.mem = grid->module->mem;
  grid->stepped = stepped;
  grid->stepped_user = g;
}

void gpu_follow_end(struct gpu *g, const struct exec_grid *grid) {
  probe_kernel_end(g->probes, &(struct probe_kernel){grid->kernel->ptx->name});
  table_clear(&g->follow->read);
}

void gpu_follow_free(struct gpu *g) {
  if (g->follow) table_free(&g->follow->read);
  free(g->follow);
}
