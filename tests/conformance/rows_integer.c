/* Variants of integer, logic, shift, bit-field and carry-chain instructions. */
#include "variants.h"

#define INTS "{u16,s16,u32,s32,u64,s64}"
#define ROW(f, o, s)                                                                                         \
  { .family = f, .op = o, .signature = s }
#define BODY(f, o, s, b)                                                                                     \
  { .family = f, .op = o, .signature = s, .body = b }
#define CHAIN(o, s, b)                                                                                       \
  { .family = "carry", .op = o, .signature = s, .body = b }

static const struct row ARITHMETIC[] = {
    ROW("int.add", "add." INTS, "$1:$1,$1"),
    ROW("int.add", "add.sat.s32", "s32:s32,s32"),
    ROW("int.add", "add.{u16x2,s16x2}", "$1:$1,$1"),
    ROW("int.add", "sub." INTS, "$1:$1,$1"),
    ROW("int.add", "sub.sat.s32", "s32:s32,s32"),
    ROW("int.mul", "mul.{lo,hi}." INTS, "$2:$2,$2"),
    ROW("int.mul", "mul.wide.{u16,s16,u32,s32}", "w$1:$1,$1"),
    ROW("int.mul", "mad.{lo,hi}." INTS, "$2:$2,$2,$2"),
    ROW("int.mul", "mad.wide.{u16,s16,u32,s32}", "w$1:$1,$1,w$1"),
    ROW("int.mul", "mad.hi.sat.s32", "s32:s32,s32,s32"),
    ROW("int.mul", "mul24.{lo,hi}.{u32,s32}", "$2:$2,$2"),
    ROW("int.mul", "mad24.{lo,hi}.{u32,s32}", "$2:$2,$2,$2"),
    ROW("int.mul", "mad24.hi.sat.s32", "s32:s32,s32,s32"),
    ROW("int.mul", "dp4a.{u32,s32}.{u32,s32}", "b32:b8x4,b8x4,b32"),
    ROW("int.mul", "dp2a.{lo,hi}.{u32,s32}.{u32,s32}", "b32:u16x2,b8x4,b32"),
    ROW("int.sad", "sad." INTS, "$1:$1,$1,$1"),
    ROW("int.div", "{div,rem}." INTS, "$2:$2,$2"),
    ROW("int.sign", "{abs,neg}.{s16,s32,s64}", "$2:$2"),
    ROW("int.minmax", "{min,max}." INTS, "$2:$2,$2"),
    ROW("int.minmax", "{min,max}.{u16x2,s16x2}", "$2:$2,$2"),
    ROW("int.minmax", "{min,max}.relu.{s16x2,s32}", "$2:$2,$2"),
};

static const struct row BITS[] = {
    ROW("int.bits", "popc.{b32,b64}", "u32:$1"),
    ROW("int.bits", "clz.{b32,b64}", "u32:$1"),
    ROW("int.bits", "bfind{,.shiftamt}.{u32,u64,s32,s64}", "u32:$2"),
    ROW("int.bits", "brev.{b32,b64}", "$1:$1"),
    ROW("int.bits", "fns.b32", "b32:b32,lane,s32"),
    BODY("int.bits", "fns.b32 near", "b32:b32,lane,oct", "sub.s32 %c, %c, 4; @@ %d, %a, %b, %c;"),
    ROW("int.bits", "bfe.{u32,u64,s32,s64}", "$1:$1,byte,byte"),
    BODY("int.bits", "bfe.{u32,u64,s32,s64} small", "$1:$1,lane,lane", "@@ %d, %a, %b, %c;"),
    ROW("int.bits", "bfi.{b32,b64}", "$1:$1,$1,byte,byte"),
    BODY("int.bits", "bfi.{b32,b64} small", "$1:$1,$1,lane,lane", "@@ %d, %a, %b, %c, %h;"),
    ROW("int.bits", "szext.{wrap,clamp}.{u32,s32}", "$2:$2,shift"),
    ROW("int.bits", "bmsk.{clamp,wrap}.b32", "b32:shift,shift"),
    ROW("int.logic", "{and,or,xor}.{pred,b16,b32,b64}", "$2:$2,$2"),
    ROW("int.logic", "not.{pred,b16,b32,b64}", "$1:$1"),
    ROW("int.logic", "cnot.{b16,b32,b64}", "$1:$1"),
    ROW("int.shift", "shl.{b16,b32,b64}", "$1:$1,shift"),
    ROW("int.shift", "shr.{b16,b32,b64,u16,u32,u64,s16,s32,s64}", "$1:$1,shift"),
    ROW("int.shift", "shf.{l,r}.{clamp,wrap}.b32", "b32:b32,b32,shift"),
    ROW("int.prmt", "prmt.b32", "b32:raw32,raw32,raw32"),
    ROW("int.prmt", "prmt.b32.{f4e,b4e,rc8,ecl,ecr,rc16}", "b32:raw32,raw32,raw32"),
    BODY("int.lop3", "lop3.{or,and}.b32 lut{0x80,0xfe,0x96,0x1b}", "b32,pred:b32,b32,b32,pred",
         "@@ %d|%e, %a, %b, %c, $2, %h;"),
};

/* Carry chains: the flag a first instruction leaves is consumed by the second; `.cc` on the second passes it
 * to a third, an addition of zeros that makes the flag visible. */
static const struct row CARRY[] = {
    CHAIN("add.cc.{u32,s32,u64,s64}", "$1,$1:$1,$1,$1,$1", "@@ %d, %a, %b; addc.$1 %e, %c, %h;"),
    CHAIN("addc.cc.{u32,s32,u64,s64}", "$1,$1,$1:$1,$1,$1,$1",
          "add.cc.$1 %d, %a, %b; @@ %e, %c, %h; addc.$1 %f, 0, 0;"),
    CHAIN("sub.cc.{u32,s32,u64,s64}", "$1,$1:$1,$1,$1,$1", "@@ %d, %a, %b; subc.$1 %e, %c, %h;"),
    CHAIN("subc.cc.{u32,s32,u64,s64}", "$1,$1,$1:$1,$1,$1,$1",
          "sub.cc.$1 %d, %a, %b; @@ %e, %c, %h; subc.$1 %f, 0, 0;"),
    CHAIN("sub.cc.{u32,s32,u64,s64} addc", "$1,$1:$1,$1,$1,$1", "@@ %d, %a, %b; addc.$1 %e, %c, %h;"),
    CHAIN("add.cc.{u32,s32,u64,s64} subc", "$1,$1:$1,$1,$1,$1", "@@ %d, %a, %b; subc.$1 %e, %c, %h;"),
    CHAIN("mad.{lo,hi}.cc.{u32,s32,u64,s64}", "$2,$2:$2,$2,$2", "@@ %d, %a, %b, %c; addc.$2 %e, 0, 0;"),
    CHAIN("madc.{lo,hi}.{u32,s32,u64,s64}", "$2,$2:$2,$2,$2,$2", "add.cc.$2 %d, %h, %c; @@ %e, %a, %b, %c;"),
    CHAIN("madc.{lo,hi}.cc.{u32,s32,u64,s64}", "$2,$2,$2:$2,$2,$2,$2",
          "add.cc.$2 %d, %h, %c; @@ %e, %a, %b, %c; addc.$2 %f, 0, 0;"),
    CHAIN("mad.lo.cc.u32 wide product", "u32,u32,u32,u32:u32,u32,u32,u32",
          "mul.lo.u32 %d, %a, %c; mul.hi.u32 %e, %a, %c; mad.lo.cc.u32 %e, %a, %h, %e; madc.hi.u32 %f, %a, "
          "%h, 0; "
          "mad.lo.cc.u32 %e, %b, %c, %e; madc.hi.cc.u32 %f, %b, %c, %f; addc.u32 %g, 0, 0; "
          "mad.lo.cc.u32 %f, %b, %h, %f; madc.hi.u32 %g, %b, %h, %g;"),
};

static const struct row LOP3 = {
    .family = "int.lop3",
    .op = "lop3.b32 lut0x{0,1,2,3,4,5,6,7,8,9,a,b,c,d,e,f}{0,1,2,3,4,5,6,7,8,9,a,b,c,d,e,f}",
    .signature = "b32:raw32,raw32,raw32",
    .body = "@@ %d, %a, %b, %c, 0x$1$2;",
    .lanes = 128};

void rows_integer(struct variants *all) {
  variants_add_rows(all, ARITHMETIC, sizeof ARITHMETIC / sizeof ARITHMETIC[0]);
  variants_add_rows(all, BITS, sizeof BITS / sizeof BITS[0]);
  variants_add_rows(all, CARRY, sizeof CARRY / sizeof CARRY[0]);
  variants_add(all, &LOP3);
}
