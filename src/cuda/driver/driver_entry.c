/* Entry points by name, entry points that are not implemented, and the private tables of NVIDIA's runtime.
 *
 * A name and a CUDA version select a symbol by the table in driver_versions.def. Names in driver_stubs.def return CUDA_ERROR_NOT_SUPPORTED
 * and print this once each. A runtime library that is linked statically into a program asks cuGetExportTable for undocumented tables, which
 * Heddle does not have. */
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

/* The name of the file that contains the code. */
static const char *file_of(const void *code) {
  Dl_info at;
  if (!dladdr(code, &at) || !at.dli_fname) return "the program";
  const char *slash = strrchr(at.dli_fname, '/');
  return slash ? slash + 1 : at.dli_fname;
}

/* Compilers of a CUDA toolkit ask too, and work without the tables. */
static bool is_compiler(const char *file) { return !strncmp(file, "libnvrtc", 8) || !strncmp(file, "libnvJitLink", 12); }

/* Printed for the first table only: a runtime that is refused one asks for others. */
static void say_refused(const char *file, const CUuuid *id) {
  static bool said;
  char name[2 * sizeof id->bytes + 1] = "";
  for (size_t i = 0; id && i < sizeof id->bytes; i++) snprintf(name + 2 * i, 3, "%02x", (unsigned char)id->bytes[i]);
  if (!said)
    cuda_say("%s has a CUDA runtime inside that asks the driver for the private table %s, which is refused; start the program with "
             "`heddle run -- PROGRAM`, which binds such a runtime to ours by its symbols or its toolkit, or build it with nvcc "
             "-cudart shared",
             file, name);
  said = true;
}

CUDA_EXPORT CUresult cuGetExportTable(const void **table, const CUuuid *id) {
  const char *file = file_of(__builtin_return_address(0));
  if (table) *table = NULL;
  if (!is_compiler(file)) say_refused(file, id);
  return CUDA_ERROR_NOT_SUPPORTED;
}
