/* Variants of wgmma.mma_async: one warpgroup, both matrices in shared memory or a in registers.
 *
 * Shared memory is filled with the lanes' slots, one after the other, and the descriptors say how it is read: so a layout or a
 * swizzle is tested by the elements that take part, without a second description of it here. Layouts are tried on small whole
 * numbers, where every order of summation gives the same bits; the arithmetic on random values and on rare infinities and NaN. */
#include "variants.h"

#include <stdio.h>
#include <string.h>

enum { B_AT = 8192 }; /* bytes into the tiles: a lies in the first half, b in the second */

/* How a matrix lies in shared memory, as its descriptor says. */
struct layout {
  const char *name;
  unsigned swizzle, leading, stride, offset; /* the descriptor's fields, distances in bytes; offset of the start */
  bool transposed;                           /* rows of a, columns of b are contiguous instead of k */
};

static const struct layout BY_K[] = {
    {"k", 0, 128, 256, 0, false},         {"k apart", 0, 1024, 128, 0, false},  {"k 128B", 1, 16, 1024, 0, false},
    {"k 128B+32", 1, 16, 1024, 32, false}, {"k 128B+96", 1, 16, 1024, 96, false}, {"k 64B", 2, 16, 512, 0, false},
    {"k 64B+32", 2, 16, 512, 32, false},   {"k 32B", 3, 16, 256, 0, false}};
static const struct layout BY_ROW[] = {{"row", 0, 128, 256, 0, true},
                                       {"row apart", 0, 1024, 128, 0, true},
                                       {"row 128B", 1, 2048, 1024, 0, true},
                                       {"row 64B", 2, 1024, 512, 0, true},
                                       {"row 32B", 3, 512, 256, 0, true}};
enum { N_BY_K = sizeof BY_K / sizeof BY_K[0], N_BY_ROW = sizeof BY_ROW / sizeof BY_ROW[0] };

struct wgmma {
  const char *family, *a, *b, *d;   /* types */
  unsigned n, k;
  const char *inputs, *acls, *dcls; /* name and classes of the values of a and b, and of d */
  const struct layout *la, *lb;     /* la NULL: a in registers */
  const char *suffix;               /* .satfinite or .and.popc, or "" */
  int scale_a, scale_b;             /* 1 or -1 */
  bool from_zero;                   /* scale-d is false */
  const char *meta;                 /* class of the metadata of a sparse a; NULL: a is dense */
  unsigned selector;
};

static bool is_half(const struct wgmma *w) { return !strcmp(w->a, "f16") || !strcmp(w->a, "bf16"); }
static bool is_float(const struct wgmma *w) { return strcmp(w->d, "s32") != 0; }

static unsigned registers(const struct wgmma *w) { return w->n / (strcmp(w->d, "f16") ? 2 : 4); }

static unsigned long long descriptor(const struct layout *l) {
  return (unsigned long long)(l->leading >> 4) << 16 | (unsigned long long)(l->stride >> 4) << 32 | (unsigned long long)l->swizzle << 62;
}

/* The descriptor in register %l<n>, of a matrix `at` bytes into the tiles. */
static int put_descriptor(char *out, unsigned n, const struct layout *l, unsigned at) {
  return sprintf(out, "add.u32 %%r2, %%r0, %u; shr.u32 %%r2, %%r2, 4; cvt.u64.u32 %%l%u, %%r2; or.b64 %%l%u, %%l%u, 0x%llx; ",
                 at + l->offset, n, n, n, descriptor(l));
}

static int fill_tiles(char *out) {
  int n = sprintf(out, "mov.u32 %%r0, tiles; shl.b32 %%r1, %%th, 7; add.u32 %%r1, %%r1, %%r0; ");
  for (unsigned i = 0; i < 8; i++)
    n += sprintf(out + n, "ld.global.v2.b64 {%%l0, %%l1}, [%%pa+%u]; st.shared.v2.b64 [%%r1+%u], {%%l0, %%l1}; ", 16 * i, 16 * i);
  return n + sprintf(out + n, "fence.proxy.async.shared::cta; bar.sync 0; ");
}

static int operation(char *out, const struct wgmma *w) {
  int n = sprintf(out, "@@ {");
  for (unsigned i = 0; i < registers(w); i++) n += sprintf(out + n, "%s%%d%u", i ? ", " : "", i);
  n += sprintf(out + n, w->la ? "}, %%l2, " : "}, {%%c0, %%c1, %%c2, %%c3}, ");
  n += sprintf(out + n, "%%l3, ");
  if (w->meta) n += sprintf(out + n, "%s, %u, ", w->la ? "%c" : "%h", w->selector);
  n += sprintf(out + n, "%%p0");
  if (is_float(w)) n += sprintf(out + n, ", %d, %d", w->scale_a, w->scale_b);
  if (is_half(w) && w->la) n += sprintf(out + n, ", %d", w->la->transposed);
  if (is_half(w)) n += sprintf(out + n, ", %d", w->lb->transposed);
  return n + sprintf(out + n, "; ");
}

static void add(struct variants *all, const struct wgmma *w) {
  static char op[256], signature[192], body[16384];
  int m = sprintf(op, "wgmma.mma_async%s.sync.aligned.m64n%uk%u.%s.%s.%s%s a:%s b:%s%s%s%s %s", w->meta ? ".sp" : "", w->n, w->k, w->d,
                  w->a, w->b, w->suffix,
                  w->la ? w->la->name : "registers", w->lb->name, w->scale_a < 0 ? " -a" : "", w->scale_b < 0 ? " -b" : "",
                  w->from_zero ? " from zero" : "", w->inputs);
  if (w->selector) sprintf(op + m, " selector %u", w->selector);
  sprintf(signature, "%s*%u:&%s*16,%s*%u%s%s%s%s%s", w->dcls, registers(w), w->acls, w->dcls, registers(w), w->la ? "" : ",",
          w->la ? "" : w->acls, w->la ? "" : "*4", w->meta ? "," : "", w->meta ? w->meta : "");
  int n = fill_tiles(body);
  if (w->la) n += put_descriptor(body + n, 2, w->la, 0);
  n += put_descriptor(body + n, 3, w->lb, B_AT);
  for (unsigned i = 0; i < registers(w); i++) n += sprintf(body + n, "mov.b32 %%d%u, %%b%u; ", i, i);
  n += sprintf(body + n, "mov.u32 %%r3, %d; setp.ne.u32 %%p0, %%r3, 0; wgmma.fence.sync.aligned; ", !w->from_zero);
  n += operation(body + n, w);
  sprintf(body + n, "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;");
  struct row row = {.family = w->family, .op = op, .signature = signature, .body = body, .lanes = 128,
                    .prelude = ".shared .align 1024 .b8 tiles[16384];"};
  variants_add(all, &row);
}

/* Every layout of a with a plain b, and of b with a plain a. */
static void add_layouts(struct variants *all, struct wgmma w) {
  unsigned rows = is_half(&w) ? N_BY_ROW : 0;
  for (unsigned i = 0; i < N_BY_K + rows; i++) {
    const struct layout *l = i < N_BY_K ? &BY_K[i] : &BY_ROW[i - N_BY_K];
    w.la = l, w.lb = &BY_K[0];
    add(all, &w);
    if (l == &BY_K[0]) continue;
    w.la = &BY_K[0], w.lb = l;
    add(all, &w);
  }
}

/* Signs, a start from zero, and a in registers. */
static void add_forms(struct variants *all, struct wgmma w) {
  w.la = w.lb = &BY_K[2];
  add(all, &w);
  w.from_zero = true;
  add(all, &w);
  w.from_zero = false;
  w.la = NULL;
  add(all, &w);
  if (!is_float(&w)) return;
  w.scale_a = -1;
  add(all, &w);
  w.scale_b = -1;
  w.la = &BY_K[2];
  add(all, &w);
  w.scale_a = 1;
  add(all, &w);
}

static const struct wgmma FLOATS[] = {
    {.family = "wgmma.f16", .a = "f16", .b = "f16", .d = "f32", .k = 16, .acls = "f16x2", .dcls = "f32"},
    {.family = "wgmma.f16", .a = "f16", .b = "f16", .d = "f16", .k = 16, .acls = "f16x2", .dcls = "f16x2"},
    {.family = "wgmma.bf16", .a = "bf16", .b = "bf16", .d = "f32", .k = 16, .acls = "bf16x2", .dcls = "f32"},
    {.family = "wgmma.tf32", .a = "tf32", .b = "tf32", .d = "f32", .k = 8, .acls = "tf32", .dcls = "f32"},
};

static void add_float(struct variants *all, struct wgmma w) {
  char acls[16], dcls[16];
  const char *values = w.acls, *sums = w.dcls;
  w.n = 16, w.scale_a = w.scale_b = 1, w.suffix = "", w.acls = acls, w.dcls = dcls;
  sprintf(acls, "%c%s", strcmp(w.a, "bf16") ? 'n' : 'k', values);
  sprintf(dcls, "n%s", sums);
  w.inputs = "whole";
  if (strcmp(w.d, "f16")) add_layouts(all, w);
  add_forms(all, w);
  sprintf(acls, "m%s", values);
  sprintf(dcls, "m%s", sums);
  w.inputs = "random";
  add_forms(all, w);
  sprintf(acls, "s%s", values);
  sprintf(dcls, "s%s", sums);
  w.inputs = "specials";
  w.la = w.lb = &BY_K[0];
  add(all, &w);
}

/* All sums of 8-bit floats; every pair of types. */
static void add_bytes(struct variants *all) {
  static const char *const TYPES[] = {"e4m3", "e5m2"}, *const SUMS[] = {"f32", "f16"};
  for (unsigned i = 0; i < 8; i++) {
    struct wgmma w = {.family = "wgmma.fp8", .a = TYPES[i & 1], .b = TYPES[i >> 1 & 1], .d = SUMS[i >> 2], .n = 16, .k = 32,
                      .inputs = "random", .acls = "me4m3", .dcls = i >> 2 ? "mf16x2" : "mf32", .suffix = "", .scale_a = 1, .scale_b = 1};
    add_forms(all, w);
    w.inputs = "bits";
    w.acls = "raw32";
    w.la = w.lb = &BY_K[0];
    add(all, &w);
  }
}

static void add_whole_numbers(struct variants *all) {
  static const char *const TYPES[] = {"s8", "u8"};
  for (unsigned i = 0; i < 8; i++)
    add_forms(all, (struct wgmma){.family = "wgmma.int8", .a = TYPES[i & 1], .b = TYPES[i >> 1 & 1], .d = "s32", .n = 8, .k = 32,
                                  .inputs = "bits", .acls = "raw32", .dcls = "s32",
                                  .suffix = i >> 2 ? ".satfinite" : ""});
  add_forms(all, (struct wgmma){.family = "wgmma.b1", .a = "b1", .b = "b1", .d = "s32", .n = 8, .k = 256, .inputs = "bits", .acls = "raw32",
                                .dcls = "s32", .suffix = ".and.popc"});
}

/* Other widths of the result; wide ones need the second distance of a transposed b. */
static void add_widths(struct variants *all) {
  static const unsigned WIDTHS[] = {8, 24, 72, 128, 256};
  for (unsigned i = 0; i < sizeof WIDTHS / sizeof WIDTHS[0]; i++) {
    struct wgmma w = {.family = "wgmma.f16", .a = "f16", .b = "f16", .d = "f32", .n = WIDTHS[i], .k = 16, .inputs = "whole",
                      .acls = "nf16x2", .dcls = "nf32", .suffix = "", .scale_a = 1, .scale_b = 1, .la = &BY_K[0], .lb = &BY_K[0]};
    add(all, &w);
    if (w.n != 72 && w.n != 128) continue;
    for (unsigned k = 2; k < N_BY_ROW; k++) {
      w.lb = &BY_ROW[k];
      add(all, &w);
    }
  }
}

/* With a sparse a: k is twice as long, and a as wide as the dense one. */
static void add_sparse(struct variants *all, struct wgmma w) {
  char acls[16], dcls[16];
  const char *values = w.acls, *sums = w.dcls;
  bool eight = w.k == 64, whole = !strcmp(w.inputs, "bits");
  w.suffix = w.suffix ? w.suffix : "", w.scale_a = w.scale_b = 1;
  w.meta = strcmp(w.a, "tf32") ? "kept" : "keptpair";
  for (w.selector = 0; w.selector < (eight ? 1u : 2u); w.selector++) {
    if (!whole) {
      w.acls = acls, w.dcls = dcls, w.inputs = eight ? "random" : "whole";
      sprintf(acls, "%c%s", eight ? 'm' : strcmp(w.a, "bf16") ? 'n' : 'k', values);
      sprintf(dcls, "%c%s", eight ? 'm' : 'n', sums);
    }
    w.la = w.lb = &BY_K[2];
    add(all, &w);
    w.la = NULL;
    add(all, &w);
  }
  w.selector = 0;
  w.la = &BY_K[0];
  add(all, &w);
  if (whole || eight) return;
  w.inputs = "random", acls[0] = dcls[0] = 'm';
  w.la = w.lb = &BY_K[2];
  add(all, &w);
  if (!is_half(&w)) return;
  w.inputs = "whole", acls[0] = strcmp(w.a, "bf16") ? 'n' : 'k', dcls[0] = 'n';
  for (unsigned i = 0; i < N_BY_ROW; i++) {
    w.la = &BY_ROW[i], w.lb = &BY_K[2];
    add(all, &w);
    w.la = &BY_K[2], w.lb = &BY_ROW[i];
    add(all, &w);
  }
}

static const struct wgmma SPARSE[] = {
    {.family = "wgmma.sp", .a = "f16", .b = "f16", .d = "f32", .n = 16, .k = 32, .inputs = "", .acls = "f16x2", .dcls = "f32"},
    {.family = "wgmma.sp", .a = "f16", .b = "f16", .d = "f16", .n = 16, .k = 32, .inputs = "", .acls = "f16x2", .dcls = "f16x2"},
    {.family = "wgmma.sp", .a = "bf16", .b = "bf16", .d = "f32", .n = 24, .k = 32, .inputs = "", .acls = "bf16x2", .dcls = "f32"},
    {.family = "wgmma.sp", .a = "tf32", .b = "tf32", .d = "f32", .n = 16, .k = 16, .inputs = "", .acls = "tf32", .dcls = "f32"},
    {.family = "wgmma.sp", .a = "e4m3", .b = "e5m2", .d = "f32", .n = 16, .k = 64, .inputs = "", .acls = "e4m3", .dcls = "f32"},
    {.family = "wgmma.sp", .a = "e5m2", .b = "e4m3", .d = "f16", .n = 16, .k = 64, .inputs = "", .acls = "e4m3", .dcls = "f16x2"},
    {.family = "wgmma.sp", .a = "s8", .b = "u8", .d = "s32", .n = 16, .k = 64, .inputs = "bits", .acls = "raw32", .dcls = "s32"},
    {.family = "wgmma.sp", .a = "u8", .b = "s8", .d = "s32", .n = 8, .k = 64, .inputs = "bits", .acls = "raw32", .dcls = "s32",
     .suffix = ".satfinite"},
};

void rows_wgmma(struct variants *all) {
  for (size_t i = 0; i < sizeof FLOATS / sizeof FLOATS[0]; i++) add_float(all, FLOATS[i]);
  add_bytes(all);
  add_whole_numbers(all);
  add_widths(all);
  for (size_t i = 0; i < sizeof SPARSE / sizeof SPARSE[0]; i++) add_sparse(all, SPARSE[i]);
}
