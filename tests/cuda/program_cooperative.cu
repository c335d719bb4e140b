// Cooperative groups: a grid-wide barrier, tiles, and what does not fit on the device.
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void reduce(int *data, int *partial, int *result, int n) {
  cg::grid_group grid = cg::this_grid();
  cg::thread_block block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  int sum = 0;
  for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size()) sum += data[i];
  for (int d = 16; d; d /= 2) sum += warp.shfl_down(sum, d);
  if (warp.thread_rank() == 0) atomicAdd(&partial[blockIdx.x], sum);
  grid.sync();
  if (grid.thread_rank() == 0) {
    int all = 0;
    for (int i = 0; i < (int)gridDim.x; i++) all += partial[i];
    *result = all;
  }
}

int main() {
  int n = 10000, *data, *partial, *result;
  cudaMallocManaged(&data, n * 4);
  cudaMallocManaged(&partial, 64 * 4);
  cudaMallocManaged(&result, 4);
  for (int i = 0; i < n; i++) data[i] = i;
  for (int i = 0; i < 64; i++) partial[i] = 0;
  void *args[] = {&data, &partial, &result, &n};
  printf("%s\n", cudaGetErrorName(cudaLaunchCooperativeKernel((void *)reduce, 16, 128, args)));
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("%d\n", *result);
  printf("%s\n", cudaGetErrorName(cudaLaunchCooperativeKernel((void *)reduce, 1 << 20, 128, args)));
  return 0;
}
