// Speckle-reducing anisotropic diffusion with tiles in shared memory: a step is two kernels, one for the
// diffusion coefficient of each pixel and one that applies the divergence. A block is 16 x 16 pixels of a
// row-major image.

enum { TILE = 16 };

// The pixel's four differences and its diffusion coefficient.
extern "C" __global__ void srad_coefficient(const float *image, float *north, float *south, float *west,
                                            float *east, float *coefficient, int columns, int rows,
                                            float q0) {
  __shared__ float centre[TILE][TILE], above[TILE][TILE], below[TILE][TILE], left[TILE][TILE],
      right[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int first_row = TILE * blockIdx.y, first_column = TILE * blockIdx.x;
  int index = columns * (first_row + ty) + first_column + tx;

  // Every thread reads the rims of its tile in its own row or column; the tile uses those of its border.
  int up = blockIdx.y == 0 ? first_column + tx : columns * (first_row - 1) + first_column + tx;
  int down = blockIdx.y == gridDim.y - 1 ? columns * (rows - 1) + first_column + tx
                                         : columns * (first_row + TILE) + first_column + tx;
  int before = columns * (first_row + ty) + (blockIdx.x == 0 ? 0 : first_column - 1);
  int after = columns * (first_row + ty) + (blockIdx.x == gridDim.x - 1 ? columns - 1 : first_column + TILE);
  above[ty][tx] = image[up];
  below[ty][tx] = image[down];
  left[ty][tx] = image[before];
  right[ty][tx] = image[after];
  centre[ty][tx] = image[index];
  __syncthreads();

  float here = centre[ty][tx];
  float n = (ty == 0 ? above[ty][tx] : centre[ty - 1][tx]) - here;
  float s = (ty == TILE - 1 ? below[ty][tx] : centre[ty + 1][tx]) - here;
  float w = (tx == 0 ? left[ty][tx] : centre[ty][tx - 1]) - here;
  float e = (tx == TILE - 1 ? right[ty][tx] : centre[ty][tx + 1]) - here;
  float gradient = (n * n + s * s + w * w + e * e) / (here * here);
  float laplace = (n + s + w + e) / here;
  float numerator = 0.5f * gradient - 1.0f / 16.0f * (laplace * laplace);
  float denominator = 1.0f + 0.25f * laplace;
  float q = numerator / (denominator * denominator);
  float c = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));

  coefficient[index] = fminf(fmaxf(c, 0.0f), 1.0f);
  north[index] = n;
  south[index] = s;
  west[index] = w;
  east[index] = e;
}

// The divergence of coefficient times gradient, added to the image.
extern "C" __global__ void srad_update(const float *north, const float *south, const float *west,
                                       const float *east, float *image, const float *coefficient, int columns,
                                       int rows, float lambda) {
  __shared__ float centre[TILE][TILE], below[TILE][TILE], right[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int first_row = TILE * blockIdx.y, first_column = TILE * blockIdx.x;
  int index = columns * (first_row + ty) + first_column + tx;
  int down = blockIdx.y == gridDim.y - 1 ? columns * (rows - 1) + first_column + tx
                                         : columns * (first_row + TILE) + first_column + tx;
  int after = columns * (first_row + ty) + (blockIdx.x == gridDim.x - 1 ? columns - 1 : first_column + TILE);
  below[ty][tx] = coefficient[down];
  right[ty][tx] = coefficient[after];
  centre[ty][tx] = coefficient[index];
  float here = image[index];
  __syncthreads();

  float c = centre[ty][tx];
  float cs = ty == TILE - 1 ? below[ty][tx] : centre[ty + 1][tx];
  float ce = tx == TILE - 1 ? right[ty][tx] : centre[ty][tx + 1];
  float divergence = c * north[index] + cs * south[index] + c * west[index] + ce * east[index];
  image[index] = here + 0.25f * lambda * divergence;
}
