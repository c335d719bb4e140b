/* CTAs: layout of a warp's storage, and special registers. */
#include "exec/run/cta_cluster.h"
#include "exec/run/stretch.h"
#include "exec/warp.h"

#include <stdlib.h>
#include <string.h>

uint32_t exec_shared_bytes(const struct exec_func *kernel, uint32_t dynamic_shared) {
  if (!dynamic_shared) return kernel->shared_bytes;
  return exec_round16(kernel->shared_bytes) + dynamic_shared;
}

/* ---- a warp's storage ------------------------------------------------------------------------------------------- */

static uint32_t round64(uint32_t n) { return (n + 63u) & ~63u; }

static uint32_t stack_bytes(const struct exec_grid *g) {
  uint32_t need = g->kernel->stack_bytes;
  return need == UINT32_MAX ? g->device->stack_limit : need;
}

static void lay_out(struct exec_warp *w, const struct exec_grid *g) {
  const struct exec_func *k = g->kernel;
  uint32_t stack = stack_bytes(g), calls = exec_call_param_stride(k->ptx) * EXEC_LANES;
  size_t need = 64 + round64(g->module->sreg_bytes) + round64(calls) + (size_t)stack * EXEC_LANES;
  for (int i = 0; i < 4; i++) need += round64(k->file_bytes[i]);
  if (need > w->storage_bytes) {
    free(w->storage);
    w->storage = must_alloc(need);
    w->storage_bytes = need;
  }
  unsigned char *p = (unsigned char *)(((uintptr_t)w->storage + 63) & ~(uintptr_t)63);
  w->root = (struct exec_frame){.func = k, .stack_top = k->local_bytes};
  for (int i = 0; i < 4; i++) {
    w->root.file[i] = p;
    p += round64(k->file_bytes[i]);
  }
  w->file[EXEC_FSREG] = p;
  w->root.call_params = p + round64(g->module->sreg_bytes);
  w->local = w->root.call_params + round64(calls);
  w->stack_bytes = stack;
}

/* ---- special registers ------------------------------------------------------------------------------------------ */

/* In one dimension: index of the cluster, number of clusters, the CTA's place in its cluster, and the cluster's size. */
static uint64_t cluster_value(const struct exec_warp *w, enum ptx_sreg s) {
  enum { PER = 3 };
  const struct exec_grid *g = w->grid;
  unsigned which = (unsigned)(s - PTX_SR_clusterid_x), i = which % PER;
  uint32_t size = g->cluster[i] ? g->cluster[i] : 1;
  switch (which / PER) {
  case 0: return w->cta->id[i] / size;
  case 1: return g->grid[i] / size;
  case 2: return w->cta->id[i] % size;
  default: return size;
  }
}

/* Its place among the CTAs of its cluster. */
static uint64_t cluster_rank(const struct exec_warp *w) {
  uint64_t rank = 0;
  for (int i = 2; i >= 0; i--) {
    uint32_t size = w->grid->cluster[i] ? w->grid->cluster[i] : 1;
    rank = rank * size + w->cta->id[i] % size;
  }
  return rank;
}

/* Shared memory that the system reserves, and that programs find by special registers (cooperative groups keep the barriers of tiles of
 * several warps there). It lies behind the CTA's own, in modules that use it; on an H200 it lies before. The sizes are an H200's. */
enum { RESERVED_BYTES = 1024, RESERVED_FOR_GROUPS = 288, SHARED_UNIT = 128 };

static uint32_t own_shared(const struct exec_grid *g) { return exec_shared_bytes(g->kernel, g->dynamic_shared); }

static uint32_t behind_own(const struct exec_grid *g) { return (own_shared(g) + SHARED_UNIT - 1) / SHARED_UNIT * SHARED_UNIT; }

static bool asks_for_reserved(const struct exec_module *m) {
  static const enum ptx_sreg registers[] = {PTX_SR_reserved_smem_offset_begin, PTX_SR_reserved_smem_offset_end,
                                            PTX_SR_reserved_smem_offset_cap, PTX_SR_reserved_smem_offset_0, PTX_SR_reserved_smem_offset_1};
  for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
    if (m->sreg_offset[registers[i]] != EXEC_NO_PC) return true;
  return false;
}

static uint64_t sreg_value(const struct exec_warp *w, enum ptx_sreg s, uint32_t lane) {
  const struct exec_grid *g = w->grid;
  uint32_t t = w->first_thread + lane;
  switch (s) {
  case PTX_SR_tid_x: return t % g->block[0];
  case PTX_SR_tid_y: return t / g->block[0] % g->block[1];
  case PTX_SR_tid_z: return t / g->block[0] / g->block[1];
  case PTX_SR_ntid_x: return g->block[0];
  case PTX_SR_ntid_y: return g->block[1];
  case PTX_SR_ntid_z: return g->block[2];
  case PTX_SR_ctaid_x: return w->cta->id[0];
  case PTX_SR_ctaid_y: return w->cta->id[1];
  case PTX_SR_ctaid_z: return w->cta->id[2];
  case PTX_SR_nctaid_x: return g->grid[0];
  case PTX_SR_nctaid_y: return g->grid[1];
  case PTX_SR_nctaid_z: return g->grid[2];
  case PTX_SR_clusterid_x: case PTX_SR_clusterid_y: case PTX_SR_clusterid_z:
  case PTX_SR_nclusterid_x: case PTX_SR_nclusterid_y: case PTX_SR_nclusterid_z:
  case PTX_SR_cluster_ctaid_x: case PTX_SR_cluster_ctaid_y: case PTX_SR_cluster_ctaid_z:
  case PTX_SR_cluster_nctaid_x: case PTX_SR_cluster_nctaid_y: case PTX_SR_cluster_nctaid_z: return cluster_value(w, s);
  case PTX_SR_cluster_ctarank: return cluster_rank(w);
  case PTX_SR_cluster_nctarank: return exec_cluster_size(g);
  case PTX_SR_is_explicit_cluster: return g->cluster[0] ? EXEC_ALL_LANES : 0; /* a predicate */
  case PTX_SR_laneid: return lane;
  case PTX_SR_warpid: return w->index;
  case PTX_SR_nwarpid: return g->device->warp_slots;
  case PTX_SR_smid: return w->cta->sm;
  case PTX_SR_nsmid: return g->device->n_sms;
  case PTX_SR_gridid: return g->id;
  case PTX_SR_lanemask_eq: return 1u << lane;
  case PTX_SR_lanemask_le: return (2u << lane) - 1u;
  case PTX_SR_lanemask_lt: return (1u << lane) - 1u;
  case PTX_SR_lanemask_ge: return ~((1u << lane) - 1u);
  case PTX_SR_lanemask_gt: return ~((2u << lane) - 1u);
  case PTX_SR_total_smem_size: return behind_own(g);
  case PTX_SR_aggr_smem_size: return own_shared(g) + RESERVED_BYTES;
  case PTX_SR_reserved_smem_offset_begin: case PTX_SR_reserved_smem_offset_0: case PTX_SR_reserved_smem_offset_1: return behind_own(g);
  case PTX_SR_reserved_smem_offset_end: return behind_own(g) + RESERVED_FOR_GROUPS;
  case PTX_SR_reserved_smem_offset_cap: return RESERVED_BYTES;
  case PTX_SR_dynamic_smem_size: return g->dynamic_shared;
  case PTX_SR_current_graph_exec: return g->graph;
  /* Cooperative groups find the grid's barrier through these two: high and low half of an address. */
  case PTX_SR_envreg1: return g->workspace >> 32;
  case PTX_SR_envreg2: return (uint32_t)g->workspace;
  default: return 0; /* also %pm0 and its like, which the ISA leaves undefined */
  }
}

/* All of these have 32 bits. */
static bool differs_by_lane(enum ptx_sreg s) {
  switch (s) {
  case PTX_SR_tid_x: case PTX_SR_tid_y: case PTX_SR_tid_z: case PTX_SR_laneid:
  case PTX_SR_lanemask_eq: case PTX_SR_lanemask_le: case PTX_SR_lanemask_lt: case PTX_SR_lanemask_ge: case PTX_SR_lanemask_gt:
    return true;
  default: return false;
  }
}

static void fill_lanes(const struct exec_warp *w, enum ptx_sreg s, uint32_t *row) {
  for (uint32_t lane = 0; lane < EXEC_LANES; lane++) row[lane] = (uint32_t)sreg_value(w, s, lane);
}

static void repeat(void *row, unsigned bytes, uint64_t v) {
  for (uint32_t lane = 0; lane < EXEC_LANES && bytes == 8; lane++) ((uint64_t *)row)[lane] = v;
  for (uint32_t lane = 0; lane < EXEC_LANES && bytes == 4; lane++) ((uint32_t *)row)[lane] = (uint32_t)v;
}

static void fill_sreg(struct exec_warp *w, enum ptx_sreg s) {
  unsigned char *row = w->file[EXEC_FSREG] + w->grid->module->sreg_offset[s];
  if (differs_by_lane(s)) fill_lanes(w, s, (uint32_t *)(void *)row);
  else repeat(row, ptx_sreg_bits(s) > 32 ? 8 : 4, sreg_value(w, s, 0));
}

static void fill_sregs(struct exec_warp *w) {
  const struct exec_module *m = w->grid->module;
  for (int s = 0; s < PTX_SREGS; s++)
    if (m->sreg_offset[s] != EXEC_NO_PC) fill_sreg(w, (enum ptx_sreg)s);
  if (m->dynamic_shared_row == EXEC_NO_PC) return;
  uint64_t *row = (uint64_t *)(void *)(w->file[EXEC_FSREG] + m->dynamic_shared_row);
  for (int lane = 0; lane < EXEC_LANES; lane++) row[lane] = exec_round16(w->grid->kernel->shared_bytes);
}

/* Special registers that differ between CTAs of a grid. */
static void fill_cta_sregs(struct exec_warp *w) {
  static const enum ptx_sreg by_cta[] = {PTX_SR_ctaid_x,         PTX_SR_ctaid_y,         PTX_SR_ctaid_z,         PTX_SR_clusterid_x,
                                         PTX_SR_clusterid_y,     PTX_SR_clusterid_z,     PTX_SR_cluster_ctaid_x, PTX_SR_cluster_ctaid_y,
                                         PTX_SR_cluster_ctaid_z, PTX_SR_cluster_ctarank, PTX_SR_smid};
  for (size_t i = 0; i < sizeof by_cta / sizeof *by_cta; i++)
    if (w->grid->module->sreg_offset[by_cta[i]] != EXEC_NO_PC) fill_sreg(w, by_cta[i]);
}

/* The launch that the rows of a slot's warps were made for: they are reused for the next CTA of the same launch. */
static struct exec_prepared launch_of(const struct exec_grid *g) {
  struct exec_prepared p = {.code = g->module->code_base + 1,
                            .kernel = g->kernel,
                            .device = g->device,
                            .id = g->id,
                            .workspace = g->workspace,
                            .stack_bytes = stack_bytes(g),
                            .dynamic_shared = g->dynamic_shared};
  memcpy(p.grid, g->grid, sizeof p.grid);
  memcpy(p.block, g->block, sizeof p.block);
  memcpy(p.cluster, g->cluster, sizeof p.cluster);
  return p;
}

static void start_warp(struct exec_cta *cta, uint32_t i, bool prepared) {
  struct exec_warp *w = &cta->warps[i];
  w->cta = cta;
  w->grid = cta->grid;
  w->instructions = w->thread_instructions = 0;
  w->clock = (struct exec_clock){0};
  if (prepared) {
    w->root.stack_top = cta->grid->kernel->local_bytes;
    fill_cta_sregs(w);
  } else {
    w->index = i;
    w->first_thread = i * EXEC_LANES;
    lay_out(w, cta->grid);
    fill_sregs(w);
  }
  uint32_t threads = cta->threads - w->first_thread;
  exec_warp_begin(w, threads >= EXEC_LANES ? EXEC_ALL_LANES : (1u << threads) - 1u);
  if (!prepared) exec_prepare_constants(w);
}

static void release_warps(struct exec_cta *cta) {
  for (uint32_t i = 0; i < cta->warp_capacity; i++) {
    struct exec_warp *w = &cta->warps[i];
    for (struct exec_frame *f = w->frames, *next; f; f = next) {
      next = f->made_before;
      free(f);
    }
    free(w->joins);
    free(w->sent.lines);
    free(w->sent.signals);
    free(w->storage);
  }
  free(cta->warps);
  cta->warps = NULL;
  cta->warp_capacity = 0;
}

void exec_cta_start(struct exec_cta *cta, struct exec_grid *grid, uint64_t linear, uint32_t sm) {
  exec_cluster_leave(cta);
  cta->grid = grid;
  cta->alone = (struct exec_cluster){.n = 1, .live = 1, .ctas = {cta}};
  cta->cluster = &cta->alone;
  cta->rank = 0;
  cta->linear_id = linear;
  cta->starts++;
  cta->id[0] = (uint32_t)(linear % grid->grid[0]);
  cta->id[1] = (uint32_t)(linear / grid->grid[0] % grid->grid[1]);
  cta->id[2] = (uint32_t)(linear / grid->grid[0] / grid->grid[1]);
  cta->sm = sm;
  cta->threads = cta->live_threads = grid->block[0] * grid->block[1] * grid->block[2];
  cta->n_warps = cta->live_warps = (cta->threads + EXEC_LANES - 1) / EXEC_LANES;
  cta->shared_bytes = asks_for_reserved(grid->module) ? behind_own(grid) + RESERVED_BYTES : own_shared(grid);
  cta->barrier_releases = 0;
  cta->awaits = false;
  memset(cta->barriers, 0, sizeof cta->barriers);
  if (exec_shared_mapped(cta) > cta->shared_capacity) {
    free(cta->shared);
    cta->shared = must_alloc(exec_shared_mapped(cta));
    cta->shared_capacity = exec_shared_mapped(cta);
  }
  if (cta->n_warps > cta->warp_capacity) {
    release_warps(cta);
    cta->prepared = (struct exec_prepared){0};
    cta->warps = must_alloc(cta->n_warps * sizeof *cta->warps);
    cta->warp_capacity = cta->n_warps;
  }
  struct exec_prepared launch = launch_of(grid);
  bool prepared = !memcmp(&launch, &cta->prepared, sizeof launch);
  cta->prepared = launch;
  for (uint32_t i = 0; i < cta->n_warps; i++) start_warp(cta, i, prepared);
}

/* Updates pointers after the content of a slot has moved. */
static void settle_in(struct exec_cta *cta) {
  cta->alone.ctas[0] = cta;
  cta->cluster = &cta->alone;
  for (uint32_t i = 0; i < cta->warp_capacity; i++) cta->warps[i].cta = cta;
}

void exec_cta_swap(struct exec_cta *a, struct exec_cta *b) {
  struct exec_cta was = *a;
  *a = *b;
  *b = was;
  settle_in(a);
  settle_in(b);
}

void exec_cta_release(struct exec_cta *cta) {
  exec_cluster_leave(cta);
  release_warps(cta);
  free(cta->shared);
  *cta = (struct exec_cta){0};
}
