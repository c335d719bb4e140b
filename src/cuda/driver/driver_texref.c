/* Texture and surface references, which texture objects have replaced: a descriptor whose handle is in the module's .texref or .surfref
 * variable. What is bound to a reference is described as for an object (driver_texture.c). */
#include "cuda/state.h"

#include <string.h>

struct CUtexref_st {
  struct cuda_object o;
  uint64_t variable; /* receives the handle */
  uint64_t handle;   /* 0: nothing bound */
  CUDA_RESOURCE_DESC resource;
  CUDA_TEXTURE_DESC texture;
  bool bound;
};

static CUresult reference(struct CUtexref_st **out, CUmodule m, const char *name, enum ptx_type type,
                          enum cuda_kind kind) {
  NEED(out && name);
  if (!cuda_is(m, CUDA_K_MODULE)) return CUDA_ERROR_INVALID_HANDLE;
  int32_t i = ptx_find_var(&m->m.ptx, name);
  if (i < 0 || m->m.ptx.vars[i].type != type) return CUDA_ERROR_NOT_FOUND;
  struct CUtexref_st *r = cuda_object_new(kind, m->o.ctx, sizeof *r);
  r->variable = m->m.var_address[i];
  for (int k = 0; k < 3; k++) r->texture.addressMode[k] = CU_TR_ADDRESS_MODE_CLAMP;
  *out = r;
  return CUDA_SUCCESS;
}

/* Makes a new descriptor after any change. */
static CUresult rebind(struct CUtexref_st *r, bool surface) {
  if (!r->bound) return CUDA_SUCCESS;
  struct exec_texture t = {.surface = surface};
  CHECK(cuda_describe_resource(&t, &r->resource));
  if (!surface) CHECK(cuda_describe_sampling(&t, &r->texture));
  if (!r->handle)
    r->handle = exec_texture_add(&t);
  else
    exec_texture_change(r->handle, &t);
  if (r->variable && cuda_range_ok(r->variable, 8)) memcpy(exec_mem_ptr(r->variable), &r->handle, 8);
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuModuleGetTexRef(CUtexref *out, CUmodule m, const char *name) {
  ENTER_CONTEXT(ctx);
  (void)ctx;
  return reference(out, m, name, PTX_TEXREF, CUDA_K_TEXREF);
}
CUDA_EXPORT CUresult cuModuleGetSurfRef(CUsurfref *out, CUmodule m, const char *name) {
  ENTER_CONTEXT(ctx);
  (void)ctx;
  struct CUtexref_st *r;
  NEED(out);
  CHECK(reference(&r, m, name, PTX_SURFREF, CUDA_K_SURFREF));
  *out = (CUsurfref)(void *)r;
  return CUDA_SUCCESS;
}

#define ENTER_TEXREF(r)                                                                                      \
  ENTER_CONTEXT(ctx);                                                                                        \
  (void)ctx;                                                                                                 \
  if (!cuda_is(r, CUDA_K_TEXREF)) return CUDA_ERROR_INVALID_HANDLE

CUDA_EXPORT CUresult cuTexRefCreate(CUtexref *out) {
  ENTER_CONTEXT(ctx);
  NEED(out);
  *out = cuda_object_new(CUDA_K_TEXREF, ctx, sizeof **out);
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuTexRefDestroy(CUtexref r) {
  ENTER_TEXREF(r);
  if (r->handle) exec_texture_remove(r->handle);
  cuda_object_delete(r);
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuTexRefSetArray(CUtexref r, CUarray a, unsigned flags) {
  ENTER_TEXREF(r);
  NEED(flags == CU_TRSA_OVERRIDE_FORMAT);
  r->resource = (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = a};
  r->bound = true;
  return rebind(r, false);
}
CUDA_EXPORT CUresult cuTexRefSetMipmappedArray(CUtexref r, CUmipmappedArray m, unsigned flags) {
  ENTER_TEXREF(r);
  NEED(flags == CU_TRSA_OVERRIDE_FORMAT);
  r->resource =
      (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, .res.mipmap.hMipmappedArray = m};
  r->bound = true;
  return rebind(r, false);
}
/* The format may be set before the memory; both are kept in one place. */
CUDA_EXPORT CUresult cuTexRefSetFormat(CUtexref r, CUarray_format format, int channels) {
  ENTER_TEXREF(r);
  NEED(cuda_channels_ok((unsigned)channels));
  if (r->resource.resType == CU_RESOURCE_TYPE_PITCH2D) return CUDA_ERROR_INVALID_VALUE;
  r->resource.resType = CU_RESOURCE_TYPE_LINEAR;
  r->resource.res.linear.format = format;
  r->resource.res.linear.numChannels = (unsigned)channels;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuTexRefSetAddress_v2(size_t *offset, CUtexref r, CUdeviceptr at, size_t bytes) {
  ENTER_TEXREF(r);
  NEED(r->resource.resType == CU_RESOURCE_TYPE_LINEAR);
  if (offset) *offset = 0;
  r->resource.res.linear.devPtr = at;
  r->resource.res.linear.sizeInBytes = bytes;
  r->bound = true;
  return rebind(r, false);
}
static CUresult set_address_2d(CUtexref r, const CUDA_ARRAY_DESCRIPTOR *d, CUdeviceptr at, size_t pitch) {
  ENTER_TEXREF(r);
  NEED(d);
  r->resource = (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_PITCH2D,
                                     .res.pitch2D = {.devPtr = at,
                                                     .format = d->Format,
                                                     .numChannels = d->NumChannels,
                                                     .width = d->Width,
                                                     .height = d->Height,
                                                     .pitchInBytes = pitch}};
  r->bound = true;
  return rebind(r, false);
}
CUDA_EXPORT CUresult cuTexRefSetAddress2D_v3(CUtexref r, const CUDA_ARRAY_DESCRIPTOR *d, CUdeviceptr at,
                                             size_t pitch) {
  return set_address_2d(r, d, at, pitch);
}
CUDA_EXPORT CUresult cuTexRefSetAddressMode(CUtexref r, int dim, CUaddress_mode mode) {
  ENTER_TEXREF(r);
  NEED(dim >= 0 && dim < 3 && (unsigned)mode <= CU_TR_ADDRESS_MODE_BORDER);
  r->texture.addressMode[dim] = mode;
  return rebind(r, false);
}
CUDA_EXPORT CUresult cuTexRefSetFilterMode(CUtexref r, CUfilter_mode mode) {
  ENTER_TEXREF(r);
  NEED((unsigned)mode <= CU_TR_FILTER_MODE_LINEAR);
  r->texture.filterMode = mode;
  return rebind(r, false);
}
CUDA_EXPORT CUresult cuTexRefSetFlags(CUtexref r, unsigned flags) {
  ENTER_TEXREF(r);
  r->texture.flags = flags;
  return rebind(r, false);
}
CUDA_EXPORT CUresult cuTexRefSetBorderColor(CUtexref r, float *color) {
  ENTER_TEXREF(r);
  NEED(color);
  memcpy(r->texture.borderColor, color, sizeof r->texture.borderColor);
  return rebind(r, false);
}
CUDA_EXPORT CUresult cuTexRefSetMaxAnisotropy(CUtexref r, unsigned n) {
  ENTER_TEXREF(r);
  r->texture.maxAnisotropy = n;
  return rebind(r, false);
}
CUDA_EXPORT CUresult cuTexRefGetArray(CUarray *out, CUtexref r) {
  ENTER_TEXREF(r);
  NEED(out && r->bound && r->resource.resType == CU_RESOURCE_TYPE_ARRAY);
  *out = r->resource.res.array.hArray;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuTexRefGetAddressMode(CUaddress_mode *out, CUtexref r, int dim) {
  ENTER_TEXREF(r);
  NEED(out && dim >= 0 && dim < 3);
  *out = r->texture.addressMode[dim];
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuTexRefGetFilterMode(CUfilter_mode *out, CUtexref r) {
  ENTER_TEXREF(r);
  NEED(out);
  *out = r->texture.filterMode;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuTexRefGetFlags(unsigned *out, CUtexref r) {
  ENTER_TEXREF(r);
  NEED(out);
  *out = r->texture.flags;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuTexRefSetMipmapFilterMode(CUtexref r, CUfilter_mode mode) {
  ENTER_TEXREF(r);
  NEED((unsigned)mode <= CU_TR_FILTER_MODE_LINEAR);
  r->texture.mipmapFilterMode = mode;
  return rebind(r, false);
}
CUDA_EXPORT CUresult cuTexRefSetMipmapLevelBias(CUtexref r, float bias) {
  ENTER_TEXREF(r);
  r->texture.mipmapLevelBias = bias;
  return rebind(r, false);
}
CUDA_EXPORT CUresult cuTexRefSetMipmapLevelClamp(CUtexref r, float least, float most) {
  ENTER_TEXREF(r);
  r->texture.minMipmapLevelClamp = least;
  r->texture.maxMipmapLevelClamp = most;
  return rebind(r, false);
}
CUDA_EXPORT CUresult cuTexRefGetFormat(CUarray_format *format, int *channels, CUtexref r) {
  ENTER_TEXREF(r);
  NEED(r->resource.resType == CU_RESOURCE_TYPE_LINEAR);
  if (format) *format = r->resource.res.linear.format;
  if (channels) *channels = (int)r->resource.res.linear.numChannels;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuTexRefGetAddress_v2(CUdeviceptr *out, CUtexref r) {
  ENTER_TEXREF(r);
  NEED(out && r->bound && r->resource.resType == CU_RESOURCE_TYPE_LINEAR);
  *out = r->resource.res.linear.devPtr;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuSurfRefSetArray(CUsurfref handle, CUarray a, unsigned flags) {
  ENTER_CONTEXT(ctx);
  (void)ctx;
  NEED(!flags);
  if (!cuda_is(handle, CUDA_K_SURFREF)) return CUDA_ERROR_INVALID_HANDLE;
  struct CUtexref_st *r = (struct CUtexref_st *)(void *)handle;
  r->resource = (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = a};
  r->bound = true;
  return rebind(r, true);
}
CUDA_EXPORT CUresult cuSurfRefGetArray(CUarray *out, CUsurfref handle) {
  ENTER_CONTEXT(ctx);
  (void)ctx;
  if (!cuda_is(handle, CUDA_K_SURFREF)) return CUDA_ERROR_INVALID_HANDLE;
  const struct CUtexref_st *r = (const struct CUtexref_st *)(const void *)handle;
  NEED(out && r->bound);
  *out = r->resource.res.array.hArray;
  return CUDA_SUCCESS;
}
/* The reference is found by name; a launch has nothing to pass. */
CUDA_EXPORT CUresult cuParamSetTexRef(CUfunction f, int unit, CUtexref r) {
  ENTER_TEXREF(r);
  NEED(cuda_is(f, CUDA_K_FUNCTION) && unit == CU_PARAM_TR_DEFAULT);
  return CUDA_SUCCESS;
}
