/* Variants of what CTAs of a cluster do together: special registers, addresses of each other's shared memory, loads, stores and atomic
 * operations on it, barriers, mbarriers of others, and copies that go there. Clusters have four CTAs; each works on the one after it. */
#include "variants.h"

#define ROW(o, s, b)                                                                                                                     \
  { .family = "cluster", .op = o, .signature = s, .body = b, .cluster = 4, .prelude = PRELUDE }
#define TWO(o, s, b)                                                                                                                     \
  { .family = "cluster", .op = o, .signature = s, .body = b, .cluster = 2, .lanes = 1024, .prelude = PRELUDE }

#define PRELUDE ".shared .align 16 .b8 tile[4096];\n.shared .align 16 .b8 there[4096];\n.shared .align 8 .b64 mbar;"
#define MEET    "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; "
/* %r0: the CTA after this one; %r1: the lane's slot there; %r2: the mbarrier there; %r3: the own one. */
#define AFTER                                                                                                                            \
  "mov.u32 %r0, %cluster_ctarank; add.u32 %r0, %r0, 1; and.b32 %r0, %r0, 3; mapa.shared::cluster.u32 %r1, %ps, %r0; "                    \
  "mov.u32 %r3, mbar; mapa.shared::cluster.u32 %r2, %r3, %r0; "
#define GENERIC   "cvt.u64.u32 %l0, %ps; cvta.shared.u64 %l0, %l0; mapa.u64 %l1, %l0, %r0; "
#define PUT       "ld.global.v2.b64 {%l2, %l3}, [%pa]; st.shared.v2.b64 [%ps], {%l2, %l3}; "
#define CLEAR     "mov.b64 %l2, 0; st.shared.v2.b64 [%ps], {%l2, %l2}; "
#define FIRST     "setp.eq.u32 %p0, %th, 0; "
#define INIT(n)   FIRST "@%p0 mbarrier.init.shared::cta.b64 [mbar], " n "; fence.mbarrier_init.release.cluster; fence.proxy.async; "
#define EXPECT(n) "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 %l4, [mbar], " n "; "
#define WAIT      "W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [%r3], 0; @!%p1 bra W; "

static const struct row SPECIAL[] = {
    TWO("mov.u32 cluster_{ctaid,nctaid}.{x,y,z}", "u32:", "mov.u32 %d, %cluster_$1.$2;"),
    TWO("mov.u32 {clusterid,nclusterid}.{x,y,z}", "u32:", "mov.u32 %d, %$1.$2;"),
    TWO("mov.u32 cluster_{ctarank,nctarank}", "u32:", "mov.u32 %d, %cluster_$1;"),
    TWO("mov.pred is_explicit_cluster", "pred:", "mov.pred %d, %is_explicit_cluster;"),
    TWO("mov.u32 {ctaid,nctaid}.x of clusters", "u32:", "mov.u32 %d, %$1.x;"),
    ROW("mov.u32 {clusterid.x,cluster_ctarank,cluster_ctaid.x} of four", "u32:", "mov.u32 %d, %$1;"),
    {.family = "cluster",
     .op = "mov.u32 {cluster_ctaid.x,cluster_nctaid.x,cluster_ctarank,cluster_nctarank,clusterid.x,nclusterid.x} alone",
     .signature = "u32:",
     .body = "mov.u32 %d, %$1;"},
    {.family = "cluster", .op = "mov.pred is_explicit_cluster alone", .signature = "pred:", .body = "mov.pred %d, %is_explicit_cluster;"},
};

static const struct row ADDRESSES[] = {
    ROW("mapa.shared::cluster.u64 distance", "u64:few", "cvt.u64.u32 %l0, %ps; @@ %l1, %l0, %a; @@ %l2, %l0, 0; sub.u64 %d, %l1, %l2;"),
    ROW("mapa.u64 generic distance", "u64*2:few",
        "cvt.u64.u32 %l0, %ps; cvta.shared.u64 %l0, %l0; mapa.u64 %l1, %l0, %a; mapa.u64 %l2, %l0, 0; sub.u64 %d0, %l1, %l2; "
        "mov.u32 %r4, %cluster_ctarank; mapa.u64 %l3, %l0, %r4; sub.u64 %d1, %l3, %l2;"),
    ROW("getctarank.shared::cluster.u32", "u32*2:few", "mapa.shared::cluster.u32 %r4, %ps, %a; @@ %d0, %r4; @@ %d1, %ps;"),
    ROW("getctarank.shared::cluster.u64", "u32*2:few",
        "cvt.u64.u32 %l0, %ps; mapa.shared::cluster.u64 %l1, %l0, %a; @@ %d0, %l1; @@ %d1, %l0;"),
    ROW("getctarank.u64", "u32*2:few",
        "cvt.u64.u32 %l0, %ps; cvta.shared.u64 %l0, %l0; mapa.u64 %l1, %l0, %a; @@ %d0, %l1; @@ %d1, %l0;"),
    ROW("isspacep.{shared,shared::cta,shared::cluster,global,local} of others", "pred,pred,pred:few",
        "cvt.u64.u32 %l0, %ps; cvta.shared.u64 %l0, %l0; mapa.u64 %l1, %l0, %a; isspacep.$1 %d, %l1; isspacep.$1 %e, %l0; "
        "isspacep.$1 %f, %pm;"),
    ROW("cvta.shared::cluster.u64 of others", "u64*2:few",
        "cvt.u64.u32 %l0, %ps; cvta.shared.u64 %l1, %l0; mapa.shared::cluster.u64 %l2, %l0, %a; cvta.shared::cluster.u64 %l3, %l2; "
        "mapa.u64 %l4, %l1, %a; sub.u64 %d0, %l3, %l4; cvta.to.shared::cluster.u64 %l5, %l4; sub.u64 %d1, %l5, %l2;"),
};

#define LD(types, s)                                                                                                                     \
  ROW("ld{,.volatile,.relaxed.cluster,.acquire.cluster}.shared::cluster." types " of another", s, PUT MEET AFTER "@@ %d, [%r1]; " MEET)
#define ST(types, s, r)                                                                                                                  \
  ROW("st{,.volatile,.relaxed.cluster,.release.cluster}.shared::cluster." types " of another", s,                                        \
      CLEAR MEET AFTER "@@ [%r1], %a; " MEET "ld.shared." r " %d, [%ps];")
static const struct row MOVES[] = {
    LD("{b8,u8,s8,b16,u16,s16,b32,u32,s32}", "b32:&raw64*2"),
    LD("{b64,u64,s64,f64}", "b64:&raw64*2"),
    LD("f32", "f32:&raw64*2"),
    ROW("ld.shared::cluster.v2.b32 of another", "b32*2:&raw64*2", PUT MEET AFTER "@@ {%d0, %d1}, [%r1]; " MEET),
    ROW("ld.shared::cluster.v4.{b8,b16,b32} of another", "b32*4:&raw64*2", PUT MEET AFTER "@@ {%d0, %d1, %d2, %d3}, [%r1]; " MEET),
    ROW("ld.shared::cluster.v2.b64 of another", "b64*2:&raw64*2", PUT MEET AFTER "@@ {%d0, %d1}, [%r1]; " MEET),
    ROW("ld{,.relaxed.cluster}.b64 generic", "b64:&raw64*2", PUT MEET AFTER GENERIC "@@ %d, [%l1]; " MEET),
    ROW("ld.b32 generic some own", "b32:&raw64*2",
        PUT MEET AFTER GENERIC "and.b32 %r4, %lane, 1; setp.ne.u32 %p1, %r4, 0; selp.b64 %l1, %l0, %l1, %p1; @@ %d, [%l1]; " MEET),
    ROW("ld.b32 generic all four", "b32:&raw64*2",
        PUT MEET "cvt.u64.u32 %l0, %ps; cvta.shared.u64 %l0, %l0; and.b32 %r4, %lane, 3; mapa.u64 %l1, %l0, %r4; @@ %d, [%l1]; " MEET),
    ROW("ld.b32 generic with global", "b32:&raw64*2",
        PUT MEET
        "cvt.u64.u32 %l0, %ps; cvta.shared.u64 %l0, %l0; and.b32 %r4, %lane, 3; mapa.u64 %l1, %l0, %r4; setp.eq.u32 %p1, %r4, 2; "
        "selp.b64 %l1, %pa, %l1, %p1; @@ %d, [%l1]; " MEET),
    ROW("ld.shared::cluster.b32 all four", "b32:&raw64*2",
        PUT MEET "and.b32 %r4, %lane, 3; mapa.shared::cluster.u32 %r5, %ps, %r4; @@ %d, [%r5]; " MEET),
    ST("{b8,b16,b32}", "b32:raw32", "b32"),
    ST("{b64,u64}", "b64:raw64", "b64"),
    ST("f32", "b32:f32", "b32"),
    ROW("st.shared::cluster.v4.b32 of another", "b32*4:raw32*4",
        CLEAR MEET AFTER "@@ [%r1], {%a0, %a1, %a2, %a3}; " MEET "ld.shared.v4.b32 {%d0, %d1, %d2, %d3}, [%ps];"),
    ROW("st.shared::cluster.v2.b64 of another", "b64*2:raw64*2",
        CLEAR MEET AFTER "@@ [%r1], {%a0, %a1}; " MEET "ld.shared.v2.b64 {%d0, %d1}, [%ps];"),
    ROW("st.b64 generic", "b64:raw64", CLEAR MEET AFTER GENERIC "@@ [%l1], %a; " MEET "ld.shared.b64 %d, [%ps];"),
};

#define ATOM(op, t, reg)                                                                                                                 \
  ROW("atom{,.acq_rel.cluster,.relaxed.gpu}.shared::cluster." op "." t " of another", reg "*2:" reg "," reg,                             \
      "st.shared." reg " [%ps], %b; " MEET AFTER "@@ %d0, [%r1], %a; " MEET "ld.shared." reg " %d1, [%ps];")
#define RED(op, t, reg)                                                                                                                  \
  ROW("red{,.release.cluster}.shared::cluster." op "." t " of another", reg ":" reg "," reg,                                             \
      "st.shared." reg " [%ps], %b; " MEET AFTER "@@ [%r1], %a; " MEET "ld.shared." reg " %d, [%ps];")
static const struct row ATOMICS[] = {
    ATOM("{add,min,max,inc,dec}", "u32", "u32"),
    ATOM("{add,min,max}", "s32", "s32"),
    ATOM("{and,or,xor,exch}", "b32", "b32"),
    ATOM("{add,min,max}", "u64", "u64"),
    ATOM("{and,or,xor,exch}", "b64", "b64"),
    ATOM("add", "f32", "f32"),
    ATOM("add", "f64", "f64"),
    ROW("atom.shared::cluster.cas.b32 of another", "b32*2:few,few,raw32",
        "st.shared.b32 [%ps], %b; " MEET AFTER "@@ %d0, [%r1], %a, %c; " MEET "ld.shared.b32 %d1, [%ps];"),
    ROW("atom.shared::cluster.cas.b64 of another", "b64*2:few64,few64,raw64",
        "st.shared.b64 [%ps], %b; " MEET AFTER "@@ %d0, [%r1], %a, %c; " MEET "ld.shared.b64 %d1, [%ps];"),
    ROW("atom.add.u32 generic", "u32*2:u32,u32",
        "st.shared.u32 [%ps], %b; " MEET AFTER GENERIC "@@ %d0, [%l1], %a; " MEET "ld.shared.u32 %d1, [%ps];"),
    RED("{add,min,max,inc,dec}", "u32", "u32"),
    RED("{add,min,max}", "s32", "s32"),
    RED("{and,or,xor}", "b32", "b32"),
    RED("{add,min,max}", "u64", "u64"),
    ROW("red.shared::cluster.add.u32 all to one", "u32:small",
        FIRST "@%p0 st.shared.u32 [tile], 0; " MEET "mov.u32 %r4, tile; mapa.shared::cluster.u32 %r4, %r4, 2; @@ [%r4], %a; " MEET
              "ld.shared::cluster.u32 %d, [%r4]; " MEET),
};

static const struct row BARRIERS[] = {
    ROW("barrier.cluster.arrive{,.release,.relaxed}{,.aligned} then wait{,.acquire}{,.aligned}", "b64:raw64",
        CLEAR MEET AFTER "st.shared::cluster.b64 [%r1], %a; fence.acq_rel.cluster; barrier.cluster.arrive$1$2; barrier.cluster.wait$3$4; "
                         "ld.shared.b64 %d, [%ps];"),
    ROW("barrier.cluster.arrive twice", "b64*2:raw64",
        CLEAR MEET AFTER "st.shared::cluster.b64 [%r1], %a; " MEET "ld.shared.b64 %d0, [%ps]; " MEET
                         "st.shared::cluster.b64 [%r1], %l2; " MEET "ld.shared.b64 %d1, [%ps];"),
    ROW("mbarrier.arrive{,.release.cluster,.relaxed.cluster}.shared::cluster.b64 of another", "b64:raw64",
        INIT("128") CLEAR MEET AFTER "st.shared::cluster.b64 [%r1], %a; fence.acq_rel.cluster; @@ _, [%r2]; " WAIT
                                     "ld.shared.b64 %d, [%ps]; " MEET),
    ROW("mbarrier.arrive.release.cluster.shared::cluster.b64 counted", "b64:raw64",
        INIT("384") CLEAR MEET AFTER "st.shared::cluster.b64 [%r1], %a; @@ _, [%r2], 3; " WAIT "ld.shared.b64 %d, [%ps]; " MEET),
    ROW("mbarrier.arrive_drop.release.cluster.shared::cluster.b64 of another", "b64:raw64",
        INIT("129") CLEAR MEET AFTER
        "st.shared::cluster.b64 [%r1], %a; @@ _, [%r2]; @%p0 mbarrier.arrive.shared::cta.b64 _, [mbar]; " WAIT
        "ld.shared.b64 %d, [%ps]; " MEET),
    ROW("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 of another", "b64:raw64",
        INIT("1") CLEAR MEET AFTER
        "@%p0 @@ _, [%r2], 1024; st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%r1], %a, [%r2]; " WAIT
        "ld.shared.b64 %d, [%ps]; " MEET),
    ROW("mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 of another", "b64:raw64",
        INIT("1") CLEAR MEET AFTER "@%p0 @@ [%r2], 1024; " MEET "@%p0 mbarrier.arrive.shared::cta.b64 _, [mbar]; "
                                   "st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%r1], %a, [%r2]; " WAIT
                                   "ld.shared.b64 %d, [%ps]; " MEET),
    ROW("mbarrier.arrive.shared::cluster.b64 all of one", "pred:few",
        INIT("512") MEET AFTER "mapa.shared::cluster.u32 %r4, %r3, 1; @@ _, [%r4]; setp.eq.u32 %p2, %r0, 2; @!%p2 bra OUT; " WAIT
                               "OUT: setp.ne.u32 %d, %r0, 2; " MEET),
};

#define ASYNC(what, s, bytes, read)                                                                                                      \
  ROW("st.async{,.weak}.shared::cluster.mbarrier::complete_tx::bytes." what, s,                                                          \
      INIT("1") EXPECT(bytes) CLEAR MEET AFTER "@@ [%r1], " read " " MEET)
#define REDASYNC(op, t, reg, bytes)                                                                                                      \
  ROW("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." op "." t, reg ":" reg "," reg,                           \
      INIT("1") EXPECT(bytes) "st.shared." reg " [%ps], %b; " MEET AFTER "@@ [%r1], %a, [%r2]; " WAIT "ld.shared." reg                   \
                              " %d, [%ps]; " MEET)
static const struct row ASYNCHRONOUS[] = {
    ASYNC("{b32,u32,s32}", "b32:raw32", "512", "%a, [%r2]; " WAIT "ld.shared.b32 %d, [%ps];"),
    ASYNC("{b64,u64,s64}", "b64:raw64", "1024", "%a, [%r2]; " WAIT "ld.shared.b64 %d, [%ps];"),
    ASYNC("v2.b32", "b32*2:raw32*2", "1024", "{%a0, %a1}, [%r2]; " WAIT "ld.shared.v2.b32 {%d0, %d1}, [%ps];"),
    ASYNC("v4.{b32,f32}", "b32*4:raw32*4", "2048", "{%a0, %a1, %a2, %a3}, [%r2]; " WAIT "ld.shared.v4.b32 {%d0, %d1, %d2, %d3}, [%ps];"),
    ASYNC("v2.b64", "b64*2:raw64*2", "2048", "{%a0, %a1}, [%r2]; " WAIT "ld.shared.v2.b64 {%d0, %d1}, [%ps];"),
    REDASYNC("{inc,dec,min,max,add}", "u32", "u32", "512"),
    REDASYNC("{min,max,add}", "s32", "s32", "512"),
    REDASYNC("{and,or,xor}", "b32", "b32", "512"),
    REDASYNC("add", "u64", "u64", "1024"),
    REDASYNC("add", "s64", "s64", "1024"),
};

/* Lanes fill the tile with 32 bytes each, and `there` of the next CTA receives it or is reduced with it. */
#define FILL                                                                                                                             \
  "mov.u32 %r4, tile; mov.u32 %r5, there; shl.b32 %r6, %th, 5; add.u32 %r7, %r6, %r4; add.u32 %r8, %r6, %r5; "                           \
  "ld.global.v2.b64 {%l2, %l3}, [%pa]; st.shared.v2.b64 [%r7], {%l2, %l3}; ld.global.v2.b64 {%l2, %l3}, [%pa+16]; st.shared.v2.b64 "     \
  "[%r7+16], {%l2, %l3}; "                                                                                                               \
  "ld.global.v2.b64 {%l2, %l3}, [%pb]; st.shared.v2.b64 [%r8], {%l2, %l3}; ld.global.v2.b64 {%l2, %l3}, [%pb+16]; st.shared.v2.b64 "     \
  "[%r8+16], {%l2, %l3}; "                                                                                                               \
  "fence.proxy.async; "
#define READ "ld.shared.v2.b64 {%d0, %d1}, [%r8]; ld.shared.v2.b64 {%d2, %d3}, [%r8+16]; "
#define ACROSS(o, s, n)                                                                                                                  \
  ROW(o, s,                                                                                                                              \
      INIT("1") EXPECT(n) FILL MEET AFTER "mapa.shared::cluster.u32 %r9, %r5, %r0; @%p0 @@ [%r9], [%r4], " n ", [%r2]; " WAIT READ MEET)
#define ALONE(o, s)                                                                                                                      \
  {                                                                                                                                      \
    .family = "cluster", .op = o, .signature = s, .prelude = PRELUDE,                                                                    \
    .body = FIRST FILL                                                                                                                   \
        "ld.global.v2.b64 {%l2, %l3}, [%pb]; st.global.v2.b64 [%pm], {%l2, %l3}; ld.global.v2.b64 {%l2, %l3}, [%pb+16]; "                \
        "st.global.v2.b64 [%pm+16], {%l2, %l3}; "                                                                                        \
        "membar.gl; fence.proxy.async; bar.sync 0; shl.b32 %r9, %th, 5; add.u32 %r9, %r9, %r4; @@ [%pm], [%r9], 32; "                    \
        "cp.async.bulk.commit_group; "                                                                                                   \
        "cp.async.bulk.wait_group 0; fence.proxy.async; ld.global.v2.b64 {%d0, %d1}, [%pm]; ld.global.v2.b64 {%d2, %d3}, [%pm+16];"      \
  }
static const struct row COPIES[] = {
    ACROSS("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes whole", "b64*4:&raw64*4,&raw64*4", "4096"),
    ACROSS("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes part", "b64*4:&raw64*4,&raw64*4", "1040"),
    ACROSS("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{add,min,max}.{u32,s32}",
           "b64*4:&raw64*4,&raw64*4", "4096"),
    ACROSS("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{inc,dec}.u32", "b64*4:&raw64*4,&raw64*4",
           "4096"),
    ACROSS("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u64", "b64*4:&raw64*4,&raw64*4", "4096"),
    ACROSS("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{and,or,xor}.b32", "b64*4:&raw64*4,&raw64*4",
           "4096"),
    ALONE("cp.reduce.async.bulk.global.shared::cta.bulk_group.{add,min,max}.{u32,s32,u64} each", "b64*4:&raw64*4,&raw64*4"),
    ALONE("cp.reduce.async.bulk.global.shared::cta.bulk_group.{min,max}.s64 each", "b64*4:&raw64*4,&raw64*4"),
    ALONE("cp.reduce.async.bulk.global.shared::cta.bulk_group.{inc,dec}.u32 each", "b64*4:&raw64*4,&raw64*4"),
    ALONE("cp.reduce.async.bulk.global.shared::cta.bulk_group.{and,or,xor}.{b32,b64} each", "b64*4:&raw64*4,&raw64*4"),
    ALONE("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 each", "b64*4:&f16x2*4,&f16x2*4"),
    ALONE("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 each", "b64*4:&bf16x2*4,&bf16x2*4"),
    ALONE("cp.reduce.async.bulk.global.shared::cta.bulk_group.{min,max}.f16 each", "b64*4:&f16x2*4,&f16x2*4"),
    ALONE("cp.reduce.async.bulk.global.shared::cta.bulk_group.{min,max}.bf16 each", "b64*4:&bf16x2*4,&bf16x2*4"),
    ALONE("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 each", "b64*4:&f32*4,&f32*4"),
    ALONE("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f64 each", "b64*4:&f64*4,&f64*4"),
    ROW("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster mask {15,4,10}", "b64*4:&raw64*4,&raw64*4",
        INIT("1") FILL "mov.u32 %r10, %cluster_ctarank; shr.u32 %r11, $1, %r10; and.b32 %r11, %r11, 1; setp.ne.u32 %p2, %r11, 0; "
                       "and.pred %p3, %p2, %p0; "
                       "@%p3 mbarrier.arrive.expect_tx.shared::cta.b64 %l4, [mbar], 2048; " MEET AFTER
                       "setp.eq.u32 %p3, %r10, 1; and.pred %p3, %p3, %p0; .reg .b16 %x; mov.b16 %x, $1; "
                       "@%p3 @@ [%r5], [%pa], 2048, [%r3], %x; @!%p2 bra OUT; " WAIT "OUT: " READ MEET),
};

#define LIST(t) variants_add_rows(all, t, sizeof t / sizeof t[0])
void rows_cluster(struct variants *all) {
  LIST(SPECIAL);
  LIST(ADDRESSES);
  LIST(MOVES);
  LIST(ATOMICS);
  LIST(BARRIERS);
  LIST(ASYNCHRONOUS);
  LIST(COPIES);
}
