// Minimum spanning forest by Boruvka's algorithm: every component takes a lightest edge that leaves it, and joins what lies at its
// other end. Components are trees of parents whose roots point to themselves; of two, the one with the lower root is hung below.
#include "../common/checked_graph.cuh"

struct forest {
  unsigned *parent, *size, *count; // how many components there are
};

// For each node: its lightest weight to another component, its component's, the component at that edge's end, whether it joins.
struct choice {
  unsigned *lightest, *component_lightest, *partner, *unused;
  bool *joins;
  unsigned *head; // for each root: the node whose edge its component takes
};

static __device__ bool is_root(const forest &f, unsigned node) { return atomicCAS(&f.parent[node], node, node) == node; }

// The root of a node's component, which becomes its parent.
static __device__ unsigned find(const forest &f, unsigned node) {
  unsigned at = node;
#pragma unroll 1
  for (unsigned parent; (parent = atomicCAS(&f.parent[at], at, at)) != at;) {
    unsigned loaded = f.parent[at];
    at = loaded == at ? parent : loaded;
  }
  f.parent[node] = at;
  return at;
}

extern "C" __global__ void mst_singles(forest f, unsigned nodes) {
  unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= nodes) return;
  f.parent[id] = id;
  f.size[id] = 1;
}

extern "C" __global__ void mst_start(choice c, unsigned nodes) {
  unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= nodes) return;
  c.lightest[id] = UNREACHED;
  c.component_lightest[id] = UNREACHED;
  c.head[id] = nodes;
  c.unused[id] = 0;
  c.partner[id] = id;
  c.joins[id] = false;
}

extern "C" __global__ void __maxnreg__(32) mst_lightest(graph g, forest f, choice c) {
  unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= g.nodes) return;
  unsigned root = find(f, id), best = UNREACHED, partner = g.nodes, edges = degree_of(g, id);
#pragma unroll 1
  for (unsigned k = 0; k < edges; k++) {
    unsigned weight = weight_of(g, id, k);
    if (weight >= best) continue;
    unsigned other = find(f, target_of(g, id, k));
    if (other == root) continue;
    best = weight;
    partner = other;
  }
  c.lightest[id] = best;
  c.partner[id] = partner;
  if (best < c.component_lightest[root] && root != partner) atomicMin(&c.component_lightest[root], best);
}

extern "C" __global__ void __maxnreg__(32) mst_choose(graph g, forest f, choice c) {
  unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= g.nodes) return;
  unsigned root = find(f, id);
  if (c.lightest[id] != c.component_lightest[root]) return;
  unsigned partner = c.partner[id];
  if (partner == root || partner == g.nodes) return;
  unsigned edges = degree_of(g, id);
#pragma unroll 1
  for (unsigned k = 0; k < edges; k++) {
    if (weight_of(g, id, k) != c.lightest[id]) continue;
    unsigned other = find(f, target_of(g, id, k));
    if (other == c.partner[id]) atomicCAS(&c.head[root], g.nodes, id);
  }
}

extern "C" __global__ void __maxnreg__(32) mst_confirm(graph g, forest f, choice c) {
  unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= g.nodes || !is_root(f, id)) return;
  unsigned head = c.head[id];
  if (head == g.nodes) return;
  unsigned edges = degree_of(g, head), lightest = c.component_lightest[id];
#pragma unroll 1
  for (unsigned k = 0; k < edges; k++) {
    if (weight_of(g, head, k) != lightest) continue;
    unsigned other = find(f, target_of(g, head, k));
    if (other == c.partner[head] && other != id) {
      c.joins[head] = true;
      return;
    }
  }
}

// Waits for all blocks of the grid, which must all be running. `arrived` has a word a block.
static __device__ void grid_barrier(volatile unsigned *arrived) {
  __threadfence();
  __syncthreads();
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) arrived[0] = 1;
    __syncthreads();
    for (unsigned peer = threadIdx.x; peer < gridDim.x; peer += blockDim.x)
      while (__ldcg((const unsigned *)&arrived[peer]) == 0) __threadfence();
    __syncthreads();
    for (unsigned peer = threadIdx.x; peer < gridDim.x; peer += blockDim.x) arrived[peer] = 0;
  } else {
    if (threadIdx.x == 0) {
      arrived[blockIdx.x] = 1;
      while (__ldcg((const unsigned *)&arrived[blockIdx.x]) == 1) __threadfence();
    }
    __syncthreads();
  }
}

// Whether two roots became one component.
static __device__ bool unify(const forest &f, unsigned a, unsigned b) {
  if (!is_root(f, a) || !is_root(f, b)) return false;
  unsigned low = min(a, b), high = max(a, b);
  if (atomicCAS(&f.parent[low], low, high) != low) return false;
  atomicAdd(&f.size[high], f.size[low]);
  atomicSub(f.count, 1);
  return true;
}

// Joins components along their chosen edges; those whose root was just taken are tried again in the next launch.
extern "C" __global__ void __maxnreg__(24) mst_join(forest f, choice c, unsigned nodes, unsigned *total, unsigned *edges, bool *again,
                                                    volatile unsigned *arrived) {
  unsigned threads = blockDim.x * gridDim.x, steps = (nodes + threads - 1) / threads;
  unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (unsigned step = 0; step < steps; step++, id += threads) {
    unsigned a = 0, b = 0;
    if (id < nodes && c.joins[id]) {
      a = find(f, id);
      b = find(f, c.partner[id]);
    }
    grid_barrier(arrived);
    if (id < nodes && c.joins[id] && a != b) {
      if (unify(f, a, b)) {
        atomicAdd(total, c.lightest[id]);
        atomicAdd(edges, 1);
        c.joins[id] = false;
        c.lightest[id] = UNREACHED;
      } else {
        *again = true;
      }
    }
    grid_barrier(arrived);
  }
}
