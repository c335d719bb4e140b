// The list of all workloads: one line each, by suite. A workload NAME is the struct wl_NAME of
// workloads/NAME/NAME.c.
#include "common/wl.h"

#define WORKLOADS(X)                                                                                         \
  /* Rodinia */                                                                                              \
  X(backprop)                                                                                                \
  X(bfs)                                                                                                     \
  X(bplustree)                                                                                               \
  X(cfd)                                                                                                     \
  X(dwt2d)                                                                                                   \
  X(gaussian)                                                                                                \
  X(heartwall)                                                                                               \
  X(hotspot)                                                                                                 \
  X(hybridsort)                                                                                              \
  X(kmeans)                                                                                                  \
  X(lavamd)                                                                                                  \
  X(leukocyte)                                                                                               \
  X(lud)                                                                                                     \
  X(mummergpu)                                                                                               \
  X(myocyte)                                                                                                 \
  X(nn)                                                                                                      \
  X(nw)                                                                                                      \
  X(particlefilter)                                                                                          \
  X(pathfinder)                                                                                              \
  X(srad_v1)                                                                                                 \
  X(srad_v2)                                                                                                 \
  X(streamcluster)                                                                                           \
  /* CCWS */                                                                                                 \
  X(kmn)                                                                                                     \
  /* Parboil */                                                                                              \
  X(cutcp)                                                                                                   \
  X(histo)                                                                                                   \
  X(lbm)                                                                                                     \
  X(mrigridding)                                                                                             \
  X(mriq)                                                                                                    \
  X(pbfs)                                                                                                    \
  X(sad)                                                                                                     \
  X(sgemm)                                                                                                   \
  X(spmv)                                                                                                    \
  X(stencil)                                                                                                 \
  X(tpacf)                                                                                                   \
  /* Mars */                                                                                                 \
  X(mars_ii)                                                                                                 \
  X(mars_km)                                                                                                 \
  X(mars_mm)                                                                                                 \
  X(mars_pvc)                                                                                                \
  X(mars_pvr)                                                                                                \
  X(mars_sm)                                                                                                 \
  X(mars_ss)                                                                                                 \
  X(mars_wc)                                                                                                 \
  /* PolyBench */                                                                                            \
  X(atax)                                                                                                    \
  X(conv2d)                                                                                                  \
  X(conv3d)                                                                                                  \
  X(gemm)                                                                                                    \
  X(mvt)                                                                                                     \
  /* Lonestar */                                                                                             \
  X(mst)                                                                                                     \
  X(pta)                                                                                                     \
  X(sp)                                                                                                      \
  X(sssp)                                                                                                    \
  /* SDK */                                                                                                  \
  X(binomialoptions)                                                                                         \
  X(blackscholes)                                                                                            \
  X(histogram)                                                                                               \
  X(matrixmul)                                                                                               \
  X(mergesort)                                                                                               \
  X(reduction)                                                                                               \
  X(scan)                                                                                                    \
  X(transpose)                                                                                               \
  X(vectoradd)                                                                                               \
  /* Graph */                                                                                                \
  X(apsp)                                                                                                    \
  X(ccl)                                                                                                     \
  X(gco)                                                                                                     \
  X(gcu)                                                                                                     \
  /* Tango */                                                                                                \
  X(alexnet)                                                                                                 \
  X(resnet)                                                                                                  \
  X(squeezenet)                                                                                              \
  /* ISPASS */                                                                                               \
  X(nnfc)                                                                                                    \
  /* 2026 */                                                                                                 \
  X(embeddingbag)                                                                                            \
  X(flashattn)                                                                                               \
  X(layernorm)                                                                                               \
  X(pagedattn)                                                                                               \
  X(tcgemm)

#define DECLARE(name) extern const struct workload wl_##name;
#define LIST(name)    &wl_##name,

WORKLOADS(DECLARE)

const struct workload *const wl_registry[] = {WORKLOADS(LIST) NULL};
