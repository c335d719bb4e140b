// Factorisations of small matrices in batches, a CTA each: LU with and without pivots, QR, inverses. What
// follows them, triangular systems, is blas_level3.cu's.
#include "blas_device.h"

enum { THREADS = 256, WARPS = THREADS / 32, MOST_INVERTED = 32 };

DEV float re_of(float a) { return a; }
DEV double re_of(double a) { return a; }
template <class R> DEV R re_of(complex_of<R> a) { return a.re; }
DEV float im_of(float) { return 0; }
DEV double im_of(double) { return 0; }
template <class R> DEV R im_of(complex_of<R> a) { return a.im; }

// The sum and the largest of what each thread has, known to all of them.
template <class R> DEV R block_sum(R v, R *s) {
  __syncthreads();
  v = warp_sum(v);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  R all = 0;
  for (int w = 0; w < WARPS; w++) all += s[w];
  return all;
}
template <class R> DEV R block_largest(R v, R *s) {
  __syncthreads();
  for (int by = 16; by; by >>= 1) v = fmax(v, shuffle_down(v, by));
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  R all = 0;
  for (int w = 0; w < WARPS; w++) all = fmax(all, s[w]);
  return all;
}

// The row of the largest element of column k from row k on; the first of equals.
template <class T, class R> DEV int pivot_row(const T *a, int64_t ld, int k, int n, R *s, int *row) {
  R mine = 0;
  for (int i = k + threadIdx.x; i < n; i += THREADS) mine = fmax(mine, magnitude(a[i + k * ld]));
  R most = block_largest(mine, s);
  if (threadIdx.x == 0) *row = n;
  __syncthreads();
  for (int i = k + threadIdx.x; i < n; i += THREADS)
    if (magnitude(a[i + k * ld]) == most) atomicMin(row, i);
  __syncthreads();
  return *row < n ? *row : k;
}

template <class T> DEV void getrf(const blas_factor_params &p) {
  typedef typename real_of<T>::type R;
  __shared__ R s[WARPS];
  __shared__ int row;
  int n = (int)p.n, info = 0;
  int64_t ld = p.a.ld;
  T *a = base_of<T>(p.a, blockIdx.x);
  for (int k = 0; k < n; k++) {
    int at = p.pivots ? pivot_row(a, ld, k, n, s, &row) : k;
    T pivot = a[at + k * ld];
    __syncthreads();
    if (threadIdx.x == 0 && p.pivots) p.pivots[blockIdx.x * p.n + k] = at + 1;
    if (is_zero(pivot) && !info) info = k + 1;
    for (int j = threadIdx.x; at != k && j < n; j += THREADS) {
      T v = a[k + j * ld];
      a[k + j * ld] = a[at + j * ld];
      a[at + j * ld] = v;
    }
    __syncthreads();
    for (int i = k + 1 + threadIdx.x; i < n; i += THREADS)
      if (!is_zero(pivot)) a[i + k * ld] = a[i + k * ld] / pivot;
    __syncthreads();
    int side = n - k - 1;
#pragma unroll 1
    for (int e = threadIdx.x; e < side * side; e += THREADS) {
      int i = k + 1 + e % side, j = k + 1 + e / side;
      a[i + j * ld] = a[i + j * ld] - a[i + k * ld] * a[k + j * ld];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) p.info[blockIdx.x] = info;
}

// The rows of C in the order of the pivots, or back.
template <class T> DEV void swap_rows(const blas_factor_params &p) {
  T *c = base_of<T>(p.c, blockIdx.x);
  const int *pivots = p.pivots + blockIdx.x * p.n;
  for (int64_t j = threadIdx.x; j < p.k; j += THREADS)
    for (int64_t s = 0; s < p.n; s++) {
      int64_t i = p.backward ? p.n - 1 - s : s, other = pivots[i] - 1;
      T v = c[i + j * p.c.ld];
      c[i + j * p.c.ld] = c[other + j * p.c.ld];
      c[other + j * p.c.ld] = v;
    }
}

// C = the permutation of an LU factorisation; info says where U is singular.
template <class T> DEV void permutation(const blas_factor_params &p) {
  T *c = base_of<T>(p.c, blockIdx.x);
  const T *a = base_of<const T>(p.a, blockIdx.x);
  const int *pivots = p.pivots ? p.pivots + blockIdx.x * p.n : 0;
  for (int64_t j = threadIdx.x; j < p.n; j += THREADS) {
    int64_t at = j;
    for (int64_t i = 0; pivots && i < p.n; i++) at = at == i ? pivots[i] - 1 : at == pivots[i] - 1 ? i : at;
    for (int64_t i = 0; i < p.n; i++) c[i + j * p.c.ld] = make<T>(i == at, 0);
  }
  if (threadIdx.x == 0) {
    int info = 0;
    for (int64_t i = p.n; i-- > 0;)
      if (is_zero(a[i + i * p.a.ld])) info = (int)i + 1;
    p.info[blockIdx.x] = info;
  }
}

// The inverse of a matrix of at most 32 rows: Gauss and Jordan, with pivots.
template <class T> DEV void matinv(const blas_factor_params &p) {
  __shared__ T w[MOST_INVERTED][2 * MOST_INVERTED + 1], column[MOST_INVERTED];
  __shared__ int row;
  int n = (int)p.n, info = 0;
  const T *a = base_of<const T>(p.a, blockIdx.x);
  T *c = base_of<T>(p.c, blockIdx.x);
  for (int e = threadIdx.x; e < 2 * n * n; e += THREADS) {
    int i = e % n, j = e / n;
    w[i][j] = j < n ? a[i + j * p.a.ld] : make<T>(j - n == i, 0);
  }
  __syncthreads();
  for (int k = 0; k < n; k++) {
    if (threadIdx.x == 0) {
      row = k;
      for (int i = k + 1; i < n; i++)
        if (magnitude(w[i][k]) > magnitude(w[row][k])) row = i;
    }
    __syncthreads();
    T pivot = w[row][k];
    if (is_zero(pivot) && !info) info = k + 1;
    __syncthreads();
    for (int j = threadIdx.x; j < 2 * n; j += THREADS) {
      T v = w[k][j];
      w[k][j] = w[row][j] / pivot;
      if (row != k) w[row][j] = v;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += THREADS) column[i] = w[i][k];
    __syncthreads();
    for (int e = threadIdx.x; e < 2 * n * n; e += THREADS) {
      int i = e % n, j = e / n;
      if (i != k) w[i][j] = w[i][j] - column[i] * w[k][j];
    }
    __syncthreads();
  }
  for (int e = threadIdx.x; e < n * n; e += THREADS) c[e % n + e / n * p.c.ld] = w[e % n][n + e / n];
  if (threadIdx.x == 0) p.info[blockIdx.x] = info;
}

// A column minus factor times v (v^H column); v is 1 in row k and in column k of A below it. By one warp.
template <class T> DEV void reflect(const T *v, T *column, int k, int m, T factor) {
  int lane = threadIdx.x % 32;
  T sum = lane == 0 ? column[k] : make<T>(0, 0);
  for (int i = k + 1 + lane; i < m; i += 32) multiply_add(sum, conjugate(v[i]), column[i]);
  sum = factor * shuffle(warp_sum(sum), 0);
  if (lane == 0) column[k] = column[k] - sum;
  for (int i = k + 1 + lane; i < m; i += 32) column[i] = column[i] - v[i] * sum;
}

// Householder's QR; what is in C is multiplied by Q^H. info, if wanted, says which element of R's diagonal is
// 0.
template <class T> DEV void geqrf(const blas_factor_params &p) {
  typedef typename real_of<T>::type R;
  __shared__ R s[WARPS];
  int m = (int)p.m, n = (int)p.n, warp = threadIdx.x / 32, info = 0;
  T *a = base_of<T>(p.a, blockIdx.x), *c = p.k ? base_of<T>(p.c, blockIdx.x) : 0;
  for (int k = 0; k < (m < n ? m : n); k++) {
    T *v = a + k * p.a.ld, alpha = v[k];
    R most = 0, sum = 0;
    for (int i = k + threadIdx.x; i < m; i += THREADS) most = fmax(most, magnitude(v[i]));
    most = block_largest(most, s);
    for (int i = k + 1 + threadIdx.x; i < m && most > 0; i += THREADS) {
      R x = re_of(v[i]) / most, y = im_of(v[i]) / most;
      sum += x * x + y * y;
    }
    sum = block_sum(sum, s);
    T tau = make<T>(0, 0);
    if (sum != 0 || im_of(alpha) != 0) {
      R x = re_of(alpha) / most, y = im_of(alpha) / most, beta = most * sqrt(x * x + y * y + sum);
      if (re_of(alpha) > 0) beta = -beta;
      tau = make<T>((beta - re_of(alpha)) / beta, -im_of(alpha) / beta);
      T by = alpha - make<T>(beta, 0);
      for (int i = k + 1 + threadIdx.x; i < m; i += THREADS) v[i] = v[i] / by;
      alpha = make<T>(beta, 0);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      v[k] = alpha;
      if (p.tau) ((T *)p.tau[blockIdx.x])[k] = tau;
    }
    if (is_zero(alpha) && !info) info = k + 1;
    for (int j = k + 1 + warp; j < n + p.k; j += WARPS)
      reflect(v, j < n ? a + j * p.a.ld : c + (j - n) * p.c.ld, k, m, conjugate(tau));
    __syncthreads();
  }
  if (threadIdx.x == 0 && p.info) p.info[blockIdx.x] = info;
}

#define FACTOR(name, T, ...)                                                                                 \
  extern "C" __global__ void __launch_bounds__(THREADS) name(const __grid_constant__ blas_factor_params p) { \
    __VA_ARGS__<T>(p);                                                                                       \
  }
#define FACTORS(letter, T)                                                                                   \
  FACTOR(getrf_##letter, T, getrf)                                                                           \
  FACTOR(swap_rows_##letter, T, swap_rows)                                                                   \
  FACTOR(permutation_##letter, T, permutation)                                                               \
  FACTOR(matinv_##letter, T, matinv)                                                                         \
  FACTOR(geqrf_##letter, T, geqrf)
FOUR_TYPES(FACTORS)
