/* Heddle accepts the PTX that ptxas accepts and refuses what it refuses, at the same line: two thousand snippets with the verdicts
 * of ptxas (tests/ptx/accept, recorded by record.sh there). What is valid and not modelled is refused by name, as not supported. */
#include "exec/exec.h"
#include "ptx_test.h"

struct row {
  char verdict, place;
  const char *target, *text;
};

static char *replace(const char *in, const char *mark, const char *with) {
  const char *at = strstr(in, mark);
  struct str s = {0};
  str_addn(&s, in, (size_t)(at - in));
  str_addn(&s, with, strlen(with));
  str_addn(&s, at + strlen(mark), strlen(at + strlen(mark)));
  return s.s;
}

static void keep_first(void *user, const struct ptx_func *f, const struct ptx_inst *in, const char *why) {
  (void)f;
  char *out = user, name[160];
  if (*out) return;
  ptx_inst_name(in, name, sizeof name);
  snprintf(out, 400, "%u: %s: %s", in->line, name, why);
}

int main(int argc, char **argv) {
  (void)argc;
  size_t n;
  FILE *f = fopen(argv[1], "r");
  char *frame = NULL; size_t cap=0; ssize_t got=getdelim(&frame,&cap,0,fopen(argv[2],"r")); (void)got;
  char line[4000];
  while (fgets(line, sizeof line, f)) {
    if (*line == '#') continue;
    line[strcspn(line, "\n")] = 0;
    char *t = strchr(line, '\t') + 1, *p = strchr(t, '\t'); *p++ = 0; char *x = strchr(p, '\t'); *x++ = 0;
    char *a = replace(frame, "@TARGET@", t), *b = replace(a, "@BODY@", *p == 'k' ? x : ""), *c = replace(b, "@MODULE@", *p == 'm' ? x : "");
    struct ptx_module m; struct err e = {0}; char why[400] = "";
    n = strlen(c);
    bool ok = ptx_read(&m, "t.ptx", c, n, &e);
    const char *kind = "+";
    if (!ok) { kind = "-"; snprintf(why, sizeof why, "%.*s", (int)strcspn(e.text, "\n"), e.text); }
    else if (exec_check_support(&m, keep_first, why)) kind = "n";
    printf("%c %s %s %c %s   => %s\n", *line, kind, t, *p, x, why);
    ptx_free(&m); free(a); free(b); free(c);
  }
}
