/* Texture and surface references, which exist up to CUDA 11: `texture<float, 2> t;` at file level, bound to memory by name. What the
 * program has set in the reference (addressing and filtering) applies from the next binding on. A launch that is under way keeps the
 * binding that it was launched with, so binding waits for the device. */
#include "cuda/runtime/runtime.h"

#if RUNTIME_MAJOR == 11

struct textureReference {
  int normalized;
  enum cudaTextureFilterMode filterMode;
  enum cudaTextureAddressMode addressMode[3];
  struct cudaChannelFormatDesc channelDesc;
  int sRGB;
  unsigned maxAnisotropy;
  enum cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization;
  int reserved[14];
};
struct surfaceReference {
  struct cudaChannelFormatDesc channelDesc;
};
#define EXPORT(name, parameters)                                                                             \
  CUDA_EXPORT cudaError_t name parameters;                                                                   \
  CUDA_EXPORT cudaError_t name parameters

/* ---- textures ---- */

static CUresult set_modes(CUtexref t, const struct textureReference *r, bool as_float) {
  unsigned flags = (as_float ? 0 : CU_TRSF_READ_AS_INTEGER) | (r->normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0) |
                   (r->sRGB ? CU_TRSF_SRGB : 0);
  CUresult done = cuTexRefSetFlags(t, flags);
  for (int i = 0; i < 3 && done == CUDA_SUCCESS; i++) done = cuTexRefSetAddressMode(t, i, (CUaddress_mode)r->addressMode[i]);
  if (done == CUDA_SUCCESS) done = cuTexRefSetFilterMode(t, (CUfilter_mode)r->filterMode);
  if (done == CUDA_SUCCESS) done = cuTexRefSetMipmapFilterMode(t, (CUfilter_mode)r->mipmapFilterMode);
  if (done == CUDA_SUCCESS) done = cuTexRefSetMipmapLevelBias(t, r->mipmapLevelBias);
  if (done == CUDA_SUCCESS) done = cuTexRefSetMipmapLevelClamp(t, r->minMipmapLevelClamp, r->maxMipmapLevelClamp);
  return done == CUDA_SUCCESS ? cuTexRefSetMaxAnisotropy(t, r->maxAnisotropy) : done;
}

/* A new reference of the driver, with what the program has set and nothing bound. */
static cudaError_t begin(CUtexref *t, const struct textureReference *r) {
  struct rt_reference known;
  cudaError_t e = rt_reference(&known, r, false);
  if (e != cudaSuccess) return e;
  (void)cuCtxSynchronize(); /* a dead context is reported below */
  CUresult done = cuModuleGetTexRef(t, known.module, known.name);
  return done == CUDA_SUCCESS ? (cudaError_t)set_modes(*t, r, known.as_float) : (cudaError_t)done;
}

/* Replaces the program's previous reference by this one, unless binding failed. */
static cudaError_t end(CUtexref t, const struct textureReference *r, CUresult done) {
  CUtexref old = done == CUDA_SUCCESS ? rt_swap_reference(r, t) : t;
  if (old) (void)cuTexRefDestroy(old);
  return rt_done(done);
}

#define BIND_BEGIN(t, r)                                                                                     \
  RT_ENTER();                                                                                                \
  RT_NEED(r);                                                                                                \
  CUtexref t = NULL;                                                                                         \
  cudaError_t begun_ = begin(&t, r);                                                                         \
  if (begun_ != cudaSuccess) return rt_fail(begun_)

EXPORT(cudaBindTexture, (size_t * offset, const struct textureReference *r, const void *p,
                         const struct cudaChannelFormatDesc *d, size_t bytes)) {
  CUarray_format format;
  unsigned channels;
  CUdeviceptr base = 0;
  size_t all = 0;
  BIND_BEGIN(t, r);
  CUresult done = d && rt_format(&format, &channels, d) ? cuTexRefSetFormat(t, format, (int)channels) : CUDA_ERROR_INVALID_VALUE;
  if (done == CUDA_SUCCESS) done = cuMemGetAddressRange_v2(&base, &all, rt_ptr(p));
  size_t most = (size_t)(base + all - rt_ptr(p)); /* programs pass UINT_MAX for no size */
  if (done == CUDA_SUCCESS) done = cuTexRefSetAddress_v2(offset, t, rt_ptr(p), bytes < most ? bytes : most);
  return end(t, r, done);
}
EXPORT(cudaBindTexture2D, (size_t * offset, const struct textureReference *r, const void *p,
                           const struct cudaChannelFormatDesc *d, size_t width, size_t height, size_t pitch)) {
  CUDA_ARRAY_DESCRIPTOR a = {.Width = width, .Height = height};
  BIND_BEGIN(t, r);
  if (offset) *offset = 0;
  CUresult done = d && rt_format(&a.Format, &a.NumChannels, d) ? cuTexRefSetAddress2D_v3(t, &a, rt_ptr(p), pitch)
                                                               : CUDA_ERROR_INVALID_VALUE;
  return end(t, r, done);
}
EXPORT(cudaBindTextureToArray,
       (const struct textureReference *r, cudaArray_const_t a, const struct cudaChannelFormatDesc *d)) {
  (void)d; /* the array's own is used */
  BIND_BEGIN(t, r);
  return end(t, r, cuTexRefSetArray(t, rt_array(a), CU_TRSA_OVERRIDE_FORMAT));
}
EXPORT(cudaBindTextureToMipmappedArray,
       (const struct textureReference *r, cudaMipmappedArray_const_t a, const struct cudaChannelFormatDesc *d)) {
  (void)d;
  BIND_BEGIN(t, r);
  return end(t, r, cuTexRefSetMipmappedArray(t, (CUmipmappedArray)(uintptr_t)a, CU_TRSA_OVERRIDE_FORMAT));
}

EXPORT(cudaUnbindTexture, (const struct textureReference *r)) {
  struct rt_reference known;
  RT_ENTER();
  cudaError_t e = rt_reference(&known, r, false);
  if (e != cudaSuccess) return rt_fail(e);
  (void)cuCtxSynchronize();
  CUtexref old = rt_swap_reference(r, NULL);
  return old ? rt_done(cuTexRefDestroy(old)) : cudaSuccess;
}
EXPORT(cudaGetTextureAlignmentOffset, (size_t * offset, const struct textureReference *r)) {
  struct rt_reference known;
  RT_NEED(offset);
  RT_ENTER();
  cudaError_t e = rt_reference(&known, r, false);
  if (e != cudaSuccess) return rt_fail(e);
  if (!known.is_bound) return rt_fail(cudaErrorInvalidTextureBinding);
  *offset = 0;
  return cudaSuccess;
}
EXPORT(cudaGetTextureReference, (const struct textureReference **r, const void *symbol)) {
  struct rt_reference known;
  RT_NEED(r);
  RT_ENTER();
  cudaError_t e = rt_reference(&known, symbol, false);
  if (e == cudaSuccess) *r = symbol;
  return rt_fail(e);
}

/* ---- surfaces ---- */

EXPORT(cudaBindSurfaceToArray,
       (const struct surfaceReference *r, cudaArray_const_t a, const struct cudaChannelFormatDesc *d)) {
  struct rt_reference known;
  CUsurfref s = NULL;
  (void)d;
  RT_ENTER();
  cudaError_t e = rt_reference(&known, r, true);
  if (e != cudaSuccess) return rt_fail(e);
  (void)cuCtxSynchronize();
  CUresult done = cuModuleGetSurfRef(&s, known.module, known.name);
  return rt_done(done == CUDA_SUCCESS ? cuSurfRefSetArray(s, rt_array(a), 0) : done);
}
EXPORT(cudaGetSurfaceReference, (const struct surfaceReference **r, const void *symbol)) {
  struct rt_reference known;
  RT_NEED(r);
  RT_ENTER();
  cudaError_t e = rt_reference(&known, symbol, true);
  if (e == cudaSuccess) *r = symbol;
  return rt_fail(e);
}

#endif
