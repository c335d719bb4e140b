// Less usual things of the language in kernels: what they compute is compared with the same on the host, so that the expected output
// follows from C++ and CUDA's documentation.
#include <cstdio>
#include <cstring>
#include <initializer_list>

struct Large {
  int a[1000];
};
struct __attribute__((packed)) Packed {
  char c;
  int i;
  short s;
  double d;
};
struct Bits {
  unsigned a : 3, b : 13;
  int c : 7;
  unsigned long long d : 40;
};
struct Shape {
  int k;
  __host__ __device__ explicit Shape(int by) : k(by) {}
  __host__ __device__ virtual int of(int x) const { return x + k; }
  __host__ __device__ virtual ~Shape() {}
};
struct Scaled : Shape {
  __host__ __device__ explicit Scaled(int by) : Shape(by) {}
  __host__ __device__ int of(int x) const override { return x * k; }
  __host__ __device__ int twice(int x) const { return 2 * of(x); }
  __host__ __device__ int thrice(int x) const { return 3 * of(x); }
};
__host__ __device__ int digits(std::initializer_list<int> list) {
  int all = 0;
  for (int x : list) all = all * 10 + x;
  return all;
}
template <int... I> __host__ __device__ int sum() { return (I + ...); }
__host__ __device__ int ackermann(int m, int n) { return !m ? n + 1 : !n ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
__host__ __device__ __noinline__ Large made(int from) {
  Large l;
  for (int i = 0; i < 1000; i++) l.a[i] = from + i;
  return l;
}

enum { RESULTS = 12 };
// What host and device both can; `packed` lies at an odd address.
__host__ __device__ void compute(int *out, Packed *packed, int choice) {
  Bits b;
  b.a = 8u + (unsigned)choice; // three bits of it
  b.b = 5000;
  b.c = -3;
  b.d = 1ull << 39;
  out[0] = b.a * 100000 + b.b + b.c + (int)(b.d >> 35);
  out[1] = packed->c + packed->i + packed->s + (int)packed->d;
  packed->i = 99;
  out[2] = packed->i + packed->s;
  int (Scaled::*f)(int) const = choice ? &Scaled::twice : &Scaled::thrice;
  Scaled five(5);
  out[3] = (five.*f)(7);
  Shape plus(4);
  const Shape *shape = choice == 2 ? &plus : &five;
  out[4] = shape->of(6);
  out[5] = digits({1, 2, 3});
  out[6] = sum<1, 2, 3, 4>();
  out[7] = ackermann(2, 3);
  out[8] = made(7).a[choice + 900];
  auto counted = [n = 0](int by) mutable { return n += by; };
  counted(3);
  out[9] = counted(4);
  out[10] = (int)((((unsigned __int128)1 << 100) / 7) >> 70);
  out[11] = 0;
  for (int i = 0; i < 10; i++) switch (i & 3) {
    case 0: out[11] += 1; [[fallthrough]];
    case 1: out[11] += 10; break;
    case 2: out[11] += 100; break;
    default: out[11] += 1000;
    }
}
__global__ void compute_on_device(int *out, Packed *packed, int choice) { compute(out, packed, choice); }

__global__ void large_parameter(const __grid_constant__ Large by_value, int *out) {
  const int *p = by_value.a + 100;
  int sum = 0;
  for (int i = threadIdx.x; i < 1000; i += 32) sum += by_value.a[i];
  atomicAdd(out, sum);
  if (!threadIdx.x) out[1] = p[out[2]];
}
// Each thread takes another amount of its stack.
__global__ void stack(int *out) {
  int n = 4 + threadIdx.x, sum = 0;
  int *p = (int *)alloca(n * sizeof(int));
  for (int i = 0; i < n; i++) p[i] = i;
  for (int i = 0; i < n; i++) sum += p[n - 1 - i];
  out[threadIdx.x] = sum;
}
__device__ int calls() {
  static int n;
  return atomicAdd(&n, 1);
}
__global__ void answers(int *out) {
  out[0] = printf("two arguments: %d and %s\n", 7, "text");
  out[1] = printf("none\n");
  calls();
  out[2] = calls();
}
// Warps 0 and 1 meet at one barrier; warp 2 arrives at another, for which warp 3 waits.
__global__ void named_barriers(int *out) {
  __shared__ int words[128];
  unsigned warp = threadIdx.x / 32;
  words[threadIdx.x] = threadIdx.x;
  if (warp < 2) asm volatile("bar.sync 1, 64;" ::: "memory");
  if (warp == 2) asm volatile("bar.arrive 2, 64;" ::: "memory");
  if (warp == 3) asm volatile("bar.sync 2, 64;" ::: "memory");
  out[threadIdx.x] = warp == 2 ? 0 : words[warp < 2 ? 63 - threadIdx.x : threadIdx.x - 32];
}

struct alignas(128) Wide {
  int words[32];
};
struct alignas(64) Polygon {
  int sides;
  __device__ explicit Polygon(int n) : sides(n) {}
  __device__ virtual int corners() const { return sides; }
};

static __device__ bool multiple(const void *p, size_t of) { return p && (size_t)p % of == 0; }

/* new of types that want more alignment than malloc gives, beside memory that does not. */
static __global__ void aligned(int *out) {
  char *before = new char[40];
  Wide *wide = new Wide[3];
  Polygon *shape = new Polygon(5);
  wide[2].words[31] = 7;
  memset(before, 1, 40);
  bool good = multiple(wide, 128) && multiple(shape, 64) && wide[2].words[31] == 7 && shape->corners() == 5;
  void *page = __nv_aligned_device_malloc(100, 4096);
  good = good && multiple(page, 4096) && !__nv_aligned_device_malloc((size_t)1 << 40, 256);
  free(page);
  delete shape;
  delete[] wide;
  delete[] before;
  Wide *again = new Wide;
  out[threadIdx.x] = good && multiple(again, 128);
  delete again;
}

static void check(const char *what, bool ok) { printf("%s: %s\n", what, ok ? "as it should be" : "WRONG"); }

int main() {
  int *out, host[RESULTS], wrong = 0;
  char *bytes;
  cudaMallocManaged(&out, 4096);
  cudaMallocManaged(&bytes, 64);
  for (int choice = 0; choice < 3; choice++) {
    Packed p = {1, 2, 3, 4.5}, *at = (Packed *)(bytes + 1);
    *at = p;
    compute(host, &p, choice);
    compute_on_device<<<1, 1>>>(out, at, choice);
    if (cudaDeviceSynchronize() != cudaSuccess) wrong++;
    wrong += memcmp(out, host, sizeof host) != 0 || at->i != 99;
  }
  check("what host and device both can", !wrong);

  static Large large;
  for (int i = 0; i < 1000; i++) large.a[i] = 3 * i;
  out[0] = 0;
  out[2] = 11;
  large_parameter<<<1, 32>>>(large, out);
  cudaDeviceSynchronize();
  check("a parameter of 4,000 bytes", out[0] == 3 * 499500 && out[1] == 333);

  stack<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  wrong = 0;
  for (int t = 0, n = 4; t < 32; t++, n++) wrong += out[t] != n * (n - 1) / 2;
  check("stack that is taken as it is needed", !wrong);

  answers<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  check("arguments that printf took", out[0] == 2 && out[1] == 0);
  check("a static variable of a function", out[2] == 1);

  named_barriers<<<1, 128>>>(out);
  cudaDeviceSynchronize();
  wrong = 0;
  for (int t = 0; t < 64; t++) wrong += out[t] != 63 - t;
  for (int t = 96; t < 128; t++) wrong += out[t] != t - 32;
  check("barriers of some warps", !wrong);

  aligned<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  wrong = 0;
  for (int t = 0; t < 32; t++) wrong += out[t] != 1;
  check("memory of types with an alignment of their own", !wrong);
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
