/* A team of threads for the run loop: a phase is divided into shares, one a member, and all are done before it goes on. A phase
 * lasts microseconds, so who waits spins at first, but never for long: then it sleeps until it is woken. A share that its
 * member has not begun when the caller is done with its own is done by the caller: a member that sleeps, or that the host
 * does not let run, holds nobody up. */
#ifndef GPU_TEAM_H
#define GPU_TEAM_H

#include <stdint.h>

struct gpu_team;
/* `threads` in all, the caller included, which is member 0; 1 makes no thread. Fewer if the host gives no more. */
struct gpu_team *gpu_team_new(unsigned threads);
void gpu_team_delete(struct gpu_team *t);
unsigned gpu_team_size(const struct gpu_team *t);
/* Calls fn(user, share, shares) once for every share, in as many threads or fewer; 1 to gpu_team_size() shares. */
typedef void (*gpu_team_fn)(void *user, unsigned share, unsigned shares);
void gpu_team_run(struct gpu_team *t, unsigned shares, gpu_team_fn fn, void *user);
/* How long the caller has slept in gpu_team_run so far, because a member did not come to the end of its share, and how often
 * so long that the host must have let something else run in the member's place. */
struct gpu_team_waits {
  uint64_t ns, long_ones;
};
struct gpu_team_waits gpu_team_waits(const struct gpu_team *t);
/* How often members went to sleep so far. */
uint64_t gpu_team_sleeps(const struct gpu_team *t);

/* CPUs that this process may use. */
unsigned gpu_team_cpus(void);

#endif
