// Needleman-Wunsch alignment: the score matrix is filled in place by tiles of 16 x 16, one diagonal of tiles a
// launch; within a tile, one diagonal of cells after the other in shared memory.

enum { B = 16 };

struct tile {
  int cells[B + 1][B + 1], match[B][B];
};

// One cell from its three neighbours up and left of it.
static __device__ void fill_cell(tile &t, int y, int x, int penalty) {
  int diagonal = t.cells[y - 1][x - 1] + t.match[y - 1][x - 1];
  t.cells[y][x] = max(max(diagonal, t.cells[y][x - 1] - penalty), t.cells[y - 1][x] - penalty);
}

static __device__ void fetch_match(tile &t, const int *reference, int corner, int columns) {
#pragma unroll
  for (int i = 0; i < B; i++) t.match[i][threadIdx.x] = reference[corner + columns * (i + 1) + threadIdx.x + 1];
}

// The rims, then all diagonals of cells: first those that grow, then those that shrink. The counts are constants, and the
// loops are unrolled.
static __device__ void fill_tile(tile &t, int *score, int corner, int columns, int penalty) {
  int me = threadIdx.x;
  t.cells[me + 1][0] = score[corner + columns + columns * me];
  __syncthreads();
  t.cells[0][me + 1] = score[corner + me + 1];
  __syncthreads();
#pragma unroll
  for (int d = 0; d < B; d++) {
    if (me <= d) fill_cell(t, d - me + 1, me + 1, penalty);
    __syncthreads();
  }
#pragma unroll
  for (int d = B - 2; d >= 0; d--) {
    if (me <= d) fill_cell(t, B - me, me + B - d, penalty);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < B; i++) score[corner + columns * (i + 1) + me + 1] = t.cells[i + 1][me + 1];
}

// Diagonals of tiles that grow, up to the long one.
extern "C" __global__ void nw_upper(int *reference, int *score, int columns, int penalty, int diagonal) {
  __shared__ tile t;
  int corner = columns * B * (diagonal - 1 - blockIdx.x) + B * blockIdx.x;
  if (threadIdx.x == 0) t.cells[0][0] = score[corner];
  fetch_match(t, reference, corner, columns);
  __syncthreads();
  fill_tile(t, score, corner, columns, penalty);
}

// Diagonals of tiles that shrink again.
extern "C" __global__ void nw_lower(int *reference, int *score, int columns, int penalty, int diagonal, int width) {
  __shared__ tile t;
  int corner = columns * B * (width - 1 - blockIdx.x) + B * (blockIdx.x + width - diagonal);
  fetch_match(t, reference, corner, columns);
  __syncthreads();
  if (threadIdx.x == 0) t.cells[0][0] = score[corner];
  fill_tile(t, score, corner, columns, penalty);
}
