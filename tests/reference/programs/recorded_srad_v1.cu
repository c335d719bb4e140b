// Speckle-reducing anisotropic diffusion, first version: six kernels over a column-major image of floats, one
// pixel a thread, the neighbours' rows and columns in four index arrays.

enum { THREADS = 512 };

// Undoes the logarithmic compression of the picture.
extern "C" __global__ void srad_extract(float *image, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) image[i] = expf(image[i] / 255.0f);
}

extern "C" __global__ void srad_prepare(const float *image, float *sums, float *squares, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  sums[i] = image[i];
  squares[i] = image[i] * image[i];
}

// Adds up `count` values that lie `stride` apart; each block leaves its sum in its first place.
extern "C" __global__ void srad_reduce(float *sums, float *squares, int count, int stride) {
  __shared__ float a[THREADS], b[THREADS];
  int t = threadIdx.x, i = blockIdx.x * THREADS + t;
  a[t] = i < count ? sums[i * stride] : 0.0f;
  b[t] = i < count ? squares[i * stride] : 0.0f;
  __syncthreads();
  for (int step = 2; step <= THREADS; step *= 2) {
    if ((t + 1) % step == 0) {
      a[t] += a[t - step / 2];
      b[t] += b[t - step / 2];
    }
    __syncthreads();
  }
  if (t == THREADS - 1) {
    sums[blockIdx.x * THREADS * stride] = a[t];
    squares[blockIdx.x * THREADS * stride] = b[t];
  }
}

// Differences to the four neighbours and the diffusion coefficient.
extern "C" __global__ void srad_coefficient(int rows, int count, const int *north_row, const int *south_row,
                                            const int *west_column, const int *east_column, float *north,
                                            float *south, float *west, float *east, float q0,
                                            float *coefficient, const float *image) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int row = i % rows, column = i / rows;
  float here = image[i];
  float n = image[north_row[row] + rows * column] - here;
  float s = image[south_row[row] + rows * column] - here;
  float w = image[row + rows * west_column[column]] - here;
  float e = image[row + rows * east_column[column]] - here;
  float gradient = (n * n + s * s + w * w + e * e) / (here * here);
  float laplace = (n + s + w + e) / here;
  float numerator = 0.5f * gradient - 1.0f / 16.0f * (laplace * laplace);
  float denominator = 1.0f + 0.25f * laplace;
  float q = numerator / (denominator * denominator);
  float c = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));
  north[i] = n;
  south[i] = s;
  west[i] = w;
  east[i] = e;
  coefficient[i] = fminf(fmaxf(c, 0.0f), 1.0f);
}

// The divergence, added to the image.
extern "C" __global__ void srad_update(int rows, int count, const int *south_row, const int *east_column,
                                       const float *north, const float *south, const float *west,
                                       const float *east, const float *coefficient, float *image,
                                       float lambda) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int row = i % rows, column = i / rows;
  float c = coefficient[i];
  float cs = coefficient[south_row[row] + rows * column];
  float ce = coefficient[row + rows * east_column[column]];
  float divergence = c * north[i] + cs * south[i] + c * west[i] + ce * east[i];
  image[i] = image[i] + 0.25f * lambda * divergence;
}

// Compresses the picture again.
extern "C" __global__ void srad_compress(float *image, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) image[i] = logf(image[i]) * 255.0f;
}
