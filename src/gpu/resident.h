/* The grids that are on the GPU at once: their slots, the order in which their CTAs are dispatched, and what each of
 * them has done.
 *
 * As on NVIDIA GPUs, CTAs of a later grid are dispatched only when the earlier grids of the same program have none
 * left to dispatch, so a later grid gets what is left over; a grid of higher priority comes first. Grids of different
 * programs use different SMs and do not wait for each other. A cooperative grid must be on the GPU as a whole: it
 * begins when its SMs are empty, and no other grid of its program begins before all its CTAs have begun. A grid that
 * was launched as a dependent of another begins when all CTAs of that grid have triggered it or ended. A grid that a
 * CTA has launched and waits for comes before all grids that nobody waits for.
 *
 * Owns: the slots. Does not: know SMs or time. */
#ifndef GPU_RESIDENT_H
#define GPU_RESIDENT_H

#include "gpu/cta_sched.h"
#include "gpu/gpu.h"

struct gpu_resident {
  struct exec_grid *grid;    /* NULL: the slot is free */
  void *ctas;                /* state of the CTA scheduler; stays with the slot */
  uint64_t ticket;
  uint32_t program;
  int priority;              /* lower is served first, as CUDA counts */
  uint64_t waiting, running; /* CTAs */
  uint64_t triggered, all;   /* CTAs that have executed griddepcontrol.launch_dependents or ended; all CTAs of the grid */
  uint64_t after;            /* ticket of a grid whose CTAs must all be counted in `triggered` before this one begins; 0: none */
  uint64_t start, end;       /* time; `end` is valid once the grid is over or cancelled */
  uint64_t ready;            /* time from which CTAs are dispatched */
  uint64_t closes;           /* for a grid with no CTA left: time before which it does not end */
  uint32_t turn;             /* the SM that is asked first, if only some are asked in a cycle */
  uint64_t *before;          /* counters at its start, NULL while free */
  bool began;                /* its first CTA has been dispatched */
  bool beside;               /* another grid was on the GPU at the same time */
  struct gpu_waves *waves;   /* NULL: all CTAs are simulated */
  bool cancelled;            /* after a fault: its CTAs are gone, but replies may be in flight */
};

struct gpu_residents {
  struct gpu_resident at[GPU_MAX_GRIDS];
  uint8_t order[GPU_MAX_GRIDS]; /* slots in use, in the order in which they are served */
  uint32_t n, most;             /* slots in use; slots allowed (gpu.concurrent_kernels), not counting those for awaited grids */
  uint32_t over;                /* slots in use whose grid has no CTA left and waits for replies */
  uint64_t next_ticket;
  const struct gpu_cta_sched *sched;
};

/* False with e filled: the CTA scheduler does not work with this configuration. */
bool gpu_residents_init(struct gpu_residents *r, const struct cfg *cfg, const struct gpu_cta_place *place, struct err *e);
void gpu_residents_free(struct gpu_residents *r);
/* Takes a slot, of which one must be free, for a grid with this many CTAs. */
struct gpu_resident *gpu_residents_add(struct gpu_residents *r, const struct gpu_launch *l, uint64_t ctas);
void gpu_residents_remove(struct gpu_residents *r, struct gpu_resident *p);
/* The number from which the instructions of a new grid's module are counted; see exec_grid.first_pc. */
uint32_t gpu_residents_first_pc(const struct gpu_residents *r, const struct exec_module *m);
/* Whether a grid with CTAs to dispatch must wait for others of its program, by the rules above. To be called for the
 * grids in their order. */
struct gpu_turns {
  uint32_t taken; /* set of programs in which an earlier grid has CTAs left to dispatch */
  uint32_t held;  /* set of programs in which a cooperative grid waits for empty SMs */
};
bool gpu_residents_must_wait(const struct gpu_residents *r, const struct gpu_resident *p, struct gpu_turns *t);

#endif
