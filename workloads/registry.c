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
  X(srad_v2)                                                                                                 \
  X(mummergpu)                                                                                               \
  X(particlefilter)                                                                                          \
  X(bplustree)                                                                                               \
  X(dwt2d)                                                                                                   \
  X(gaussian)                                                                                                \
  X(srad_v1)                                                                                                 \
  X(streamcluster)                                                                                           \
  X(mrigridding)                                                                                             \
  X(backprop)                                                                                                \
  X(hotspot)                                                                                                 \
  X(lud)                                                                                                     \
  X(nw)                                                                                                      \
  X(pathfinder)                                                                                              \
  X(nn)                                                                                                      \
  X(lavamd)                                                                                                  \
  X(myocyte)                                                                                                 \
  X(hybridsort)                                                                                              \
  X(heartwall)                                                                                               \
  X(leukocyte)                                                                                               \
  X(mriq)                                                                                                    \
  X(lbm)                                                                                                     \
  X(pbfs)                                                                                                    \
  X(sgemm)                                                                                                   \
  X(sad)                                                                                                     \
  X(cutcp)                                                                                                   \
  X(tpacf)                                                                                                   \
  X(mars_mm)                                                                                                 \
  X(mars_ss)                                                                                                 \
  X(mars_pvr)                                                                                                \
  X(mars_pvc)                                                                                                \
  X(mars_km)                                                                                                 \
  X(mars_sm)                                                                                                 \
  X(mars_wc)                                                                                                 \
  X(mars_ii)                                                                                                 \
  X(conv2d)                                                                                                  \
  X(conv3d)                                                                                                  \
  X(gemm)                                                                                                    \
  X(atax)                                                                                                    \
  X(mvt)                                                                                                     \
  X(sssp)                                                                                                    \
  X(sp)                                                                                                      \
  X(mst)                                                                                                     \
  X(apsp)                                                                                                    \
  X(kmn)                                                                                                     \
  X(ccl)                                                                                                     \
  X(gco)                                                                                                     \
  X(gcu)                                                                                                     \
  X(blackscholes)                                                                                            \
  X(mergesort)                                                                                               \
  X(binomialoptions)                                                                                         \
  X(histogram)                                                                                               \
  X(matrixmul)                                                                                               \
  X(reduction)                                                                                               \
  X(transpose)                                                                                               \
  X(scan)                                                                                                    \
  X(alexnet)                                                                                                 \
  X(resnet)                                                                                                  \
  X(squeezenet)                                                                                              \
  X(nnfc)                                                                                                    \
  X(flashattn)                                                                                               \
  X(tcgemm)                                                                                                  \
  X(pagedattn)                                                                                               \
  X(embeddingbag)                                                                                            \
  X(layernorm)

#define DECLARE(name) extern const struct workload wl_##name;
#define LIST(name)    &wl_##name,

WORKLOADS(DECLARE)

const struct workload *const wl_registry[] = {WORKLOADS(LIST) NULL};
