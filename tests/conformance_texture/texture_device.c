/* See texture_device.h. */
#include "texture_device.h"

#include "texture_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ALARM_S = 30, PTX_BYTES = 16384, EXIT_NO_DEVICE = 3 };

/* What a case has made. */
struct made {
  CUarray array;
  CUmipmappedArray mipmap;
  CUdeviceptr memory, in, out;
  size_t pitch;
  CUtexObject texture;
  CUsurfObject surface;
};

#define TRY(call)                                                                                            \
  do {                                                                                                       \
    CUresult try_result = (call);                                                                            \
    if (try_result != CUDA_SUCCESS) return try_result;                                                       \
  } while (0)

static bool is_surface(const struct texture_case *c) { return strncmp(c->op, "su", 2) == 0; }

/* ---- resources ---- */

static CUDA_ARRAY3D_DESCRIPTOR array_desc(const struct texture_case *c) {
  CUDA_ARRAY3D_DESCRIPTOR d = {.Width = c->width,
                               .Height = c->height,
                               .Depth = c->depth,
                               .Format = c->format,
                               .NumChannels = c->channels};
  d.Flags = (c->layered ? CUDA_ARRAY3D_LAYERED : 0) | (c->cube ? CUDA_ARRAY3D_CUBEMAP : 0) |
            (is_surface(c) ? CUDA_ARRAY3D_SURFACE_LDST : 0) |
            (strncmp(c->op, "tld4", 4) == 0 ? CUDA_ARRAY3D_TEXTURE_GATHER : 0);
  return d;
}

/* Copies a level between the host and an array. */
static CUresult copy_level(const struct texture_case *c, unsigned level, CUarray array, unsigned char *bytes,
                           bool to_device) {
  unsigned extent[3];
  case_extent(c, level, extent);
  size_t row = (size_t)extent[0] * c->channels * case_channel_bytes(c);
  CUDA_MEMCPY3D m = {.WidthInBytes = row, .Height = extent[1], .Depth = extent[2]};
  if (to_device) {
    m.srcMemoryType = CU_MEMORYTYPE_HOST, m.srcHost = bytes, m.srcPitch = row, m.srcHeight = extent[1];
    m.dstMemoryType = CU_MEMORYTYPE_ARRAY, m.dstArray = array;
  } else {
    m.srcMemoryType = CU_MEMORYTYPE_ARRAY, m.srcArray = array;
    m.dstMemoryType = CU_MEMORYTYPE_HOST, m.dstHost = bytes, m.dstPitch = row, m.dstHeight = extent[1];
  }
  return cuMemcpy3D(&m);
}

static unsigned char *level_bytes(const struct texture_case *c, unsigned level, size_t *size) {
  unsigned extent[3];
  case_extent(c, level, extent);
  *size = (size_t)extent[0] * extent[1] * extent[2] * c->channels * case_channel_bytes(c);
  unsigned char *bytes = calloc(1, *size + 4);
  if (!bytes) exit(2);
  return bytes;
}

static CUresult fill_array(const struct texture_case *c, unsigned level, CUarray array) {
  size_t size;
  unsigned char *bytes = level_bytes(c, level, &size);
  case_texels(c, level, bytes);
  CUresult r = copy_level(c, level, array, bytes, true);
  free(bytes);
  return r;
}

static CUresult make_memory(const struct texture_case *c, struct made *m) {
  size_t size, row = (size_t)c->width * c->channels * case_channel_bytes(c);
  unsigned char *bytes = level_bytes(c, 0, &size);
  case_texels(c, 0, bytes);
  m->pitch = row;
  CUresult r;
  if (c->resource == CASE_PITCH)
    r = cuMemAllocPitch(&m->memory, &m->pitch, row, c->height, 16);
  else
    r = cuMemAlloc(&m->memory, size);
  unsigned rows = c->height ? c->height : 1;
  for (unsigned y = 0; y < rows && r == CUDA_SUCCESS; y++)
    r = cuMemcpyHtoD(m->memory + y * m->pitch, bytes + y * row, row);
  free(bytes);
  return r;
}

static CUresult make_resource(const struct texture_case *c, struct made *m, CUDA_RESOURCE_DESC *d) {
  CUDA_ARRAY3D_DESCRIPTOR desc = array_desc(c);
  *d = (CUDA_RESOURCE_DESC){0};
  if (c->resource == CASE_ARRAY) {
    TRY(cuArray3DCreate(&m->array, &desc));
    d->resType = CU_RESOURCE_TYPE_ARRAY;
    d->res.array.hArray = m->array;
    return fill_array(c, 0, m->array);
  }
  if (c->resource == CASE_MIPMAP) {
    TRY(cuMipmappedArrayCreate(&m->mipmap, &desc, c->levels));
    d->resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    d->res.mipmap.hMipmappedArray = m->mipmap;
    for (unsigned i = 0; i < c->levels; i++) {
      CUarray level;
      TRY(cuMipmappedArrayGetLevel(&level, m->mipmap, i));
      TRY(fill_array(c, i, level));
    }
    return CUDA_SUCCESS;
  }
  TRY(make_memory(c, m));
  if (c->resource == CASE_LINEAR) {
    d->resType = CU_RESOURCE_TYPE_LINEAR;
    d->res.linear.devPtr = m->memory;
    d->res.linear.format = c->format;
    d->res.linear.numChannels = c->channels;
    d->res.linear.sizeInBytes = m->pitch;
  } else {
    d->resType = CU_RESOURCE_TYPE_PITCH2D;
    d->res.pitch2D.devPtr = m->memory;
    d->res.pitch2D.format = c->format;
    d->res.pitch2D.numChannels = c->channels;
    d->res.pitch2D.width = c->width;
    d->res.pitch2D.height = c->height;
    d->res.pitch2D.pitchInBytes = m->pitch;
  }
  return CUDA_SUCCESS;
}

static CUresult make_objects(const struct texture_case *c, struct made *m) {
  CUDA_RESOURCE_DESC d;
  TRY(make_resource(c, m, &d));
  if (is_surface(c)) return cuSurfObjectCreate(&m->surface, &d);
  return cuTexObjectCreate(&m->texture, &d, &c->sampling, NULL);
}

static CUresult make_buffers(const struct texture_case *c, struct made *m) {
  size_t in = (size_t)c->lanes * CASE_WORDS * 4, out = (size_t)c->lanes * CASE_RESULTS * 4;
  uint32_t *words = malloc(in);
  if (!words) exit(2);
  for (unsigned lane = 0; lane < c->lanes; lane++) case_inputs(c, lane, words + (size_t)lane * CASE_WORDS);
  CUresult r = cuMemAlloc(&m->in, in);
  if (r == CUDA_SUCCESS) r = cuMemcpyHtoD(m->in, words, in);
  if (r == CUDA_SUCCESS) r = cuMemAlloc(&m->out, out);
  if (r == CUDA_SUCCESS) r = cuMemsetD8(m->out, 0, out);
  free(words);
  return r;
}

static void release(struct made *m) {
  if (m->texture) cuTexObjectDestroy(m->texture);
  if (m->surface) cuSurfObjectDestroy(m->surface);
  if (m->array) cuArrayDestroy(m->array);
  if (m->mipmap) cuMipmappedArrayDestroy(m->mipmap);
  if (m->memory) cuMemFree(m->memory);
  if (m->in) cuMemFree(m->in);
  if (m->out) cuMemFree(m->out);
}

/* ---- kernels: one module an instruction, kept ---- */

struct kept {
  char key[128];
  CUfunction function;
};

static CUresult kernel_of(const struct texture_case *c, CUfunction *f) {
  static struct kept all[1024];
  static size_t count;
  static char text[PTX_BYTES];
  char key[128];
  CUmodule module;
  snprintf(key, sizeof key, "%s %s %u", c->op, c->extra_form, c->vector);
  for (size_t i = 0; i < count; i++)
    if (strcmp(all[i].key, key) == 0) {
      *f = all[i].function;
      return CUDA_SUCCESS;
    }
  texture_kernel(c, text, sizeof text);
  TRY(cuModuleLoadData(&module, text));
  TRY(cuModuleGetFunction(f, module, "k"));
  if (count < sizeof all / sizeof all[0]) {
    memcpy(all[count].key, key, sizeof key);
    all[count++].function = *f;
  }
  return CUDA_SUCCESS;
}

/* ---- one case ---- */

static CUresult launch(const struct texture_case *c, struct made *m, CUfunction f, uint32_t *words) {
  uint64_t object = is_surface(c) ? m->surface : m->texture;
  unsigned n = c->lanes;
  void *params[] = {&m->out, &m->in, &object, &n};
  TRY(cuLaunchKernel(f, 1, 1, 1, c->kind == CASE_STORE ? 1 : n, 1, 1, 0, NULL, params, NULL));
  TRY(cuCtxSynchronize());
  if (c->kind != CASE_STORE) return cuMemcpyDtoH(words, m->out, case_result_words(c) * 4);
  size_t size;
  unsigned char *bytes = level_bytes(c, 0, &size);
  CUresult r = copy_level(c, 0, m->array, bytes, false);
  memcpy(words, bytes, size);
  free(bytes);
  return r;
}

static void settle(struct texture_outcome *o, enum run_state state, const char *what, CUresult r) {
  const char *name = "unknown error";
  cuGetErrorName(r, &name);
  snprintf(o->error, sizeof o->error, "%s: %s", what, name);
  o->state = state;
}

static void run_case(const struct texture_case *c, struct texture_outcome *o) {
  struct made m = {0};
  CUfunction f;
  CUresult r = make_objects(c, &m);
  const char *step = "object";
  if (r == CUDA_SUCCESS) step = "buffers", r = make_buffers(c, &m);
  if (r == CUDA_SUCCESS) step = "kernel", r = kernel_of(c, &f);
  if (r != CUDA_SUCCESS) {
    settle(o, RUN_REFUSED, step, r);
    release(&m);
    return;
  }
  r = launch(c, &m, f, o->words);
  if (r != CUDA_SUCCESS) {
    settle(o, RUN_FAILED, "launch", r);
    _exit(1);
  }
  o->state = RUN_OK;
  release(&m);
}

static bool start_device(void) {
  CUdevice device;
  CUcontext context;
  return cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&device, 0) == CUDA_SUCCESS &&
         cuDevicePrimaryCtxRetain(&context, device) == CUDA_SUCCESS &&
         cuCtxSetCurrent(context) == CUDA_SUCCESS;
}

/* ---- the run ---- */

static void *map_shared(size_t bytes) {
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) exit(2);
  return p;
}

static void child(const struct texture_case *const *list, size_t count, struct texture_outcome *outcomes,
                  volatile size_t *next) {
  if (!start_device()) _exit(EXIT_NO_DEVICE);
  while (*next < count) {
    alarm(ALARM_S);
    size_t i = (*next)++;
    run_case(list[i], &outcomes[i]);
  }
  _exit(0);
}

bool texture_run(const struct texture_case *const *list, size_t count, struct texture_outcome *outcomes) {
  size_t total = 0;
  for (size_t i = 0; i < count; i++) total += case_result_words(list[i]) + 4;
  uint32_t *words = map_shared(total * 4 + 4096);
  struct texture_outcome *shared = map_shared(count * sizeof *shared + 4096);
  volatile size_t *next = map_shared(sizeof *next);
  for (size_t i = 0, at = 0; i < count; at += case_result_words(list[i]) + 4, i++)
    shared[i].words = words + at;
  while (*next < count) {
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) child(list, count, shared, next);
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) < 0) return false;
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NO_DEVICE) return false;
    size_t last = *next ? *next - 1 : 0;
    if (shared[last].state != RUN_PENDING) continue;
    shared[last].state = RUN_FAILED;
    snprintf(shared[last].error, sizeof shared[last].error, "the process died of signal %d",
             WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  }
  memcpy(outcomes, shared, count * sizeof *outcomes);
  return true;
}
