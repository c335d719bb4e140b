/* Variants of cvt: all directions between integers and floats, the packed and 8-bit formats, and cvt.pack. */
#include "variants.h"

#define INTS      "{u8,s8,u16,s16,u32,s32,u64,s64}"
#define WIDE_INTS "{u16,s16,u32,s32,u64,s64}"
#define ROUND     "{.rn,.rz,.rm,.rp}"
#define WHOLE     "{.rni,.rzi,.rmi,.rpi}"
#define ROW(f, o, s)                                                                                         \
  { .family = f, .op = o, .signature = s }

static const struct row BETWEEN_INTEGERS[] = {
    ROW("cvt.int", "cvt." INTS "." INTS, "$1:$2"),
    ROW("cvt.int", "cvt.sat.u8.{s8,u16,s16,u32,s32,u64,s64}", "u8:$1"),
    ROW("cvt.int", "cvt.sat.s8.{u8,u16,s16,u32,s32,u64,s64}", "s8:$1"),
    ROW("cvt.int", "cvt.sat.u16.{s8,s16,u32,s32,u64,s64}", "u16:$1"),
    ROW("cvt.int", "cvt.sat.s16.{u16,u32,s32,u64,s64}", "s16:$1"),
    ROW("cvt.int", "cvt.sat.u32.{s8,s16,s32,u64,s64}", "u32:$1"),
    ROW("cvt.int", "cvt.sat.s32.{u32,u64,s64}", "s32:$1"),
    ROW("cvt.int", "cvt.sat.u64.{s8,s16,s32,s64}", "u64:$1"),
    ROW("cvt.int", "cvt.sat.s64.u64", "s64:u64"),
    ROW("cvt.int", "cvt.pack.sat.{u16,s16}.s32", "b32:s32,s32"),
    ROW("cvt.int", "cvt.pack.sat.{u8,s8,u4,s4,u2,s2}.s32.b32", "b32:s32,s32,b32"),
};

static const struct row TO_FLOAT[] = {
    ROW("cvt.tofloat", "cvt" ROUND "{,.sat}.{f16,f32,f64}." INTS, "$3:$4"),
    ROW("cvt.tofloat", "cvt" ROUND ".bf16." WIDE_INTS, "bf16:$2"),
};

static const struct row TO_INTEGER[] = {
    ROW("cvt.toint", "cvt" WHOLE "{,.sat}." INTS ".{f16,f64}", "$3:$4"),
    ROW("cvt.toint", "cvt" WHOLE "{,.ftz}{,.sat}." INTS ".f32", "$4:f32"),
    ROW("cvt.toint", "cvt" WHOLE "." WIDE_INTS ".bf16", "$2:bf16"),
};

static const struct row BETWEEN_FLOATS[] = {
    ROW("cvt.float", "cvt{,.ftz}{,.sat}.f32.{f16,f32}", "f32:$3"),
    ROW("cvt.float", "cvt{,.sat}.f64.{f16,f64}", "f64:$2"),
    ROW("cvt.float", "cvt{,.ftz}{,.sat}.f64.f32", "f64:f32"),
    ROW("cvt.float", "cvt{,.sat}.f16.f16", "f16:f16"),
    ROW("cvt.float", "cvt" ROUND "{,.ftz}{,.sat}.f16.f32", "f16:f32"),
    ROW("cvt.float", "cvt" ROUND "{,.sat}.f16.f64", "f16:f64"),
    ROW("cvt.float", "cvt" ROUND "{,.ftz}{,.sat}.f32.f64", "f32:f64"),
    ROW("cvt.float", "cvt" WHOLE "{,.ftz}{,.sat}.f32.f32", "f32:f32"),
    ROW("cvt.float", "cvt" WHOLE "{,.sat}.f16.f16", "f16:f16"),
    ROW("cvt.float", "cvt" WHOLE "{,.sat}.f64.f64", "f64:f64"),
    ROW("cvt.bf16", "cvt" WHOLE ".bf16.bf16", "bf16:bf16"),
    ROW("cvt.bf16", "cvt" ROUND ".bf16.{f16,f32,f64}", "bf16:$2"),
    ROW("cvt.bf16", "cvt" ROUND ".f16.bf16", "f16:bf16"),
    ROW("cvt.bf16", "cvt{,.ftz}.f32.bf16", "f32:bf16"),
    ROW("cvt.bf16", "cvt{,.rn,.rz,.rm,.rp}.f64.bf16", "f64:bf16"),
    ROW("cvt.bf16", "cvt" ROUND ".f32.bf16", "f32:bf16"),
    ROW("cvt.packed", "cvt.{rn,rz}{.relu,.satfinite,.relu.satfinite}.{f16,bf16}.f32", "$3:f32"),
    ROW("cvt.packed", "cvt.{rn,rz}{,.relu,.satfinite,.relu.satfinite}.{f16x2,bf16x2}.f32", "$3:f32,f32"),
    ROW("cvt.packed", "cvt.rna{,.satfinite}.tf32.f32", "tf32:f32"),
    ROW("cvt.packed", "cvt.{rn,rz}{,.relu}.tf32.f32", "tf32:f32"),
    ROW("cvt.fp8", "cvt.rn.satfinite{,.relu}.{e4m3x2,e5m2x2}.f32", "$2:f32,f32"),
    ROW("cvt.fp8", "cvt.rn.satfinite{,.relu}.{e4m3x2,e5m2x2}.f16x2", "$2:f16x2"),
    ROW("cvt.fp8", "cvt.rn{,.relu}.f16x2.{e4m3x2,e5m2x2}", "f16x2:$2"),
};

void rows_convert(struct variants *all) {
  variants_add_rows(all, BETWEEN_INTEGERS, sizeof BETWEEN_INTEGERS / sizeof BETWEEN_INTEGERS[0]);
  variants_add_rows(all, TO_FLOAT, sizeof TO_FLOAT / sizeof TO_FLOAT[0]);
  variants_add_rows(all, TO_INTEGER, sizeof TO_INTEGER / sizeof TO_INTEGER[0]);
  variants_add_rows(all, BETWEEN_FLOATS, sizeof BETWEEN_FLOATS / sizeof BETWEEN_FLOATS[0]);
}
