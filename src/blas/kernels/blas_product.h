// Products of matrices. One CTA computes a tile of C: tiles of op(A) and op(B) go through shared memory, and
// a thread keeps TM x TN sums. All of level 3 that is a product is this kernel: symmetric, Hermitian and
// triangular operands by their elements (VIEWED), results of which one triangle is wanted by leaving out the
// rest.
#ifndef BLAS_PRODUCT_H
#define BLAS_PRODUCT_H

#include "blas_device.h"

template <int BM, int BN, int BK, int TM, int TN> struct tile {
  enum { M = BM, N = BN, K = BK, PER_M = TM, PER_N = TN, THREADS = BM / TM * (BN / TN), PAD = 4 };
};

// Brings tiles of op(A) to shared memory as s[k][d]: D rows of it along the product's side, TILE::K along k.
// Neighbouring threads read neighbours in memory. What is fetched waits in registers while the tile before it
// is worked on.
template <class TILE, int D, class IN, class ACC> struct feeder {
  enum { N = D * TILE::K / TILE::THREADS };
  const IN *at;
  int64_t step, next, rows_left, k_left;
  int d, k, by_d, by_k;
  bool conj;
  IN held[N];

  __device__ __forceinline__ feeder(const blas_matrix &a, const IN *base, bool left, int64_t d0, int64_t nd,
                                    int64_t nk) {
    bool along_k = a.transposed == (left ? 1 : 0);
    int64_t per_d = along_k ? a.ld : 1, per_k = along_k ? 1 : a.ld;
    int t = threadIdx.x;
    d = along_k ? t / TILE::K : t % D;
    k = along_k ? t % TILE::K : t / D;
    by_d = along_k ? TILE::THREADS / TILE::K : 0;
    by_k = along_k ? 0 : TILE::THREADS / D;
    at = base + (d0 + d) * per_d + k * per_k;
    step = by_d * per_d + by_k * per_k;
    next = TILE::K * per_k;
    rows_left = nd - d0 - d;
    k_left = nk - k;
    conj = a.conjugate;
  }
  __device__ __forceinline__ void fetch() {
#pragma unroll
    for (int q = 0; q < N; q++) held[q] = q * by_d < rows_left && q * by_k < k_left ? at[q * step] : IN{};
    at += next;
    k_left -= TILE::K;
  }
  __device__ __forceinline__ void put(ACC (*s)[D + TILE::PAD]) const {
#pragma unroll
    for (int q = 0; q < N; q++) {
      ACC v = convert<ACC>::from(held[q]);
      s[k + q * by_k][d + q * by_d] = conj ? conjugate(v) : v;
    }
  }
};

// The same of a matrix of any shape, element by element, when it is needed.
template <class TILE, int D, class IN, class ACC> struct viewer {
  const blas_matrix &a;
  const IN *at;
  bool left, along_k;
  int64_t d0, nd, nk, k0;

  __device__ __forceinline__ viewer(const blas_matrix &m, const IN *base, bool is_left, int64_t first,
                                    int64_t rows, int64_t n)
      : a(m), at(base), left(is_left), along_k(m.transposed == (is_left ? 1 : 0)), d0(first), nd(rows), nk(n),
        k0(-TILE::K) {}
  __device__ __forceinline__ void fetch() { k0 += TILE::K; }
  __device__ __forceinline__ void put(ACC (*s)[D + TILE::PAD]) const {
#pragma unroll 1
    for (int e = threadIdx.x; e < D * TILE::K; e += TILE::THREADS) {
      int d = along_k ? e / TILE::K : e % D, k = along_k ? e % TILE::K : e / D;
      int64_t i = left ? d0 + d : k0 + k, j = left ? k0 + k : d0 + d;
      s[k][d] = d0 + d < nd && k0 + k < nk ? element(a, at, i, j) : make<ACC>(0, 0);
    }
  }
};

template <bool VIEWED, class TILE, int D, class IN, class ACC> struct source {
  typedef feeder<TILE, D, IN, ACC> type;
};
template <class TILE, int D, class IN, class ACC> struct source<true, TILE, D, IN, ACC> {
  typedef viewer<TILE, D, IN, ACC> type;
};

// beta == 0: C is not read.
template <class OUT, class ACC>
DEV void finish(const blas_gemm_params &p, OUT *c, int64_t i, int64_t j, ACC sum, ACC alpha, ACC beta) {
  bool wanted = i < p.m && j < p.n && (p.triangle == 0 || (p.triangle == 1 ? i >= j : i <= j));
  if (!wanted) return;
  bool real = p.real_diagonal && i == j;
  ACC v = alpha * sum;
  if (!is_zero(beta)) {
    ACC old = convert<ACC>::from(c[i + j * p.c.ld]);
    v = v + beta * (real ? real_part(old) : old);
  }
  c[i + j * p.c.ld] = convert<OUT>::from(real ? real_part(v) : v);
}

template <class IN, class ACC, class OUT, class TILE, bool VIEWED>
DEV void product(const blas_gemm_params &p) {
  __shared__ __align__(16) ACC sa[TILE::K][TILE::M + TILE::PAD];
  __shared__ __align__(16) ACC sb[TILE::K][TILE::N + TILE::PAD];
  int64_t tiles_m = (p.m + TILE::M - 1) / TILE::M;
  int64_t i0 = blockIdx.x % tiles_m * TILE::M, j0 = blockIdx.x / tiles_m * TILE::N;
  if (p.triangle == 1 && i0 + TILE::M <= j0) return;
  if (p.triangle == 2 && j0 + TILE::N <= i0) return;
  int ti = threadIdx.x % (TILE::M / TILE::PER_M) * TILE::PER_M,
      tj = threadIdx.x / (TILE::M / TILE::PER_M) * TILE::PER_N;
  ACC alpha = scalar<ACC>(p.alpha), beta = scalar<ACC>(p.beta);
  int64_t nk = is_zero(alpha) ? 0 : p.k;
  if (p.real_diagonal && !nk && is_zero(beta - make<ACC>(1, 0)))
    return; // nothing to do: not even to the diagonal
  for (int64_t batch = blockIdx.y; batch < p.batch; batch += gridDim.y) {
    const IN *a = nk ? base_of<const IN>(p.a, batch) : 0, *b = nk ? base_of<const IN>(p.b, batch) : 0;
    OUT *c = base_of<OUT>(p.c, batch);
    ACC sum[TILE::PER_M][TILE::PER_N] = {};
    typename source<VIEWED, TILE, TILE::M, IN, ACC>::type left(p.a, a, true, i0, p.m, nk);
    typename source<VIEWED, TILE, TILE::N, IN, ACC>::type right(p.b, b, false, j0, p.n, nk);
    left.fetch();
    right.fetch();
    for (int64_t k0 = 0; k0 < nk; k0 += TILE::K) {
      left.put(sa);
      right.put(sb);
      __syncthreads();
      left.fetch();
      right.fetch();
#pragma unroll(TILE::PER_M *TILE::PER_N * sizeof(ACC) > 128 ? 2 : 4)
      for (int k = 0; k < TILE::K; k++)
#pragma unroll
        for (int r = 0; r < TILE::PER_M; r++)
#pragma unroll
          for (int q = 0; q < TILE::PER_N; q++) multiply_add(sum[r][q], sa[k][ti + r], sb[k][tj + q]);
      __syncthreads();
    }
#pragma unroll
    for (int q = 0; q < TILE::PER_N; q++)
#pragma unroll
      for (int r = 0; r < TILE::PER_M; r++) finish(p, c, i0 + ti + r, j0 + tj + q, sum[r][q], alpha, beta);
  }
}

typedef tile<128, 128, 8, 8, 8> large;
typedef tile<64, 64, 16, 4, 4> middle;
typedef tile<16, 16, 16, 2, 2> small;

#define PRODUCT(name, IN, ACC, OUT, TILE, VIEWED)                                                            \
  extern "C" __global__ void __launch_bounds__(TILE::THREADS)                                                \
      name(const __grid_constant__ blas_gemm_params p) {                                                     \
    product<IN, ACC, OUT, TILE, VIEWED>(p);                                                                  \
  }

#endif
