/* The approximate functions of the special-function unit, for the float and half lanes.
 *
 * Polynomials in double without fused operations, so that every host gives the same bits and loops over them vectorise; the result is
 * rounded once to f32. All are far inside the ISA's error bounds: they are more accurate than the hardware's tables and do not reproduce
 * their last bits. The exception is the argument of sin and cos, which is multiplied by 1/2pi in f32 as in hardware, so large arguments
 * lose accuracy in the same way. NaN results are not canonical; callers pass them through exec_nan32. */
#ifndef EXEC_APPROX_H
#define EXEC_APPROX_H

#include "exec/float_bits.h"

/* The integer nearest to x (|x| < 2^51) is in the low bits of x + EXEC_WHOLE_MAGIC. */
#define EXEC_WHOLE_MAGIC 0x1.8p52

/* 2^x; x is clamped to where f32 has long overflowed or underflowed. NaN gives a number. */
static inline double exec_ex2_double(double x) {
  const double low = x > -200.0 ? x : -200.0, y = low < 200.0 ? low : 200.0;
  const double shifted = y + EXEC_WHOLE_MAGIC, f = y - (shifted - EXEC_WHOLE_MAGIC);
  const double scale = exec_double((exec_bits64(shifted) + 1023) << 52);
  double q = 0x1.00a581de60b92p-16;
  q = q * f + 0x1.443fffcd4af58p-13;
  q = q * f + 0x1.5d879eac60eefp-10;
  q = q * f + 0x1.3b2a1b714e81dp-7;
  q = q * f + 0x1.c6b08d883e2cep-5;
  q = q * f + 0x1.ebfbe045f4d6fp-3;
  q = q * f + 0x1.62e42fefa39eep-1;
  return (1.0 + q * f) * scale;
}
static inline float exec_ex2(float x) {
  const float r = (float)exec_ex2_double((double)x);
  return x == x ? r : x;
}

/* log2(x): the exponent, plus a polynomial in m - 1 for m in [sqrt(1/2), sqrt(2)). */
static inline float exec_lg2(float x) {
  const uint64_t one = 0x3ff0000000000000u, root_half = 0x3fe6a09e667f3bcdu;
  const uint64_t u = exec_bits64((double)x), exponent = (u + (one - root_half)) >> 52;
  const double t = exec_double(u - (exponent << 52) + one) - 1.0;
  const double e = exec_double(exponent | 0x4330000000000000u) - (0x1p52 + 1023.0);
  double q = -0x1.596fe0ad18378p-4;
  q = q * t + 0x1.3a457f7b873b6p-3;
  q = q * t - 0x1.41fffb9965927p-3;
  q = q * t + 0x1.4645e59a19474p-3;
  q = q * t - 0x1.6eb2698f21315p-3;
  q = q * t + 0x1.a608e4d0d409cp-3;
  q = q * t - 0x1.ec8cbb28a46d3p-3;
  q = q * t + 0x1.2777694c44dfdp-2;
  q = q * t - 0x1.715438ed50d73p-2;
  q = q * t + 0x1.ec709b5b33c1ap-2;
  q = q * t - 0x1.71547678f1feep-1;
  q = q * t + 0x1.715476530458cp+0;
  const float r = (float)(e + q * t);
  const float finite = x < __builtin_inff() ? r : x;
  const float positive = x > 0.0f ? finite : exec_float(EXEC_NAN32_BITS);
  return x == 0.0f ? -__builtin_inff() : positive;
}

/* sin(2 pi t), |t| < 2^50. */
static inline double exec_sin_turns(double t) {
  const double shifted = 2.0 * t + EXEC_WHOLE_MAGIC, r = t - 0.5 * (shifted - EXEC_WHOLE_MAGIC), s = r * r;
  double q = -0x1.cc9b5f3456b49p+3;
  q = q * s + 0x1.5014072bd9ca2p+5;
  q = q * s - 0x1.32d12ebe6b560p+6;
  q = q * s + 0x1.466bc06900900p+6;
  q = q * s - 0x1.4abbce51c31dap+5;
  q = q * s + 0x1.921fb54425516p+2;
  return exec_double(exec_bits64(q * r) ^ exec_bits64(shifted) << 63);
}
/* x| / 2pi as the hardware's range reduction computes it: an f32 product truncated towards zero, of which 25 bits after the point are used.
 * Large products are whole numbers and count as zero; infinity becomes NaN. */
static inline double exec_turns(float x) {
  const double p = __builtin_fabs((double)x * (double)0x1.45f306p-3f);
  const double cut = exec_double(exec_bits64(p) & ~(uint64_t)0x1fffffff), m = cut < 0x1p23 ? cut : cut * 0.0;
  const double near = (m + 0x1p27) - 0x1p27; /* the last bit of 2^27 is 2^-25 */
  return near > m ? near - 0x1p-25 : near;
}
static inline float exec_sin(float x) {
  const float r = (float)exec_sin_turns(exec_turns(x));
  return exec_float(exec_bits32(r) ^ (exec_bits32(x) & 0x80000000u));
}
static inline float exec_cos(float x) { return (float)exec_sin_turns(exec_turns(x) + 0.25); }

/* The hardware returns x itself up to 2^-8, and one from 8 on. */
static inline float exec_tanh(float x) {
  const float m = exec_float(exec_bits32(x) & 0x7fffffffu);
  const double e = exec_ex2_double(0x1.71547652b82fep+1 * (double)m);
  const float r = (float)((e - 1.0) / (e + 1.0));
  const float big = m > 0x1p-8f ? r : m, one = m >= 8.0f ? 1.0f : big;
  return x == x ? exec_float(exec_bits32(one) | (exec_bits32(x) & 0x80000000u)) : x;
}

/* 1/sqrt(x): f32 to 1 ulp, then one Newton step in double. */
static inline float exec_rsqrt(float x) {
  const float y = 1.0f / __builtin_sqrtf(x);
  const double d = (double)y, better = d * (1.5 - 0.5 * (double)x * (d * d));
  return y > 0.0f && y < __builtin_inff() ? (float)better : y;
}

/* a * (1/b) with a rounded reciprocal; the reciprocal of |b| > 2^126 is zero, as the ISA says. */
static inline float exec_div_approx(float a, float b) {
  const float m = exec_float(exec_bits32(b) & 0x7fffffffu);
  const float scale = m < 0x1p-126f ? 0x1p24f : 1.0f;
  const float r = 1.0f / (b * scale);
  const float cut = m > 0x1p126f ? exec_float(exec_bits32(b) & 0x80000000u) : r;
  return a * scale * (m == __builtin_inff() ? r : cut);
}

/* The same for all b: both operands are scaled so that the reciprocal is a normal number. */
static inline float exec_div_full(float a, float b) {
  const float m = exec_float(exec_bits32(b) & 0x7fffffffu);
  const float up = m < 0x1p-126f ? 0x1p24f : 1.0f, scale = m > 0x1p126f ? 0.25f : up;
  return a * scale * (1.0f / (b * scale));
}

/* 1/sqrt(x) of an f64, correctly rounded except for a few cases in a million: a Newton step on the exact residual. x is scaled near one
 * first, so that no intermediate result overflows or loses bits. */
static inline double exec_rsqrt64(double x) {
  const double up = x < 0x1p-500 ? 0x1p600 : 1.0, scale = x > 0x1p500 ? 0x1p-600 : up;
  const double root_up = x < 0x1p-500 ? 0x1p300 : 1.0, root = x > 0x1p500 ? 0x1p-300 : root_up;
  const double m = x * scale, y = 1.0 / __builtin_sqrt(m), h = y * y, l = __builtin_fma(y, y, -h);
  const double residual = __builtin_fma(-m, h, 1.0) - m * l;
  const double better = y + 0.5 * y * residual;
  return x > 0.0 && x < __builtin_inf() ? better * root : y;
}

/* The f64 forms with .ftz use only the upper 32 bits: 20 bits of mantissa in and out, truncated, subnormals flushed, and a NaN of 32
 * bits. */
static inline double exec_upper64(double x) { return exec_double(exec_bits64(x) & 0xffffffff00000000u); }
static inline double exec_finish_upper64(double r) {
  const double nan = exec_double((uint64_t)EXEC_NAN32_BITS << 32);
  return r == r ? exec_ftz64(exec_upper64(r)) : nan;
}
static inline double exec_rcp_upper64(double x) {
  return exec_finish_upper64(1.0 / exec_ftz64(exec_upper64(x)));
}
static inline double exec_rsqrt_upper64(double x) {
  return exec_finish_upper64(1.0 / __builtin_sqrt(exec_ftz64(exec_upper64(x))));
}

#endif
