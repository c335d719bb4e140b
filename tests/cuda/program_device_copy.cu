// Copies and fills in two and three dimensions that kernels ask for (fills write 0, whatever is asked for), what is wrong with some, and
// children with clusters. One thread asks.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>

namespace cg = cooperative_groups;

struct answers {
  int n, at[64][2];
  __device__ void add(int error) { at[n][0] = error, at[n++][1] = cudaGetLastError(); }
};
enum { PITCH = 64, ROWS = 8, SLICE = PITCH * ROWS, BYTES = 4 * SLICE };

__global__ void copies(answers *a, unsigned char *to, unsigned char *from) {
  a->add(cudaMemcpy2DAsync(to, PITCH, from, 32, 20, 3, cudaMemcpyDeviceToDevice, 0));
  cudaMemcpy3DParms p;
  memset(&p, 0, sizeof p);
  p.srcPtr.ptr = from, p.srcPtr.pitch = 32, p.srcPtr.xsize = 32, p.srcPtr.ysize = 6;
  p.dstPtr.ptr = to, p.dstPtr.pitch = PITCH, p.dstPtr.xsize = PITCH, p.dstPtr.ysize = ROWS;
  p.srcPos.x = 5, p.srcPos.y = 1, p.srcPos.z = 1;
  p.dstPos.x = 9, p.dstPos.y = 2, p.dstPos.z = 1;
  p.extent.width = 17, p.extent.height = 4, p.extent.depth = 2;
  p.kind = cudaMemcpyDefault;
  a->add(cudaMemcpy3DAsync(&p, 0));
  a->add(cudaMemset2DAsync(to + 3 * SLICE, PITCH, 0xab, 10, 3, 0));
  a->add(cudaMemset3DAsync(cudaPitchedPtr{to + 40, PITCH, PITCH, ROWS}, 7, cudaExtent{6, 2, 3}, 0));
  a->add(cudaMemcpy2DAsync(to, 1, from, 2, 0, 9, cudaMemcpyHostToDevice, 0)); // nothing to copy
  a->add(cudaMemcpy2DAsync(to, PITCH, from, 32, 20, 3, cudaMemcpyHostToDevice, 0));
  a->add(cudaMemcpy2DAsync(to, 19, from, 32, 20, 3, cudaMemcpyDeviceToDevice, 0));
  a->add(cudaMemcpy2DAsync(to, PITCH, from, 19, 20, 3, cudaMemcpyDeviceToDevice, 0));
  a->add(cudaMemcpy2DAsync(nullptr, PITCH, from, 32, 20, 3, cudaMemcpyDeviceToDevice, 0));
  a->add(cudaMemcpyAsync(to, from, 4, cudaMemcpyDeviceToHost, 0));
  a->add(cudaMemcpyAsync(to, nullptr, 4, cudaMemcpyDeviceToDevice, 0));
  a->add(cudaMemset2DAsync(to, 5, 1, 6, 2, 0));
  a->add(cudaMemset3DAsync(cudaPitchedPtr{to, PITCH, PITCH, 1}, 7, cudaExtent{6, 2, 3}, 0));
  p.extent.height = 7;
  a->add(cudaMemcpy3DAsync(&p, 0));
  p.extent.height = 2, p.srcArray = (cudaArray_t)16;
  a->add(cudaMemcpy3DAsync(&p, 0));
}

__global__ void __cluster_dims__(2, 1, 1) pairs(int *out) {
  __shared__ int mine;
  cg::cluster_group c = cg::this_cluster();
  if (!threadIdx.x) mine = 10 * blockIdx.x;
  c.sync();
  if (!threadIdx.x) out[blockIdx.x] = *c.map_shared_rank(&mine, c.block_rank() ^ 1) + (int)c.num_blocks();
  c.sync();
}
__global__ void launches(answers *a, int *out) {
  pairs<<<6, 32>>>(out);
  a->add(cudaPeekAtLastError());
  pairs<<<5, 32>>>(out + 8); // not a multiple of the cluster
  a->add(cudaPeekAtLastError());
}

int main() {
  answers *a;
  unsigned char *to, *from, host[BYTES], source[4 * 32 * 6];
  int *out, children[16];
  cudaMallocManaged(&a, sizeof *a);
  memset(a, 0, sizeof *a);
  cudaMalloc(&to, BYTES);
  cudaMalloc(&from, sizeof source);
  cudaMalloc(&out, sizeof children);
  cudaMemset(to, 0xee, BYTES);
  cudaMemset(out, 0, sizeof children);
  for (unsigned i = 0; i < sizeof source; i++) source[i] = (unsigned char)(i * 7 + i / 256);
  cudaMemcpy(from, source, sizeof source, cudaMemcpyHostToDevice);
  copies<<<1, 1>>>(a, to, from);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaMemcpy(host, to, BYTES, cudaMemcpyDeviceToHost);
  for (int y = 0; y < 4 * ROWS; y++) {
    for (int x = 0; x < PITCH; x++) printf("%02x", host[y * PITCH + x]);
    printf("\n");
  }
  launches<<<1, 1>>>(a, out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaMemcpy(children, out, sizeof children, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 16; i++) printf("%d%c", children[i], i == 15 ? '\n' : ' ');
  for (int i = 0; i < a->n; i++) printf("%d: %d %d\n", i, a->at[i][0], a->at[i][1]);
  return 0;
}
