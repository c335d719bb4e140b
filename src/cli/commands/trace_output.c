/* See trace_output.h. */
#include "cli/commands/trace_output.h"

#include "base/output.h"
#include "cli/launch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { DEFAULT_MB = 64, MOST_MB = 4096 };

bool cli_trace_open(struct cli_trace *t, struct cli_launch *l, struct err *e) {
  unsigned long long mb = l->trace_limit ? strtoull(l->trace_limit, NULL, 10) : DEFAULT_MB;
  if (mb > MOST_MB) return err_set(e, ERR_INPUT, "--trace-limit %llu: at most %d MB can be written", mb, MOST_MB);
  *t = (struct cli_trace){.memory = memfd_create("trace", MFD_CLOEXEC)};
  if (t->memory < 0) return err_set(e, ERR_SYSTEM, "no memory for the trace: %s", strerror(errno));
  str_add(&t->path, "/proc/%d/fd/%d", (int)getpid(), t->memory);
  str_add(&t->limit, "%llu", mb * 1000000);
  l->trace = t->path.s;
  l->trace_limit = t->limit.s;
  return true;
}

bool cli_trace_write(const struct cli_trace *t, const char *path, struct err *e) {
  char part[1 << 16];
  ssize_t n = 0;
  bool any = false, ok = true;
  FILE *f = output_open(path, e);
  if (!f) return false;
  for (lseek(t->memory, 0, SEEK_SET); ok && (n = read(t->memory, part, sizeof part)) > 0; any = true)
    ok = fwrite(part, 1, (size_t)n, f) == (size_t)n;
  ok = output_close(f, path, e) && ok;
  return ok && (any || err_set(e, ERR_INPUT, "there is no trace: the program ended before it had a GPU"));
}

void cli_trace_close(struct cli_trace *t) {
  close(t->memory);
  str_free(&t->path);
  str_free(&t->limit);
}
