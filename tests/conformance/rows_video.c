/* Variants of the video instructions: scalar forms with selectors, merges and secondary operations, and the
 * two-way and four-way forms with masks. Types and saturation are crossed fully; selectors and masks are
 * crossed with the types in a sample of combinations that uses each selector on each side. */
#include "variants.h"

#define SCALAR "{vadd,vsub,vabsdiff,vmin,vmax}"
#define TYPES3 ".{u32,s32}.{u32,s32}.{u32,s32}"
#define TYPES2 ".{u32,s32}.{u32,s32}"
#define OP2    "{.add,.min,.max}"
#define CMP    ".{eq,ne,lt,le,gt,ge}"
#define MERGE  "{.b0,.b1,.b2,.b3,.h0,.h1}"
#define ROW(o, s, b)                                                                                         \
  { .family = "video", .op = o, .signature = s, .body = b, .lanes = 128 }
#define SIMD(f, o, b)                                                                                        \
  { .family = f, .op = o, .signature = "b32:raw32,raw32,raw32", .body = b, .lanes = 128 }

static const struct row SCALAR_ROWS[] = {
    ROW(SCALAR TYPES3 "{,.sat}", "b32:b32,b32", "@@ %d, %a, %b;"),
    ROW(SCALAR TYPES3 "{,.sat}" OP2, "b32:b32,b32,b32", "@@ %d, %a, %b, %c;"),
    ROW(SCALAR TYPES3 "{,.sat} a{.b0,.b1,.b2,.b3,.h0,.h1} b.b2", "b32:b32,b32", "@@ %d, %a$6, %b.b2;"),
    ROW(SCALAR TYPES3 "{,.sat} a.h1 b{.b0,.b1,.b3,.h0,.h1}", "b32:b32,b32", "@@ %d, %a.h1, %b$6;"),
    ROW(SCALAR TYPES3 "{,.sat} d" MERGE " a{,.b1,.h0}", "b32:b32,b32,b32", "@@ %d$6, %a$7, %b, %c;"),
    ROW(SCALAR TYPES3 ".sat" OP2 " a.b3 b.h0", "b32:b32,b32,b32", "@@ %d, %a.b3, %b.h0, %c;"),
    ROW("{vshl,vshr}.{u32,s32}.{u32,s32}.u32{,.sat}{.clamp,.wrap}", "b32:b32,shift", "@@ %d, %a, %b;"),
    ROW("{vshl,vshr}.{u32,s32}.{u32,s32}.u32{,.sat}{.clamp,.wrap}" OP2, "b32:b32,shift,b32",
        "@@ %d, %a, %b, %c;"),
    ROW("{vshl,vshr}.{u32,s32}.{u32,s32}.u32{,.sat}{.clamp,.wrap} d" MERGE " a.h1 b.b0", "b32:b32,shift,b32",
        "@@ %d$6, %a.h1, %b.b0, %c;"),
    ROW("vmad.{u32,s32}.{u32,s32}.{u32,s32}{,.sat}{,.shr7,.shr15}", "b32:b32,b32,b32", "@@ %d, %a, %b, %c;"),
    ROW("vmad.{u32,s32}.{u32,s32}.{u32,s32}{,.sat}{,.shr7,.shr15} a{.b1,.h0} b{.b3,.h1}", "b32:b32,b32,b32",
        "@@ %d, %a$6, %b$7, %c;"),
    ROW("vmad.{u32,s32}.{u32,s32}.{u32,s32}.po{,.sat}{,.shr7,.shr15} a.b1 b.h0", "b32:b32,b32,b32",
        "@@ %d, %a.b1, %b.h0, %c;"),
    ROW("vmad.s32.{u32,s32}.{u32,s32}{,.sat}{,.shr7,.shr15} -a", "b32:b32,b32,b32", "@@ %d, -%a, %b, %c;"),
    ROW("vmad.s32.{u32,s32}.{u32,s32}{,.sat}{,.shr7,.shr15} -b", "b32:b32,b32,b32", "@@ %d, %a, -%b, %c;"),
    ROW("vmad.s32.{u32,s32}.{u32,s32}{,.sat}{,.shr7,.shr15} -c", "b32:b32,b32,b32", "@@ %d, %a, %b, -%c;"),
    ROW("vset" TYPES2 CMP, "b32:b32,b32", "@@ %d, %a, %b;"),
    ROW("vset" TYPES2 CMP OP2, "b32:b32,b32,b32", "@@ %d, %a, %b, %c;"),
    ROW("vset" TYPES2 CMP " a{.b0,.h1} b{.b3,.h0}", "b32:b32,b32", "@@ %d, %a$4, %b$5;"),
    ROW("vset" TYPES2 CMP " d" MERGE, "b32:b32,b32,b32", "@@ %d$4, %a, %b, %c;"),
};

#define SIMD2 "{vadd2,vsub2,vavrg2,vabsdiff2,vmin2,vmax2}"
#define SIMD4 "{vadd4,vsub4,vavrg4,vabsdiff4,vmin4,vmax4}"

static const struct row SIMD_ROWS[] = {
    SIMD("video2", SIMD2 TYPES3 "{,.sat,.add}", "@@ %d, %a, %b, %c;"),
    SIMD("video2", SIMD2 TYPES3 "{,.sat,.add} d{.h0,.h1}", "@@ %d$6, %a, %b, %c;"),
    SIMD("video2", SIMD2 TYPES3 " a{.h01,.h00,.h13,.h32} b{.h10,.h22,.h31}", "@@ %d, %a$5, %b$6, %c;"),
    SIMD("video2", "vset2" TYPES2 CMP "{,.add}", "@@ %d, %a, %b, %c;"),
    SIMD("video2", "vset2" TYPES2 CMP "{,.add} d{.h0,.h1} a.h13 b.h02", "@@ %d$5, %a.h13, %b.h02, %c;"),
    SIMD("video4", SIMD4 TYPES3 "{,.sat,.add}", "@@ %d, %a, %b, %c;"),
    SIMD("video4", SIMD4 TYPES3 "{,.sat,.add} d{.b0,.b1,.b10,.b2,.b21,.b3,.b30,.b310,.b321}",
         "@@ %d$6, %a, %b, %c;"),
    SIMD("video4", SIMD4 TYPES3 " a{.b0123,.b7531} b{.b4567,.b0000,.b6420}", "@@ %d, %a$5, %b$6, %c;"),
    SIMD("video4", "vset4" TYPES2 CMP "{,.add}", "@@ %d, %a, %b, %c;"),
    SIMD("video4", "vset4" TYPES2 CMP "{,.add} d{.b0,.b31,.b210} a.b7321 b.b5604",
         "@@ %d$5, %a.b7321, %b.b5604, %c;"),
};

void rows_video(struct variants *all) {
  variants_add_rows(all, SCALAR_ROWS, sizeof SCALAR_ROWS / sizeof SCALAR_ROWS[0]);
  variants_add_rows(all, SIMD_ROWS, sizeof SIMD_ROWS / sizeof SIMD_ROWS[0]);
}
