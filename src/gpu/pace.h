/* Whether a team of threads helps at the moment. On cores that share a cache it does; where a line takes long from one to the
 * other it may cost more than it saves, and a host moves threads about. So it is tried again and again: some instants with
 * the team, as many without, then whatever was faster for a while. Decides nothing that a result depends on. */
#ifndef GPU_PACE_H
#define GPU_PACE_H

#include <stdbool.h>
#include <stdint.h>

enum { GPU_PACE_SAMPLE = 4096, GPU_PACE_HOLD = 64 * GPU_PACE_SAMPLE /* instants */ };

struct gpu_pace {
  bool share;        /* the present answer */
  bool sampling;     /* one of the two tries is under way */
  uint32_t left;     /* instants until the next turn */
  uint64_t began;    /* ns: the present try */
  uint64_t together; /* ns that the try with the team took */
};

/* The next turn is due, at this time of the host. */
void gpu_pace_turn(struct gpu_pace *p, uint64_t now);
uint64_t gpu_pace_clock(void);

/* Before each instant; `share` says whether the team should have it. */
static inline void gpu_pace_instant(struct gpu_pace *p) {
  if (p->left-- == 0) gpu_pace_turn(p, gpu_pace_clock());
}

#endif
