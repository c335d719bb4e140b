// Heart muscle cells: the Beeler-Reuter equations (eight variables a cell) for strands of coupled cells.
// State is variable-major. One launch computes the rates of change, another one advances the state.

enum { V, CALCIUM, X1, M, H, J, D, F, VARIABLES };

// Opening or closing rate of a gate, in the form that most of them have.
static __device__ float rate(float v, float c1, float c2, float c3, float c4) {
  return c1 * expf(c2 * (v + c3)) / (expf(c4 * (v + c3)) + 1.0f);
}

static __device__ float gate(float value, float opening, float closing) {
  return opening * (1.0f - value) - closing * value;
}

extern "C" __global__ void myocyte_rates(const float *state, float *rates, int cells, int strand,
                                         float stimulus) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  float v = state[V * cells + i], calcium = state[CALCIUM * cells + i], x1 = state[X1 * cells + i];
  float m = state[M * cells + i], h = state[H * cells + i], j = state[J * cells + i];
  float d = state[D * cells + i], f = state[F * cells + i];
  int place = i % strand;
  float before = place > 0 ? state[V * cells + i - 1] : v,
        after = place < strand - 1 ? state[V * cells + i + 1] : v;

  float reversal = -82.3f - 13.0287f * logf(calcium * 0.001f);
  float slow = 0.09f * d * f * (v - reversal);
  float sodium = (4.0f * m * m * m * h * j + 0.003f) * (v - 50.0f);
  float outward = x1 * 0.8f * (expf(0.04f * (v + 77.0f)) - 1.0f) / expf(0.04f * (v + 35.0f));
  float shifted = v + 23.0f;
  float linear = fabsf(shifted) < 1e-3f ? 5.0f : 0.2f * shifted / (1.0f - expf(-0.04f * shifted));
  float inward = 0.35f * (4.0f * (expf(0.04f * (v + 85.0f)) - 1.0f) /
                              (expf(0.08f * (v + 53.0f)) + expf(0.04f * (v + 53.0f))) +
                          linear);
  float coupling = 0.5f * (before + after - 2.0f * v);

  rates[V * cells + i] = coupling + (place < 4 ? stimulus : 0.0f) - (inward + outward + sodium + slow);
  rates[CALCIUM * cells + i] = 0.07f * (0.1f - calcium) - 0.01f * slow;
  rates[X1 * cells + i] =
      gate(x1, rate(v, 0.0005f, 0.083f, 50.0f, 0.057f), rate(v, 0.0013f, -0.06f, 20.0f, -0.04f));
  float from = v + 47.0f;
  float m_open = fabsf(from) < 1e-3f ? 10.0f : from / (1.0f - expf(-0.1f * from));
  rates[M * cells + i] = gate(m, m_open, 40.0f * expf(-0.056f * (v + 72.0f)));
  rates[H * cells + i] =
      gate(h, 0.126f * expf(-0.25f * (v + 77.0f)), 1.7f / (expf(-0.082f * (v + 22.5f)) + 1.0f));
  rates[J * cells + i] = gate(j, 0.055f * expf(-0.25f * (v + 78.0f)) / (expf(-0.2f * (v + 78.0f)) + 1.0f),
                              0.3f / (expf(-0.1f * (v + 32.0f)) + 1.0f));
  rates[D * cells + i] =
      gate(d, rate(v, 0.095f, -0.01f, -5.0f, -0.072f), rate(v, 0.07f, -0.017f, 44.0f, 0.05f));
  rates[F * cells + i] =
      gate(f, rate(v, 0.012f, -0.008f, 28.0f, 0.15f), rate(v, 0.0065f, -0.02f, 30.0f, -0.2f));
}

// to = from + step * rates, for all variables of all cells.
extern "C" __global__ void myocyte_advance(const float *from, const float *rates, float *to, float step,
                                           int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = from[i] + step * rates[i];
}
