/* Variants of f32, f64, f16 and bf16 arithmetic, and of the approximate functions with the error the PTX ISA
 * states for each. */
#include "variants.h"

#define ROUND       "{.rn,.rz,.rm,.rp}"
#define MAYBE_ROUND "{,.rn,.rz,.rm,.rp}"
#define ROW(f, o, s)                                                                                         \
  { .family = f, .op = o, .signature = s, .lanes = 1024 }
#define APPROX(o, s, j, t, b)                                                                                \
  {                                                                                                          \
    .family = "float.approx", .op = o, .signature = s, .lanes = 2048, .bound = { j, t, b }                   \
  }
#define HALF(o, s)                                                                                           \
  { .family = "half", .op = o, .signature = s, .lanes = 768 }

static const struct row SINGLE_DOUBLE[] = {
    ROW("float.add", "{add,sub}" MAYBE_ROUND "{,.ftz}{,.sat}.f32", "f32:f32,f32"),
    ROW("float.add", "{add,sub}" MAYBE_ROUND ".f64", "f64:f64,f64"),
    ROW("float.mul", "mul" MAYBE_ROUND "{,.ftz}{,.sat}.f32", "f32:f32,f32"),
    ROW("float.mul", "mul" MAYBE_ROUND ".f64", "f64:f64,f64"),
    ROW("float.fma", "{fma,mad}" ROUND "{,.ftz}{,.sat}.f32", "f32:f32,f32,f32"),
    ROW("float.fma", "{fma,mad}" ROUND ".f64", "f64:f64,f64,f64"),
    ROW("float.div", "div" ROUND "{,.ftz}.f32", "f32:f32,f32"),
    ROW("float.div", "div" ROUND ".f64", "f64:f64,f64"),
    ROW("float.root", "{rcp,sqrt}" ROUND "{,.ftz}.f32", "f32:f32"),
    ROW("float.root", "{rcp,sqrt}" ROUND ".f64", "f64:f64"),
    ROW("float.sign", "{abs,neg}{,.ftz}.f32", "f32:f32"),
    ROW("float.sign", "{abs,neg}.f64", "f64:f64"),
    ROW("float.sign", "copysign.{f32,f64}", "$1:$1,$1"),
    ROW("float.minmax", "{min,max}{,.ftz}{,.NaN}{,.xorsign.abs}.f32", "f32:f32,f32"),
    ROW("float.minmax", "{min,max}.f64", "f64:f64,f64"),
    ROW("float.testp", "testp.{finite,infinite,number,notanumber,normal,subnormal}.{f32,f64}", "pred:$2"),
};

static const struct row APPROXIMATE[] = {
    APPROX("div.approx{,.ftz}.f32", "f32:f32,f32", JUDGE_ULP, TRUTH_DIV, 2),
    APPROX("div.full{,.ftz}.f32", "f32:f32,f32", JUDGE_ULP, TRUTH_DIV, 2),
    APPROX("rcp.approx{,.ftz}.f32", "f32:f32", JUDGE_ULP, TRUTH_RCP, 1),
    APPROX("rcp.approx.ftz.f64", "f64:f64", JUDGE_RELATIVE, TRUTH_RCP, -19),
    APPROX("sqrt.approx{,.ftz}.f32", "f32:f32", JUDGE_RELATIVE, TRUTH_SQRT, -23),
    APPROX("rsqrt.approx{,.ftz}.f32", "f32:f32", JUDGE_RELATIVE, TRUTH_RSQRT, -22.9),
    APPROX("rsqrt.approx.f64", "f64:f64", JUDGE_ULP, TRUTH_RSQRT, 2),
    APPROX("rsqrt.approx.ftz.f64", "f64:f64", JUDGE_RELATIVE, TRUTH_RSQRT, -19),
    APPROX("sin.approx{,.ftz}.f32", "f32:f32", JUDGE_ABSOLUTE, TRUTH_SIN, -20.5),
    APPROX("cos.approx{,.ftz}.f32", "f32:f32", JUDGE_ABSOLUTE, TRUTH_COS, -20.5),
    APPROX("lg2.approx{,.ftz}.f32", "f32:f32", JUDGE_LOG, TRUTH_LG2, -22),
    APPROX("ex2.approx{,.ftz}.f32", "f32:f32", JUDGE_RELATIVE, TRUTH_EX2, -22),
    APPROX("ex2.approx.{f16,f16x2}", "$1:$1", JUDGE_RELATIVE, TRUTH_EX2, -9.9),
    APPROX("ex2.approx.ftz.{bf16,bf16x2}", "$1:$1", JUDGE_RELATIVE, TRUTH_EX2, -7),
    APPROX("tanh.approx.f32", "f32:f32", JUDGE_RELATIVE, TRUTH_TANH, -11),
    APPROX("tanh.approx.{f16,f16x2}", "$1:$1", JUDGE_RELATIVE, TRUTH_TANH, -10.987),
    APPROX("tanh.approx.{bf16,bf16x2}", "$1:$1", JUDGE_RELATIVE, TRUTH_TANH, -8),
};

static const struct row HALVES[] = {
    HALF("{add,sub,mul}{,.rn}{,.ftz}{,.sat}.{f16,f16x2}", "$5:$5,$5"),
    HALF("{add,sub,mul}{,.rn}.{bf16,bf16x2}", "$3:$3,$3"),
    HALF("fma.rn{,.ftz}{,.sat,.relu}.{f16,f16x2}", "$3:$3,$3,$3"),
    HALF("fma.rn{,.relu}.{bf16,bf16x2}", "$2:$2,$2,$2"),
    HALF("fma.rn.oob{,.relu}.{f16,f16x2,bf16,bf16x2}", "$2:$2,$2,$2"),
    HALF("{neg,abs}{,.ftz}.{f16,f16x2}", "$3:$3"),
    HALF("{neg,abs}.{bf16,bf16x2}", "$2:$2"),
    HALF("{min,max}{,.ftz}{,.NaN}{,.xorsign.abs}.{f16,f16x2}", "$5:$5,$5"),
    HALF("{min,max}{,.NaN}{,.xorsign.abs}.{bf16,bf16x2}", "$4:$4,$4"),
};

void rows_float(struct variants *all) {
  variants_add_rows(all, SINGLE_DOUBLE, sizeof SINGLE_DOUBLE / sizeof SINGLE_DOUBLE[0]);
  variants_add_rows(all, APPROXIMATE, sizeof APPROXIMATE / sizeof APPROXIMATE[0]);
  variants_add_rows(all, HALVES, sizeof HALVES / sizeof HALVES[0]);
}
