// Rates of change of one heart muscle cell, parallel within it: the first thread of one block evaluates the electrical model, the first
// thread of another one the signalling of three compartments, one after the other. The host makes the steps.
#define MYOCYTE_FUNCTION static __device__ __forceinline__
#include "myocyte_model.h"

extern "C" __global__ void myocyte_rates(int time, float *state, float *rates, float *parameters, float *bound) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    myocyte_cell(time, state, rates, parameters[CYCLE]);
  } else {
#pragma unroll
    for (int m = 0; m < MODULES; m++) {
      int from = CELL_EQUATIONS + m * MODULE_EQUATIONS;
      float calcium = state[CALCIUM_DYAD + m] * 1e3;
      bound[m] = myocyte_module(state + from, rates + from, parameters + 1 + m * MODULE_PARAMETERS, parameters[MAGNESIUM], calcium);
    }
  }
}
