/* The mode of L2 over a run: which SMs see shared and which private slices, when a profile is taken, and how one mode
 * changes to the other while a kernel runs (adaptive memory-side last-level caching, Zhao et al., ISCA 2019).
 *
 * A change halts the SMs, waits until nothing is in flight in networks, slices and DRAM, writes dirty lines back
 * (shared to private) or invalidates the slices (private to shared), switches the power of the MC-routers, and lets
 * the SMs go on in the new mode. Each step costs the cycles it takes: draining and writing back as long as they last,
 * invalidating one set for each L2 cycle, switching power llc.gate_latency (only where the network can bypass its
 * routers).
 *
 * Owns: the SMs' views of the slices, the auxiliary tag directories, the counts of the llc.* statistics. Does not:
 * choose slices (llc_mode.c), count accesses (llc_tally.c) or decide (llc_profile.c). What it needs of SMs, networks
 * and DRAM it asks of the GPU (struct llc_gpu). It is called after all components of an instant have been visited, so
 * all of them see what it changes at the next instant.
 *
 * Programs that run side by side each have a mode, a directory and a state of their own. A change then waits only for
 * the program's own SMs, writes back or drops only its own lines, and goes on when the slices have handed these to
 * DRAM. The routers keep their power, since a change of one program does not empty the network.
 *
 * Where the paper says nothing: an epoch is counted from the start of a kernel; a kernel that uses atomics of global
 * memory runs with shared slices; private slices are emptied at the end of a kernel without taking time, as the L1
 * is; lines stay where they are when shared slices become private, since memory has their bytes by then. */
#ifndef LLC_CONTROL_H
#define LLC_CONTROL_H

#include "base/cfg.h"
#include "base/stat.h"
#include "llc/llc.h"

/* What is counted: profiles first, and changes of mode from LLC_E_TO_PRIVATE on. The modes in llc_mode.c that have
 * such events have these statistics. */
enum llc_event {
  LLC_E_PROFILES, LLC_E_RULE_1, LLC_E_RULE_2, LLC_E_STAYED, LLC_E_SAMPLED, LLC_E_SAMPLED_HITS, LLC_E_SAMPLED_PRIVATE,
  LLC_E_ACCESSES, LLC_E_MISSES, LLC_E_SHARED_LSP, LLC_E_PRIVATE_LSP, LLC_E_SHARED_BYTES, LLC_E_PRIVATE_BYTES,
  LLC_E_TO_PRIVATE, LLC_E_TO_SHARED, LLC_E_ATOMICS, LLC_E_DRAIN, LLC_E_WRITE_BACK, LLC_E_INVALIDATE, LLC_E_GATE, LLC_E_WRITTEN,
  LLC_E_PRIVATE, LLC_EVENTS
};
extern const struct stat_def llc_events[LLC_EVENTS + 1];

/* What a change of mode needs from the rest of the GPU. */
struct llc_gpu {
  void (*halt)(void *user, uint32_t sm, uint64_t now);
  void (*resume)(void *user, uint32_t sm, uint64_t now);
  bool (*quiet)(void *user, uint32_t sm); /* everything that the SM issued has been answered */
  bool (*empty)(void *user);              /* no packet is in flight anywhere, and the networks are idle */
  bool (*dram_idle)(void *user);
  bool (*can_gate)(void *user);           /* the network can bypass its MC-routers, whose power is then switched off */
  void (*gate)(void *user, bool on, uint64_t now);
  void *user;
};

struct llc_control_place { /* all of these must exist before llc_control_new is called */
  const struct mem_map *map;
  struct llc_slice *const *slices;
  uint32_t n_sms, n_slices;
  uint64_t core, l2; /* periods */
  struct llc_gpu gpu;
};

struct llc_control {
  uint64_t at; /* when llc_control_step wants to be called */
};

/* Creates the control and connects it to the slices; NULL and *e if the mode does not fit the GPU. */
struct llc_control *llc_control_new(const struct cfg *cfg, const struct llc_control_place *place, struct err *e);
void llc_control_delete(struct llc_control *l);
void llc_control_register(const struct llc_control *l, struct stats *st);
/* How an SM sees the slices. The pointer stays valid; what it points to changes with the mode. */
const struct llc_view *llc_control_view(const struct llc_control *l, uint32_t sm);

/* Says which program each SM belongs to. Called before the first kernel, if there are several programs; the array stays the caller's. */
void llc_control_programs(struct llc_control *l, const uint8_t *program_of, uint32_t n);

/* Time goes on from `now`: the first kernel comes to an empty GPU. */
void llc_control_start(struct llc_control *l, uint64_t now);
/* A kernel of a program comes to the GPU; `atomics`: it has atomics of global memory. */
void llc_control_begin(struct llc_control *l, uint32_t program, bool atomics, uint64_t now);
void llc_control_step(struct llc_control *l, uint64_t now);
/* llc_control_end: a kernel has ended; with `last` it was the only one of its program on the GPU, and no change of
 * mode begins any more. llc_control_flush: called when the L1s are flushed; empties the slices that are private. */
void llc_control_end(struct llc_control *l, uint32_t program, bool atomics, bool last, uint64_t now);
void llc_control_flush(struct llc_control *l, uint32_t program);
/* Abandons whatever is under way, because the run is given up. */
void llc_control_abandon(struct llc_control *l, uint64_t now);
/* Brings the statistics that count cycles up to `now`, before they are read. */
void llc_control_settle(struct llc_control *l, uint64_t now);
/* Whether any SM sees private slices now. */
bool llc_control_private(const struct llc_control *l);

#endif
