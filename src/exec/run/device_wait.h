/* cudaDeviceSynchronize in kernels (dynamic parallelism of before CUDA 12): the calling threads wait until all that their CTA has launched
 * has ended, with what that launched in turn. Others of the CTA go on.
 *
 * Without time what was launched runs at once. On the timed GPU the threads are parked, and grid->asking says so to whoever drives it:
 *
 *   while ((wait = exec_sync_asked(launches, grid)))
 *     while (exec_sync_more(launches, wait, &todo)) { run what is in todo to its end, as for a grid that has ended }
 *     if (exec_sync_over(launches, wait, &grid, &cta)) { the CTA goes on: exec_cta_go_on }
 *
 * What a CTA launches while some of its threads wait they wait for too; CUDA's would not.
 *
 * A grid that too many others have launched, one the other (cudaLimitDevRuntimeSyncDepth: two levels may wait, if nothing else is set), is
 * answered cudaErrorSyncDepthExceeded. On a device without that limit, which CUDA has not from compute capability 9.0 on, as many levels
 * may as CUDA can launch. */
#ifndef EXEC_DEVICE_WAIT_H
#define EXEC_DEVICE_WAIT_H

#include "exec/run/device_launch.h"

struct exec_syncs { /* of struct exec_launches */
  struct exec_sync {
    uint64_t number;
    struct exec_grid *grid;
    uint64_t cta; /* by its linear number */
    bool begun;   /* somebody runs what it waits for */
  } *at;
  size_t n, capacity;
  uint64_t last;
};

void exec_do_synchronize(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c);

/* A CTA of the grid that waits and that nobody has been told of yet: the number of its wait; 0: there is none. */
uint64_t exec_sync_asked(struct exec_launches *l, struct exec_grid *g);
/* What it has launched since it was last asked comes next; false: nothing, or its grid is gone. */
bool exec_sync_more(struct exec_launches *l, uint64_t wait, struct exec_todo *todo);
/* The wait is over; false: its grid is gone. */
bool exec_sync_over(struct exec_launches *l, uint64_t wait, struct exec_grid **grid, uint64_t *cta);
/* Its threads that waited can run. */
void exec_cta_go_on(struct exec_cta *cta);
/* Whether nothing of the CTA can run before what it has launched has ended. */
bool exec_cta_only_awaits(const struct exec_cta *cta);

/* The grid has ended, in whatever way. */
void exec_syncs_end(struct exec_launches *l, const struct exec_grid *ended);

#endif
