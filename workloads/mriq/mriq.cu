// The Q matrix of magnetic resonance image reconstruction: for each voxel a sum of sines and cosines over all
// samples of k-space, which are passed in chunks through constant memory. Sines are the hardware's.

enum { CHUNK = 1024 };

struct sample {
  float x, y, z, magnitude;
};

__constant__ sample k_values[CHUNK];

extern "C" __global__ void mriq_magnitude(float *real, float *imaginary, float *magnitude, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) magnitude[i] = real[i] * real[i] + imaginary[i] * imaginary[i];
}

static __device__ void add_sample(int k, float x, float y, float z, float &real, float &imaginary) {
  float angle = 6.2831853071795864769252867665590058f * (k_values[k].x * x + k_values[k].y * y + k_values[k].z * z);
  real += k_values[k].magnitude * __cosf(angle);
  imaginary += k_values[k].magnitude * __sinf(angle);
}

// Two samples a turn; an odd one comes first.
extern "C" __global__ void mriq_q(int count, int from, float *x, float *y, float *z, float *q_real, float *q_imaginary) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
  float px = x[i], py = y[i], pz = z[i], real = q_real[i], imaginary = q_imaginary[i];
  if (count % 2) {
    add_sample(0, px, py, pz, real, imaginary);
    k++;
    from++;
  }
#pragma unroll 1
  for (; k < CHUNK && from < count; k += 2, from += 2) {
    add_sample(k, px, py, pz, real, imaginary);
    add_sample(k + 1, px, py, pz, real, imaginary);
  }
  q_real[i] = real;
  q_imaginary[i] = imaginary;
}
