/* Texture and surface objects: what can be made from what, and that it is told back. */
#include "cuda_kit.h"

int main(void) {
  kit_open();
  CUarray a;
  CUDA_ARRAY3D_DESCRIPTOR d = {.Width = 16,
                               .Height = 16,
                               .Format = CU_AD_FORMAT_FLOAT,
                               .NumChannels = 4,
                               .Flags = CUDA_ARRAY3D_SURFACE_LDST};
  CU(cuArray3DCreate(&a, &d));
  CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = a}, told;
  CUDA_TEXTURE_DESC t = {.addressMode = {CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_CLAMP,
                                         CU_TR_ADDRESS_MODE_BORDER},
                         .filterMode = CU_TR_FILTER_MODE_LINEAR,
                         .flags = CU_TRSF_NORMALIZED_COORDINATES},
                    told_t;
  CUtexObject tex, linear;
  CUsurfObject surf;
  CU(cuTexObjectCreate(&tex, &r, &t, NULL));
  CHECK(tex != 0);
  CU(cuTexObjectGetResourceDesc(&told, tex));
  CU(cuTexObjectGetTextureDesc(&told_t, tex));
  printf("array told back %d, filter %d, flags %u\n", told.res.array.hArray == a, (int)told_t.filterMode,
         told_t.flags);
  CU(cuSurfObjectCreate(&surf, &r));
  CUdeviceptr p;
  CU(cuMemAlloc(&p, 4096));
  CUDA_RESOURCE_DESC l = {
      .resType = CU_RESOURCE_TYPE_LINEAR,
      .res.linear = {
          .devPtr = p, .format = CU_AD_FORMAT_UNSIGNED_INT32, .numChannels = 1, .sizeInBytes = 4096}};
  t = (CUDA_TEXTURE_DESC){.flags = CU_TRSF_READ_AS_INTEGER};
  CU(cuTexObjectCreate(&linear, &l, &t, NULL));
  SHOW(cuSurfObjectCreate(&surf, &l));
  l.res.linear.numChannels = 3;
  SHOW(cuTexObjectCreate(&linear, &l, &t, NULL));
  CU(cuTexObjectDestroy(tex));
  CU(cuSurfObjectDestroy(surf));
  CU(cuArrayDestroy(a));
  return kit_failed;
}
