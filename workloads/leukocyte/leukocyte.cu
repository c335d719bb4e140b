// Detection and tracking of white blood cells: a score for circles of several radii around every pixel, the
// dilation of the score, and the motion gradient vector flow around each cell. The suite reads the gradients
// through textures; here they are ordinary loads.

enum { MOST_CIRCLES = 7, MOST_POINTS = 150, HEIGHT = 41, WIDTH = 81, CELLS = HEIGHT * WIDTH, THREADS = 320 };

__constant__ float sine[MOST_POINTS], cosine[MOST_POINTS];
__constant__ int offset_x[MOST_CIRCLES * MOST_POINTS], offset_y[MOST_CIRCLES * MOST_POINTS];

// Best squared mean over variance of the outward gradient on circles around each inner pixel. A block is a
// row.
extern "C" __global__ void leuko_gicov(cudaTextureObject_t gradient_x, cudaTextureObject_t gradient_y,
                                       float *score, int columns, int margin, int circles, int points) {
  int x = margin + threadIdx.x, y = margin + blockIdx.x;
  float best = 0.0f;
#pragma unroll 1
  for (int c = 0; c < circles; c++) {
    float sum = 0.0f, squares = 0.0f;
#pragma unroll 1
    for (int p = 0; p < points; p++) {
      int at = (y + offset_y[c * points + p]) * columns + x + offset_x[c * points + p];
      float outward =
          tex1Dfetch<float>(gradient_x, at) * cosine[p] + tex1Dfetch<float>(gradient_y, at) * sine[p];
      sum += outward;
      squares += outward * outward;
    }
    float mean = sum / (float)points;
    float variance = (squares - mean * sum) / (float)(points - 1);
    best = fmaxf(best, mean * mean / variance);
  }
  score[y * columns + x] = best;
}

// Largest score within a disc around each pixel.
extern "C" __global__ void leuko_dilate(cudaTextureObject_t score, float *dilated, int columns, int rows,
                                        int radius) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= columns * rows) return;
  int x = i % columns, y = i / columns;
  float best = 0.0f;
#pragma unroll 1
  for (int dy = -radius; dy <= radius; dy++)
#pragma unroll 1
    for (int dx = -radius; dx <= radius; dx++) {
      if (dx * dx + dy * dy > radius * radius) continue;
      int px = x + dx, py = y + dy;
      if (px >= 0 && px < columns && py >= 0 && py < rows)
        best = fmaxf(best, tex1Dfetch<float>(score, py * columns + px));
    }
  dilated[i] = best;
}

static __device__ float step(float x) { return 0.5f + 0.318309886f * atanf(10.0f * x); }

// Flow around each cell: a block has the 41 x 81 matrix of one cell in shared memory, twice, and iterates
// between the two.
extern "C" __global__ void leuko_flow(const float *image, float *flow, float vx, float vy, int iterations) {
  __shared__ float matrix[2][CELLS];
  const float *own = image + blockIdx.x * CELLS;
  for (int i = threadIdx.x; i < CELLS; i += THREADS) matrix[0][i] = own[i];
  __syncthreads();
#pragma unroll 1
  for (int round = 0; round < iterations; round++) {
    const float *now = matrix[round % 2];
    float *next = matrix[(round + 1) % 2];
#pragma unroll 1
    for (int i = threadIdx.x; i < CELLS; i += THREADS) {
      int x = i % WIDTH, y = i / WIDTH;
      int up = y > 0 ? -WIDTH : 0, down = y < HEIGHT - 1 ? WIDTH : 0, left = x > 0 ? -1 : 0;
      int right = x < WIDTH - 1 ? 1 : 0;
      float here = now[i], sum = 0.0f, d;
      d = now[i + up + left] - here, sum += step(d * (-vx - vy)) * d;
      d = now[i + up] - here, sum += step(d * -vy) * d;
      d = now[i + up + right] - here, sum += step(d * (vx - vy)) * d;
      d = now[i + left] - here, sum += step(d * -vx) * d;
      d = now[i + right] - here, sum += step(d * vx) * d;
      d = now[i + down + left] - here, sum += step(d * (vy - vx)) * d;
      d = now[i + down] - here, sum += step(d * vy) * d;
      d = now[i + down + right] - here, sum += step(d * (vx + vy)) * d;
      float moved = here + 0.1f * sum, level = own[i];
      next[i] = moved - 0.2f * level * (moved - level);
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < CELLS; i += THREADS) flow[blockIdx.x * CELLS + i] = matrix[iterations % 2][i];
}
