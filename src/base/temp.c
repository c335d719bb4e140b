/* See temp.h. */
#include "base/temp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool make_file(char *path) {
  int fd = mkstemp(path);
  return fd >= 0 && close(fd) == 0;
}

static bool make_folder(char *path) { return mkdtemp(path) != NULL; }

static bool make(bool (*how)(char *), const char *what, struct str *path, const char *name, struct err *e) {
  const char *wanted = getenv("TMPDIR"), *in = wanted && *wanted ? wanted : "/tmp";
  char *whole = realpath(in, NULL);
  if (whole) str_add(path, "%s/%s-XXXXXX", whole, name);
  bool ok = whole && how(path->s);
  if (!ok)
    err_set(e, ERR_SYSTEM, "cannot make a temporary %s in '%s': %s; set TMPDIR to a folder that can be written", what, in,
            strerror(errno));
  free(whole);
  if (!ok) str_free(path);
  return ok;
}

bool temp_file(struct str *path, const char *name, struct err *e) { return make(make_file, "file", path, name, e); }
bool temp_folder(struct str *path, const char *name, struct err *e) { return make(make_folder, "folder", path, name, e); }
