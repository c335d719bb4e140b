/* See source.h. A file is opened first and its real place looked at then, so that it cannot be exchanged in between; opening
 * neither waits for the other end of a pipe nor takes a terminal. */
#include "cli/source.h"

#include "base/arena.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- folders -------------------------------------------------------------------------------------------------------------------- */

/* "/" would be everything: it is taken only where the user says so. */
static bool add_folder(struct cli_sources *s, const char *path, bool named) {
  char *whole = s->n < CLI_MOST_SOURCES ? realpath(path, NULL) : NULL;
  if (whole && (named || strcmp(whole, "/") != 0)) s->folders[s->n++] = whole;
  else free(whole);
  return whole != NULL;
}

static void add_own_folder(struct cli_sources *s, const struct cli_launch *l) {
  struct str path = {0};
  if (l->workload) str_add(&path, "%s/..", cli_home()); /* names of workloads' sources begin with workloads/ */
  else if (strchr(l->argv[0], '/')) str_add(&path, "%.*s/", (int)(strrchr(l->argv[0], '/') - l->argv[0]), l->argv[0]);
  if (path.s) add_folder(s, path.s, false);
  str_free(&path);
}

bool cli_sources_open(struct cli_sources *s, const struct cli_launch *l, const char *named, struct err *e) {
  *s = (struct cli_sources){0};
  char *list = named ? strdup(named) : NULL, *save = NULL;
  bool ok = true;
  for (char *w = list ? strtok_r(list, ",", &save) : NULL; w && ok; w = strtok_r(NULL, ",", &save))
    ok = add_folder(s, w, true) || err_set(e, ERR_INPUT, "--source %s: %s", w, strerror(errno));
  free(list);
  if (ok) add_own_folder(s, l);
  return ok;
}

void cli_sources_close(struct cli_sources *s) {
  while (s->n) free(s->folders[--s->n]);
}

/* ---- files ---------------------------------------------------------------------------------------------------------------------- */

static bool is_inside(const char *folder, const char *path) {
  size_t n = strlen(folder);
  while (n && folder[n - 1] == '/') n--;
  return !strncmp(folder, path, n) && path[n] == '/';
}

/* Whether an open file is a regular one in one of the folders, whatever name led to it. */
static bool is_allowed(const struct cli_sources *s, int fd) {
  char name[40], place[PATH_MAX];
  struct stat st;
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(name, place, sizeof place - 1);
  if (n <= 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) return false;
  place[n] = 0;
  for (unsigned i = 0; i < s->n; i++)
    if (is_inside(s->folders[i], place)) return true;
  return false;
}

static FILE *open_allowed(const struct cli_sources *s, const char *path) {
  struct stat st;
  if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) return NULL; /* opening a device may do something */
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  FILE *f = fd >= 0 && is_allowed(s, fd) ? fdopen(fd, "r") : NULL;
  if (fd >= 0 && !f) close(fd);
  return f;
}

static FILE *open_source(const struct cli_sources *s, const char *path) {
  FILE *f = *path == '/' ? open_allowed(s, path) : NULL;
  for (unsigned i = 0; i < s->n && !f && *path != '/'; i++) {
    struct str whole = {0};
    str_add(&whole, "%s/%s", s->folders[i], path);
    f = open_allowed(s, whole.s);
    str_free(&whole);
  }
  return f;
}

void cli_visible(const char *text, size_t n, char *out, size_t size) {
  size_t at = 0;
  for (size_t i = 0; i < n && at + 1 < size; i++) {
    unsigned char c = (unsigned char)text[i];
    bool second = c == 0xc2 && i + 1 < n && (unsigned char)text[i + 1] < 0xa0; /* U+0080 to U+009F are controls too */
    if (c == '\t') out[at++] = ' ';
    else if (c >= ' ' && c != 0x7f && !second) out[at++] = (char)c;
    else if (at + 5 <= size) at += (size_t)snprintf(out + at, size - at, "\\x%02x", c);
    else break;
    if (second && at + 5 <= size) at += (size_t)snprintf(out + at, size - at, "\\x%02x", (unsigned char)text[++i]);
  }
  out[at] = 0;
}

bool cli_source_line(const struct cli_sources *s, const char *path, unsigned line, char *out, size_t size) {
  FILE *f = open_source(s, path);
  bool found = false;
  char text[512];
  for (unsigned n = 1; f && !found && fgets(text, sizeof text, f);) {
    bool whole = strchr(text, '\n') != NULL;
    if (n == line) {
      const char *start = text + strspn(text, " \t");
      cli_visible(start, strcspn(start, "\r\n"), out, size);
      found = true;
    }
    n += whole;
  }
  if (f) fclose(f);
  return found;
}

json_t *cli_source_text(const struct cli_sources *s, const char *path) {
  FILE *f = open_source(s, path);
  if (!f) return NULL;
  char *text = must_alloc(CLI_SOURCE_BYTES);
  size_t n = fread(text, 1, CLI_SOURCE_BYTES, f);
  json_t *out = n < CLI_SOURCE_BYTES ? json_stringn(text, n) : NULL;
  if (!out && n < CLI_SOURCE_BYTES) { /* an older encoding: its letters are lost, its lines are not */
    for (size_t i = 0; i < n; i++)
      if ((unsigned char)text[i] >= 0x80 || !text[i]) text[i] = '?';
    out = json_stringn(text, n);
  }
  free(text);
  fclose(f);
  return out;
}
