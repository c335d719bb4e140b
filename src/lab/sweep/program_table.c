/* See program_table.h. A table looks like
 *
 *   [kmeans]                                   # a workload's name, in quotes if it has other characters than letters: ["b+tree"]
 *   folder = "/suites/rodinia/cuda/kmeans"     # where it is started; relative to the folder of the table, which is the default
 *   command = ["./kmeans", "-o", "-i", "../../data/kmeans/kdd_cup"]
 *   medium = ["./kmeans", "-o", "-i", "../../data/kmeans/100"]   # another command for one size; small and paper likewise
 *   environment = ["THREADS=1"]
 */
#include "lab/sweep/program_table.h"

#include "base/str.h"
#include "base/toml.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_TABLE = 1 << 20 };

struct reader {
  struct lab_programs *p;
  const char *const *workloads;
  size_t n_workloads;
  struct err *e;
};

static bool fail(struct reader *r, unsigned line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static bool fail(struct reader *r, unsigned line, const char *fmt, ...) {
  char text[1024];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  return err_set(r->e, ERR_INPUT, "%s:%u: %s", r->p->path, line, text);
}

static const char *copied(struct reader *r, const char *text) { return arena_strndup(&r->p->arena, text, strlen(text)); }

/* ---- items -------------------------------------------------------------------------------------------------------------- */

static struct lab_program *entry(struct reader *r, const struct toml_item *it) {
  struct lab_programs *p = r->p;
  for (size_t i = 0; i < p->n; i++)
    if (!strcmp(p->list[i].name, it->table)) return &p->list[i];
  if (!str_among(it->table, r->workloads, r->n_workloads)) {
    fail(r, it->line, "there is no workload '%s' that the program could stand for%s", it->table,
         str_hint(it->table, r->workloads, r->n_workloads).s);
    return NULL;
  }
  GROW(p->list, p->cap, p->n + 1);
  p->list[p->n] = (struct lab_program){.name = copied(r, it->table)};
  return &p->list[p->n++];
}

static char **words_of(struct reader *r, const struct toml_item *it) {
  char **words = ARENA_ARRAY(&r->p->arena, char *, it->n + 1);
  for (size_t i = 0; i < it->n; i++) words[i] = arena_strndup(&r->p->arena, it->values[i].text, strlen(it->values[i].text));
  return words;
}

static bool read_folder(struct reader *r, struct lab_program *p, const struct toml_item *it) {
  const char *given = it->values[0].text, *slash = strrchr(r->p->path, '/');
  struct str whole = {0};
  struct stat s;
  if (it->is_array) return fail(r, it->line, "'folder' of %s is one text", p->name);
  if (*given != '/' && slash) str_add(&whole, "%.*s", (int)(slash - r->p->path) + 1, r->p->path);
  str_add(&whole, "%s", given);
  p->folder = copied(r, whole.s);
  str_free(&whole);
  if (stat(p->folder, &s) == 0 && S_ISDIR(s.st_mode)) return true;
  return fail(r, it->line, "the folder '%s' of %s is not there: 'folder' is where the program is started, and a relative one counts from "
                           "the table's own", p->folder, p->name);
}

static bool read_environment(struct reader *r, struct lab_program *p, const struct toml_item *it) {
  p->environment = words_of(r, it);
  for (char **v = p->environment; *v; v++) {
    if (!strchr(*v, '=') || **v == '=') return fail(r, it->line, "'%s' of %s's environment is not NAME=VALUE", *v, p->name);
    if (!strncmp(*v, "HEDDLE_", 7) || !strncmp(*v, "LD_", 3))
      return fail(r, it->line, "%s cannot be set for %s here: it is heddle's; set it for heddle itself", *v, p->name);
  }
  return true;
}

static bool read_command(struct reader *r, struct lab_program *p, const struct toml_item *it, int size) {
  if (!it->n || !*it->values[0].text)
    return fail(r, it->line, "the command of %s is empty: it is a list of words, [\"./program\", \"argument\"]", p->name);
  char **words = words_of(r, it);
  for (int i = 0; i < LAB_SIZES; i++)
    if (size == i || (size < 0 && !p->command[i])) p->command[i] = words;
  return true;
}

static bool read_item(struct reader *r, const struct toml_item *it) {
  static const char *const known[] = {"folder", "command", "small", "medium", "paper", "environment"};
  if (!*it->table) return fail(r, it->line, "'%s' stands outside of a table: [NAME] comes first, with the name of a workload", it->key);
  struct lab_program *p = entry(r, it);
  if (!p) return false;
  if (!strcmp(it->key, "folder")) return read_folder(r, p, it);
  if (!strcmp(it->key, "environment")) return read_environment(r, p, it);
  if (!strcmp(it->key, "command")) return read_command(r, p, it, -1);
  if (lab_size_index(it->key) >= 0) return read_command(r, p, it, lab_size_index(it->key));
  return fail(r, it->line, "unknown key '%s' of %s%s", it->key, p->name, str_hint(it->key, known, sizeof known / sizeof *known).s);
}

/* ---- the programs' files -------------------------------------------------------------------------------------------------- */

static bool runnable(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

/* Where a word without a slash is found. */
static const char *in_path(struct reader *r, const char *word) {
  const char *found = NULL;
  for (const char *at = getenv("PATH"); at && *at && !found;) {
    struct str one = {0};
    size_t n = strcspn(at, ":");
    str_add(&one, "%.*s/%s", (int)n, at, word);
    if (n && runnable(one.s)) found = copied(r, one.s);
    str_free(&one);
    at += n + (at[n] == ':');
  }
  return found;
}

static bool find_file(struct reader *r, struct lab_program *p, int size) {
  const char *word = p->command[size][0];
  if (!strchr(word, '/')) {
    p->file[size] = in_path(r, word);
    return p->file[size] || err_set(r->e, ERR_INPUT, "%s: there is no program '%s' in PATH for %s; one in its folder is written './%s'",
                                    r->p->path, word, p->name, word);
  }
  struct str whole = {0};
  if (*word != '/') str_add(&whole, "%s/", p->folder);
  str_add(&whole, "%s", word + (strncmp(word, "./", 2) ? 0 : 2));
  p->file[size] = copied(r, whole.s);
  str_free(&whole);
  if (runnable(p->file[size])) return true;
  int why = access(p->file[size], X_OK) ? errno : EACCES; /* a folder, for one */
  return err_set(r->e, ERR_INPUT, "%s: the program '%s' of %s cannot be executed: %s; %s", r->p->path, p->file[size], p->name,
                 strerror(why), why == ENOENT ? "build it, or correct 'folder' and 'command'" : "chmod +x makes a file executable");
}

bool lab_hash_file(const char *path, uint64_t *sum) {
  char part[65536];
  size_t n;
  FILE *f = fopen(path, "rb");
  if (!f) return false;
  while ((n = fread(part, 1, sizeof part, f)) > 0) *sum = *sum * 31 + str_hash(part, n);
  bool ok = !ferror(f);
  fclose(f);
  return ok;
}

static bool make_stamp(struct reader *r, struct lab_program *p, int size) {
  uint64_t sum = 0;
  if (!lab_hash_file(p->file[size], &sum))
    return err_set(r->e, ERR_INPUT, "cannot read the program '%s' of %s: %s", p->file[size], p->name, strerror(errno));
  for (char **w = p->command[size]; *w; w++) sum = sum * 31 + str_hash(*w, strlen(*w) + 1);
  for (char **v = p->environment; v && *v; v++) sum = sum * 31 + str_hash(*v, strlen(*v) + 1);
  snprintf(p->stamp[size], LAB_STAMP, "%08x", (unsigned)(sum ^ sum >> 32));
  return true;
}

static bool finish(struct reader *r, struct lab_program *p) {
  const char *slash = strrchr(r->p->path, '/');
  bool any = false;
  if (!p->folder) p->folder = slash ? arena_strndup(&r->p->arena, r->p->path, (size_t)(slash - r->p->path) + (slash == r->p->path)) : ".";
  for (int i = 0; i < LAB_SIZES; i++) {
    if (!p->command[i]) continue;
    any = true;
    if (!find_file(r, p, i) || !make_stamp(r, p, i)) return false;
  }
  return any || err_set(r->e, ERR_INPUT, "%s: %s has no command: command = [\"./program\", \"argument\"]", r->p->path, p->name);
}

/* ---- the whole ------------------------------------------------------------------------------------------------------------ */

static bool read_text(struct reader *r, const char *text, size_t bytes) {
  struct toml t = {0};
  bool ok = toml_read(&t, r->p->path, text, bytes, r->e);
  for (size_t i = 0; i < t.n && ok; i++) /* a command for one size counts before one for all, wherever it stands */
    if (lab_size_index(t.items[i].key) >= 0) ok = read_item(r, &t.items[i]);
  for (size_t i = 0; i < t.n && ok; i++)
    if (lab_size_index(t.items[i].key) < 0) ok = read_item(r, &t.items[i]);
  toml_free(&t);
  struct lab_programs *p = r->p;
  for (size_t i = 0; i < p->n && ok; i++) ok = finish(r, &p->list[i]);
  if (ok && !p->n) ok = err_set(r->e, ERR_INPUT, "%s names no program: [NAME] with the name of a workload, folder and command", p->path);
  p->names = ARENA_ARRAY(&p->arena, const char *, p->n + 1);
  for (size_t i = 0; i < p->n; i++) p->names[i] = p->list[i].name;
  return ok;
}

bool lab_programs_read(struct lab_programs *p, const char *path, const char *const *workloads, size_t n_workloads, struct err *e) {
  *p = (struct lab_programs){0};
  p->path = arena_strndup(&p->arena, path, strlen(path));
  struct reader r = {p, workloads, n_workloads, e};
  FILE *f = fopen(path, "rb");
  char *text = must_alloc(MAX_TABLE + 1);
  size_t n = f ? fread(text, 1, MAX_TABLE + 1, f) : 0;
  bool bad = !f || ferror(f), ok = false;
  int why = errno;
  if (f) fclose(f);
  if (bad) err_set(e, ERR_INPUT, "cannot read the table of programs '%s': %s", path, strerror(why));
  else if (n > MAX_TABLE) err_set(e, ERR_INPUT, "the table of programs '%s' is larger than %d bytes", path, MAX_TABLE);
  else ok = read_text(&r, text, n);
  free(text);
  return ok;
}

void lab_programs_free(struct lab_programs *p) {
  free(p->list);
  arena_free(&p->arena);
  *p = (struct lab_programs){0};
}

/* ---- using it ------------------------------------------------------------------------------------------------------------- */

/* Whether the name is that of two workloads at once, one of which has a program. */
static bool is_pair(const struct lab_programs *p, const char *workload) {
  for (const char *plus = strchr(workload, '+'); plus; plus = strchr(plus + 1, '+'))
    for (size_t i = 0; i < p->n; i++)
      if (!strcmp(p->names[i], plus + 1) ||
          (!strncmp(p->names[i], workload, (size_t)(plus - workload)) && !p->names[i][plus - workload]))
        return true;
  return false;
}

const struct lab_program *lab_programs_find(const struct lab_programs *p, const char *workload, const char *size, struct err *e) {
  int at = lab_size_index(size);
  for (size_t i = 0; i < p->n; i++) {
    if (strcmp(p->list[i].name, workload) != 0) continue;
    if (at >= 0 && p->list[i].command[at]) return &p->list[i];
    err_set(e, ERR_INPUT, "%s has no command of size %s for %s: give it '%s' or 'command'", p->path, size, workload, size);
    return NULL;
  }
  if (is_pair(p, workload)) err_set(e, ERR_INPUT, "two programs of a table (%s) cannot run on one GPU at once", p->path);
  else err_set(e, ERR_INPUT, "%s names no program for %s%s", p->path, workload, str_hint(workload, p->names, p->n).s);
  return NULL;
}

const char *lab_program_file(const struct lab_program *p, const char *size) { return p->file[lab_size_index(size)]; }

const char *lab_program_label(const struct lab_program *p, const char *size, struct arena *a) {
  struct str s = {0};
  str_add(&s, "%s@%s", p->name, p->stamp[lab_size_index(size)]);
  const char *label = arena_strndup(a, s.s, s.n);
  str_free(&s);
  return label;
}

bool lab_programs_put(const struct lab_programs *p, struct lab_run *r, struct arena *a, struct err *e) {
  const struct lab_program *found = lab_programs_find(p, r->workload, r->size, e);
  if (!found) return false;
  if (*r->seed) return err_set(e, ERR_INPUT, "seeds are of the built-in workloads; %s names programs, whose inputs are their own", p->path);
  r->workload = lab_program_label(found, r->size, a);
  r->program = found;
  return true;
}

/* In front of what the user has there. */
static void put_library(const char *variable, const char *home, const char *library) {
  const char *old = getenv(variable);
  struct str all = {0};
  str_add(&all, "%s/lib/%s%s%s", home, library, old && *old ? ":" : "", old ? old : "");
  setenv(variable, all.s, 1);
  str_free(&all);
}

void lab_program_become(const struct lab_program *p, const char *size, const char *home) {
  char file[PATH_MAX];
  int at = lab_size_index(size);
  if (!realpath(p->file[at], file) || chdir(p->folder) != 0) return;
  for (char **v = p->environment; v && *v; v++) putenv(*v);
  put_library("LD_PRELOAD", home, "libheddle-bind.so");
  put_library("LD_AUDIT", home, "libheddle-audit.so");
  execv(file, p->command[at]);
}
