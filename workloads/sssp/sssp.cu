// Single-source shortest paths: every thread relaxes all edges of its node, reached or not, until nothing changes.
#include "../common/checked_graph.cuh"

extern "C" __global__ void sssp_start(unsigned *distance, unsigned nodes) {
  unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node < nodes) distance[node] = UNREACHED;
}

// Whether the path over edge k made its target nearer.
static __device__ bool relax(const graph &g, unsigned *distance, unsigned node, unsigned k) {
  unsigned target = target_of(g, node, k);
  if (target >= g.nodes) return false;
  unsigned weight = weight_of(g, node, k);
  if (weight >= UNREACHED) return false;
  unsigned path = distance[node] + weight;
  if (path < distance[target]) return path < atomicMin(&distance[target], path);
  return false;
}

// 32 registers are enough for the assembler: one block an SM.
extern "C" __global__ void __maxnreg__(32) sssp_relax(graph g, unsigned *distance, bool *changed) {
  unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= g.nodes) return;
  bool nearer = false;
  unsigned edges = degree_of(g, node);
#pragma unroll 2
  for (unsigned k = 0; k < edges; k++)
    if (relax(g, distance, node, k)) nearer = true;
  if (nearer) *changed = true;
}

// Counts edges over which a path would still be shorter.
extern "C" __global__ void __maxnreg__(32) sssp_verify(graph g, unsigned *distance, unsigned *errors) {
  unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= g.nodes) return;
  unsigned edges = degree_of(g, node);
#pragma unroll 2
  for (unsigned k = 0; k < edges; k++) {
    unsigned target = target_of(g, node, k);
    if (target >= g.nodes) continue;
    unsigned weight = weight_of(g, node, k);
    if (weight > 0 && distance[node] + weight < distance[target]) atomicAdd(errors, 1);
  }
}
