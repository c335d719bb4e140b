/* The names of kernels in the order in which they were first seen, for probes that report by kernel. */
#ifndef PROBE_NAMES_H
#define PROBE_NAMES_H

#include <stddef.h>

struct probe_names {
  char **at;
  size_t n, cap;
};
/* The number of a name; a new one gets the next. */
size_t probe_names_at(struct probe_names *s, const char *name);
void probe_names_free(struct probe_names *s);

#endif
