// All-pairs shortest paths by Floyd and Warshall: one launch for each node that paths may newly pass
// through, a thread a pair of ends.

extern "C" __global__ void apsp_step(int *distance, int n, int via) {
  int to = blockIdx.x * blockDim.x + threadIdx.x, from = blockIdx.y * blockDim.y + threadIdx.y;
  if (to >= n || from >= n) return;
  int path = distance[from * n + via] + distance[via * n + to];
  if (path < distance[from * n + to]) distance[from * n + to] = path;
}
