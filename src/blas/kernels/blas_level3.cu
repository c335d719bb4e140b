// What of level 3 is no product of tiles: triangular matrices in place (trmm, trsm), geam, dgmm, packed
// triangles.
#include "blas_device.h"

enum { EDGE = 32, THREADS = 256, PER_THREAD = EDGE * EDGE / THREADS };

// B is n x m; a CTA has a strip of EDGE of its columns and goes through its rows, EDGE at a time, in the
// order in which a triangular A lets it: what a block of rows needs of the others is unchanged yet (product)
// or solved already.
template <class T> struct strip {
  T (*a)[EDGE + 1], (*x)[EDGE + 1];
  const blas_strip_params &p;
  const T *at_a;
  T *at_b;
  int64_t column;
  bool rows_first; // rows of B are neighbours in memory

  __device__ __forceinline__ int row_of(int e) const { return rows_first ? e % EDGE : e / EDGE; }
  __device__ __forceinline__ int column_of(int e) const { return rows_first ? e / EDGE : e % EDGE; }
  __device__ __forceinline__ T *b(int64_t i, int c) const {
    return at_b + (rows_first ? i + (column + c) * p.b.ld : i * p.b.ld + column + c);
  }
  __device__ __forceinline__ void load_a(int64_t i0, int64_t j0) const {
    bool along = !p.a.transposed;
#pragma unroll 1
    for (int e = threadIdx.x; e < EDGE * EDGE; e += THREADS) {
      int r = along ? e % EDGE : e / EDGE, c = along ? e / EDGE : e % EDGE;
      a[r][c] = i0 + r < p.n && j0 + c < p.n ? element(p.a, at_a, i0 + r, j0 + c) : make<T>(0, 0);
    }
  }
  __device__ __forceinline__ void load_x(int64_t i0) const {
#pragma unroll 1
    for (int e = threadIdx.x; e < EDGE * EDGE; e += THREADS) {
      int r = row_of(e), c = column_of(e);
      x[r][c] = i0 + r < p.n && column + c < p.m ? *b(i0 + r, c) : make<T>(0, 0);
    }
  }
  // Thread t has the sums of column t / 8, rows t % 8 + 8 q.
  __device__ __forceinline__ void add(T *sum) const {
    int c = threadIdx.x / 8, r = threadIdx.x % 8;
#pragma unroll 2
    for (int k = 0; k < EDGE; k++)
      for (int q = 0; q < PER_THREAD; q++) multiply_add(sum[q], a[r + 8 * q][k], x[k][c]);
  }
  // x := the solution of a x = x. The eight threads of a column are in one warp.
  __device__ __forceinline__ void solve(bool lower, bool unit, int rows) const {
    int c = threadIdx.x / 8, r = threadIdx.x % 8;
#pragma unroll 1
    for (int s = 0; s < rows; s++) {
      int k = lower ? s : rows - 1 - s;
      if (!unit && r == 0) x[k][c] = x[k][c] / a[k][k];
      __syncwarp();
      T v = x[k][c];
#pragma unroll 1
      for (int i = r; i < rows; i += 8)
        if (lower ? i > k : i < k) x[i][c] = x[i][c] - a[i][k] * v;
      __syncwarp();
    }
  }
  __device__ __forceinline__ void store(int64_t i0) const {
#pragma unroll 1
    for (int e = threadIdx.x; e < EDGE * EDGE; e += THREADS) {
      int r = row_of(e), c = column_of(e);
      if (i0 + r < p.n && column + c < p.m) *b(i0 + r, c) = x[r][c];
    }
  }
  // One block of rows: the others' part, then the diagonal block's.
  __device__ __forceinline__ void block(int64_t at, int64_t blocks, bool lower, T alpha) const {
    T sum[PER_THREAD] = {};
    for (int64_t d = lower ? 0 : at + 1; d < (lower ? at : blocks); d++) {
      load_a(at * EDGE, d * EDGE);
      load_x(d * EDGE);
      __syncthreads();
      add(sum);
      __syncthreads();
    }
    load_a(at * EDGE, at * EDGE);
    load_x(at * EDGE);
    __syncthreads();
    if (!p.solve) add(sum);
    __syncthreads();
    int c = threadIdx.x / 8, r = threadIdx.x % 8;
    for (int q = 0; q < PER_THREAD; q++)
      x[r + 8 * q][c] = p.solve ? alpha * x[r + 8 * q][c] - sum[q] : alpha * sum[q];
    __syncthreads();
    int64_t rows = p.n - at * EDGE;
    if (p.solve) solve(lower, p.a.unit, rows < EDGE ? (int)rows : EDGE);
    __syncthreads();
    store(at * EDGE);
    __syncthreads();
  }
  __device__ __forceinline__ void zero() const {
    for (int64_t e = threadIdx.x; e < p.n * EDGE; e += THREADS) {
      int64_t i = rows_first ? e % p.n : e / EDGE;
      int c = (int)(rows_first ? e / p.n : e % EDGE);
      if (column + c < p.m) *b(i, c) = make<T>(0, 0);
    }
  }
};

template <class T> DEV void triangular(const blas_strip_params &p) {
  __shared__ T a[EDGE][EDGE + 1], x[EDGE][EDGE + 1];
  T alpha = scalar<T>(p.alpha);
  bool lower = (p.a.upper != 0) == (p.a.transposed != 0);
  int64_t blocks = (p.n + EDGE - 1) / EDGE;
  for (int64_t batch = blockIdx.y; batch < p.batch; batch += gridDim.y) {
    strip<T> s = {a,
                  x,
                  p,
                  is_zero(alpha) ? 0 : base_of<const T>(p.a, batch),
                  base_of<T>(p.b, batch),
                  (int64_t)blockIdx.x * EDGE,
                  !p.b.transposed};
    if (is_zero(alpha)) {
      s.zero();
      continue;
    }
    bool ascending = lower == (p.solve != 0);
    for (int64_t step = 0; step < blocks; step++)
      s.block(ascending ? step : blocks - 1 - step, blocks, lower, alpha);
  }
}

template <class T> DEV void geam(const blas_elements_params &p) {
  T alpha = scalar<T>(p.alpha), beta = scalar<T>(p.beta);
  each_element(p.m, p.n, [&](int64_t i, int64_t j) {
    T v = make<T>(0, 0);
    if (!is_zero(alpha)) v = alpha * element(p.a, (const T *)p.a.at, i, j);
    if (!is_zero(beta)) v = v + beta * element(p.b, (const T *)p.b.at, i, j);
    ((T *)p.c.at)[i + j * p.c.ld] = v;
  });
}

template <class T> DEV void dgmm(const blas_elements_params &p) {
  const T *x = base_of<const T>(p.x, 0, p.left ? p.m : p.n);
  each_element(p.m, p.n, [&](int64_t i, int64_t j) {
    ((T *)p.c.at)[i + j * p.c.ld] = ((const T *)p.a.at)[i + j * p.a.ld] * x[(p.left ? i : j) * p.x.inc];
  });
}

// A triangle from one storage into another.
template <class T> DEV void triangle(const blas_elements_params &p) {
  each_element(p.m, p.n, [&](int64_t i, int64_t j) {
    if (p.a.upper ? i <= j : i >= j)
      ((T *)p.c.at)[offset_of(p.c, i, j)] = ((const T *)p.a.at)[offset_of(p.a, i, j)];
  });
}

#define LEVEL3(letter, T)                                                                                    \
  extern "C" __global__ void __launch_bounds__(THREADS)                                                      \
      strip_##letter(const __grid_constant__ blas_strip_params p) {                                          \
    triangular<T>(p);                                                                                        \
  }                                                                                                          \
  extern "C" __global__ void __launch_bounds__(256)                                                          \
      geam_##letter(const __grid_constant__ blas_elements_params p) {                                        \
    geam<T>(p);                                                                                              \
  }                                                                                                          \
  extern "C" __global__ void __launch_bounds__(256)                                                          \
      dgmm_##letter(const __grid_constant__ blas_elements_params p) {                                        \
    dgmm<T>(p);                                                                                              \
  }                                                                                                          \
  extern "C" __global__ void __launch_bounds__(256)                                                          \
      triangle_##letter(const __grid_constant__ blas_elements_params p) {                                    \
    triangle<T>(p);                                                                                          \
  }
FOUR_TYPES(LEVEL3)
