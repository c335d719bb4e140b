/* A team of threads for the run loop: every member does its share of a phase, all are back before it goes on. Waiting is by
 * spinning, since a phase lasts microseconds. */
#ifndef GPU_TEAM_H
#define GPU_TEAM_H

struct gpu_team;
/* `threads` in all, the caller included, which is member 0; 1 makes no thread. */
struct gpu_team *gpu_team_new(unsigned threads);
void gpu_team_delete(struct gpu_team *t);
unsigned gpu_team_size(const struct gpu_team *t);
/* Calls fn(user, member, size) once for every member, each in its own thread. */
typedef void (*gpu_team_fn)(void *user, unsigned member, unsigned size);
void gpu_team_run(struct gpu_team *t, gpu_team_fn fn, void *user);

#endif
