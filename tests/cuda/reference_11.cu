// Texture and surface references, which CUDA 12 dropped: needs a toolkit of 11 (older_toolkits.sh). The expected values were computed by
// hand: means of two or four texels, or texels themselves.
#include <cstdio>

texture<float, 1, cudaReadModeElementType> line;
texture<uchar4, 2, cudaReadModeNormalizedFloat> plane;
texture<short, 2, cudaReadModeElementType> shorts;
namespace inner {
texture<float, 3, cudaReadModeElementType> volume;
}
static texture<float, cudaTextureType2DLayered> layers;
surface<void, 2> sheet;

__global__ void look(float *out) {
  int i = threadIdx.x, v;
  float4 c = tex2D(plane, i * 0.25f, 0.5f);
  float *o = out + 7 * i;
  o[0] = tex1Dfetch(line, i);
  o[1] = c.x * 255, o[2] = c.w * 255;
  o[3] = tex2D(shorts, i, 1);
  o[4] = tex3D(inner::volume, i + 0.5f, 1.5f, 1.5f);
  o[5] = tex2DLayered(layers, i + 0.5f, 0.5f, 1);
  surf2Dread(&v, sheet, i * 4, 0);
  surf2Dwrite(v + 1, sheet, i * 4, 0);
  o[6] = v;
}

#define OK(call)                                                                                                   \
  do {                                                                                                             \
    cudaError_t e_ = (call);                                                                                       \
    if (e_) printf("%s: %s\n", #call, cudaGetErrorName(e_));                                                       \
  } while (0)

static cudaArray *box(float *from, unsigned flags) {
  cudaArray *a;
  cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
  cudaMemcpy3DParms p = {};
  OK(cudaMalloc3DArray(&a, &floats, make_cudaExtent(4, 4, 4), flags));
  p.srcPtr = make_cudaPitchedPtr(from, 16, 4, 4);
  p.dstArray = a;
  p.extent = make_cudaExtent(4, 4, 4);
  p.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&p));
  return a;
}

int main() {
  float *out, *memory, found[28], numbers[64];
  uchar4 pixels[64];
  short rows[64], *pitched;
  int drawn[16];
  size_t offset = 1, pitch;
  cudaArray *a, *s;
  cudaChannelFormatDesc colours = cudaCreateChannelDesc<uchar4>(), ints = cudaCreateChannelDesc<int>();
  for (int i = 0; i < 64; i++) pixels[i] = make_uchar4(i * 4, 1, 2, 255 - i), numbers[i] = i, rows[i] = i * 10;
  for (int i = 0; i < 16; i++) drawn[i] = 7 * i;
  OK(cudaMalloc(&out, sizeof found));
  OK(cudaMalloc(&memory, sizeof numbers));
  OK(cudaMemcpy(memory, numbers, sizeof numbers, cudaMemcpyHostToDevice));
  OK(cudaBindTexture(&offset, line, memory));
  printf("offset %zu\n", offset);
  OK(cudaMallocArray(&a, &colours, 8, 8));
  OK(cudaMemcpyToArray(a, 0, 0, pixels, sizeof pixels, cudaMemcpyHostToDevice));
  plane.normalized = true;
  plane.filterMode = cudaFilterModeLinear;
  plane.addressMode[0] = cudaAddressModeWrap;
  OK(cudaBindTextureToArray(plane, a));
  OK(cudaMallocPitch(&pitched, &pitch, 16, 8));
  OK(cudaMemcpy2D(pitched, pitch, rows, 16, 16, 8, cudaMemcpyHostToDevice));
  OK(cudaBindTexture2D(nullptr, shorts, pitched, 8, 8, pitch));
  OK(cudaBindTextureToArray(inner::volume, box(numbers, 0)));
  OK(cudaBindTextureToArray(layers, box(numbers, cudaArrayLayered)));
  OK(cudaMallocArray(&s, &ints, 8, 2, cudaArraySurfaceLoadStore));
  OK(cudaMemcpyToArray(s, 0, 0, drawn, sizeof drawn, cudaMemcpyHostToDevice));
  OK(cudaBindSurfaceToArray(sheet, s));
  look<<<1, 4>>>(out);
  OK(cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 28; i++) printf("%.1f%c", found[i], i % 7 == 6 ? '\n' : ' ');
  OK(cudaMemcpyFromArray(drawn, s, 0, 0, sizeof drawn, cudaMemcpyDeviceToHost));
  printf("%d %d %d\n", drawn[1], drawn[3], drawn[4]);
  OK(cudaBindTexture(nullptr, line, memory + 32, 128));
  look<<<1, 4>>>(out);
  OK(cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost));
  printf("%.1f\n", found[7]);
  OK(cudaUnbindTexture(line));
  return 0;
}
