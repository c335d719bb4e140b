// Lanes of one member mask that come to .sync instructions at different places: the sides of a branch, two loops that they leave
// after different numbers of turns, a function and its caller.
#include <cstdio>

enum { LANES = 32 };
#define ALL 0xffffffffu

__global__ void sides(int *out, int split, int what) {
  int lane = threadIdx.x, v = 100 + lane, r = -1;
  if (lane < split) {
    switch (what) {
    case 0: r = __shfl_sync(ALL, v, lane + 8); break;
    case 1: r = (int)__ballot_sync(ALL, v != 105); break;
    case 2: r = (int)__match_any_sync(ALL, v & ~3); break;
    case 3: r = __shfl_xor_sync(ALL, v, 16); break;
    case 4: r = __any_sync(ALL, v == 103); break;
    default: r = __shfl_down_sync(ALL, v, 4);
    }
  } else {
    v = v * 3 + 1000;
    switch (what) {
    case 0: r = __shfl_sync(ALL, v, lane * 5); break;
    case 1: r = (int)__ballot_sync(ALL, v % 7 != 0); break;
    case 2: r = (int)__match_any_sync(ALL, (v & 7) + 100); break;
    case 3: r = __shfl_xor_sync(ALL, v, 8); break;
    case 4: r = __any_sync(ALL, v < 0); break;
    default: r = __shfl_down_sync(ALL, v, 9);
    }
    r++;
  }
  out[lane] = r;
}

__global__ void loops(int *out, int turns) {
  int lane = threadIdx.x, sum = 0, v = lane, first = 1 + lane / 8 % turns;
  for (int i = 0; i < first; i++) {
    v = __shfl_sync(ALL, v + i, lane + 1);
    sum += v;
  }
  for (int i = 0; i < turns - first; i++) {
    v = __shfl_sync(ALL, v * 3 + i, lane + 31);
    sum += 1000 * v;
  }
  out[lane] = sum;
}

__device__ __noinline__ int inside(int v, int from) { return __shfl_sync(ALL, v * 2, from) + 5; }

__global__ void calls(int *out, int split) {
  int lane = threadIdx.x;
  out[lane] = lane < split ? inside(100 + lane, lane + 8) : __shfl_sync(ALL, lane * 3, lane + 4);
}

static void show(const char *what, int a, int b, const int *d) {
  int h[LANES];
  printf("%s %d %d, %s:", what, a, b, cudaGetErrorName(cudaDeviceSynchronize()));
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  for (int x : h) printf(" %d", x);
  puts("");
}

int main() {
  int *d;
  cudaMalloc(&d, LANES * sizeof *d);
  for (int split : {16, 5, 31})
    for (int what = 0; what < 6; what++) {
      sides<<<1, LANES>>>(d, split, what);
      show("sides", split, what, d);
    }
  for (int turns : {2, 3, 4}) {
    loops<<<1, LANES>>>(d, turns);
    show("loops", turns, 0, d);
  }
  for (int split : {16, 7}) {
    calls<<<1, LANES>>>(d, split);
    show("calls", split, 0, d);
  }
}
