/* A sum over clusters: threads sum what they read, a CTA its threads' sums, and the first CTA of a cluster what it reads in the others' shared
 * memory. Checks each cluster's sum against the CPU.
 *
 * usage: cluster_reduce [NUMBERS [LAUNCHES]] */
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>
namespace cg = cooperative_groups;

enum { THREADS = 256, CLUSTER = 8, EACH = 16 /* numbers of a thread */ };

__global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(THREADS) reduce(const int *in, int n, int *out) {
  __shared__ int warps[THREADS / 32], mine;
  cg::cluster_group cluster = cg::this_cluster();
  int sum = 0, first = (int)(blockIdx.x * THREADS * EACH + threadIdx.x);
  for (int i = 0; i < EACH; i++)
    if (first + i * THREADS < n) sum += in[first + i * THREADS];
  for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    int all = 0;
    for (int i = 0; i < THREADS / 32; i++) all += warps[i];
    mine = all;
  }
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x < 32) {
    int theirs = threadIdx.x < CLUSTER ? *cluster.map_shared_rank(&mine, threadIdx.x) : 0;
    for (int d = 16; d; d /= 2) theirs += __shfl_down_sync(~0u, theirs, d);
    if (threadIdx.x == 0) out[blockIdx.x / CLUSTER] = theirs;
  }
  cluster.sync(); /* nobody leaves while another reads its shared memory */
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1 << 18, launches = argc > 2 ? atoi(argv[2]) : 1, each = THREADS * CLUSTER * EACH;
  int clusters = (n + each - 1) / each, wrong = 0, *at_in, *at_out;
  if (n < 1) return fprintf(stderr, "usage: cluster_reduce [NUMBERS [LAUNCHES]]\n"), 2;
  std::vector<int> in(n), out(clusters);
  if (cudaMalloc(&at_in, n * sizeof in[0]) != cudaSuccess || cudaMalloc(&at_out, clusters * sizeof out[0]) != cudaSuccess) return 1;
  for (int i = 0; i < n; i++) in[i] = (int)((unsigned)i * 2654435761u >> 20);
  cudaMemcpy(at_in, in.data(), n * sizeof in[0], cudaMemcpyHostToDevice);
  cudaEvent_t begin, end;
  float best = 1e9f;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  for (int i = 0; i < launches; i++) {
    float ms;
    cudaEventRecord(begin);
    reduce<<<clusters * CLUSTER, THREADS>>>(at_in, n, at_out);
    cudaEventRecord(end);
    cudaError_t e = cudaEventSynchronize(end);
    if (e != cudaSuccess) return fprintf(stderr, "reduce: %s\n", cudaGetErrorString(e)), 1;
    cudaEventElapsedTime(&ms, begin, end);
    if (ms < best) best = ms;
  }
  cudaMemcpy(out.data(), at_out, clusters * sizeof out[0], cudaMemcpyDeviceToHost);
  for (int k = 0; k < clusters; k++) {
    int sum = 0;
    for (int i = k * each; i < (k + 1) * each && i < n; i++) sum += in[i];
    wrong += sum != out[k];
  }
  if (launches > 1) fprintf(stderr, "cluster_reduce %d: %.2f us\n", n, best * 1e3);
  printf("cluster_reduce %d: %d wrong of %d\n", n, wrong, clusters);
  return wrong != 0;
}
