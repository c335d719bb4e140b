/* Variants of atom and red on global, shared and generic addresses.
 *
 * "own": each lane has its own word, so the old value and the new one are both determined. "one": the 128
 * threads of a CTA meet on one word; only the word at the end is kept, with operands for which the order does
 * not matter (floating-point sums are of small whole numbers). */
#include "variants.h"

#define SEM   "{.relaxed,.acquire,.release,.acq_rel}"
#define SCOPE "{.cta,.cluster,.gpu,.sys}"

/* The lane's own word, in global or shared memory, before and after `code`. `t` is the number of the brace
 * that holds the type; atom leaves the new value in %e, red in %d. ONE_G and ONE_S: the same for one word a
 * CTA. */
#define OWN(t, code)    "st.global.$" t " [%pm], %a; " code " ld.global.$" t " %e, [%pm];"
#define OWN_S(t, code)  "st.shared.$" t " [%ps], %a; " code " ld.shared.$" t " %e, [%ps];"
#define OWN_R(t, code)  "st.global.$" t " [%pm], %a; " code " ld.global.$" t " %d, [%pm];"
#define OWN_RS(t, code) "st.shared.$" t " [%ps], %a; " code " ld.shared.$" t " %d, [%ps];"
#define ONE_G(t, code)                                                                                       \
  "setp.eq.u32 %p0, %th, 0; @%p0 st.global.$" t " [%pq], %a; bar.sync 0; " code " bar.sync 0; ld.global.$" t \
  " %d, [%pq];"
#define ONE_S(t, code)                                                                                       \
  "mov.u32 %r0, sm; setp.eq.u32 %p0, %th, 0; @%p0 st.shared.$" t " [%r0], %a; bar.sync 0; " code             \
  " bar.sync 0; ld.shared.$" t " %d, [%r0];"
#define ROW(f, o, s, b)                                                                                      \
  { .family = f, .op = o, .signature = s, .body = b }

/* Every operation and type, each lane its own word. `n` is the number of the brace that holds the type, the
 * first brace being the space. */
#define ATOM_OWN(ops, n)                                                                                     \
  ROW("atom.global", "atom{,.global}." ops, "$" n ",$" n ":$" n ",$" n, OWN(n, "@@ %d, [%pm], %b;")),        \
      ROW("atom.shared", "atom{.shared,.shared::cta,.shared::cluster}." ops, "$" n ",$" n ":$" n ",$" n,     \
          OWN_S(n, "@@ %d, [%ps], %b;"))
#define RED_OWN(ops, n)                                                                                      \
  ROW("red.global", "red{,.global}." ops, "$" n ":$" n ",$" n, OWN_R(n, "@@ [%pm], %b;")),                   \
      ROW("red.shared", "red{.shared,.shared::cta,.shared::cluster}." ops, "$" n ":$" n ",$" n,              \
          OWN_RS(n, "@@ [%ps], %b;"))
#define ORDERED_OWN(ops, n)                                                                                  \
  ROW("atom.order", "atom" SEM SCOPE "{,.global}." ops, "$" n ",$" n ":$" n ",$" n,                          \
      OWN(n, "@@ %d, [%pm], %b;")),                                                                          \
      ROW("atom.order", "red{.relaxed,.release}" SCOPE "{,.global}." ops, "$" n ":$" n ",$" n,               \
          OWN_R(n, "@@ [%pm], %b;"))

static const struct row OWN_WORD[] = {
    ATOM_OWN("{and,or,xor}.{b32,b64}", "3"),
    ATOM_OWN("{add}.{u32,s32,u64}", "3"),
    ATOM_OWN("{inc,dec}.{u32}", "3"),
    ATOM_OWN("{min,max}.{u32,s32,u64,s64}", "3"),
    ATOM_OWN("{exch}.{b32,b64}", "3"),
    RED_OWN("{and,or,xor}.{b32,b64}", "3"),
    RED_OWN("{add}.{u32,s32,u64}", "3"),
    RED_OWN("{inc,dec}.{u32}", "3"),
    RED_OWN("{min,max}.{u32,s32,u64,s64}", "3"),
    ORDERED_OWN("{and,or,xor}.{b32,b64}", "5"),
    ORDERED_OWN("{add}.{u32,u64}", "5"),
    ORDERED_OWN("{min,max}.{s32,u64}", "5"),
    ROW("atom.order", "atom" SEM SCOPE "{,.global}.{exch}.{b32,b64}", "$5,$5:$5,$5",
        OWN("5", "@@ %d, [%pm], %b;")),
    ROW("atom.global", "atom{,.global}.cas.{b16,b32,b64}", "$2,$2:$2,$2,$2,bit",
        "setp.ne.u32 %p0, %h, 0; selp.$2 %b, %a, %b, %p0; " OWN("2", "@@ %d, [%pm], %b, %c;")),
    ROW("atom.shared", "atom{.shared,.shared::cta,.shared::cluster}.cas.{b16,b32,b64}", "$2,$2:$2,$2,$2,bit",
        "setp.ne.u32 %p0, %h, 0; selp.$2 %b, %a, %b, %p0; " OWN_S("2", "@@ %d, [%ps], %b, %c;")),
    ROW("atom.order", "atom" SEM SCOPE "{,.global}.cas.{b32,b64}", "$4,$4:$4,$4,$4,bit",
        "setp.ne.u32 %p0, %h, 0; selp.$4 %b, %a, %b, %p0; " OWN("4", "@@ %d, [%pm], %b, %c;")),
    ROW("atom.global", "atom{,.global}.exch.b128", "b64,b64,b64,b64:raw64*2,raw64*2",
        ".reg .b128 %q, %k; st.global.v2.b64 [%pm], {%a0, %a1}; mov.b128 %q, {%b0, %b1}; @@ %k, [%pm], %q; "
        "mov.b128 {%d, %e}, %k; ld.global.v2.b64 {%f, %g}, [%pm];"),
    ROW("atom.global", "atom{,.global}.cas.b128", "b64,b64,b64,b64:raw64*2,raw64*2,bit",
        ".reg .b128 %q, %k, %n; st.global.v2.b64 [%pm], {%a0, %a1}; setp.ne.u32 %p0, %c, 0; "
        "selp.b64 %l0, %a0, %b0, %p0; mov.b128 %q, {%l0, %a1}; mov.b128 %n, {%b0, %b1}; @@ %k, [%pm], %q, "
        "%n; "
        "mov.b128 {%d, %e}, %k; ld.global.v2.b64 {%f, %g}, [%pm];"),
};

#define FLOAT_ATOM(op, cls, mem)                                                                             \
  ROW("atom.float", "atom{,.global}." op, cls "," cls ":" cls "," cls,                                       \
      "st.global" mem " [%pm], %a; @@ %d, [%pm], %b; ld.global" mem " %e, [%pm];"),                          \
      ROW("atom.float", "atom{.shared,.shared::cta,.shared::cluster}." op, cls "," cls ":" cls "," cls,      \
          "st.shared" mem " [%ps], %a; @@ %d, [%ps], %b; ld.shared" mem " %e, [%ps];"),                      \
      ROW("atom.float", "red{,.global}." op, cls ":" cls "," cls,                                            \
          "st.global" mem " [%pm], %a; @@ [%pm], %b; ld.global" mem " %d, [%pm];"),                          \
      ROW("atom.float", "red{.shared,.shared::cta,.shared::cluster}." op, cls ":" cls "," cls,               \
          "st.shared" mem " [%ps], %a; @@ [%ps], %b; ld.shared" mem " %d, [%ps];")

#define FLOAT_ONE(op, cls, mem)                                                                              \
  ROW("atom.one", "atom{,.global}." op " one", cls ":" cls "," cls,                                          \
      "setp.eq.u32 %p0, %th, 0; @%p0 st.global" mem " [%pq], %a; bar.sync 0; @@ %d, [%pq], %b; bar.sync 0; " \
      "ld.global" mem " %d, [%pq];"),                                                                        \
      ROW("atom.one", "red{,.global}." op " one", cls ":" cls "," cls,                                       \
          "setp.eq.u32 %p0, %th, 0; @%p0 st.global" mem " [%pq], %a; bar.sync 0; @@ [%pq], %b; bar.sync 0; " \
          "ld.global" mem " %d, [%pq];"),                                                                    \
      ROW("atom.one", "atom.shared." op " one", cls ":" cls "," cls,                                         \
          "mov.u32 %r0, sm; setp.eq.u32 %p0, %th, 0; @%p0 st.shared" mem                                     \
          " [%r0], %a; bar.sync 0; @@ %d, [%r0], %b; "                                                       \
          "bar.sync 0; ld.shared" mem " %d, [%r0];"),                                                        \
      ROW("atom.one", "red.shared." op " one", cls ":" cls "," cls,                                          \
          "mov.u32 %r0, sm; setp.eq.u32 %p0, %th, 0; @%p0 st.shared" mem                                     \
          " [%r0], %a; bar.sync 0; @@ [%r0], %b; "                                                           \
          "bar.sync 0; ld.shared" mem " %d, [%r0];")

static const struct row FLOATS[] = {
    FLOAT_ATOM("add.f32", "f32", ".f32"),           FLOAT_ATOM("add.f64", "f64", ".f64"),
    FLOAT_ATOM("add.noftz.f16", "f16", ".b16"),     FLOAT_ATOM("add.noftz.bf16", "bf16", ".b16"),
    FLOAT_ATOM("add.noftz.f16x2", "f16x2", ".b32"), FLOAT_ATOM("add.noftz.bf16x2", "bf16x2", ".b32"),
};

/* Vector forms, on global memory only. */
#define R2(x) "{%" x "0, %" x "1}"
#define R4(x) "{%" x "0, %" x "1, %" x "2, %" x "3}"
#define R8(x) "{%" x "0, %" x "1, %" x "2, %" x "3, %" x "4, %" x "5, %" x "6, %" x "7}"
#define VECTOR(op, list, n, cls, mem)                                                                        \
  ROW("atom.vector", "atom{,.global}.add." op, cls "*" n "," cls "*" n ":" cls "*" n "," cls "*" n,          \
      "st.global.v" n mem                                                                                    \
      " [%pm], " list("a") "; @@ " list("d") ", [%pm], " list("b") "; ld.global.v" n mem                     \
                                                                   " " list("e") ", [%pm];"),                \
      ROW("atom.vector", "red{,.global}.add." op, cls "*" n ":" cls "*" n "," cls "*" n,                     \
          "st.global.v" n mem " [%pm], " list("a") "; @@ [%pm], " list("b") "; ld.global.v" n mem            \
                                                                            " " list("d") ", [%pm];")
#define VECTOR_MM(op, list, n, cls, mem)                                                                     \
  ROW("atom.vector", "atom{,.global}.{min,max}." op, cls "*" n "," cls "*" n ":" cls "*" n "," cls "*" n,    \
      "st.global.v" n mem                                                                                    \
      " [%pm], " list("a") "; @@ " list("d") ", [%pm], " list("b") "; ld.global.v" n mem                     \
                                                                   " " list("e") ", [%pm];")

/* Eight halves: memory is written and read by four of them. */
#define UPPER(x) "{%" x "4, %" x "5, %" x "6, %" x "7}"
#define PUT8(x) "st.global.v4.b16 [%pm], " R4(x) "; st.global.v4.b16 [%pm+8], " UPPER(x) "; "
#define GET8(x) "ld.global.v4.b16 " R4(x) ", [%pm]; ld.global.v4.b16 " UPPER(x) ", [%pm+8];"
#define EIGHT(t)                                                                                             \
  ROW("atom.vector", "atom{,.global}.{add,min,max}.noftz.v8." t, t "*8," t "*8:" t "*8," t "*8",             \
      PUT8("a") "@@ " R8("d") ", [%pm], " R8("b") "; " GET8("e")),                                           \
      ROW("atom.vector", "red{,.global}.{add,min,max}.noftz.v8." t, t "*8:" t "*8," t "*8",                  \
          PUT8("a") "@@ [%pm], " R8("b") "; " GET8("d"))

static const struct row VECTORS[] = {
    VECTOR("v2.f32", R2, "2", "f32", ".f32"),
    VECTOR("v4.f32", R4, "4", "f32", ".f32"),
    VECTOR("noftz.v2.f16", R2, "2", "f16", ".b16"),
    VECTOR("noftz.v4.f16", R4, "4", "f16", ".b16"),
    VECTOR("noftz.v2.bf16", R2, "2", "bf16", ".b16"),
    VECTOR("noftz.v4.bf16", R4, "4", "bf16", ".b16"),
    VECTOR("noftz.v2.f16x2", R2, "2", "f16x2", ".b32"),
    VECTOR("noftz.v4.f16x2", R4, "4", "f16x2", ".b32"),
    VECTOR("noftz.v2.bf16x2", R2, "2", "bf16x2", ".b32"),
    VECTOR("noftz.v4.bf16x2", R4, "4", "bf16x2", ".b32"),
    VECTOR_MM("noftz.v2.f16", R2, "2", "f16", ".b16"),
    VECTOR_MM("noftz.v4.bf16", R4, "4", "bf16", ".b16"),
    VECTOR_MM("noftz.v2.f16x2", R2, "2", "f16x2", ".b32"),
    VECTOR_MM("noftz.v4.bf16x2", R4, "4", "bf16x2", ".b32"),
    EIGHT("f16"),
    EIGHT("bf16"),
};

static const struct row ONE_WORD[] = {
    ROW("atom.one", "atom{,.global}.{and,or,xor}.{b32,b64} one", "$3:$3,$3", ONE_G("3", "@@ %d, [%pq], %b;")),
    ROW("atom.one", "atom{,.global}.add.{u32,s32,u64} one", "$2:$2,$2", ONE_G("2", "@@ %d, [%pq], %b;")),
    ROW("atom.one", "atom{,.global}.{min,max}.{u32,s32,u64,s64} one", "$3:$3,$3",
        ONE_G("3", "@@ %d, [%pq], %b;")),
    ROW("atom.one", "atom.shared.{and,or,xor}.{b32,b64} one", "$2:$2,$2", ONE_S("2", "@@ %d, [%r0], %b;")),
    ROW("atom.one", "atom.shared.add.{u32,s32,u64} one", "$1:$1,$1", ONE_S("1", "@@ %d, [%r0], %b;")),
    ROW("atom.one", "atom.shared.{min,max}.{u32,s32,u64,s64} one", "$2:$2,$2",
        ONE_S("2", "@@ %d, [%r0], %b;")),
    ROW("atom.one", "red{,.global}.{and,or,xor}.{b32,b64} one", "$3:$3,$3", ONE_G("3", "@@ [%pq], %b;")),
    ROW("atom.one", "red{,.global}.add.{u32,s32,u64} one", "$2:$2,$2", ONE_G("2", "@@ [%pq], %b;")),
    ROW("atom.one", "red{,.global}.{min,max}.{u32,s32,u64,s64} one", "$3:$3,$3", ONE_G("3", "@@ [%pq], %b;")),
    ROW("atom.one", "red.shared.{and,or,xor}.{b32,b64} one", "$2:$2,$2", ONE_S("2", "@@ [%r0], %b;")),
    ROW("atom.one", "red.shared.add.{u32,s32,u64} one", "$1:$1,$1", ONE_S("1", "@@ [%r0], %b;")),
    ROW("atom.one", "red.shared.{min,max}.{u32,s32,u64,s64} one", "$2:$2,$2", ONE_S("2", "@@ [%r0], %b;")),
    ROW("atom.one", "atom{,.global}.{inc,dec}.{u32} one", "$3:small",
        "setp.eq.u32 %p0, %th, 0; @%p0 st.global.u32 [%pq], %a; bar.sync 0; @@ %r0, [%pq], 100; bar.sync 0; "
        "ld.global.u32 %d, [%pq];"),
    ROW("atom.one", "atom.shared.{inc,dec}.{u32} one", "$2:small",
        "mov.u32 %r1, sm; setp.eq.u32 %p0, %th, 0; @%p0 st.shared.u32 [%r1], %a; bar.sync 0; @@ %r0, [%r1], "
        "100; "
        "bar.sync 0; ld.shared.u32 %d, [%r1];"),
    ROW("atom.one", "atom{,.global}.cas.b32 winners", "u32:",
        "setp.eq.u32 %p0, %th, 0; mov.b32 %r0, 7; @%p0 st.global.b32 [%pq], %r0; bar.sync 0; @@ %r1, [%pq], "
        "7, 9; "
        "setp.eq.u32 %p1, %r1, 7; bar.red.popc.u32 %d, 0, %p1;"),
    ROW("atom.one", "atom.shared.cas.b64 winners", "u32:",
        "setp.eq.u32 %p0, %th, 0; mov.b64 %l0, 7; mov.u32 %r0, sm; @%p0 st.shared.b64 [%r0], %l0; bar.sync "
        "0; "
        "@@ %l1, [%r0], 7, 9; setp.eq.u64 %p1, %l1, 7; bar.red.popc.u32 %d, 0, %p1;"),
    FLOAT_ONE("add.f32", "nf32", ".f32"),
    FLOAT_ONE("add.f64", "nf64", ".f64"),
    FLOAT_ONE("add.noftz.f16", "nf16", ".b16"),
    FLOAT_ONE("add.noftz.bf16", "nbf16", ".b16"),
    FLOAT_ONE("add.noftz.f16x2", "nf16x2", ".b32"),
    FLOAT_ONE("add.noftz.bf16x2", "nbf16x2", ".b32"),
};

void rows_atomic(struct variants *all) {
  variants_add_rows(all, OWN_WORD, sizeof OWN_WORD / sizeof OWN_WORD[0]);
  variants_add_rows(all, FLOATS, sizeof FLOATS / sizeof FLOATS[0]);
  variants_add_rows(all, VECTORS, sizeof VECTORS / sizeof VECTORS[0]);
  variants_add_rows(all, ONE_WORD, sizeof ONE_WORD / sizeof ONE_WORD[0]);
}
