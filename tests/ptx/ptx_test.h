/* What the tests of the PTX reader share: reading a text or a data file, and a body wrapped into a kernel. */
#ifndef TESTS_PTX_TEST_H
#define TESTS_PTX_TEST_H

#include "ptx/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD ".version 8.5\n.target sm_90\n.address_size 64\n"
/* Registers of every class, so that a body can use them. In a kernel's text, the body starts in line 6. */
#define REGS                                                                                                 \
  ".reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<99>; .reg .b64 %rd<99>; .reg .f32 %f<99>; .reg .f64 "    \
  "%fd<9>;\n"
#define KERNEL(body) HEAD ".visible .entry k(.param .u64 a, .param .u32 n) {\n" REGS body "\n}\n"

static inline bool read_bytes(struct ptx_module *m, const char *name, const char *text, size_t n,
                              struct err *e) {
  char *copy = malloc(n ? n : 1); /* no terminating zero: reading past the end shows under a sanitizer */
  memcpy(copy, text, n);
  bool ok = ptx_read(m, name, copy, n, e);
  memset(copy, 'x', n); /* the module must not refer to the text */
  free(copy);
  return ok;
}

/* Reads a text that must be right. */
static inline struct ptx_module read_text(const char *text) {
  struct ptx_module m;
  struct err e = {0};
  if (!read_bytes(&m, "t.ptx", text, strlen(text), &e)) fail_msg("%s", e.text);
  return m;
}

static inline char *load_file(const char *name, size_t *n) {
  char path[300];
  snprintf(path, sizeof path, "%s/%s", PTX_TEST_DATA, name);
  FILE *f = fopen(path, "rb");
  if (!f) fail_msg("cannot open %s", path);
  char *text = malloc(1 << 22);
  *n = fread(text, 1, 1 << 22, f);
  fclose(f);
  return text;
}

static inline struct ptx_module read_file(const char *name) {
  size_t n;
  char *text = load_file(name, &n);
  struct ptx_module m;
  struct err e = {0};
  bool ok = read_bytes(&m, name, text, n, &e);
  free(text);
  if (!ok) fail_msg("%s", e.text);
  return m;
}

static inline const struct ptx_func *func_named(const struct ptx_module *m, const char *name) {
  int32_t i = ptx_find_func(m, name);
  if (i < 0) fail_msg("no function %s", name);
  return &m->funcs[i];
}

static inline const struct ptx_var *var_named(const struct ptx_module *m, const char *name) {
  int32_t i = ptx_find_var(m, name);
  if (i < 0) fail_msg("no variable %s", name);
  return &m->vars[i];
}

#endif
