// Minimum cut of an image into two labels by pushing flow and relabelling heights, without atomics: a push leaves what it sends in
// an array of the neighbour's, and the neighbour takes it in the next kernel.

enum { TILE_X = 32, TILE_Y = 8, RIM = TILE_X + 2 };

// What a pixel's links can still carry, what it holds, what it can give to the sink.
struct network {
  int *left, *right, *down, *up, *excess, *sink;
};

// What was pushed into a pixel from each side: from the right neighbour to the left, and so on; -1: that neighbour could not push.
struct pulls {
  int *left, *right, *down, *up;
};

// A pair of neighbours that may both take label 1, with the costs of the four ways.
static __device__ void add_pair(int *smooth, int weight, int first, int second, int *excess, int *sink, int *forward, int *back) {
  int a = smooth[2 * first + second] * weight, b = smooth[2 * first + 1] * weight;
  int c = smooth[2 + second] * weight, d = smooth[3] * weight, tilt = a - b + c - d;
  if (tilt > 0)
    *excess += tilt;
  else
    *sink -= tilt;
  *forward += b - a - d;
  *back += c;
}

extern "C" __global__ void gcu_weights(network n, int *cost, int *across, int *below, int *smooth, int *label, int width, int height) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  if (label[i] != 1) {
    int difference = cost[2 * i + label[i]] - cost[2 * i + 1];
    if (difference > 0)
      n.excess[i] += difference;
    else
      n.sink[i] -= difference;
  }
  int y = i / width, x = i - y * width;
  if (x < width - 1 && label[i] != 1 && label[i + 1] != 1)
    add_pair(smooth, across[i], label[i], label[i + 1], &n.excess[i], &n.sink[i], &n.right[i], &n.left[i + 1]);
  if (y < height - 1 && label[i] != 1 && label[i + width] != 1)
    add_pair(smooth, below[i], label[i], label[i + width], &n.excess[i], &n.sink[i], &n.down[i], &n.up[i + width]);
  if (x > 0 && label[i - 1] == 1) n.sink[i] += across[i - 1];
  if (y > 0 && label[i - width] == 1) n.sink[i] += below[i - width];
}

// Rows of `width` become rows of `wide`.
extern "C" __global__ void gcu_widen(network from, network to, int width, int height, int wide) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, y = i / wide, x = i % wide;
  if (x >= width || y >= height) return;
  int at = y * width + x;
  to.left[i] = from.left[at];
  to.right[i] = from.right[at];
  to.down[i] = from.down[at];
  to.up[i] = from.up[at];
  to.excess[i] = from.excess[at];
  to.sink[i] = from.sink[at];
}

extern "C" __global__ void gcu_settle(network from, network to, pulls p, int *mask, int *height_a, int *height_b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to.left[i] = from.left[i];
  to.right[i] = from.right[i];
  to.down[i] = from.down[i];
  to.up[i] = from.up[i];
  to.excess[i] = from.excess[i];
  to.sink[i] = from.sink[i];
  p.left[i] = p.right[i] = p.down[i] = p.up[i] = 0;
  mask[i] = 0;
  height_a[i] = height_b[i] = 1;
}

// The heights of a block's pixels and of those around it. Returns the place of the thread's own.
static __device__ int *load_heights(int *tile, int *heights, int x, int y, int width, int height, int wide) {
  int i = y * wide + x, *own = &tile[(threadIdx.y + 1) * RIM + threadIdx.x + 1];
  *own = heights[i];
  if (threadIdx.x == TILE_X - 1 && x < width - 1) own[1] = heights[i + 1];
  if (threadIdx.x == 0 && x > 0) own[-1] = heights[i - 1];
  if (threadIdx.y == TILE_Y - 1 && y < height - 1) own[RIM] = heights[i + wide];
  if (threadIdx.y == 0 && y > 0) own[-RIM] = heights[i - wide];
  return own;
}

// Pushes what a link carries to a lower neighbour, which finds it in `pull`.
static __device__ int push(int *link, int *pull, int flow, const int *own, const int *next) {
  int room = *link;
  if (room > 0 && flow > 0 && *own == *next + 1) {
    int pushed = min(room, flow);
    *link = room - pushed;
    *pull = pushed;
    return flow - pushed;
  }
  *pull = -1;
  return flow;
}

extern "C" __global__ void gcu_push(network n, pulls p, int *mask, int *heights, int width, int height, int wide) {
  __shared__ int tile[RIM * (TILE_Y + 2)];
  int x = blockIdx.x * TILE_X + threadIdx.x, y = blockIdx.y * TILE_Y + threadIdx.y, i = y * wide + x;
  int *own = load_heights(tile, heights, x, y, width, height, wide), flow = n.excess[i];
  __syncthreads();
  if (i >= width * height || mask[i] != 1 || x == 0 || y == 0 || x >= width - 1 || y >= height - 1) return;
  int room = n.sink[i];
  if (room > 0 && flow > 0 && *own == 1) {
    int pushed = min(room, flow);
    n.sink[i] = room - pushed;
    flow -= pushed;
  }
  flow = push(&n.left[i], &p.left[i - 1], flow, own, own - 1);
  flow = push(&n.right[i], &p.right[i + 1], flow, own, own + 1);
  flow = push(&n.down[i], &p.down[i + wide], flow, own, own + RIM);
  flow = push(&n.up[i], &p.up[i - wide], flow, own, own - RIM);
  n.excess[i] = flow;
}

extern "C" __global__ void gcu_lift(network n, pulls p, int *mask, int *heights, int *lifted, int width, int height, int wide) {
  __shared__ int tile[RIM * (TILE_Y + 2)];
  int x = blockIdx.x * TILE_X + threadIdx.x, y = blockIdx.y * TILE_Y + threadIdx.y, i = y * wide + x;
  int *own = load_heights(tile, heights, x, y, width, height, wide);
  __syncthreads();
  int flow = n.excess[i], &part = mask[i];
  if (i < width * height && x > 0 && y > 0 && x < width && y < height) {
    int right = p.right[i], left = p.left[i], up = p.up[i], down = p.down[i];
    p.right[i] = p.left[i] = p.up[i] = p.down[i] = 0;
    if (right > 0) n.left[i] += right, flow += right;
    if (left > 0) n.right[i] += left, flow += left;
    if (up > 0) n.down[i] += up, flow += up;
    if (down > 0) n.up[i] += down, flow += down;
    n.excess[i] = flow;
    if (flow <= 0 || (n.left[i] == 0 && n.right[i] == 0 && n.down[i] == 0 && n.up[i] == 0 && n.sink[i] == 0))
      part = 2;
    else
      part = right == -1 && left == -1 && up == -1 && down == -1 && heights[i] != 1 ? 0 : 1;
  }
  __syncthreads();
  if (x == 0 || y == 0 || x >= width - 1 || y >= height - 1) return;
  if (n.sink[i] > 0) {
    lifted[i] = 1;
    return;
  }
  int lowest = width * height;
  if (n.left[i] > 0) lowest = min(lowest, own[-1]);
  if (n.right[i] > 0) lowest = min(lowest, own[1]);
  if (n.down[i] > 0) lowest = min(lowest, own[RIM]);
  if (n.up[i] > 0) lowest = min(lowest, own[-RIM]);
  lifted[i] = lowest + 1;
}

// Keeps the excess, to be compared in the next round; says when fewer than ten blocks moved.
extern "C" __global__ void gcu_keep(int *excess, int *kept, int *moved_blocks, bool *going, int wide) {
  int x = blockIdx.x * TILE_X + threadIdx.x, y = blockIdx.y * TILE_Y + threadIdx.y, i = y * wide + x;
  kept[i] = excess[i];
  if (i == 0 && *moved_blocks < 10) *going = false;
}

extern "C" __global__ void gcu_moved(int *excess, int *kept, int *moved, int *blocks_across, int wide) {
  int x = blockIdx.x * TILE_X + threadIdx.x, y = blockIdx.y * TILE_Y + threadIdx.y, i = y * wide + x;
  if (kept[i] != excess[i]) moved[blockIdx.y * *blocks_across + blockIdx.x] = 1;
}

// Pixels inside that hold flow are at distance 1; those that still reach the sink, the rim too, are set apart.
extern "C" __global__ void gcu_seed(int *excess, int *sink, int *distance, bool *open, int width, int height, int wide) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= wide * height || !open[i]) return;
  int x = i % wide, y = i / wide;
  bool inside = x > 0 && x < width - 1 && y > 0 && y < height - 1;
  if (inside && excess[i] > 0) {
    distance[i] = 1;
    open[i] = false;
  } else if (sink[i] > 0) {
    distance[i] = -1;
    open[i] = false;
  }
}

// Pixels that the ones at distance `*from` can still send to are one farther.
extern "C" __global__ void gcu_reach(network n, int *distance, bool *open, int width, int height, int wide, int *from, bool *reached) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= wide * height || !open[i]) return;
  int x = i % wide, y = i / wide;
  if (x <= 0 || x >= width - 1 || y <= 0 || y >= height - 1) return;
  int right = distance[i + 1], left = distance[i - 1], below = distance[i + wide], above = distance[i - wide], at = *from;
  if ((right == at && n.left[i + 1] > 0) || (left == at && n.right[i - 1] > 0) || (below == at && n.up[i + wide] > 0) ||
      (above == at && n.down[i - wide] > 0)) {
    distance[i] = *from + 1;
    open[i] = false;
    *reached = true;
  }
}
