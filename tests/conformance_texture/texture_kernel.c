/* See texture_kernel.h. */
#include "texture_kernel.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct text {
  char *at;
  size_t left;
};

static void __attribute__((format(printf, 2, 3))) say(struct text *t, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(t->at, t->left, format, args);
  va_end(args);
  if (n < 0 || (size_t)n >= t->left) return;
  t->at += n;
  t->left -= (size_t)n;
}

/* {a, b, ..} of n words from `first`; padded to a length that the instruction takes. */
static void vector(struct text *t, const char *prefix, unsigned first, unsigned n, unsigned length) {
  say(t, "{");
  for (unsigned i = 0; i < length; i++)
    say(t, "%s%%%s%u", i ? ", " : "", prefix, i < n ? first + i : first + n - 1);
  say(t, "}");
}

/* The coordinates: a layer is a word, the others are words or floats. */
static void coordinates(struct text *t, const struct texture_case *c) {
  unsigned n = c->coords + (c->layer ? 1 : 0), length = n == 3 ? 4 : n;
  const char *prefix = c->float_coords && c->kind == CASE_FETCH ? "f" : "w";
  say(t, "{");
  for (unsigned i = 0; i < length; i++) {
    unsigned word = c->layer ? (i < n ? i : n - 1) : 1 + (i < n ? i : n - 1);
    say(t, "%s%%%s%u", i ? ", " : "", word ? prefix : "w", word);
  }
  say(t, "}");
}

static void extras(struct text *t, const struct texture_case *c) {
  unsigned n = c->coords, length = n == 3 ? 4 : n;
  if (strcmp(c->extra_form, "lod") == 0) {
    say(t, ", %%%s%u", c->float_coords ? "f" : "w", CASE_EXTRA);
  } else if (strcmp(c->extra_form, "grad") == 0) {
    for (unsigned k = 0; k < 2; k++) {
      say(t, ", ");
      vector(t, "f", CASE_EXTRA + k * n, n, length);
    }
  } else if (strcmp(c->extra_form, "offset") == 0) {
    say(t, ", ");
    vector(t, "w", CASE_EXTRA, n, length);
  }
}

static void fetch(struct text *t, const struct texture_case *c) {
  bool floats = strstr(c->op, "v4.f32") != NULL;
  const char *d = floats ? "g" : "d";
  say(t, "  %s {%%%s0, %%%s1, %%%s2, %%%s3}, [%%obj, ", c->op, d, d, d, d);
  coordinates(t, c);
  say(t, "]");
  extras(t, c);
  say(t, ";\n");
  for (unsigned i = 0; i < CASE_RESULTS; i++)
    say(t, "  st.global.%s [%%o+%u], %%%s%u;\n", floats ? "f32" : "u32", 4 * i, d, i);
}

static void ask(struct text *t, const struct texture_case *c) {
  say(t, "  %s %%d0, [%%obj];\n  st.global.u32 [%%o], %%d0;\n", c->op);
}

static void load_surface(struct text *t, const struct texture_case *c) {
  const char *prefix = c->value_bits == 64 ? "q" : c->value_bits == 32 ? "d" : "h";
  unsigned bytes = c->value_bits < 16 ? 2 : c->value_bits / 8;
  say(t, "  %s ", c->op);
  vector(t, prefix, 0, c->vector, c->vector);
  say(t, ", [%%obj, ");
  coordinates(t, c);
  say(t, "];\n");
  for (unsigned i = 0; i < c->vector; i++)
    say(t, "  st.global.b%u [%%o+%u], %%%s%u;\n", 8 * bytes, bytes * i, prefix, i);
}

static void store_surface(struct text *t, const struct texture_case *c) {
  const char *prefix = c->value_bits == 64 ? "q" : c->value_bits == 32 ? "w" : "h";
  unsigned first = strcmp(prefix, "w") == 0 ? CASE_EXTRA : 0;
  for (unsigned i = 0; i < c->vector && first == 0; i++) {
    if (c->value_bits == 64)
      say(t, "  mov.b64 %%q%u, {%%w%u, %%w%u};\n", i, CASE_EXTRA + 2 * i, CASE_EXTRA + 2 * i + 1);
    else
      say(t, "  cvt.u16.u32 %%h%u, %%w%u;\n", i, CASE_EXTRA + i);
  }
  say(t, "  %s [%%obj, ", c->op);
  coordinates(t, c);
  say(t, "], ");
  if (strncmp(c->op, "sured", 5) == 0)
    say(t, "%%%s%u", prefix, first);
  else
    vector(t, prefix, first, c->vector, c->vector);
  say(t, ";\n");
}

void texture_kernel(const struct texture_case *c, char *text, size_t capacity) {
  struct text t = {text, capacity};
  bool loop = c->kind == CASE_STORE;
  say(&t, ".version 8.1\n.target sm_90\n.address_size 64\n\n// %s\n", c->op);
  say(&t, ".visible .entry k(.param .u64 p_out, .param .u64 p_in, .param .u64 p_obj, .param .u32 p_n)\n{\n"
          "  .reg .u32 %%i, %%n;\n  .reg .pred %%p;\n  .reg .b64 %%o, %%a, %%obj, %%t;\n  .reg .b32 %%w<10>, "
          "%%d<4>;\n"
          "  .reg .f32 %%f<10>, %%g<4>;\n  .reg .b16 %%h<4>;\n  .reg .b64 %%q<2>;\n");
  say(&t, "  ld.param.u64 %%obj, [p_obj];\n  ld.param.u32 %%n, [p_n];\n  mov.u32 %%i, %%tid.x;\nagain:\n");
  say(&t, "  ld.param.u64 %%o, [p_out];\n  mul.wide.u32 %%t, %%i, %u;\n  add.u64 %%o, %%o, %%t;\n",
      4 * CASE_RESULTS);
  say(&t, "  ld.param.u64 %%a, [p_in];\n  mul.wide.u32 %%t, %%i, %u;\n  add.u64 %%a, %%a, %%t;\n",
      4 * CASE_WORDS);
  for (unsigned i = 0; i < CASE_WORDS; i++)
    say(&t, "  ld.global.u32 %%w%u, [%%a+%u];\n  mov.b32 %%f%u, %%w%u;\n", i, 4 * i, i, i);
  (c->kind == CASE_FETCH  ? fetch
   : c->kind == CASE_ASK  ? ask
   : c->kind == CASE_LOAD ? load_surface
                          : store_surface)(&t, c);
  if (loop) say(&t, "  add.u32 %%i, %%i, 1;\n  setp.lt.u32 %%p, %%i, %%n;\n  @%%p bra again;\n");
  say(&t, "  ret;\n}\n");
}
