/* Batches of CUDA 13: copies of boxes between pointers and arrays, whose sizes are counted in elements, and memory that is discarded. */
#include <cstdio>
#include <cuda_runtime.h>

#define SAY(call) printf("%s: %s\n", #call, cudaGetErrorName(call))

static void show(const int *device) {
  int host[96];
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 96; i++)
    if (host[i]) printf("%d:%d ", i, host[i]);
  printf("\n");
}

static void boxes(cudaStream_t s) {
  int host[96];
  for (int i = 0; i < 96; i++) host[i] = i;
  cudaArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaMalloc3DArray(&array, &format, make_cudaExtent(8, 4, 3));
  int *p;
  cudaMalloc(&p, 4096);
  cudaMemset(p, 0, 4096);
  cudaMemcpy3DBatchOp in = {};
  in.src.type = cudaMemcpyOperandTypePointer, in.src.op.ptr.ptr = host;
  in.dst.type = cudaMemcpyOperandTypeArray, in.dst.op.array.array = array;
  in.extent = make_cudaExtent(8, 4, 3), in.srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
  SAY(cudaMemcpy3DBatchAsync(1, &in, 0, s));
  cudaMemcpy3DBatchOp out = {};
  out.src = in.dst, out.src.op.array.offset = {2, 1, 1};
  out.dst.type = cudaMemcpyOperandTypePointer, out.dst.op.ptr.ptr = p, out.dst.op.ptr.rowLength = 10, out.dst.op.ptr.layerHeight = 5;
  out.extent = make_cudaExtent(3, 2, 2), out.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  SAY(cudaMemcpy3DBatchAsync(1, &out, 0, s));
  cudaStreamSynchronize(s);
  show(p);
  SAY(cudaMemcpy3DBatchAsync(1, &out, 0, 0));
  SAY(cudaMemcpy3DBatchAsync(0, &out, 0, s));
  out.extent.depth = 0;
  SAY(cudaMemcpy3DBatchAsync(1, &out, 0, s));
  out.extent.depth = 1, out.dst.op.ptr.rowLength = 2;
  SAY(cudaMemcpy3DBatchAsync(1, &out, 0, s));
  out.dst.op.ptr.rowLength = 0, out.srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
  SAY(cudaMemcpy3DBatchAsync(1, &out, 0, s));
  out.srcAccessOrder = cudaMemcpySrcAccessOrderAny, out.src.op.array.offset.x = 6;
  SAY(cudaMemcpy3DBatchAsync(1, &out, 0, s));
  cudaFree(p);
  cudaFreeArray(array);
}

static void discards(cudaStream_t s) {
  void *managed, *device;
  size_t bytes = 1 << 22;
  cudaMallocManaged(&managed, bytes);
  cudaMalloc(&device, bytes);
  SAY(cudaMemDiscardBatchAsync(&managed, &bytes, 1, 0, s));
  SAY(cudaMemDiscardBatchAsync(&managed, &bytes, 1, 1, s));
  SAY(cudaMemDiscardBatchAsync(&managed, &bytes, 1, 0, 0));
  SAY(cudaMemDiscardBatchAsync(&device, &bytes, 1, 0, s));
}

int main() {
  cudaStream_t s;
  cudaStreamCreate(&s);
  boxes(s);
  discards(s);
  SAY(cudaDeviceSynchronize());
  return 0;
}
