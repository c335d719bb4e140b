/* Every routine of libcublas against a slow model on the host: test_blas LIBRARY NAMES REFUSED. The lists are
 * the functions that NVIDIA's library exports and those of them that ours refuses. It runs on a GPU with
 * NVIDIA's library as well (REFUSED is left out then). Last line "N passed, N failed". */
#include "blas_kit.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 6 };

static bool listed(const char *file, const char *name) {
  char line[100];
  bool found = false;
  FILE *f = fopen(file, "r");
  while (f && !found && fgets(line, sizeof line, f)) {
    line[strcspn(line, "\n")] = 0;
    found = strcmp(line, name) == 0;
  }
  if (f) fclose(f);
  return found;
}

static bool ends(const char *name, const char *with) {
  size_t n = strlen(name), k = strlen(with);
  return n >= k && strcmp(name + n - k, with) == 0;
}

/* Each name exists; what is refused says so; and what is neither is called by some test, if it is not another
 * form of one that is. */
static void test_names(void *library, const char *names, const char *refused) {
  char name[100];
  FILE *f = fopen(names, "r");
  CHECK(f != NULL, "the list of names");
  while (f && fgets(name, sizeof name, f)) {
    name[strcspn(name, "\n")] = 0;
    int (*function_)(void) = (int (*)(void))(uintptr_t)dlsym(library, name);
    if (!CHECK(function_ != NULL, "there is no %s", name) || !refused) continue;
    char newer[120];
    snprintf(newer, sizeof newer, "%s_v2", name);
    if (listed(refused, name))
      CHECK(function_() == NOT_SUPPORTED, "%s is not refused", name);
    else if (!ends(name, "_64") && !listed(names, newer))
      CHECK(was_called(name), "%s is not tested", name);
  }
  if (f) fclose(f);
}

int main(int argc, char **argv) {
  CUcontext context;
  if (argc < 3) return fprintf(stderr, "usage: test_blas LIBRARY NAMES [REFUSED [PART]]\n"), 2;
  setvbuf(stdout, NULL, _IOLBF, 0);
  cuInit(0);
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
  open_library(argv[1]);
  static const struct {
    const char *name;
    void (*run)(void);
    bool repeats; /* with other random choices */
  } parts[] = {{"helpers", test_helpers, false},      {"gemm", test_gemm, true},
               {"level3", test_level3, true},         {"level1", test_level1, true},
               {"level2", test_level2, true},         {"factor", test_factor, true},
               {"interfaces", test_interfaces, false}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    int before = passed;
    if (argc > 4 && i && strcmp(argv[4], parts[i].name) != 0) continue;
    for (int round = 0; round < (parts[i].repeats && argc <= 4 ? ROUNDS : 1); round++) parts[i].run();
    end_case();
    printf("%s: %d checks\n", parts[i].name, passed - before);
  }
  int (*destroy)(void *) = (int (*)(void *))(uintptr_t)function("cublasDestroy_v2", "");
  CHECK(destroy(handle) == OK_, "the handle is destroyed");
  if (argc <= 4) test_names(dlopen(argv[1], RTLD_NOW), argv[2], argc > 3 ? argv[3] : NULL);
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
