/* A team of threads for the run loop: the same function over the indices of a phase, each thread a fixed share, all
 * back before it goes on. Waiting is by spinning, since a phase lasts microseconds. */
#ifndef GPU_TEAM_H
#define GPU_TEAM_H

#include <stdint.h>

struct gpu_team;
/* `threads` in all, the caller included; 1 makes no thread. */
struct gpu_team *gpu_team_new(unsigned threads);
void gpu_team_delete(struct gpu_team *t);
unsigned gpu_team_size(const struct gpu_team *t);
/* Calls fn(user, i) for every i below n: index i by thread i % size. */
void gpu_team_run(struct gpu_team *t, void (*fn)(void *user, uint32_t i), void *user, uint32_t n);

#endif
