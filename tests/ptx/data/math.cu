// Double and single precision mathematics with slow paths, integer corner cases, half precision.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void doubles(double *p, const double *q, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double s, c;
  sincos(q[i], &s, &c);
  p[i] = pow(s, q[i]) + tan(c) + fmod(s, c) + lgamma(c) + cbrt(s) / sqrt(c) + rint(s) + exp(c) * log(s);
}
__global__ void floats(float *p, const float *q) {
  float x = q[threadIdx.x], s, c;
  sincosf(x, &s, &c);
  p[threadIdx.x] = powf(s, x) + tanf(c) + erff(x) + __sinf(x) + __fdividef(s, c) + rsqrtf(x) + x / s + fmaxf(s, c) +
                   copysignf(s, x) + __frcp_rz(x) + (isnan(x) ? 1.0f : 0.5f) + __saturatef(c);
}
__global__ void integers(unsigned *p, const int *q, long long *r, unsigned char *b) {
  int a = q[threadIdx.x], d = q[threadIdx.x + 32];
  p[threadIdx.x] = (unsigned)(a / d) + (unsigned)(a % d) + __popc(a) + __clz(a) + __brev(a) + __ffs(a) +
                   __byte_perm(a, d, 0x3210) + __funnelshift_l(a, d, 5) + __umulhi(a, d) + __sad(a, d, 7) + __dp4a(a, d, 3) +
                   __vadd4(a, d) + __vabsdiffu4(a, d) + __vcmpgts2(a, d);
  r[threadIdx.x] = (long long)a * d / (r[threadIdx.x] | 1) + __mul64hi(a, r[threadIdx.x]);
  b[threadIdx.x] = (unsigned char)(b[threadIdx.x] >> 3);
}
__global__ void halves(__half2 *h, __nv_bfloat162 *b, __half *s) {
  h[threadIdx.x] = __hfma2(h[threadIdx.x], h[threadIdx.x + 1], h[threadIdx.x + 2]);
  b[threadIdx.x] = __hmul2(b[threadIdx.x], b[threadIdx.x + 1]);
  s[threadIdx.x] = hsqrt(s[threadIdx.x]) < __float2half(2.0f) ? hexp(s[threadIdx.x]) : __hneg(s[threadIdx.x]);
}
