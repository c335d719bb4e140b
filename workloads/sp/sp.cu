// Survey propagation on formulas of clauses: an edge joins a clause and a variable in it. Every loop goes over all items with
// the whole grid, since the grid is fitted to the machine.

typedef unsigned char u8;

struct clauses {
  int count;
  int *row, *edge; // edges of clause c: edge[row[c]] .. edge[row[c + 1] - 1]
  u8 *satisfied;
};

struct variables {
  int count;
  int *row, *edge;
  u8 *fixed, *value;
  float *bias;
};

struct edges {
  int count;
  int *clause, *variable;
  u8 *negated;
  float *survey, *open, *agreed, *forced; // what the clause tells the variable; what the variable answers
};

// What the other clauses of an edge's variable leave open, for it and against it.
extern "C" __global__ void sp_products(clauses c, variables v, edges e) {
  int id = blockIdx.x * blockDim.x + threadIdx.x, step = blockDim.x * gridDim.x;
  for (int edge = id; edge < e.count; edge += step) {
    int variable = e.variable[edge], clause = e.clause[edge];
    if (c.satisfied[clause] || v.fixed[variable]) continue;
    float open = 1.0f, same = 1.0f, opposite = 1.0f;
    int end = v.row[variable + 1], first = v.row[variable], length = end - first;
    for (int i = 0; i < length; i++) {
      int other = v.edge[first + i], of = e.clause[other];
      if (c.satisfied[of] || of == clause) continue;
      float rest = 1.0f - e.survey[other];
      open *= rest;
      if (e.negated[edge] == e.negated[other])
        same *= rest;
      else
        opposite *= rest;
    }
    e.open[edge] = open;
    e.forced[edge] = (1.0f - opposite) * same;
    e.agreed[edge] = (1.0f - same) * opposite;
  }
}

// The new survey of an edge: how likely all other variables of the clause are forced against it.
extern "C" __global__ void sp_surveys(clauses c, variables v, edges e, float *change) {
  int id = blockIdx.x * blockDim.x + threadIdx.x, step = blockDim.x * gridDim.x;
  float most = 0.0f;
  for (int edge = id; edge < e.count; edge += step) {
    int variable = e.variable[edge], clause = e.clause[edge];
    if (c.satisfied[clause] || v.fixed[variable]) continue;
    int end = c.row[clause + 1], first = c.row[clause], length = end - first;
    float survey = 1.0f;
#pragma unroll 1
    for (int i = 0; i < length; i++) {
      int other = c.edge[first + i], of = e.variable[other];
      if (of == variable || v.fixed[of]) continue;
      float sum = e.open[other] + e.agreed[other] + e.forced[other];
      if (sum == 0.0f) {
        survey = 0.0f;
        break;
      }
      survey *= e.forced[other] / sum;
    }
    float difference = fabsf(survey - e.survey[edge]);
    if (difference > most) most = difference;
    e.survey[edge] = survey;
  }
  if (most != 0.0f) atomicMax((int *)change, __float_as_int(most));
}

// Which way each variable leans and how far, in a list in any order; the sum of the larger chances.
extern "C" __global__ void sp_bias(clauses c, variables v, edges e, float *list, int *list_variable, int *length, float *total) {
  __shared__ float sums[16];
  int id = blockIdx.x * blockDim.x + threadIdx.x, step = blockDim.x * gridDim.x;
  float sum = 0.0f;
  for (int variable = id; variable < v.count; variable += step) {
    if (v.fixed[variable]) continue;
    float &bias = v.bias[variable];
    u8 &value = v.value[variable];
    float open = 1.0f, plus = 1.0f, minus = 1.0f;
    int end = v.row[variable + 1], first = v.row[variable], links = end - first;
    for (int i = 0; i < links; i++) {
      int edge = v.edge[first + i];
      if (c.satisfied[e.clause[edge]]) continue;
      float rest = 1.0f - e.survey[edge];
      open *= rest;
      if (e.negated[edge])
        minus *= rest;
      else
        plus *= rest;
    }
    float yes = (1.0f - plus) * minus, no = (1.0f - minus) * plus, all = open + yes + no;
    float chance_yes = all == 0.0f ? 0.0f : yes / all, chance_no = all == 0.0f ? 0.0f : no / all;
    bias = fabsf(chance_yes - chance_no);
    value = chance_yes > chance_no;
    int at = atomicAdd(length, 1);
    list[at] = bias;
    list_variable[at] = variable;
    sum += fmaxf(chance_yes, chance_no);
  }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int warp = 1; warp < 12; warp++) sum += sums[warp];
  atomicAdd(total, sum);
}

// Fixes the variables at the end of the sorted list, and marks the clauses that they satisfy.
extern "C" __global__ void sp_fix(clauses c, variables v, edges e, int *list_variable, int *length, int fixed) {
  int id = blockIdx.x * blockDim.x + threadIdx.x, step = blockDim.x * gridDim.x;
  for (int at = *length - fixed + id; at < *length; at += step) {
    int variable = list_variable[at];
    v.fixed[variable] = 1;
    int first = v.row[variable], end = v.row[variable + 1], links = end - first;
    for (int i = 0; i < links; i++) {
      int edge = v.edge[first + i], clause = e.clause[edge];
      if (!c.satisfied[clause] && v.value[variable] != e.negated[edge]) c.satisfied[clause] = 1;
    }
  }
}
