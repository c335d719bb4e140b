/* Which code of the program made a call, for messages that name who made an allocation. */
#include "cuda/state.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <string.h>

enum { DEPTH = 12 };

/* libcuda.so.1, libcudart.so.12 */
static bool ours(const void *code) {
  Dl_info at;
  if (!dladdr(code, &at) || !at.dli_fname) return false;
  const char *slash = strrchr(at.dli_fname, '/');
  return strncmp(slash ? slash + 1 : at.dli_fname, "libcuda", 7) == 0;
}

const void *cuda_call_site(void) {
  void *frames[DEPTH];
  int n = backtrace(frames, DEPTH);
  for (int i = 0; i < n; i++) {
    const char *call = (const char *)frames[i] - 1; /* the call itself, not its return address */
    if (!ours(call)) return call;
  }
  return NULL;
}
