// Level 1: vectors. Sums and searches leave one part a CTA, which a second kernel puts together in a fixed
// order.
#include "blas_device.h"
#include "blas_rotate.h"

enum { THREADS = 256 };

template <class F> DEV void each_index(int64_t n, F f) {
#pragma unroll 1
  for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += (int64_t)gridDim.x * THREADS)
    f(i);
}

// T is what is in memory, ACC what is computed with.
template <class T, class ACC = T> DEV void axpy(const blas_vector_params &p) {
  ACC alpha = scalar<ACC>(p.alpha);
  const T *x = base_of<const T>(p.x, 0, p.n);
  T *y = base_of<T>(p.y, 0, p.n);
  if (is_zero(alpha)) return;
  each_index(p.n, [&](int64_t i) {
    T &to = y[i * p.y.inc];
    to = convert<T>::from(alpha * convert<ACC>::from(x[i * p.x.inc]) + convert<ACC>::from(to));
  });
}
template <class T, class ACC = T> DEV void scal(const blas_vector_params &p) {
  ACC alpha = scalar<ACC>(p.alpha);
  T *x = (T *)p.x.at;
  each_index(
      p.n, [&](int64_t i) { x[i * p.x.inc] = convert<T>::from(alpha * convert<ACC>::from(x[i * p.x.inc])); });
}
template <class T> DEV void copy(const blas_vector_params &p) {
  const T *x = base_of<const T>(p.x, 0, p.n);
  T *y = base_of<T>(p.y, 0, p.n);
  each_index(p.n, [&](int64_t i) { y[i * p.y.inc] = x[i * p.x.inc]; });
}
template <class T> DEV void swap(const blas_vector_params &p) {
  T *x = base_of<T>(p.x, 0, p.n), *y = base_of<T>(p.y, 0, p.n);
  each_index(p.n, [&](int64_t i) {
    T v = x[i * p.x.inc];
    x[i * p.x.inc] = y[i * p.y.inc];
    y[i * p.y.inc] = v;
  });
}
template <class T> DEV void rot(const blas_vector_params &p) {
  T c = scalar<T>(p.alpha), s = scalar<T>(p.beta), *x = base_of<T>(p.x, 0, p.n), *y = base_of<T>(p.y, 0, p.n);
  each_index(p.n, [&](int64_t i) {
    T u = x[i * p.x.inc], v = y[i * p.y.inc];
    x[i * p.x.inc] = c * u + s * v;
    y[i * p.y.inc] = c * v - conjugate(s) * u;
  });
}
template <class T> DEV void rotm(const blas_vector_params &p) {
  T *x = base_of<T>(p.x, 0, p.n), *y = base_of<T>(p.y, 0, p.n);
  double h[5];
  for (int i = 0; i < 5; i++) h[i] = p.param ? (double)((const T *)p.param)[i] : p.flags[i];
  if (h[0] == -2) return;
  blas_rotm_full(h);
  T h11 = (T)h[1], h21 = (T)h[2], h12 = (T)h[3], h22 = (T)h[4];
  each_index(p.n, [&](int64_t i) {
    T u = x[i * p.x.inc], v = y[i * p.y.inc];
    x[i * p.x.inc] = h11 * u + h12 * v;
    y[i * p.y.inc] = h21 * u + h22 * v;
  });
}

// What is reduced: how it begins, takes an element, is put together and written.
template <class T> struct sum_of_magnitudes {
  typedef T number;
  typedef typename real_of<T>::type state;
  DEV state none() { return 0; }
  DEV void take(state &s, T x, T, int64_t) { s += magnitude(x); }
  DEV state both(state a, state b) { return a + b; }
  DEV void write(state s, void *at, bool) { *(state *)at = s; }
};
template <class T, bool CONJUGATE, class OUT = T> struct dot_product {
  typedef T number;
  typedef T state;
  DEV state none() { return make<T>(0, 0); }
  DEV void take(state &s, T x, T y, int64_t) { multiply_add(s, CONJUGATE ? conjugate(x) : x, y); }
  DEV state both(state a, state b) { return a + b; }
  DEV void write(state s, void *at, bool) { *(OUT *)at = convert<OUT>::from(s); }
};
// Squares of large, ordinary and small numbers apart, the first and the last scaled, so that none overflows
// or vanishes.
template <class T, class OUT = typename real_of<T>::type> struct euclidean {
  typedef T number;
  typedef typename real_of<T>::type R;
  struct state {
    double large, ordinary, small;
  };
  DEV state none() { return {0, 0, 0}; }
  DEV state both(state a, state b) { return {a.large + b.large, a.ordinary + b.ordinary, a.small + b.small}; }
  DEV void add(state &s, double x) {
    double size = fabs(x), down = x * 0x1p-538, up = x * 0x1p537;
    if (size > 0x1p486)
      s.large += down * down;
    else if (size < 0x1p-511)
      s.small += up * up;
    else
      s.ordinary += x * x;
  }
  DEV void take(state &s, R x, R, int64_t) { add(s, x); }
  DEV void take(state &s, complex_of<R> x, complex_of<R>, int64_t) { add(s, x.re), add(s, x.im); }
  DEV double root(state s) {
    if (s.large > 0) return sqrt(s.large + s.ordinary * 0x1p-538 * 0x1p-538) * 0x1p538;
    return s.ordinary != 0 ? sqrt(s.ordinary + s.small * 0x1p-537 * 0x1p-537) : sqrt(s.small) * 0x1p-537;
  }
  DEV void write(state s, void *at, bool) { *(OUT *)at = convert<OUT>::from((R)root(s)); }
};
// The first place of the largest or smallest magnitude, counted from 1.
template <class T, bool LARGEST> struct place_of {
  typedef T number;
  typedef typename real_of<T>::type R;
  struct state {
    double value; // as wide as the place, so that there is no hole between them
    int64_t place;
  };
  DEV state none() { return {0, 0}; }
  DEV state both(state a, state b) {
    if (!a.place || !b.place) return a.place ? a : b;
    bool better = LARGEST ? b.value > a.value : b.value < a.value;
    if (a.value != a.value && b.value == b.value) better = true; // a number before none
    return better || (a.value == b.value && b.place < a.place) ? b : a;
  }
  DEV void take(state &s, T x, T, int64_t i) { s = both(s, {magnitude(x), i + 1}); }
  DEV void write(state s, void *at, bool wide) {
    if (wide)
      *(int64_t *)at = s.place;
    else
      *(int *)at = (int)s.place;
  }
};

template <class OP> DEV void put_together(typename OP::state mine, const blas_vector_params &p, bool last) {
  typedef typename OP::state state;
  __shared__ alignas(16) char room[THREADS * sizeof(state)];
  state *s = (state *)room;
  s[threadIdx.x] = mine;
  __syncthreads();
#pragma unroll 1
  for (int half = THREADS / 2; half; half /= 2) {
    if (threadIdx.x < half) s[threadIdx.x] = OP::both(s[threadIdx.x], s[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x != 0) return;
  if (last)
    OP::write(s[0], p.result, p.wide);
  else
    ((state *)p.parts)[blockIdx.x] = s[0];
}
template <class OP, class T> DEV void reduce(const blas_vector_params &p) {
  const T *x = base_of<const T>(p.x, 0, p.n), *y = base_of<const T>(p.y, 0, p.n);
  typename OP::state mine = OP::none();
  typedef convert<typename OP::number> to;
  each_index(p.n, [&](int64_t i) { OP::take(mine, to::from(x[i * p.x.inc]), to::from(y[i * p.y.inc]), i); });
  put_together<OP>(mine, p, gridDim.x == 1);
}
template <class OP> DEV void reduce_parts(const blas_vector_params &p) {
  typename OP::state mine = OP::none();
#pragma unroll 1
  for (int i = threadIdx.x; i < p.n_parts; i += THREADS)
    mine = OP::both(mine, ((const typename OP::state *)p.parts)[i]);
  put_together<OP>(mine, p, true);
}

#define VECTOR(name, ...)                                                                                    \
  extern "C" __global__ void __launch_bounds__(THREADS) name(const __grid_constant__ blas_vector_params p) { \
    __VA_ARGS__(p);                                                                                          \
  }
#define REDUCTION(name, T, ...)                                                                              \
  VECTOR(name, reduce<__VA_ARGS__, T>) VECTOR(name##_parts, reduce_parts<__VA_ARGS__>)
#define LEVEL1(letter, T)                                                                                    \
  VECTOR(axpy_##letter, axpy<T>)                                                                             \
  VECTOR(scal_##letter, scal<T>)                                                                             \
  VECTOR(copy_##letter, copy<T>)                                                                             \
  VECTOR(swap_##letter, swap<T>)                                                                             \
  VECTOR(rot_##letter, rot<T>)                                                                               \
  REDUCTION(asum_##letter, T, sum_of_magnitudes<T>)                                                          \
  REDUCTION(dotu_##letter, T, dot_product<T, false>)                                                         \
  REDUCTION(dotc_##letter, T, dot_product<T, true>)                                                          \
  REDUCTION(nrm2_##letter, T, euclidean<T>)                                                                  \
  REDUCTION(iamax_##letter, T, place_of<T, true>)                                                            \
  REDUCTION(iamin_##letter, T, place_of<T, false>)
FOUR_TYPES(LEVEL1)
// Numbers of 16 bits, computed with in f32.
#define SMALL(letter, T)                                                                                     \
  VECTOR(axpy_##letter, axpy<T, float>)                                                                      \
  VECTOR(scal_##letter, scal<T, float>)                                                                      \
  REDUCTION(dotu_##letter, T, dot_product<float, false, T>)                                                  \
  REDUCTION(nrm2_##letter, T, euclidean<float, T>)
SMALL(h, __half)
SMALL(b, __nv_bfloat16)
VECTOR(rotm_s, rotm<float>)
VECTOR(rotm_d, rotm<double>)

template <class R> DEV void rotg(const blas_rotation_params &p, bool is_complex) {
  R *a = (R *)p.a, *b = (R *)p.b, *s = (R *)p.s;
  double va[2] = {a[0], is_complex ? a[1] : 0}, vb[2] = {b[0], is_complex ? b[1] : 0}, c, vs[2];
  if (is_complex)
    blas_rotg_complex(va, vb, &c, vs);
  else
    blas_rotg_real(va, vb, &c, vs);
  *(R *)p.c = (R)c;
  a[0] = (R)va[0], s[0] = (R)vs[0];
  if (is_complex)
    a[1] = (R)va[1], s[1] = (R)vs[1];
  else
    b[0] = (R)vb[0];
}
template <class R> DEV void rotmg(const blas_rotation_params &p) {
  double d1 = *(R *)p.a, d2 = *(R *)p.b, x1 = *(R *)p.c, h[5];
  blas_rotmg_real(&d1, &d2, &x1, *(const R *)p.s, h);
  *(R *)p.a = (R)d1, *(R *)p.b = (R)d2, *(R *)p.c = (R)x1;
  for (int i = 0; i < 5; i++)
    if (blas_rotm_has(h[0], i)) ((R *)p.param)[i] = (R)h[i];
}
#define ROTATION(name, ...)                                                                                  \
  extern "C" __global__ void __launch_bounds__(1) name(const __grid_constant__ blas_rotation_params p) {     \
    __VA_ARGS__;                                                                                             \
  }
ROTATION(rotg_s, rotg<float>(p, false))
ROTATION(rotg_d, rotg<double>(p, false))
ROTATION(rotg_c, rotg<float>(p, true))
ROTATION(rotg_z, rotg<double>(p, true))
ROTATION(rotmg_s, rotmg<float>(p))
ROTATION(rotmg_d, rotmg<double>(p))
