/* Questions: time, versions, ids of contexts and streams, names of results; and what is not there. */
#include "cupti/cupti_state.h"

#include <cuda.h>
#include <stdio.h>

enum { API_VERSION = 130001 };

CUPTI_API(cuptiGetVersion, (uint32_t * version), (version)) {
  if (!version) return CUPTI_BAD_PARAMETER;
  *version = API_VERSION;
  return CUPTI_OK;
}

/* The clock of the records: simulated time. */
CUPTI_API(cuptiGetTimestamp, (uint64_t * ns), (ns)) {
  if (!ns) return CUPTI_BAD_PARAMETER;
  NEED_DRIVER();
  *ns = heddleNow();
  return CUPTI_OK;
}

/* ---- ids ---- */

static enum cupti_result context_id(CUcontext context, uint32_t *out) {
  unsigned long long id = 0;
  NEED_DRIVER();
  heddleTraceQuiet(true);
  CUresult r = cuCtxGetId(context, &id);
  heddleTraceQuiet(false);
  *out = (uint32_t)id;
  return r == CUDA_SUCCESS ? CUPTI_OK : CUPTI_BAD_CONTEXT;
}

CUPTI_API(cuptiGetContextId, (CUcontext context, uint32_t *id), (context, id)) {
  if (!id) return CUPTI_BAD_PARAMETER;
  return context_id(context, id);
}

CUPTI_API(cuptiGetDeviceId, (CUcontext context, uint32_t *id), (context, id)) {
  if (!id) return CUPTI_BAD_PARAMETER;
  enum cupti_result r = context_id(context, id);
  if (r == CUPTI_OK) *id = 0; /* there is one device */
  return r;
}

static enum cupti_result stream_id(CUcontext context, CUstream stream, uint32_t *out) {
  unsigned long long id = 0;
  CUcontext own = NULL;
  NEED_DRIVER();
  heddleTraceQuiet(true);
  bool pushed = context && cuCtxPushCurrent_v2(context) == CUDA_SUCCESS;
  enum cupti_result result = CUPTI_OK;
  if (context && !pushed) result = CUPTI_BAD_CONTEXT;
  else if (cuStreamGetId(stream, &id) != CUDA_SUCCESS || cuStreamGetCtx(stream, &own) != CUDA_SUCCESS || (context && own != context))
    result = CUPTI_BAD_STREAM;
  if (pushed) cuCtxPopCurrent_v2(&own);
  heddleTraceQuiet(false);
  if (result == CUPTI_OK) *out = (uint32_t)id;
  return result;
}

CUPTI_API(cuptiGetStreamId, (CUcontext context, CUstream stream, uint32_t *id), (context, stream, id)) {
  return id ? stream_id(context, stream, id) : CUPTI_BAD_PARAMETER;
}

CUPTI_API(cuptiGetStreamIdEx, (CUcontext context, CUstream stream, uint8_t per_thread, uint32_t *id), (context, stream, per_thread, id)) {
  if (!id) return CUPTI_BAD_PARAMETER;
  return stream_id(context, stream ? stream : per_thread ? CU_STREAM_PER_THREAD : CU_STREAM_LEGACY, id);
}

/* Whether a device can be traced: ours can. */
CUPTI_API(cuptiDeviceSupported, (CUdevice device, int *answer), (device, answer)) {
  NEED_DRIVER();
  if (!answer || device != 0) return CUPTI_BAD_PARAMETER;
  *answer = 1;
  return CUPTI_OK;
}

/* ---- results ---- */

static _Thread_local enum cupti_result last; /* of this thread's calls, that was not a success */

enum cupti_result cupti_remember(enum cupti_result r) {
  if (r != CUPTI_OK) last = r;
  return r;
}

/* Not itself remembered: it is forgotten when it is asked for. */
CUPTI_EXPORT enum cupti_result cuptiGetLastError(void);
CUPTI_EXPORT enum cupti_result cuptiGetLastError(void) {
  enum cupti_result r = last;
  last = CUPTI_OK;
  return r;
}

static const struct {
  uint32_t code;
  const char *name;
} results[] = {
#define RESULT(code, name) {code, "CUPTI_" #name},
#include "cupti/cupti_results.def"
#undef RESULT
};

CUPTI_API(cuptiGetResultString, (uint32_t code, const char **name), (code, name)) {
  if (!name) return CUPTI_BAD_PARAMETER;
  for (size_t i = 0; i < sizeof results / sizeof *results; i++)
    if (results[i].code == code) {
      *name = results[i].name;
      return CUPTI_OK;
    }
  *name = "<unknown>";
  return CUPTI_BAD_PARAMETER;
}

/* ---- what is not there ---- */

static enum cupti_result refuse(const char *name, char *said) {
  if (!__atomic_exchange_n(said, 1, __ATOMIC_RELAXED)) fprintf(stderr, "heddle: %s is not supported\n", name);
  return CUPTI_UNSUPPORTED;
}

#define STUB(name)                           \
  CUPTI_API(name, (void), ()) { \
    static char said;                        \
    return refuse(#name, &said);             \
  }
#include "cupti/cupti_stubs.def"
