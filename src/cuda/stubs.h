/* Entry points that exist but are not implemented: each prints this once and returns CUDA's "not supported". They ignore their arguments,
 * so their prototypes are not needed: STUB(name) for each, from a list. */
#ifndef CUDA_STUBS_H
#define CUDA_STUBS_H

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

#endif
