// Needleman-Wunsch alignment: the score matrix is filled in tiles of 16 x 16, one diagonal of tiles a launch;
// within a tile, one diagonal of cells after the other in shared memory.

enum { B = 16 };

static __device__ void fill_tile(const int *reference, int *score, int columns, int penalty, int bx, int by) {
  __shared__ int cells[B + 1][B + 1], match[B][B];
  int t = threadIdx.x;
  int corner = columns * B * by + B * bx; // up and left of the tile
  if (t == 0) cells[0][0] = score[corner];
  for (int i = 0; i < B; i++) match[i][t] = reference[corner + columns * (i + 1) + t + 1];
  cells[t + 1][0] = score[corner + columns * (t + 1)];
  cells[0][t + 1] = score[corner + t + 1];
  __syncthreads();
  for (int d = 0; d < 2 * B - 1; d++) {
    int x = t + 1 + (d < B ? 0 : d - B + 1), y = d - (x - 1) + 1;
    if (t <= (d < B ? d : 2 * B - 2 - d)) {
      int diagonal = cells[y - 1][x - 1] + match[y - 1][x - 1];
      cells[y][x] = max(diagonal, max(cells[y][x - 1], cells[y - 1][x]) - penalty);
    }
    __syncthreads();
  }
  for (int i = 0; i < B; i++) score[corner + columns * (i + 1) + t + 1] = cells[i + 1][t + 1];
}

// Diagonals of tiles that grow, up to the long one.
extern "C" __global__ void nw_upper(const int *reference, int *score, int columns, int penalty,
                                    int diagonal) {
  fill_tile(reference, score, columns, penalty, blockIdx.x, diagonal - 1 - blockIdx.x);
}

// Diagonals of tiles that shrink again.
extern "C" __global__ void nw_lower(const int *reference, int *score, int columns, int penalty, int diagonal,
                                    int width) {
  fill_tile(reference, score, columns, penalty, blockIdx.x + width - diagonal, width - 1 - blockIdx.x);
}
