/* Variants of mma.sp: a is kept without half of its elements, and metadata of some lanes says which ones are there. Which lanes the
 * selector chooses. Inputs as for the dense mma (rows_matrix.c); metadata are the allowed ones, random in every lane. */
#include "variants.h"

#define NEAR(f, o, s, b, body_) \
  { .family = f, .op = o, .signature = s, .lanes = 256, .body = body_, .bound = {JUDGE_NEAR, TRUTH_NONE, b} }
#define ROW(f, o, s, body_) \
  { .family = f, .op = o, .signature = s, .lanes = 256, .body = body_ }

#define D2 "{%d0, %d1}"
#define D4 "{%d0, %d1, %d2, %d3}"
#define A2 "{%a0, %a1}"
#define A4 "{%a0, %a1, %a2, %a3}"
#define B2 "{%b0, %b1}"
#define B4 "{%b0, %b1, %b2, %b3}"
#define C2 "{%c0, %c1}"
#define C4 "{%c0, %c1, %c2, %c3}"
#define OP(d, a, b, c, sel) "@@ " d ", " a ", " b ", " c ", %h, " sel ";"

/* One shape and type of a and b: with whole, special and random numbers. `sel` is a brace of selectors. */
#define FLOATS(f, shape, sel, t, acc, d, a, b, c, dcls, mcls, n, an, bn, W, S, M, wc, sc, mc, near, meta) \
  ROW(f, "mma.sp{,::ordered_metadata}.sync.aligned." shape ".row.col." acc "." t "." t "." acc " whole " sel, \
      dcls "*" n ":" W "*" an "," W "*" bn "," wc "*" n "," meta, OP(d, a, b, c, "$2")), \
  ROW(f, "mma.sp::ordered_metadata.sync.aligned." shape ".row.col." acc "." t "." t "." acc " specials " sel, \
      dcls "*" n ":" S "*" an "," S "*" bn "," sc "*" n "," meta, OP(d, a, b, c, "$1")), \
  NEAR(f, "mma.sp::ordered_metadata.sync.aligned." shape ".row.col." acc "." t "." t "." acc " random " sel, \
      mcls "*" n ":" M "*" an "," M "*" bn "," mc "*" n "," meta, near, OP(d, a, b, c, "$1"))

#define F16_16 "nf16x2", "sf16x2", "mf16x2", "nf16x2", "sf16x2", "mf16x2", 3, "kept"
#define F16_32 "nf16x2", "sf16x2", "mf16x2", "nf32", "sf32", "mf32", -8, "kept"
#define BF16   "kbf16x2", "sbf16x2", "mbf16x2", "nf32", "sf32", "mf32", -8, "kept"
#define TF32   "ntf32", "stf32", "mtf32", "nf32", "sf32", "mf32", -8, "keptpair"
#define ALL(...) FLOATS(__VA_ARGS__)

#define INTS(shape, t, an, bn, a, b, sel, f) \
  ROW(f, "mma.sp{,::ordered_metadata}.sync.aligned." shape ".row.col{,.satfinite}.s32.{u" t ",s" t "}.{u" t ",s" t "}.s32 " sel, \
      "s32*4:raw32*" an ",raw32*" bn ",s32*4,kept", OP(D4, a, b, C4, "$5"))

static const struct row ROWS[] = {
    ALL("mma.sp.f16", "m16n8k16", "{0,1,2,3}", "f16", "f16", D2, A2, B2, C2, "b32", "f16x2", "2", "2", "2", F16_16),
    ALL("mma.sp.f16", "m16n8k16", "{0,1,2,3}", "f16", "f32", D4, A2, B2, C4, "f32", "f32", "4", "2", "2", F16_32),
    ALL("mma.sp.f16", "m16n8k32", "{0,1}", "f16", "f16", D2, A4, B4, C2, "b32", "f16x2", "2", "4", "4", F16_16),
    ALL("mma.sp.f16", "m16n8k32", "{0,1}", "f16", "f32", D4, A4, B4, C4, "f32", "f32", "4", "4", "4", F16_32),
    ALL("mma.sp.bf16", "m16n8k16", "{0,1,2,3}", "bf16", "f32", D4, A2, B2, C4, "f32", "f32", "4", "2", "2", BF16),
    ALL("mma.sp.bf16", "m16n8k32", "{0,1}", "bf16", "f32", D4, A4, B4, C4, "f32", "f32", "4", "4", "4", BF16),
    ALL("mma.sp.tf32", "m16n8k8", "{0,1,2,3}", "tf32", "f32", D4, A2, B2, C4, "f32", "f32", "4", "2", "2", TF32),
    ALL("mma.sp.tf32", "m16n8k16", "{0,1}", "tf32", "f32", D4, A4, B4, C4, "f32", "f32", "4", "4", "4", TF32),
    INTS("m16n8k32", "8", "2", "2", A2, B2, "{0,1}", "mma.sp.int8"),
    INTS("m16n8k64", "8", "4", "4", A4, B4, "{0}", "mma.sp.int8"),
    INTS("m16n8k64", "4", "2", "2", A2, B2, "{0,1}", "mma.sp.int4"),
    INTS("m16n8k128", "4", "4", "4", A4, B4, "{0}", "mma.sp.int4"),
    NEAR("mma.sp.fp8", "mma.sp{,::ordered_metadata}.sync.aligned.m16n8k64.row.col.f32.{e4m3,e5m2}.{e4m3,e5m2}.f32 random",
         "f32*4:me4m3*4,me4m3*4,mf32*4,kept", 0, OP(D4, A4, B4, C4, "0")),
};

void rows_sparse(struct variants *all) { variants_add_rows(all, ROWS, sizeof ROWS / sizeof ROWS[0]); }
