// The list of all workloads: one line each, by suite. A workload NAME is the struct wl_NAME of
// workloads/NAME/NAME.c.
#include "common/wl.h"

#define WORKLOADS(X)                                                                                         \
  X(vectoradd)                                                                                               \
  X(kmeans)                                                                                                  \
  X(bfs)                                                                                                     \
  X(spmv)                                                                                                    \
  X(histo)                                                                                                   \
  X(stencil)                                                                                                 \
  X(cfd)                                                                                                     \
  X(srad_v2)

#define DECLARE(name) extern const struct workload wl_##name;
#define LIST(name)    &wl_##name,

WORKLOADS(DECLARE)

const struct workload *const wl_registry[] = {WORKLOADS(LIST) NULL};
