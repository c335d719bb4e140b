// Breadth-first search with queues: only the nodes of the frontier have threads. Nodes found by a block are
// collected in a queue in shared memory and appended to the next frontier together. Small frontiers stay
// within one block for as many levels as they remain small.

enum { THREADS = 512, ROOM = 2048, UNSEEN = 0x7fffffff };

struct queue {
  int count;
  int item[ROOM];
};

// Visits the neighbours of one node; those not seen before go to the block's queue, or when it is full
// straight to the next frontier.
static __device__ void visit(const int2 *nodes, const int2 *edges, int *cost, int node, int level, queue *own,
                             int *next, int *next_count) {
  int2 range = nodes[node];
#pragma unroll 1
  for (int i = range.x; i < range.x + range.y; i++) {
    int other = edges[i].x;
    if (atomicMin(&cost[other], level) <= level) continue;
    int at = atomicAdd(&own->count, 1);
    if (at < ROOM)
      own->item[at] = other;
    else
      next[atomicAdd(next_count, 1)] = other;
  }
}

// One level of a large frontier.
extern "C" __global__ void pbfs_level(const int2 *nodes, const int2 *edges, int *cost, const int *frontier,
                                      int count, int level, int *next, int *next_count) {
  __shared__ queue own;
  __shared__ int place;
  if (threadIdx.x == 0) own.count = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) visit(nodes, edges, cost, frontier[i], level, &own, next, next_count);
  __syncthreads();
  int found = min(own.count, (int)ROOM);
  if (threadIdx.x == 0) place = atomicAdd(next_count, found);
  __syncthreads();
  for (int k = threadIdx.x; k < found; k += blockDim.x) next[place + k] = own.item[k];
}

// As many levels as have at most `limit` nodes, which a block can hold. `state` is the frontier's size and
// the level reached.
extern "C" __global__ void pbfs_block(const int2 *nodes, const int2 *edges, int *cost, const int *frontier,
                                      int *next, int *state, int limit) {
  __shared__ queue own;
  __shared__ int now[THREADS];
  int count = state[0], level = state[1];
  if (threadIdx.x < count) now[threadIdx.x] = frontier[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) state[0] = 0;
  __syncthreads();
#pragma unroll 1
  while (count > 0 && count <= limit) {
    if (threadIdx.x == 0) own.count = 0;
    __syncthreads();
    if (threadIdx.x < count) visit(nodes, edges, cost, now[threadIdx.x], level, &own, next, &state[0]);
    __syncthreads();
    count = own.count;
    if (threadIdx.x < min(count, (int)THREADS)) now[threadIdx.x] = own.item[threadIdx.x];
    level++;
    __syncthreads();
  }
  int found = min(count, (int)ROOM), place = state[0];
  for (int k = threadIdx.x; k < found; k += blockDim.x) next[place + k] = own.item[k];
  __syncthreads();
  if (threadIdx.x == 0) {
    state[0] = place + found;
    state[1] = level;
  }
}
