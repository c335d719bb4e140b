// Speckle-reducing anisotropic diffusion with tiles in shared memory: a step is two kernels, one for the
// diffusion coefficient of each pixel and one that applies the divergence. A block is 16 x 16 pixels of a
// row-major image. Every thread fetches the rims of its tile in its own row and column, of which the tile uses those of its
// border; at the border of the image a rim is fetched again from the image's own edge. So the image and the coefficients have
// a row in front of them and one behind.

enum { TILE = 16 };

typedef float tile[TILE][TILE];

// The pixel's four differences and its diffusion coefficient.
extern "C" __global__ void srad_coefficient(float *east, float *west, float *north, float *south, float *image,
                                            float *coefficient, int columns, int rows, float q0) {
  __shared__ tile centre, result, above, below, right, left;
  int tx = threadIdx.x, ty = threadIdx.y;
  int corner = columns * TILE * blockIdx.y + TILE * blockIdx.x, index = corner + columns * ty + tx;

  above[ty][tx] = image[corner - columns + tx];
  below[ty][tx] = image[corner + columns * TILE + tx];
  if (blockIdx.y == 0)
    above[ty][tx] = image[TILE * blockIdx.x + tx];
  else if (blockIdx.y == gridDim.y - 1)
    below[ty][tx] = image[columns * TILE * (gridDim.y - 1) + TILE * blockIdx.x + columns * (TILE - 1) + tx];
  __syncthreads();
  left[ty][tx] = image[corner + columns * ty - 1];
  right[ty][tx] = image[corner + columns * ty + TILE];
  if (blockIdx.x == 0)
    left[ty][tx] = image[columns * TILE * blockIdx.y + columns * ty];
  else if (blockIdx.x == gridDim.x - 1)
    right[ty][tx] = image[columns * TILE * blockIdx.y + TILE * (gridDim.x - 1) + columns * ty + TILE - 1];
  __syncthreads();
  centre[ty][tx] = image[index];
  __syncthreads();

  float here = centre[ty][tx], n, s, w, e;
  bool top = ty == 0, bottom = ty == TILE - 1, first = tx == 0, last = tx == TILE - 1;
  if (top && first) {
    n = above[ty][tx] - here, s = centre[ty + 1][tx] - here, w = left[ty][tx] - here, e = centre[ty][tx + 1] - here;
  } else if (top && last) {
    n = above[ty][tx] - here, s = centre[ty + 1][tx] - here, w = centre[ty][tx - 1] - here, e = right[ty][tx] - here;
  } else if (bottom && last) {
    n = centre[ty - 1][tx] - here, s = below[ty][tx] - here, w = centre[ty][tx - 1] - here, e = right[ty][tx] - here;
  } else if (bottom && first) {
    n = centre[ty - 1][tx] - here, s = below[ty][tx] - here, w = left[ty][tx] - here, e = centre[ty][tx + 1] - here;
  } else if (top) {
    n = above[ty][tx] - here, s = centre[ty + 1][tx] - here, w = centre[ty][tx - 1] - here, e = centre[ty][tx + 1] - here;
  } else if (last) {
    n = centre[ty - 1][tx] - here, s = centre[ty + 1][tx] - here, w = centre[ty][tx - 1] - here, e = right[ty][tx] - here;
  } else if (bottom) {
    n = centre[ty - 1][tx] - here, s = below[ty][tx] - here, w = centre[ty][tx - 1] - here, e = centre[ty][tx + 1] - here;
  } else if (first) {
    n = centre[ty - 1][tx] - here, s = centre[ty + 1][tx] - here, w = left[ty][tx] - here, e = centre[ty][tx + 1] - here;
  } else {
    n = centre[ty - 1][tx] - here, s = centre[ty + 1][tx] - here;
    w = centre[ty][tx - 1] - here, e = centre[ty][tx + 1] - here;
  }
  float gradient = (n * n + s * s + w * w + e * e) / (here * here), laplace = (n + s + w + e) / here;
  float numerator = 0.5 * gradient - 1.0 / 16.0 * (laplace * laplace), denominator = 1 + 0.25 * laplace;
  float q = numerator / (denominator * denominator), excess = (q - q0) / (q0 * (1 + q0));
  float c = 1.0 / (1.0 + excess);
  if (c < 0)
    result[ty][tx] = 0;
  else if (c > 1)
    result[ty][tx] = 1;
  else
    result[ty][tx] = c;
  __syncthreads();
  coefficient[index] = result[ty][tx];
  east[index] = e;
  west[index] = w;
  south[index] = s;
  north[index] = n;
}

// The divergence of coefficient times gradient, added to the image.
extern "C" __global__ void srad_update(float *east, float *west, float *north, float *south, float *image,
                                       float *coefficient, int columns, int rows, float lambda) {
  __shared__ tile below, right, centre, result, pixels;
  int tx = threadIdx.x, ty = threadIdx.y;
  int corner = columns * TILE * blockIdx.y + TILE * blockIdx.x, index = corner + columns * ty + tx;

  pixels[ty][tx] = image[index];
  __syncthreads();
  below[ty][tx] = coefficient[corner + columns * TILE + tx];
  if (blockIdx.y == gridDim.y - 1)
    below[ty][tx] = coefficient[columns * TILE * (gridDim.y - 1) + TILE * blockIdx.x + columns * (TILE - 1) + tx];
  __syncthreads();
  right[ty][tx] = coefficient[corner + columns * ty + TILE];
  if (blockIdx.x == gridDim.x - 1)
    right[ty][tx] = coefficient[columns * TILE * blockIdx.y + TILE * (gridDim.x - 1) + columns * ty + TILE - 1];
  __syncthreads();
  centre[ty][tx] = coefficient[index];
  __syncthreads();

  float here = centre[ty][tx], south_of, east_of;
  if (ty == TILE - 1 && tx == TILE - 1) {
    south_of = below[ty][tx], east_of = right[ty][tx];
  } else if (tx == TILE - 1) {
    south_of = centre[ty + 1][tx], east_of = right[ty][tx];
  } else if (ty == TILE - 1) {
    south_of = below[ty][tx], east_of = centre[ty][tx + 1];
  } else {
    south_of = centre[ty + 1][tx], east_of = centre[ty][tx + 1];
  }
  float divergence = here * north[index] + south_of * south[index] + here * west[index] + east_of * east[index];
  result[ty][tx] = pixels[ty][tx] + 0.25 * lambda * divergence;
  __syncthreads();
  image[index] = result[ty][tx];
}
