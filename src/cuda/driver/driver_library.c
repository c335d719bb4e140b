/* Libraries: images that belong to no context. A library's PTX is read when a context first needs it and becomes a module of that context.
 * A kernel handle stands for the function of that name in whichever context is current. */
#include "base/arena.h"
#include "base/str.h"
#include "cuda/image/fatbin.h"
#include "cuda/launch_failures.h"
#include "cuda/state.h"

#include <stdlib.h>
#include <string.h>

/* ---- loading ---- */

static _Thread_local struct err last_refusal;

CUDA_EXPORT const char *heddleWhyRefused(void) { return last_refusal.text; }

static void note_refusal(const char *why) {
  err_clear(&last_refusal);
  err_set(&last_refusal, ERR_INPUT, "%s", why);
}

static CUresult library_new(CUlibrary *out, const void *image, size_t bytes) {
  struct err e = {0};
  const struct cuda_device_info *d = &cuda.engine.info;
  char *ptx = fatbin_ptx(image, bytes, (unsigned)(10 * d->major + d->minor), &e);
  if (!ptx) {
    cuda_say("%s", e.text);
    note_refusal(e.text);
    return e.code ? (CUresult)e.code : CUDA_ERROR_INVALID_IMAGE;
  }
  struct CUlib_st *l = cuda_object_new(CUDA_K_LIBRARY, NULL, sizeof *l);
  l->ptx = ptx;
  *out = l;
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuLibraryLoadData(CUlibrary *out, const void *image, CUjit_option *jit,
                                       void **jit_values, unsigned n_jit, CUlibraryOption *options,
                                       void **values, unsigned n) {
  ENTER();
  (void)jit_values, (void)values;
  NEED(out && image && (jit || !n_jit) && (options || !n));
  return library_new(out, image, FATBIN_UNKNOWN);
}

CUDA_EXPORT CUresult cuLibraryLoadFromFile(CUlibrary *out, const char *path, CUjit_option *jit,
                                           void **jit_values, unsigned n_jit, CUlibraryOption *options,
                                           void **values, unsigned n) {
  ENTER();
  (void)jit_values, (void)values;
  NEED(out && path && (jit || !n_jit) && (options || !n));
  struct str text = {0};
  CUresult r = str_add_file(&text, path) ? library_new(out, text.s, text.n) : CUDA_ERROR_FILE_NOT_FOUND;
  str_free(&text);
  return r;
}

void cuda_library_forget_context(void *library) {
  struct CUlib_st *l = library;
  for (size_t i = l->n_modules; i-- > 0;)
    if (!cuda_is(l->modules[i].ctx, CUDA_K_CONTEXT) || !cuda_is(l->modules[i].module, CUDA_K_MODULE))
      l->modules[i] = l->modules[--l->n_modules];
}

/* Whether all work of the context has ended, if necessary after letting time pass; a kernel that waits for the host does not end. */
static bool has_ended(const struct CUctx_st *ctx) {
  while (ctx->n_active && cuda_pass()) continue;
  return !ctx->n_active;
}

/* A program that ends may unload its libraries while their kernels are running; a module that a kernel may still need is kept. */
CUDA_EXPORT CUresult cuLibraryUnload(CUlibrary l) {
  ENTER();
  if (!cuda_is(l, CUDA_K_LIBRARY)) return CUDA_ERROR_INVALID_HANDLE;
  cuda_library_forget_context(l);
  for (size_t i = 0; i < l->n_modules; i++)
    if (has_ended(l->modules[i].ctx)) cuda_module_delete(l->modules[i].module);
  for (size_t i = 0; i < l->n_kernels; i++) {
    free(l->kernels[i]->name);
    cuda_object_delete(l->kernels[i]);
  }
  free(l->modules);
  free(l->kernels);
  free(l->ptx);
  free(l->why);
  cuda_object_delete(l);
  return CUDA_SUCCESS;
}

/* The library as a module of the context. */
static CUresult module_in(struct CUmod_st **out, struct CUlib_st *l, struct CUctx_st *ctx) {
  for (size_t i = 0; i < l->n_modules; i++)
    if (l->modules[i].ctx == ctx && cuda_is(l->modules[i].module, CUDA_K_MODULE)) {
      *out = l->modules[i].module;
      return CUDA_SUCCESS;
    }
  if (l->refused != CUDA_SUCCESS) { /* printed once */
    note_refusal(l->why);
    return l->refused;
  }
  struct err e = {0};
  CUresult r = cuda_module_from_ptx(out, ctx, l->ptx, &e);
  if (r != CUDA_SUCCESS) {
    cuda_say("%s", e.text);
    note_refusal(e.text);
    if (r == CUDA_ERROR_OUT_OF_MEMORY) return r;
    l->why = strdup(e.text);
    return l->refused = r;
  }
  GROW(l->modules, l->module_capacity, l->n_modules + 1);
  l->modules[l->n_modules++] = (struct cuda_lib_module){ctx, *out};
  return CUDA_SUCCESS;
}

#define ENTER_LIBRARY(m, library)                                                                            \
  ENTER_CONTEXT(ctx);                                                                                        \
  if (!cuda_is(library, CUDA_K_LIBRARY)) return CUDA_ERROR_INVALID_HANDLE;                                   \
  struct CUmod_st *m;                                                                                        \
  CHECK(module_in(&m, library, ctx))

CUDA_EXPORT CUresult cuLibraryGetModule(CUmodule *out, CUlibrary l) {
  NEED(out);
  ENTER_LIBRARY(m, l);
  *out = m;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuLibraryGetGlobal(CUdeviceptr *at, size_t *bytes, CUlibrary l, const char *name) {
  NEED((at || bytes) && name);
  ENTER_LIBRARY(m, l);
  return cuda_module_global(at, bytes, m, name);
}
CUDA_EXPORT CUresult cuLibraryGetManaged(CUdeviceptr *at, size_t *bytes, CUlibrary l, const char *name) {
  NEED((at || bytes) && name);
  ENTER_LIBRARY(m, l);
  int32_t i = ptx_find_var(&m->m.ptx, name);
  if (i < 0 || !m->m.ptx.vars[i].is_managed) return CUDA_ERROR_NOT_FOUND;
  return cuda_module_global(at, bytes, m, name);
}

/* ---- kernels ---- */

static struct CUkern_st *kernel_named(struct CUlib_st *l, const char *name) {
  for (size_t i = 0; i < l->n_kernels; i++)
    if (!strcmp(l->kernels[i]->name, name)) return l->kernels[i];
  struct CUkern_st *k = cuda_object_new(CUDA_K_KERNEL, NULL, sizeof *k);
  k->library = l;
  k->name = strdup(name);
  k->max_dynamic_shared = k->carveout = k->cache = -1;
  GROW(l->kernels, l->kernel_capacity, l->n_kernels + 1);
  return l->kernels[l->n_kernels++] = k;
}

CUDA_EXPORT CUresult cuLibraryGetKernel(CUkernel *out, CUlibrary l, const char *name) {
  NEED(out && name);
  ENTER_LIBRARY(m, l);
  struct CUfunc_st *f;
  CHECK(cuda_module_function(&f, m, name));
  *out = kernel_named(l, name);
  return CUDA_SUCCESS;
}

CUresult cuda_kernel_function(struct CUfunc_st **out, struct CUctx_st *ctx, struct CUkern_st *k) {
  struct CUmod_st *m;
  CHECK(module_in(&m, k->library, ctx));
  CHECK(cuda_module_function(out, m, k->name));
  if (k->max_dynamic_shared >= 0) (*out)->max_dynamic_shared = k->max_dynamic_shared;
  if (k->carveout >= 0) (*out)->carveout = k->carveout;
  if (k->cache >= 0) (*out)->cache = k->cache;
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary l) {
  NEED(count);
  ENTER_LIBRARY(m, l);
  *count = 0;
  for (uint32_t i = 0; i < m->m.ptx.n_funcs; i++)
    *count += m->m.ptx.funcs[i].is_entry && !m->m.ptx.funcs[i].is_extern;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuLibraryEnumerateKernels(CUkernel *out, unsigned capacity, CUlibrary l) {
  NEED(out && capacity);
  ENTER_LIBRARY(m, l);
  unsigned n = 0;
  for (uint32_t i = 0; i < m->m.ptx.n_funcs && n < capacity; i++)
    if (m->m.ptx.funcs[i].is_entry && !m->m.ptx.funcs[i].is_extern)
      out[n++] = kernel_named(l, m->m.ptx.funcs[i].name);
  return CUDA_SUCCESS;
}

#define ENTER_KERNEL(f, kernel)                                                                              \
  ENTER_CONTEXT(ctx);                                                                                        \
  if (!cuda_is(kernel, CUDA_K_KERNEL)) return CUDA_ERROR_INVALID_HANDLE;                                     \
  struct CUfunc_st *f;                                                                                       \
  CHECK(cuda_kernel_function(&f, ctx, kernel))

CUDA_EXPORT CUresult cuKernelGetFunction(CUfunction *out, CUkernel k) {
  NEED(out);
  ENTER_KERNEL(f, k);
  *out = f;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuKernelGetLibrary(CUlibrary *out, CUkernel k) {
  ENTER();
  NEED(out);
  if (!cuda_is(k, CUDA_K_KERNEL)) return CUDA_ERROR_INVALID_HANDLE;
  *out = k->library;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuKernelGetName(const char **name, CUkernel k) {
  ENTER();
  NEED(name);
  if (!cuda_is(k, CUDA_K_KERNEL)) return CUDA_ERROR_INVALID_HANDLE;
  *name = k->name;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuKernelGetParamInfo(CUkernel k, size_t i, size_t *offset, size_t *bytes) {
  CUfunction f;
  CHECK(cuKernelGetFunction(&f, k));
  return cuFuncGetParamInfo(f, i, offset, bytes);
}
CUDA_EXPORT CUresult cuKernelGetAttribute(int *value, CUfunction_attribute which, CUkernel k,
                                          CUdevice device) {
  NEED_DEVICE(device);
  CUfunction f;
  CHECK(cuKernelGetFunction(&f, k));
  return cuFuncGetAttribute(value, which, f);
}
CUDA_EXPORT CUresult cuKernelSetAttribute(CUfunction_attribute which, int value, CUkernel k,
                                          CUdevice device) {
  NEED_DEVICE(device);
  CUfunction f;
  CHECK(cuKernelGetFunction(&f, k));
  CHECK(cuFuncSetAttribute(f, which, value));
  ENTER();
  if (which == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) k->max_dynamic_shared = value;
  if (which == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) k->carveout = value;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuKernelSetCacheConfig(CUkernel k, CUfunc_cache config, CUdevice device) {
  NEED_DEVICE(device);
  CUfunction f;
  CHECK(cuKernelGetFunction(&f, k));
  CHECK(cuFuncSetCacheConfig(f, config));
  ENTER();
  k->cache = (int)config;
  return CUDA_SUCCESS;
}
