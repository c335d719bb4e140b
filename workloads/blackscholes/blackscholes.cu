// Prices of European options by the formula of Black and Scholes: five arrays streamed, much arithmetic.

// Cumulative normal distribution by a polynomial (Abramowitz and Stegun 26.2.17).
static __device__ float normal_cdf(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float tail =
      0.39894228f * __expf(-0.5f * d * d) *
      (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0.0f ? 1.0f - tail : tail;
}

extern "C" __global__ void black_scholes(float *call, float *put, float *price, float *strike, float *years, float rate,
                                         float volatility, int count) {
  int step = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
    float &c = call[i], &p = put[i];
    float s = price[i], x = strike[i], t = years[i], root = sqrtf(t);
    float d1 = (__logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
    float d2 = d1 - volatility * root, n1 = normal_cdf(d1), n2 = normal_cdf(d2),
          worth = x * __expf(-rate * t);
    c = s * n1 - worth * n2;
    p = worth * (1.0f - n2) - s * (1.0f - n1);
  }
}
