// Forward 5/3 wavelet transform (the reversible one of JPEG 2000, with C's division) of a colour image: the pixels are split into
// three components, then each level turns an image into four bands of half its size. A block slides a window of 8 rows down its columns;
// a thread walks down one column, and three threads one more beside the window.

enum { SPLITTERS = 256, ROWS = 8, BEFORE = 2, AFTER = 1, WINDOW = ROWS + BEFORE + AFTER, BESIDE = BEFORE + AFTER };

// Interleaved bytes to three planes of integers around zero.
extern "C" __global__ void dwt_split(const unsigned *pixels, int *red, int *green, int *blue, int count) {
  __shared__ unsigned words[3 * SPLITTERS / 4];
  const unsigned char *bytes = (const unsigned char *)words;
  int t = threadIdx.x, at = blockIdx.x * SPLITTERS + t;
  if (t < 3 * SPLITTERS / 4) words[t] = pixels[blockIdx.x * SPLITTERS * 3 / 4 + t];
  __syncthreads();
  int r = bytes[3 * t], g = bytes[3 * t + 1], b = bytes[3 * t + 2];
  if (at < count) {
    red[at] = r - 128;
    green[at] = g - 128;
    blue[at] = b - 128;
  }
}

// Even columns lie in one half of the window, odd columns in the other, 16 banks apart.
template <int W> struct window {
  static const int stride = 2 + W / 2, half = WINDOW * stride, odd = half + 32 - (half + 16) % 32, size = odd + half;
  static __device__ int place(int column) { return (column + BEFORE) / 2 + (column + BEFORE & 1) * odd; }
};

// Mirrors a column at the edges of the image.
static __device__ int mirror(int i, int size) {
  if (i < 0) i = -i;
  return i < size ? i : 2 * (size - 1) - i;
}

// Walks down a column of the image; where it is checked, the walk turns back at the last row.
template <bool CHECKED> struct walk {
  int at, step, left;       // place in the image, from row to row, rows to the last one
  int before, last, newest; // the last three rows that were read

  __device__ int next(const int *image) {
    int value = image[at];
    if (CHECKED && left-- == 0) step = -step;
    at += step;
    return value;
  }
  __device__ void start(const int *image, int column, int first, int width, int height) {
    step = width;
    if (first == 0) {
      at = column;
      left = height - 1;
      newest = next(image);
      last = next(image);
      before = next(image);
      at = column + width;
      left = height - 2;
    } else {
      at = column + (first - BEFORE) * width;
      left = height - 1 - (first - BEFORE);
      before = next(image);
      last = next(image);
      newest = next(image);
    }
  }
  // The next rows of the window, transformed down the column: differences at the odd rows, averages at the even ones between them.
  __device__ void fill(const int *image, int *column, int stride) {
    int difference = last - (before + newest) / 2;
    column[0] = before;
    column[stride] = difference;
#pragma unroll
    for (int i = BESIDE; i < WINDOW; i += 2) {
      before = newest;
      last = next(image);
      newest = next(image);
      int earlier = difference;
      difference = last - (before + newest) / 2;
      column[i * stride] = difference;
      column[(i - 1) * stride] = before + (earlier + difference + 2) / 4;
    }
    column[(WINDOW - 1) * stride] = newest;
  }
};

// Differences at the odd columns, then averages at the even ones: all rows of a half as one array.
template <int W> static __device__ void across(int *tile) {
  typedef window<W> w;
  const int words = ROWS * w::stride - 1;
  int *even = tile + BEFORE * w::stride, *odd = even + w::odd;
#pragma unroll
  for (int i = 0; i < words; i += W)
    if (i + W <= words || i + threadIdx.x < words) odd[i + threadIdx.x] -= (even[i + threadIdx.x] + even[i + threadIdx.x + 1]) / 2;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < words; i += W)
    if (i + W <= words || i + threadIdx.x < words) even[i + threadIdx.x + 1] += (odd[i + threadIdx.x] + odd[i + threadIdx.x + 1] + 2) / 4;
  __syncthreads();
}

// The bands of the output follow each other: low, high in x, high in y, high in both.
template <int W, bool CHECK_LOADS, bool CHECK_STORES>
static __device__ void slide(int *tile, const int *image, int *bands, int width, int height, int steps) {
  typedef window<W> w;
  int t = threadIdx.x, x0 = blockIdx.x * W, y0 = blockIdx.y * ROWS * steps;
  int beside = t == 0 ? W : t - 3;
  walk<CHECK_LOADS> own, rim;
  own.start(image, mirror(x0 + t, width), y0, width, height);
  if (t < BESIDE) rim.start(image, mirror(x0 + beside, width), y0, width, height);
  int column = t < W / 2 ? 2 * t : 2 * (t - W / 2) + 1, band = width / 2 * (height / 2);
  const int *from = tile + w::place(column) + BEFORE * w::stride;
  int out = column % 2 * band + y0 / 2 * (width / 2) + (x0 + column) / 2;
  int left = x0 + column < width ? height - y0 : 0; // rows to be stored
#pragma unroll 1
  for (int s = 0; s < steps; s++) {
    own.fill(image, tile + w::place(t), w::stride);
    if (t < BESIDE) rim.fill(image, tile + w::place(beside), w::stride);
    __syncthreads();
    across<W>(tile);
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
      if (!CHECK_STORES || left-- > 0) bands[out] = from[i * w::stride];
      out += i % 2 == 0 ? 2 * band : width / 2 - 2 * band;
    }
    __syncthreads();
  }
}

template <int W> static __device__ void level(const int *image, int *bands, int width, int height, int steps) {
  __shared__ int tile[window<W>::size];
  // There is an odd column less; its place is read, and nothing comes of it.
  if (threadIdx.x < WINDOW) tile[window<W>::odd + threadIdx.x * window<W>::stride + window<W>::stride - 1] = 0;
  if (blockIdx.y == gridDim.y - 1)
    slide<W, true, true>(tile, image, bands, width, height, steps);
  else if (blockIdx.x == gridDim.x - 1)
    slide<W, false, true>(tile, image, bands, width, height, steps);
  else
    slide<W, false, false>(tile, image, bands, width, height, steps);
}

extern "C" __global__ void dwt_level192(const int *image, int *bands, int width, int height, int steps) {
  level<192>(image, bands, width, height, steps);
}
extern "C" __global__ void dwt_level128(const int *image, int *bands, int width, int height, int steps) {
  level<128>(image, bands, width, height, steps);
}
extern "C" __global__ void dwt_level64(const int *image, int *bands, int width, int height, int steps) {
  level<64>(image, bands, width, height, steps);
}
