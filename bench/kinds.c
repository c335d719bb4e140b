/* What one warp instruction of each kind costs without timing: nanoseconds on one core.
 *
 * Every kind is a kernel of its own, a loop whose body is the instruction many times over. Addresses are those of neighbours in a row
 * unless the kind says otherwise; numbers are ordinary ones (no NaN, no infinity), since those are what programs compute with. The turn of
 * the loop is counted with it: three instructions in COPIES. Not part of the history. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GRID = 8, BLOCK = 128, COPIES = 24, TURNS = 400, REPEAT = 3, WORDS = 1 << 16, MOST_BYTES = 1 << 16 };

struct kind {
  const char *name, *text; /* one instruction */
};

/* %r, %f, %d, %q, %h: registers of 32 bits, f32, f64, 64 bits and 16 bits; %q0 is the thread's own word of global memory, %q1 that of its
 * warp's first thread, %q2 one far from its neighbours'; %r0 its word of shared memory, %r1 the CTA's first, %q3 of local memory. */
static const struct kind KINDS[] = {
    {"add.s32", "add.s32 %r2, %r2, %r3;"},
    {"mad.lo.s32", "mad.lo.s32 %r2, %r2, %r3, %r4;"},
    {"mul.wide.s32", "mul.wide.s32 %q4, %r3, %r4;"},
    {"mul.hi.u32", "mul.hi.u32 %r2, %r3, %r4;"},
    {"div.u32", "div.u32 %r2, %r3, %r4;"},
    {"rem.s32", "rem.s32 %r2, %r3, %r4;"},
    {"div.s64", "div.s64 %q4, %q5, %q6;"},
    {"rem.u64", "rem.u64 %q4, %q5, %q6;"},
    {"mul.lo.s64", "mul.lo.s64 %q4, %q5, %q6;"},
    {"mul.hi.u64", "mul.hi.u64 %q4, %q5, %q6;"},
    {"shl.b32", "shl.b32 %r2, %r3, %r4;"},
    {"shf.l.wrap", "shf.l.wrap.b32 %r2, %r3, %r4, %r5;"},
    {"shr.u64", "shr.u64 %q4, %q5, %r4;"},
    {"lop3", "lop3.b32 %r2, %r3, %r4, %r5, 0x96;"},
    {"bfe.u32", "bfe.u32 %r2, %r3, 5, 7;"},
    {"bfi.b32", "bfi.b32 %r2, %r3, %r4, 5, 7;"},
    {"popc.b32", "popc.b32 %r2, %r3;"},
    {"popc.b64", "popc.b64 %r2, %q5;"},
    {"clz.b32", "clz.b32 %r2, %r3;"},
    {"brev.b32", "brev.b32 %r2, %r3;"},
    {"bfind.u32", "bfind.u32 %r2, %r3;"},
    {"prmt", "prmt.b32 %r2, %r3, %r4, %r5;"},
    {"dp4a", "dp4a.s32.s32 %r2, %r3, %r4, %r5;"},
    {"add.cc", "add.cc.u32 %r2, %r3, %r4;"},
    {"addc.cc", "addc.cc.u32 %r2, %r3, %r4;"},
    {"mad.lo.cc.u32", "mad.lo.cc.u32 %r2, %r3, %r4, %r5;"},
    {"madc.hi.u32", "madc.hi.u32 %r2, %r3, %r4, %r5;"},
    {"min.s16", "min.s16 %h2, %h3, %h4;"},
    {"mul.lo.s16", "mul.lo.s16 %h2, %h3, %h4;"},
    {"vadd4", "vadd4.u32.u32.u32 %r2, %r3, %r4, %r5;"},
    {"add.f32", "add.f32 %f2, %f2, %f3;"},
    {"fma.f32", "fma.rn.f32 %f2, %f3, %f4, %f5;"},
    {"fma.ftz.f32", "fma.rn.ftz.f32 %f2, %f3, %f4, %f5;"},
    {"fma.rz.f32", "fma.rz.f32 %f2, %f3, %f4, %f5;"},
    {"min.f32", "min.f32 %f2, %f3, %f4;"},
    {"div.rn.f32", "div.rn.f32 %f2, %f3, %f4;"},
    {"div.full.f32", "div.full.f32 %f2, %f3, %f4;"},
    {"rcp.rn.f32", "rcp.rn.f32 %f2, %f3;"},
    {"rcp.approx", "rcp.approx.ftz.f32 %f2, %f3;"},
    {"sqrt.rn.f32", "sqrt.rn.f32 %f2, %f3;"},
    {"sqrt.approx", "sqrt.approx.f32 %f2, %f3;"},
    {"rsqrt.approx", "rsqrt.approx.f32 %f2, %f3;"},
    {"sin.approx", "sin.approx.f32 %f2, %f3;"},
    {"cos.approx.ftz", "cos.approx.ftz.f32 %f2, %f3;"},
    {"ex2.approx", "ex2.approx.f32 %f2, %f3;"},
    {"ex2.approx.ftz", "ex2.approx.ftz.f32 %f2, %f3;"},
    {"lg2.approx", "lg2.approx.f32 %f2, %f3;"},
    {"tanh.approx", "tanh.approx.f32 %f2, %f3;"},
    {"add.f64", "add.f64 %d2, %d2, %d3;"},
    {"fma.f64", "fma.rn.f64 %d2, %d3, %d4, %d5;"},
    {"div.f64", "div.rn.f64 %d2, %d3, %d4;"},
    {"rcp.f64", "rcp.rn.f64 %d2, %d3;"},
    {"rcp.approx.f64", "rcp.approx.ftz.f64 %d2, %d3;"},
    {"sqrt.f64", "sqrt.rn.f64 %d2, %d3;"},
    {"rsqrt.approx.f64", "rsqrt.approx.f64 %d2, %d3;"},
    {"max.f64", "max.f64 %d2, %d3, %d4;"},
    {"add.f16", "add.f16 %h2, %h5, %h6;"},
    {"fma.f16", "fma.rn.f16 %h2, %h5, %h6, %h5;"},
    {"fma.f16x2", "fma.rn.f16x2 %r2, %r6, %r7, %r6;"},
    {"fma.relu.f16x2", "fma.rn.relu.f16x2 %r2, %r6, %r7, %r6;"},
    {"fma.bf16x2", "fma.rn.bf16x2 %r2, %r6, %r7, %r6;"},
    {"max.f16x2", "max.f16x2 %r2, %r6, %r7;"},
    {"ex2.f16x2", "ex2.approx.f16x2 %r2, %r6;"},
    {"tanh.f16x2", "tanh.approx.f16x2 %r2, %r6;"},
    {"cvt.f32.s32", "cvt.rn.f32.s32 %f2, %r3;"},
    {"cvt.s32.f32", "cvt.rzi.s32.f32 %r2, %f3;"},
    {"cvt.u32.f32", "cvt.rzi.u32.f32 %r2, %f3;"},
    {"cvt.rmi.f32", "cvt.rmi.f32.f32 %f2, %f3;"},
    {"cvt.rni.f64", "cvt.rni.f64.f64 %d2, %d3;"},
    {"cvt.f64.f32", "cvt.f64.f32 %d2, %f3;"},
    {"cvt.f32.f64", "cvt.rn.f32.f64 %f2, %d3;"},
    {"cvt.f64.s32", "cvt.rn.f64.s32 %d2, %r3;"},
    {"cvt.s32.f64", "cvt.rzi.s32.f64 %r2, %d3;"},
    {"cvt.f64.s64", "cvt.rn.f64.s64 %d2, %q5;"},
    {"cvt.f64.u64", "cvt.rn.f64.u64 %d2, %q5;"},
    {"cvt.s64.f64", "cvt.rzi.s64.f64 %q4, %d3;"},
    {"cvt.u64.f32", "cvt.rzi.u64.f32 %q4, %f3;"},
    {"cvt.f32.u64", "cvt.rn.f32.u64 %f2, %q5;"},
    {"cvt.f16.f32", "cvt.rn.f16.f32 %h2, %f3;"},
    {"cvt.f32.f16", "cvt.f32.f16 %f2, %h5;"},
    {"cvt.bf16.f32", "cvt.rn.bf16.f32 %h2, %f3;"},
    {"cvt.bf16x2.f32", "cvt.rn.bf16x2.f32 %r2, %f3, %f4;"},
    {"cvt.f16x2.f32", "cvt.rn.f16x2.f32 %r2, %f3, %f4;"},
    {"cvt.e4m3x2.f32", "cvt.rn.satfinite.e4m3x2.f32 %h2, %f3, %f4;"},
    {"cvt.f16x2.e4m3x2", "cvt.rn.f16x2.e4m3x2 %r2, %h3;"},
    {"cvt.u8.u32", "cvt.u32.u8 %r2, %r3;"},
    {"cvt.s64.s32", "cvt.s64.s32 %q4, %r3;"},
    {"cvt.sat.u8.f32", "cvt.rzi.u8.f32 %h2, %f3;"},
    {"setp.s32", "setp.lt.s32 %p1, %r3, %r4;"},
    {"setp.f32", "setp.lt.f32 %p1, %f3, %f4;"},
    {"setp.and.f32", "setp.lt.and.f32 %p1, %f3, %f4, %p2;"},
    {"setp.f64", "setp.lt.f64 %p1, %d3, %d4;"},
    {"setp.f16", "setp.lt.f16 %p1, %h5, %h6;"},
    {"setp.f16x2", "setp.lt.f16x2 %p1|%p2, %r6, %r7;"},
    {"setp.s16", "setp.lt.s16 %p1, %h3, %h4;"},
    {"setp.s64", "setp.lt.s64 %p1, %q5, %q6;"},
    {"selp.b32", "selp.b32 %r2, %r3, %r4, %p2;"},
    {"selp.f64", "selp.f64 %d2, %d3, %d4, %p2;"},
    {"and.pred", "and.pred %p1, %p2, %p3;"},
    {"guarded add", "@%p2 add.s32 %r2, %r2, %r3;"},
    {"mov.b32", "mov.b32 %r2, %r3;"},
    {"mov.b64 pack", "mov.b64 %q4, {%r3, %r4};"},
    {"mov.b64 unpack", "mov.b64 {%r2, %r8}, %q5;"},
    {"mov.b32 unpack", "mov.b32 {%h2, %h7}, %r3;"},
    {"ld.global.b32", "ld.global.b32 %r2, [%q0];"},
    {"ld.global.b64", "ld.global.b64 %q4, [%q7];"},
    {"ld.global.v4", "ld.global.v4.b32 {%r2, %r8, %r9, %r10}, [%q8];"},
    {"ld.global.v2.f64", "ld.global.v2.f64 {%d2, %d6}, [%q8];"},
    {"ld.global.v4.u8", "ld.global.v4.u8 {%r2, %r8, %r9, %r10}, [%q0];"},
    {"ld.global.u8", "ld.global.u8 %r2, [%q9];"},
    {"ld.global.u16", "ld.global.u16 %h2, [%q10];"},
    {"ld.global one word", "ld.global.b32 %r2, [%q1];"},
    {"ld.global apart", "ld.global.b32 %r2, [%q2];"},
    {"ld.global u8 apart", "ld.global.u8 %r2, [%q2];"},
    {"ld.global u8 to 16", "ld.global.u8 %h2, [%q2];"},
    {"ld.volatile", "ld.volatile.global.b32 %r2, [%q0];"},
    {"st.global.b32", "st.global.b32 [%q0], %r3;"},
    {"st.global.b64", "st.global.b64 [%q7], %q5;"},
    {"st.global.v4", "st.global.v4.b32 [%q8], {%r3, %r4, %r5, %r6};"},
    {"st.global.v4.u8", "st.global.v4.u8 [%q0], {%r3, %r4, %r5, %r6};"},
    {"st.global.u8", "st.global.u8 [%q9], %r3;"},
    {"st.global.u8 of 16", "st.global.u8 [%q9], %h3;"},
    {"st.global.u16", "st.global.u16 [%q10], %h3;"},
    {"st.global apart", "st.global.b32 [%q2], %r3;"},
    {"st.global u8 apart", "st.global.u8 [%q2], %r3;"},
    {"guarded ld.global", "@%p2 ld.global.b32 %r2, [%q0];"},
    {"guarded st.global", "@%p2 st.global.b32 [%q0], %r3;"},
    {"ld.shared.b32", "ld.shared.b32 %r2, [%r0];"},
    {"ld.shared.f64", "ld.shared.f64 %d2, [%r12];"},
    {"ld.shared.v4", "ld.shared.v4.b32 {%r2, %r8, %r9, %r10}, [%r13];"},
    {"ld.shared one word", "ld.shared.b32 %r2, [%r1];"},
    {"st.shared.b32", "st.shared.b32 [%r0], %r3;"},
    {"st.shared.v4", "st.shared.v4.b32 [%r13], {%r3, %r4, %r5, %r6};"},
    {"st.shared.u8", "st.shared.u8 [%r0], %r3;"},
    {"guarded st.shared", "@%p2 st.shared.b32 [%r0], %r3;"},
    {"ld.local.b32", "ld.local.b32 %r2, [%q3];"},
    {"ld.local one each", "ld.local.b32 %r2, [%q11];"},
    {"st.local.b32", "st.local.b32 [%q3], %r3;"},
    {"st.local one each", "st.local.b32 [%q11], %r3;"},
    {"st.local.v4", "st.local.v4.b32 [%q3], {%r3, %r4, %r5, %r6};"},
    {"ld.local.f64", "ld.local.f64 %d2, [%q3];"},
    {"ld generic local", "ld.b32 %r2, [%q12];"},
    {"ld generic shared", "ld.b32 %r2, [%q13];"},
    {"ld.const", "ld.const.b32 %r2, [numbers+16];"},
    {"ld.const apart", "ld.const.b32 %r2, [%q14];"},
    {"ld.param", "ld.param.b64 %q4, [at];"},
    {"atom.global.add", "atom.global.add.u32 %r2, [%q0], %r3;"},
    {"atom.global.add one", "atom.global.add.u32 %r2, [%q1], %r3;"},
    {"red.global.add one", "red.global.add.u32 [%q1], %r3;"},
    {"red.global.f32", "red.global.add.f32 [%q0], %f3;"},
    {"red.global.f32 one", "red.global.add.f32 [%q1], %f3;"},
    {"red.global.f64 one", "red.global.add.f64 [%q1], %d3;"},
    {"atom.global.max one", "atom.global.max.s32 %r2, [%q1], %r3;"},
    {"atom.global.cas", "atom.global.cas.b32 %r2, [%q0], %r3, %r4;"},
    {"atom.global.exch", "atom.global.exch.b32 %r2, [%q0], %r3;"},
    {"atom.shared.add", "atom.shared.add.u32 %r2, [%r0], %r3;"},
    {"red.shared.add one", "red.shared.add.u32 [%r1], %r3;"},
    {"shfl.idx", "shfl.sync.idx.b32 %r2, %r3, %r4, 31, -1;"},
    {"shfl.bfly", "shfl.sync.bfly.b32 %r2, %r3, 4, 31, -1;"},
    {"shfl.down|p", "shfl.sync.down.b32 %r2|%p1, %r3, 4, 31, -1;"},
    {"vote.ballot", "vote.sync.ballot.b32 %r2, %p2, -1;"},
    {"vote.any", "vote.sync.any.pred %p1, %p2, -1;"},
    {"match.any", "match.any.sync.b32 %r2, %r3, -1;"},
    {"redux.add", "redux.sync.add.s32 %r2, %r3, -1;"},
    {"activemask", "activemask.b32 %r2;"},
    {"bar.sync", "bar.sync 0;"},
    {"bar.warp.sync", "bar.warp.sync -1;"},
    {"membar", "membar.gl;"},
    {"bra", "bra.uni L%u; L%u:"},
    {"bra apart", "@%p2 bra L%u; add.s32 %r2, %r2, %r3; L%u:"},
    {"call", "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r3; call (b), twice, (a); ld.param.b32 %r2, [b]; }"},
    {"mma f16 16x8x16",
     "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f2,%f6,%f7,%f8}, {%r6,%r7,%r6,%r7}, {%r6,%r7}, "
     "{%f2,%f6,%f7,%f8};"},
    {"mma f16 to f16", "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r2,%r8}, {%r6,%r7,%r6,%r7}, {%r6,%r7}, {%r2,%r8};"},
    {"mma bf16 16x8x16",
     "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f2,%f6,%f7,%f8}, {%r6,%r7,%r6,%r7}, {%r6,%r7}, "
     "{%f2,%f6,%f7,%f8};"},
    {"mma tf32 16x8x8",
     "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f2,%f6,%f7,%f8}, {%r6,%r7,%r6,%r7}, {%r6,%r7}, "
     "{%f2,%f6,%f7,%f8};"},
    {"mma f64 8x8x4", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d2,%d6}, {%d3}, {%d4}, {%d2,%d6};"},
    {"mma s8 16x8x32",
     "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r2,%r8,%r9,%r10}, {%r3,%r4,%r3,%r4}, {%r3,%r4}, "
     "{%r2,%r8,%r9,%r10};"},
    {"wmma f16 16x16x16",
     "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f2,%f6,%f7,%f8,%f9,%f10,%f11,%f12}, {%r6,%r7,%r6,%r7,%r6,%r7,%r6,%r7}, "
     "{%r6,%r7,%r6,%r7,%r6,%r7,%r6,%r7}, {%f2,%f6,%f7,%f8,%f9,%f10,%f11,%f12};"},
    {"wmma bf16 16x16x16",
     "wmma.mma.sync.aligned.row.col.m16n16k16.f32.bf16.bf16.f32 {%f2,%f6,%f7,%f8,%f9,%f10,%f11,%f12}, {%r6,%r7,%r6,%r7}, "
     "{%r6,%r7,%r6,%r7}, {%f2,%f6,%f7,%f8,%f9,%f10,%f11,%f12};"},
    {"wmma bf16 of wholes",
     "wmma.mma.sync.aligned.row.col.m16n16k16.f32.bf16.bf16.f32 {%f2,%f6,%f7,%f8,%f9,%f10,%f11,%f12}, {%w,%w,%w,%w}, {%w,%w,%w,%w}, "
     "{%f2,%f6,%f7,%f8,%f9,%f10,%f11,%f12};"},
    {"wmma tf32 16x16x8",
     "wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32 {%f2,%f6,%f7,%f8,%f9,%f10,%f11,%f12}, {%r6,%r7,%r6,%r7}, {%r6,%r7,%r6,%r7}, "
     "{%f2,%f6,%f7,%f8,%f9,%f10,%f11,%f12};"},
    {"wmma s8 16x16x16",
     "wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32 {%r2,%r8,%r9,%r10,%r14,%r15,%r16,%r17}, {%r3,%r4}, {%r3,%r4}, "
     "{%r2,%r8,%r9,%r10,%r14,%r15,%r16,%r17};"},
    {"wmma f64 8x8x4", "wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64.rn {%d2,%d6}, {%d3}, {%d4}, {%d2,%d6};"},
    {"wmma.load f16", "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r2,%r8,%r9,%r10,%r14,%r15,%r16,%r17}, [%r1], %r11;"},
    {"wmma.load tf32", "wmma.load.a.sync.aligned.row.m16n16k8.shared.tf32 {%r2,%r8,%r9,%r10}, [%r1], %r11;"},
    {"wmma.load f64", "wmma.load.a.sync.aligned.row.m8n8k4.shared.f64 {%d2}, [%r1], %r11;"},
    {"wmma.store f32",
     "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%r1], {%f2,%f6,%f7,%f8,%f9,%f10,%f11,%f12}, %r11;"},
    {"ldmatrix.x4", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2,%r8,%r9,%r10}, [%r13];"},
    {"ldmatrix.x4.trans", "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r2,%r8,%r9,%r10}, [%r13];"},
    {"cp.async 16", "cp.async.ca.shared.global [%r13], [%q8], 16;"},
};
enum { N_KINDS = sizeof KINDS / sizeof *KINDS };

static const char HEAD[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".const .align 16 .b32 numbers[64] = {1, 2, 3, 4, 5, 6, 7, 8, 9};\n.shared .align 16 .b8 ours[8192];\n"
                           ".func (.reg .b32 %b) twice(.reg .b32 %a) { add.s32 %b, %a, %a; ret; }\n"
                           ".visible .entry kind(.param .u64 at, .param .u32 turns) {\n"
                           "  .local .align 16 .b8 own[256];\n"
                           "  .reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<18>; .reg .f32 %f<13>; .reg .b64 %q<16>; .reg .f64 %d<8>;\n"
                           "  .reg .b32 %n, %t, %x, %w, %lane; .reg .pred %more; .reg .b64 %base;\n";
/* Every address is one of its own, and stays inside what there is. */
static const char BEGIN[] =
    "  ld.param.u64 %base, [at]; ld.param.u32 %n, [turns]; mov.u32 %t, %tid.x; mov.u32 %lane, %laneid;\n"
    "  mad.wide.u32 %q0, %t, 4, %base; sub.u32 %x, %t, %lane; mad.wide.u32 %q1, %x, 4, %base; mad.wide.u32 %q2, %t, 1028, %base;\n"
    "  mad.wide.u32 %q7, %t, 8, %base; mad.wide.u32 %q8, %t, 16, %base; mad.wide.u32 %q9, %t, 1, %base; mad.wide.u32 %q10, %t, 2, %base;\n"
    "  mov.u64 %q3, own; and.b32 %x, %lane, 7; mad.wide.u32 %q11, %x, 4, %q3; cvta.local.u64 %q12, %q3;\n"
    "  mov.u32 %r1, ours; mad.lo.u32 %r0, %t, 4, %r1; mad.lo.u32 %r12, %t, 8, %r1; mad.lo.u32 %r13, %t, 16, %r1;\n"
    "  cvt.u64.u32 %q13, %r0; cvta.shared.u64 %q13, %q13; mov.u64 %q14, numbers; mad.wide.u32 %q14, %x, 4, %q14;\n"
    "  mad.lo.u32 %r3, %t, 2654435, 12345; add.u32 %r4, %lane, 3; mov.u32 %r5, 77777; mov.u32 %r11, 16; mov.u32 %r2, 1;\n"
    "  mad.lo.u32 %r6, %t, 65537, 0x3c003c00; mov.u32 %r7, 0x38003a00; mov.u32 %r8, 0; mov.u32 %r9, 0; mov.u32 %r10, 0;\n"
    "  mov.u32 %w, 0x3f804000; mov.u32 %r14, 0; mov.u32 %r15, 0; mov.u32 %r16, 0; mov.u32 %r17, 0;\n"
    "  cvt.u16.u32 %h3, %r3; cvt.u16.u32 %h4, %r4; cvt.u16.u32 %h5, %r6; cvt.u16.u32 %h6, %r7; mov.u16 %h2, 1; mov.u16 %h7, 1;\n"
    "  cvt.rn.f32.u32 %f3, %r4; mul.f32 %f3, %f3, 0f3DCCCCCD; mov.f32 %f4, 0f3F8CCCCD; mov.f32 %f5, 0f3F000000; mov.f32 %f2, 0f3F800000;\n"
    "  mov.f32 %f6, %f2; mov.f32 %f7, %f2; mov.f32 %f8, %f2; mov.f32 %f9, %f2; mov.f32 %f10, %f2; mov.f32 %f11, %f2; mov.f32 %f12, %f2;\n"
    "  cvt.f64.f32 %d3, %f3; cvt.f64.f32 %d4, %f4; cvt.f64.f32 %d5, %f5; mov.f64 %d2, %d5; mov.f64 %d6, %d5;\n"
    "  mul.wide.u32 %q5, %r3, 1234567; cvt.u64.u32 %q6, %r4; mov.u64 %q4, 1; and.b32 %x, %t, 1; setp.eq.u32 %p2, %x, 0;\n"
    "  setp.lt.u32 %p3, %lane, 20;\n"
    "TURN:\n";
static const char END[] = "  sub.u32 %n, %n, 1; setp.ne.u32 %more, %n, 0;\n  @%more bra TURN;\n  ret;\n}\n";

static size_t write_text(const struct kind *k, char *text) {
  char *at = text + sprintf(text, "%s%s", HEAD, BEGIN);
  for (unsigned i = 0; i < COPIES; i++) {
    for (const char *c = k->text; *c; c++) { /* %u: a label of the copy's own */
      if (c[0] == '%' && c[1] == 'u') {
        at += sprintf(at, "%u", i);
        c++;
      } else {
        *at++ = *c;
      }
    }
    *at++ = '\n';
  }
  at += sprintf(at, "%s", END);
  return (size_t)(at - text);
}

static void measure(void *user, struct bench_result *out) {
  char *text = malloc(MOST_BYTES);
  size_t bytes = write_text(user, text);
  heddle_options o = HEDDLE_OPTIONS;
  o.functional = 1;
  struct bench_rig rig = {0};
  bench_must(rig.sim, heddle_open(&o, &rig.sim));
  bench_must(rig.sim, heddle_load(rig.sim, ((const struct kind *)user)->name, text, bytes, &rig.module));
  heddle_ptr at = bench_zeros(&rig, WORDS);
  uint32_t turns = TURNS;
  heddle_launch_shape shape = {.grid = {GRID}, .block = {BLOCK}};
  for (int i = 0; i < REPEAT; i++) {
    double seconds = bench_launch(&rig, "kind", &shape, (void *[]){&at, &turns});
    if (!i || seconds < out->seconds) out->seconds = seconds;
  }
  out->instructions = (uint64_t)GRID * BLOCK / 32 * TURNS * COPIES;
  bench_close(&rig);
  free(text);
}

void bench_kinds(struct bench_figures *f) {
  (void)f;
  printf("\nWithout timing, nanoseconds a warp instruction\n");
  for (int i = 0; i < N_KINDS; i++) {
    struct kind k = KINDS[i];
    struct bench_result r = bench_run(measure, &k);
    printf("  %-20s %8.1f\n", k.name, 1e9 * r.seconds / (double)r.instructions);
  }
}
