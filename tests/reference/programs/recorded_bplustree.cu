// Search in a B+ tree of order 256: a block for each query, a thread for each key of a node. All threads
// compare their key at once; the one whose interval holds the query names the next node.

enum { ORDER = 256 };

struct node {
  int location;
  int indices[ORDER + 1]; // children, or records in a leaf
  int keys[ORDER + 1];    // ascending; indices[i] covers keys[i] .. keys[i+1]-1
  int is_leaf, count;
};

// Value of each key.
extern "C" __global__ void btree_find(int height, const node *nodes, const int *records, const int *queries,
                                      int *answers) {
  __shared__ int current;
  int t = threadIdx.x, q = blockIdx.x;
  if (t == 0) current = 0;
  __syncthreads();
#pragma unroll 1
  for (int level = 0; level < height; level++) {
    const node *n = &nodes[current];
    bool mine = n->keys[t] <= queries[q] && n->keys[t + 1] > queries[q];
    int next = mine ? n->indices[t] : 0;
    __syncthreads();
    if (mine) current = next;
    __syncthreads();
  }
  if (nodes[current].keys[t] == queries[q]) answers[q] = records[nodes[current].indices[t]];
}

// First record and number of records from one key to another.
extern "C" __global__ void btree_range(int height, const node *nodes, const int *from, const int *to,
                                       int *first, int *length) {
  __shared__ int current, last, low, high;
  int t = threadIdx.x, q = blockIdx.x;
  if (t == 0) {
    current = last = 0;
    low = high = 0;
  }
  __syncthreads();
#pragma unroll 1
  for (int level = 0; level < height; level++) {
    const node *a = &nodes[current], *b = &nodes[last];
    bool in_a = a->keys[t] <= from[q] && a->keys[t + 1] > from[q];
    bool in_b = b->keys[t] <= to[q] && b->keys[t + 1] > to[q];
    int next_a = in_a ? a->indices[t] : 0, next_b = in_b ? b->indices[t] : 0;
    __syncthreads();
    if (in_a) current = next_a;
    if (in_b) last = next_b;
    __syncthreads();
  }
  if (nodes[current].keys[t] == from[q]) low = nodes[current].indices[t];
  if (nodes[last].keys[t] == to[q]) high = nodes[last].indices[t];
  __syncthreads();
  if (t == 0) {
    first[q] = low;
    length[q] = high - low + 1;
  }
}
