/* Variants of setp, set, selp and slct: every comparison of every type, with and without a Boolean operation,
 * with one or two predicate results. */
#include "variants.h"

#define UNSIGNED "{eq,ne,lt,le,gt,ge,lo,ls,hi,hs}"
#define SIGNED   "{eq,ne,lt,le,gt,ge}"
#define FLOATS   "{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}"
#define COMBINE  ".{and,or,xor}"
#define UTYPES   ".{u16,u32,u64}"
#define STYPES   ".{s16,s32,s64}"
#define BTYPES   ".{b16,b32,b64}"
#define ONE(o, s)                                                                                            \
  { .family = "setp", .op = o, .signature = s, .body = "@@ %d, %a, %b;" }
#define TWO(o, s)                                                                                            \
  { .family = "setp", .op = o " p|q", .signature = s, .body = "@@ %d|%e, %a, %b;" }
#define ONE_C(o, s)                                                                                          \
  { .family = "setp", .op = o " c", .signature = s, .body = "@@ %d, %a, %b, %c;" }
#define TWO_C(o, s)                                                                                          \
  { .family = "setp", .op = o " p|q,!c", .signature = s, .body = "@@ %d|%e, %a, %b, !%c;" }
#define ROW(f, o, s)                                                                                         \
  { .family = f, .op = o, .signature = s }

/* The four forms of setp: t is the number of the brace that holds the type. */
#define FORMS(cmp, mods, types, t, tc)                                                                       \
  ONE("setp." cmp mods types, "pred:$" t ",$" t), TWO("setp." cmp mods types, "pred,pred:$" t ",$" t),       \
      ONE_C("setp." cmp COMBINE mods types, "pred:$" tc ",$" tc ",pred"),                                    \
      TWO_C("setp." cmp COMBINE mods types, "pred,pred:$" tc ",$" tc ",pred")

static const struct row SETP[] = {
    FORMS(UNSIGNED, "", UTYPES, "2", "3"),
    FORMS(SIGNED, "", STYPES, "2", "3"),
    FORMS("{eq,ne}", "", BTYPES, "2", "3"),
    FORMS(FLOATS, "{,.ftz}", ".{f32}", "3", "4"),
    FORMS(FLOATS, "", ".{f64}", "2", "3"),
    ONE("setp." FLOATS "{,.ftz}.f16", "pred:f16,f16"),
    ONE("setp." FLOATS ".bf16", "pred:bf16,bf16"),
    ONE_C("setp." FLOATS COMBINE "{,.ftz}.f16", "pred:f16,f16,pred"),
    ONE_C("setp." FLOATS COMBINE ".bf16", "pred:bf16,bf16,pred"),
    TWO("setp." FLOATS "{,.ftz}.f16x2", "pred,pred:f16x2,f16x2"),
    TWO_C("setp." FLOATS COMBINE "{,.ftz}.f16x2", "pred,pred:f16x2,f16x2,pred"),
    TWO("setp." FLOATS ".bf16x2", "pred,pred:bf16x2,bf16x2"),
    TWO_C("setp." FLOATS COMBINE ".bf16x2", "pred,pred:bf16x2,bf16x2,pred"),
};

/* set writes all ones or 1.0; the Boolean forms are sampled on one comparison a kind. */
static const struct row SET[] = {
    ROW("set", "set." UNSIGNED ".{u32,s32,f32}" UTYPES, "$2:$3,$3"),
    ROW("set", "set." SIGNED ".{u32,s32,f32}" STYPES, "$2:$3,$3"),
    ROW("set", "set.{eq,ne}.{u32,s32,f32}" BTYPES, "$2:$3,$3"),
    ROW("set", "set." FLOATS "{,.ftz}.{u32,s32,f32}.f32", "$3:f32,f32"),
    ROW("set", "set." FLOATS ".{u32,s32,f32}.f64", "$2:f64,f64"),
    ROW("set", "set.{lt,hs}" COMBINE ".{u32,s32,f32}" UTYPES, "$3:$4,$4,pred"),
    ROW("set", "set.{lt,ge}" COMBINE ".{u32,s32,f32}" STYPES, "$3:$4,$4,pred"),
    ROW("set", "set.{eq,ne}" COMBINE ".{u32,s32,f32}" BTYPES, "$3:$4,$4,pred"),
    ROW("set", "set.{lt,gtu,nan}" COMBINE "{,.ftz}.{u32,s32,f32}.f32", "$4:f32,f32,pred"),
    ROW("set", "set.{lt,gtu,nan}" COMBINE ".{u32,s32,f32}.f64", "$3:f64,f64,pred"),
    ROW("set", "set." FLOATS "{,.ftz}.{u16,s16,u32,s32}.f16", "$3:f16,f16"),
    ROW("set", "set." FLOATS "{,.ftz}.f16.{f16,f32}", "f16:$3,$3"),
    ROW("set", "set." FLOATS ".f16.f64", "f16:f64,f64"),
    ROW("set", "set.{eq,ne,lt,le,gt,ge}.f16.{u16,u32,u64,s16,s32,s64}", "f16:$2,$2"),
    ROW("set", "set.{eq,ne}.f16" BTYPES, "f16:$2,$2"),
    ROW("set", "set." FLOATS "{,.ftz}.{u32,s32,f16x2}.f16x2", "$3:f16x2,f16x2"),
    ROW("set", "set." FLOATS ".{u16,s16,u32,s32}.bf16", "$2:bf16,bf16"),
    ROW("set", "set." FLOATS ".bf16.{bf16,f16,f32,f64}", "bf16:$2,$2"),
    ROW("set", "set.{eq,ne,lt,le,gt,ge}.bf16.{u16,u32,u64,s16,s32,s64}", "bf16:$2,$2"),
    ROW("set", "set." FLOATS ".{u32,s32,bf16x2}.bf16x2", "$2:bf16x2,bf16x2"),
    ROW("set", "set.{lt,gtu}" COMBINE "{,.ftz}.{f16,u16}.f16", "$4:f16,f16,pred"),
    ROW("set", "set.{lt,gtu}" COMBINE "{,.ftz}.{f16x2,u32}.f16x2", "$4:f16x2,f16x2,pred"),
    ROW("set", "set.{lt,gtu}" COMBINE ".{bf16,u16}.bf16", "$3:bf16,bf16,pred"),
    ROW("set", "set.{lt,gtu}" COMBINE ".{bf16x2,u32}.bf16x2", "$3:bf16x2,bf16x2,pred"),
    ROW("select", "selp.{b16,b32,b64,u16,u32,u64,s16,s32,s64,f32,f64}", "$1:$1,$1,pred"),
    ROW("select", "slct.{b16,b32,b64,u16,u32,u64,s16,s32,s64,f32,f64}.s32", "$1:$1,$1,s32"),
    ROW("select", "slct{,.ftz}.{b16,b32,b64,u16,u32,u64,s16,s32,s64,f32,f64}.f32", "$2:$2,$2,f32"),
};

void rows_compare(struct variants *all) {
  variants_add_rows(all, SETP, sizeof SETP / sizeof SETP[0]);
  variants_add_rows(all, SET, sizeof SET / sizeof SET[0]);
}
