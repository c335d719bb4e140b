/* See jit_real.h. */
#include "jit/jit_real.h"

#include "base/cuda_toolkit.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the installed library -------------------------------------------------------------------------------------------- */

static void *open_in(const char *folder, size_t n, const char *file) {
  char path[4096];
  int length = snprintf(path, sizeof path, "%.*s/%s", (int)n, folder, file);
  return length > 0 && (size_t)length < sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

static bool is_own_folder(const char *folder, size_t n) {
  Dl_info self;
  if (!dladdr((const void *)(uintptr_t)is_own_folder, &self)) return false;
  const char *slash = strrchr(self.dli_fname, '/');
  return slash && (size_t)(slash - self.dli_fname) == n && !strncmp(self.dli_fname, folder, n);
}

static void *open_along(const char *path, const char *file) {
  for (size_t n; path && *path; path += n + (path[n] == ':')) {
    n = strcspn(path, ":");
    void *found = n && !is_own_folder(path, n) ? open_in(path, n, file) : NULL;
    if (found) return found;
  }
  return NULL;
}

struct search {
  const char *file;
  void *found;
};

static bool look_in(void *context, const char *folder) {
  struct search *s = context;
  if (!is_own_folder(folder, strlen(folder))) s->found = open_in(folder, strlen(folder), s->file);
  return s->found != NULL;
}

void *jit_open_real(const char *file) {
  struct search s = {.file = file, .found = open_along(getenv("LD_LIBRARY_PATH"), file)};
  if (!s.found) toolkit_each_folder(look_in, &s);
  return s.found;
}

/* ---- architectures ------------------------------------------------------------------------------------------------------ */

char *jit_virtual_arch(const char *option, bool *is_arch) {
  static const char *const forms[] = {"--gpu-architecture=", "-arch="};
  size_t n = 0;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if (!strncmp(option, forms[i], strlen(forms[i]))) n = strlen(forms[i]);
  bool named = n || *is_arch;
  *is_arch = !strcmp(option, "--gpu-architecture") || !strcmp(option, "-arch");
  if (!named || strncmp(option + n, "sm_", 3) != 0) return NULL;
  size_t bytes = strlen(option) + sizeof "compute_";
  char *changed = malloc(bytes);
  if (changed) snprintf(changed, bytes, "%.*scompute_%s", (int)n, option, option + n + 3);
  return changed;
}

void jit_complain(const char *what) {
  static const char *last;
  if (last == what) return;
  last = what;
  fprintf(stderr, "heddle: %s\n", what);
}
