/* cudaDeviceSynchronize in kernels (dynamic parallelism before CUDA 12): the calling threads wait until everything that their CTA has
 * launched has ended, including what that launched in turn. Other threads of the CTA go on.
 *
 * In runs without timing the launched kernels run at once. On the timed GPU the threads are parked, and grid->asking tells the caller:
 *
 *   while ((wait = exec_sync_asked(launches, grid)))
 *     while (exec_sync_more(launches, wait, &todo)) { run what is in todo to its end, as for a grid that has ended }
 *     if (exec_sync_over(launches, wait, &grid, &cta)) { the CTA goes on: exec_cta_go_on }
 *
 * The waiting threads also wait for what other threads of their CTA launch meanwhile; in CUDA they would not.
 *
 * A grid at too deep a level of nested launches is answered cudaErrorSyncDepthExceeded (cudaLimitDevRuntimeSyncDepth: by default two levels
 * may wait). CUDA does not have that limit from compute capability 9.0 on; on such a device as many levels may wait as can launch. */
#ifndef EXEC_DEVICE_WAIT_H
#define EXEC_DEVICE_WAIT_H

#include "exec/run/device_launch.h"

struct exec_syncs { /* of struct exec_launches */
  struct exec_sync {
    uint64_t number;
    struct exec_grid *grid;
    uint64_t cta; /* by its linear number */
    bool begun;   /* the kernels that it waits for are being run */
  } *at;
  size_t n, capacity;
  uint64_t last;
};

void exec_do_synchronize(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c);

/* A waiting CTA of the grid that has not been reported yet: the number of its wait; 0: there is none. */
uint64_t exec_sync_asked(struct exec_launches *l, struct exec_grid *g);
/* Adds what it has launched since the last call, to be run next; false: nothing, or its grid is gone. */
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
