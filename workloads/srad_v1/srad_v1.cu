// Speckle-reducing anisotropic diffusion, first version: six kernels over a column-major image of floats, one
// pixel a thread, the neighbours' rows and columns in four index arrays.

enum { THREADS = 512 };

// Undoes the logarithmic compression of the picture.
extern "C" __global__ void srad_extract(long count, float *image) {
  int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < count) image[i] = expf(image[i] / 255);
}

extern "C" __global__ void srad_prepare(long count, float *image, float *sums, float *squares) {
  int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < count) {
    sums[i] = image[i];
    squares[i] = image[i] * image[i];
  }
}

// A tree over the first `width` values of a block; the sums end in the last of them.
static __device__ void add_tree(float *a, float *b, int width, int t) {
  for (int step = 2; step <= width; step *= 2) {
    if ((t + 1) % step == 0) {
      a[t] += a[t - step / 2];
      b[t] += b[t - step / 2];
    }
    __syncthreads();
  }
}

// Adds up `left` values that lie `stride` apart; each block leaves its sum in its first place.
extern "C" __global__ void srad_reduce(long count, int left, int stride, float *sums, float *squares) {
  __shared__ float a[THREADS], b[THREADS];
  int block = blockIdx.x, t = threadIdx.x, i = block * THREADS + t;
  int last = THREADS - (gridDim.x * THREADS - left), tree = 0;
  if (i < left) {
    a[t] = sums[i * stride];
    b[t] = squares[i * stride];
  }
  __syncthreads();
  if (last == THREADS) {
    add_tree(a, b, THREADS, t);
    if (t == THREADS - 1) {
      sums[block * stride * THREADS] = a[t];
      squares[block * stride * THREADS] = b[t];
    }
  } else if (block != gridDim.x - 1) {
    add_tree(a, b, THREADS, t);
    if (t == THREADS - 1) {
      sums[block * stride * THREADS] = a[t];
      squares[block * stride * THREADS] = b[t];
    }
  } else {
    // A block that is not full: a tree over a power of two, then the rest one by one.
    for (int step = 2; step <= THREADS; step *= 2)
      if (last >= step) tree = step;
    for (int step = 2; step <= tree; step *= 2) {
      if ((t + 1) % step == 0 && t < tree) {
        a[t] += a[t - step / 2];
        b[t] += b[t - step / 2];
      }
      __syncthreads();
    }
    if (t == tree - 1) {
      for (int rest = block * THREADS + tree; rest < block * THREADS + last; rest++) {
        a[t] += sums[rest * stride];
        b[t] += squares[rest * stride];
      }
      sums[block * stride * THREADS] = a[t];
      squares[block * stride * THREADS] = b[t];
    }
  }
}

// Differences to the four neighbours and the diffusion coefficient.
extern "C" __global__ void srad_coefficient(int rows, long count, int *north_row, int *south_row, int *west_column, int *east_column,
                                            float *north, float *south, float *west, float *east, float q0, float *coefficient,
                                            float *image) {
  int i = blockIdx.x * THREADS + threadIdx.x;
  int row = (i + 1) % rows - 1, column = (i + 1) / rows;
  if ((i + 1) % rows == 0) {
    row = rows - 1;
    column--;
  }
  if (i >= count) return;
  float here = image[i];
  float n = image[north_row[row] + rows * column] - here, s = image[south_row[row] + rows * column] - here;
  float w = image[row + rows * west_column[column]] - here, e = image[row + rows * east_column[column]] - here;
  float gradient = (n * n + s * s + w * w + e * e) / (here * here), laplace = (n + s + w + e) / here;
  float numerator = 0.5 * gradient - 1.0 / 16.0 * (laplace * laplace), denominator = 1 + 0.25 * laplace;
  float q = numerator / (denominator * denominator);
  denominator = (q - q0) / (q0 * (1 + q0));
  float c = 1.0 / (1.0 + denominator);
  if (c < 0)
    c = 0;
  else if (c > 1)
    c = 1;
  north[i] = n;
  south[i] = s;
  west[i] = w;
  east[i] = e;
  coefficient[i] = c;
}

// The divergence, added to the image.
extern "C" __global__ void srad_update(int rows, long count, int *south_row, int *east_column, float *north, float *south, float *west,
                                       float *east, float *coefficient, float *image, float lambda) {
  int i = blockIdx.x * THREADS + threadIdx.x;
  int row = (i + 1) % rows - 1, column = (i + 1) / rows;
  if ((i + 1) % rows == 0) {
    row = rows - 1;
    column--;
  }
  if (i >= count) return;
  float c = coefficient[i];
  float cs = coefficient[south_row[row] + rows * column], ce = coefficient[row + rows * east_column[column]];
  float divergence = c * north[i] + cs * south[i] + c * west[i] + ce * east[i];
  image[i] = image[i] + 0.25 * lambda * divergence;
}

// Compresses the picture again.
extern "C" __global__ void srad_compress(long count, float *image) {
  int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < count) image[i] = logf(image[i]) * 255;
}
