/* See workload_names.h. */
#include "cli/workload_names.h"

#include "base/arena.h"
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Everything a child prints; false if it could not be started or ended badly. */
static bool read_child(const char *program, const char *libraries, const char *option, struct str *out) {
  int end[2], status = 1;
  if (pipe(end) != 0) return false;
  pid_t pid = fork();
  if (pid == 0) {
    dup2(end[1], STDOUT_FILENO);
    close(end[0]);
    setenv("LD_LIBRARY_PATH", libraries, 1);
    execl(program, program, "list", option, (char *)NULL);
    _exit(127);
  }
  close(end[1]);
  char part[4096];
  for (ssize_t k; pid > 0 && (k = read(end[0], part, sizeof part)) > 0;) str_addn(out, part, (size_t)k);
  close(end[0]);
  return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0 && out->n;
}

static bool listed(const char *option, struct str *all, struct err *e) {
  struct str program = {0}, libraries = {0};
  str_add(&program, "%s/heddle-workloads", cli_home());
  str_add(&libraries, "%s/lib", cli_home());
  bool ok = read_child(program.s, libraries.s, option, all) ||
            err_set(e, ERR_SYSTEM, "the workloads cannot be listed by %s", program.s);
  str_free(&program);
  str_free(&libraries);
  return ok;
}

bool cli_workload_stamps(struct str *out, struct err *e) { return listed("--stamps", out, e); }

bool cli_workload_names(struct cli_names *out, struct err *e) {
  struct str all = {0};
  bool ok = listed("--tsv", &all, e);
  size_t cap = 0;
  char *save = NULL;
  *out = (struct cli_names){.text = all.s};
  for (char *line = ok ? strtok_r(all.s, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save)) {
    line[strcspn(line, "\t")] = 0;
    GROW(out->list, cap, out->n + 1);
    out->list[out->n++] = line;
  }
  return ok;
}

void cli_names_free(struct cli_names *n) {
  free(n->list);
  free(n->text);
  *n = (struct cli_names){0};
}

bool cli_programs(const char *path, struct lab_programs *out, struct err *e) {
  struct cli_names names = {0};
  *out = (struct lab_programs){0};
  bool ok = !path || (cli_workload_names(&names, e) && lab_programs_read(out, path, names.list, names.n, e));
  cli_names_free(&names);
  return ok;
}
