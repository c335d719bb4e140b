/* The profile of a run by source line. After each kernel the SMs' counts for each instruction are added up by where
 * the instruction came from (its .loc, or its line of PTX if it has none), and once more by line of PTX, function by
 * function. Owns copies of all names and texts, since a module may be unloaded before the report. */
#ifndef GPU_PROFILE_H
#define GPU_PROFILE_H

#include "base/arena.h"
#include "base/str.h"
#include "gpu/gpu.h"
#include "sm/sm.h"

struct gpu_profile {
  struct gpu_line *lines;
  size_t n, cap;
  struct strmap index; /* "file:line" */
  struct gpu_listing *listings;
  size_t n_listings, listings_cap;
  struct arena arena;
};

/* Takes the rows of a module, which begin at number `first`, out of an SM's profile. */
void gpu_profile_take(struct gpu_profile *p, const struct exec_module *m, uint32_t first, struct sm_profile *of_sm);
void gpu_profile_free(struct gpu_profile *p);

#endif
