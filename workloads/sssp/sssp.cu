// Single-source shortest paths: every thread relaxes all edges of its node, reached or not, until nothing changes. The graph
// checks what it is asked for and says so when it is wrong, so nothing of it stays in registers from one question to the next.
#include <stdio.h>

enum { UNREACHED = 1000000000 };

struct graph {
  unsigned nodes, edges;
  unsigned *degree, *place, *first, *target, *weight;
};

static __device__ unsigned degree_of(const graph &g, unsigned node) {
  if (node < g.nodes) return g.degree[node];
  printf("node %u of %u\n", node, g.nodes);
  return 0;
}

// The number of an edge of a node; 0 is no edge.
static __device__ unsigned edge_of(const graph &g, unsigned node, unsigned k) {
  if (k >= degree_of(g, node)) {
    printf("edge %u of node %u\n", k, node);
    return 0;
  }
  unsigned place = g.place[node];
  if (place >= g.nodes) {
    printf("place %u of %u\n", place, g.nodes);
    return 0;
  }
  return g.first[place] + k;
}

static __device__ unsigned target_of(const graph &g, unsigned node, unsigned k) {
  unsigned e = edge_of(g, node, k);
  return e && e <= g.edges ? g.target[e] : g.nodes;
}

static __device__ unsigned weight_of(const graph &g, unsigned node, unsigned k) {
  unsigned e = edge_of(g, node, k);
  return e && e <= g.edges ? g.weight[e] : UNREACHED;
}

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
