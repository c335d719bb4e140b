/* See pace.h. */
#include "gpu/pace.h"

#include <time.h>

uint64_t gpu_pace_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void gpu_pace_turn(struct gpu_pace *p, uint64_t now) {
  uint64_t took = now - p->began;
  if (!p->sampling) {
    p->sampling = p->share = true;
  } else if (p->share) {
    p->together = took;
    p->share = false;
  } else {
    p->sampling = false;
    p->share = p->together <= took;
  }
  p->left = (p->sampling ? GPU_PACE_SAMPLE : GPU_PACE_HOLD) - 1;
  p->began = now;
}
