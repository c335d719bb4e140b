// The other file of program_device_runtime.cu.
__global__ void child(int *p) { p[threadIdx.x] += 1; }
