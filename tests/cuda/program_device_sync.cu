// cudaDeviceSynchronize in kernels, by the name that headers still have: a CTA waits for what it has launched. What is printed follows from
// the language. More CTAs wait than most GPUs hold, with much shared memory, so that their children run only where they make room.
#include <cstdio>

#define WAIT() __cudaDeviceSynchronizeDeprecationAvoidance()

__global__ void twice(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= 2;
}

// Each CTA writes its part, has it doubled as often as its number says, and adds it up; keeps[] must outlive the waits.
__global__ void doubled(int *p, int *sums, int part) {
  extern __shared__ int keeps[];
  __shared__ int sum;
  int *mine = p + blockIdx.x * part, kept = threadIdx.x * 3;
  for (int i = threadIdx.x; i < part; i += blockDim.x) mine[i] = 1 + i % 7;
  keeps[threadIdx.x] = threadIdx.x;
  sum = 0;
  __syncthreads();
  for (unsigned turn = 0; turn < 1 + blockIdx.x % 3; turn++) {
    if (threadIdx.x == 0) {
      twice<<<(part + 127) / 128, 128>>>(mine, part);
      if (WAIT() != cudaSuccess) atomicAdd(&sum, 1000000);
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < part; i += blockDim.x) atomicAdd(&sum, mine[i]);
  if (keeps[threadIdx.x] * 3 != kept) atomicAdd(&sum, 2000000);
  __syncthreads();
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// A tree of kernels: each adds up its two subtrees, which it waits for.
__global__ void tree(int *at, int node, int levels) {
  at[node] = 1;
  if (!levels) return;
  tree<<<1, 1>>>(at, 2 * node, levels - 1);
  tree<<<1, 1>>>(at, 2 * node + 1, levels - 1);
  WAIT();
  at[node] += at[2 * node] + at[2 * node + 1];
}

__global__ void put(int *at, int value) { *at = value; }

// Lanes of a warp that wait at different places and at different times, and some that do not.
__global__ void apart(int *out) {
  int lane = threadIdx.x, got = -1;
  put<<<1, 1>>>(out + lane, lane * lane);
  if (lane % 4 == 0) {
    WAIT();
    got = out[lane];
  } else if (lane % 4 == 1) {
    put<<<1, 1>>>(out + lane, 1000 + lane);
    WAIT();
    got = out[lane];
  }
  __syncwarp();
  out[32 + lane] = got;
}

__global__ void nothing(int *out) { out[threadIdx.x] = WAIT(); }

static void say(const char *what) { printf("%s: %s\n", what, cudaGetErrorName(cudaDeviceSynchronize())); }

static void many(int ctas, int threads, int part, int shared) {
  int *p, *sums;
  long long all = 0, want = 0;
  int wrong = 0;
  cudaMallocManaged(&p, sizeof(int) * ctas * part);
  cudaMallocManaged(&sums, sizeof(int) * ctas);
  doubled<<<ctas, threads, shared>>>(p, sums, part);
  say("doubled");
  for (int c = 0; c < ctas; c++) {
    int expected = 0;
    for (int i = 0; i < part; i++) expected += (1 + i % 7) << (1 + c % 3);
    all += sums[c], want += expected, wrong += sums[c] != expected;
  }
  printf("%d CTAs: %lld of %lld, %d wrong\n", ctas, all, want, wrong);
  cudaFree(p);
  cudaFree(sums);
}

int main() {
  int *at;
  cudaMallocManaged(&at, sizeof(int) * 256);
  cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 6); // from compute capability 9.0 on there is no such limit
  cudaGetLastError();
  many(3, 64, 200, 1024);
  many(300, 1024, 64, 40000);
  tree<<<1, 1>>>(at, 1, 5);
  say("tree");
  printf("%d nodes, %d and %d below\n", at[1], at[2], at[3]);
  apart<<<1, 32>>>(at);
  say("apart");
  for (int i = 0; i < 8; i++) printf("%d %d\n", at[i], at[32 + i]);
  nothing<<<1, 2>>>(at);
  say("nothing");
  printf("%d %d\n", at[0], at[1]);
  cudaFree(at);
  return 0;
}
