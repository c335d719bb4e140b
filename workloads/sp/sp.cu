// Survey propagation on a random satisfiability problem: messages between clauses of three literals and the
// variables in them. Edge e = 3 * clause + place carries the survey that the clause sends to its variable; a
// literal is 2 * variable + (1 if negated).

enum { LITERALS = 3 };

// For each variable, the products of (1 - survey) over the clauses that hold it plain and negated.
extern "C" __global__ void sp_products(const int *row, const int *edge, const int *literal,
                                       const float *survey, int variables, float2 *products) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= variables) return;
  float plain = 1.0f, negated = 1.0f;
  int last = row[v + 1];
#pragma unroll 1
  for (int i = row[v]; i < last; i++) {
    int e = edge[i];
    float keep = 1.0f - survey[e];
    if (literal[e] & 1)
      negated *= keep;
    else
      plain *= keep;
  }
  products[v] = make_float2(plain, negated);
}

// New surveys of each clause: the chance that all its other variables are forced against it.
extern "C" __global__ void sp_surveys(const int *literal, const float2 *products, int clauses, float *survey,
                                      unsigned *largest_change) {
  int clause = blockIdx.x * blockDim.x + threadIdx.x;
  if (clause >= clauses) return;
  float against[LITERALS], old[LITERALS];
#pragma unroll
  for (int k = 0; k < LITERALS; k++) {
    int l = literal[clause * LITERALS + k];
    old[k] = survey[clause * LITERALS + k];
    float2 p = products[l >> 1];
    float same = (l & 1 ? p.y : p.x) / (1.0f - old[k]), opposite = l & 1 ? p.x : p.y;
    float forced = (1.0f - opposite) * same, agreed = (1.0f - same) * opposite, open = same * opposite;
    against[k] = forced / (forced + agreed + open + 1e-12f);
  }
  float change = 0.0f;
#pragma unroll
  for (int k = 0; k < LITERALS; k++) {
    float next = fminf(against[(k + 1) % LITERALS] * against[(k + 2) % LITERALS], 0.999f);
    change = fmaxf(change, fabsf(next - old[k]));
    survey[clause * LITERALS + k] = next;
  }
  atomicMax(largest_change, __float_as_uint(change));
}

// How strongly each variable leans to true (positive) or false.
extern "C" __global__ void sp_bias(const float2 *products, int variables, float *bias) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= variables) return;
  float2 p = products[v];
  float yes = (1.0f - p.x) * p.y, no = (1.0f - p.y) * p.x, open = p.x * p.y;
  bias[v] = (yes - no) / (yes + no + open + 1e-12f);
}
