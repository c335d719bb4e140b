// Single-source shortest paths: all edges of all nodes that have been reached are relaxed, a thread a node,
// until nothing changes.

enum { UNREACHED = 0x3fffffff };

extern "C" __global__ void sssp_relax(const int *row, const int *col, const int *weight, int nodes,
                                      int *distance, int *changed) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  int own = distance[node], last = row[node + 1];
  if (own == UNREACHED) return;
#pragma unroll 1
  for (int e = row[node]; e < last; e++) {
    int other = col[e], path = own + weight[e];
    if (path < distance[other]) {
      atomicMin(&distance[other], path);
      *changed = 1;
    }
  }
}
