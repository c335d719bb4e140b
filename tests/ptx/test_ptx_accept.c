/* Heddle accepts the PTX that ptxas accepts, and refuses what ptxas refuses at the same line: 3,246 snippets with the verdicts
 * of ptxas (tests/ptx/accept/snippets.tsv, recorded by record.sh there), each in a frame of its own. Where Heddle differs the snippet
 * stands in differs.tsv: "named" is valid and refused by name, as not supported; "taken" is refused by ptxas and taken here. A row
 * of that list that no longer differs fails, too. */
#include "exec/exec.h"
#include "ptx_test.h"

#define FOLDER PTX_TEST_DATA "/../accept/"

struct row {
  char verdict, place;
  const char *target, *text;
};

static char *whole(const char *path) {
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  char *text = NULL;
  size_t size = 0;
  assert_true(getdelim(&text, &size, 0, f) > 0);
  fclose(f);
  return text;
}

/* Cuts the next line into its columns; false at the end. Comments are skipped. */
static bool next_row(char **at, char **columns, int n) {
  while (**at == '#') *at = strchr(*at, '\n') + 1;
  if (!**at) return false;
  char *line = *at, *end = strchr(line, '\n');
  *end = 0;
  *at = end + 1;
  for (int i = 0; i < n; i++) columns[i] = strsep(&line, "\t");
  assert_non_null(columns[n - 1]);
  return true;
}

static void put(struct str *out, const char *line, const char *mark, const char *with) {
  const char *at = strstr(line, mark);
  if (!at) {
    str_addn(out, line, strlen(line));
    return;
  }
  str_addn(out, line, (size_t)(at - line));
  str_addn(out, with, strlen(with));
  str_addn(out, at + strlen(mark), strlen(at + strlen(mark)));
}

/* A line of the frame. A target may name the version of PTX before it, as in 3.1/sm_20. */
static void put_header(struct str *out, const char *line, const char *target) {
  const char *slash = strchr(target, '/');
  if (slash && !strncmp(line, ".version", 8)) str_add(out, ".version %.*s", (int)(slash - target), target);
  else put(out, line, "@TARGET@", slash ? slash + 1 : target);
}

/* The module of a snippet, and the line on which it stands. */
static char *frame(const char *text, const struct row *r, unsigned *line) {
  struct str out = {0};
  const char *mark = r->place == 'k' ? "@BODY@" : "@MODULE@";
  unsigned n = 0;
  for (char *copy = strdup(text), *rest = copy, *l = strsep(&rest, "\n"); l; l = strsep(&rest, "\n")) {
    n++;
    if (!strcmp(l, mark)) {
      *line = n;
      put(&out, l, mark, r->text);
    } else if (*l != '@') {
      put_header(&out, l, r->target);
    }
    str_addn(&out, "\n", 1);
    if (!rest) free(copy);
  }
  return out.s;
}

struct refusal {
  unsigned line;
  char why[400];
};

static void keep_first(void *user, const struct ptx_func *f, const struct ptx_inst *in, const char *why) {
  (void)f;
  struct refusal *r = user;
  if (r->line) return;
  r->line = in->line;
  snprintf(r->why, sizeof r->why, "%s", why);
}

/* '+', or the line at which the module is refused, in *r. */
static bool accepted(const char *text, struct refusal *r) {
  struct ptx_module m;
  struct err e = {0};
  *r = (struct refusal){0};
  bool ok = ptx_read(&m, "t.ptx", text, strlen(text), &e);
  if (ok) ok = exec_check_support(&m, keep_first, r) == 0;
  else if (sscanf(e.text, "t.ptx:%u:", &r->line) == 1) snprintf(r->why, sizeof r->why, "%.*s", (int)strcspn(e.text, "\n"), e.text);
  ptx_free(&m);
  return ok;
}

/* How Heddle differs from ptxas, or "". */
static const char *difference(const char *text, const struct row *r, struct refusal *why) {
  unsigned line = 0;
  char *module = frame(text, r, &line);
  bool ok = accepted(module, why);
  free(module);
  if (ok) return r->verdict == '+' ? "" : "taken";
  if (r->verdict == '+') return "named";
  return r->verdict == '-' && why->line != line ? "elsewhere" : "";
}

static bool listed(const char *list, const char *how, const struct row *r) {
  struct str wanted = {0};
  str_add(&wanted, "\n%s\t%s\t%c\t%s\n", how, r->target, r->place, r->text);
  bool found = strstr(list, wanted.s) != NULL;
  str_free(&wanted);
  return found;
}

static void test_accepts_and_refuses_as_ptxas_does(void **state) {
  (void)state;
  char *text = whole(FOLDER "frame.ptx"), *rows = whole(FOLDER "snippets.tsv"), *known = whole(FOLDER "differs.tsv"), *at = rows;
  char *c[4];
  unsigned same = 0, differ = 0, wrong = 0, lines = 0;
  for (const char *p = known; *p; p++) lines += *p == '\n' && p[1] && p[1] != '#';
  while (next_row(&at, c, 4)) {
    struct row r = {*c[0], *c[2], c[1], c[3]};
    struct refusal why;
    const char *how = difference(text, &r, &why);
    if (!*how) same++;
    else if (listed(known, how, &r)) differ++;
    else {
      print_message("%s\t%s\t%c\t%s\n  line %u: %s\n", how, r.target, r.place, r.text, why.line, why.why);
      wrong++;
    }
  }
  print_message("%u snippets as ptxas, %u known to differ\n", same, differ);
  assert_int_equal(wrong, 0);
  assert_int_equal(differ, lines); /* else a row of differs.tsv is no longer true */
  assert_true(same > 2000);
  free(text);
  free(rows);
  free(known);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_accepts_and_refuses_as_ptxas_does)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
