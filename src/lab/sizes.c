/* See sizes.h. */
#include "lab/sizes.h"

#include <string.h>

const char *const lab_sizes[LAB_SIZES] = {"small", "medium", "paper"};

int lab_size_index(const char *name) {
  for (int i = 0; i < LAB_SIZES; i++)
    if (!strcmp(name, lab_sizes[i])) return i;
  return -1;
}
