/* Modules: loading images, and their contents. A kernel with an unsupported instruction can be looked up and queried like any other; its
 * launches are refused. */
#include "base/arena.h"
#include "base/str.h"
#include "cuda/image/fatbin.h"
#include "cuda/state.h"

#include <stdlib.h>
#include <string.h>

/* ---- loading ---- */

static CUresult code_of(const struct err *e) {
  if (e->code) return (CUresult)e->code;
  switch (e->kind) {
  case ERR_UNSUPPORTED: return CUDA_ERROR_NOT_SUPPORTED;
  case ERR_LIMIT: return CUDA_ERROR_OUT_OF_MEMORY;
  case ERR_SYSTEM: return CUDA_ERROR_OPERATING_SYSTEM;
  default: return CUDA_ERROR_INVALID_PTX;
  }
}

CUresult cuda_module_from_ptx(struct CUmod_st **out, struct CUctx_st *ctx, const char *ptx, struct err *e) {
  struct CUmod_st *m = cuda_object_new(CUDA_K_MODULE, ctx, sizeof *m);
  if (!exec_module_load(&m->m, cuda.mem, cuda.engine.load_flags | EXEC_KEEP_REFUSED, "ptx", ptx, strlen(ptx), e)) {
    cuda_object_delete(m);
    return code_of(e);
  }
  m->functions = must_alloc((m->m.ptx.n_funcs + 1) * sizeof *m->functions);
  *out = m;
  return CUDA_SUCCESS;
}

static CUresult load(struct CUmod_st **out, struct CUctx_st *ctx, const void *image, size_t bytes,
                     struct err *e) {
  const struct cuda_device_info *d = &cuda.engine.info;
  char *ptx = fatbin_ptx(image, bytes, (unsigned)(10 * d->major + d->minor), e);
  if (!ptx) return code_of(e);
  CUresult r = cuda_module_from_ptx(out, ctx, ptx, e);
  free(ptx);
  return r;
}

void cuda_module_delete(void *module) {
  struct CUmod_st *m = module;
  for (uint32_t i = 0; i < m->m.ptx.n_funcs; i++) {
    if (!m->functions[i]) continue;
    free(m->functions[i]->old_params);
    cuda_object_delete(m->functions[i]);
  }
  free(m->functions);
  exec_module_unload(&m->m);
  cuda_object_delete(m);
}

CUresult cuda_module_resolved(struct CUmod_st *m, CUresult code, struct err *e) {
  if (!m->m.unresolved) return CUDA_SUCCESS;
  err_set(e, ERR_INPUT, "undefined reference to '%s'", m->m.unresolved);
  cuda_module_delete(m);
  return code;
}

/* ---- compiler options: logs are filled, the rest does not apply to a simulator and is accepted ---- */

struct jit_logs {
  char *error, *info;
  size_t error_capacity, info_capacity;
  void **error_size, **info_size; /* receives the length written */
};

static void find_logs(struct jit_logs *l, unsigned n, const CUjit_option *options, void **values) {
  for (unsigned i = 0; i < n; i++) switch (options[i]) {
    case CU_JIT_ERROR_LOG_BUFFER: l->error = values[i]; break;
    case CU_JIT_INFO_LOG_BUFFER: l->info = values[i]; break;
    case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
      l->error_capacity = (unsigned)(uintptr_t)values[i];
      l->error_size = &values[i];
      break;
    case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
      l->info_capacity = (unsigned)(uintptr_t)values[i];
      l->info_size = &values[i];
      break;
    case CU_JIT_WALL_TIME: {
      float none = 0.0f;
      values[i] = NULL;
      memcpy(&values[i], &none, sizeof none);
      break;
    }
    default: break;
    }
}

static void write_log(char *to, size_t capacity, void **size, const char *text) {
  size_t n = 0;
  if (to && capacity) {
    n = strnlen(text, capacity - 1);
    memcpy(to, text, n);
    to[n] = 0;
  }
  if (size) *size = (void *)(uintptr_t)n;
}

static CUresult load_with_options(CUmodule *out, const void *image, size_t bytes, unsigned n,
                                  CUjit_option *options, void **values) {
  ENTER_CONTEXT(ctx);
  NEED(out && image && (!n || (options && values)));
  CHECK(cuda_capture_forbids());
  struct jit_logs logs = {0};
  struct err e = {0};
  find_logs(&logs, n, options, values);
  CUresult r = load(out, ctx, image, bytes, &e);
  if (r == CUDA_SUCCESS) r = cuda_module_resolved(*out, CUDA_ERROR_INVALID_PTX, &e);
  write_log(logs.error, logs.error_capacity, logs.error_size, r == CUDA_SUCCESS ? "" : e.text);
  write_log(logs.info, logs.info_capacity, logs.info_size, "");
  if (r != CUDA_SUCCESS && !logs.error) cuda_say("%s", e.text);
  return r;
}

CUDA_EXPORT CUresult cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned n, CUjit_option *options,
                                        void **values) {
  return load_with_options(out, image, FATBIN_UNKNOWN, n, options, values);
}
CUDA_EXPORT CUresult cuModuleLoadData(CUmodule *out, const void *image) {
  return load_with_options(out, image, FATBIN_UNKNOWN, 0, NULL, NULL);
}
CUDA_EXPORT CUresult cuModuleLoadFatBinary(CUmodule *out, const void *image) {
  return load_with_options(out, image, FATBIN_UNKNOWN, 0, NULL, NULL);
}

CUDA_EXPORT CUresult cuModuleLoad(CUmodule *out, const char *path) {
  NEED(out && path);
  struct str text = {0};
  CUresult r = CUDA_ERROR_FILE_NOT_FOUND;
  if (str_add_file(&text, path)) r = load_with_options(out, text.s, text.n + 1, 0, NULL, NULL); /* with its terminating zero */
  str_free(&text);
  return r;
}

CUDA_EXPORT CUresult cuModuleUnload(CUmodule m) {
  ENTER_ALIVE();
  if (!cuda_is(m, CUDA_K_MODULE)) return CUDA_ERROR_INVALID_HANDLE;
  CHECK(cuda_capture_forbids());
  CHECK(cuda_drain(m->o.ctx, NULL));
  cuda_module_delete(m);
  cuda_each(CUDA_K_LIBRARY, NULL, cuda_library_forget_context);
  return CUDA_SUCCESS;
}

/* Kernels are decoded when their module is loaded. */
CUDA_EXPORT CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
  NEED(mode);
  *mode = CU_MODULE_EAGER_LOADING;
  return CUDA_SUCCESS;
}

/* ---- contents ---- */

static struct CUfunc_st *function_at(struct CUmod_st *m, uint32_t i) {
  if (m->functions[i]) return m->functions[i];
  struct CUfunc_st *f = cuda_object_new(CUDA_K_FUNCTION, m->o.ctx, sizeof *f);
  f->module = m;
  f->func = &m->m.funcs[i];
  int left = (int)cuda.engine.info.shared_per_block - (int)f->func->shared_bytes;
  f->max_dynamic_shared = left > 0 ? left : 0;
  f->carveout = -1;
  return m->functions[i] = f;
}

CUresult cuda_module_function(struct CUfunc_st **out, struct CUmod_st *m, const char *name) {
  int32_t i = ptx_find_func(&m->m.ptx, name);
  if (i < 0 || !m->m.ptx.funcs[i].is_entry || m->m.ptx.funcs[i].is_extern) return CUDA_ERROR_NOT_FOUND;
  *out = function_at(m, (uint32_t)i);
  return CUDA_SUCCESS;
}

CUresult cuda_module_global(CUdeviceptr *at, size_t *bytes, const struct CUmod_st *m, const char *name) {
  int32_t i = ptx_find_var(&m->m.ptx, name);
  if (i < 0) return CUDA_ERROR_NOT_FOUND;
  const struct ptx_var *v = &m->m.ptx.vars[i];
  if ((v->space != PTX_GLOBAL && v->space != PTX_CONST) || v->func >= 0) return CUDA_ERROR_NOT_FOUND;
  if (at) *at = m->m.var_address[i];
  if (bytes) *bytes = v->bytes;
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuModuleGetFunction(CUfunction *out, CUmodule m, const char *name) {
  ENTER_ALIVE();
  NEED(out && name && *name);
  if (!cuda_is(m, CUDA_K_MODULE)) return CUDA_ERROR_INVALID_HANDLE;
  return cuda_module_function(out, m, name);
}

CUDA_EXPORT CUresult cuModuleGetGlobal_v2(CUdeviceptr *at, size_t *bytes, CUmodule m, const char *name) {
  ENTER_ALIVE();
  NEED(name && (at || bytes));
  if (!cuda_is(m, CUDA_K_MODULE)) return CUDA_ERROR_INVALID_HANDLE;
  return cuda_module_global(at, bytes, m, name);
}

static bool is_kernel(const struct ptx_func *f) { return f->is_entry && !f->is_extern; }

CUDA_EXPORT CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule m) {
  ENTER_ALIVE();
  NEED(count);
  if (!cuda_is(m, CUDA_K_MODULE)) return CUDA_ERROR_INVALID_HANDLE;
  *count = 0;
  for (uint32_t i = 0; i < m->m.ptx.n_funcs; i++) *count += is_kernel(&m->m.ptx.funcs[i]);
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuModuleEnumerateFunctions(CUfunction *out, unsigned capacity, CUmodule m) {
  ENTER_ALIVE();
  NEED(out && capacity);
  if (!cuda_is(m, CUDA_K_MODULE)) return CUDA_ERROR_INVALID_HANDLE;
  unsigned n = 0;
  for (uint32_t i = 0; i < m->m.ptx.n_funcs && n < capacity; i++)
    if (is_kernel(&m->m.ptx.funcs[i])) out[n++] = function_at(m, i);
  return CUDA_SUCCESS;
}
