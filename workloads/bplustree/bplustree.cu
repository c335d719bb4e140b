// Queries in a B+ tree of order 256, one block a query, one thread a key of the node. Where a query stands is kept in global
// memory: the thread whose keys enclose the wanted one writes the next node's number, and the first thread of the block makes it
// the current one.

enum { ORDER = 256 };

struct node {
  int location, index[ORDER + 1], key[ORDER + 1];
  char is_leaf;
  int count;
};

struct record {
  int value;
};

extern "C" __global__ void btree_find(long height, node *nodes, long count, record *records, long *current, long *next,
                                      int *wanted, int *value) {
  int t = threadIdx.x, q = blockIdx.x;
  for (int level = 0; level < height; level++) {
    if (nodes[current[q]].key[t] <= wanted[q] && nodes[current[q]].key[t + 1] > wanted[q])
      if (nodes[next[q]].index[t] < count) next[q] = nodes[next[q]].index[t];
    __syncthreads();
    if (t == 0) current[q] = next[q];
    __syncthreads();
  }
  if (nodes[current[q]].key[t] == wanted[q]) value[q] = records[nodes[current[q]].index[t]].value;
}

// Both ends of a range at once: the number of its first record and how many records it has.
extern "C" __global__ void btree_range(long height, node *nodes, long count, long *current, long *next, long *last, long *next_last,
                                       int *from, int *to, int *first, int *length) {
  int t = threadIdx.x, q = blockIdx.x;
#pragma unroll 1
  for (long level = 0; level < height; level++) {
    if (nodes[current[q]].key[t] <= from[q] && nodes[current[q]].key[t + 1] > from[q])
      if (nodes[current[q]].index[t] < count) next[q] = nodes[current[q]].index[t];
    if (nodes[last[q]].key[t] <= to[q] && nodes[last[q]].key[t + 1] > to[q])
      if (nodes[last[q]].index[t] < count) next_last[q] = nodes[last[q]].index[t];
    __syncthreads();
    if (t == 0) {
      current[q] = next[q];
      last[q] = next_last[q];
    }
    __syncthreads();
  }
  if (nodes[current[q]].key[t] == from[q]) first[q] = nodes[current[q]].index[t];
  __syncthreads();
  if (nodes[last[q]].key[t] == to[q]) length[q] = nodes[last[q]].index[t] - first[q] + 1;
}
