/* A team of threads for the run loop. A phase is divided into shares, one for each member, and the loop goes on when
 * all are done. A phase lasts microseconds, so a thread that waits spins at first, but not for long: then it sleeps
 * until it is woken. A share that its member has not begun when the caller has finished its own is done by the
 * caller, so a member that sleeps, or that the host does not let run, holds nobody up. */
#ifndef GPU_TEAM_H
#define GPU_TEAM_H

#include <stdint.h>

struct gpu_team;
/* Creates a team of `threads` members including the caller, which is member 0; with 1, no thread is created. It has
 * fewer members if the host cannot create more threads. */
struct gpu_team *gpu_team_new(unsigned threads);
void gpu_team_delete(struct gpu_team *t);
unsigned gpu_team_size(const struct gpu_team *t);
/* Calls fn(user, share, shares) once for every share, in at most as many threads; `shares` is 1 to gpu_team_size(). */
typedef void (*gpu_team_fn)(void *user, unsigned share, unsigned shares);
void gpu_team_run(struct gpu_team *t, unsigned shares, gpu_team_fn fn, void *user);
/* How long the caller has slept in gpu_team_run so far because a member had not finished its share, and how many of
 * these waits were so long that the host must have run something else in the member's place. */
struct gpu_team_waits {
  uint64_t ns, long_ones;
};
struct gpu_team_waits gpu_team_waits(const struct gpu_team *t);
/* How often members have gone to sleep so far. */
uint64_t gpu_team_sleeps(const struct gpu_team *t);

/* The number of CPUs that this process may use. */
unsigned gpu_team_cpus(void);

#endif
