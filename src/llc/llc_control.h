/* The mode of the last-level cache over a run: who sees shared and who private slices, profiling, and the change from
 * one to the other while a kernel runs (adaptive memory-side last-level caching, Zhao et al., ISCA 2019).
 *
 * A change halts the SMs, waits until nothing is in flight in networks, slices and DRAM, writes dirty lines back
 * (shared to private) or invalidates the slices (private to shared), switches the MC-routers' power, and lets the
 * SMs go on in the new mode. Each step costs the cycles it takes: draining and writing back as long as they last,
 * invalidating a set a cycle of the L2's clock, power llc.gate_latency (only where the network can bypass its routers).
 *
 * Owns: the SMs' views, the directories, the counts of statistics llc.*. Does not: choose slices (llc_mode.c), count accesses
 * (llc_tally.c) or decide (llc_profile.c); what it needs of SMs, networks and DRAM it asks of the GPU (struct llc_gpu). Runs after all
 * components of an instant have been visited, so what it changes is seen by all of them at the next.
 *
 * Programs side by side each have their mode, directory and state of this; a change then waits for the program's own
 * SMs, writes back or drops its own lines, and goes on when the slices have handed them to DRAM. The routers keep their
 * power, since one program's changes do not empty the network.
 *
 * Where the paper is silent: an epoch is counted from a kernel's start; a kernel that has atomics of global memory runs
 * shared; a private cache is emptied at a kernel's end, at once, as the L1 is; lines stay where they are
 * when a shared cache becomes private, since memory has their bytes. */
#ifndef LLC_CONTROL_H
#define LLC_CONTROL_H

#include "base/cfg.h"
#include "base/stat.h"
#include "llc/llc.h"

/* What is counted of profiles, and from LLC_E_TO_PRIVATE on of changes: the statistics of the modes that have them (llc_mode.c). */
enum llc_event {
  LLC_E_PROFILES, LLC_E_RULE_1, LLC_E_RULE_2, LLC_E_STAYED, LLC_E_SAMPLED, LLC_E_SAMPLED_HITS, LLC_E_SAMPLED_PRIVATE,
  LLC_E_ACCESSES, LLC_E_MISSES, LLC_E_SHARED_LSP, LLC_E_PRIVATE_LSP, LLC_E_SHARED_BYTES, LLC_E_PRIVATE_BYTES,
  LLC_E_TO_PRIVATE, LLC_E_TO_SHARED, LLC_E_ATOMICS, LLC_E_DRAIN, LLC_E_WRITE_BACK, LLC_E_INVALIDATE, LLC_E_GATE, LLC_E_WRITTEN,
  LLC_E_PRIVATE, LLC_EVENTS
};
extern const struct stat_def llc_events[LLC_EVENTS + 1];

/* What a change of mode needs of the rest of the GPU. */
struct llc_gpu {
  void (*halt)(void *user, uint32_t sm, uint64_t now);
  void (*resume)(void *user, uint32_t sm, uint64_t now);
  bool (*quiet)(void *user, uint32_t sm); /* everything that the SM issued has been answered */
  bool (*empty)(void *user);              /* no packet is anywhere, and networks are idle */
  bool (*dram_idle)(void *user);
  bool (*can_gate)(void *user);           /* the network can bypass its MC-routers, whose power is then switched off */
  void (*gate)(void *user, bool on, uint64_t now);
  void *user;
};

struct llc_control_place { /* all there before llc_control_new */
  const struct mem_map *map;
  struct llc_slice *const *slices;
  uint32_t n_sms, n_slices;
  uint64_t core, l2; /* periods */
  struct llc_gpu gpu;
};

struct llc_control {
  uint64_t at; /* when llc_control_step wants to be called */
};

/* Connects itself to the slices; NULL and *e if the mode does not fit the GPU. */
struct llc_control *llc_control_new(const struct cfg *cfg, const struct llc_control_place *place, struct err *e);
void llc_control_delete(struct llc_control *l);
void llc_control_register(const struct llc_control *l, struct stats *st);
/* How an SM sees the slices; it stays where it is, and changes with the mode. */
const struct llc_view *llc_control_view(const struct llc_control *l, uint32_t sm);

/* Which program each SM belongs to, before the first kernel; the array stays the caller's. One program: not called. */
void llc_control_programs(struct llc_control *l, const uint8_t *program_of, uint32_t n);

/* The clock goes on from here: the first kernel comes to an empty GPU. */
void llc_control_start(struct llc_control *l, uint64_t now);
/* A kernel of a program comes to the GPU; `atomics`: it has some of global memory. */
void llc_control_begin(struct llc_control *l, uint32_t program, bool atomics, uint64_t now);
void llc_control_step(struct llc_control *l, uint64_t now);
/* A kernel has ended; `last` of its program on the GPU: nothing more will be changed. Then the L1s are flushed. */
void llc_control_end(struct llc_control *l, uint32_t program, bool atomics, bool last, uint64_t now);
void llc_control_flush(struct llc_control *l, uint32_t program);
/* All ends here. */
void llc_control_abandon(struct llc_control *l, uint64_t now);
/* Brings counts of cycles up to `now`, before they are read. */
void llc_control_settle(struct llc_control *l, uint64_t now);
/* Whether any SM sees private slices now. */
bool llc_control_private(const struct llc_control *l);

#endif
