/* Variants of control flow, calls, special registers, fences, stack and heap: what has a determined result.
 */
#include "variants.h"

#define ROW(f, o, s, b)                                                                                      \
  { .family = f, .op = o, .signature = s, .body = b, .lanes = 256 }
#define WITH(f, o, s, b, p)                                                                                  \
  { .family = f, .op = o, .signature = s, .body = b, .lanes = 256, .prelude = p }

static const struct row SPECIAL[] = {
    ROW("sreg", "mov.u32 %{tid,ntid,ctaid,nctaid}.{x,y,z}", "u32:", "mov.u32 %d, %$1.$2;"),
    ROW("sreg", "mov.u16 %{tid,ntid,ctaid,nctaid}.x", "u16:", "mov.u16 %d, %$1.x;"),
    ROW("sreg", "cvt.u64.u32 %tid.x", "u64:", "cvt.u64.u32 %d, %tid.x;"),
    ROW("sreg", "mov.u32 %laneid", "u32:", "mov.u32 %d, %laneid;"),
    ROW("sreg", "mov.u32 %lanemask_{eq,le,lt,ge,gt}", "u32:", "mov.u32 %d, %lanemask_$1;"),
    ROW("sreg", "mov.v4.u32 %tid", "u32*4:", "mov.v4.u32 {%d0, %d1, %d2, %d3}, %tid;"),
    ROW("sreg", "mov.u32 %{clusterid,nclusterid,cluster_ctaid,cluster_nctaid}.{x,y,z}",
        "u32:", "mov.u32 %d, %$1.$2;"),
    ROW("sreg", "mov.u32 %{cluster_ctarank,cluster_nctarank}", "u32:", "mov.u32 %d, %$1;"),
    ROW("sreg", "mov.pred %is_explicit_cluster", "pred:", "mov.pred %d, %is_explicit_cluster;"),
    ROW("sreg", "mov.u32 %{dynamic_smem_size}", "u32:", "mov.u32 %d, %$1;"),
    ROW("sreg", "mov.u64 %current_graph_exec", "u64:", "mov.u64 %d, %current_graph_exec;"),
    ROW("sreg", "mov.u32 %clock moves on", "pred:",
        "mov.u32 %r0, %clock; bar.sync 0; mov.u32 %r1, %clock; sub.u32 %r0, %r1, %r0; setp.ne.u32 %d, %r0, "
        "0;"),
    ROW("sreg", "mov.u64 %clock64 moves on",
        "pred:", "mov.u64 %l0, %clock64; bar.sync 0; mov.u64 %l1, %clock64; setp.gt.u64 %d, %l1, %l0;"),
    ROW("sreg", "mov.u64 %globaltimer never goes back", "pred:",
        "mov.u64 %l0, %globaltimer; bar.sync 0; mov.u64 %l1, %globaltimer; setp.ge.u64 %d, %l1, %l0;"),
    ROW("sreg", "mov.u32 %{warpid,nwarpid,smid,nsmid} in range",
        "pred:", "mov.u32 %r0, %$1; setp.lt.u32 %d, %r0, 1024;"),
};

#define FENCED(code) "st.global.b32 [%pm], %a; " code " ld.global.b32 %d, [%pm];"

static const struct row FENCES[] = {
    ROW("fence", "membar.{cta,gl,sys}", "b32:b32", FENCED("@@;")),
    ROW("fence", "fence{,.sc,.acq_rel}.{cta,cluster,gpu,sys}", "b32:b32", FENCED("@@;")),
    ROW("fence", "fence.{acquire.sync_restrict::shared::cluster,release.sync_restrict::shared::cta}.cluster",
        "b32:b32", FENCED("@@;")),
    ROW("fence", "fence.mbarrier_init.release.cluster", "b32:b32", FENCED("@@;")),
    ROW("fence", "fence.proxy.{alias,async,async.global,async.shared::cta}", "b32:b32", FENCED("@@;")),
    ROW("fence", "nanosleep.u32", "b32:b32", FENCED("@@ 20;")),
    ROW("fence", "pmevent.mask", "b32:b32", FENCED("@@ 0;")),
    ROW("fence", "griddepcontrol.{wait,launch_dependents}", "b32:b32", FENCED("@@;")),
    ROW("fence", "discard.global.L2", "b32:b32", "mov.b32 %d, %a; and.b64 %l0, %pm, -128; @@ [%l0], 128;"),
};

#define FUNCTIONS                                                                                            \
  ".func (.reg .u32 %r) plain(.reg .u32 %n)\n{\n  mad.lo.u32 %r, %n, %n, 3;\n  ret;\n}\n"                    \
  ".func (.param .u32 r) twice(.param .u32 n)\n{\n  .reg .u32 %x;\n  ld.param.u32 %x, [n];\n  add.u32 %x, "  \
  "%x, %x;\n"                                                                                                \
  "  st.param.u32 [r], %x;\n  ret;\n}\n"                                                                     \
  ".func (.param .u32 r) thrice(.param .u32 n)\n{\n  .reg .u32 %x;\n  ld.param.u32 %x, [n];\n  mul.lo.u32 "  \
  "%x, %x, 3;\n"                                                                                             \
  "  st.param.u32 [r], %x;\n  ret;\n}\n"                                                                     \
  ".func (.param .u64 r) fact(.param .u64 n)\n{\n  .reg .u64 %x, %y;\n  .reg .pred %q;\n  ld.param.u64 %x, " \
  "[n];\n"                                                                                                   \
  "  setp.gt.u64 %q, %x, 1;\n  @%q bra MORE;\n  st.param.u64 [r], 1;\n  ret;\nMORE:\n  sub.u64 %y, %x, "     \
  "1;\n  {\n"                                                                                                \
  "  .param .u64 m;\n  .param .u64 s;\n  st.param.u64 [m], %y;\n  call (s), fact, (m);\n  ld.param.u64 %y, " \
  "[s];\n  }\n"                                                                                              \
  "  mul.lo.u64 %y, %y, %x;\n  st.param.u64 [r], %y;\n  ret;\n}\n"                                           \
  ".func (.param .align 8 .b8 r[16]) pair(.param .align 8 .b8 n[16])\n{\n  .reg .b64 %x, %y;\n"              \
  "  ld.param.b64 %x, [n];\n  ld.param.b64 %y, [n+8];\n  st.param.b64 [r], %y;\n  st.param.b64 [r+8], "      \
  "%x;\n  ret;\n}\n"                                                                                         \
  ".global .u64 entries[2] = {twice, thrice};\n"

static const struct row CONTROL[] = {
    ROW("control", "bra loop", "u32:byte",
        "mov.u32 %d, 0; AGAIN: setp.eq.u32 %p0, %a, 0; @%p0 bra DONE; and.b32 %r0, %a, 1; setp.eq.u32 %p1, "
        "%r0, 0; "
        "@%p1 bra HALF; mad.lo.u32 %a, %a, 3, 1; add.u32 %d, %d, 1; setp.eq.u32 %p2, %a, 4; @%p2 bra DONE; "
        "bra AGAIN; "
        "HALF: shr.u32 %a, %a, 1; add.u32 %d, %d, 1; setp.ne.u32 %p3, %a, 1; @%p3 bra AGAIN; DONE:"),
    ROW("control", "bra.uni", "u32:u32", "bra.uni OVER; add.u32 %a, %a, 1; OVER: mov.u32 %d, %a;"),
    ROW("control", "brx.idx", "u32:few",
        "T: .branchtargets L0, L1, L2, L3; brx.idx %a, T; L0: mov.u32 %d, 10; bra.uni E; L1: mov.u32 %d, 21; "
        "bra.uni E; "
        "L2: mov.u32 %d, 32; bra.uni E; L3: mov.u32 %d, 43; E:"),
    ROW("control", "brx.idx.uni", "u32:",
        "T: .branchtargets L0, L1; and.b32 %r0, %cta, 1; brx.idx.uni %r0, T; L0: mov.u32 %d, 10; bra.uni E; "
        "L1: mov.u32 %d, 21; E:"),
    ROW("control", "exit", "u32:few", "setp.eq.u32 %p0, %a, 2; @%p0 exit; add.u32 %d, %a, 1;"),
    ROW("control", "ret", "u32:few", "setp.eq.u32 %p0, %a, 1; @%p0 ret; add.u32 %d, %a, 1;"),
    ROW("control", "exit before a barrier", "u32:few",
        "setp.eq.u32 %p0, %a, 2; @%p0 exit; bar.sync 0; add.u32 %d, %a, 1;"),
    ROW("control", "guard on any instruction", "u32:few,u32",
        "mov.u32 %d, %b; setp.lt.u32 %p0, %a, 2; @%p0 add.u32 %d, %d, 5; @!%p0 xor.b32 %d, %d, 0xff;"),
    ROW("control", "spin lock between lanes", "u32:",
        "mov.u32 %r0, sm; setp.eq.u32 %p0, %th, 0; @%p0 st.shared.v2.u32 [%r0], {0, 0}; bar.sync 0; mov.u32 "
        "%r3, 0; "
        "TRY: atom.shared.cas.b32 %r1, [%r0], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra NEXT; "
        "ld.volatile.shared.u32 %r2, [%r0+4]; add.u32 %r2, %r2, 1; st.volatile.shared.u32 [%r0+4], %r2; "
        "membar.cta; "
        "atom.shared.exch.b32 %r1, [%r0], 0; mov.u32 %r3, 1; NEXT: setp.eq.u32 %p2, %r3, 0; @%p2 bra TRY; "
        "bar.sync 0; "
        "ld.shared.u32 %d, [%r0+4];"),
    WITH("call", "call register parameters", "u32:small", "call (%d), plain, (%a);", FUNCTIONS),
    WITH("call", "call.uni parameters", "u32:u32",
         "{ .param .u32 n; .param .u32 r; st.param.u32 [n], %a; call.uni (r), twice, (n); ld.param.u32 %d, "
         "[r]; }",
         FUNCTIONS),
    WITH("call", "call divergent", "u32:few",
         "mov.u32 %d, 7; setp.lt.u32 %p0, %a, 2; @%p0 bra OVER; { .param .u32 n; .param .u32 r; st.param.u32 "
         "[n], %a; "
         "call (r), twice, (n); ld.param.u32 %d, [r]; } OVER:",
         FUNCTIONS),
    WITH("call", "call recursion", "u64:oct",
         "{ .param .u64 n; .param .u64 r; cvt.u64.u32 %l0, %a; st.param.u64 [n], %l0; call (r), fact, (n); "
         "ld.param.u64 %d, [r]; }",
         FUNCTIONS),
    WITH("call", "call aggregate", "b64,b64:b64,b64",
         "{ .param .align 8 .b8 n[16]; .param .align 8 .b8 r[16]; st.param.b64 [n], %a; st.param.b64 [n+8], "
         "%b; "
         "call (r), pair, (n); ld.param.b64 %d, [r]; ld.param.b64 %e, [r+8]; }",
         FUNCTIONS),
    WITH("call", "call indirect .callprototype", "u32:bit,u32",
         "mov.u64 %l0, entries; mul.wide.u32 %l1, %a, 8; add.s64 %l0, %l0, %l1; ld.global.u64 %l2, [%l0]; "
         "P: .callprototype (.param .u32 _) _ (.param .u32 _); { .param .u32 n; .param .u32 r; st.param.u32 "
         "[n], %b; "
         "call (r), %l2, (n), P; ld.param.u32 %d, [r]; }",
         FUNCTIONS),
    WITH("call", "call indirect .calltargets", "u32:bit,u32",
         "mov.u64 %l0, entries; mul.wide.u32 %l1, %a, 8; add.s64 %l0, %l0, %l1; ld.global.u64 %l2, [%l0]; "
         "C: .calltargets twice, thrice; { .param .u32 n; .param .u32 r; st.param.u32 [n], %b; "
         "call (r), %l2, (n), C; ld.param.u32 %d, [r]; }",
         FUNCTIONS),
    WITH("call", "call malloc and free", "u32:u32",
         "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 64; call.uni (r), malloc, (n); ld.param.b64 %l0, "
         "[r]; } "
         "st.u32 [%l0+12], %a; ld.u32 %d, [%l0+12]; { .param .b64 n; st.param.b64 [n], %l0; call.uni free, "
         "(n); }",
         ".extern .func (.param .b64 r) malloc (.param .b64 n);\n.extern .func free (.param .b64 n);\n"),
    ROW("stack", "alloca.u64", "u32:u32",
        "mov.u64 %l1, 32; alloca.u64 %l0, %l1, 16; st.local.u32 [%l0+4], %a; ld.local.u32 %d, [%l0+4];"),
    ROW("stack", "stacksave.u64 stackrestore.u64", "u32:u32",
        "stacksave.u64 %l2; mov.u64 %l1, 32; alloca.u64 %l0, %l1, 16; st.local.u32 [%l0], %a; ld.local.u32 "
        "%d, [%l0]; "
        "stackrestore.u64 %l2;"),
};

void rows_machine(struct variants *all) {
  variants_add_rows(all, SPECIAL, sizeof SPECIAL / sizeof SPECIAL[0]);
  variants_add_rows(all, FENCES, sizeof FENCES / sizeof FENCES[0]);
  variants_add_rows(all, CONTROL, sizeof CONTROL / sizeof CONTROL[0]);
}
