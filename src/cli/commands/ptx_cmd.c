/* heddle ptx: what a PTX file holds, needs, and what in it cannot be run. */
#include "base/str.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "exec/exec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "heddle ptx FILE...\n\n"
    "Shows kernels, parameters, registers, shared memory and instruction mix, and lists every instruction that is\n"
    "not supported with its line and column. Exit status 1 if there is any, 2 if the file is not valid PTX.\n";

static void print_refusal(void *user, const struct ptx_func *f, const struct ptx_inst *in, const char *why) {
  const struct ptx_module *m = user;
  char name[160];
  ptx_inst_name(in, name, sizeof name);
  printf("%s:%u:%u: in '%s': %s is not supported: %s\n", m->source_name, in->line, in->col, f->name, name, why);
}

static void print_mix(const struct ptx_func *f) {
  static const char *const names[] = {[PTX_ARITH] = "arithmetic", [PTX_COMPARE] = "compare", [PTX_CONVERT] = "convert",
                                      [PTX_MOVE] = "move",        [PTX_VIDEO] = "video",     [PTX_MEMORY] = "memory",
                                      [PTX_WARP] = "warp",        [PTX_CONTROL] = "control", [PTX_TENSOR] = "matrix",
                                      [PTX_TEXTURE] = "texture",  [PTX_REFUSED] = "refused"};
  unsigned count[PTX_REFUSED + 1] = {0};
  for (uint32_t i = 0; i < f->n_insts; i++) count[ptx_op_family((enum ptx_op)f->insts[i].op)]++;
  printf("    %u instructions:", f->n_insts);
  for (int k = 0; k <= PTX_REFUSED; k++)
    if (count[k]) printf("  %s %u", names[k], count[k]);
  printf("\n");
}

static unsigned instructions_of(const struct ptx_module *m) {
  unsigned n = 0;
  for (uint32_t i = 0; i < m->n_funcs; i++) n += m->funcs[i].n_insts;
  return n;
}

static uint64_t shared_of(const struct ptx_module *m) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < m->n_vars; i++)
    if (m->vars[i].space == PTX_SHARED && m->vars[i].func < 0) n += m->vars[i].bytes;
  return n;
}

static void print_func(const struct ptx_module *m, const struct ptx_func *f) {
  printf("  %s %s(", f->is_entry ? "kernel" : "function", f->name);
  for (uint32_t i = 0; i < f->n_params; i++) {
    const struct ptx_var *v = &m->vars[f->params[i]];
    printf("%s.%s", i ? ", " : "", ptx_type_name((enum ptx_type)v->type));
    if (v->is_array) printf("[%llu bytes]", (unsigned long long)v->bytes);
  }
  printf(")\n    %u registers, %llu bytes of shared and %llu of local memory", f->regs_needed,
         (unsigned long long)f->shared_bytes, (unsigned long long)f->local_bytes);
  if (f->maxntid[0]) printf(", at most %u threads a CTA", f->maxntid[0] * f->maxntid[1] * f->maxntid[2]);
  printf("\n");
  print_mix(f);
}

static int show(const char *path) {
  struct err e = {0};
  struct str text = {0};
  struct ptx_module m = {0};
  int status = CLI_OK;
  if (!str_add_file(&text, path)) {
    err_set(&e, ERR_INPUT, "cannot read '%s': %s", path, strerror(errno));
    status = cli_fail(&e);
  } else if (!ptx_read(&m, path, text.s, text.n, &e)) {
    fprintf(stderr, "%s\n", e.text);
    status = CLI_USAGE;
  } else {
    printf("%s: PTX %u.%u for sm_%u\n", path, m.version / 10, m.version % 10, m.target);
    if (shared_of(&m)) printf("  %llu bytes of shared memory at module scope\n", (unsigned long long)shared_of(&m));
    for (uint32_t i = 0; i < m.n_funcs; i++)
      if (!m.funcs[i].is_extern) print_func(&m, &m.funcs[i]);
    unsigned refused = exec_check_support(&m, print_refusal, &m);
    if (refused) {
      printf("not supported: %u of %u instructions\n", refused, instructions_of(&m));
      status = CLI_NO;
    }
  }
  ptx_free(&m);
  str_free(&text);
  return status;
}

int cli_ptx(int argc, char **argv) {
  const struct cli_option options[] = {{0}};
  int status = cli_options(usage, options, &argc, argv);
  if (status >= 0) return status;
  if (argc < 2) {
    fprintf(stderr, "heddle: a PTX file is expected\n");
    return CLI_USAGE;
  }
  status = CLI_OK;
  for (int i = 1; i < argc; i++) {
    int s = show(argv[i]);
    if (s > status) status = s;
  }
  return status;
}
