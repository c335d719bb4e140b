// Calls in all their forms: printf, recursion, function pointers, virtual functions, aggregates by value, device
// malloc, assert, inlined templates. Compiled with --generate-line-info too.
#include <cassert>
#include <cstdio>

struct Vec3 { float x, y, z; };
struct Big { double d[5]; char tag; short s[3]; };

struct Shape {
  __device__ virtual float area(float k) const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float a;
  __device__ explicit Square(float s) : a(s) {}
  __device__ float area(float k) const override { return a * a * k; }
};
struct Disc : Shape {
  float r;
  __device__ explicit Disc(float s) : r(s) {}
  __device__ float area(float k) const override { return 3.14159f * r * r * k; }
};

__device__ __noinline__ Vec3 cross(Vec3 a, Vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
__device__ __noinline__ Big shuffle(Big b, int k) {
  b.d[k % 5] += b.tag;
  b.s[k % 3] = (short)k;
  return b;
}
__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

typedef float (*op_t)(float, float);
__device__ __noinline__ float op_add(float a, float b) { return a + b; }
__device__ __noinline__ float op_mul(float a, float b) { return a * b; }
__device__ op_t ops[2] = {op_add, op_mul};

template <int N, typename T> __device__ T power(T x) {
  if constexpr (N == 0) return T(1);
  else return x * power<N - 1>(x);
}

__global__ void pointers(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = ops[i & 1](in[i], (float)i);
}
__global__ void aggregates(Vec3 v, Big *b, Vec3 *out, int k) {
  out[threadIdx.x] = cross(v, out[threadIdx.x]);
  b[threadIdx.x] = shuffle(b[threadIdx.x], k);
}
__global__ void recursion(int *out) { out[threadIdx.x] = fib((int)threadIdx.x); }
__global__ void virtuals(float *out, int which) {
  Shape *s;
  if (which) s = new Square(2.0f);
  else s = new Disc(1.0f);
  out[threadIdx.x] = s->area(out[threadIdx.x]);
  delete s;
}
__global__ void prints(int n, double d, const char *name) {
  assert(n > 0);
  printf("%d %f %s\n", n, d, name);
}
__global__ void templates(double *p, int *q) {
  p[threadIdx.x] = power<7>(p[threadIdx.x]);
  q[threadIdx.x] = power<3>(q[threadIdx.x]);
}
