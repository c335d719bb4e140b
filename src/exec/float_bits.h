/* Numbers as bits: shared by the float, half and conversion lanes.
 *
 * Owns: the NaN that a result gets in each format, flushing of subnormals, conversions between f32 and the 16-bit formats (written so that
 * loops over them vectorise on any host), rounding of a double to any smaller format in every rounding direction, and the switch of the
 * host's rounding direction for .rz, .rm and .rp. Relies neither on the host's FTZ/DAZ (both must be off) nor on FMA or F16C instructions:
 * every function gives the same bits on every host. */
#ifndef EXEC_FLOAT_BITS_H
#define EXEC_FLOAT_BITS_H

#include <fenv.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* ---- bit casts ----------------------------------------------------------------------------------------- */

static inline uint32_t exec_bits32(float x) {
  uint32_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}
static inline float exec_float(uint32_t u) {
  float x;
  memcpy(&x, &u, sizeof x);
  return x;
}
static inline uint64_t exec_bits64(double x) {
  uint64_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}
static inline double exec_double(uint64_t u) {
  double x;
  memcpy(&x, &u, sizeof x);
  return x;
}

/* ---- NaN ----------------------------------------------------------------------------------------------- */

/* The NaN that an operation returns, once per format. f32 and the 16-bit formats lose the payloads of their inputs. f64 keeps one of its
 * NaN operands, made quiet: exec_nan64_2 and _3 take the operands in the order in which they are examined, which is not that of the
 * instruction. */
#define EXEC_NAN32_BITS 0x7fffffffu
#define EXEC_NAN64_BITS 0xfff8000000000000u
#define EXEC_NAN16_BITS 0x7fffu /* f16 and bf16 alike */
#define EXEC_QUIET64    0x0008000000000000u

static inline float exec_nan32(float r) { return r == r ? r : exec_float(EXEC_NAN32_BITS); }
static inline double exec_quiet64(double x) { return exec_double(exec_bits64(x) | EXEC_QUIET64); }
static inline double exec_nan64_1(double r, double x) {
  const double n = x == x ? exec_double(EXEC_NAN64_BITS) : exec_quiet64(x);
  return r == r ? r : n;
}
static inline double exec_nan64_2(double r, double first, double second) {
  const double n = second == second ? exec_double(EXEC_NAN64_BITS) : exec_quiet64(second);
  const double m = first == first ? n : exec_quiet64(first);
  return r == r ? r : m;
}
static inline double exec_nan64_3(double r, double first, double second, double third) {
  const double n = third == third ? exec_double(EXEC_NAN64_BITS) : exec_quiet64(third);
  const double m = second == second ? n : exec_quiet64(second);
  const double k = first == first ? m : exec_quiet64(first);
  return r == r ? r : k;
}

/* ---- .ftz and .sat ------------------------------------------------------------------------------------- */

/* Subnormals become a zero of the same sign. A result counts as subnormal after it has been rounded. */
static inline float exec_ftz32(float x) {
  const uint32_t u = exec_bits32(x);
  return exec_float((u & 0x7f800000u) ? u : u & 0x80000000u);
}
static inline double exec_ftz64(double x) {
  const uint64_t u = exec_bits64(x);
  return exec_double((u & 0x7ff0000000000000u) ? u : u & 0x8000000000000000u);
}
static inline uint32_t exec_ftz_f16(uint32_t h) { return (h & 0x7c00u) ? h : h & 0x8000u; }

/* Clamps to [+0, 1]; NaN and -0 become +0. */
static inline float exec_sat32(float r) {
  const float up = r > 0.0f ? r : 0.0f;
  return up < 1.0f ? up : 1.0f;
}
static inline double exec_sat64(double r) {
  const double up = r > 0.0 ? r : 0.0;
  return up < 1.0 ? up : 1.0;
}

/* ---- rounding direction -------------------------------------------------------------------------------- */

enum exec_round { EXEC_RN, EXEC_RZ, EXEC_RM, EXEC_RP, EXEC_RNA /* ties away from zero; not a mode of the host */ };

/* Sets the host's rounding direction for what is called next and returns the previous state for
 * exec_round_leave. The arithmetic in between must read its operands from memory and write its results to
 * memory, and must not be inlined: then the compiler cannot move it across. */
static inline unsigned exec_round_enter(enum exec_round r) {
#if defined(__x86_64__)
  static const unsigned CONTROL[] = {0, 3, 1, 2, 0};
  const unsigned old = __builtin_ia32_stmxcsr(), new = (old & ~0x6000u) | CONTROL[r] << 13;
  if (new != old) __builtin_ia32_ldmxcsr(new); /* slower than the comparison */
  __asm__ volatile("" ::: "memory");
#else
  static const int MODE[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
  const unsigned old = (unsigned)fegetround();
  fesetround(MODE[r]);
#endif
  return old;
}
static inline void exec_round_leave(unsigned old) {
#if defined(__x86_64__)
  __asm__ volatile("" ::: "memory");
  if (old & 0x6000u || __builtin_ia32_stmxcsr() & 0x6000u) __builtin_ia32_ldmxcsr(old);
#else
  fesetround((int)old);
#endif
}

/* Sign bits hidden from the compiler: see lanes_convert.c. */
extern const uint32_t exec_hidden_sign32;
extern const uint64_t exec_hidden_sign64;

/* p + c rounded to odd: the last bit is set if any bits were lost, so a second rounding to a format at least two bits shorter is as good as
 * a single one. Only in round-to-nearest. An even result with lost bits moves one step, away from zero if these have its sign; for an
 * infinite result they are NaN and nothing moves. */
static inline double exec_odd_sum(double p, double c) {
  const double s = p + c, cc = s - p, lost = (p - (s - cc)) + (c - cc);
  const uint64_t u = exec_bits64(s), l = exec_bits64(lost);
  const uint64_t step = exec_double(l & 0x7fffffffffffffffu) > 0.0 ? 1 - ((u ^ l) >> 63 << 1) : 0;
  return exec_double(u + (step & ((u & 1) - 1)));
}
static inline float exec_odd_sum32(float p, float c) {
  const float s = p + c, cc = s - p, lost = (p - (s - cc)) + (c - cc);
  const uint32_t u = exec_bits32(s), l = exec_bits32(lost);
  const uint32_t step = exec_float(l & 0x7fffffffu) > 0.0f ? 1 - ((u ^ l) >> 31 << 1) : 0;
  return exec_float(u + (step & ((u & 1) - 1)));
}
/* A double that is zero or above 2^-300, rounded to odd in f32. The lost bits are scaled up so that they stay visible. */
static inline float exec_odd_float(double s) {
  const float r = (float)s, lost = (float)((s - (double)r) * 0x1p200);
  const uint32_t u = exec_bits32(r), l = exec_bits32(lost);
  const uint32_t step = exec_float(l & 0x7fffffffu) > 0.0f ? 1 - ((u ^ l) >> 31 << 1) : 0;
  return exec_float(u + (step & ((u & 1) - 1)));
}

/* ---- f16 and bf16 -------------------------------------------------------------------------------------- */

/* Widening is exact; NaN keeps its payload in the upper bits. Only the low 16 bits of h are used. */
static inline float exec_f16_to_float(uint32_t h) {
  const uint32_t sign = (h & 0x8000u) << 16, magnitude = (h & 0x7fffu) << 13;
  const float scaled = exec_float(magnitude) * 0x1p112f; /* also makes subnormals normal */
  const uint32_t u = magnitude >= 0x0f800000u ? magnitude | 0x7f800000u : exec_bits32(scaled);
  return exec_float(u | sign);
}
static inline float exec_bf16_to_float(uint32_t h) { return exec_float(h << 16); }

/* Narrowing with round to nearest even; NaN becomes the canonical one. */
static inline __attribute__((always_inline)) uint32_t exec_f16_from_float(float x) {
  const uint32_t u = exec_bits32(x), sign = u >> 16 & 0x8000u, m = u & 0x7fffffffu;
  const uint32_t normal = (m + 0xc8000fffu + (m >> 13 & 1)) >> 13;
  const uint32_t tiny = exec_bits32(exec_float(m) + 0.5f) - 0x3f000000u; /* the adder rounds at bit 2^-24 */
  const uint32_t finite = m < 0x38800000u ? tiny : normal;
  const uint32_t big = m > 0x7f800000u ? EXEC_NAN16_BITS : sign | 0x7c00u;
  return m >= 0x477ff000u ? big : sign | finite;
}
static inline uint32_t exec_bf16_from_float(float x) {
  const uint32_t u = exec_bits32(x);
  const uint32_t r = (u + 0x7fffu + (u >> 16 & 1)) >> 16;
  return (u & 0x7fffffffu) > 0x7f800000u ? EXEC_NAN16_BITS : r;
}

/* A floating-point format of up to 32 bits: its field widths, and whether its largest exponent holds infinity
 * and NaN (IEEE) or numbers up to the all-ones NaN (e4m3). */
struct exec_format {
  uint8_t exponent_bits, mantissa_bits;
  bool infinity;
};
extern const struct exec_format EXEC_FORMAT_F16, EXEC_FORMAT_BF16, EXEC_FORMAT_TF32, EXEC_FORMAT_E4M3,
    EXEC_FORMAT_E5M2;

/* Rounds x to the format and returns its bits, the sign in the top bit; NaN gives all ones except the sign. `saturate`: overflow,
 * infinities included, becomes the largest finite number (always so in formats without infinities, if x is not NaN). */
uint32_t exec_narrow(double x, const struct exec_format *f, enum exec_round round, bool saturate);
/* The value of bits in a format; exact. */
double exec_widen(uint32_t bits, const struct exec_format *f);
/* A 64-bit integer as a double that rounds to any of these formats as the integer itself would. */
double exec_odd_from_s64(int64_t v);
double exec_odd_from_u64(uint64_t v);

#endif
