/* Variants of the matrix instructions: mma.sync, ldmatrix, stmatrix, movmatrix and wmma.
 *
 * Floating-point products are tried three times: on small whole numbers, where every order of summation gives
 * the same bits; on such numbers with rare infinities and NaN; and on random values of modest size, where the
 * ISA does not say in which order and with how many extra bits the sum is formed, so that results are
 * compared with silicon's within a bound. wmma fragments are opaque to the ISA: most variants go from memory
 * to memory; family "wmma.fragment" records which lane holds which element, so that the layout can be the
 * same as on silicon. */
#include "variants.h"

#include <stdio.h>
#include <string.h>

#define ROW(f, o, s)                                                                                         \
  { .family = f, .op = o, .signature = s, .lanes = 256 }
#define NEAR(f, o, s, b)                                                                                     \
  {                                                                                                          \
    .family = f, .op = o, .signature = s, .lanes = 256, .bound = { JUDGE_NEAR, TRUTH_NONE, b }               \
  }

/* One shape with f16 operands: a, b and c registers in f16 or f32. */
#define MMA_F16(shape, a, b, ch, cs)                                                                         \
  ROW("mma.f16", "mma.sync.aligned." shape ".row.col.f16.f16.f16.f16 whole",                                 \
      "b32*" ch ":nf16x2*" a ",nf16x2*" b ",nf16x2*" ch),                                                    \
      ROW("mma.f16", "mma.sync.aligned." shape ".row.col.f16.f16.f16.f16 specials",                          \
          "b32*" ch ":sf16x2*" a ",sf16x2*" b ",sf16x2*" ch),                                                \
      NEAR("mma.f16", "mma.sync.aligned." shape ".row.col.f16.f16.f16.f16 random",                           \
           "f16x2*" ch ":mf16x2*" a ",mf16x2*" b ",mf16x2*" ch, 3),                                          \
      ROW("mma.f16", "mma.sync.aligned." shape ".row.col.f32.f16.f16.f32 whole",                             \
          "f32*" cs ":nf16x2*" a ",nf16x2*" b ",nf32*" cs),                                                  \
      ROW("mma.f16", "mma.sync.aligned." shape ".row.col.f32.f16.f16.f32 specials",                          \
          "f32*" cs ":sf16x2*" a ",sf16x2*" b ",sf32*" cs),                                                  \
      NEAR("mma.f16", "mma.sync.aligned." shape ".row.col.f32.f16.f16.f32 random",                           \
           "f32*" cs ":mf16x2*" a ",mf16x2*" b ",mf32*" cs, -8)

#define MMA_KIND(fam, op, w, s, m, a, b, c, near)                                                            \
  ROW(fam, op " whole", "f32*" c ":" w "*" a "," w "*" b ",nf32*" c),                                        \
      ROW(fam, op " specials", "f32*" c ":" s "*" a "," s "*" b ",sf32*" c),                                 \
      NEAR(fam, op " random", "f32*" c ":" m "*" a "," m "*" b ",mf32*" c, near)
#define MMA_F64(shape, a, b, c)                                                                              \
  ROW("mma.f64", "mma.sync.aligned." shape ".row.col.f64.f64.f64.f64 whole",                                 \
      "f64*" c ":nf64" a ",nf64" b ",nf64*" c),                                                              \
      ROW("mma.f64", "mma.sync.aligned." shape ".row.col.f64.f64.f64.f64 specials",                          \
          "f64*" c ":sf64" a ",sf64" b ",sf64*" c),                                                          \
      ROW("mma.f64", "mma.sync.aligned." shape ".row.col{,.rn,.rz,.rm,.rp}.f64.f64.f64.f64 random",          \
          "f64*" c ":mf64" a ",mf64" b ",mf64*" c)
#define BF16      "kbf16x2", "sbf16x2", "mbf16x2"
#define TF32      "ntf32", "stf32", "mtf32"
#define KIND(...) MMA_KIND(__VA_ARGS__)

static const struct row MMA[] = {
    MMA_F16("m16n8k8", "2", "1", "2", "4"),
    MMA_F16("m16n8k16", "4", "2", "2", "4"),
    KIND("mma.bf16", "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", BF16, "2", "1", "4", -8),
    KIND("mma.bf16", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", BF16, "4", "2", "4", -8),
    KIND("mma.tf32", "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", TF32, "2", "1", "4", -8),
    KIND("mma.tf32", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", TF32, "4", "2", "4", -8),
    MMA_F64("m8n8k4", "", "", "2"),
    MMA_F64("m16n8k4", "*2", "", "4"),
    MMA_F64("m16n8k8", "*4", "*2", "4"),
    MMA_F64("m16n8k16", "*8", "*4", "4"),
    ROW("mma.int8", "mma.sync.aligned.m8n8k16.row.col{,.satfinite}.s32.{u8,s8}.{u8,s8}.s32",
        "s32*2:raw32,raw32,s32*2"),
    ROW("mma.int8", "mma.sync.aligned.m16n8k16.row.col{,.satfinite}.s32.{u8,s8}.{u8,s8}.s32",
        "s32*4:raw32*2,raw32,s32*4"),
    ROW("mma.int8", "mma.sync.aligned.m16n8k32.row.col{,.satfinite}.s32.{u8,s8}.{u8,s8}.s32",
        "s32*4:raw32*4,raw32*2,s32*4"),
    ROW("mma.int4", "mma.sync.aligned.m8n8k32.row.col{,.satfinite}.s32.{u4,s4}.{u4,s4}.s32",
        "s32*2:raw32,raw32,s32*2"),
    ROW("mma.int4", "mma.sync.aligned.m16n8k32.row.col{,.satfinite}.s32.{u4,s4}.{u4,s4}.s32",
        "s32*4:raw32*2,raw32,s32*4"),
    ROW("mma.int4", "mma.sync.aligned.m16n8k64.row.col{,.satfinite}.s32.{u4,s4}.{u4,s4}.s32",
        "s32*4:raw32*4,raw32*2,s32*4"),
    ROW("mma.b1", "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.{xor,and}.popc",
        "s32*2:raw32,raw32,s32*2"),
    ROW("mma.b1", "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.{xor,and}.popc",
        "s32*4:raw32*2,raw32,s32*4"),
    ROW("mma.b1", "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.{xor,and}.popc",
        "s32*4:raw32*4,raw32*2,s32*4"),
    NEAR("mma.fp8", "mma.sync.aligned.m16n8k32.row.col.f32.{e4m3,e5m2}.{e4m3,e5m2}.f32 random",
         "f32*4:me4m3*4,me4m3*2,mf32*4", 0),
    NEAR("mma.fp8", "mma.sync.aligned.m16n8k16.row.col.f32.{e4m3,e5m2}.{e4m3,e5m2}.f32 random",
         "f32*4:me4m3*2,me4m3,mf32*4", 0),
    NEAR("mma.fp8", "mma.sync.aligned.m16n8k32.row.col.f16.{e4m3,e5m2}.{e4m3,e5m2}.f16 random",
         "f16x2*2:me4m3*4,me4m3*2,mf16x2*2", 0),
    NEAR("mma.fp8", "mma.sync.aligned.m16n8k16.row.col.f16.{e4m3,e5m2}.{e4m3,e5m2}.f16 random",
         "f16x2*2:me4m3*2,me4m3,mf16x2*2", 0),
    ROW("mma.fp8", "mma.sync.aligned.m16n8k32.row.col.f16.{e4m3,e5m2}.{e4m3,e5m2}.f16 bits",
        "f16x2*2:raw32*4,raw32*2,mf16x2*2"),
};

/* The m8n8k4 shape of Volta: every layout, f16 or f32 accumulators on either side. */
#define VOLTA "mma.sync.aligned.m8n8k4.{row,col}.{row,col}."
static const struct row MMA_VOLTA[] = {
    ROW("mma.f16", VOLTA "f16.f16.f16.f16 whole", "b32*4:nf16x2*2,nf16x2*2,nf16x2*4"),
    ROW("mma.f16", VOLTA "f32.f16.f16.f32 whole", "f32*8:nf16x2*2,nf16x2*2,nf32*8"),
    ROW("mma.f16", VOLTA "f32.f16.f16.f16 whole", "f32*8:nf16x2*2,nf16x2*2,nf16x2*4"),
    ROW("mma.f16", VOLTA "f32.f16.f16.f32 specials", "f32*8:sf16x2*2,sf16x2*2,sf32*8"),
    NEAR("mma.f16", VOLTA "f32.f16.f16.f32 random", "f32*8:mf16x2*2,mf16x2*2,mf32*8", -8),
    NEAR("mma.f16", VOLTA "f16.f16.f16.f16 random", "f16x2*4:mf16x2*2,mf16x2*2,mf16x2*4", 3),
};

/* The lane's sixteen bytes go to shared memory, packed; each lane gives the address of one row. */
#define PACK                                                                                                 \
  "ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%pa]; shl.b32 %r4, %lane, 4; add.u32 %r4, %r4, %sw; "             \
  "st.shared.v4.b32 [%r4], {%r0, %r1, %r2, %r3}; bar.warp.sync -1; "
#define UNPACK "bar.warp.sync -1; ld.shared.v4.b32 {%d0, %d1, %d2, %d3}, [%r4];"
#define CLEAR                                                                                                \
  "shl.b32 %r4, %lane, 4; add.u32 %r4, %r4, %sw; mov.b32 %r5, 0; st.shared.v4.b32 [%r4], {%r5, %r5, %r5, "   \
  "%r5}; "                                                                                                   \
  "bar.warp.sync -1; "
#define BODY(f, o, s, b)                                                                                     \
  { .family = f, .op = o, .signature = s, .body = b, .lanes = 256 }

static const struct row MOVE_MATRIX[] = {
    BODY("ldmatrix", "ldmatrix.sync.aligned.m8n8.x1{,.trans}.shared{,::cta}.b16", "b32:&raw64*2",
         PACK "@@ {%d}, [%r4];"),
    BODY("ldmatrix", "ldmatrix.sync.aligned.m8n8.x2{,.trans}.shared{,::cta}.b16", "b32*2:&raw64*2",
         PACK "@@ {%d0, %d1}, [%r4];"),
    BODY("ldmatrix", "ldmatrix.sync.aligned.m8n8.x4{,.trans}.shared{,::cta}.b16", "b32*4:&raw64*2",
         PACK "@@ {%d0, %d1, %d2, %d3}, [%r4];"),
    BODY("ldmatrix", "ldmatrix.sync.aligned.m8n8.x4{,.trans}.b16 shuffled rows", "b32*4:&raw64*2",
         PACK "xor.b32 %r5, %lane, 13; shl.b32 %r5, %r5, 4; add.u32 %r5, %r5, %sw; cvt.u64.u32 %l0, %r5; "
              "cvta.shared.u64 %l0, %l0; @@ {%d0, %d1, %d2, %d3}, [%l0];"),
    BODY("ldmatrix", "stmatrix.sync.aligned.m8n8.x1{,.trans}.shared{,::cta}.b16", "b32*4:raw32",
         CLEAR "@@ [%r4], {%a}; " UNPACK),
    BODY("ldmatrix", "stmatrix.sync.aligned.m8n8.x2{,.trans}.shared{,::cta}.b16", "b32*4:raw32*2",
         CLEAR "@@ [%r4], {%a0, %a1}; " UNPACK),
    BODY("ldmatrix", "stmatrix.sync.aligned.m8n8.x4{,.trans}.shared{,::cta}.b16", "b32*4:raw32*4",
         CLEAR "@@ [%r4], {%a0, %a1, %a2, %a3}; " UNPACK),
    BODY("ldmatrix", "movmatrix.sync.aligned.m8n8.trans.b16", "b32:raw32", "@@ %d, %a;"),
};

/* wmma: one record a shape and operand type. */
struct wmma {
  const char *family;
  unsigned m, n, k;
  const char *type;  /* of a and b in the opcode */
  const char *input; /* class suffix of a and b: whole, special and random classes start with n or k, s, m */
  unsigned bits;     /* of an element of a and b */
  unsigned a, b;     /* registers of the fragments */
  const char *abreg; /* PTX type of those registers */
  bool row_col_only; /* sub-byte types have one layout */
};

static const struct wmma WMMA[] = {
    {"wmma.f16", 16, 16, 16, "f16", "f16x2", 16, 8, 8, ".b32", false},
    {"wmma.f16", 8, 32, 16, "f16", "f16x2", 16, 8, 8, ".b32", false},
    {"wmma.f16", 32, 8, 16, "f16", "f16x2", 16, 8, 8, ".b32", false},
    {"wmma.bf16", 16, 16, 16, "bf16", "bf16x2", 16, 4, 4, ".b32", false},
    {"wmma.bf16", 8, 32, 16, "bf16", "bf16x2", 16, 2, 8, ".b32", false},
    {"wmma.bf16", 32, 8, 16, "bf16", "bf16x2", 16, 8, 2, ".b32", false},
    {"wmma.tf32", 16, 16, 8, "tf32", "tf32", 32, 4, 4, ".b32", false},
    {"wmma.f64", 8, 8, 4, "f64", "f64", 64, 1, 1, ".f64", false},
    {"wmma.int8", 16, 16, 16, "u8", "raw", 8, 2, 2, ".b32", false},
    {"wmma.int8", 16, 16, 16, "s8", "raw", 8, 2, 2, ".b32", false},
    {"wmma.int8", 8, 32, 16, "u8", "raw", 8, 1, 4, ".b32", false},
    {"wmma.int8", 8, 32, 16, "s8", "raw", 8, 1, 4, ".b32", false},
    {"wmma.int8", 32, 8, 16, "u8", "raw", 8, 4, 1, ".b32", false},
    {"wmma.int8", 32, 8, 16, "s8", "raw", 8, 4, 1, ".b32", false},
    {"wmma.int4", 8, 8, 32, "u4", "raw", 4, 1, 1, ".b32", true},
    {"wmma.int4", 8, 8, 32, "s4", "raw", 4, 1, 1, ".b32", true},
    {"wmma.b1", 8, 8, 128, "b1", "raw", 1, 1, 1, ".b32", true},
};

/* An accumulator type of wmma: its element size and the registers of a fragment of m * n elements. */
struct accumulator {
  const char *type, *reg;
  unsigned bytes;
};
static const struct accumulator ACC_F16 = {"f16", ".b32", 2}, ACC_F32 = {"f32", ".f32", 4},
                                ACC_F64 = {"f64", ".f64", 8}, ACC_S32 = {"s32", ".s32", 4};

static unsigned acc_registers(const struct wmma *w, const struct accumulator *c) {
  return w->m * w->n / 32 * c->bytes / (c->bytes < 4 ? 4 : c->bytes);
}

/* `{%x0, %x1, ...}` */
static int fragment(char *out, char letter, unsigned count) {
  int n = sprintf(out, "{");
  for (unsigned i = 0; i < count; i++) n += sprintf(out + n, "%s%%f%c%u", i ? ", " : "", letter, i);
  return n + sprintf(out + n, "}");
}

/* Slots of 8 bytes a lane that hold `elements` of `bits` for a warp. */
static unsigned slots(unsigned elements, unsigned bits) {
  unsigned n = elements * bits / (8 * 32 * 8);
  return n ? n : 1;
}

/* Declarations of the four fragments. */
static int declarations(char *out, const struct wmma *w, const struct accumulator *d,
                        const struct accumulator *c) {
  return sprintf(out, ".reg %s %%fx<%u>; .reg %s %%fy<%u>; .reg %s %%fz<%u>; .reg %s %%fw<%u>; ", w->abreg,
                 w->a, w->abreg, w->b, c->reg, acc_registers(w, c), d->reg, acc_registers(w, d));
}

/* wmma.load of one matrix from the warp's slots of operand `letter`. */
static int load(char *out, const struct wmma *w, char which, char letter, char frag, const char *layout,
                const char *type, unsigned registers, unsigned stride) {
  int n = sprintf(out, "wmma.load.%c.sync.aligned.%s.m%un%uk%u.global.%s ", which, layout, w->m, w->n, w->k,
                  type);
  n += fragment(out + n, frag, registers);
  return n + sprintf(out + n, ", [%%w%c], %u; ", letter, stride);
}

/* How one wmma variant is made up. */
struct wmma_case {
  const struct wmma *w;
  const struct accumulator *d, *c;
  const char *alayout, *blayout, *clayout;
  const char *suffix; /* ".xor.popc", ".satfinite" or "" */
  const char *inputs; /* "whole", "specials", "random" or "bits" */
  const char *acls, *ccls;
};

static void opcode(char *out, const struct wmma_case *k) {
  const struct wmma *w = k->w;
  bool b1 = w->bits == 1, f16 = strcmp(w->type, "f16") == 0;
  int n = sprintf(out, "wmma.mma%s.sync.aligned.%s.%s.m%un%uk%u.%s", b1 ? k->suffix : "", k->alayout,
                  k->blayout, w->m, w->n, w->k, k->d->type);
  if (!f16) n += sprintf(out + n, ".%s.%s", w->type, w->type);
  sprintf(out + n, ".%s%s", k->c->type, b1 ? "" : k->suffix);
}

/* The tile goes to the warp's scratch memory; each lane then reads its share of it. */
static int store_tile(char *out, const struct wmma_case *k) {
  const struct wmma *w = k->w;
  unsigned words = w->m * w->n * k->d->bytes / 4 / 32, stride = strcmp(k->clayout, "row") == 0 ? w->n : w->m;
  int n = sprintf(out, "wmma.store.d.sync.aligned.%s.m%un%uk%u.global.%s [%%pw], ", k->clayout, w->m, w->n,
                  w->k, k->d->type);
  n += fragment(out + n, 'w', acc_registers(w, k->d));
  n += sprintf(out + n, ", %u; bar.warp.sync -1; mul.wide.u32 %%l0, %%lane, %u; add.s64 %%l0, %%l0, %%pw; ",
               stride, words * 4);
  for (unsigned i = 0; i < words; i++) n += sprintf(out + n, "ld.global.b32 %%d%u, [%%l0+%u]; ", i, 4 * i);
  return n;
}

static bool is_row(const char *layout) { return strcmp(layout, "row") == 0; }

static void add_case(struct variants *all, const struct wmma_case *k) {
  const struct wmma *w = k->w;
  char op[256], name[512], signature[256], body[4096];
  opcode(op, k);
  sprintf(name, "%s %s %s", op, is_row(k->clayout) ? "c.row" : "c.col", k->inputs);
  unsigned words = w->m * w->n * k->d->bytes / 4 / 32;
  sprintf(signature, "b32*%u:&%s*%u,&%s*%u,&%s*%u", words, k->acls, slots(w->m * w->k, w->bits), k->acls,
          slots(w->k * w->n, w->bits), k->ccls, slots(w->m * w->n, k->c->bytes * 8));
  int n = declarations(body, w, k->d, k->c);
  n += load(body + n, w, 'a', 'a', 'x', k->alayout, w->type, w->a, is_row(k->alayout) ? w->k : w->m);
  n += load(body + n, w, 'b', 'b', 'y', k->blayout, w->type, w->b, is_row(k->blayout) ? w->n : w->k);
  n += load(body + n, w, 'c', 'c', 'z', k->clayout, k->c->type, acc_registers(w, k->c),
            is_row(k->clayout) ? w->n : w->m);
  n += sprintf(body + n, "%s ", op);
  const unsigned counts[] = {acc_registers(w, k->d), w->a, w->b, acc_registers(w, k->c)};
  for (unsigned i = 0; i < 4; i++) {
    n += fragment(body + n, "wxyz"[i], counts[i]);
    n += sprintf(body + n, i < 3 ? ", " : "; ");
  }
  store_tile(body + n, k);
  struct row row = {.family = w->family, .op = name, .signature = signature, .body = body, .lanes = 128};
  if (strcmp(k->inputs, "random") == 0 && k->d->bytes < 8)
    row.bound = (struct bound){JUDGE_NEAR, TRUTH_NONE, k->d->bytes == 2 ? 3 : -8};
  variants_add(all, &row);
}

/* All layouts of one case; the layout of c follows a's so that both occur. */
static void add_layouts(struct variants *all, struct wmma_case k) {
  static const char *const LAYOUT[] = {"row", "col"};
  if (k.w->row_col_only) {
    k.alayout = "row";
    k.blayout = "col";
    for (unsigned i = 0; i < 2; i++) {
      k.clayout = LAYOUT[i];
      add_case(all, &k);
    }
    return;
  }
  for (unsigned i = 0; i < 8; i++) {
    k.alayout = LAYOUT[i & 1];
    k.blayout = LAYOUT[i >> 1 & 1];
    k.clayout = LAYOUT[i >> 2];
    add_case(all, &k);
  }
}

/* Whole, special and random inputs of a floating-point case. */
static void add_float(struct variants *all, struct wmma_case k) {
  static const char *const INPUTS[] = {"whole", "specials", "random"};
  static char acls[16], ccls[16];
  for (unsigned i = 0; i < 3; i++) {
    bool bf16 = strcmp(k.w->type, "bf16") == 0;
    sprintf(acls, "%c%s", i == 0 && bf16 ? 'k' : "nsm"[i], k.w->input);
    sprintf(ccls, "%c%s", "nsm"[i], k.c->bytes == 2 ? "f16x2" : k.c->bytes == 4 ? "f32" : "f64");
    k.inputs = INPUTS[i];
    k.acls = acls;
    k.ccls = ccls;
    add_layouts(all, k);
  }
}

static void add_integer(struct variants *all, const struct wmma *w) {
  struct wmma_case k = {
      .w = w, .d = &ACC_S32, .c = &ACC_S32, .inputs = "bits", .acls = "raw64", .ccls = "s32"};
  bool b1 = w->bits == 1;
  for (unsigned i = 0; i < 2; i++) {
    k.suffix = b1 ? (i ? ".and.popc" : ".xor.popc") : (i ? ".satfinite" : "");
    add_layouts(all, k);
  }
}

static void add_wmma(struct variants *all, const struct wmma *w) {
  if (strcmp(w->input, "raw") == 0) {
    add_integer(all, w);
  } else if (strcmp(w->type, "f16") == 0) {
    const struct accumulator *const ACC[] = {&ACC_F16, &ACC_F32};
    for (unsigned i = 0; i < 4; i++)
      add_float(all, (struct wmma_case){.w = w, .d = ACC[i & 1], .c = ACC[i >> 1], .suffix = ""});
  } else {
    const struct accumulator *acc = w->bits == 64 ? &ACC_F64 : &ACC_F32;
    add_float(all, (struct wmma_case){.w = w, .d = acc, .c = acc, .suffix = ""});
  }
}

/* The fragment that a load of matrix `which` gives each lane, from global or shared memory. */
static void add_fragment(struct variants *all, const struct wmma *w, char which, const char *type,
                         const char *reg, unsigned registers, unsigned elements, unsigned bits,
                         const unsigned stride[2]) {
  static const char *const LAYOUT[] = {"row", "col"};
  for (unsigned i = 0; i < 2; i++) {
    if (w->row_col_only && which != 'c' && (which == 'a') != (i == 0)) continue;
    char op[256], signature[64], body[1024];
    const char *cls = strcmp(reg, ".f64") == 0 ? "b64" : "b32";
    sprintf(op, "wmma.load.%c.sync.aligned.%s.m%un%uk%u.global.%s", which, LAYOUT[i], w->m, w->n, w->k, type);
    sprintf(signature, "%s*%u:&raw64*%u", cls, registers, slots(elements, bits));
    int n = sprintf(body, ".reg %s %%fx<%u>; ", reg, registers);
    n += load(body + n, w, which, 'a', 'x', LAYOUT[i], type, registers, stride[i]);
    for (unsigned r = 0; r < registers; r++)
      n += sprintf(body + n, "mov.b%u %%d%s%.0u, %%fx%u; ", strcmp(cls, "b64") == 0 ? 64u : 32u,
                   registers > 1 && r == 0 ? "0" : "", r, r);
    struct row row = {
        .family = "wmma.fragment", .op = op, .signature = signature, .body = body, .lanes = 128};
    variants_add(all, &row);
  }
}

static void add_fragments(struct variants *all, const struct wmma *w) {
  const unsigned a[2] = {w->k, w->m}, b[2] = {w->n, w->k}, c[2] = {w->n, w->m};
  add_fragment(all, w, 'a', w->type, w->abreg, w->a, w->m * w->k, w->bits, a);
  add_fragment(all, w, 'b', w->type, w->abreg, w->b, w->k * w->n, w->bits, b);
  if (strcmp(w->type, "s8") == 0 || strcmp(w->type, "s4") == 0) return;
  if (strcmp(w->type, "f16") == 0)
    add_fragment(all, w, 'c', "f16", ".b32", acc_registers(w, &ACC_F16), w->m * w->n, 16, c);
  if (strcmp(w->type, "f16") == 0 || w->k == 8)
    add_fragment(all, w, 'c', "f32", ".f32", acc_registers(w, &ACC_F32), w->m * w->n, 32, c);
  if (w->bits == 64) add_fragment(all, w, 'c', "f64", ".f64", acc_registers(w, &ACC_F64), w->m * w->n, 64, c);
  if (strcmp(w->input, "raw") == 0)
    add_fragment(all, w, 'c', "s32", ".s32", acc_registers(w, &ACC_S32), w->m * w->n, 32, c);
}

void rows_matrix(struct variants *all) {
  variants_add_rows(all, MMA, sizeof MMA / sizeof MMA[0]);
  variants_add_rows(all, MMA_VOLTA, sizeof MMA_VOLTA / sizeof MMA_VOLTA[0]);
  variants_add_rows(all, MOVE_MATRIX, sizeof MOVE_MATRIX / sizeof MOVE_MATRIX[0]);
  for (size_t i = 0; i < sizeof WMMA / sizeof WMMA[0]; i++) {
    add_wmma(all, &WMMA[i]);
    add_fragments(all, &WMMA[i]);
  }
}
