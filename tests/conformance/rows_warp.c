/* Variants of instructions that exchange values inside a warp or a CTA: shfl, vote, match, redux, elect,
 * activemask, barriers with reductions.
 *
 * Predicates that should be all true in some warps and all false in others come from comparing a value below
 * four with the warp's (or CTA's) number modulo five. */
#include "variants.h"

#define ROW(f, o, s, b)                                                                                      \
  { .family = f, .op = o, .signature = s, .body = b, .lanes = 1024 }
#define WARP_PREDICATE "rem.u32 %r0, %wid, 5; setp.lt.u32 %p0, %a, %r0; "
#define CTA_PREDICATE  "rem.u32 %r0, %cta, 5; setp.lt.u32 %p0, %a, %r0; "
#define HALVES(even, odd)                                                                                    \
  "and.b32 %r0, %lane, 1; setp.eq.u32 %p0, %r0, 0; @%p0 bra EVEN; " odd " bra JOIN; EVEN: " even " JOIN: "   \
  "bar.warp.sync 0xffffffff;"

static const struct row SHUFFLE[] = {
    ROW("shfl",
        "shfl.sync.{up,down,bfly,idx}.b32 c{0x0,0x1f,0x181f,0x1800,0x1c03,0x1e1f,0x101f,0x1000,0xa15}",
        "b32,pred:b32,lane64", "@@ %d|%e, %a, %b, $2, 0xffffffff;"),
    ROW("shfl", "shfl.sync.{up,down,bfly,idx}.b32 any c", "b32,pred:b32,raw32,raw32",
        "@@ %d|%e, %a, %b, %c, 0xffffffff;"),
    ROW("shfl", "shfl.sync.{up,down,bfly,idx}.b32 no p", "b32:b32,lane", "@@ %d, %a, %b, 0x1f, -1;"),
    ROW("shfl", "shfl.sync.{up,down,bfly,idx}.b32 fixed {1,2,4,8,16}", "b32,pred:b32",
        "@@ %d|%e, %a, $2, 0x1f, 0xffffffff;"),
    ROW("shfl", "shfl.sync.bfly.b32 halves", "b32,pred:b32,lane",
        "and.b32 %b, %b, 30; " HALVES("@@ %d|%e, %a, %b, 0x1f, 0x55555555;",
                                      "@@ %d|%e, %a, %b, 0x1f, 0xaaaaaaaa;")),
    ROW("shfl", "shfl.sync.idx.b32 halves", "b32,pred:b32,lane",
        "and.b32 %b, %b, 30; " HALVES("@@ %d|%e, %a, %b, 0x1f, 0x55555555;",
                                      "or.b32 %b, %b, 1; @@ %d|%e, %a, %b, 0x1f, 0xaaaaaaaa;")),
};

static const struct row VOTE[] = {
    ROW("vote", "vote.sync.{all,any,uni}.pred", "pred:few", WARP_PREDICATE "@@ %d, %p0, 0xffffffff;"),
    ROW("vote", "vote.sync.{all,any,uni}.pred !a", "pred:few", WARP_PREDICATE "@@ %d, !%p0, 0xffffffff;"),
    ROW("vote", "vote.sync.ballot.b32", "b32:few", WARP_PREDICATE "@@ %d, %p0, 0xffffffff;"),
    ROW("vote", "vote.sync.ballot.b32 !a", "b32:few", WARP_PREDICATE "@@ %d, !%p0, 0xffffffff;"),
    ROW("vote", "vote.sync.ballot.b32 halves", "b32:pred",
        HALVES("@@ %d, %a, 0x55555555;", "@@ %d, %a, 0xaaaaaaaa;")),
    ROW("vote", "vote.sync.{all,any,uni}.pred halves", "pred:few",
        WARP_PREDICATE "mov.pred %p1, %p0; " HALVES("@@ %d, %p1, 0x55555555;", "@@ %d, %p1, 0xaaaaaaaa;")),
    ROW("match", "match.any.sync.b32", "b32:few", "@@ %d, %a, 0xffffffff;"),
    ROW("match", "match.any.sync.b64", "b32:few64", "shl.b64 %a, %a, 40; @@ %d, %a, 0xffffffff;"),
    ROW("match", "match.any.sync.b32 halves", "b32:few",
        HALVES("@@ %d, %a, 0x55555555;", "@@ %d, %a, 0xaaaaaaaa;")),
    ROW("match", "match.all.sync.b32", "b32,pred:few",
        "and.b32 %r0, %wid, 1; mul.lo.u32 %a, %a, %r0; @@ %d|%e, %a, 0xffffffff;"),
    ROW("match", "match.all.sync.b64", "b32,pred:few64",
        "and.b32 %r0, %wid, 1; cvt.u64.u32 %l0, %r0; mul.lo.u64 %a, %a, %l0; @@ %d|%e, %a, 0xffffffff;"),
    ROW("match", "match.all.sync.b32 no p", "b32:few",
        "and.b32 %r0, %wid, 1; mul.lo.u32 %a, %a, %r0; @@ %d, %a, 0xffffffff;"),
    ROW("redux", "redux.sync.{add,min,max}.{u32,s32}", "$2:$2", "@@ %d, %a, 0xffffffff;"),
    ROW("redux", "redux.sync.{and,or,xor}.b32", "b32:b32", "@@ %d, %a, 0xffffffff;"),
    ROW("redux", "redux.sync.{and,or}.b32 few bits", "b32:raw32,raw32",
        "and.b32 %a, %a, %b; and.b32 %a, %a, 0x11111111; @@ %d, %a, 0xffffffff;"),
    ROW("redux", "redux.sync.{add,min,max}.{u32,s32} halves", "$2:$2",
        HALVES("@@ %d, %a, 0x55555555;", "@@ %d, %a, 0xaaaaaaaa;")),
    ROW("warp", "activemask.b32", "b32:", "@@ %d;"),
    ROW("warp", "elect.sync", "b32,pred:", "@@ %d|%e, 0xffffffff;"),
    ROW("warp", "elect.sync halves", "b32,pred:", HALVES("@@ %d|%e, 0x55555555;", "@@ %d|%e, 0xaaaaaaaa;")),
    ROW("warp", "bar.warp.sync", "b32:b32",
        "shl.b32 %r0, %lane, 2; add.u32 %r0, %r0, %sw; st.shared.b32 [%r0], %a; @@ 0xffffffff; "
        "xor.b32 %r1, %lane, 21; shl.b32 %r1, %r1, 2; add.u32 %r1, %r1, %sw; ld.shared.b32 %d, [%r1];"),
};

#define EXCHANGE(barrier)                                                                                    \
  "shl.b32 %r0, %th, 2; mov.u32 %r2, sm; add.u32 %r0, %r0, %r2; st.shared.b32 [%r0], %a; " barrier           \
  " xor.b32 %r1, %th, 85; shl.b32 %r1, %r1, 2; add.u32 %r1, %r1, %r2; ld.shared.b32 %d, [%r1];"

static const struct row BARRIERS[] = {
    ROW("barrier", "bar{,.cta}.sync", "b32:b32", EXCHANGE("@@ 0;")),
    ROW("barrier", "bar{,.cta}.sync count", "b32:b32", EXCHANGE("@@ 3, 128;")),
    ROW("barrier", "barrier{,.cta}.sync{,.aligned}", "b32:b32", EXCHANGE("@@ 0;")),
    ROW("barrier", "barrier{,.cta}.sync{,.aligned} count", "b32:b32",
        EXCHANGE("mov.u32 %r3, 5; @@ %r3, 128;")),
    ROW("barrier", "bar.sync half the CTA", "b32:b32",
        EXCHANGE("bar.sync 0; shr.u32 %r3, %th, 6; add.u32 %r4, %r3, 1; @@ %r4, 64;")),
    ROW("barrier", "{bar,bar.cta}.arrive", "b32:b32",
        "shl.b32 %r0, %th, 2; mov.u32 %r2, sm; add.u32 %r0, %r0, %r2; st.shared.b32 [%r0], %a; "
        "mov.b32 %d, 0; setp.lt.u32 %p0, %th, 64; @%p0 bra PRODUCER; bar.sync 1, 128; xor.b32 %r1, %th, 85; "
        "shl.b32 %r1, %r1, 2; add.u32 %r1, %r1, %r2; ld.shared.b32 %d, [%r1]; bra DONE; PRODUCER: @@ 1, 128; "
        "DONE: "
        "bar.sync 0;"),
    ROW("barrier", "barrier{,.cta}.arrive{,.aligned}", "b32:b32",
        "shl.b32 %r0, %th, 2; mov.u32 %r2, sm; add.u32 %r0, %r0, %r2; st.shared.b32 [%r0], %a; "
        "mov.b32 %d, 0; setp.lt.u32 %p0, %th, 64; @%p0 bra PRODUCER; bar.sync 1, 128; xor.b32 %r1, %th, 85; "
        "shl.b32 %r1, %r1, 2; add.u32 %r1, %r1, %r2; ld.shared.b32 %d, [%r1]; bra DONE; PRODUCER: @@ 1, 128; "
        "DONE: "
        "bar.sync 0;"),
    ROW("barrier", "{bar,bar.cta}.red.popc.u32", "u32:few", CTA_PREDICATE "@@ %d, 0, %p0;"),
    ROW("barrier", "{bar,bar.cta}.red.{and,or}.pred", "pred:few", CTA_PREDICATE "@@ %d, 0, %p0;"),
    ROW("barrier", "bar.red.popc.u32 count !p", "u32:few", CTA_PREDICATE "@@ %d, 2, 128, !%p0;"),
    ROW("barrier", "bar.red.{and,or}.pred count !p", "pred:few", CTA_PREDICATE "@@ %d, 2, 128, !%p0;"),
    ROW("barrier", "barrier{,.cta}.red.popc{,.aligned}.u32", "u32:few", CTA_PREDICATE "@@ %d, 0, %p0;"),
    ROW("barrier", "barrier{,.cta}.red.{and,or}{,.aligned}.pred", "pred:few", CTA_PREDICATE "@@ %d, 0, %p0;"),
    ROW("barrier", "barrier.red.popc.u32 half the CTA", "u32:few",
        CTA_PREDICATE "shr.u32 %r3, %th, 6; add.u32 %r4, %r3, 1; @@ %d, %r4, 64, %p0;"),
    ROW("barrier", "barrier.cluster.arrive{,.release,.relaxed}{,.aligned}", "b32:b32",
        "@@; barrier.cluster.wait.acquire.aligned; mov.b32 %d, %a;"),
    ROW("barrier", "barrier.cluster.wait{,.acquire}{,.aligned}", "b32:b32",
        "barrier.cluster.arrive.release.aligned; @@; mov.b32 %d, %a;"),
};

void rows_warp(struct variants *all) {
  variants_add_rows(all, SHUFFLE, sizeof SHUFFLE / sizeof SHUFFLE[0]);
  variants_add_rows(all, VOTE, sizeof VOTE / sizeof VOTE[0]);
  variants_add_rows(all, BARRIERS, sizeof BARRIERS / sizeof BARRIERS[0]);
}
