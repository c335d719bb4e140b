/* Copies: boxes in every combination of host, device and array; fills; overlap of rows with a pitch. */
#include "cuda_kit.h"

enum { W = 20, H = 6, D = 3 };

static unsigned char pattern(size_t x, size_t y, size_t z) {
  return (unsigned char)(x * 7 + y * 31 + z * 101);
}

static void two_dimensions(void) {
  unsigned char host[H][32], back[H][40];
  CUdeviceptr p;
  size_t pitch;
  for (size_t y = 0; y < H; y++)
    for (size_t x = 0; x < 32; x++) host[y][x] = pattern(x, y, 0);
  memset(back, 0xee, sizeof back);
  CU(cuMemAllocPitch(&p, &pitch, W, H, 4));
  CUDA_MEMCPY2D up = {.srcXInBytes = 4,
                      .srcY = 1,
                      .srcMemoryType = CU_MEMORYTYPE_HOST,
                      .srcHost = host,
                      .srcPitch = 32,
                      .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                      .dstDevice = p,
                      .dstPitch = pitch,
                      .WidthInBytes = W,
                      .Height = 4};
  CU(cuMemcpy2D(&up));
  CUDA_MEMCPY2D down = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                        .srcDevice = p,
                        .srcPitch = pitch,
                        .dstXInBytes = 2,
                        .dstY = 2,
                        .dstMemoryType = CU_MEMORYTYPE_HOST,
                        .dstHost = back,
                        .dstPitch = 40,
                        .WidthInBytes = W,
                        .Height = 4};
  CU(cuMemcpy2D(&down));
  for (size_t y = 0; y < 4; y++)
    for (size_t x = 0; x < W; x++) CHECK(back[y + 2][x + 2] == pattern(x + 4, y + 1, 0));
  CHECK(back[1][5] == 0xee && back[2][1] == 0xee && back[2][22] == 0xee);
  down.WidthInBytes = pitch + 1;
  SHOW(cuMemcpy2D(&down));
  down.WidthInBytes = W;
  down.Height = 1000;
  SHOW(cuMemcpy2D(&down));
  CU(cuMemFree(p));
}

static void arrays(void) {
  static unsigned char host[D][H][W], back[D][H][W];
  CUarray a, b;
  CUDA_ARRAY3D_DESCRIPTOR d = {
      .Width = W / 4, .Height = H, .Depth = D, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 4};
  for (size_t z = 0; z < D; z++)
    for (size_t y = 0; y < H; y++)
      for (size_t x = 0; x < W; x++) host[z][y][x] = pattern(x, y, z);
  CU(cuArray3DCreate(&a, &d));
  CU(cuArray3DCreate(&b, &d));
  CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                     .srcHost = host,
                     .srcPitch = W,
                     .srcHeight = H,
                     .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                     .dstArray = a,
                     .WidthInBytes = W,
                     .Height = H,
                     .Depth = D};
  CU(cuMemcpy3D(&c));
  CUDA_MEMCPY3D across = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                          .srcArray = a,
                          .srcXInBytes = 4,
                          .srcY = 1,
                          .srcZ = 1,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = b,
                          .WidthInBytes = 8,
                          .Height = 2,
                          .Depth = 2};
  CU(cuMemcpy3D(&across));
  CUDA_MEMCPY3D down = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                        .srcArray = b,
                        .dstMemoryType = CU_MEMORYTYPE_HOST,
                        .dstHost = back,
                        .dstPitch = W,
                        .dstHeight = H,
                        .WidthInBytes = 8,
                        .Height = 2,
                        .Depth = 2};
  CU(cuMemcpy3D(&down));
  for (size_t z = 0; z < 2; z++)
    for (size_t y = 0; y < 2; y++)
      for (size_t x = 0; x < 8; x++) CHECK(back[z][y][x] == pattern(x + 4, y + 1, z + 1));
  down.WidthInBytes = W + 4;
  SHOW(cuMemcpy3D(&down));
  CUDA_ARRAY3D_DESCRIPTOR told;
  CU(cuArray3DGetDescriptor(&told, a));
  printf("array %zu x %zu x %zu, format 0x%x, %u channels\n", told.Width, told.Height, told.Depth,
         (unsigned)told.Format, told.NumChannels);
  CUarray line;
  CUDA_ARRAY_DESCRIPTOR one = {.Width = 16, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
  float in[16], out[16];
  for (int i = 0; i < 16; i++) in[i] = (float)i;
  CU(cuArrayCreate(&line, &one));
  CU(cuMemcpyHtoA(line, 0, in, sizeof in));
  CU(cuMemcpyAtoH(out, line, 16, 32));
  printf("%g %g\n", out[0], out[7]);
  SHOW(cuMemcpyAtoH(out, line, 16, 64));
  one.NumChannels = 3;
  SHOW(cuArrayCreate(&line, &one));
  CU(cuArrayDestroy(line));
  CU(cuArrayDestroy(a));
  CU(cuArrayDestroy(b));
  CUmipmappedArray m;
  CUDA_ARRAY3D_DESCRIPTOR pyramid = {
      .Width = 16, .Height = 8, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
  CU(cuMipmappedArrayCreate(&m, &pyramid, 4));
  for (unsigned i = 0; i < 4; i++) {
    CU(cuMipmappedArrayGetLevel(&line, m, i));
    CU(cuArray3DGetDescriptor(&told, line));
    printf("level %u: %zu x %zu\n", i, told.Width, told.Height);
  }
  SHOW(cuMipmappedArrayGetLevel(&line, m, 4));
  CU(cuMipmappedArrayDestroy(m));
}

static void fills(void) {
  unsigned short host[64];
  CUdeviceptr p;
  CU(cuMemAlloc(&p, 128));
  CU(cuMemsetD16(p, 0x1234, 64));
  CU(cuMemsetD2D8(p, 16, 0xab, 3, 8));
  CU(cuMemsetD2D32(p + 8, 32, 0xdeadbeef, 1, 4));
  CU(cuMemcpyDtoH(host, p, sizeof host));
  for (int i = 0; i < 24; i++) printf("%04x ", host[i]);
  printf("\n");
  CU(cuMemcpyDtoD(p + 64, p, 32));
  CU(cuMemcpy((CUdeviceptr)host, p + 64, 32));
  printf("%04x %04x\n", host[0], host[4]);
  CU(cuMemFree(p));
}

int main(void) {
  kit_open();
  two_dimensions();
  arrays();
  fills();
  return kit_failed;
}
