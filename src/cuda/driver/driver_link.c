/* The linker: PTX inputs are joined to one text, which a program loads as it would load the machine code made by a real linker.
 * Declarations of the same symbol may appear in several inputs; two definitions are an error, reported when the text is loaded. Machine
 * code, objects and libraries are refused. */
#include "base/str.h"
#include "cuda/image/fatbin.h"
#include "cuda/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CUlinkState_st {
  struct cuda_object o;
  struct str text;
  unsigned inputs;
  char *error_log;
  size_t error_capacity;
};

CUDA_EXPORT CUresult cuLinkCreate_v2(unsigned n, CUjit_option *options, void **values, CUlinkState *out) {
  ENTER_CONTEXT(ctx);
  NEED(out && (!n || (options && values)));
  struct CUlinkState_st *l = cuda_object_new(CUDA_K_LINK, ctx, sizeof *l);
  for (unsigned i = 0; i < n; i++) {
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER) l->error_log = values[i];
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) l->error_capacity = (unsigned)(uintptr_t)values[i];
  }
  *out = l;
  return CUDA_SUCCESS;
}

static CUresult fail(struct CUlinkState_st *l, CUresult code, const char *text) {
  if (l->error_log && l->error_capacity)
    snprintf(l->error_log, l->error_capacity, "%s", text);
  else
    cuda_say("%s", text);
  return code;
}

static CUresult add(struct CUlinkState_st *l, CUjitInputType type, const void *data, size_t bytes) {
  if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_FATBINARY)
    return fail(l, CUDA_ERROR_NOT_SUPPORTED,
                "the linker takes PTX and fat binaries with PTX, not machine code or libraries");
  struct err e = {0};
  const struct cuda_device_info *d = &cuda.engine.info;
  char *ptx = fatbin_ptx(data, bytes, (unsigned)(10 * d->major + d->minor), &e);
  if (!ptx) return fail(l, e.code ? (CUresult)e.code : CUDA_ERROR_INVALID_IMAGE, e.text);
  fatbin_join(&l->text, ptx);
  l->inputs++;
  free(ptx);
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuLinkAddData_v2(CUlinkState l, CUjitInputType type, void *data, size_t bytes,
                                      const char *name, unsigned n, CUjit_option *options, void **values) {
  ENTER_CONTEXT(ctx);
  (void)ctx, (void)name, (void)options, (void)values, (void)n;
  if (!cuda_is(l, CUDA_K_LINK)) return CUDA_ERROR_INVALID_HANDLE;
  NEED(data && bytes);
  return add(l, type, data, bytes);
}

CUDA_EXPORT CUresult cuLinkAddFile_v2(CUlinkState l, CUjitInputType type, const char *path, unsigned n,
                                      CUjit_option *options, void **values) {
  ENTER_CONTEXT(ctx);
  (void)ctx, (void)options, (void)values, (void)n;
  if (!cuda_is(l, CUDA_K_LINK)) return CUDA_ERROR_INVALID_HANDLE;
  NEED(path);
  struct str text = {0};
  CUresult r = CUDA_ERROR_FILE_NOT_FOUND;
  if (str_add_file(&text, path)) r = text.n ? add(l, type, text.s, text.n) : fail(l, CUDA_ERROR_INVALID_IMAGE, "the file is empty");
  str_free(&text);
  return r;
}

CUDA_EXPORT CUresult cuLinkComplete(CUlinkState l, void **out, size_t *bytes) {
  ENTER_CONTEXT(ctx);
  if (!cuda_is(l, CUDA_K_LINK)) return CUDA_ERROR_INVALID_HANDLE;
  NEED(out && l->inputs);
  struct CUmod_st *m;
  struct err e = {0};
  CUresult r = cuda_module_from_ptx(&m, ctx, l->text.s, &e); /* detect now what would fail later */
  if (r == CUDA_SUCCESS) r = cuda_module_resolved(m, CUDA_ERROR_UNKNOWN, &e); /* NVIDIA's driver returns this code */
  if (r != CUDA_SUCCESS) return fail(l, r, e.text);
  cuda_module_delete(m);
  *out = l->text.s;
  if (bytes) *bytes = l->text.n + 1;
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuLinkDestroy(CUlinkState l) {
  ENTER();
  if (!cuda_is(l, CUDA_K_LINK)) return CUDA_ERROR_INVALID_HANDLE;
  str_free(&l->text);
  cuda_object_delete(l);
  return CUDA_SUCCESS;
}
#undef cuLinkCreate
#undef cuLinkAddData
#undef cuLinkAddFile
CUDA_ALIAS(cuLinkCreate, cuLinkCreate_v2);
CUDA_ALIAS(cuLinkAddData, cuLinkAddData_v2);
CUDA_ALIAS(cuLinkAddFile, cuLinkAddFile_v2);
