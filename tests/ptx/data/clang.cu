// For clang without CUDA's headers: clang++ -x cuda --cuda-device-only -nocudainc -nocudalib -S
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
extern "C" __device__ int vprintf(const char *, const char *);
__device__ int table[3] = {1, 2, 3};
__device__ int *pointer = table;
__constant__ const char *words[2] = {"one", "two"};
__device__ int gcd(int a, int b) { return b ? gcd(b, a % b) : a; }
__attribute__((noinline)) __device__ double mix(double a, float b, short c) { return a * b + c; }
__device__ int (*chosen)(int, int) = gcd;
struct Pair { int a; long b; char c[3]; };
extern "C" __global__ void kernel(int *p, const float *q, Pair s, int n) {
  __shared__ int tile[64];
  int i = __nvvm_read_ptx_sreg_tid_x() + __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x();
  if (i >= n) return;
  tile[i & 63] = p[i];
  __syncthreads();
  p[i] = gcd(tile[(i + 1) & 63], s.a) + (int)mix(q[i], q[i + 1], (short)s.b) + pointer[1] + table[i % 3] + words[i & 1][0];
  p[i] += chosen(s.c[1], 12) + __nvvm_shfl_sync_down_i32(~0, i, 1, 31);
  switch (p[i] & 7) {
  case 0: p[i] = 5; break;
  case 1: p[i] *= 3; break;
  case 2: p[i] /= 7; break;
  case 3: p[i] ^= n; break;
  case 4: vprintf("%d\n", (const char *)&p[i]); break;
  default: p[i]--;
  }
}
