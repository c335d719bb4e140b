/* What the compiler's start-up code registers: fat binaries, kernels by the address of their host stub, variables by the address of their
 * host shadow. A fat binary becomes a library of the driver when something of it is first used. */
#include "cuda/launch_failures.h"
#include "cuda/runtime/runtime.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct image {
  const void *wrapper;
  CUlibrary library;
  CUresult failed; /* the result of loading, which is not repeated */
  char why[1024];  /* in words */
  struct image *next;
};

enum symbol_kind { KERNEL, VARIABLE, MANAGED, TEXTURE, SURFACE };
struct symbol {
  const void *host; /* key; NULL: empty */
  struct image *image;
  const char *name; /* the program's */
  size_t bytes;
  enum symbol_kind kind;
  CUkernel kernel;
  CUtexref bound; /* of a texture reference */
  bool as_float;  /* its texels */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct image *images;
static struct failure { /* of the last kernel that was not available */
  CUresult code;
  const char *kernel; /* the program's */
  char reason[1024];  /* "": the error says everything */
} failure;
static struct {
  struct symbol *at;
  size_t n, capacity;
  bool sorted;
} symbols;

/* ---- the table: appended while a program starts, sorted when it is first searched ---- */

static void add(const struct symbol *s) {
  pthread_mutex_lock(&lock);
  if (symbols.n == symbols.capacity) {
    symbols.capacity = symbols.capacity ? 2 * symbols.capacity : 64;
    symbols.at = realloc(symbols.at, symbols.capacity * sizeof *symbols.at);
  }
  symbols.at[symbols.n++] = *s;
  symbols.sorted = false;
  pthread_mutex_unlock(&lock);
}

static int by_host(const void *a, const void *b) {
  uintptr_t x = (uintptr_t)((const struct symbol *)a)->host, y = (uintptr_t)((const struct symbol *)b)->host;
  return x < y ? -1 : x > y;
}

static struct symbol *find(const void *host) {
  if (!symbols.n) return NULL;
  if (!symbols.sorted) qsort(symbols.at, symbols.n, sizeof *symbols.at, by_host);
  symbols.sorted = true;
  struct symbol key = {.host = host};
  return bsearch(&key, symbols.at, symbols.n, sizeof key, by_host);
}

/* ---- loading ---- */

static CUresult load(struct image *i) {
  if (i->library) return CUDA_SUCCESS;
  if (i->failed != CUDA_SUCCESS) return i->failed;
  i->failed = cuLibraryLoadData(&i->library, i->wrapper, NULL, NULL, 0, NULL, NULL, 0);
  if (i->failed != CUDA_SUCCESS) snprintf(i->why, sizeof i->why, "%s", heddleWhyRefused());
  return i->failed;
}

static CUresult kernel_of(struct symbol *s) {
  CUresult r = load(s->image);
  const char *why = s->image->why;
  if (r == CUDA_SUCCESS && !s->kernel) {
    r = cuLibraryGetKernel(&s->kernel, s->image->library, s->name);
    why = r == CUDA_ERROR_NOT_FOUND ? "" : heddleWhyRefused();
  }
  if (r == CUDA_SUCCESS) return r;
  failure.code = r;
  failure.kernel = s->name;
  snprintf(failure.reason, sizeof failure.reason, "%s", why);
  return r;
}

static CUresult function_of(CUfunction *out, const void *func) {
  struct symbol *s = find(func);
  CUresult r = CUDA_SUCCESS;
  if (s && s->kind == KERNEL) {
    r = kernel_of(s);
    *out = (CUfunction)(void *)s->kernel;
  } else {
    *out = (CUfunction)(uintptr_t)func; /* it may be a handle; the driver decides */
    if (!func) r = failure.code;        /* a stub without a handle, because its image did not load */
  }
  return r;
}

CUresult rt_function(CUfunction *out, const void *func) {
  pthread_mutex_lock(&lock);
  CUresult r = function_of(out, func);
  pthread_mutex_unlock(&lock);
  return r;
}

CUresult rt_launched_function(CUfunction *out, const void *func) {
  pthread_mutex_lock(&lock);
  CUresult r = function_of(out, func);
  if (r != CUDA_SUCCESS) heddleLaunchFailed(failure.kernel, r, failure.reason);
  pthread_mutex_unlock(&lock);
  return r;
}

/* If host code names a managed variable, it means its memory, not its shadow. */
static struct symbol *find_managed(const void *memory) {
  for (size_t i = 0; i < symbols.n; i++) {
    struct symbol *s = &symbols.at[i];
    if (s->kind == MANAGED && *(void **)(uintptr_t)s->host == memory) return s;
  }
  return NULL;
}

cudaError_t rt_symbol(CUdeviceptr *at, size_t *bytes, const void *symbol) {
  pthread_mutex_lock(&lock);
  struct symbol *s = find(symbol);
  if (!s && symbol) s = find_managed(symbol);
  CUresult r = CUDA_ERROR_NOT_FOUND;
  if (s && (s->kind == VARIABLE || s->kind == MANAGED)) {
    r = load(s->image);
    if (r == CUDA_SUCCESS) r = cuLibraryGetGlobal(at, bytes, s->image->library, s->name);
  }
  pthread_mutex_unlock(&lock);
  return r == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidSymbol : (cudaError_t)r;
}

cudaError_t rt_reference(struct rt_reference *out, const void *host, bool surface) {
  CUresult r = CUDA_ERROR_NOT_FOUND;
  pthread_mutex_lock(&lock);
  const struct symbol *s = find(host);
  if (s && s->kind == (surface ? SURFACE : TEXTURE)) {
    *out = (struct rt_reference){.name = s->name, .as_float = s->as_float, .is_bound = s->bound != NULL};
    r = load(s->image);
    if (r == CUDA_SUCCESS) r = cuLibraryGetModule(&out->module, s->image->library);
  }
  pthread_mutex_unlock(&lock);
  return r != CUDA_ERROR_NOT_FOUND ? (cudaError_t)r : surface ? cudaErrorInvalidSurface : cudaErrorInvalidTexture;
}

CUtexref rt_swap_reference(const void *host, CUtexref now) {
  pthread_mutex_lock(&lock);
  struct symbol *s = find(host);
  CUtexref old = s ? s->bound : NULL;
  if (s) s->bound = now;
  pthread_mutex_unlock(&lock);
  return old;
}

/* ---- registration ---- */

CUDA_EXPORT void **__cudaRegisterFatBinary(void *wrapper);
CUDA_EXPORT void **__cudaRegisterFatBinary(void *wrapper) {
  struct image *i = calloc(1, sizeof *i);
  if (!i) return NULL;
  i->wrapper = wrapper;
  pthread_mutex_lock(&lock);
  i->next = images;
  images = i;
  pthread_mutex_unlock(&lock);
  return (void **)i;
}

CUDA_EXPORT void __cudaRegisterFatBinaryEnd(void **handle);
CUDA_EXPORT void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }

CUDA_EXPORT void __cudaUnregisterFatBinary(void **handle);
CUDA_EXPORT void __cudaUnregisterFatBinary(void **handle) {
  struct image *i = (struct image *)handle;
  pthread_mutex_lock(&lock);
  size_t kept = 0;
  for (size_t k = 0; k < symbols.n; k++)
    if (symbols.at[k].image != i) symbols.at[kept++] = symbols.at[k];
  symbols.n = kept;
  if (!kept) {
    free(symbols.at);
    symbols.at = NULL;
    symbols.capacity = 0;
  }
  for (struct image **at = &images; *at; at = &(*at)->next)
    if (*at == i) {
      *at = i->next;
      if (i->library) cuLibraryUnload(i->library);
      free(i);
      break;
    }
  pthread_mutex_unlock(&lock);
}

CUDA_EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                        int limit, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid,
                                        int *warp);
CUDA_EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                        int limit, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid,
                                        int *warp) {
  (void)device, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
  add(&(struct symbol){.host = host, .image = (struct image *)handle, .name = name, .kind = KERNEL});
}

CUDA_EXPORT void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                                   size_t bytes, int constant, int global);
CUDA_EXPORT void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                                   size_t bytes, int constant, int global) {
  (void)device, (void)ext, (void)constant, (void)global;
  add(&(struct symbol){
      .host = host, .image = (struct image *)handle, .name = name, .bytes = bytes, .kind = VARIABLE});
}

CUDA_EXPORT void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext,
                                          size_t bytes, int constant, int global);
CUDA_EXPORT void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext,
                                          size_t bytes, int constant, int global) {
  (void)device, (void)ext, (void)constant, (void)global;
  add(&(struct symbol){
      .host = host, .image = (struct image *)handle, .name = name, .bytes = bytes, .kind = MANAGED});
}

CUDA_EXPORT void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes);
CUDA_EXPORT void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes) {
  (void)handle, (void)name, (void)host,
      (void)bytes; /* for host code generated at run time, which does not exist here */
}

/* Sets the program's shadow pointers of managed variables. */
CUDA_EXPORT char __cudaInitModule(void **handle);
CUDA_EXPORT char __cudaInitModule(void **handle) {
  struct image *i = (struct image *)handle;
  if (!i || rt_enter() != cudaSuccess) return 0;
  bool ok = true;
  pthread_mutex_lock(&lock);
  for (size_t k = 0; k < symbols.n; k++) {
    struct symbol *s = &symbols.at[k];
    CUdeviceptr at = 0;
    if (s->image != i || s->kind != MANAGED) continue;
    CUresult r = load(i);
    if (r == CUDA_SUCCESS) r = cuLibraryGetGlobal(&at, NULL, i->library, s->name);
    if (r == CUDA_SUCCESS) *(void **)(uintptr_t)s->host = (void *)(uintptr_t)at;
    ok = ok && r == CUDA_SUCCESS;
  }
  pthread_mutex_unlock(&lock);
  return ok;
}

/* Texture and surface references (runtime_reference.c): `device` is the name in PTX and `name` the one in the source ("::tex"). Versions
 * after 11 have none, and no compiler registers any for them. */
CUDA_EXPORT void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name,
                                       int dim, int norm, int ext);
CUDA_EXPORT void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name,
                                       int dim, int norm, int ext) {
  const char *mangled = (const char *)(const void *)device;
  (void)name, (void)dim, (void)ext;
  add(&(struct symbol){.host = host, .image = (struct image *)handle, .name = mangled, .kind = TEXTURE, .as_float = norm != 0});
}
CUDA_EXPORT void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name,
                                       int dim, int ext);
CUDA_EXPORT void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name,
                                       int dim, int ext) {
  const char *mangled = (const char *)(const void *)device;
  (void)name, (void)dim, (void)ext;
  add(&(struct symbol){.host = host, .image = (struct image *)handle, .name = mangled, .kind = SURFACE});
}

/* ---- kernels by their stub ---- */

static cudaError_t get_kernel(cudaKernel_t *out, const void *host) {
  RT_ENTER();
  RT_NEED(out && host);
  pthread_mutex_lock(&lock);
  struct symbol *s = find(host);
  CUresult r = CUDA_ERROR_NOT_FOUND;
  if (s && s->kind == KERNEL) {
    r = kernel_of(s);
    *out = s->kernel;
  }
  pthread_mutex_unlock(&lock);
  if (r == CUDA_ERROR_NOT_FOUND) return rt_fail(cudaErrorInvalidDeviceFunction);
  return rt_done(r);
}
CUDA_EXPORT cudaError_t cudaGetKernel(cudaKernel_t *out, const void *host) { return get_kernel(out, host); }
CUDA_EXPORT cudaError_t __cudaGetKernel(cudaKernel_t *out, const void *host);
CUDA_EXPORT cudaError_t __cudaGetKernel(cudaKernel_t *out, const void *host) { return get_kernel(out, host); }
CUDA_EXPORT cudaError_t cudaGetFuncBySymbol(cudaFunction_t *out, const void *host) {
  cudaKernel_t k;
  RT_NEED(out);
  cudaError_t e = get_kernel(&k, host);
  return e != cudaSuccess ? e : rt_done(cuKernelGetFunction(out, k));
}

/* ---- symbols ---- */

CUDA_EXPORT cudaError_t cudaGetSymbolAddress(void **out, const void *symbol) {
  RT_ENTER();
  RT_NEED(out);
  CUdeviceptr at = 0;
  cudaError_t e = rt_symbol(&at, NULL, symbol);
  if (e == cudaSuccess) *out = (void *)(uintptr_t)at;
  return rt_fail(e);
}
CUDA_EXPORT cudaError_t cudaGetSymbolSize(size_t *out, const void *symbol) {
  RT_ENTER();
  RT_NEED(out);
  return rt_fail(rt_symbol(NULL, out, symbol));
}
