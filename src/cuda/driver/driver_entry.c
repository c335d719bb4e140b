/* Entry points by name, those that do not exist yet, and the secret door.
 *
 * A name and a CUDA version choose a symbol by the table in driver_versions.def. Names in driver_stubs.def
 * answer CUDA_ERROR_NOT_SUPPORTED and say so once each. The runtime library that is linked statically into a
 * program enters through cuGetExportTable with undocumented tables, which Heddle does not have. */
#include "cuda/state.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- by name ---- */

static const struct {
  const char *name;
  int version;
  const char *symbol;
} entries[] = {
#define ENTRY(name, version, symbol) {name, version, symbol},
#include "cuda/driver/driver_versions.def"
#undef ENTRY
};

static void *own_symbol(const char *symbol) {
  static void *self;
  if (!self) {
    Dl_info here;
    if (!dladdr((void *)(uintptr_t)own_symbol, &here)) return NULL;
    self = dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  }
  return self ? dlsym(self, symbol) : NULL;
}

static void *variant(const char *symbol, bool per_thread) {
  static const char *const suffixes[] = {"_ptsz", "_ptds"};
  char name[128];
  for (int i = 0; per_thread && i < 2; i++) {
    snprintf(name, sizeof name, "%s%s", symbol, suffixes[i]);
    void *p = own_symbol(name);
    if (p) return p;
  }
  return own_symbol(symbol);
}

CUDA_EXPORT CUresult cuGetProcAddress_v2(const char *name, void **out, int version, cuuint64_t flags,
                                         CUdriverProcAddressQueryResult *status) {
  NEED(name && out && flags <= CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
  const char *symbol = NULL;
  bool known = false;
  int best = -1;
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
    if (strcmp(entries[i].name, name)) continue;
    known = true;
    if (entries[i].version > version || entries[i].version <= best) continue;
    best = entries[i].version;
    symbol = entries[i].symbol;
  }
  *out = symbol ? variant(symbol, flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) : NULL;
  if (status)
    *status = *out    ? CU_GET_PROC_ADDRESS_SUCCESS
              : known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                      : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *out || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
#undef cuGetProcAddress
CUDA_EXPORT CUresult cuGetProcAddress(const char *name, void **out, int version, cuuint64_t flags);
CUDA_EXPORT CUresult cuGetProcAddress(const char *name, void **out, int version, cuuint64_t flags) {
  return cuGetProcAddress_v2(name, out, version, flags, NULL);
}

/* Compilers of a CUDA toolkit ask too, and do without. */
static bool is_compiler(const void *code) {
  Dl_info at;
  if (!dladdr(code, &at) || !at.dli_fname) return false;
  const char *slash = strrchr(at.dli_fname, '/'), *file = slash ? slash + 1 : at.dli_fname;
  return !strncmp(file, "libnvrtc", 8) || !strncmp(file, "libnvJitLink", 12);
}

CUDA_EXPORT CUresult cuGetExportTable(const void **table, const CUuuid *id) {
  static bool said;
  (void)id;
  if (table) *table = NULL;
  if (is_compiler(__builtin_return_address(0))) return CUDA_ERROR_NOT_SUPPORTED;
  if (!said)
    cuda_say("this program has the CUDA runtime linked into it and asks the driver for private tables; start it with "
             "`heddle run -- PROGRAM`, which binds that runtime to ours, or rebuild it with nvcc -cudart shared");
  said = true;
  return CUDA_ERROR_NOT_SUPPORTED;
}
