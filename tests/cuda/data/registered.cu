// Made into data/registered_*.fatbin by tests/cuda/record_programs.sh.
extern "C" {
__device__ int base = 5;
__global__ void add_base(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += base + i;
}
}
