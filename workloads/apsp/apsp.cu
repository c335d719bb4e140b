// All-pairs shortest paths by recursive halves: the quarters of the matrix are solved and multiplied in the algebra of minimum and
// sum. Matrices are column-major: element (row, column) of a matrix with n rows lies at column * n + row.
#include <float.h>

enum { SIDE = 16, ROWS = 64, COLUMNS = 16 };

// Floyd and Warshall within a block of `width` x `width` on the diagonal, a thread an element.
extern "C" __global__ void apsp_block(float *distance, int n, int start, int width) {
  int tx = threadIdx.x, ty = threadIdx.y;
  distance += start * n + start;
  float *own = distance + ty * n + tx, *to_via = distance + tx, *from_via = distance + ty * n;
  for (int via = 0; via < width; via++) {
    *own = fminf(to_via[via * n] + from_via[via], *own);
    __syncthreads();
  }
}

// C = A * B, or the lower of that and C: a thread an element, tiles of A and B in shared memory. The operands are parts of one
// matrix that start at the rows and columns given.
extern "C" __global__ void apsp_small(float *distance, int n, int width, int row_a, int column_a, int row_b, int column_b, int row_c,
                                      int column_c, bool add) {
  __shared__ float a[SIDE * SIDE], b[SIDE * SIDE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int from_a = column_a * n + row_a + SIDE * blockIdx.y, from_b = column_b * n + row_b + n * SIDE * blockIdx.x;
  int to = column_c * n + row_c + SIDE * blockIdx.y + n * SIDE * blockIdx.x + ty * n + tx;
  float lowest = FLT_MAX;
#pragma unroll 1
  for (int tile = 0; tile < width / SIDE; tile++) {
    a[tx * SIDE + ty] = distance[from_a + tile * SIDE * n + tx * n + ty];
    b[tx * SIDE + ty] = distance[from_b + tile * SIDE + tx * n + ty];
    __syncthreads();
    for (int k = 0; k < SIDE; k++) lowest = fminf(a[k * SIDE + tx] + b[ty * SIDE + k], lowest);
    __syncthreads();
  }
  distance[to] = add ? fminf(distance[to], lowest) : lowest;
}

// One column of A against a row of B's tile.
static __device__ void extend(float a, float *b, float *c) {
#pragma unroll
  for (int i = 0; i < COLUMNS; i++) c[i] = fminf(a + b[i], c[i]);
}

// The same for large parts: 64 threads make 64 rows of 16 columns, a row a thread, and four elements of A are always in flight.
// With `keep` 1 the result is the lower of C and the product, with FLT_MAX the product alone.
extern "C" __global__ void apsp_multiply(float *A, float *B, float *C, int n, int width, float keep) {
  __shared__ float b[SIDE][SIDE + 1];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.x * ROWS + ty * SIDE + tx;
  A += row;
  B += tx + (blockIdx.y * COLUMNS + ty) * n;
  C += row + blockIdx.y * COLUMNS * n;
  float c[COLUMNS];
#pragma unroll
  for (int i = 0; i < COLUMNS; i++) c[i] = FLT_MAX;
  float *end = B + width;
#pragma unroll 1
  do {
    float a[4] = {A[0], A[n], A[2 * n], A[3 * n]};
    b[tx][ty] = B[0];
    b[tx][ty + 4] = B[4 * n];
    b[tx][ty + 8] = B[8 * n];
    b[tx][ty + 12] = B[12 * n];
    __syncthreads();
    A += 4 * n;
#pragma unroll
    for (int step = 0; step < SIDE; step++) {
      extend(a[step & 3], b[step], c);
      if (step < SIDE - 4) {
        a[step & 3] = A[0];
        A += n;
      }
    }
    B += SIDE;
    __syncthreads();
  } while (B < end);
#pragma unroll
  for (int i = 0; i < COLUMNS; i++, C += n) C[0] = fminf(c[i], keep * C[0]);
}
