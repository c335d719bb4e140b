/* See jit_real.h. */
#include "jit/jit_real.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the installed library -------------------------------------------------------------------------------------------- */

static void *open_in(const char *folder, size_t n, const char *below, const char *file) {
  char path[4096];
  int length = snprintf(path, sizeof path, "%.*s%s/%s", (int)n, folder, below, file);
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
    void *found = n && !is_own_folder(path, n) ? open_in(path, n, "", file) : NULL;
    if (found) return found;
  }
  return NULL;
}

void *jit_open_real(const char *file) {
  static const char *const folders[] = {"/usr/local/cuda/lib64", "/usr/local/cuda/targets/x86_64-linux/lib", "/usr/lib/x86_64-linux-gnu",
                                        "/usr/lib64"};
  const char *home = getenv("CUDA_HOME") ? getenv("CUDA_HOME") : getenv("CUDA_PATH");
  void *found = open_along(getenv("LD_LIBRARY_PATH"), file);
  if (!found && home) return open_in(home, strlen(home), "/lib64", file);
  for (size_t i = 0; !found && i < sizeof folders / sizeof *folders; i++)
    if (!is_own_folder(folders[i], strlen(folders[i]))) found = open_in(folders[i], strlen(folders[i]), "", file);
  return found;
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
