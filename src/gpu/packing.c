/* See packing.h. */
#include "gpu/packing.h"

#include "base/arena.h"
#include "noc/noc.h"

#include <stdlib.h>
#include <string.h>

/* An allocation that has a part of the line; a line may begin before it. */
static const struct exec_alloc *allocation(const struct exec_mem *mem, uint64_t line) {
  const struct exec_alloc *a = NULL;
  for (uint64_t at = line; !a && at < line + MEM_LINE; at += 4) a = exec_mem_find(mem, at, NULL);
  return a;
}

/* Of memory that the host registered, only what was registered: its neighbours are the host's own and would make results
 * depend on the machine. All other memory is ours. */
bool gpu_packing_read(const struct gpu_packing *p, uint64_t line, uint8_t *block) {
  const struct exec_alloc *a = p->mem ? allocation(p->mem, line) : NULL;
  struct exec_alloc_range ours;
  if (!a && (!p->mem || !exec_mem_backed(p->mem, line, &ours))) return false;
  uint64_t from = line, to = line + MEM_LINE;
  if (a && a->kind == EXEC_ALLOC_REGISTERED) {
    if (from < a->range.base) from = a->range.base;
    if (to > a->range.end) to = a->range.end;
    memset(block, 0, MEM_LINE);
  }
  memcpy(block + (from - line), exec_mem_ptr(from), to - from);
  return true;
}

static bool read_line(void *user, const struct mem_packet *k, uint8_t *block) { return gpu_packing_read(user, k->line, block); }

void gpu_packing_init(struct gpu_packing *p, const struct cfg *cfg, struct llc_slice **slices, uint32_t n, uint64_t l2_period,
                      uint64_t noc_period, struct stats *stats) {
  struct reply_pack_place place = {
      .period = l2_period, .noc_period = noc_period, .header = NOC_HEADER, .read = read_line, .user = p};
  *p = (struct gpu_packing){.packers = must_alloc(n * sizeof *p->packers), .n = n};
  for (uint32_t i = 0; i < n; i++) {
    p->on = reply_packer_init(&p->packers[i], cfg, &place);
    if (p->on) slices[i]->packer = &p->packers[i];
    stats_register(stats, reply_pack_stats, PACK_STATS, p->on ? p->packers[i].counters : NULL, i);
  }
}

void gpu_packing_free(struct gpu_packing *p) {
  for (uint32_t i = 0; i < p->n; i++) reply_packer_free(&p->packers[i]);
  free(p->packers);
}
