/* The grids that are on the GPU at once: their slots, the order in which their CTAs are dispatched, and what each of
 * them has done.
 *
 * As on NVIDIA GPUs, CTAs of a later grid are dispatched only when the earlier grids of the same program have none left
 * to dispatch, so that a later grid gets what is left over; a grid of higher priority comes first. Grids of
 * different programs use different SMs and do not wait for each other. A cooperative grid, which must be there as a
 * whole, begins when its SMs are empty, and nothing else of its program begins before all its CTAs have. A grid that was
 * launched as a dependent of another begins when all CTAs of that one have said so or ended. A grid that a CTA waits for, which has
 * launched it, comes before all that nobody waits for.
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
  uint64_t triggered, all;   /* CTAs that executed griddepcontrol.launch_dependents or ended; and all there are */
  uint64_t after;            /* ticket of a grid whose CTAs must all have done so before this one begins; 0: none */
  uint64_t start, end;       /* time; end is valid once it is over or cancelled */
  uint64_t ready;            /* time from which CTAs are dispatched */
  uint64_t closes;           /* of one with no CTA left: time before which it does not end */
  uint32_t turn;             /* the SM that is asked first, where only some are asked a cycle */
  uint64_t *before;          /* counters at its start, NULL while free */
  bool began;                /* its first CTA has been dispatched */
  bool beside;               /* another grid was on the GPU in its time */
  struct gpu_waves *waves;   /* NULL: all CTAs are simulated */
  bool cancelled;            /* a fault: its CTAs are gone, answers may be in flight */
};

struct gpu_residents {
  struct gpu_resident at[GPU_MAX_GRIDS];
  uint8_t order[GPU_MAX_GRIDS]; /* slots in use, in the order in which they are served */
  uint32_t n, most;             /* in use, and allowed (gpu.concurrent_kernels) besides those of awaited grids */
  uint32_t over;                /* of them with no CTA left: waiting for answers */
  uint64_t next_ticket;
  const struct gpu_cta_sched *sched;
};

/* False with e filled: the CTA scheduler does not fit the configuration. */
bool gpu_residents_init(struct gpu_residents *r, const struct cfg *cfg, const struct gpu_cta_place *place, struct err *e);
void gpu_residents_free(struct gpu_residents *r);
/* Takes a slot, of which there must be one free, for a grid with that many CTAs. */
struct gpu_resident *gpu_residents_add(struct gpu_residents *r, const struct gpu_launch *l, uint64_t ctas);
void gpu_residents_remove(struct gpu_residents *r, struct gpu_resident *p);
/* Where the instructions of a new grid's module begin: see exec_grid.first_pc. */
uint32_t gpu_residents_first_pc(const struct gpu_residents *r, const struct exec_module *m);
/* Whether a grid with CTAs to dispatch must wait for the others of its program, by what was said above. Call it for
 * the grids in their order. */
struct gpu_turns {
  uint32_t taken; /* programs in which an earlier grid has CTAs left to dispatch */
  uint32_t held;  /* programs in which a cooperative grid waits for empty SMs */
};
bool gpu_residents_must_wait(const struct gpu_residents *r, const struct gpu_resident *p, struct gpu_turns *t);

#endif
