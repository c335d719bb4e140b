/* Variants of loads, stores, address conversion, prefetch, moves, asynchronous copies and mbarriers.
 *
 * A load variant reads the lane's slots, copied first into the state space under test; a store variant writes
 * into memory of a known pattern and reads sixteen bytes of it back, so that bytes beside the target are
 * seen. */
#include "variants.h"

#define SCALARS "{b8,u8,s8,b16,u16,s16,b32,u32,s32,b64,u64,s64,f32,f64}"
#define NARROW  "{u8,s8,u16,s16,u32,s32}"
#define VEC2    ".v2.{b8,u8,s8,b16,u16,s16,b32,u32,s32,b64,u64,s64,f32,f64}"
#define VEC4    ".v4.{b8,u8,s8,b16,u16,s16,b32,u32,s32,f32}"
#define LD_COP  "{,.ca,.cg,.cs,.lu,.cv}"
#define ST_COP  "{,.wb,.cg,.cs,.wt}"
#define SCOPE   "{.cta,.cluster,.gpu,.sys}"
#define ROW(f, o, s, b)                                                                                      \
  { .family = f, .op = o, .signature = s, .body = b, .lanes = 256 }
#define V2 "{%d0, %d1}"
#define V4 "{%d0, %d1, %d2, %d3}"
#define A2 "{%a0, %a1}"
#define A4 "{%a0, %a1, %a2, %a3}"

/* Copies the lane's sixteen bytes into shared or local memory. */
#define TO_SHARED "ld.global.v2.b64 {%l0, %l1}, [%pa]; st.shared.v2.b64 [%ps], {%l0, %l1}; "
#define TO_LOCAL  "ld.global.v2.b64 {%l0, %l1}, [%pa]; mov.u64 %l2, lm; st.local.v2.b64 [%l2], {%l0, %l1}; "

static const struct row LOADS[] = {
    ROW("ld.global", "ld.global" LD_COP "." SCALARS, "$2:&raw64*2", "@@ %d, [%pa];"),
    ROW("ld.global", "ld.global." NARROW " into 64 bits", "b64:&raw64*2", "@@ %d, [%pa];"),
    ROW("ld.global", "ld.global.{u8,s8} into 16 bits", "b16:&raw64*2", "@@ %d, [%pa];"),
    ROW("ld.global", "ld.global" LD_COP VEC2, "$2*2:&raw64*2", "@@ " V2 ", [%pa];"),
    ROW("ld.global", "ld.global" LD_COP VEC4, "$2*4:&raw64*2", "@@ " V4 ", [%pa];"),
    ROW("ld.global", "ld.global.b128", "b64,b64:&raw64*2",
        ".reg .b128 %q; @@ %q, [%pa]; mov.b128 {%d, %e}, %q;"),
    ROW("ld.global", "ld.global.u32 offset{0,4,8,12}", "u32:&raw64*2", "@@ %d, [%pa+$1];"),
    ROW("ld.global", "ld.global.u32 negative offset", "u32:&raw64*2",
        "add.s64 %l0, %pa, 16; @@ %d, [%l0+-12];"),
    ROW("ld.global", "ld.global.nc{,.ca,.cg}." SCALARS, "$2:&raw64*2", "@@ %d, [%pa];"),
    ROW("ld.global", "ld.global.nc" VEC2, "$1*2:&raw64*2", "@@ " V2 ", [%pa];"),
    ROW("ld.global", "ld.global.nc" VEC4, "$1*4:&raw64*2", "@@ " V4 ", [%pa];"),
    ROW("ld.global",
        "ld.global{.L1::evict_normal,.L1::evict_unchanged,.L1::evict_first,.L1::evict_last,"
        ".L1::no_allocate}{,.L2::64B,.L2::128B,.L2::256B}.u32",
        "u32:&raw64*2", "@@ %d, [%pa];"),
    ROW("ld.global", "ld.global.nc{.L1::no_allocate,.L1::evict_last}{,.L2::64B,.L2::128B,.L2::256B}.v4.u32",
        "u32*4:&raw64*2", "@@ " V4 ", [%pa];"),
    ROW("ld.global", "ld.global.L2::cache_hint.u32", "u32:&raw64*2",
        "createpolicy.fractional.L2::evict_first.b64 %l0, 1.0; @@ %d, [%pa], %l0;"),
    ROW("ld.global", "ldu.global." SCALARS, "$1:&raw64*2", "@@ %d, [%pa];"),
    ROW("ld.global", "ldu.global" VEC2, "$1*2:&raw64*2", "@@ " V2 ", [%pa];"),
    ROW("ld.global", "ldu.global.v4.{b32,u32,f32}", "$1*4:&raw64*2", "@@ " V4 ", [%pa];"),
    ROW("ld.order", "ld.{weak,volatile}{,.global}." SCALARS, "$3:&raw64*2", "@@ %d, [%pa];"),
    ROW("ld.order", "ld.volatile{,.global}" VEC2, "$2*2:&raw64*2", "@@ " V2 ", [%pa];"),
    ROW("ld.order", "ld.volatile{,.global}" VEC4, "$2*4:&raw64*2", "@@ " V4 ", [%pa];"),
    ROW("ld.order", "ld.{relaxed,acquire}" SCOPE "{,.global}." SCALARS, "$4:&raw64*2", "@@ %d, [%pa];"),
    ROW("ld.order", "ld.{relaxed,acquire}" SCOPE "{,.global}.v2.{b32,u32,b64,u64,f32}", "$4*2:&raw64*2",
        "@@ " V2 ", [%pa];"),
    ROW("ld.order", "ld.{relaxed,acquire}.gpu{,.global}.v4.{b32,u32,f32}", "$3*4:&raw64*2",
        "@@ " V4 ", [%pa];"),
    ROW("ld.order", "ld.mmio.relaxed.sys{,.global}.u32", "u32:&raw64*2", "@@ %d, [%pa];"),
    ROW("ld.generic", "ld{,.ca,.cg,.cs,.cv}." SCALARS, "$2:&raw64*2", "@@ %d, [%pa];"),
    ROW("ld.generic", "ld" VEC2, "$1*2:&raw64*2", "@@ " V2 ", [%pa];"),
    ROW("ld.generic", "ld" VEC4, "$1*4:&raw64*2", "@@ " V4 ", [%pa];"),
    ROW("ld.generic", "ld.{u32,f64,s8} of shared", "$1:&raw64*2",
        TO_SHARED "cvt.u64.u32 %l3, %ps; cvta.shared.u64 %l3, %l3; @@ %d, [%l3];"),
    ROW("ld.generic", "ld.{u32,f64,s8} of local", "$1:&raw64*2",
        TO_LOCAL "cvta.local.u64 %l3, %l2; @@ %d, [%l3];"),
    ROW("ld.shared",
        "ld.{shared,shared::cta,volatile.shared,weak.shared,relaxed.cta.shared,acquire.cta.shared}." SCALARS,
        "$2:&raw64*2", TO_SHARED "@@ %d, [%ps];"),
    ROW("ld.shared", "ld.shared::cluster." SCALARS, "$1:&raw64*2", TO_SHARED "@@ %d, [%ps];"),
    ROW("ld.shared", "ld.shared." NARROW " into 64 bits", "b64:&raw64*2", TO_SHARED "@@ %d, [%ps];"),
    ROW("ld.shared", "ld.shared" VEC2, "$1*2:&raw64*2", TO_SHARED "@@ " V2 ", [%ps];"),
    ROW("ld.shared", "ld.shared" VEC4, "$1*4:&raw64*2", TO_SHARED "@@ " V4 ", [%ps];"),
    ROW("ld.local", "ld.local." SCALARS, "$1:&raw64*2", TO_LOCAL "@@ %d, [%l2];"),
    ROW("ld.local", "ld.local{.ca,.cg,.cs,.lu,.cv}.b32", "b32:&raw64*2", TO_LOCAL "@@ %d, [%l2];"),
    ROW("ld.local", "ld.local" VEC2, "$1*2:&raw64*2", TO_LOCAL "@@ " V2 ", [%l2];"),
    ROW("ld.local", "ld.local" VEC4, "$1*4:&raw64*2", TO_LOCAL "@@ " V4 ", [%l2];"),
    ROW("ld.param", "ld.param." SCALARS " {0,8,16,40}", "$1:", "@@ %d, [p_block+$2];"),
    ROW("ld.param", "ld.param" VEC2, "$1*2:", "@@ " V2 ", [p_block+16];"),
    ROW("ld.param", "ld.param" VEC4, "$1*4:", "@@ " V4 ", [p_block+32];"),
};

#define CONSTANTS                                                                                            \
  ".const .align 16 .b8 table[64] = {1, 130, 3, 255, 5, 6, 127, 128, 9, 10, 0x80, 0x7f, 200, 14, 15, 240, "  \
  "17, 18, 19, "                                                                                             \
  "20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36};\n"                                   \
  ".const .u32 words[4] = {0xdeadbeef, 2, 3};\n.const .f32 reals[3] = {0f3fc00000, 0.1, -2.5};\n"            \
  ".const .f64 wide[2] = {0d3ff8000000000000, 0.1};\n.const .u64 where = generic(table);\n"                  \
  ".global .align 8 .b8 bytes[16] = {1, 2, 3, 4, 5, 6, 7, 8};\n.global .u32 number = 77;\n"                  \
  ".global .s16 shorts[4] = {-1, 2, -3, 4};\n.global .u64 address = number;\n"                               \
  ".global .align 4 .u32 grid[2][3] = {{1, 2, 3}, {4, 5, 6}};\n"
#define CONST(o, s, b)                                                                                       \
  { .family = "ld.const", .op = o, .signature = s, .body = b, .lanes = 128, .prelude = CONSTANTS }

static const struct row CONSTANT[] = {
    CONST("ld.const." SCALARS, "$1:lane",
          "and.b32 %a, %a, 7; shl.b32 %a, %a, 3; cvt.u64.u32 %l0, %a; mov.u64 %l1, table; add.s64 %l0, %l0, "
          "%l1; "
          "@@ %d, [%l0];"),
    CONST("ld.const.v2.{u8,s16,u32,f32,u64,f64}", "$1*2:", "@@ " V2 ", [table+16];"),
    CONST("ld.const.v4.{u8,s16,u32,f32}", "$1*4:", "@@ " V4 ", [table];"),
    CONST("ld.const.{u32,s32} words", "$1:", "@@ %d, [words];"),
    CONST("ld.const.u32 words{4,8,12}", "u32:", "@@ %d, [words+$1];"),
    CONST("ld.const.f32 reals{0,4,8}", "f32:", "@@ %d, [reals+$1];"),
    CONST("ld.const.f64 wide{0,8}", "f64:", "@@ %d, [wide+$1];"),
    CONST("ld.u8 through a constant address", "u8:", "ld.const.u64 %l0, [where]; @@ %d, [%l0+3];"),
    CONST("ld.global.u32 initialised{0,4,8,12,16,20}", "u32:", "@@ %d, [grid+$1];"),
    CONST("ld.global.s16 initialised{0,2,4,6}", "s16:", "@@ %d, [shorts+$1];"),
    CONST("ld.global.b64 initialised{0,8}", "b64:", "@@ %d, [bytes+$1];"),
    CONST("ld.global.u32 through an address", "u32:", "ld.global.u64 %l0, [address]; @@ %d, [%l0];"),
};

/* Sixteen bytes of the scratch memory after the store. */
#define SEE     " ld.global.v2.b64 {%d, %e}, [%pm];"
#define CLEAR_S "mov.b64 %l0, 0x1122334455667788; st.shared.v2.b64 [%ps], {%l0, %l0}; "
#define SEE_S   " ld.shared.v2.b64 {%d, %e}, [%ps];"
#define CLEAR_L "mov.b64 %l0, 0x1122334455667788; mov.u64 %l2, lm; st.local.v2.b64 [%l2], {%l0, %l0}; "
#define SEE_L   " ld.local.v2.b64 {%d, %e}, [%l2];"

static const struct row STORES[] = {
    ROW("st.global", "st.global" ST_COP "." SCALARS, "b64,b64:$2", "@@ [%pm], %a;" SEE),
    ROW("st.global", "st.global.{u8,s8,u16,s16,u32,s32} from 64 bits", "b64,b64:raw64", "@@ [%pm], %a;" SEE),
    ROW("st.global", "st.global" ST_COP VEC2, "b64,b64:$2*2", "@@ [%pm], " A2 ";" SEE),
    ROW("st.global", "st.global" ST_COP VEC4, "b64,b64:$2*4", "@@ [%pm], " A4 ";" SEE),
    ROW("st.global", "st.global.u{8,16} offset", "b64,b64:u16", "@@ [%pm+6], %a;" SEE),
    ROW("st.global", "st.global.b128", "b64,b64:raw64,raw64",
        ".reg .b128 %q; mov.b128 %q, {%a, %b}; @@ [%pm], %q;" SEE),
    ROW("st.global", "st.global{.L1::evict_normal,.L1::evict_first,.L1::evict_last,.L1::no_allocate}.u32",
        "b64,b64:u32", "@@ [%pm], %a;" SEE),
    ROW("st.order", "st.{weak,volatile}{,.global}." SCALARS, "b64,b64:$3", "@@ [%pm], %a;" SEE),
    ROW("st.order", "st.{relaxed,release}" SCOPE "{,.global}." SCALARS, "b64,b64:$4", "@@ [%pm], %a;" SEE),
    ROW("st.order", "st.{relaxed,release}" SCOPE "{,.global}.v2.{b32,u32,b64,u64,f32}", "b64,b64:$4*2",
        "@@ [%pm], " A2 ";" SEE),
    ROW("st.generic", "st{,.wb,.cg,.cs,.wt}." SCALARS, "b64,b64:$2", "@@ [%pm], %a;" SEE),
    ROW("st.generic", "st" VEC2, "b64,b64:$1*2", "@@ [%pm], " A2 ";" SEE),
    ROW("st.generic", "st" VEC4, "b64,b64:$1*4", "@@ [%pm], " A4 ";" SEE),
    ROW("st.generic", "st.{u32,f64,s8} to shared", "b64,b64:$1",
        CLEAR_S "cvt.u64.u32 %l3, %ps; cvta.shared.u64 %l3, %l3; @@ [%l3], %a;" SEE_S),
    ROW("st.generic", "st.{u32,f64,s8} to local", "b64,b64:$1",
        CLEAR_L "cvta.local.u64 %l3, %l2; @@ [%l3], %a;" SEE_L),
    ROW("st.shared",
        "st.{shared,shared::cta,shared::cluster,volatile.shared,weak.shared,relaxed.cta.shared,"
        "release.cta.shared}." SCALARS,
        "b64,b64:$2", CLEAR_S "@@ [%ps], %a;" SEE_S),
    ROW("st.shared", "st.shared" VEC2, "b64,b64:$1*2", CLEAR_S "@@ [%ps], " A2 ";" SEE_S),
    ROW("st.shared", "st.shared" VEC4, "b64,b64:$1*4", CLEAR_S "@@ [%ps], " A4 ";" SEE_S),
    ROW("st.local", "st.local." SCALARS, "b64,b64:$1", CLEAR_L "@@ [%l2], %a;" SEE_L),
    ROW("st.local", "st.local" VEC2, "b64,b64:$1*2", CLEAR_L "@@ [%l2], " A2 ";" SEE_L),
    ROW("st.local", "st.local" VEC4, "b64,b64:$1*4", CLEAR_L "@@ [%l2], " A4 ";" SEE_L),
};

#define SPACES "{.global,.shared,.shared::cta,.shared::cluster,.local,.const,.param}"

static const struct row ADDRESSES[] = {
    ROW("address", "isspacep" SPACES " of global", "pred:", "@@ %d, %pm;"),
    ROW("address", "isspacep" SPACES " of shared",
        "pred:", "cvt.u64.u32 %l0, %ps; cvta.shared.u64 %l0, %l0; @@ %d, %l0;"),
    ROW("address", "isspacep" SPACES " of local",
        "pred:", "mov.u64 %l0, lm; st.local.u32 [%l0], %i; cvta.local.u64 %l0, %l0; @@ %d, %l0;"),
    ROW("address", "cvta{,.to}.global.u64", "u64:", "@@ %l0, %pm; sub.s64 %d, %l0, %pm;"),
    ROW("address", "cvta.to.shared.u64",
        "u64:", "cvt.u64.u32 %l0, %ps; cvta.shared.u64 %l1, %l0; @@ %l1, %l1; sub.s64 %d, %l1, %l0;"),
    ROW("address", "cvta.to.local.u64", "u64:",
        "mov.u64 %l0, lm; st.local.u32 [%l0], %i; cvta.local.u64 %l1, %l0; @@ %l1, %l1; sub.s64 %d, %l1, "
        "%l0;"),
    ROW("address", "cvta.param.u64", "u32:", "mov.b64 %l0, p_block; @@ %l1, %l0; ld.u32 %d, [%l1+4];"),
    ROW("prefetch", "prefetch{,.global}.{L1,L2}", "u32:&raw64*2", "@@ [%pa]; ld.global.u32 %d, [%pa];"),
    ROW("prefetch", "prefetch.global.L2::evict_{last,normal}", "u32:&raw64*2",
        "@@ [%pa]; ld.global.u32 %d, [%pa];"),
    ROW("prefetch", "prefetchu.L1", "u32:&raw64*2", "@@ [%pa]; ld.global.u32 %d, [%pa];"),
    ROW("prefetch", "applypriority.global.L2::evict_normal",
        "u32:", "and.b64 %l0, %pm, -128; @@ [%l0], 128; ld.global.u32 %d, [%pm];"),
    ROW("mov", "mov.{b16,u16,s16,b32,u32,s32,b64,u64,s64,f32,f64,pred}", "$1:$1", "@@ %d, %a;"),
    ROW("mov", "mov.b32 pack 2", "b32:b16,b16", "@@ %d, {%a, %b};"),
    ROW("mov", "mov.b32 unpack 2", "b16,b16:b32", "@@ {%d, %e}, %a;"),
    ROW("mov", "mov.b64 pack 2", "b64:b32,b32", "@@ %d, {%a, %b};"),
    ROW("mov", "mov.b64 unpack 2", "b32,b32:b64", "@@ {%d, %e}, %a;"),
    ROW("mov", "mov.b64 pack 4", "b64:b16,b16,b16,b16", "@@ %d, {%a, %b, %c, %h};"),
    ROW("mov", "mov.b64 unpack 4", "b16,b16,b16,b16:b64", "@@ {%d, %e, %f, %g}, %a;"),
    ROW("mov", "mov.b64 unpack high", "b32:b64", "@@ {_, %d}, %a;"),
    ROW("mov", "mov.b64 unpack low", "b32:b64", "@@ {%d, _}, %a;"),
    ROW("mov", "mov.b16 pack 2", "b16:b32,b32",
        ".reg .b8 %k0, %k1; cvt.u8.u32 %k0, %a; cvt.u8.u32 %k1, %b; @@ %d, {%k0, %k1};"),
    ROW("mov", "mov.b32 pack 4", "b32:b32,b32,b32,b32",
        ".reg .b8 %k<4>; cvt.u8.u32 %k0, %a; cvt.u8.u32 %k1, %b; cvt.u8.u32 %k2, %c; cvt.u8.u32 %k3, %h; "
        "@@ %d, {%k0, %k1, %k2, %k3};"),
    ROW("mov", "mov.b128 pack 2", "b64,b64:b64,b64",
        ".reg .b128 %q; @@ %q, {%a, %b}; mov.b128 {%e, %d}, %q;"),
    ROW("mov", "mov.{u32,s32,b32} immediate", "$1:", "@@ %d, -2;"),
    ROW("mov", "mov.f32 immediate {0f3fc00000,1.5,-0.1,1e-40,0f7fc12345}", "f32:", "@@ %d, $1;"),
    ROW("mov", "mov.f64 immediate {0d3ff8000000000000,1.5,-0.1,0d8000000000000001}", "f64:", "@@ %d, $1;"),
    ROW("mov", "mov.u64 immediate {0xffffffffffffffff,0777,0b1011,(1<<40)-3,!0,~5,7/2*3,(3>2)?9:8}",
        "u64:", "@@ %d, $1;"),
};

/* An mbarrier for the 128 threads; `.noinc` makes each asynchronous arrival count as one of 256. */
#define MB_START(count)                                                                                      \
  "mov.u32 %r0, sm; setp.eq.u32 %p1, %th, 0; @%p1 mbarrier.init.shared.b64 [%r0], " count "; bar.sync 0; "
#define MB_COPY(count)                                                                                       \
  MB_START(count)                                                                                            \
  "add.u32 %r3, %ps, 16; cp.async.ca.shared.global [%r3], [%pa], 16; @@ [%r0]; "                             \
  "mbarrier.arrive.shared.b64 %l0, [%r0]; WAIT: mbarrier.test_wait.parity.shared.b64 %p2, [%r0], 0; "        \
  "@!%p2 bra WAIT; ld.shared.v2.b64 {%d, %e}, [%r3];"
#define COPY_OUT " ld.shared.v2.b64 {%d, %e}, [%ps];"

static const struct row ASYNC[] = {
    ROW("cp.async", "cp.async.ca.shared{,::cta}.global{,.L2::64B,.L2::128B,.L2::256B} {4,8,16}",
        "b64,b64:&raw64*2",
        CLEAR_S "@@ [%ps], [%pa], $3; cp.async.commit_group; cp.async.wait_group 0;" COPY_OUT),
    ROW("cp.async", "cp.async.cg.shared{,::cta}.global{,.L2::64B,.L2::128B,.L2::256B} 16", "b64,b64:&raw64*2",
        CLEAR_S "@@ [%ps], [%pa], 16; cp.async.wait_all;" COPY_OUT),
    ROW("cp.async", "cp.async.ca.shared.global {4,8,16} source {0,1,3,4}", "b64,b64:&raw64*2",
        CLEAR_S "@@ [%ps], [%pa], $1, $2; cp.async.wait_all;" COPY_OUT),
    ROW("cp.async", "cp.async.cg.shared.global 16 source {0,5,8,16}", "b64,b64:&raw64*2",
        CLEAR_S "mov.u32 %r0, $1; @@ [%ps], [%pa], 16, %r0; cp.async.wait_all;" COPY_OUT),
    ROW("cp.async", "cp.async.ca.shared.global {4,8,16} ignored", "b64,b64:&raw64*2,pred",
        CLEAR_S "@@ [%ps], [%pa], $1, %b; cp.async.wait_all;" COPY_OUT),
    ROW("cp.async", "cp.async.wait_group {0,1,2}", "b64,b64:&raw64*2",
        "cp.async.ca.shared.global [%ps], [%pa], 8; cp.async.commit_group; add.u32 %r0, %ps, 8; add.s64 %l0, "
        "%pa, 8; "
        "cp.async.ca.shared.global [%r0], [%l0], 8; cp.async.commit_group; @@ $1; cp.async.wait_group "
        "0;" COPY_OUT),
    ROW("cp.async", "cp.async.mbarrier.arrive.shared{,::cta}.b64", "b64,b64:&raw64*2", MB_COPY("128")),
    ROW("cp.async", "cp.async.mbarrier.arrive.noinc.shared{,::cta}.b64", "b64,b64:&raw64*2", MB_COPY("256")),
};

/* Each lane leaves its value in shared memory, arrives, waits, and reads another lane's value. */
#define MB_INIT MB_START("128") "add.u32 %r3, %ps, 16; st.shared.b32 [%r3], %a; "
#define MB_SEE                                                                                               \
  " xor.b32 %r1, %th, 85; mov.u32 %r2, sm; mad.lo.u32 %r1, %r1, 64, %r2; ld.shared.b32 %d, [%r1+16];"

static const struct row MBARRIER[] = {
    ROW("mbarrier", "mbarrier.init.shared{,::cta}.b64", "u32:",
        "mov.u32 %r0, sm; setp.eq.u32 %p1, %th, 0; @%p1 @@ [%r0], 128; bar.sync 0; "
        "mbarrier.arrive.shared.b64 %l0, [%r0]; bar.sync 0; mbarrier.test_wait.shared.b64 %p2, [%r0], %l0; "
        "selp.u32 %d, 1, 0, %p2;"),
    ROW("mbarrier", "mbarrier.arrive{,.release.cta}.shared{,::cta}.b64", "b32:b32",
        MB_INIT "@@ %l0, [%r0]; "
                "WAIT: mbarrier.test_wait.shared.b64 %p2, [%r0], %l0; @!%p2 bra WAIT;" MB_SEE),
    ROW("mbarrier", "mbarrier.{test_wait,try_wait}{,.acquire.cta}.shared{,::cta}.b64", "b32:b32",
        MB_INIT "mbarrier.arrive.shared.b64 %l0, [%r0]; WAIT: @@ %p2, [%r0], %l0; @!%p2 bra WAIT;" MB_SEE),
    ROW("mbarrier", "mbarrier.{test_wait,try_wait}.parity{,.acquire.cta}.shared{,::cta}.b64", "b32:b32",
        MB_INIT "mbarrier.arrive.shared.b64 %l0, [%r0]; WAIT: @@ %p2, [%r0], 0; @!%p2 bra WAIT;" MB_SEE),
    ROW("mbarrier", "mbarrier.arrive.shared.b64 count", "b32:b32",
        MB_START("384") "add.u32 %r3, %ps, 16; st.shared.b32 [%r3], %a; @@ %l0, [%r0], 3; "
                        "WAIT: mbarrier.test_wait.shared.b64 %p2, [%r0], %l0; @!%p2 bra WAIT;" MB_SEE),
    ROW("mbarrier", "mbarrier.arrive.noComplete.shared.b64", "b32:b32",
        MB_START("256") "add.u32 %r3, %ps, 16; st.shared.b32 [%r3], %a; @@ %l0, [%r0], 1; bar.sync 0; "
                        "mbarrier.arrive.shared.b64 %l1, [%r0]; WAIT: mbarrier.test_wait.shared.b64 %p2, "
                        "[%r0], %l1; @!%p2 bra WAIT;" MB_SEE),
    ROW("mbarrier", "mbarrier.arrive_drop.shared.b64", "u32:",
        MB_START(
            "128") "setp.lt.u32 %p3, %th, 64; @%p3 @@ %l0, [%r0]; @!%p3 mbarrier.arrive.shared.b64 %l0, "
                   "[%r0]; bar.sync 0; "
                   "mbarrier.test_wait.parity.shared.b64 %p2, [%r0], 0; selp.u32 %d, 1, 0, %p2; bar.sync 0; "
                   "@!%p3 mbarrier.arrive.shared.b64 %l0, [%r0]; bar.sync 0; "
                   "mbarrier.test_wait.parity.shared.b64 %p2, [%r0], 1; "
                   "selp.u32 %r5, 2, 0, %p2; or.b32 %d, %d, %r5;"),
    ROW("mbarrier", "mbarrier.pending_count.b64", "u32:",
        MB_START("5") "mov.u32 %d, 0; "
                      "@%p1 mbarrier.arrive.shared.b64 %l0, [%r0]; @%p1 @@ %d, %l0; bar.sync 0;"),
    ROW("mbarrier", "mbarrier.expect_tx.relaxed.cta.shared::cta.b64", "u32:",
        "mov.u32 %r0, sm; mov.u32 %d, 0; setp.ne.u32 %p1, %th, 0; @%p1 bra END; mbarrier.init.shared.b64 "
        "[%r0], 1; "
        "@@ [%r0], 16; mbarrier.arrive.shared.b64 %l0, [%r0]; mbarrier.test_wait.shared.b64 %p2, [%r0], %l0; "
        "selp.u32 %d, 1, 0, %p2; mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r0], 16; "
        "mbarrier.test_wait.shared.b64 %p2, [%r0], %l0; selp.u32 %r5, 2, 0, %p2; or.b32 %d, %d, %r5; END: "
        "bar.sync 0;"),
    ROW("mbarrier", "mbarrier.arrive.expect_tx.shared::cta.b64", "u32:",
        "mov.u32 %r0, sm; mov.u32 %d, 0; setp.ne.u32 %p1, %th, 0; @%p1 bra END; mbarrier.init.shared.b64 "
        "[%r0], 1; "
        "@@ %l0, [%r0], 32; mbarrier.test_wait.shared.b64 %p2, [%r0], %l0; "
        "selp.u32 %d, 1, 0, %p2; mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r0], 32; "
        "mbarrier.test_wait.shared.b64 %p2, [%r0], %l0; selp.u32 %r5, 2, 0, %p2; or.b32 %d, %d, %r5; END: "
        "bar.sync 0;"),
    ROW("mbarrier", "mbarrier.inval.shared{,::cta}.b64", "u32:",
        "mov.u32 %r0, sm; setp.eq.u32 %p1, %th, 0; @%p1 mbarrier.init.shared.b64 [%r0], 1; "
        "@%p1 @@ [%r0]; bar.sync 0; st.shared.u32 [%ps], %i; ld.shared.u32 %d, [%ps];"),
};

void rows_memory(struct variants *all) {
  variants_add_rows(all, LOADS, sizeof LOADS / sizeof LOADS[0]);
  variants_add_rows(all, CONSTANT, sizeof CONSTANT / sizeof CONSTANT[0]);
  variants_add_rows(all, STORES, sizeof STORES / sizeof STORES[0]);
  variants_add_rows(all, ADDRESSES, sizeof ADDRESSES / sizeof ADDRESSES[0]);
  variants_add_rows(all, ASYNC, sizeof ASYNC / sizeof ASYNC[0]);
  variants_add_rows(all, MBARRIER, sizeof MBARRIER / sizeof MBARRIER[0]);
}
