/* See mapping.h. The host lists mappings in the order of their addresses, one per line: "FROM-TO rwxp ...". Does not detect that a mapped
 * file has become shorter. */
#include "cuda/mapping.h"

#include <stdint.h>
#include <stdio.h>

size_t cuda_readable(const void *at) {
  FILE *f = fopen("/proc/self/maps", "r");
  char line[512];
  unsigned long from, to;
  char readable;
  uintptr_t end = (uintptr_t)at;
  while (f && fgets(line, sizeof line, f)) {
    if (sscanf(line, "%lx-%lx %c", &from, &to, &readable) != 3 || to <= end) continue; /* the rest of a long name, or a lower address */
    if (from > end || readable != 'r') break;
    end = to;
  }
  if (f) fclose(f);
  return end - (uintptr_t)at;
}
