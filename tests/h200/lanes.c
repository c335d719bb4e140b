/* Probes of how an SM serves one memory instruction of a warp, by where its lanes point: distinct lines, sectors and banks. The same
 * program runs on a real GPU and on Heddle. One measurement a line of standard input:
 *
 *   OP BYTES WARPS TURNS APART SHAPE A B C STEP FROM
 *
 *   OP      ld, ldcg, st, red (global), lds, sts (shared): cycles an instruction of an SM, four in a row before the loop's branch
 *           lat, lats: one after the other, each waiting for the last, global and shared: cycles from one to the next
 *   BYTES   of a lane: 1, 2, 4, 8, 16
 *   APART   bytes from one warp's addresses to the next warp's
 *   SHAPE   where lane i points: split: i / A * B + i % A * C;  random: anywhere in B bytes, seed A, aligned to C;
 *           banks: in one of B lines C bytes apart, chosen with seed A, in the bank that is its own
 *   STEP    bytes that lanes from number FROM on move a turn, the others stay
 *
 * Addresses of the four instructions of a turn are 16 KB apart. One CTA; a launch before the one that is timed brings the data
 * into the caches. Usage: lanes < FILE; prints each line with its answer. */
#include "driver.h"

#include <stdbool.h>
#include <string.h>

enum { FOUR_APART = 16384, MOST = 1 << 27 };

struct line {
  char op[8], shape[8];
  unsigned bytes, warps, turns, apart, a, b, c, step, from;
};

static unsigned long long random_state;
static unsigned random_below(unsigned n) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (unsigned)(random_state >> 20) % n;
}

static void place_lanes(const struct line *l, unsigned at[32]) {
  random_state = 88172645463325252ull + l->a;
  for (unsigned i = 0; i < 32; i++) {
    if (!strcmp(l->shape, "split")) at[i] = i / l->a * l->b + i % l->a * l->c;
    else if (!strcmp(l->shape, "random")) at[i] = random_below(l->b / l->c) * l->c;
    else at[i] = random_below(l->b) * l->c + i * 4;
  }
}

/* ---- the kernel -------------------------------------------------------------------------------------------------------- */

struct text {
  char at[1 << 14];
  size_t n;
};
#define ADD(t, ...) ((t)->n += (size_t)snprintf((t)->at + (t)->n, sizeof (t)->at - (t)->n, __VA_ARGS__))

/* One access of four; registers v10 to v13 are the first one's, v20 to v23 the second's. */
static void add_access(struct text *t, const struct line *l, unsigned k, bool shared, bool store) {
  static const char *const vector[] = {"", "", ".v2", "", ".v4"}, *const type[] = {"", "u8", "u16", "", "b32"};
  unsigned words = l->bytes > 4 ? l->bytes / 4 : 1;
  const char *kind = l->bytes > 4 ? "b32" : type[l->bytes], *what = !strcmp(l->op, "red") ? "red" : store ? "st" : "ld";
  char value[64];
  snprintf(value, sizeof value,
           words == 1 ? "%%v%u0" : words == 2 ? "{%%v%u0, %%v%u1}" : "{%%v%u0, %%v%u1, %%v%u2, %%v%u3}", k + 1, k + 1, k + 1, k + 1);
  ADD(t, "  %s.%s%s%s.%s ", what, shared ? "shared" : "global",
      !strcmp(what, "red") ? ".add" : !strcmp(l->op, "ldcg") ? ".cg" : !strcmp(what, "ld") && !shared ? ".ca" : "", vector[words],
      !strcmp(what, "red") ? "u32" : kind);
  if (store) ADD(t, "[%s+%u], %s;\n", shared ? "%r9" : "%rd9", k * FOUR_APART, value);
  else ADD(t, "%s, [%s+%u];\n", value, shared ? "%r9" : "%rd9", k * FOUR_APART);
}

static void add_turn(struct text *t, const struct line *l, bool shared, bool store) {
  unsigned words = l->bytes > 4 ? l->bytes / 4 : 1;
  if (!strncmp(l->op, "lat", 3)) {
    add_access(t, l, 0, shared, false);
    ADD(t, shared ? "  add.u32 %%r9, %%r9, %%v10;\n" : "  cvt.u64.u32 %%rd8, %%v10;\n  add.u64 %%rd9, %%rd9, %%rd8;\n");
    return;
  }
  for (unsigned k = 0; k < 4; k++) add_access(t, l, k, shared, store);
  for (unsigned k = 0; !store && k < 4; k++)
    for (unsigned w = 0; w < words; w++) ADD(t, "  xor.b32 %%s%u, %%s%u, %%v%u%u;\n", w, w, k + 1, w);
  ADD(t, shared ? "  add.u32 %%r9, %%r9, %%r8;\n" : "  add.u64 %%rd9, %%rd9, %%rd7;\n");
}

static const char *write_kernel(struct text *t, const struct line *l) {
  bool shared = !strcmp(l->op, "lds") || !strcmp(l->op, "sts") || !strcmp(l->op, "lats");
  bool store = !strcmp(l->op, "st") || !strcmp(l->op, "sts") || !strcmp(l->op, "red");
  t->n = 0;
  ADD(t, ".version 8.0\n.target sm_70\n.address_size 64\n.extern .shared .align 16 .b8 block[];\n"
         ".visible .entry lanes(.param .u64 data, .param .u64 places, .param .u32 apart, .param .u32 turns, .param .u64 result) {\n"
         "  .reg .pred %%p<3>;\n  .reg .b32 %%r<12>, %%v<44>, %%s<4>;\n  .reg .b64 %%rd<16>;\n"
         "  ld.param.u64 %%rd1, [data];\n  ld.param.u64 %%rd2, [places];\n  ld.param.u32 %%r1, [apart];\n"
         "  ld.param.u32 %%r2, [turns];\n  ld.param.u64 %%rd3, [result];\n"
         "  mov.u32 %%r3, %%tid.x;\n  and.b32 %%r4, %%r3, 31;\n  shr.u32 %%r5, %%r3, 5;\n"
         "  mul.wide.u32 %%rd4, %%r4, 8;\n  add.u64 %%rd4, %%rd2, %%rd4;\n  ld.global.cg.v2.u32 {%%r6, %%r8}, [%%rd4];\n"
         "  mad.lo.u32 %%r6, %%r5, %%r1, %%r6;\n  cvt.u64.u32 %%rd7, %%r8;\n");
  for (unsigned w = 0; w < 4; w++) ADD(t, "  mov.u32 %%s%u, %%r3;\n", w);
  for (unsigned k = 0; k < 4; k++)
    for (unsigned w = 0; w < 4; w++) ADD(t, "  mov.u32 %%v%u%u, 0;\n", k + 1, w);
  if (shared) /* an address that the assembler does not know, and zeroes there */
    ADD(t, "  mov.u32 %%r9, block;\n  mov.u32 %%r10, %%r3;\nCLEAR:\n  .pragma \"nounroll\";\n  shl.b32 %%r11, %%r10, 2;\n"
           "  add.u32 %%r11, %%r11, %%r9;\n  st.shared.u32 [%%r11], %%v10;\n  mov.u32 %%r7, %%ntid.x;\n  add.u32 %%r10, %%r10, %%r7;\n"
           "  setp.lt.u32 %%p1, %%r10, 16384;\n  @%%p1 bra CLEAR;\n  add.u32 %%r9, %%r9, %%r6;\n");
  else ADD(t, "  cvt.u64.u32 %%rd8, %%r6;\n  add.u64 %%rd9, %%rd1, %%rd8;\n");
  ADD(t, "  bar.sync 0;\n  mov.u64 %%rd10, %%clock64;\nNEXT:\n  .pragma \"nounroll\";\n");
  add_turn(t, l, shared, store);
  ADD(t, "  sub.u32 %%r2, %%r2, 1;\n  setp.ne.u32 %%p2, %%r2, 0;\n  @%%p2 bra NEXT;\n");
  if (!strcmp(l->op, "lat")) ADD(t, "  cvt.u32.u64 %%s0, %%rd9;\n");
  if (!strcmp(l->op, "lats")) ADD(t, "  mov.u32 %%s0, %%r9;\n");
  for (unsigned w = 1; w < 4; w++) ADD(t, "  xor.b32 %%s0, %%s0, %%s%u;\n", w);
  ADD(t, "  setp.eq.u32 %%p1, %%s0, 305419896;\n  @%%p1 st.global.u32 [%%rd3+8], %%s0;\n"
         "  bar.sync 0;\n  mov.u64 %%rd11, %%clock64;\n  sub.u64 %%rd12, %%rd11, %%rd10;\n"
         "  setp.eq.u32 %%p1, %%r3, 0;\n  @%%p1 st.global.u64 [%%rd3], %%rd12;\n  ret;\n}\n");
  return t->at;
}

/* ---- a measurement ----------------------------------------------------------------------------------------------------- */

static double measure(const struct line *l, CUdeviceptr data, CUdeviceptr places, CUdeviceptr result) {
  static struct text text;
  unsigned at[32], table[64];
  unsigned long long cycles;
  unsigned apart = l->apart, turns = l->turns;
  bool shared = !strcmp(l->op, "lds") || !strcmp(l->op, "sts") || !strcmp(l->op, "lats"), latency = !strncmp(l->op, "lat", 3);
  CUmodule module;
  CUfunction f;
  place_lanes(l, at);
  for (unsigned i = 0; i < 32; i++) table[2 * i] = at[i], table[2 * i + 1] = i >= l->from ? l->step : 0;
  CHECK(cuMemcpyHtoD(places, table, sizeof table));
  CHECK(cuModuleLoadData(&module, write_kernel(&text, l)));
  CHECK(cuModuleGetFunction(&f, module, "lanes"));
  if (shared) CHECK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 4 * FOUR_APART));
  void *args[] = {&data, &places, &apart, &turns, &result};
  for (int i = 0; i < 2; i++) CHECK(cuLaunchKernel(f, 1, 1, 1, 32 * l->warps, 1, 1, shared ? 4 * FOUR_APART : 0, 0, args, 0));
  CHECK(cuMemcpyDtoH(&cycles, result, sizeof cycles));
  CHECK(cuModuleUnload(module));
  return (double)cycles / ((double)l->turns * (latency ? 1 : 4 * l->warps));
}

int main(void) {
  char text[256];
  (void)open_device();
  CUdeviceptr data, places, result;
  CHECK(cuMemAlloc(&data, MOST));
  CHECK(cuMemsetD8(data, 0, MOST));
  CHECK(cuMemAlloc(&places, 4096));
  CHECK(cuMemAlloc(&result, 4096));
  while (fgets(text, sizeof text, stdin)) {
    struct line l;
    if (sscanf(text, "%7s %u %u %u %u %7s %u %u %u %u %u", l.op, &l.bytes, &l.warps, &l.turns, &l.apart, l.shape, &l.a, &l.b, &l.c, &l.step,
               &l.from) != 11)
      continue;
    printf("%.*s = %.2f\n", (int)strcspn(text, "\n"), text, measure(&l, data, places, result));
    fflush(stdout);
  }
  return 0;
}
