/* Entry points that exist and are not implemented; they look at none of their arguments. */
#include <stdio.h>

enum { NOT_SUPPORTED = 801 };

static int refuse(const char *name, char *said) {
  if (!__atomic_exchange_n(said, 1, __ATOMIC_RELAXED)) fprintf(stderr, "heddle: %s is not supported\n", name);
  return NOT_SUPPORTED;
}

#define STUB(name)                                                                                           \
  __attribute__((visibility("default"))) int name(void);                                                     \
  int name(void) {                                                                                           \
    static char said;                                                                                        \
    return refuse(#name, &said);                                                                             \
  }
#include "cuda/runtime_stubs.def"
