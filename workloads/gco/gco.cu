// Graph colouring by guessing: every node without a colour takes the lowest one that no neighbour has; two
// neighbours that took the same at the same time are found afterwards, and one of them tries again.

enum { NONE = -1, WINDOW = 64 };

extern "C" __global__ void gco_assign(const int *row, const int *col, int nodes, int *colour, int *fresh) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  fresh[node] = colour[node] == NONE;
  if (!fresh[node]) return;
  int first = row[node], last = row[node + 1];
#pragma unroll 1
  for (int base = 0;; base += WINDOW) {
    unsigned long long taken = 0;
#pragma unroll 1
    for (int e = first; e < last; e++) {
      int other = colour[col[e]] - base;
      if (other >= 0 && other < WINDOW) taken |= 1ull << other;
    }
    if (taken == ~0ull) continue;
    colour[node] = base + __ffsll((long long)~taken) - 1;
    return;
  }
}

// Of two neighbours with one colour, the one with the lower number gives way.
extern "C" __global__ void gco_resolve(const int *row, const int *col, const int *fresh, int nodes,
                                       int *colour, int *conflicts) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || !fresh[node]) return;
  int own = colour[node], last = row[node + 1];
#pragma unroll 1
  for (int e = row[node]; e < last; e++) {
    if (node < col[e] && colour[col[e]] == own) {
      colour[node] = NONE;
      *conflicts = 1;
      return;
    }
  }
}
