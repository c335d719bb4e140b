/* Arrays, mipmapped arrays, texture and surface objects.
 *
 * An array's texels are stored row by row in device memory (exec/texture/texture.h). Formats of one component type with one, two or four
 * channels are supported; packed, block-compressed and video formats are refused. */
#include "base/arena.h"
#include "cuda/state.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

/* ---- formats ---- */

static bool format_of(CUarray_format f, enum exec_texel *texel, uint32_t *bytes) {
  switch (f) {
  case CU_AD_FORMAT_UNSIGNED_INT8:
    *texel = EXEC_TEXEL_U8;
    *bytes = 1;
    return true;
  case CU_AD_FORMAT_UNSIGNED_INT16:
    *texel = EXEC_TEXEL_U16;
    *bytes = 2;
    return true;
  case CU_AD_FORMAT_UNSIGNED_INT32:
    *texel = EXEC_TEXEL_U32;
    *bytes = 4;
    return true;
  case CU_AD_FORMAT_SIGNED_INT8:
    *texel = EXEC_TEXEL_S8;
    *bytes = 1;
    return true;
  case CU_AD_FORMAT_SIGNED_INT16:
    *texel = EXEC_TEXEL_S16;
    *bytes = 2;
    return true;
  case CU_AD_FORMAT_SIGNED_INT32:
    *texel = EXEC_TEXEL_S32;
    *bytes = 4;
    return true;
  case CU_AD_FORMAT_HALF:
    *texel = EXEC_TEXEL_F16;
    *bytes = 2;
    return true;
  case CU_AD_FORMAT_FLOAT:
    *texel = EXEC_TEXEL_F32;
    *bytes = 4;
    return true;
  default: return false;
  }
}

bool cuda_channels_ok(unsigned n) { return n == 1 || n == 2 || n == 4; }

/* ---- arrays ---- */

static CUresult check_array(const CUDA_ARRAY3D_DESCRIPTOR *d) {
  enum exec_texel texel;
  uint32_t bytes;
  NEED(d && d->Width && cuda_channels_ok(d->NumChannels));
  if (!format_of(d->Format, &texel, &bytes)) {
    cuda_say("arrays of format 0x%x are not supported", (unsigned)d->Format);
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  if (d->Flags & (CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING)) return CUDA_ERROR_NOT_SUPPORTED;
  bool layered = d->Flags & CUDA_ARRAY3D_LAYERED, cube = d->Flags & CUDA_ARRAY3D_CUBEMAP;
  NEED(d->Width <= 131072 && d->Height <= 65536 && d->Depth <= 16384);
  if (cube) NEED(d->Width == d->Height && d->Depth && d->Depth % 6 == 0 && (layered || d->Depth == 6));
  if (layered) NEED(d->Depth);
  if (!layered && !cube) NEED(!d->Depth || d->Height);
  return CUDA_SUCCESS;
}

static uint32_t at_least_one(size_t n) { return n ? (uint32_t)n : 1; }

static struct CUarray_st *array_new(const CUDA_ARRAY3D_DESCRIPTOR *d, struct CUctx_st *ctx) {
  struct CUarray_st *a = cuda_object_new(CUDA_K_ARRAY, ctx, sizeof *a);
  enum exec_texel texel;
  uint32_t bytes = 0;
  format_of(d->Format, &texel, &bytes);
  a->desc = *d;
  a->texel_bytes = bytes * d->NumChannels;
  a->width = at_least_one(d->Width);
  a->height = at_least_one(d->Height);
  a->depth = at_least_one(d->Depth);
  return a;
}

static CUresult give_storage(struct CUarray_st *a) {
  struct cuda_block *b;
  CHECK(cuda_allocate(&b, (uint64_t)a->width * a->height * a->depth * a->texel_bytes, CUDA_B_ARRAY, NULL));
  a->base = b->base;
  return CUDA_SUCCESS;
}

void cuda_array_delete(void *array) {
  struct CUarray_st *a = array;
  struct cuda_block *b = cuda_block_at(a->base);
  if (b && b->kind == CUDA_B_ARRAY) cuda_block_free(b);
  cuda_object_delete(a);
}

CUDA_EXPORT CUresult cuArray3DCreate_v2(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *d) {
  ENTER_CONTEXT(ctx);
  NEED(out);
  CHECK(check_array(d));
  CHECK(cuda_capture_forbids());
  struct CUarray_st *a = array_new(d, ctx);
  CUresult r = give_storage(a);
  if (r != CUDA_SUCCESS)
    cuda_object_delete(a);
  else
    *out = a;
  return r;
}
CUDA_EXPORT CUresult cuArrayCreate_v2(CUarray *out, const CUDA_ARRAY_DESCRIPTOR *d) {
  NEED(d);
  CUDA_ARRAY3D_DESCRIPTOR d3 = {
      .Width = d->Width, .Height = d->Height, .Format = d->Format, .NumChannels = d->NumChannels};
  return cuArray3DCreate_v2(out, &d3);
}
CUDA_EXPORT CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *d, CUarray a) {
  ENTER_CONTEXT(ctx);
  (void)ctx;
  NEED(d);
  if (!cuda_is(a, CUDA_K_ARRAY)) return CUDA_ERROR_INVALID_HANDLE;
  *d = a->desc;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *d, CUarray a) {
  CUDA_ARRAY3D_DESCRIPTOR d3;
  NEED(d);
  CHECK(cuArray3DGetDescriptor_v2(&d3, a));
  *d = (CUDA_ARRAY_DESCRIPTOR){
      .Width = d3.Width, .Height = d3.Height, .Format = d3.Format, .NumChannels = d3.NumChannels};
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuArrayDestroy(CUarray a) {
  ENTER_CONTEXT(ctx);
  if (!cuda_is(a, CUDA_K_ARRAY)) return CUDA_ERROR_INVALID_HANDLE;
  if (a->mipmap) return CUDA_ERROR_INVALID_HANDLE;
  CHECK(cuda_capture_forbids());
  CHECK(cuda_drain(ctx, NULL));
  cuda_array_delete(a);
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuArrayGetPlane(CUarray *out, CUarray a, unsigned plane) {
  ENTER_CONTEXT(ctx);
  (void)ctx, (void)plane;
  NEED(out);
  if (!cuda_is(a, CUDA_K_ARRAY)) return CUDA_ERROR_INVALID_HANDLE;
  return CUDA_ERROR_INVALID_VALUE; /* arrays have no planes here */
}
CUDA_EXPORT CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *out, CUarray a,
                                                  CUdevice device) {
  ENTER_CONTEXT(ctx);
  (void)ctx;
  NEED(out);
  NEED_DEVICE(device);
  if (!cuda_is(a, CUDA_K_ARRAY)) return CUDA_ERROR_INVALID_HANDLE;
  *out = (CUDA_ARRAY_MEMORY_REQUIREMENTS){.size = (size_t)a->width * a->height * a->depth * a->texel_bytes,
                                          .alignment = 512};
  return CUDA_SUCCESS;
}

/* ---- mipmapped arrays ---- */

static uint32_t most_levels(const CUDA_ARRAY3D_DESCRIPTOR *d) {
  bool volume = !(d->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP));
  size_t side = d->Width > d->Height ? d->Width : d->Height;
  if (volume && d->Depth > side) side = d->Depth;
  uint32_t n = 1;
  while (side >>= 1) n++;
  return n < EXEC_TEX_LEVELS ? n : EXEC_TEX_LEVELS;
}

static CUDA_ARRAY3D_DESCRIPTOR level_desc(const CUDA_ARRAY3D_DESCRIPTOR *d, uint32_t level) {
  CUDA_ARRAY3D_DESCRIPTOR l = *d;
  l.Width = at_least_one(d->Width >> level);
  if (d->Height) l.Height = at_least_one(d->Height >> level);
  if (d->Depth && !(d->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)))
    l.Depth = at_least_one(d->Depth >> level);
  return l;
}

void cuda_mipmap_delete(void *mipmap) {
  struct CUmipmappedArray_st *m = mipmap;
  for (uint32_t i = 0; i < m->n_levels; i++)
    if (m->levels[i]) cuda_array_delete(m->levels[i]);
  cuda_object_delete(m);
}

CUDA_EXPORT CUresult cuMipmappedArrayCreate(CUmipmappedArray *out, const CUDA_ARRAY3D_DESCRIPTOR *d,
                                            unsigned levels) {
  ENTER_CONTEXT(ctx);
  NEED(out && levels);
  CHECK(check_array(d));
  CHECK(cuda_capture_forbids());
  struct CUmipmappedArray_st *m = cuda_object_new(CUDA_K_MIPMAP, ctx, sizeof *m);
  m->desc = *d;
  m->n_levels = levels < most_levels(d) ? levels : most_levels(d);
  for (uint32_t i = 0; i < m->n_levels; i++) {
    CUDA_ARRAY3D_DESCRIPTOR l = level_desc(d, i);
    m->levels[i] = array_new(&l, ctx);
    m->levels[i]->mipmap = m;
    CUresult r = give_storage(m->levels[i]);
    if (r == CUDA_SUCCESS) continue;
    cuda_mipmap_delete(m);
    return r;
  }
  *out = m;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuMipmappedArrayGetLevel(CUarray *out, CUmipmappedArray m, unsigned level) {
  ENTER_CONTEXT(ctx);
  (void)ctx;
  NEED(out);
  if (!cuda_is(m, CUDA_K_MIPMAP)) return CUDA_ERROR_INVALID_HANDLE;
  NEED(level < m->n_levels);
  *out = m->levels[level];
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuMipmappedArrayDestroy(CUmipmappedArray m) {
  ENTER_CONTEXT(ctx);
  if (!cuda_is(m, CUDA_K_MIPMAP)) return CUDA_ERROR_INVALID_HANDLE;
  CHECK(cuda_capture_forbids());
  CHECK(cuda_drain(ctx, NULL));
  cuda_mipmap_delete(m);
  return CUDA_SUCCESS;
}

/* ---- descriptors ---- */

static struct exec_texture_level level_of(const struct CUarray_st *a) {
  uint64_t row = (uint64_t)a->width * a->texel_bytes;
  return (struct exec_texture_level){.base = a->base,
                                     .width = a->width,
                                     .height = a->height,
                                     .depth = a->depth,
                                     .row_bytes = row,
                                     .slice_bytes = row * a->height};
}

static enum exec_texture_shape shape_of(const CUDA_ARRAY3D_DESCRIPTOR *d) {
  bool layered = d->Flags & CUDA_ARRAY3D_LAYERED;
  if (d->Flags & CUDA_ARRAY3D_CUBEMAP) return layered ? EXEC_TEX_CUBE_LAYERED : EXEC_TEX_CUBE;
  if (layered) return d->Height ? EXEC_TEX_2D_LAYERED : EXEC_TEX_1D_LAYERED;
  return d->Depth ? EXEC_TEX_3D : d->Height ? EXEC_TEX_2D : EXEC_TEX_1D;
}

static CUresult describe_format(struct exec_texture *t, CUarray_format format, unsigned channels) {
  enum exec_texel texel;
  uint32_t bytes;
  NEED(cuda_channels_ok(channels) && format_of(format, &texel, &bytes));
  t->texel = (uint8_t)texel;
  t->channels = (uint8_t)channels;
  t->texel_bytes = (uint8_t)(bytes * channels);
  return CUDA_SUCCESS;
}

static CUresult describe_array(struct exec_texture *t, CUarray a) {
  if (!cuda_is(a, CUDA_K_ARRAY)) return CUDA_ERROR_INVALID_HANDLE;
  t->shape = (uint8_t)shape_of(&a->desc);
  t->n_levels = 1;
  t->levels[0] = level_of(a);
  return describe_format(t, a->desc.Format, a->desc.NumChannels);
}

static CUresult describe_mipmap(struct exec_texture *t, CUmipmappedArray m) {
  if (!cuda_is(m, CUDA_K_MIPMAP)) return CUDA_ERROR_INVALID_HANDLE;
  t->shape = (uint8_t)shape_of(&m->desc);
  t->n_levels = m->n_levels;
  for (uint32_t i = 0; i < m->n_levels; i++) t->levels[i] = level_of(m->levels[i]);
  return describe_format(t, m->desc.Format, m->desc.NumChannels);
}

static CUresult describe_linear(struct exec_texture *t, CUdeviceptr at, size_t width, size_t height,
                                size_t pitch) {
  NEED(at && width && width <= UINT32_MAX && height <= 65000 && at % 16 == 0);
  size_t row = width * t->texel_bytes;
  if (height) NEED(pitch >= row && pitch % 32 == 0 && pitch < 1u << 30);
  NEED(cuda_range_ok(at, height ? (height - 1) * pitch + row : row));
  t->shape = height ? EXEC_TEX_2D : EXEC_TEX_BUFFER;
  t->n_levels = 1;
  t->levels[0] = (struct exec_texture_level){.base = at,
                                             .width = (uint32_t)width,
                                             .height = at_least_one(height),
                                             .depth = 1,
                                             .row_bytes = height ? pitch : row,
                                             .slice_bytes = height ? pitch * height : row};
  return CUDA_SUCCESS;
}

CUresult cuda_describe_resource(struct exec_texture *t, const CUDA_RESOURCE_DESC *r) {
  switch (r->resType) {
  case CU_RESOURCE_TYPE_ARRAY: return describe_array(t, r->res.array.hArray);
  case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY: return describe_mipmap(t, r->res.mipmap.hMipmappedArray);
  case CU_RESOURCE_TYPE_LINEAR:
    CHECK(describe_format(t, r->res.linear.format, r->res.linear.numChannels));
    return describe_linear(t, r->res.linear.devPtr, r->res.linear.sizeInBytes / t->texel_bytes, 0, 0);
  case CU_RESOURCE_TYPE_PITCH2D:
    CHECK(describe_format(t, r->res.pitch2D.format, r->res.pitch2D.numChannels));
    NEED(r->res.pitch2D.height);
    return describe_linear(t, r->res.pitch2D.devPtr, r->res.pitch2D.width, r->res.pitch2D.height,
                           r->res.pitch2D.pitchInBytes);
  default: return CUDA_ERROR_INVALID_VALUE;
  }
}

static bool integer_texels(const struct exec_texture *t) { return t->texel <= EXEC_TEXEL_S32; }

/* Warns once; anisotropic filtering only matters for gradients of different lengths. */
static void warn_of_anisotropy(const struct exec_texture *t) {
  static bool told;
  if (t->max_anisotropy <= 1 || t->n_levels <= 1 || told) return;
  told = true;
  fprintf(stderr, "heddle: textures are not filtered anisotropically: samples with gradients take one level, by the longer\n");
}

CUresult cuda_describe_sampling(struct exec_texture *t, const CUDA_TEXTURE_DESC *d) {
  for (int i = 0; i < 3; i++) {
    NEED((unsigned)d->addressMode[i] <= CU_TR_ADDRESS_MODE_BORDER);
    t->address[i] = (uint8_t)d->addressMode[i];
  }
  NEED((unsigned)d->filterMode <= CU_TR_FILTER_MODE_LINEAR &&
       (unsigned)d->mipmapFilterMode <= CU_TR_FILTER_MODE_LINEAR);
  t->filter = (uint8_t)d->filterMode;
  t->mip_filter = (uint8_t)d->mipmapFilterMode;
  t->mip_bias = d->mipmapLevelBias;
  t->mip_min = d->minMipmapLevelClamp;
  t->mip_max = d->maxMipmapLevelClamp;
  t->max_anisotropy = d->maxAnisotropy;
  memcpy(t->border, d->borderColor, sizeof t->border);
  t->normalized = d->flags & CU_TRSF_NORMALIZED_COORDINATES;
  bool narrow = integer_texels(t) && t->texel_bytes / t->channels <= 2;
  t->as_float = narrow && !(d->flags & CU_TRSF_READ_AS_INTEGER);
  t->srgb = d->flags & CU_TRSF_SRGB;
  t->seamless = d->flags & CU_TRSF_SEAMLESS_CUBEMAP;
  NEED(t->filter == EXEC_POINT || !integer_texels(t) || t->as_float);
  warn_of_anisotropy(t);
  return CUDA_SUCCESS;
}

static CUresult apply_view(struct exec_texture *t, const CUDA_RESOURCE_VIEW_DESC *v) {
  if (!v || v->format == CU_RES_VIEW_FORMAT_NONE) return CUDA_SUCCESS;
  static const CUarray_format kinds[] = {CU_AD_FORMAT_UNSIGNED_INT8,  CU_AD_FORMAT_SIGNED_INT8,
                                         CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_SIGNED_INT16,
                                         CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT32,
                                         CU_AD_FORMAT_HALF,           CU_AD_FORMAT_FLOAT};
  unsigned index = (unsigned)v->format - CU_RES_VIEW_FORMAT_UINT_1X8;
  if (index >= 24) return CUDA_ERROR_NOT_SUPPORTED; /* block-compressed */
  uint8_t bytes = t->texel_bytes;
  CHECK(describe_format(t, kinds[index / 3], 1u << index % 3));
  NEED(t->texel_bytes == bytes && v->firstMipmapLevel <= v->lastMipmapLevel &&
       v->lastMipmapLevel < t->n_levels);
  t->n_levels = v->lastMipmapLevel - v->firstMipmapLevel + 1;
  memmove(t->levels, t->levels + v->firstMipmapLevel, t->n_levels * sizeof *t->levels);
  NEED(v->firstLayer <= v->lastLayer && v->lastLayer < t->levels[0].depth);
  bool layers = t->shape != EXEC_TEX_3D && t->levels[0].depth > 1;
  for (uint32_t i = 0; layers && i < t->n_levels; i++) {
    t->levels[i].base += v->firstLayer * t->levels[i].slice_bytes;
    t->levels[i].depth = v->lastLayer - v->firstLayer + 1;
  }
  return CUDA_SUCCESS;
}

/* ---- objects: what they were made from is kept beside the descriptor, to be returned ---- */

struct made {
  uint64_t handle;
  bool surface;
  CUDA_RESOURCE_DESC resource;
  CUDA_TEXTURE_DESC texture;
  CUDA_RESOURCE_VIEW_DESC view;
};
static struct {
  struct made *at;
  size_t n, capacity;
} objects;

static struct made *find(uint64_t handle, bool surface) {
  for (size_t i = 0; i < objects.n; i++)
    if (objects.at[i].handle == handle && objects.at[i].surface == surface) return &objects.at[i];
  return NULL;
}

static CUresult destroy(uint64_t handle, bool surface) {
  ENTER_CONTEXT(ctx);
  (void)ctx;
  struct made *m = find(handle, surface);
  NEED(m);
  exec_texture_remove(handle);
  *m = objects.at[--objects.n];
  return CUDA_SUCCESS;
}

static uint64_t remember(const struct exec_texture *t, const struct made *m) {
  GROW(objects.at, objects.capacity, objects.n + 1);
  struct made *entry = &objects.at[objects.n++];
  *entry = *m;
  return entry->handle = exec_texture_add(t);
}

CUDA_EXPORT CUresult cuTexObjectCreate(CUtexObject *out, const CUDA_RESOURCE_DESC *r,
                                       const CUDA_TEXTURE_DESC *d, const CUDA_RESOURCE_VIEW_DESC *v) {
  ENTER_CONTEXT(ctx);
  (void)ctx;
  NEED(out && r && d && !r->flags);
  struct exec_texture t = {0};
  CHECK(cuda_describe_resource(&t, r));
  CHECK(apply_view(&t, v));
  CHECK(cuda_describe_sampling(&t, d));
  struct made m = {.resource = *r, .texture = *d};
  if (v) m.view = *v;
  *out = remember(&t, &m);
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuTexObjectDestroy(CUtexObject t) { return destroy(t, false); }

CUDA_EXPORT CUresult cuSurfObjectCreate(CUsurfObject *out, const CUDA_RESOURCE_DESC *r) {
  ENTER_CONTEXT(ctx);
  (void)ctx;
  NEED(out && r && !r->flags && r->resType == CU_RESOURCE_TYPE_ARRAY);
  struct exec_texture t = {.surface = true};
  CHECK(cuda_describe_resource(&t, r));
  struct made m = {.surface = true, .resource = *r};
  *out = remember(&t, &m);
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuSurfObjectDestroy(CUsurfObject s) { return destroy(s, true); }

#define RETURN_DESC(name, handle_type, surface, type, member)                                                \
  CUDA_EXPORT CUresult name(type *out, handle_type handle) {                                                 \
    ENTER_CONTEXT(ctx);                                                                                      \
    (void)ctx;                                                                                               \
    const struct made *m = find(handle, surface);                                                            \
    NEED(out &&m);                                                                                           \
    *out = m->member;                                                                                        \
    return CUDA_SUCCESS;                                                                                     \
  }
RETURN_DESC(cuTexObjectGetResourceDesc, CUtexObject, false, CUDA_RESOURCE_DESC, resource)
RETURN_DESC(cuTexObjectGetTextureDesc, CUtexObject, false, CUDA_TEXTURE_DESC, texture)
RETURN_DESC(cuTexObjectGetResourceViewDesc, CUtexObject, false, CUDA_RESOURCE_VIEW_DESC, view)
RETURN_DESC(cuSurfObjectGetResourceDesc, CUsurfObject, true, CUDA_RESOURCE_DESC, resource)
