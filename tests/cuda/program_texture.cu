// Textures and surfaces through objects: filtering, addressing, layers, linear memory, surface writes.
#include <cstdio>

__global__ void sample(cudaTextureObject_t t, const float2 *at, float *out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = tex2D<float>(t, at[i].x, at[i].y);
}
__global__ void fetch(cudaTextureObject_t t, int *out) { out[threadIdx.x] = tex1Dfetch<int>(t, threadIdx.x); }
__global__ void write(cudaSurfaceObject_t s) {
  surf2Dwrite((float)(threadIdx.x * 10 + threadIdx.y), s, threadIdx.x * 4, threadIdx.y);
}
__global__ void fill(cudaSurfaceObject_t s, float value) { surf2Dwrite(value, s, threadIdx.x * 4, threadIdx.y); }
__global__ void sample_level(cudaTextureObject_t t, float *out) {
  int i = threadIdx.x;
  float step = (float)(1 << i % 4) / 16;
  out[i] = tex2DGrad<float>(t, .5f, .5f, make_float2(step, 0), make_float2(0, i < 4 ? 0 : step));
}

// Levels of one value each: gradients of a power of two texels choose one, along one axis and along both.
static void gradients(float *out) {
  cudaMipmappedArray_t levels;
  cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
  cudaMallocMipmappedArray(&levels, &d, make_cudaExtent(16, 16, 0), 5, cudaArraySurfaceLoadStore);
  for (int level = 0; level < 5; level++) {
    cudaResourceDesc r = {};
    cudaSurfaceObject_t s;
    r.resType = cudaResourceTypeArray;
    cudaGetMipmappedArrayLevel(&r.res.array.array, levels, level);
    cudaCreateSurfaceObject(&s, &r);
    fill<<<1, dim3(16 >> level, 16 >> level)>>>(s, 10.0f * level);
  }
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeMipmappedArray;
  r.res.mipmap.mipmap = levels;
  cudaTextureDesc t = {};
  t.normalizedCoords = 1, t.maxMipmapLevelClamp = 4;
  t.filterMode = t.mipmapFilterMode = cudaFilterModeLinear;
  cudaTextureObject_t o;
  float back[8];
  printf("%s: ", cudaGetErrorName(cudaCreateTextureObject(&o, &r, &t, nullptr)));
  sample_level<<<1, 8>>>(o, out);
  cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost);
  for (float v : back) printf("%g ", v);
  printf("\n");
  t.maxAnisotropy = 8; // twice: a simulator says once that it has none
  for (int i = 0; i < 2; i++) cudaCreateTextureObject(&o, &r, &t, nullptr);
}

int main() {
  cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
  cudaArray_t a;
  float in[4][4], *out, back[8];
  for (int y = 0; y < 4; y++)
    for (int x = 0; x < 4; x++) in[y][x] = (float)(10 * y + x);
  cudaMallocArray(&a, &d, 4, 4, cudaArraySurfaceLoadStore);
  cudaMemcpy2DToArray(a, 0, 0, in, 16, 16, 4, cudaMemcpyHostToDevice);
  cudaMalloc(&out, sizeof back);
  float2 at[8] = {{0.5f, 0.5f}, {1.5f, 2.5f}, {1.0f, 1.0f}, {2.25f, 0.5f}, {-3.f, 1.5f}, {9.f, 9.f}, {3.5f, 3.5f}, {0.f, 0.f}}, *where;
  cudaMalloc(&where, sizeof at);
  cudaMemcpy(where, at, sizeof at, cudaMemcpyHostToDevice);
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = a;
  for (int linear = 0; linear < 2; linear++)
    for (int border = 0; border < 2; border++) {
      cudaTextureDesc t = {};
      t.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
      t.addressMode[0] = t.addressMode[1] = border ? cudaAddressModeBorder : cudaAddressModeClamp;
      cudaTextureObject_t o;
      printf("%s: ", cudaGetErrorName(cudaCreateTextureObject(&o, &r, &t, nullptr)));
      sample<<<1, 8>>>(o, where, out, 8);
      cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost);
      for (float v : back) printf("%g ", v);
      printf("\n");
      cudaDestroyTextureObject(o);
    }
  cudaSurfaceObject_t s;
  printf("%s\n", cudaGetErrorName(cudaCreateSurfaceObject(&s, &r)));
  write<<<1, dim3(4, 4)>>>(s);
  cudaMemcpy2DFromArray(in, 16, a, 0, 0, 16, 4, cudaMemcpyDeviceToHost);
  printf("%g %g %g\n", in[0][1], in[2][3], in[3][0]);
  int *list, numbers[16];
  cudaMalloc(&list, sizeof numbers);
  for (int i = 0; i < 16; i++) numbers[i] = i * i;
  cudaMemcpy(list, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  r = {};
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = list;
  r.res.linear.desc = cudaCreateChannelDesc<int>();
  r.res.linear.sizeInBytes = sizeof numbers;
  cudaTextureDesc t = {};
  cudaTextureObject_t o;
  printf("%s\n", cudaGetErrorName(cudaCreateTextureObject(&o, &r, &t, nullptr)));
  fetch<<<1, 8>>>(o, (int *)out);
  cudaMemcpy(numbers, out, 32, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 8; i++) printf("%d ", numbers[i]);
  printf("\n");
  gradients(out);
  return 0;
}
