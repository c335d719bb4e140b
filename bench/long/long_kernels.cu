// Kernels of the long programs (long.h): each is launched hundreds of times, mostly with the same shape. Floating-point sums have a
// fixed order, so that results do not depend on time. long_kernels.ptx is made of it by `nvcc -ptx -arch=compute_75 -O3`.

enum { TILE = 16, TAPS = 9, WARP = 32, BODIES = 256, SUMS = 256 };

// ---- networks ----

// 3 x 3 convolution of square maps with a border of zeros, then a cut at zero; a block a tile of one output map, all input maps in turn.
extern "C" __global__ void conv3(const float *in, const float *weights, float *out, int maps_in, int side) {
  __shared__ float tile[TILE + 2][TILE + 2];
  int x0 = blockIdx.x * TILE - 1, y0 = blockIdx.y * TILE - 1, map = blockIdx.z;
  int tx = threadIdx.x, ty = threadIdx.y;
  float sum = 0.0f;
  for (int m = 0; m < maps_in; m++) {
    for (int i = ty * TILE + tx; i < (TILE + 2) * (TILE + 2); i += TILE * TILE) {
      int y = y0 + i / (TILE + 2), x = x0 + i % (TILE + 2);
      tile[i / (TILE + 2)][i % (TILE + 2)] = x >= 0 && y >= 0 && x < side && y < side ? in[(m * side + y) * side + x] : 0.0f;
    }
    __syncthreads();
    const float *w = weights + (map * maps_in + m) * TAPS;
    for (int k = 0; k < TAPS; k++) sum += w[k] * tile[ty + k / 3][tx + k % 3];
    __syncthreads();
  }
  int x = x0 + 1 + tx, y = y0 + 1 + ty;
  if (x < side && y < side) out[(map * side + y) * side + x] = fmaxf(sum, 0.0f);
}

// Largest of 2 x 2 points.
extern "C" __global__ void pool2(const float *in, float *out, int side, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, half = side / 2;
  if (i >= count) return;
  const float *at = in + (i / (half * half) * side + i / half % half * 2) * side + i % half * 2;
  out[i] = fmaxf(fmaxf(at[0], at[1]), fmaxf(at[side], at[side + 1]));
}

static __device__ float warp_sum(float v) {
  for (int d = WARP / 2; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
  return v;
}

// y = W x (+ y), a warp a row; cut: negative values become zero.
extern "C" __global__ void matvec(const float *w, const float *x, float *y, int rows, int columns, int add, int cut) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int i = lane; i < columns; i += WARP) sum += w[(long)row * columns + i] * x[i];
  sum = warp_sum(sum);
  if (lane) return;
  if (add) sum += y[row];
  y[row] = cut ? fmaxf(sum, 0.0f) : sum;
}

// A vector less its mean, over its deviation; one block of a warp.
extern "C" __global__ void normalise(const float *in, float *out, int n) {
  float sum = 0.0f, squares = 0.0f;
  for (int i = threadIdx.x; i < n; i += WARP) sum += in[i];
  float mean = warp_sum(sum) / n;
  for (int i = threadIdx.x; i < n; i += WARP) squares += (in[i] - mean) * (in[i] - mean);
  float scale = rsqrtf(warp_sum(squares) / n + 1e-5f);
  for (int i = threadIdx.x; i < n; i += WARP) out[i] = (in[i] - mean) * scale;
}

// Keys and values of this step join the cache: token-major.
extern "C" __global__ void remember(const float *qkv, float *keys, float *values, int token, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width) return;
  keys[(long)token * width + i] = qkv[width + i];
  values[(long)token * width + i] = qkv[2 * width + i];
}

// Attention of one query over `tokens` keys, a block a head of blockDim.x dimensions: scores by warps, then sums by threads.
extern "C" __global__ void attend(const float *qkv, const float *keys, const float *values, float *out, int tokens, int width) {
  extern __shared__ float score[];
  int dim = blockDim.x, at = blockIdx.x * dim, warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
  for (int t = warp; t < tokens; t += dim / WARP) {
    float s = 0.0f;
    for (int i = lane; i < dim; i += WARP) s += qkv[at + i] * keys[(long)t * width + at + i];
    s = warp_sum(s);
    if (!lane) score[t] = s * rsqrtf((float)dim);
  }
  __syncthreads();
  float most = -1e30f, total = 0.0f, sum = 0.0f;
  for (int t = 0; t < tokens; t++) most = fmaxf(most, score[t]);
  for (int t = 0; t < tokens; t++) {
    float weight = __expf(score[t] - most);
    total += weight;
    sum += weight * values[(long)t * width + at + threadIdx.x];
  }
  out[at + threadIdx.x] = sum / total;
}

// C = A B or A^T B or A B^T, tiles of 16 x 16; rows and columns of C and the inner length are multiples of 16. step: C -= step * product.
extern "C" __global__ void multiply(const float *a, const float *b, float *c, int columns, int inner, int at, int bt, float step) {
  __shared__ float ta[TILE][TILE + 1], tb[TILE][TILE + 1];
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty, rows = gridDim.y * TILE;
  float sum = 0.0f;
  for (int k = 0; k < inner; k += TILE) {
    ta[ty][tx] = at ? a[(k + tx) * rows + y] : a[y * inner + k + tx];
    tb[ty][tx] = bt ? b[x * inner + k + ty] : b[(k + ty) * columns + x];
    __syncthreads();
    for (int i = 0; i < TILE; i++) sum += ta[ty][i] * tb[i][tx];
    __syncthreads();
  }
  if (step != 0.0f) c[y * columns + x] -= step * sum;
  else c[y * columns + x] = sum;
}

extern "C" __global__ void cut(float *v, const float *by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && !(by[i] > 0.0f)) v[i] = 0.0f;
}

extern "C" __global__ void differences(const float *a, const float *b, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (a[i] - b[i]) / n;
}

// ---- graphs, in compressed rows ----

extern "C" __global__ void bfs_round(const int *row, const int *col, int *level, int now, int *more, int nodes) {
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= nodes || level[n] != now) return;
  for (int e = row[n]; e < row[n + 1]; e++)
    if (level[col[e]] < 0) {
      level[col[e]] = now + 1;
      *more = 1;
    }
}

// Shortest paths: a node asks its neighbours for the distances of the round before.
extern "C" __global__ void path_round(const int *row, const int *col, const int *weight, const int *from, int *to, int *more, int nodes) {
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= nodes) return;
  int best = from[n];
  for (int e = row[n]; e < row[n + 1]; e++) best = min(best, from[col[e]] + weight[e]);
  to[n] = best;
  if (best != from[n]) *more = 1;
}

extern "C" __global__ void rank_shares(const int *row, const float *rank, float *share, int nodes) {
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n < nodes) share[n] = row[n + 1] > row[n] ? rank[n] / (row[n + 1] - row[n]) : 0.0f;
}

extern "C" __global__ void rank_gather(const int *row, const int *col, const float *share, float *rank, int nodes) {
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= nodes) return;
  float sum = 0.0f;
  for (int e = row[n]; e < row[n + 1]; e++) sum += share[col[e]];
  rank[n] = 0.15f / nodes + 0.85f * sum;
}

// ---- grids ----

extern "C" __global__ void heat_step(const float *in, float *out, int side) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * side + x;
  if (x < 1 || y < 1 || x >= side - 1 || y >= side - 1) return;
  out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - side] + in[i + side]);
}

// A wave in three dimensions: the step after `now` takes the place of the one before it. A thread a column of planes.
extern "C" __global__ void wave_step(const float *now, float *before, int side) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, plane = side * side;
  if (x < 1 || y < 1 || x >= side - 1 || y >= side - 1) return;
  const float *at = now + y * side + x;
  float below = at[0], here = at[plane];
  for (int z = 1; z < side - 1; z++) {
    const float *p = at + (long)z * plane;
    float above = p[plane], around = p[-1] + p[1] + p[-side] + p[side] + below + above;
    float *old = before + (p - now);
    *old = 2.0f * here - *old + 0.1f * (around - 6.0f * here);
    below = here;
    here = above;
  }
}

// ---- linear algebra ----

extern "C" __global__ void sparse_times(const int *row, const int *col, const float *value, const float *x, float *y, int rows) {
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= rows) return;
  float sum = 0.0f;
  for (int e = row[n]; e < row[n + 1]; e++) sum += value[e] * x[col[e]];
  y[n] = sum;
}

// Sums of products of a block's stretch, one a block; then, as one block, of those sums.
extern "C" __global__ void dot_blocks(const float *a, const float *b, float *sums, int n) {
  __shared__ float part[SUMS];
  float sum = 0.0f;
  for (int i = blockIdx.x * SUMS + threadIdx.x; i < n; i += gridDim.x * SUMS) sum += a[i] * b[i];
  part[threadIdx.x] = sum;
  for (int d = SUMS / 2; d > 0; d /= 2) {
    __syncthreads();
    if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
  }
  if (!threadIdx.x) sums[blockIdx.x] = part[0];
}

// y = beta y + alpha x, where a factor is up[0] / down[0] times its sign; without `up` it is 1.
extern "C" __global__ void add_scaled(float *y, const float *x, const float *up, const float *down, float sign, int scale_y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float factor = down[0] != 0.0f ? sign * up[0] / down[0] : 0.0f;
  y[i] = scale_y ? factor * y[i] + x[i] : y[i] + factor * x[i];
}

// Row `k` is taken from all rows below it: first the factors, then the rest of the matrix.
extern "C" __global__ void eliminate_factors(const float *a, float *factors, int n, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + k + 1;
  if (i < n) factors[i] = a[(long)i * n + k] / a[(long)k * n + k];
}

extern "C" __global__ void eliminate_rows(float *a, const float *factors, int n, int k) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + k, y = blockIdx.y * blockDim.y + threadIdx.y + k + 1;
  if (x < n && y < n) a[(long)y * n + x] -= factors[y] * a[(long)k * n + x];
}

// ---- points and keys ----

// The nearest of `centres` points of `dims` coordinates (coordinate-major points), and sums of 8 fractional bits for the new ones.
extern "C" __global__ void nearest(const float *points, const float *centres, int *sums, int *counts, int count, int dims, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int best = 0;
  float least = 1e30f;
  for (int c = 0; c < k; c++) {
    float d2 = 0.0f;
    for (int d = 0; d < dims; d++) {
      float x = points[d * count + i] - centres[c * dims + d];
      d2 += x * x;
    }
    if (d2 < least) {
      least = d2;
      best = c;
    }
  }
  atomicAdd(&counts[best], 1);
  for (int d = 0; d < dims; d++) atomicAdd(&sums[best * dims + d], (int)(points[d * count + i] * 256.0f));
}

extern "C" __global__ void new_centres(float *centres, const int *sums, const int *counts, int dims, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < k * dims && counts[i / dims]) centres[i] = sums[i] / 256.0f / counts[i / dims];
}

extern "C" __global__ void pull(const float4 *now, float4 *next, float4 *speed, float step) {
  __shared__ float4 tile[BODIES];
  int i = blockIdx.x * BODIES + threadIdx.x, n = gridDim.x * BODIES;
  float4 at = now[i], v = speed[i];
  float ax = 0.0f, ay = 0.0f, az = 0.0f;
  for (int j = 0; j < n; j += BODIES) {
    tile[threadIdx.x] = now[j + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < BODIES; k++) {
      float x = tile[k].x - at.x, y = tile[k].y - at.y, z = tile[k].z - at.z, r = rsqrtf(x * x + y * y + z * z + 0.01f);
      float pull = tile[k].w * r * r * r;
      ax += x * pull;
      ay += y * pull;
      az += z * pull;
    }
    __syncthreads();
  }
  v.x += step * ax;
  v.y += step * ay;
  v.z += step * az;
  speed[i] = v;
  next[i] = make_float4(at.x + step * v.x, at.y + step * v.y, at.z + step * v.z, at.w);
}

// One step of a bitonic sort: keys `far` apart in runs of `run` keys.
extern "C" __global__ void sort_step(unsigned *keys, unsigned far, unsigned run) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, i = t / far * 2 * far + t % far, j = i + far;
  unsigned a = keys[i], b = keys[j];
  if ((a > b) == ((i & run) == 0)) {
    keys[i] = b;
    keys[j] = a;
  }
}
