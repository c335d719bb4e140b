// Minimum spanning forest by Boruvka's algorithm: each component finds its lightest edge to another one, the
// components are joined along these edges, and every node learns its new component.

typedef unsigned long long edge_key;

enum { NODE_BITS = 28 };

// Orders undirected edges: by weight, then by their two ends.
static __device__ edge_key make_key(int weight, int a, int b) {
  edge_key low = min(a, b), high = max(a, b);
  return (edge_key)weight << (2 * NODE_BITS) | low << NODE_BITS | high;
}

extern "C" __global__ void mst_find(const int *row, const int *col, const int *weight, const int *component,
                                    int nodes, edge_key *best) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  int own = component[node], last = row[node + 1];
  edge_key lightest = ~0ull;
#pragma unroll 1
  for (int e = row[node]; e < last; e++) {
    int other = col[e];
    if (component[other] == own) continue;
    edge_key key = make_key(weight[e], node, other);
    if (key < lightest) lightest = key;
  }
  if (lightest != ~0ull) atomicMin(&best[own], lightest);
}

// Two components that chose the same edge would point at each other: the lower number stays a root.
extern "C" __global__ void mst_join(const int *component, const edge_key *best, int nodes, int *parent,
                                    unsigned long long *total, int *changed) {
  int own = blockIdx.x * blockDim.x + threadIdx.x;
  if (own >= nodes || best[own] == ~0ull) return;
  edge_key key = best[own];
  int mask = (1 << NODE_BITS) - 1, a = component[key >> NODE_BITS & mask], b = component[key & mask];
  int other = a == own ? b : a;
  if (best[other] == key && own < other) return;
  parent[own] = other;
  atomicAdd(total, key >> (2 * NODE_BITS));
  *changed = 1;
}

extern "C" __global__ void mst_compress(const int *parent, int nodes, int *component) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  int root = component[node];
#pragma unroll 1
  while (parent[root] != root) root = parent[root];
  component[node] = root;
}
