// The run of a workload on the CUDA driver API: context and module, memory that the run owns, launches,
// random numbers, comparison. It knows no workload.
#include "common/wl.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 4 }; // differences printed for one array

const char *const wl_size_names[WL_SIZES] = {"small", "medium", "paper"};

// What the run owns, as growing lists.
struct wl_state {
  const char *name;
  CUdevice device;
  CUcontext context;
  CUmodule module;
  void **host;
  size_t host_count, host_room;
  CUdeviceptr *dev;
  size_t dev_count, dev_room;
  size_t dev_bytes;
  CUtexObject *textures;
  size_t texture_count, texture_room;
  CUarray *arrays;
  size_t array_count, array_room;
  bool refused; // the device is too small
  bool silent;
  bool said; // a line about this run's end has been printed
  jmp_buf end;
};

// ---- the end of a run ----

static void say(struct wl_state *s, const char *verdict, const char *format, va_list args) {
  s->said = true;
  if (s->silent) return;
  printf("%s: %s ", s->name, verdict);
  vprintf(format, args);
  putchar('\n');
}

void wl_fail(struct wl_run *r, const char *format, ...) {
  va_list args;
  va_start(args, format);
  say(r->state, "FAILED", format, args);
  va_end(args);
  longjmp(r->state->end, 1);
}

bool wl_mismatch(struct wl_run *r, const char *format, ...) {
  va_list args;
  va_start(args, format);
  say(r->state, "MISMATCH", format, args);
  va_end(args);
  return false;
}

static const char *error_text(CUresult result) {
  const char *text = NULL;
  return cuGetErrorString(result, &text) == CUDA_SUCCESS && text ? text : "unknown error";
}

void wl_cu(struct wl_run *r, CUresult result, const char *call, const char *file, int line) {
  if (result == CUDA_SUCCESS) return;
  wl_fail(r, "%s:%d: %s: %s (%d)", file, line, call, error_text(result), (int)result);
}

// ---- memory ----

// Makes room for one more item in a list and returns the list, which may have moved.
static void *grow(struct wl_run *r, void *list, size_t count, size_t *room, size_t item) {
  if (count < *room) return list;
  size_t wider = *room ? 2 * *room : 16;
  void *moved = realloc(list, wider * item);
  if (!moved) wl_fail(r, "the host has no memory left");
  *room = wider;
  return moved;
}

void *wl_host(struct wl_run *r, size_t count, size_t size) {
  struct wl_state *s = r->state;
  s->host = grow(r, s->host, s->host_count, &s->host_room, sizeof *s->host);
  void *block = calloc(count ? count : 1, size);
  if (!block) wl_fail(r, "the host has no memory left for %zu items of %zu bytes", count, size);
  s->host[s->host_count++] = block;
  return block;
}

CUdeviceptr wl_alloc(struct wl_run *r, size_t bytes) {
  struct wl_state *s = r->state;
  s->dev = grow(r, s->dev, s->dev_count, &s->dev_room, sizeof *s->dev);
  CUdeviceptr block = 0;
  CUresult result = cuMemAlloc(&block, bytes ? bytes : 1);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    size_t left = 0, total = 0;
    CU(r, cuMemGetInfo(&left, &total));
    s->refused = true;
    wl_fail(r, "this size needs at least %zu bytes of device memory, the device has %zu", s->dev_bytes + bytes,
            total);
  }
  CU(r, result);
  s->dev_bytes += bytes;
  s->dev[s->dev_count++] = block;
  return block;
}

CUdeviceptr wl_zeros(struct wl_run *r, size_t bytes) {
  CUdeviceptr block = wl_alloc(r, bytes);
  CU(r, cuMemsetD8(block, 0, bytes));
  return block;
}

CUdeviceptr wl_up(struct wl_run *r, const void *from, size_t bytes) {
  CUdeviceptr block = wl_alloc(r, bytes);
  wl_put(r, block, from, bytes);
  return block;
}

void wl_release(struct wl_run *r, CUdeviceptr block) {
  struct wl_state *s = r->state;
  size_t i = s->dev_count;
  while (i > 0 && s->dev[i - 1] != block) i--;
  if (i == 0) wl_fail(r, "device memory is released that was not allocated");
  s->dev[i - 1] = s->dev[--s->dev_count];
  CU(r, cuMemFree(block));
}

void wl_put(struct wl_run *r, CUdeviceptr to, const void *from, size_t bytes) {
  CU(r, cuMemcpyHtoD(to, from, bytes));
}

void wl_get(struct wl_run *r, void *to, CUdeviceptr from, size_t bytes) {
  CU(r, cuMemcpyDtoH(to, from, bytes));
}

void *wl_down(struct wl_run *r, CUdeviceptr from, size_t bytes) {
  void *copy = wl_host(r, bytes, 1);
  wl_get(r, copy, from, bytes);
  return copy;
}

void wl_put_symbol(struct wl_run *r, const char *symbol, const void *from, size_t bytes) {
  CUdeviceptr at = 0;
  size_t room = 0;
  CU(r, cuModuleGetGlobal(&at, &room, r->state->module, symbol));
  if (bytes > room) wl_fail(r, "%zu bytes do not fit into %s, which has %zu", bytes, symbol, room);
  wl_put(r, at, from, bytes);
}

static size_t bytes_of(CUarray_format format) {
  if (format == CU_AD_FORMAT_UNSIGNED_INT8 || format == CU_AD_FORMAT_SIGNED_INT8) return 1;
  return format == CU_AD_FORMAT_UNSIGNED_INT16 || format == CU_AD_FORMAT_SIGNED_INT16 ? 2 : 4;
}

CUtexObject wl_texture(struct wl_run *r, CUdeviceptr from, long count) { return wl_texels(r, from, CU_AD_FORMAT_FLOAT, 1, count); }

CUtexObject wl_texels(struct wl_run *r, CUdeviceptr from, CUarray_format format, unsigned numbers, long count) {
  struct wl_state *s = r->state;
  s->textures = grow(r, s->textures, s->texture_count, &s->texture_room, sizeof *s->textures);
  CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR};
  resource.res.linear.devPtr = from;
  resource.res.linear.format = format;
  resource.res.linear.numChannels = numbers;
  resource.res.linear.sizeInBytes = (size_t)count * numbers * bytes_of(format);
  CUDA_TEXTURE_DESC how = {.flags = CU_TRSF_READ_AS_INTEGER};
  CUtexObject texture = 0;
  CU(r, cuTexObjectCreate(&texture, &resource, &how, NULL));
  s->textures[s->texture_count++] = texture;
  return texture;
}

CUtexObject wl_picture(struct wl_run *r, const void *from, CUarray_format format, unsigned numbers, long width, long height) {
  struct wl_state *s = r->state;
  s->textures = grow(r, s->textures, s->texture_count, &s->texture_room, sizeof *s->textures);
  s->arrays = grow(r, s->arrays, s->array_count, &s->array_room, sizeof *s->arrays);
  CUDA_ARRAY_DESCRIPTOR shape = {.Width = (size_t)width, .Height = (size_t)height, .Format = format, .NumChannels = numbers};
  CUarray array = NULL;
  CU(r, cuArrayCreate(&array, &shape));
  s->arrays[s->array_count++] = array;
  size_t row = (size_t)width * numbers * bytes_of(format);
  CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = from, .srcPitch = row, .WidthInBytes = row};
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.Height = (size_t)height;
  CU(r, cuMemcpy2D(&copy));
  CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
  resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC how = {.addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP}, .flags = CU_TRSF_READ_AS_INTEGER};
  CUtexObject texture = 0;
  CU(r, cuTexObjectCreate(&texture, &resource, &how, NULL));
  s->textures[s->texture_count++] = texture;
  return texture;
}

// ---- launches ----

int wl_cores(struct wl_run *r) {
  int cores = 0;
  CU(r, cuDeviceGetAttribute(&cores, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, r->state->device));
  return cores;
}

int wl_resident(struct wl_run *r, const char *kernel, int threads, size_t shared) {
  CUfunction function = NULL;
  int blocks = 0;
  CU(r, cuModuleGetFunction(&function, r->state->module, kernel));
  CU(r, cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, shared));
  return blocks;
}

void wl_launch(struct wl_run *r, const char *kernel, struct wl_dim grid, struct wl_dim block, size_t shared,
               void **args) {
  CUfunction function = NULL;
  CUresult result = cuModuleGetFunction(&function, r->state->module, kernel);
  if (result != CUDA_SUCCESS) wl_fail(r, "there is no kernel %s in the module", kernel);
  result = cuLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z, (unsigned)shared, NULL,
                          args, NULL);
  if (result == CUDA_SUCCESS) result = cuCtxSynchronize();
  if (result != CUDA_SUCCESS) wl_fail(r, "kernel %s: %s (%d)", kernel, error_text(result), (int)result);
}

static void open_device(struct wl_run *r, const char *ptx) {
  struct wl_state *s = r->state;
  CU(r, cuInit(0));
  CU(r, cuDeviceGet(&s->device, 0));
  CU(r, cuDevicePrimaryCtxRetain(&s->context, s->device));
  CU(r, cuCtxSetCurrent(s->context));
  CU(r, cuModuleLoadData(&s->module, ptx));
}

// Errors are of no interest here: a failed run has already reported its first one.
static void close_device(struct wl_state *s) {
  for (size_t i = 0; i < s->texture_count; i++) (void)cuTexObjectDestroy(s->textures[i]);
  for (size_t i = 0; i < s->array_count; i++) (void)cuArrayDestroy(s->arrays[i]);
  for (size_t i = 0; i < s->dev_count; i++) (void)cuMemFree(s->dev[i]);
  if (s->module) (void)cuModuleUnload(s->module);
  if (s->context) (void)cuDevicePrimaryCtxRelease(s->device);
  for (size_t i = 0; i < s->host_count; i++) free(s->host[i]);
  free(s->host);
  free(s->dev);
  free(s->textures);
  free(s->arrays);
}

static enum wl_end execute(const struct workload *w, enum wl_size size, uint64_t seed, bool silent) {
  struct wl_state state = {.name = w->name, .silent = silent};
  struct wl_run run = {.size = size, .rng = {seed}, .state = &state};
  volatile bool ok = false;
  if (setjmp(state.end) == 0) {
    open_device(&run, w->ptx);
    ok = w->run(&run);
    if (ok && !silent)
      printf("%s: ok\n", w->name);
    else if (!ok && !state.said && !silent)
      printf("%s: MISMATCH\n", w->name);
  }
  close_device(&state);
  return ok ? WL_RIGHT : state.refused ? WL_REFUSED : WL_WRONG;
}

enum wl_end wl_execute(const struct workload *w, enum wl_size size, uint64_t seed) {
  return execute(w, size, seed, false);
}

enum wl_end wl_execute_again(const struct workload *w, enum wl_size size, uint64_t seed) {
  return execute(w, size, seed, true);
}

// ---- random numbers ----

uint64_t wl_next(struct wl_rng *rng) {
  uint64_t z = (rng->state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

uint32_t wl_below(struct wl_rng *rng, uint32_t bound) {
  return (uint32_t)(((wl_next(rng) >> 32) * (uint64_t)bound) >> 32);
}

float wl_uniform(struct wl_rng *rng, float low, float high) {
  float unit = (float)(wl_next(rng) >> 40) * 0x1p-24f;
  return low + (high - low) * unit;
}

// A sum of twelve uniform numbers: exact on every machine, unlike a logarithm and a cosine.
float wl_normal(struct wl_rng *rng) {
  float sum = -6.0f;
  for (int i = 0; i < 12; i++) sum += wl_uniform(rng, 0.0f, 1.0f);
  return sum;
}

// ---- comparison ----

// Each comparison is the same walk with another type, test and format.
#define COMPARE(type, differs, shape)                                                                        \
  long wrong = 0;                                                                                            \
  for (long i = 0; i < count; i++) {                                                                         \
    type g = got[i], w = want[i];                                                                            \
    if (!(differs)) continue;                                                                                \
    if (wrong++ < SHOWN) fprintf(stderr, "  %s[%ld]: got " shape ", want " shape "\n", what, i, g, w);       \
  }                                                                                                          \
  return wrong == 0 || wl_mismatch(r, "%s: %ld of %ld differ", what, wrong, count)

bool wl_same_i32(struct wl_run *r, const char *what, const int *got, const int *want, long count) {
  COMPARE(int, g != w, "%d");
}

bool wl_same_u32(struct wl_run *r, const char *what, const uint32_t *got, const uint32_t *want, long count) {
  COMPARE(uint32_t, g != w, "%u");
}

bool wl_same_u8(struct wl_run *r, const char *what, const uint8_t *got, const uint8_t *want, long count) {
  COMPARE(uint8_t, g != w, "%u");
}

bool wl_near_f32(struct wl_run *r, const char *what, const float *got, const float *want, long count,
                 float relative, float absolute) {
  COMPARE(float, !(fabsf(g - w) <= absolute + relative * fabsf(w)), "%.9g");
}

bool wl_near_f64(struct wl_run *r, const char *what, const double *got, const double *want, long count,
                 double relative, double absolute) {
  COMPARE(double, !(fabs(g - w) <= absolute + relative * fabs(w)), "%.17g");
}
