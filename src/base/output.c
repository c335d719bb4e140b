/* See output.h. */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static FILE *apart; /* standard output, where it was taken; descriptor 1 is then standard error */

bool output_is_stdout(const char *path) { return !strcmp(path, "-"); }

bool output_take_stdout(struct err *e) {
  fflush(stdout);
  int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1); /* a program that is started must not keep a pipe open */
  apart = fd >= 0 ? fdopen(fd, "w") : NULL;
  return (apart && dup2(STDERR_FILENO, STDOUT_FILENO) == STDOUT_FILENO) ||
         err_set(e, ERR_SYSTEM, "cannot write to standard output: %s", strerror(errno));
}

static bool failed(const char *path, struct err *e) {
  return err_set(e, ERR_SYSTEM, "cannot write '%s': %s", path, strerror(errno));
}

bool output_check(const char *path, struct err *e) {
  struct stat s;
  if (output_is_stdout(path)) return true;
  if (stat(path, &s) == 0) {
    if (S_ISDIR(s.st_mode)) errno = EISDIR;
    else if (access(path, W_OK) == 0) return true;
    return failed(path, e);
  }
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
  bool ok = access(folder, W_OK | X_OK) == 0;
  if (!ok) failed(path, e);
  free(folder);
  return ok;
}

FILE *output_open(const char *path, struct err *e) {
  if (output_is_stdout(path)) return apart ? apart : stdout;
  FILE *f = fopen(path, "w");
  if (!f) failed(path, e);
  return f;
}

bool output_close(FILE *f, const char *path, struct err *e) {
  bool ok = !ferror(f);
  ok = (f == apart || f == stdout ? fflush(f) : fclose(f)) == 0 && ok;
  return ok || failed(path, e);
}

bool output_json(const json_t *o, const char *path, size_t flags, struct err *e) {
  FILE *f = output_open(path, e);
  if (!f) return false;
  bool ok = json_dumpf(o, f, flags) == 0 && putc('\n', f) != EOF;
  return output_close(f, path, e) && (ok || failed(path, e));
}
