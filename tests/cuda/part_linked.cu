// The other file of program_linked.cu.
__device__ int offset = 100;
__constant__ int table[4] = {10, 20, 30, 40};
static __device__ int helper(int x) { return x * x; }
__device__ int square_and_one(int x) { return helper(x) + 1; }
