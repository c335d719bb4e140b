/* See options.h. */
#include "cli/options.h"

#include "base/output.h"
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

static int help(const char *usage, const struct cli_option *o) {
  bool outputs = false;
  printf("usage: %s\n", usage);
  for (; o->name; o++) {
    outputs = outputs || o->output;
    char left[64];
    snprintf(left, sizeof left, "%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
    printf("  %-26s %s\n", left, o->meaning);
  }
  if (outputs)
    printf("\nA file to write may be -, standard output, for one option at a time; what is printed there otherwise then goes to\n"
           "standard error.\n");
  return CLI_OK;
}

static int unknown(const struct cli_option *o, const char *arg) {
  const char *names[32];
  size_t n = 0;
  for (; o[n].name && n < 32; n++) names[n] = o[n].name;
  fprintf(stderr, "heddle: unknown option '%s'%s\n", arg, str_hint(arg, names, n).s);
  return CLI_USAGE;
}

static const struct cli_option *find(const struct cli_option *o, const char *arg, size_t n) {
  for (; o->name; o++)
    if (strlen(o->name) == n && !strncmp(o->name, arg, n)) return o;
  return NULL;
}

static void take(const struct cli_option *o, const char *value) {
  if (o->flag) *o->flag = true;
  if (o->text) *o->text = value;
  if (o->output) *o->output = value;
  if (o->list) str_add(o->list, "%s%s", o->list->n ? "," : "", value);
}

/* A file that cannot be written is reported before the work whose result it is to hold; standard output goes to the option that
 * names it. */
static int prepare_outputs(const struct cli_option *o) {
  const char *first = NULL;
  struct err e = {0};
  for (; o->name && !e.kind; o++) {
    if (!o->output || !*o->output || !output_check(*o->output, &e) || !output_is_stdout(*o->output)) continue;
    if (first) err_set(&e, ERR_INPUT, "%s and %s cannot both be -: name a file for one of them", first, o->name);
    first = o->name;
  }
  return e.kind || (first && !output_take_stdout(&e)) ? cli_fail(&e) : -1;
}

int cli_options(const char *usage, const struct cli_option *o, int *argc, char **argv) {
  int kept = 1;
  for (int i = 1; i < *argc; i++) {
    const char *arg = argv[i];
    if (!strcmp(arg, "--")) {
      while (i < *argc) argv[kept++] = argv[i++];
      break;
    }
    if (!strcmp(arg, "--help") || !strcmp(arg, "-h")) return help(usage, o);
    if (arg[0] != '-' || !arg[1]) { /* "-" alone is a file */
      argv[kept++] = argv[i];
      continue;
    }
    const char *eq = strchr(arg, '=');
    const struct cli_option *found = find(o, arg, eq ? (size_t)(eq - arg) : strlen(arg));
    if (!found) return unknown(o, arg);
    if (!found->value) take(found, NULL);
    else if (eq) take(found, eq + 1);
    else if (i + 1 < *argc) take(found, argv[++i]);
    else {
      fprintf(stderr, "heddle: %s needs %s\n", arg, found->value);
      return CLI_USAGE;
    }
  }
  *argc = kept;
  argv[kept] = NULL;
  return prepare_outputs(o);
}
