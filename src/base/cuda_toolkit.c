/* See cuda_toolkit.h. */
#include "base/cuda_toolkit.h"

#include <glob.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

typedef bool visit_fn(void *context, const char *folder);

static bool each_of(const char *toolkit, visit_fn *visit, void *context) {
  static const char *const below[] = {"lib64", "lib", "targets/x86_64-linux/lib"};
  char path[4096];
  for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
    int n = snprintf(path, sizeof path, "%s/%s", toolkit, below[i]);
    if (n > 0 && (size_t)n < sizeof path && visit(context, path)) return true;
  }
  return false;
}

/* Several versions may be installed; /usr/local/cuda is the one that is meant by default. */
static bool each_version(visit_fn *visit, void *context) {
  glob_t found;
  bool done = false;
  if (glob("/usr/local/cuda-*", 0, NULL, &found) != 0) return false;
  for (size_t i = found.gl_pathc; i-- > 0 && !done;) done = each_of(found.gl_pathv[i], visit, context);
  globfree(&found);
  return done;
}

bool toolkit_each_folder(visit_fn *visit, void *context) {
  const char *home = getenv("CUDA_HOME") ? getenv("CUDA_HOME") : getenv("CUDA_PATH");
  if (home) return each_of(home, visit, context);
  return each_of("/usr/local/cuda", visit, context) || each_version(visit, context) || each_of("/opt/cuda", visit, context) ||
         visit(context, "/usr/lib/x86_64-linux-gnu") || visit(context, "/usr/lib64");
}
