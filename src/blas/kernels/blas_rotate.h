/* Givens rotations, plain and modified, of scalars: for the host and for kernels, in double for both
 * precisions. */
#ifndef BLAS_ROTATE_H
#define BLAS_ROTATE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __CUDACC__
#define BLAS_BOTH static __host__ __device__ inline
#else
#define BLAS_BOTH static inline
#endif

/* a becomes r, b becomes z, of which c and s can be made again. */
BLAS_BOTH void blas_rotg_real(double *a, double *b, double *c, double *s) {
  double size = fabs(*a) + fabs(*b), roe = fabs(*a) > fabs(*b) ? *a : *b, z = 1;
  if (size == 0) {
    *c = 1, *s = 0, *a = 0, *b = 0;
    return;
  }
  double u = *a / size, v = *b / size, r = size * sqrt(u * u + v * v);
  if (roe < 0) r = -r;
  *c = *a / r;
  *s = *b / r;
  if (fabs(*a) > fabs(*b))
    z = *s;
  else if (*c != 0)
    z = 1 / *c;
  *a = r;
  *b = z;
}

BLAS_BOTH void blas_rotg_complex(double *a, const double *b, double *c, double *s) {
  double size_a = hypot(a[0], a[1]), size_b = hypot(b[0], b[1]), size = size_a + size_b;
  if (size_a == 0) {
    *c = 0, s[0] = 1, s[1] = 0, a[0] = b[0], a[1] = b[1];
    return;
  }
  double norm = size * hypot(size_a / size, size_b / size), u = a[0] / size_a, v = a[1] / size_a;
  *c = size_a / norm;
  s[0] = (u * b[0] + v * b[1]) / norm;
  s[1] = (v * b[0] - u * b[1]) / norm;
  a[0] = u * norm;
  a[1] = v * norm;
}

/* One of d1 and d2 brought between 4096^-2 and 4096^2; p[1..4] are h11, h21, h12, h22 and the row that goes
 * with it is scaled. */
BLAS_BOTH void blas_rotmg_scale(double *d, double *x, double *p, int row) {
  const double g = 4096, most = g * g, least = 1 / most;
  while (*d != 0 && (fabs(*d) <= least || fabs(*d) >= most)) {
    if (p[0] == 0) p[1] = 1, p[4] = 1;
    if (p[0] == 1) p[2] = -1, p[3] = 1;
    p[0] = -1;
    double by = fabs(*d) <= least ? 1 / g : g;
    *d /= by * by;
    if (x) *x *= by;
    p[row] *= by;
    p[row + 2] *= by;
  }
}

BLAS_BOTH void blas_rotmg_real(double *d1, double *d2, double *x1, double y1, double *p) {
  double p2 = *d2 * y1, p1 = *d1 * *x1, q2 = p2 * y1, q1 = p1 * *x1;
  p[0] = p[1] = p[2] = p[3] = p[4] = 0;
  if (*d1 >= 0 && p2 == 0) {
    p[0] = -2;
    return;
  }
  double ratio = fabs(q1) > fabs(q2) ? 1 + p2 / p1 * (y1 / *x1) : 0;
  if (*d1 < 0 || (fabs(q1) > fabs(q2) ? ratio <= 0 : q2 < 0)) {
    p[0] = -1;
    *d1 = *d2 = *x1 = 0;
    return;
  }
  if (fabs(q1) > fabs(q2)) {
    p[2] = -y1 / *x1;
    p[3] = p2 / p1;
    *d1 /= ratio, *d2 /= ratio, *x1 *= ratio;
  } else {
    p[0] = 1;
    p[1] = p1 / p2;
    p[4] = *x1 / y1;
    double u = 1 + p[1] * p[4], d = *d2 / u;
    *d2 = *d1 / u, *d1 = d, *x1 = y1 * u;
  }
  blas_rotmg_scale(d1, x1, p, 1);
  blas_rotmg_scale(d2, NULL, p, 2);
}

/* Whether element i of the parameters is written: what the flag implies is not. */
BLAS_BOTH bool blas_rotm_has(double flag, int i) {
  return i == 0 || flag == -1 || (flag == 0 && (i == 2 || i == 3)) || (flag == 1 && (i == 1 || i == 4));
}

/* The elements of a modified rotation as its flag says. */
BLAS_BOTH void blas_rotm_full(double *p) {
  if (p[0] == -2) p[1] = p[4] = 1, p[2] = p[3] = 0;
  if (p[0] == 0) p[1] = p[4] = 1;
  if (p[0] == 1) p[2] = -1, p[3] = 1;
}

#endif
