/* Arrays, textures and surfaces of the runtime, in terms of the driver's. */
#include "cuda/runtime/runtime.h"

#include <string.h>

/* ---- formats: bits of each channel and a kind, against one format and a count ---- */

CUDA_EXPORT struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                               enum cudaChannelFormatKind kind) {
  return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

bool rt_format(CUarray_format *format, unsigned *channels, const struct cudaChannelFormatDesc *d) {
  const int bits[4] = {d->x, d->y, d->z, d->w};
  *channels = 0;
  for (int i = 0; i < 4; i++) {
    if (!bits[i]) continue;
    if (bits[i] != d->x || (int)*channels != i) return false;
    ++*channels;
  }
  int size = d->x == 8 ? 0 : d->x == 16 ? 1 : d->x == 32 ? 2 : -1;
  if (size < 0 || *channels == 3) return false;
  static const CUarray_format of[3][3] = {
      {CU_AD_FORMAT_SIGNED_INT8, CU_AD_FORMAT_SIGNED_INT16, CU_AD_FORMAT_SIGNED_INT32},
      {CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_UNSIGNED_INT32},
      {0, CU_AD_FORMAT_HALF, CU_AD_FORMAT_FLOAT}};
  if ((unsigned)d->f > cudaChannelFormatKindFloat) return false;
  *format = of[d->f][size];
  return *format != 0;
}

struct cudaChannelFormatDesc rt_channel_desc(CUarray_format format, unsigned channels) {
  struct cudaChannelFormatDesc d = {0};
  int bits = 32;
  switch (format) {
  case CU_AD_FORMAT_SIGNED_INT8:
  case CU_AD_FORMAT_UNSIGNED_INT8: bits = 8; break;
  case CU_AD_FORMAT_SIGNED_INT16:
  case CU_AD_FORMAT_UNSIGNED_INT16:
  case CU_AD_FORMAT_HALF: bits = 16; break;
  default: break;
  }
  bool is_signed = format == CU_AD_FORMAT_SIGNED_INT8 || format == CU_AD_FORMAT_SIGNED_INT16 ||
                   format == CU_AD_FORMAT_SIGNED_INT32;
  bool is_float = format == CU_AD_FORMAT_HALF || format == CU_AD_FORMAT_FLOAT;
  d.f = is_float    ? cudaChannelFormatKindFloat
        : is_signed ? cudaChannelFormatKindSigned
                    : cudaChannelFormatKindUnsigned;
  d.x = bits;
  if (channels > 1) d.y = bits;
  if (channels > 2) d.z = bits;
  if (channels > 3) d.w = bits;
  return d;
}

/* ---- arrays ---- */

static cudaError_t describe(CUDA_ARRAY3D_DESCRIPTOR *out, const struct cudaChannelFormatDesc *d,
                            struct cudaExtent e, unsigned flags) {
  CUarray_format format;
  unsigned channels;
  if (!d || !rt_format(&format, &channels, d)) return cudaErrorInvalidChannelDescriptor;
  *out = (CUDA_ARRAY3D_DESCRIPTOR){.Width = e.width,
                                   .Height = e.height,
                                   .Depth = e.depth,
                                   .Format = format,
                                   .NumChannels = channels,
                                   .Flags = flags};
  return cudaSuccess;
}

CUDA_EXPORT cudaError_t cudaMalloc3DArray(cudaArray_t *out, const struct cudaChannelFormatDesc *d,
                                          struct cudaExtent e, unsigned flags) {
  RT_ENTER();
  CUDA_ARRAY3D_DESCRIPTOR desc;
  cudaError_t bad = describe(&desc, d, e, flags);
  return bad != cudaSuccess ? rt_fail(bad) : rt_done(cuArray3DCreate_v2((CUarray *)out, &desc));
}
CUDA_EXPORT cudaError_t cudaMallocArray(cudaArray_t *out, const struct cudaChannelFormatDesc *d, size_t width,
                                        size_t height, unsigned flags) {
  return cudaMalloc3DArray(out, d, (struct cudaExtent){width, height, 0}, flags);
}
CUDA_EXPORT cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *out,
                                                 const struct cudaChannelFormatDesc *d, struct cudaExtent e,
                                                 unsigned levels, unsigned flags) {
  RT_ENTER();
  CUDA_ARRAY3D_DESCRIPTOR desc;
  cudaError_t bad = describe(&desc, d, e, flags);
  return bad != cudaSuccess ? rt_fail(bad)
                            : rt_done(cuMipmappedArrayCreate((CUmipmappedArray *)out, &desc, levels));
}
CUDA_EXPORT cudaError_t cudaFreeArray(cudaArray_t a) {
  RT_ENTER();
  return a ? rt_done(cuArrayDestroy(rt_array(a))) : cudaSuccess;
}
CUDA_EXPORT cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t m) {
  RT_ENTER();
  return m ? rt_done(cuMipmappedArrayDestroy((CUmipmappedArray)(void *)m)) : cudaSuccess;
}
RT(cudaGetMipmappedArrayLevel, (cudaArray_t * out, cudaMipmappedArray_const_t m, unsigned level),
   cuMipmappedArrayGetLevel((CUarray *)out, (CUmipmappedArray)(uintptr_t)m, level))
RT(cudaArrayGetPlane, (cudaArray_t * out, cudaArray_t a, unsigned plane),
   cuArrayGetPlane((CUarray *)out, rt_array(a), plane))
RT(cudaArrayGetMemoryRequirements, (struct cudaArrayMemoryRequirements * out, cudaArray_t a, int device),
   cuArrayGetMemoryRequirements((CUDA_ARRAY_MEMORY_REQUIREMENTS *)out, rt_array(a), device))

CUDA_EXPORT cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *d, struct cudaExtent *e,
                                         unsigned *flags, cudaArray_t a) {
  RT_ENTER();
  CUDA_ARRAY3D_DESCRIPTOR desc;
  CUresult r = cuArray3DGetDescriptor_v2(&desc, rt_array(a));
  if (r != CUDA_SUCCESS) return rt_done(r);
  if (d) *d = rt_channel_desc(desc.Format, desc.NumChannels);
  if (e) *e = (struct cudaExtent){desc.Width, desc.Height, desc.Depth};
  if (flags) *flags = desc.Flags;
  return cudaSuccess;
}
CUDA_EXPORT cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *d, cudaArray_const_t a) {
  RT_NEED(d);
  return cudaArrayGetInfo(d, NULL, NULL, (cudaArray_t)(uintptr_t)a);
}

/* ---- resources ---- */

static cudaError_t to_driver(CUDA_RESOURCE_DESC *out, const struct cudaResourceDesc *r) {
  CUarray_format format = 0;
  unsigned channels = 0;
  *out = (CUDA_RESOURCE_DESC){.resType = (CUresourcetype)r->resType};
  switch (r->resType) {
  case cudaResourceTypeArray: out->res.array.hArray = rt_array(r->res.array.array); return cudaSuccess;
  case cudaResourceTypeMipmappedArray:
    out->res.mipmap.hMipmappedArray = (CUmipmappedArray)(void *)r->res.mipmap.mipmap;
    return cudaSuccess;
  case cudaResourceTypeLinear:
    if (!rt_format(&format, &channels, &r->res.linear.desc)) return cudaErrorInvalidChannelDescriptor;
    out->res.linear.devPtr = rt_ptr(r->res.linear.devPtr);
    out->res.linear.format = format;
    out->res.linear.numChannels = channels;
    out->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
    return cudaSuccess;
  case cudaResourceTypePitch2D:
    if (!rt_format(&format, &channels, &r->res.pitch2D.desc)) return cudaErrorInvalidChannelDescriptor;
    out->res.pitch2D.devPtr = rt_ptr(r->res.pitch2D.devPtr);
    out->res.pitch2D.format = format;
    out->res.pitch2D.numChannels = channels;
    out->res.pitch2D.width = r->res.pitch2D.width;
    out->res.pitch2D.height = r->res.pitch2D.height;
    out->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
    return cudaSuccess;
  default: return cudaErrorInvalidValue;
  }
}

static void from_driver(struct cudaResourceDesc *out, const CUDA_RESOURCE_DESC *r) {
  memset(out, 0, RT_RESOURCE_BYTES);
  out->resType = (enum cudaResourceType)r->resType;
  switch (r->resType) {
  case CU_RESOURCE_TYPE_ARRAY: out->res.array.array = (cudaArray_t)(void *)r->res.array.hArray; break;
  case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
    out->res.mipmap.mipmap = (cudaMipmappedArray_t)(void *)r->res.mipmap.hMipmappedArray;
    break;
  case CU_RESOURCE_TYPE_LINEAR:
    out->res.linear.devPtr = (void *)(uintptr_t)r->res.linear.devPtr;
    out->res.linear.desc = rt_channel_desc(r->res.linear.format, r->res.linear.numChannels);
    out->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
    break;
  default:
    out->res.pitch2D.devPtr = (void *)(uintptr_t)r->res.pitch2D.devPtr;
    out->res.pitch2D.desc = rt_channel_desc(r->res.pitch2D.format, r->res.pitch2D.numChannels);
    out->res.pitch2D.width = r->res.pitch2D.width;
    out->res.pitch2D.height = r->res.pitch2D.height;
    out->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
  }
}

/* ---- textures ---- */

static CUDA_TEXTURE_DESC sampling(const struct cudaTextureDesc *d) {
  CUDA_TEXTURE_DESC t = {.filterMode = (CUfilter_mode)d->filterMode,
                         .maxAnisotropy = d->maxAnisotropy,
                         .mipmapFilterMode = (CUfilter_mode)d->mipmapFilterMode,
                         .mipmapLevelBias = d->mipmapLevelBias,
                         .minMipmapLevelClamp = d->minMipmapLevelClamp,
                         .maxMipmapLevelClamp = d->maxMipmapLevelClamp};
  for (int i = 0; i < 3; i++) t.addressMode[i] = (CUaddress_mode)d->addressMode[i];
  memcpy(t.borderColor, d->borderColor, sizeof t.borderColor);
  if (d->readMode == cudaReadModeElementType) t.flags |= CU_TRSF_READ_AS_INTEGER;
  if (d->normalizedCoords) t.flags |= CU_TRSF_NORMALIZED_COORDINATES;
  if (d->sRGB) t.flags |= CU_TRSF_SRGB;
  if (d->disableTrilinearOptimization) t.flags |= CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;
  if (d->seamlessCubemap) t.flags |= CU_TRSF_SEAMLESS_CUBEMAP;
  return t;
}

CUDA_EXPORT cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out, const struct cudaResourceDesc *r,
                                                const struct cudaTextureDesc *d,
                                                const struct cudaResourceViewDesc *v) {
  RT_ENTER();
  RT_NEED(out && r && d);
  CUDA_RESOURCE_DESC resource;
  cudaError_t e = to_driver(&resource, r);
  if (e != cudaSuccess) return rt_fail(e);
  CUDA_TEXTURE_DESC t = sampling(d);
  CUDA_RESOURCE_VIEW_DESC view = {0};
  if (v) memcpy(&view, v, RT_VIEW_BYTES);
  return rt_done(cuTexObjectCreate(out, &resource, &t, v ? &view : NULL));
}
RT(cudaDestroyTextureObject, (cudaTextureObject_t t), t ? cuTexObjectDestroy(t) : CUDA_SUCCESS)

CUDA_EXPORT cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *out,
                                                         cudaTextureObject_t t) {
  RT_ENTER();
  RT_NEED(out);
  CUDA_RESOURCE_DESC r;
  CUresult result = cuTexObjectGetResourceDesc(&r, t);
  if (result == CUDA_SUCCESS) from_driver(out, &r);
  return rt_done(result);
}
CUDA_EXPORT cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *out,
                                                        cudaTextureObject_t handle) {
  RT_ENTER();
  RT_NEED(out);
  CUDA_TEXTURE_DESC t;
  CUresult r = cuTexObjectGetTextureDesc(&t, handle);
  if (r != CUDA_SUCCESS) return rt_done(r);
  *out = (struct cudaTextureDesc){
      .filterMode = (enum cudaTextureFilterMode)t.filterMode,
      .readMode = t.flags & CU_TRSF_READ_AS_INTEGER ? cudaReadModeElementType : cudaReadModeNormalizedFloat,
      .sRGB = (t.flags & CU_TRSF_SRGB) != 0,
      .normalizedCoords = (t.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
      .maxAnisotropy = t.maxAnisotropy,
      .mipmapFilterMode = (enum cudaTextureFilterMode)t.mipmapFilterMode,
      .mipmapLevelBias = t.mipmapLevelBias,
      .minMipmapLevelClamp = t.minMipmapLevelClamp,
      .maxMipmapLevelClamp = t.maxMipmapLevelClamp,
      .disableTrilinearOptimization = (t.flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0,
      .seamlessCubemap = (t.flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0};
  for (int i = 0; i < 3; i++) out->addressMode[i] = (enum cudaTextureAddressMode)t.addressMode[i];
  memcpy(out->borderColor, t.borderColor, sizeof t.borderColor);
  return cudaSuccess;
}
CUDA_EXPORT cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *out, cudaTextureObject_t t) {
  RT_ENTER();
  RT_NEED(out);
  CUDA_RESOURCE_VIEW_DESC view;
  CUresult r = cuTexObjectGetResourceViewDesc(&view, t);
  if (r == CUDA_SUCCESS) memcpy(out, &view, RT_VIEW_BYTES);
  return rt_done(r);
}

/* ---- surfaces ---- */

CUDA_EXPORT cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *out, const struct cudaResourceDesc *r) {
  RT_ENTER();
  RT_NEED(out && r);
  CUDA_RESOURCE_DESC resource;
  cudaError_t e = to_driver(&resource, r);
  return e != cudaSuccess ? rt_fail(e) : rt_done(cuSurfObjectCreate(out, &resource));
}
RT(cudaDestroySurfaceObject, (cudaSurfaceObject_t s), s ? cuSurfObjectDestroy(s) : CUDA_SUCCESS)
CUDA_EXPORT cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *out,
                                                         cudaSurfaceObject_t s) {
  RT_ENTER();
  RT_NEED(out);
  CUDA_RESOURCE_DESC r;
  CUresult result = cuSurfObjectGetResourceDesc(&r, s);
  if (result == CUDA_SUCCESS) from_driver(out, &r);
  return rt_done(result);
}
