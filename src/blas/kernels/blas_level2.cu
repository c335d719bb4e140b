// Level 2: matrices of every shape and storage (blas_params.h) times a vector, triangular ones in place, and
// updates of rank 1 and 2.
#include "blas_device.h"

enum { ROWS = 32, WARPS = 8 };

// The columns [lo, hi) of a row, every step-th of them, times x.
template <class T, class IN>
DEV T row_sum(const blas_matrix &a, const IN *at, const IN *x, int64_t inc, int64_t i, int64_t lo, int64_t hi,
              int step) {
  typedef convert<T> to;
  T sum = make<T>(0, 0);
  if (sizeof(IN) != sizeof(T) || (a.shape == BLAS_GENERAL && a.storage == BLAS_FULL)) {
    const IN *e = at + (a.transposed ? lo + i * a.ld : i + lo * a.ld);
    int64_t by = a.transposed ? step : step * a.ld;
    for (int64_t j = lo; j < hi; j += step, e += by)
      multiply_add(sum, a.conjugate ? conjugate(to::from(*e)) : to::from(*e), to::from(x[j * inc]));
    return sum;
  }
  if constexpr (sizeof(IN) == sizeof(T))
#pragma unroll 1
    for (int64_t j = lo; j < hi; j += step) multiply_add(sum, element(a, at, i, j), x[j * inc]);
  return sum;
}

// For ROWS rows from i0 on the sums of element (i, j) x_j, j in [lo, hi), as s[row]. Where a column's
// elements are neighbours in memory a lane has a row and the warps share the columns; else a warp has a row
// and the lanes share them.
template <class T, class IN>
DEV void row_sums(T (*part)[ROWS], T *s, const blas_matrix &a, const IN *at, const IN *x, int64_t inc,
                  int64_t i0, int64_t m, int64_t lo, int64_t hi) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  bool by_row = !a.transposed;
#pragma unroll 1
  for (int r = by_row ? lane : warp; r < ROWS; r += by_row ? ROWS : WARPS) {
    T sum = make<T>(0, 0);
    if (i0 + r < m)
      sum = row_sum<T>(a, at, x, inc, i0 + r, lo + (by_row ? warp : lane), hi, by_row ? WARPS : 32);
    if (by_row)
      part[warp][lane] = sum;
    else {
      sum = warp_sum(sum);
      if (lane == 0) s[r] = sum;
    }
  }
  __syncthreads();
  if (by_row && warp == 0) {
    T sum = part[0][lane];
    for (int w = 1; w < WARPS; w++) sum = sum + part[w][lane];
    s[lane] = sum;
  }
  __syncthreads();
}

// How far a band goes to the left and to the right of the diagonal in op(a).
DEV int64_t reach(const blas_matrix &a, bool left) {
  if (a.shape == BLAS_SYMMETRIC || a.shape == BLAS_HERMITIAN) return a.kl + a.ku;
  return left == (a.transposed != 0) ? a.ku : a.kl; // kl is below the diagonal, so to its left
}
DEV int64_t band_begin(const blas_matrix &a, int64_t i0) {
  int64_t lo = a.storage == BLAS_BAND ? i0 - reach(a, true) : 0;
  return lo > 0 ? lo : 0;
}
DEV int64_t band_end(const blas_matrix &a, int64_t i0, int64_t n) {
  int64_t hi = a.storage == BLAS_BAND ? i0 + ROWS + reach(a, false) : n;
  return hi < n ? hi : n;
}

// IN is what A and x are, OUT what y is, T what is computed with; where they differ, A is general and full.
template <class T, class IN = T, class OUT = T> DEV void matrix_vector(const blas_mv_params &p) {
  __shared__ T part[WARPS][ROWS], s[ROWS];
  T alpha = scalar<T>(p.alpha), beta = scalar<T>(p.beta);
  int64_t i0 = (int64_t)blockIdx.x * ROWS, i = i0 + threadIdx.x;
  for (int64_t batch = blockIdx.y; batch < p.batch; batch += gridDim.y) {
    T v = make<T>(0, 0);
    OUT *y = base_of<OUT>(p.y, batch, p.m);
    if (!is_zero(alpha)) {
      row_sums(part, s, p.a, base_of<const IN>(p.a, batch), base_of<const IN>(p.x, batch, p.n), p.x.inc, i0,
               p.m, band_begin(p.a, i0), band_end(p.a, i0, p.n));
      if (threadIdx.x < ROWS) v = alpha * s[threadIdx.x];
    }
    if (threadIdx.x < ROWS && i < p.m) {
      OUT *to = y + i * p.y.inc;
      *to = convert<OUT>::from(is_zero(beta) ? v : v + beta * convert<T>::from(*to));
    }
    __syncthreads();
  }
}

// The diagonal block, by one warp: lane r has row r; `sum` is what the other columns gave.
template <class T>
DEV T diagonal_block(const blas_mv_params &p, const T *a, int64_t i0, int rows, bool lower, T sum, T x) {
  int lane = threadIdx.x % 32;
  T v = p.solve ? x - sum : sum;
#pragma unroll 1
  for (int s = 0; s < rows; s++) {
    int k = lower ? s : rows - 1 - s;
    T e = lane < rows ? element(p.a, a, i0 + lane, i0 + k) : make<T>(0, 0);
    if (!p.solve)
      multiply_add(v, e, shuffle(x, k));
    else {
      if (lane == k && !p.a.unit) v = v / e;
      T solved = shuffle(v, k);
      if (lower ? lane > k : lane < k) v = v - e * solved;
    }
  }
  return v;
}

// x = A x or A x = b in place: one CTA goes through the rows in the order that the triangle gives.
template <class T> DEV void triangular_vector(const blas_mv_params &p) {
  __shared__ T part[WARPS][ROWS], s[ROWS];
  const T *a = (const T *)p.a.at;
  T *x = base_of<T>(p.x, 0, p.n);
  bool lower = (p.a.upper != 0) == (p.a.transposed != 0), ascending = lower == (p.solve != 0);
  int64_t blocks = (p.n + ROWS - 1) / ROWS;
  for (int64_t step = 0; step < blocks; step++) {
    int64_t i0 = (ascending ? step : blocks - 1 - step) * ROWS, left = p.n - i0;
    int rows = left < ROWS ? (int)left : ROWS;
    int64_t lo = lower ? band_begin(p.a, i0) : i0 + ROWS, hi = lower ? i0 : band_end(p.a, i0, p.n);
    row_sums(part, s, p.a, a, x, p.x.inc, i0, p.n, lo, hi);
    if (threadIdx.x < 32) {
      T mine = threadIdx.x < rows ? x[(i0 + threadIdx.x) * p.x.inc] : make<T>(0, 0);
      T v = diagonal_block(p, a, i0, rows, lower, s[threadIdx.x], mine);
      if (threadIdx.x < rows) x[(i0 + threadIdx.x) * p.x.inc] = v;
    }
    __syncthreads();
  }
}

template <class T> DEV void rank_update(const blas_rank_params &p) {
  T alpha = scalar<T>(p.alpha), *a = (T *)p.a.at;
  if (is_zero(alpha)) return;
  const T *x = base_of<const T>(p.x, 0, p.m), *y = base_of<const T>(p.y, 0, p.n);
  T other = p.conjugate ? conjugate(alpha) : alpha;
  each_element(p.m, p.n, [&](int64_t i, int64_t j) {
    if (p.a.shape != BLAS_GENERAL && (p.a.upper ? i > j : i < j)) return;
    T yj = y[j * p.y.inc], v = alpha * x[i * p.x.inc] * (p.conjugate ? conjugate(yj) : yj);
    if (p.two) {
      T xj = x[j * p.x.inc];
      v = v + other * y[i * p.y.inc] * (p.conjugate ? conjugate(xj) : xj);
    }
    T *at = a + offset_of(p.a, i, j);
    v = *at + v;
    *at = p.a.shape == BLAS_HERMITIAN && i == j ? real_part(v) : v;
  });
}

#define LEVEL2(letter, T)                                                                                    \
  extern "C" __global__ void __launch_bounds__(256) mv_##letter(const __grid_constant__ blas_mv_params p) {  \
    matrix_vector<T>(p);                                                                                     \
  }                                                                                                          \
  extern "C" __global__ void __launch_bounds__(256) tri_##letter(const __grid_constant__ blas_mv_params p) { \
    triangular_vector<T>(p);                                                                                 \
  }                                                                                                          \
  extern "C" __global__ void __launch_bounds__(256)                                                          \
      rank_##letter(const __grid_constant__ blas_rank_params p) {                                            \
    rank_update<T>(p);                                                                                       \
  }
FOUR_TYPES(LEVEL2)
#define MIXED(letters, IN, OUT)                                                                              \
  extern "C" __global__ void __launch_bounds__(256) mv_##letters(const __grid_constant__ blas_mv_params p) { \
    matrix_vector<float, IN, OUT>(p);                                                                        \
  }
MIXED(hh, __half, __half)
MIXED(hs, __half, float)
MIXED(bb, __nv_bfloat16, __nv_bfloat16)
MIXED(bs, __nv_bfloat16, float)
