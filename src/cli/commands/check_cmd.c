/* heddle check: runs a program under the checker (src/check) and prints what it found. The library writes findings to a log as
 * they are seen, so that those of a program that crashes are there too. */
#include "base/output.h"
#include "base/temp.h"
#include "check/check.h"
#include "cli/cli.h"
#include "cli/launch.h"
#include "cli/options.h"
#include "cli/suppressions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__asm__(".section .rodata\nworkload_suppressions:\n.incbin \"workloads/check.suppressions\"\n.byte 0\n.previous\n");
extern const char workload_suppressions[];

enum { SHOWN = 50 };

static const char usage[] =
    "heddle check [OPTIONS] WORKLOAD\n"
    "       heddle check [OPTIONS] -- PROGRAM [ARGUMENTS]\n\n"
    "Runs a built-in workload or a CUDA program and reports its errors: accesses outside allocations and memory that is\n"
    "never freed (memcheck), accesses to shared and global memory that nothing orders (racecheck), misused barriers and\n"
    "member masks (synccheck), reads of memory that nobody has written (initcheck). It computes values only, without timing,\n"
    "and finds the same every time. The exit status is 1 if anything was found, and the program's own otherwise.\n"
    "docs/check.md explains each finding.\n";

/* ---- the log ------------------------------------------------------------------------------------------------------- */

struct results {
  json_t *findings;   /* in the order in which they were seen */
  json_t *counts;     /* by number; NULL: the program did not end as programs do */
  size_t suppressed, shown_by_tool[4];
  bool complete, any_line;
};

static void read_log(const char *path, struct results *r) {
  FILE *f = fopen(path, "re");
  char *line = NULL;
  size_t cap = 0;
  r->findings = json_array();
  r->complete = true;
  while (f && getline(&line, &cap, f) > 0) {
    json_t *o = json_loads(line, 0, NULL), *counts = json_object_get(o, "counts");
    r->any_line = true;
    if (counts) {
      if (r->counts) json_object_update(r->counts, counts);
      else r->counts = json_incref(counts);
      r->complete &= json_is_true(json_object_get(o, "complete"));
    } else if (o) {
      json_array_append(r->findings, o);
    }
    json_decref(o);
  }
  free(line);
  if (f) fclose(f);
}

static const char *const tools[] = {"memcheck", "racecheck", "synccheck", "initcheck"};

static const char *text_of(const json_t *o, const char *name) {
  const char *s = json_string_value(json_object_get(o, name));
  return s ? s : "";
}

/* Gives each its count and takes out what rules suppress. */
static void sort_out(struct results *r, const struct suppressions *s, bool leaks) {
  for (size_t i = 0; i < json_array_size(r->findings);) {
    json_t *o = json_array_get(r->findings, i), *n = NULL;
    if (r->counts) n = json_object_get(r->counts, text_of(o, "number"));
    bool left_out = !leaks && !strcmp(text_of(o, "kind"), "leak");
    if (left_out || suppressions_match(s, text_of(o, "rule"))) {
      r->suppressed += !left_out;
      json_array_remove(r->findings, i);
      continue;
    }
    json_object_set(o, "count", n ? n : json_null());
    json_object_del(o, "number");
    for (size_t k = 0; k < 4; k++) r->shown_by_tool[k] += !strcmp(text_of(o, "tool"), tools[k]);
    i++;
  }
}

/* ---- the page --------------------------------------------------------------------------------------------------------- */

static void print_triple(const char *before, const json_t *t) {
  printf("%s(%lld,%lld,%lld)", before, (long long)json_integer_value(json_array_get(t, 0)),
         (long long)json_integer_value(json_array_get(t, 1)), (long long)json_integer_value(json_array_get(t, 2)));
}

static void print_place(const json_t *p) {
  const char *file = text_of(p, "file");
  const json_t *line = json_object_get(p, *file ? "line" : "ptx_line");
  printf("   %-11s %s:%lld (%s)", *text_of(p, "did") ? text_of(p, "did") : "at", *file ? file : text_of(p, "ptx"),
         (long long)json_integer_value(line), text_of(p, "instruction"));
  print_triple(" by thread ", json_object_get(p, "thread"));
  print_triple(" of block ", json_object_get(p, "block"));
  if (*text_of(p, "inlined")) printf(", inlined from %s", text_of(p, "inlined"));
  printf("\n");
}

static void print_finding(size_t number, const json_t *o) {
  long long count = (long long)json_integer_value(json_object_get(o, "count"));
  printf("\n%zu. %s: %s", number, text_of(o, "tool"), text_of(o, "kind"));
  if (*text_of(o, "kernel")) printf(" in kernel '%s'", text_of(o, "kernel"));
  if (count > 1) printf(", %lld times", count);
  printf("\n   %s\n", text_of(o, "message"));
  size_t i;
  const json_t *p;
  json_array_foreach(json_object_get(o, "places"), i, p) print_place(p);
  if (*text_of(o, "space"))
    printf("   %-11s %s memory at %s, %lld bytes\n", "where", text_of(o, "space"), text_of(o, "address"),
           (long long)json_integer_value(json_object_get(o, "bytes")));
  printf("   suppress    %s\n", text_of(o, "rule"));
}

static void print_page(const struct results *r, const char *name, size_t most) {
  size_t n = json_array_size(r->findings);
  printf("\nheddle check: %s: %zu finding%s", name, n, n == 1 ? "" : "s");
  for (size_t k = 0, any = 0; k < 4; k++)
    if (r->shown_by_tool[k]) printf("%s%zu of %s", any++ ? ", " : " (", r->shown_by_tool[k], tools[k]);
  printf("%s", n ? ")" : "");
  if (r->suppressed) printf(", %zu suppressed", r->suppressed);
  printf("\n");
  for (size_t i = 0; i < n && i < most; i++) print_finding(i + 1, json_array_get(r->findings, i));
  if (n > most) printf("\n%zu more (--max-reports, --json)\n", n - most);
  if (!r->complete) printf("\nThere were too many to keep them all.\n");
  if (!r->any_line) printf("The program made no CUDA call: nothing was checked.\n");
  else if (!r->counts) printf("\nThe program did not come to its end: leaks and counts are not known.\n");
}

static json_t *whole(const struct results *r, const char *name, const char *asked, int status) {
  json_t *o = json_object();
  json_object_set_new(o, "program", json_string(name));
  json_object_set_new(o, "tools", json_string(asked));
  json_object_set_new(o, "program_status", json_integer(status));
  json_object_set_new(o, "ended", json_boolean(r->counts != NULL));
  json_object_set_new(o, "suppressed", json_integer((json_int_t)r->suppressed));
  json_object_set(o, "findings", r->findings);
  return o;
}

/* ---- the command --------------------------------------------------------------------------------------------------------- */

struct asked {
  const char *tools, *suppress, *json, *most;
  bool no_leaks, quiet;
};

static bool read_suppressions(struct suppressions *s, const struct cli_launch *l, const struct asked *a, struct err *e) {
  return (!l->workload || suppressions_add(s, "workloads/check.suppressions", workload_suppressions, e)) &&
         (!a->suppress || suppressions_read(s, a->suppress, e));
}

static bool check_number(const char *text, size_t *out, struct err *e) {
  char *stop = NULL;
  if (!text) return true;
  *out = (size_t)strtoull(text, &stop, 10);
  return (*text >= '0' && *text <= '9' && !*stop) || err_set(e, ERR_INPUT, "--max-reports %s: a whole number is expected", text);
}

/* Runs it; the exit status. */
static int check_program(struct cli_launch *l, const struct asked *a, const char *name, size_t most, const struct suppressions *s) {
  struct err e = {0};
  struct str log = {0};
  if (!temp_file(&log, "heddle-check", &e)) return cli_fail(&e);
  l->check_log = log.s;
  struct cli_result res;
  struct results r = {0};
  bool ran = cli_launch(l, &res, &e);
  if (ran) read_log(log.s, &r);
  unlink(log.s);
  str_free(&log);
  if (!ran) return cli_fail(&e);
  sort_out(&r, s, !a->no_leaks);
  bool refused = l->workload && res.status == CLI_USAGE && !r.any_line; /* no such workload or size, as it has said */
  if (!a->quiet && !refused) print_page(&r, name, most);
  int status = json_array_size(r.findings) ? CLI_NO : res.status;
  json_t *o = whole(&r, name, a->tools, res.status);
  if (a->json && !output_json(o, a->json, JSON_INDENT(2), &e)) status = cli_fail(&e);
  json_decref(o);
  json_decref(r.findings);
  json_decref(r.counts);
  json_decref(res.report);
  return status;
}

int cli_check(int argc, char **argv) {
  CLI_LAUNCH l = {.functional = true};
  struct asked a = {.tools = "all"};
  const struct cli_option options[] = {
      {"--tool", "NAME,...", "memcheck, racecheck, synccheck, initcheck; default all", .text = &a.tools},
      {"--suppress", "FILE", "leave out the findings that this file names: one rule on each line, as printed at the end of each finding",
       .text = &a.suppress},
      {"--lockstep", NULL, "do not ask for __syncwarp between lanes that execute together, as before Volta", .flag = &l.lockstep},
      {"--no-leaks", NULL, "do not report memory that is never freed", .flag = &a.no_leaks},
      {"--max-reports", "N", "print at most N findings; default 50", .text = &a.most},
      {"--gpu", "NAME|FILE", "the GPU that the program sees (`heddle list gpus`); default gtx480", .text = &l.gpu},
      {"--set", "KEY=VALUE", "change a setting (`heddle list keys`); may be repeated", .list = &l.set},
      {"--size", "small|medium|paper", "size of a workload's input; default small", .text = &l.size},
      {"--seed", "N", "seed of a workload's input", .text = &l.seed},
      {"--json", "FILE", "write all findings", .output = &a.json},
      {"--quiet", NULL, "do not print findings; the exit status says whether there were any", .flag = &a.quiet},
      {0},
  };
  int status = cli_options(usage, options, &argc, argv);
  if (status >= 0) return status;
  bool program = argc > 1 && !strcmp(argv[1], "--");
  if (argc < (program ? 3 : 2) || (!program && argc > 2)) {
    fprintf(stderr, "heddle: one workload, or `-- program`, is expected; `heddle check --help` says more\n");
    return CLI_USAGE;
  }
  if (program) l.argv = argv + 2;
  else l.workload = argv[1];
  l.check = a.tools;
  struct err e = {0};
  size_t most = SHOWN;
  struct suppressions s = {0};
  bool ok = check_tools(a.tools, &e) && check_number(a.most, &most, &e) && read_suppressions(&s, &l, &a, &e);
  status = ok ? check_program(&l, &a, argv[program ? 2 : 1], most, &s) : cli_fail(&e);
  suppressions_free(&s);
  return status;
}
