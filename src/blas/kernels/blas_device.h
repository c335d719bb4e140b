// What the kernels share: complex numbers, conversions, elements of a matrix as struct blas_matrix describes
// it, sums over a block.
#ifndef BLAS_DEVICE_H
#define BLAS_DEVICE_H

#include "blas_params.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class R> struct alignas(2 * sizeof(R)) complex_of { R re, im; };
typedef complex_of<float> c32;
typedef complex_of<double> c64;
typedef complex_of<signed char> c8;

template <class T> struct real_of { typedef T type; };
template <class R> struct real_of<complex_of<R>> { typedef R type; };

#define DEV static __device__ __forceinline__

template <class R> DEV complex_of<R> operator+(complex_of<R> a, complex_of<R> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class R> DEV complex_of<R> operator-(complex_of<R> a, complex_of<R> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class R> DEV complex_of<R> operator*(complex_of<R> a, complex_of<R> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
// Scaled, as Smith does it.
template <class R> DEV complex_of<R> operator/(complex_of<R> a, complex_of<R> b) {
  if (fabs(b.re) >= fabs(b.im)) {
    R q = b.im / b.re, d = b.re + b.im * q;
    return {(a.re + a.im * q) / d, (a.im - a.re * q) / d};
  }
  R q = b.re / b.im, d = b.re * q + b.im;
  return {(a.re * q + a.im) / d, (a.im * q - a.re) / d};
}

template <class T> DEV bool is_zero(T a) { return a == T(0); }
template <class R> DEV bool is_zero(complex_of<R> a) { return a.re == 0 && a.im == 0; }
template <class T> DEV T conjugate(T a) { return a; }
template <class R> DEV complex_of<R> conjugate(complex_of<R> a) { return {a.re, -a.im}; }
template <class T> DEV T real_part(T a) { return a; }
template <class R> DEV complex_of<R> real_part(complex_of<R> a) { return {a.re, 0}; }
template <class T> DEV T magnitude(T a) { return fabs(a); } // |re| + |im|, as asum and iamax have it
template <class R> DEV R magnitude(complex_of<R> a) { return fabs(a.re) + fabs(a.im); }
template <class T> DEV void multiply_add(T &sum, T a, T b) { sum += a * b; }
template <class R> DEV void multiply_add(complex_of<R> &sum, complex_of<R> a, complex_of<R> b) {
  sum.re += a.re * b.re;
  sum.re -= a.im * b.im;
  sum.im += a.re * b.im;
  sum.im += a.im * b.re;
}

// From what is in memory to what is computed with, and back.
template <class TO> struct convert {
  template <class FROM> static __device__ __forceinline__ TO from(FROM a) { return (TO)a; }
  static __device__ __forceinline__ TO from(__half a) { return (TO)__half2float(a); }
  static __device__ __forceinline__ TO from(__nv_bfloat16 a) { return (TO)__bfloat162float(a); }
};
template <> struct convert<__half> {
  static __device__ __forceinline__ __half from(float a) { return __float2half_rn(a); }
};
template <> struct convert<__nv_bfloat16> {
  static __device__ __forceinline__ __nv_bfloat16 from(float a) { return __float2bfloat16_rn(a); }
};
template <class R> struct convert<complex_of<R>> {
  template <class S> static __device__ __forceinline__ complex_of<R> from(complex_of<S> a) {
    return {(R)a.re, (R)a.im};
  }
};

template <class T> struct maker {
  static __device__ __forceinline__ T of(double re, double) { return (T)re; }
};
template <class R> struct maker<complex_of<R>> {
  static __device__ __forceinline__ complex_of<R> of(double re, double im) { return {(R)re, (R)im}; }
};
template <class T> DEV T make(double re, double im) { return maker<T>::of(re, im); }

template <class T> DEV T scalar(const blas_scalar &s) {
  double re = s.re, im = s.im;
  if (s.at) {
    im = 0;
    switch (s.number) {
    case BLAS_F16: re = __half2float(*(const __half *)s.at); break;
    case BLAS_F32: re = *(const float *)s.at; break;
    case BLAS_F64: re = *(const double *)s.at; break;
    case BLAS_I32: re = *(const int *)s.at; break;
    case BLAS_C32: re = ((const float *)s.at)[0], im = ((const float *)s.at)[1]; break;
    default: re = ((const double *)s.at)[0], im = ((const double *)s.at)[1]; break;
    }
  }
  return make<T>(re, s.conjugate ? -im : im);
}

template <class T> DEV T *base_of(const blas_matrix &m, int64_t batch) {
  return m.array ? (T *)m.array[batch] : (T *)m.at + batch * m.stride;
}
// A vector with a negative increment begins at its last element in memory.
template <class T> DEV T *base_of(const blas_vector &v, int64_t batch, int64_t n) {
  T *at = v.array ? (T *)v.array[batch] : (T *)v.at + batch * v.stride;
  return v.inc < 0 ? at - (n - 1) * v.inc : at;
}

// Where element (i, j) of the stored matrix is; -1 outside a band.
DEV int64_t offset_of(const blas_matrix &m, int64_t i, int64_t j) {
  if (m.storage == BLAS_FULL) return i + j * m.ld;
  if (m.storage == BLAS_PACKED) return m.upper ? i + j * (j + 1) / 2 : i + j * (2 * m.rows - j - 1) / 2;
  return i - j > m.kl || j - i > m.ku ? -1 : m.ku + i - j + j * m.ld;
}

// Element (i, j) of op(m), of whatever shape and storage.
template <class T> DEV T element(const blas_matrix &m, const T *at, int64_t i, int64_t j) {
  bool conj = m.conjugate;
  if (m.transposed) {
    int64_t t = i;
    i = j, j = t;
  }
  bool stored = m.upper ? i <= j : i >= j;
  if (m.shape == BLAS_TRIANGULAR) {
    if (!stored) return make<T>(0, 0);
    if (m.unit && i == j) return make<T>(1, 0);
  } else if (m.shape != BLAS_GENERAL && !stored) {
    int64_t t = i;
    i = j, j = t;
    conj = m.shape == BLAS_HERMITIAN;
  }
  int64_t offset = offset_of(m, i, j);
  if (offset < 0) return make<T>(0, 0);
  T v = at[offset];
  if (m.shape == BLAS_HERMITIAN && i == j) v = real_part(v);
  return conj ? conjugate(v) : v;
}

template <class T> DEV T shuffle_down(T v, int by) { return __shfl_down_sync(~0u, v, by); }
template <class R> DEV complex_of<R> shuffle_down(complex_of<R> v, int by) {
  return {__shfl_down_sync(~0u, v.re, by), __shfl_down_sync(~0u, v.im, by)};
}
template <class T> DEV T shuffle(T v, int lane) { return __shfl_sync(~0u, v, lane); }
template <class R> DEV complex_of<R> shuffle(complex_of<R> v, int lane) {
  return {__shfl_sync(~0u, v.re, lane), __shfl_sync(~0u, v.im, lane)};
}
template <class T> DEV T warp_sum(T v) {
  for (int by = 16; by; by >>= 1) v = v + shuffle_down(v, by);
  return v;
}

// Each element of an m x n matrix; a CTA of 256 threads has 32 x 32.
template <class F> DEV void each_element(int64_t m, int64_t n, F f) {
  int64_t tiles_m = (m + 31) / 32, i = blockIdx.x % tiles_m * 32 + threadIdx.x % 32,
          j0 = blockIdx.x / tiles_m * 32 + threadIdx.x / 32;
  for (int q = 0; q < 4; q++)
    if (i < m && j0 + 8 * q < n) f(i, j0 + 8 * q);
}

// One kernel for each of the four types of BLAS: name_s, name_d, name_c, name_z.
#define FOUR_TYPES(KERNEL) KERNEL(s, float) KERNEL(d, double) KERNEL(c, c32) KERNEL(z, c64)

#endif
