// Distance of every record to a target: one record of two floats a thread.

struct place {
  float latitude, longitude;
};

extern "C" __global__ void nn_distance(const place *places, float *distance, int count, float latitude,
                                       float longitude) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float a = latitude - places[i].latitude, b = longitude - places[i].longitude;
  distance[i] = sqrtf(a * a + b * b);
}
