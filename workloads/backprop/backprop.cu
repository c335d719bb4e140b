// Training step of a two-layer perceptron with 16 hidden units: partial sums of the hidden layer by blocks of
// 16 inputs, and the adjustment of the weights. Weights are input-major, rows of 17 floats: the first is the
// bias.

enum { TILE = 16 };

__device__ static int weight_of(int block, int row, int unit, int units) {
  return (units + 1) * (TILE * block + row + 1) + unit + 1;
}

// Each block multiplies 16 inputs with their weights and adds up the products of each hidden unit by a tree
// over the rows. What the tree leaves is written over the weights: the caller keeps its own copy of them.
extern "C" __global__ void bp_forward(float *input, float *weights, float *partial, int units) {
  __shared__ float value[TILE], products[TILE][TILE];
  int unit = threadIdx.x, row = threadIdx.y, block = blockIdx.y;
  int mine = weight_of(block, row, unit, units);
  if (unit == 0) value[row] = input[TILE * block + row + 1];
  __syncthreads();
  products[row][unit] = weights[mine];
  __syncthreads();
  products[row][unit] *= value[row];
  __syncthreads();
#pragma unroll
  for (int level = 1; level <= 4; level++) {
    int span = (int)exp2f((float)level);
    if (row % span == 0) products[row][unit] += products[row + span / 2][unit];
    __syncthreads();
  }
  weights[mine] = products[row][unit];
  __syncthreads();
  if (unit == 0) partial[block * units + row] = products[0][row];
}

// Moves each weight along its gradient, with momentum; the first row of the first block moves the biases too.
// Rate and momentum are double precision constants, so the sums are.
extern "C" __global__ void bp_adjust(float *delta, int units, float *input, float *weights, float *momentum) {
  int unit = threadIdx.x + 1, row = TILE * blockIdx.y + threadIdx.y + 1;
  int mine = weight_of(blockIdx.y, threadIdx.y, threadIdx.x, units);
  weights[mine] += 0.3 * delta[unit] * input[row] + 0.3 * momentum[mine];
  momentum[mine] = 0.3 * delta[unit] * input[row] + 0.3 * momentum[mine];
  __syncthreads();
  if (threadIdx.y == 0 && blockIdx.y == 0) {
    weights[unit] += 0.3 * delta[unit] + 0.3 * momentum[unit];
    momentum[unit] = 0.3 * delta[unit] + 0.3 * momentum[unit];
  }
}
