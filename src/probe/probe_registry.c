/* The list of probes: a new one is a file, and a line here. */
#include "base/str.h"
#include "probe/probe.h"

#include <string.h>

extern const struct probe probe_lines, probe_consistency, probe_coalescing, probe_reuse, probe_sharing,
    probe_working_set, probe_mix, probe_sectors, probe_kernels, probe_kernel_traffic;

const struct probe *const probe_all[] = {
    &probe_lines, &probe_consistency, &probe_coalescing, &probe_reuse, &probe_sharing, &probe_working_set, &probe_mix,
    &probe_sectors, &probe_kernels, &probe_kernel_traffic, NULL,
};

const struct probe *probe_find(const char *name, struct err *e) {
  const char *names[PROBE_MAX];
  size_t n = 0;
  for (; probe_all[n]; n++) {
    names[n] = probe_all[n]->name;
    if (!strcmp(names[n], name)) return probe_all[n];
  }
  err_set(e, ERR_INPUT, "there is no probe '%s'%s; `heddle list probes` shows them", name, str_hint(name, names, n).s);
  return NULL;
}
