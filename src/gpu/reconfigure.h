/* The mode of the last-level cache over a run: who sees shared and who private slices, profiling, and the change from
 * one to the other while a kernel runs (adaptive memory-side last-level caching, Zhao et al., ISCA 2019).
 *
 * A change halts the SMs, waits until nothing is on its way in networks, slices and DRAM, writes dirty lines back
 * (shared to private) or invalidates the slices (private to shared), switches the MC-routers' power, and lets the
 * SMs go on in the new mode. Each step costs the cycles it takes: draining and writing back as long as they last,
 * invalidating a set a cycle of the L2's clock, power llc.gate_latency (only where the network can bypass its routers).
 *
 * Owns: the SMs' views, the profile's counters, statistics llc.*. Does not: choose slices (llc_mode.c) or decide
 * (llc_profile.c). Runs after all components of an instant have been visited, so what it changes is seen by all of
 * them at the next.
 *
 * Programs side by side each have their mode, directory and state of this; a change then waits for the program's own
 * SMs, writes back or drops its own lines, and goes on when the slices have handed them to DRAM. The routers keep their
 * power, since one program's changes do not empty the network.
 *
 * Where the paper is silent: an epoch is counted from a kernel's start; a kernel that has atomics of global memory runs
 * shared; a private cache is emptied at a kernel's end, at once, as the L1 is; lines stay where they are
 * when a shared cache becomes private, since memory has their bytes. */
#ifndef GPU_RECONFIGURE_H
#define GPU_RECONFIGURE_H

#include "base/cfg.h"
#include "base/stat.h"
#include "dram/dram.h"
#include "exec/exec.h"
#include "llc/llc.h"
#include "noc/noc.h"
#include "sm/sm.h"

struct gpu_llc_parts { /* the GPU's, all there before gpu_llc_new */
  const struct mem_map *map;
  const struct mem_pool *pool;
  struct noc_fabric *fabric;
  struct sm *sms;
  struct llc_slice **slices;
  struct dram_channel **channels;
  uint32_t n_sms, n_slices, n_channels;
  uint64_t core, l2; /* periods */
};

struct gpu_llc {
  uint64_t at; /* when gpu_llc_step wants to be called */
};

/* Connects itself to SMs and slices; NULL and *e if the mode does not fit the GPU. */
struct gpu_llc *gpu_llc_new(const struct cfg *cfg, const struct gpu_llc_parts *parts, struct err *e);
void gpu_llc_delete(struct gpu_llc *l);
void gpu_llc_register(const struct gpu_llc *l, struct stats *st);

/* Which program each SM belongs to, before the first kernel; the array stays the caller's. One program: not called. */
void gpu_llc_programs(struct gpu_llc *l, const uint8_t *program_of, uint32_t n);

/* The clock goes on from here: the first kernel comes to an empty GPU. */
void gpu_llc_start(struct gpu_llc *l, uint64_t now);
/* A kernel of a program comes to the GPU. */
void gpu_llc_begin(struct gpu_llc *l, uint32_t program, const struct exec_grid *grid, uint64_t now);
void gpu_llc_step(struct gpu_llc *l, uint64_t now);
/* A kernel has ended; `last` of its program on the GPU: nothing more will be changed. Then the L1s are flushed. */
void gpu_llc_end(struct gpu_llc *l, uint32_t program, const struct exec_grid *grid, bool last, uint64_t now);
void gpu_llc_flush(struct gpu_llc *l, uint32_t program);
/* All ends here. */
void gpu_llc_abandon(struct gpu_llc *l, uint64_t now);
/* Brings counts of cycles up to `now`, before they are read. */
void gpu_llc_settle(struct gpu_llc *l, uint64_t now);
/* Whether any SM sees private slices now. */
bool gpu_llc_private(const struct gpu_llc *l);

#endif
