// The Q matrix of magnetic resonance image reconstruction: for each voxel a sum of sines and cosines over all
// samples of k-space, which are passed in chunks through constant memory.

enum { CHUNK = 1024 };

__constant__ float4 k_values[CHUNK]; // x, y, z, magnitude

extern "C" __global__ void mriq_magnitude(const float *real, const float *imaginary, float *magnitude,
                                          int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) magnitude[i] = real[i] * real[i] + imaginary[i] * imaginary[i];
}

extern "C" __global__ void mriq_q(int count, const float *x, const float *y, const float *z, float *q_real,
                                  float *q_imaginary, int voxels) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= voxels) return;
  float px = x[i], py = y[i], pz = z[i], real = q_real[i], imaginary = q_imaginary[i];
#pragma unroll 1
  for (int k = 0; k < count; k++) {
    float4 v = k_values[k];
    float angle = 6.2831853071f * (v.x * px + v.y * py + v.z * pz);
    real += v.w * cosf(angle);
    imaginary += v.w * sinf(angle);
  }
  q_real[i] = real;
  q_imaginary[i] = imaginary;
}
