/* Every case of the checker's corpus (*.cu, check_case.c) runs under `heddle check`, and what is found is compared with what the
 * case says: exactly those findings, with their lines and addresses. A case is a behaviour; its name is in the message.
 *
 *   test_check_cases BUILD [CASE]
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_CASES = 200, MOST_EXPECTED = 8, MOST_MARKS = 8 };
#define FOLDER "tests/check"

struct expected {
  char tool[16], kind[32], places[16], address[24];
};
struct test_case {
  char name[64], file[64];
  unsigned blocks, threads, cooperative; /* threads 0: a case of the host */
  struct expected want[MOST_EXPECTED];
  unsigned n;
};
struct mark { /* a line that a case marks */
  char kernel[64], letter;
  unsigned line;
};

static struct test_case cases[MOST_CASES];
static struct mark marks[MOST_CASES * MOST_MARKS];
static size_t n_cases, n_marks;
static const char *build;

/* ---- reading the corpus ---------------------------------------------------------------------------------------------- */

static void read_case(const char *file, const char *at) {
  struct test_case *c = &cases[n_cases++];
  snprintf(c->file, sizeof c->file, "%s", file);
  sscanf(at, "%63s <<<%u,%u,%u", c->name, &c->blocks, &c->threads, &c->cooperative);
}

static void read_expected(const char *at) {
  struct test_case *c = &cases[n_cases - 1];
  struct expected *w = &c->want[c->n++];
  sscanf(at, "%15s %31s %15s %23s", w->tool, w->kind, w->places, w->address);
}

static void read_corpus(const char *file) {
  char path[128], text[512], kernel[64] = "";
  snprintf(path, sizeof path, FOLDER "/%s", file);
  FILE *f = fopen(path, "re");
  if (!f) {
    perror(path);
    exit(2);
  }
  for (unsigned line = 1; fgets(text, sizeof text, f); line++) {
    char *at;
    if (!strncmp(text, "//= ", 4) || !strncmp(text, " *= ", 4)) read_case(file, text + 4);
    if (!strncmp(text, "//! ", 4) || !strncmp(text, " *! ", 4)) read_expected(text + 4);
    sscanf(text, "CASE %63[a-z0-9_](", kernel);
    if (!(at = strstr(text, "// @"))) continue;
    struct mark *m = &marks[n_marks++];
    *m = (struct mark){.letter = at[4], .line = line};
    memcpy(m->kernel, kernel, sizeof kernel);
  }
  fclose(f);
}

static unsigned marked(const char *kernel, char letter) {
  for (size_t i = 0; i < n_marks; i++)
    if (!strcmp(marks[i].kernel, kernel) && marks[i].letter == letter) return marks[i].line;
  return 0;
}

/* ---- running ------------------------------------------------------------------------------------------------------------- */

static json_t *run(const struct test_case *c, const char *out, int *status) {
  char command[1024], json[256];
  snprintf(json, sizeof json, "%s.json", out);
  int n = snprintf(command, sizeof command, "%s/heddle check --json %s -- %s/tests/check/check_case ", build, json, build);
  if (c->threads)
    snprintf(command + n, sizeof command - (size_t)n, FOLDER "/%.*s.ptx %s %u %u %u >%s 2>&1", (int)strcspn(c->file, "."), c->file,
             c->name, c->blocks, c->threads, c->cooperative, out);
  else
    snprintf(command + n, sizeof command - (size_t)n, "%s " FOLDER " >%s 2>&1", c->name, out);
  *status = system(command);
  *status = WIFEXITED(*status) ? WEXITSTATUS(*status) : -1;
  json_t *o = json_load_file(json, 0, NULL);
  unlink(json);
  return o;
}

/* Addresses of the buffers, as the case printed them. */
static void read_buffers(const char *out, unsigned long long base[3]) {
  char text[512], name;
  unsigned long long at;
  FILE *f = fopen(out, "re");
  while (f && fgets(text, sizeof text, f))
    if (sscanf(text, "%c 0x%llx", &name, &at) == 2 && name >= 'a' && name <= 'c') base[name - 'a'] = at;
  if (f) fclose(f);
}

/* ---- comparing -------------------------------------------------------------------------------------------------------------- */

static const char *text_of(const json_t *o, const char *name) {
  const char *s = json_string_value(json_object_get(o, name));
  return s ? s : "";
}

static bool same_places(const struct test_case *c, const struct expected *w, const json_t *found) {
  const json_t *places = json_object_get(found, "places");
  if (!strcmp(w->places, "host")) return !json_array_size(places);
  const char *kernel = c->threads ? c->name : "mem_freed";
  size_t n = 0;
  for (const char *p = w->places; *p; p += p[1] ? 2 : 1, n++) {
    const json_t *line = json_object_get(json_array_get(places, n), "line");
    if (!line || json_integer_value(line) != marked(kernel, *p)) return false;
  }
  return json_array_size(places) == n;
}

static bool same_address(const struct expected *w, const json_t *found, const unsigned long long base[3]) {
  const char *text = text_of(found, "address"), *space = text_of(found, "space");
  if (!strcmp(w->address, "-")) return !*text;
  unsigned long long want = (unsigned long long)strtoll(w->address + 2, NULL, 16), got = strtoull(text, NULL, 16);
  char of = w->address[0];
  if (of >= 'a' && of <= 'c') want += base[of - 'a'];
  return got == want && !strcmp(space, of == 's' ? "shared" : of == 'l' ? "local" : "global");
}

static bool as_expected(const struct test_case *c, const json_t *findings, const unsigned long long base[3]) {
  bool ok = json_array_size(findings) == c->n;
  for (unsigned i = 0; i < c->n; i++) {
    const struct expected *w = &c->want[i];
    bool found = false;
    size_t k;
    const json_t *o;
    json_array_foreach(findings, k, o) found |= !strcmp(text_of(o, "tool"), w->tool) && !strcmp(text_of(o, "kind"), w->kind) &&
                                                same_places(c, w, o) && same_address(w, o, base);
    if (!found) printf("    not found: %s %s %s %s\n", w->tool, w->kind, w->places, w->address);
    ok &= found;
  }
  return ok;
}

static void show(const json_t *findings, const unsigned long long base[3]) {
  size_t i;
  const json_t *o;
  json_array_foreach(findings, i, o) printf("    there is: %s at %s %s: %s\n", text_of(o, "rule"), text_of(o, "space"),
                                            text_of(o, "address"), text_of(o, "message"));
  printf("    buffers at 0x%llx, 0x%llx, 0x%llx\n", base[0], base[1], base[2]);
}

static bool check(const struct test_case *c, const char *out) {
  unsigned long long base[3] = {0};
  int status;
  json_t *o = run(c, out, &status), *findings = json_object_get(o, "findings");
  read_buffers(out, base);
  bool ok = o && as_expected(c, findings, base);
  if (status != (c->n ? 1 : 0)) {
    printf("    exit status %d\n", status);
    ok = false;
  }
  if (!ok) {
    printf("FAILED %s\n", c->name);
    show(findings, base);
  }
  json_decref(o);
  return ok;
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  build = argv[1];
  static const char *const files[] = {"correct.cu", "correct_90.cu", "faulty.cu", "faulty_90.cu", "check_case.c"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) read_corpus(files[i]);
  char out[128];
  const char *folder = getenv("TMPDIR");
  snprintf(out, sizeof out, "%s/heddle-check-case-%d", folder && *folder ? folder : "/tmp", (int)getpid());
  unsigned passed = 0, failed = 0, silent = 0;
  for (size_t i = 0; i < n_cases; i++) {
    if (argc > 2 && strcmp(argv[2], cases[i].name) != 0) continue;
    bool ok = check(&cases[i], out);
    passed += ok;
    failed += !ok;
    silent += !cases[i].n;
  }
  unlink(out);
  printf("%u cases, %u of them correct programs\n%u passed, %u failed\n", passed + failed, silent, passed, failed);
  return failed || !passed;
}
