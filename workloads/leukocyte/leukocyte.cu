// White blood cells in a video: how well circles of several sizes fit the gradients around each pixel, a dilation of these scores,
// and, around each cell, an image whose gradients are spread out (motion gradient vector flow). Images are column by column.

enum { CIRCLES = 7, POINTS = 150, MARGIN = 22, ELEMENT = 25, THREADS = 320, FLOW_ROWS = 41, FLOW_COLUMNS = 81 };

__constant__ float sines[POINTS], cosines[POINTS], element[ELEMENT * ELEMENT];
__constant__ int offsets_x[CIRCLES * POINTS], offsets_y[CIRCLES * POINTS];

// The best score of a pixel, a block a column: squared mean over variance of the gradient across each circle.
extern "C" __global__ void leuko_gicov(int rows, float *scores, cudaTextureObject_t gradient_x, cudaTextureObject_t gradient_y) {
  int x = blockIdx.x + MARGIN, y = threadIdx.x + MARGIN;
  float best = 0.0f;
#pragma unroll 1
  for (int k = 0; k < CIRCLES; k++) {
    float sum = 0.0f, squares = 0.0f, mean = 0.0f;
#pragma unroll 2
    for (int n = 0; n < POINTS; n++) {
      int at = (x + offsets_x[k * POINTS + n]) * rows + y + offsets_y[k * POINTS + n];
      float p = tex1Dfetch<float>(gradient_x, at) * cosines[n] + tex1Dfetch<float>(gradient_y, at) * sines[n];
      sum += p;
      float delta = p - mean;
      mean += delta / (float)(n + 1);
      squares += delta * (p - mean);
    }
    mean = sum / (float)POINTS;
    float score = mean * mean / (squares / (float)(POINTS - 1));
    if (score > best) best = score;
  }
  scores[x * rows + y] = best;
}

// The largest score in a disc around each pixel. The result is row by row.
extern "C" __global__ void leuko_dilate(int rows, int columns, int high, int wide, float *dilated, cudaTextureObject_t scores) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, y = t % rows, x = t / rows;
  if (x >= columns) return;
  float best = 0.0f;
  for (int i = 0; i < high; i++) {
    int yy = y - high / 2 + i;
    if (yy >= 0 && yy < rows) {
#pragma unroll 4
      for (int j = 0; j < wide; j++) {
        int xx = x - wide / 2 + j;
        if (xx >= 0 && xx < columns && element[i * wide + j] != 0.0f) {
          float score = tex1Dfetch<float>(scores, xx * rows + yy);
          if (score > best) best = score;
        }
      }
    }
  }
  dilated[y * columns + x] = best;
}

// A step from 0 to 1 that is not quite sharp; the last operations are in double precision.
static __device__ float heaviside(float z) { return atanf(z) * (1.0 / 3.14159) + 0.5; }

// The new value of a place, which a flow comes to from its eight neighbours.
static __device__ float flowed(const float *field, int i, int j, int m, int n, float vx, float vy, float steep, float v) {
  int up = i == 0 ? 0 : i - 1, down = i == m - 1 ? m - 1 : i + 1, left = j == 0 ? 0 : j - 1, right = j == n - 1 ? n - 1 : j + 1;
  float own = field[i * n + j];
  float u = field[up * n + j] - own, d = field[down * n + j] - own, l = field[i * n + left] - own, r = field[i * n + right] - own;
  float ur = field[up * n + right] - own, dr = field[down * n + right] - own;
  float ul = field[up * n + left] - own, dl = field[down * n + left] - own;
  float sum = heaviside(u * -vy * steep) * u + heaviside(d * vy * steep) * d + heaviside(l * -vx * steep) * l +
              heaviside(r * vx * steep) * r + heaviside(ur * (vx - vy) * steep) * ur + heaviside(dr * (vx + vy) * steep) * dr +
              heaviside(ul * (-vx - vy) * steep) * ul + heaviside(dl * (-vx + vy) * steep) * dl;
  float next = own + (0.5 / 5.0) * sum;
  return next - (1.0 / 5.0) * v * (next - v);
}

// A block a cell. Its matrix is in shared memory, 320 places at a time are changed; they keep their old value until their neighbours have
// read it.
extern "C" __global__ void leuko_flow(float **matrices, float **images, int *many_rows, int *many_columns, float vx, float vy, float e,
                                      int rounds, float cutoff) {
  __shared__ float field[FLOW_ROWS * FLOW_COLUMNS], buffer[THREADS];
  __shared__ int done;
  float *matrix = matrices[blockIdx.x], *image = images[blockIdx.x];
  int m = many_rows[blockIdx.x], n = many_columns[blockIdx.x], t = threadIdx.x, chunks = (m * n + THREADS - 1) / THREADS;
  for (int c = 0; c < chunks; c++) {
    int i = (t + c * THREADS) / n, j = (t + c * THREADS) % n;
    if (i < m) field[i * n + j] = matrix[i * n + j];
  }
  __syncthreads();
  if (t == 0) done = 0;
  __syncthreads();
  float steep = 1.0 / e, nth = 1.0f / (float)n;
  int first = t % n, skip = THREADS % n;
  for (int round = 0; !done && round < rounds; round++) {
    float change = 0.0f;
    int i = 0, j = first - skip;
    for (int c = 0; c < chunks; c++) {
      int old_i = i, old_j = j;
      i = (int)((float)(t + c * THREADS) * nth);
      j += skip;
      if (j >= n) j -= n;
      float next = 0.0f;
      if (i < m) {
        next = flowed(field, i, j, m, n, vx, vy, steep, image[i * n + j]);
        change += fabsf(next - field[i * n + j]);
      }
      __syncthreads();
      if (c > 0 && old_i < m) field[old_i * n + old_j] = buffer[t];
      if (c < chunks - 1)
        buffer[t] = next;
      else if (i < m)
        field[i * n + j] = next;
    }
    buffer[t] = change;
    __syncthreads();
    if (t >= 256) buffer[t - 256] += buffer[t];
    __syncthreads();
#pragma unroll
    for (int half = 128; half > 0; half /= 2) {
      if (t < half) buffer[t] += buffer[t + half];
      __syncthreads();
    }
    if (t == 0 && buffer[0] / (float)(m * n) < cutoff) done = 1;
    __syncthreads();
  }
  for (int c = 0; c < chunks; c++) {
    int i = (t + c * THREADS) / n, j = (t + c * THREADS) % n;
    if (i < m) matrix[i * n + j] = field[i * n + j];
  }
}
