// Breadth-first search with queues. Frontiers that fit a block are followed by one block, level after level; larger ones by all blocks
// that run at a time, with a barrier of the grid between two levels. Nodes that a block finds go through eight queues in shared memory.

enum { WHITE = 16677217, BLACK = 16677218, GREY = 16677220, QUEUES = 8, ROOM = 400, MOST_THREADS = 512 };

// Finds of a block, by the lowest bits of the finder.
struct local_queues {
  int tails[QUEUES], elements[QUEUES][ROOM], sharers[QUEUES];
};

static __device__ void reset(struct local_queues *q) {
  if (threadIdx.x < QUEUES) {
    q->tails[threadIdx.x] = 0;
    q->sharers[threadIdx.x] = blockDim.x / QUEUES + (threadIdx.x < blockDim.x % QUEUES ? 1 : 0);
  }
}

// Relaxes the edges of a node and notes the neighbours that were not reached before.
static __device__ void visit(int p, cudaTextureObject_t nodes, cudaTextureObject_t edges, int *colour, int *cost, int grey, int *overflow,
                             struct local_queues *q) {
  colour[p] = BLACK;
  int reached = cost[p];
  int2 node = tex1Dfetch<int2>(nodes, p);
  for (int i = node.x; i < node.x + node.y; i++) {
    int2 edge = tex1Dfetch<int2>(edges, i);
    int next = reached + edge.y;
    if (atomicMin(&cost[edge.x], next) > next && atomicExch(&colour[edge.x], grey) != grey) {
      int mine = threadIdx.x & (QUEUES - 1), place = atomicAdd(&q->tails[mine], 1);
      if (place >= ROOM)
        *overflow = 1;
      else
        q->elements[mine][place] = edge.x;
    }
  }
}

// Where each queue's finds begin among all; returns how many there are. For one thread.
static __device__ int make_prefix(struct local_queues *q, int *prefix) {
  prefix[0] = 0;
#pragma unroll
  for (int i = 1; i < QUEUES; i++) prefix[i] = prefix[i - 1] + q->tails[i - 1];
  return prefix[QUEUES - 1] + q->tails[QUEUES - 1];
}

static __device__ void copy_out(struct local_queues *q, int *prefix, int *to) {
  int mine = threadIdx.x & (QUEUES - 1);
  for (int i = threadIdx.x / QUEUES; i < q->tails[mine]; i += q->sharers[mine]) to[prefix[mine] + i] = q->elements[mine][i];
}

// Levels of at most a block's threads; the first frontier is in `from`, one that has become too large is left in `to`.
extern "C" __global__ void pbfs_block(int *from, int *to, cudaTextureObject_t nodes, cudaTextureObject_t edges, int *colour, int *cost,
                                      int *tail, int count, int level, int *overflow) {
  __shared__ struct local_queues q;
  __shared__ int prefix[QUEUES], frontier[MOST_THREADS], size;
  if (threadIdx.x == 0) size = 0;
  while (true) {
    reset(&q);
    __syncthreads();
    if (threadIdx.x < count)
      visit(size == 0 ? from[threadIdx.x] : frontier[threadIdx.x], nodes, edges, colour, cost, GREY + level % 2, overflow, &q);
    __syncthreads();
    if (threadIdx.x == 0) *tail = size = make_prefix(&q, prefix);
    __syncthreads();
    if (size == 0) return;
    if (size > blockDim.x) break;
    copy_out(&q, prefix, frontier);
    __syncthreads();
    count = size;
    level++;
  }
  copy_out(&q, prefix, to);
}

// What the blocks of a grid share: how many have come to a barrier since the program began, the size of the frontier, whether another level
// follows.
struct shared_words {
  int arrived, count, stay;
};

// What a launch leaves for the next and for the host: how many barriers there were, and whether the frontier is in the second queue.
struct left_words {
  int rounds, second;
};

// Waits until all blocks, which must all be running, have come to so many barriers.
static __device__ void grid_barrier(volatile struct shared_words *c, int rounds) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd((int *)&c->arrived, 1);
    while (c->arrived < gridDim.x * rounds) {}
    __threadfence();
  }
  __syncthreads();
}

// Levels of more than a block's threads and at most the grid's.
extern "C" __global__ void pbfs_blocks(int *first, int *second, cudaTextureObject_t nodes, cudaTextureObject_t edges, int *colour,
                                       int *cost, int *tail, int level, volatile struct shared_words *c, struct left_words *left,
                                       int *overflow) {
  __shared__ struct local_queues q;
  __shared__ int prefix[QUEUES], odd, count, place;
  if (threadIdx.x == 0) odd = 1;
  int rounds = atomicOr(&left->rounds, 0);
  while (true) {
    reset(&q);
    if (threadIdx.x == 0) count = c->count;
    __syncthreads();
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    bool forward = odd;
    if (at < count) visit(atomicOr((forward ? first : second) + at, 0), nodes, edges, colour, cost, GREY + level % 2, overflow, &q);
    __syncthreads();
    if (threadIdx.x == 0) place = atomicAdd(tail, make_prefix(&q, prefix));
    __syncthreads();
    copy_out(&q, prefix, (forward ? second : first) + place);
    level++;
    grid_barrier(c, rounds + 1);
    if (threadIdx.x == 0) {
      odd = !odd;
      if (blockIdx.x == 0) {
        int found = *(volatile int *)tail;
        c->stay = 0;
        if (found > blockDim.x && found < gridDim.x * blockDim.x) {
          c->stay = 1;
          c->count = found;
          *tail = 0;
        }
      }
    }
    grid_barrier(c, rounds + 2);
    rounds += 2;
    if (c->stay == 0) break;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    left->rounds = rounds;
    left->second = !odd;
  }
}
