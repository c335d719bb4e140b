// Training step of a two-layer perceptron with 16 hidden units: partial sums of the hidden layer by blocks of
// 16 inputs, and the adjustment of the weights. Weights are input-major, rows of 17 floats: the first is the
// bias.

enum { HIDDEN = 16, ROW = HIDDEN + 1 };

// Each block multiplies 16 inputs with their weights and adds up the products of each hidden unit. The
// products are also written over the weights' place in `products`.
extern "C" __global__ void bp_forward(const float *input, const float *weights, float *products,
                                      float *partial) {
  __shared__ float node[HIDDEN], matrix[HIDDEN][HIDDEN];
  int tx = threadIdx.x, ty = threadIdx.y, by = blockIdx.y;
  int index = ROW * HIDDEN * by + ROW * ty + tx + 1 + ROW;
  if (tx == 0) node[ty] = input[HIDDEN * by + ty + 1];
  __syncthreads();
  matrix[ty][tx] = weights[index] * node[ty];
  __syncthreads();
  for (int step = 1; step < HIDDEN; step *= 2) {
    if (ty % (2 * step) == 0) matrix[ty][tx] += matrix[ty + step][tx];
    __syncthreads();
  }
  products[index] = matrix[ty][tx];
  if (tx == 0) partial[by * HIDDEN + ty] = matrix[0][ty];
}

// Moves each weight along its gradient, with momentum.
extern "C" __global__ void bp_adjust(const float *delta, const float *input, float *weights,
                                     float *momentum) {
  int tx = threadIdx.x, ty = threadIdx.y, by = blockIdx.y;
  int index = ROW * HIDDEN * by + ROW * ty + tx + 1 + ROW;
  int x = tx + 1, y = HIDDEN * by + ty + 1;
  float change = 0.3f * delta[x] * input[y] + 0.3f * momentum[index];
  weights[index] += change;
  momentum[index] = change;
  __syncthreads();
  if (ty == 0 && by == 0) {
    float bias = 0.3f * delta[x] + 0.3f * momentum[x];
    weights[x] += bias;
    momentum[x] = bias;
  }
}
