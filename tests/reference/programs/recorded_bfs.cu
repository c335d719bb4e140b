// Breadth-first search, one thread a node, one level in each pair of launches. The graph is in compressed
// rows; the frontier is a mask over all nodes.

struct node {
  int first, edges;
};

// Visits the neighbours of every node of the frontier.
extern "C" __global__ void bfs_expand(const node *nodes, const int *edges, unsigned char *mask,
                                      unsigned char *next, const unsigned char *visited, int *cost,
                                      int count) {
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= count || !mask[n]) return;
  mask[n] = 0;
  int end = nodes[n].first + nodes[n].edges;
#pragma unroll 1
  for (int i = nodes[n].first; i < end; i++) {
    int other = edges[i];
    if (!visited[other]) {
      cost[other] = cost[n] + 1;
      next[other] = 1;
    }
  }
}

// Makes the nodes found in this level the next frontier, and says whether there are any.
extern "C" __global__ void bfs_advance(unsigned char *mask, unsigned char *next, unsigned char *visited,
                                       int *more, int count) {
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= count || !next[n]) return;
  mask[n] = 1;
  visited[n] = 1;
  *more = 1;
  next[n] = 0;
}
