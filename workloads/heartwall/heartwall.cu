// Tracking of points on the heart wall by template matching: a block for each point computes the normalised
// cross correlation of its template with a window of the frame and moves the point to the peak. Every point
// has scratch arrays of its own in global memory, which the steps of the kernel pass data through.

enum { THREADS = 256 };

struct track {
  int template_side, window_side, columns, rows;
  const float *frame;
  int *x, *y;                     // of each point: upper left corner of its template in the frame
  float *templates;               // template_side squared
  float *padded, *padded_squares; // window, with template_side - 1 zeros around it
  float *sums, *sums_squares;     // running sums down the columns, then across the rows
  float *box, *box_squares;       // sums under the template at each offset
  float *correlation;             // full cross correlation, later normalised
};

// Running sums down each column, in place; one thread a column.
static __device__ void sum_columns(float *a, int side) {
  for (int c = threadIdx.x; c < side; c += THREADS) {
    float sum = 0.0f;
#pragma unroll 1
    for (int r = 0; r < side; r++) a[r * side + c] = sum += a[r * side + c];
  }
}

// Running sums along each row, in place; one thread a row.
static __device__ void sum_rows(float *a, int rows, int side) {
  for (int r = threadIdx.x; r < rows; r += THREADS) {
    float sum = 0.0f;
#pragma unroll 1
    for (int c = 0; c < side; c++) a[r * side + c] = sum += a[r * side + c];
  }
}

// Sums over `height` rows from running sums: difference of rows that far apart.
static __device__ void row_differences(const float *from, float *to, int rows, int side, int height) {
  for (int i = threadIdx.x; i < rows * side; i += THREADS) {
    int r = i / side, c = i % side;
    to[i] = from[(r + height - 1) * side + c] - (r > 0 ? from[(r - 1) * side + c] : 0.0f);
  }
}

static __device__ void column_differences(const float *from, float *to, int rows, int side, int width) {
  int columns = side - width + 1;
  for (int i = threadIdx.x; i < rows * columns; i += THREADS) {
    int r = i / columns, c = i % columns;
    to[i] = from[r * side + c + width - 1] - (c > 0 ? from[r * side + c - 1] : 0.0f);
  }
}

extern "C" __global__ void heartwall_track(track k) {
  __shared__ float best[THREADS], mean, deviation;
  __shared__ int place[THREADS];
  int ts = k.template_side, ws = k.window_side, margin = ts - 1, ps = ws + 2 * margin, cs = ws + margin;
  int point = blockIdx.x, t = threadIdx.x, reach = (ws - ts) / 2;
  float *own = k.templates + point * ts * ts;
  float *padded = k.padded + point * ps * ps, *padded_squares = k.padded_squares + point * ps * ps;
  float *sums = k.sums + point * ps * ps, *sums_squares = k.sums_squares + point * ps * ps;
  float *box = k.box + point * cs * cs, *box_squares = k.box_squares + point * cs * cs;
  float *correlation = k.correlation + point * cs * cs;
  int x0 = k.x[point] - reach, y0 = k.y[point] - reach;

  // The window and its squares, padded.
  for (int i = t; i < ps * ps; i += THREADS) {
    int r = i / ps - margin, c = i % ps - margin, y = y0 + r, x = x0 + c;
    bool inside = r >= 0 && r < ws && c >= 0 && c < ws && y >= 0 && y < k.rows && x >= 0 && x < k.columns;
    float v = inside ? k.frame[y * k.columns + x] : 0.0f;
    padded[i] = sums[i] = v;
    padded_squares[i] = sums_squares[i] = v * v;
  }
  if (t == 0) {
    float sum = 0.0f, squares = 0.0f;
#pragma unroll 1
    for (int i = 0; i < ts * ts; i++) {
      sum += own[i];
      squares += own[i] * own[i];
    }
    mean = sum / (float)(ts * ts);
    deviation = sqrtf(squares - sum * mean);
  }
  __syncthreads();

  // Cross correlation at every offset.
  for (int i = t; i < cs * cs; i += THREADS) {
    const float *under = padded + i / cs * ps + i % cs;
    float sum = 0.0f;
#pragma unroll 1
    for (int r = 0; r < ts; r++)
#pragma unroll 1
      for (int c = 0; c < ts; c++) sum += own[r * ts + c] * under[r * ps + c];
    correlation[i] = sum;
  }

  // Sums under the template at every offset: running sums down and across, and their differences.
  sum_columns(sums, ps);
  sum_columns(sums_squares, ps);
  __syncthreads();
  row_differences(sums, padded, cs, ps, ts);
  row_differences(sums_squares, padded_squares, cs, ps, ts);
  __syncthreads();
  sum_rows(padded, cs, ps);
  sum_rows(padded_squares, cs, ps);
  __syncthreads();
  column_differences(padded, box, cs, ps, ts);
  column_differences(padded_squares, box_squares, cs, ps, ts);
  __syncthreads();
  for (int i = t; i < cs * cs; i += THREADS) {
    float variance = box_squares[i] - box[i] * box[i] / (float)(ts * ts);
    correlation[i] = (correlation[i] - mean * box[i]) / (sqrtf(fmaxf(variance, 1e-6f)) * deviation);
  }
  __syncthreads();

  // The peak among the offsets where the template lies inside the window.
  best[t] = -2.0f;
  place[t] = 0;
  int inner = ws - ts + 1;
  for (int i = t; i < inner * inner; i += THREADS) {
    float v = correlation[(i / inner + margin) * cs + i % inner + margin];
    if (v > best[t]) {
      best[t] = v;
      place[t] = i;
    }
  }
  __syncthreads();
  if (t == 0) {
    for (int i = 1; i < THREADS; i++)
      if (best[i] > best[0]) {
        best[0] = best[i];
        place[0] = place[i];
      }
    k.x[point] = x0 + place[0] % inner;
    k.y[point] = y0 + place[0] / inner;
  }
  __syncthreads();

  // The template follows the picture slowly.
  for (int i = t; i < ts * ts; i += THREADS) {
    int y = k.y[point] + i / ts, x = k.x[point] + i % ts;
    if (y >= 0 && y < k.rows && x >= 0 && x < k.columns)
      own[i] = 0.8f * own[i] + 0.2f * k.frame[y * k.columns + x];
  }
}
