/* Probes of stores that L1 keeps, of local and of global memory, on the CUDA driver API: the same program runs on a real GPU and on Heddle.
 * One measurement a line of standard input, printed with its answer, core cycles:
 *
 *   chase WORDS WARPS CTAS         each thread writes WORDS words of local memory, then follows them (each has the next one's place)
 *   store WORDS WARPS CTAS         each thread writes its WORDS words again and again: a store, in cycles of an SM
 *   spill WORDS WARPS CTAS         the same, each followed by a load of what was written WORDS - 1 stores before: a store and a load
 *   after BYTES SKIP LANES         LANES lanes of a warp write a word of global memory each, BYTES apart, where L1 has nothing; 20,000
 *                                  cycles later a load of the words SKIP bytes behind
 *   again LANES BETWEEN BUSY       lanes of a warp whose lines L1 has whole write a word each, then BETWEEN other lines are written to,
 *                                  then the next word of theirs; with BUSY 1 there are 32 stores before; later a load of the first
 *                                  lane's third word
 *   fetched LANES SKIP ONCE        lanes read a word each of lines that L1 does not have and, with ONCE 0, write the word SKIP bytes behind
 *                                  at once; later a load of the first word
 *
 * CTAS of 132 are one an SM of an H200. Usage: local < FILE. */
#include "driver.h"

#include <string.h>

enum { ARENA = 64 << 20, TURNS = 4096, MOST_BYTES = 1 << 14, MOST_WORDS = 1024 };

static const char text[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .entry chase(.param .u64 result, .param .u32 words, .param .u32 turns) {\n"
    "  .local .align 16 .b8 here[4096];\n  .reg .pred %p<4>;\n  .reg .b32 %r<16>;\n  .reg .b64 %rd<12>;\n"
    "  ld.param.u64 %rd0, [result];\n  ld.param.u32 %r0, [words];\n  ld.param.u32 %r1, [turns];\n  mov.u32 %r2, here;\n  mov.u32 %r3, 0;\n"
    "FILL:\n  .pragma \"nounroll\";\n  add.u32 %r4, %r3, 1;\n  setp.ge.u32 %p0, %r4, %r0;\n  selp.u32 %r5, 0, %r4, %p0;\n"
    "  mad.lo.u32 %r6, %r3, 4, %r2;\n  mad.lo.u32 %r7, %r5, 4, %r2;\n  st.local.u32 [%r6], %r7;\n  mov.u32 %r3, %r4;\n"
    "  setp.lt.u32 %p1, %r3, %r0;\n  @%p1 bra FILL;\n"
    "  bar.sync 0;\n  mov.u32 %r8, %r2;\n  mov.u64 %rd1, %clock64;\n"
    "NEXT:\n  .pragma \"nounroll\";\n  ld.local.u32 %r8, [%r8];\n  ld.local.u32 %r8, [%r8];\n  ld.local.u32 %r8, [%r8];\n"
    "  ld.local.u32 %r8, [%r8];\n  sub.u32 %r1, %r1, 4;\n  setp.ne.u32 %p2, %r1, 0;\n  @%p2 bra NEXT;\n"
    "  setp.eq.u32 %p3, %r8, 305419896;\n  @%p3 st.global.u32 [%rd0+8], %r8;\n"
    "  bar.sync 0;\n  mov.u64 %rd2, %clock64;\n  sub.u64 %rd2, %rd2, %rd1;\n  st.global.u64 [%rd0], %rd2;\n  ret;\n}\n"
    ".visible .entry store(.param .u64 result, .param .u32 words, .param .u32 turns) {\n"
    "  .local .align 16 .b8 here[4096];\n  .reg .pred %p<4>;\n  .reg .b32 %r<16>;\n  .reg .b64 %rd<12>;\n"
    "  ld.param.u64 %rd0, [result];\n  ld.param.u32 %r0, [words];\n  ld.param.u32 %r1, [turns];\n  mov.u32 %r2, here;\n"
    "  mul.lo.u32 %r3, %r0, 4;\n  add.u32 %r3, %r3, %r2;\n  mov.u32 %r4, %r2;\n  mov.u32 %r8, 0;\n"
    "  bar.sync 0;\n  mov.u64 %rd1, %clock64;\n"
    "NEXT:\n  .pragma \"nounroll\";\n  st.local.u32 [%r4], %r1;\n  add.u32 %r4, %r4, 4;\n  setp.ge.u32 %p0, %r4, %r3;\n"
    "  selp.u32 %r4, %r2, %r4, %p0;\n  LOAD\n  sub.u32 %r1, %r1, 1;\n  setp.ne.u32 %p2, %r1, 0;\n  @%p2 bra NEXT;\n"
    "  ld.local.u32 %r7, [%r4];\n  xor.b32 %r8, %r8, %r7;\n  setp.eq.u32 %p3, %r8, 305419896;\n  @%p3 st.global.u32 [%rd0+8], %r8;\n"
    "  bar.sync 0;\n  mov.u64 %rd2, %clock64;\n  sub.u64 %rd2, %rd2, %rd1;\n  st.global.u64 [%rd0], %rd2;\n  ret;\n}\n"
    ".visible .entry after(.param .u64 result, .param .u64 place, .param .u32 apart, .param .u32 skip, .param .u32 lanes) {\n"
    "  .reg .pred %p<4>;\n  .reg .b32 %r<16>;\n  .reg .b64 %rd<12>;\n"
    "  ld.param.u64 %rd0, [result];\n  ld.param.u64 %rd1, [place];\n  ld.param.u32 %r0, [apart];\n  ld.param.u32 %r1, [skip];\n"
    "  ld.param.u32 %r9, [lanes];\n  mov.u32 %r2, %tid.x;\n  mul.wide.u32 %rd2, %r2, %r0;\n  add.u64 %rd1, %rd1, %rd2;\n"
    "  cvt.u64.u32 %rd3, %r1;\n"
    "  setp.ge.u32 %p0, %r2, %r9;\n  @%p0 ret;\n  st.global.u32 [%rd1], %r2;\n  add.u64 %rd1, %rd1, %rd3;\n"
    "  mov.u64 %rd10, %clock64;\nWAIT:\n  mov.u64 %rd11, %clock64;\n  sub.u64 %rd11, %rd11, %rd10;\n"
    "  setp.lt.u64 %p1, %rd11, 20000;\n  @%p1 bra WAIT;\n"
    "  mov.u64 %rd4, %clock64;\n  ld.global.ca.u32 %r4, [%rd1];\n  add.u32 %r4, %r4, 1;\n  setp.eq.u32 %p2, %r4, 305419896;\n"
    "  @%p2 st.global.u32 [%rd0+8], %r4;\n"
    "  mov.u64 %rd5, %clock64;\n  sub.u64 %rd5, %rd5, %rd4;\n  st.global.u64 [%rd0], %rd5;\n  ret;\n}\n"
    ".visible .entry again(.param .u64 result, .param .u64 place, .param .u32 lanes, .param .u32 between, .param .u32 busy) {\n"
    "  .reg .pred %p<8>;\n  .reg .b32 %r<16>;\n  .reg .b64 %rd<12>;\n"
    "  ld.param.u64 %rd0, [result];\n  ld.param.u64 %rd1, [place];\n  ld.param.u32 %r0, [lanes];\n  ld.param.u32 %r1, [between];\n"
    "  ld.param.u32 %r2, [busy];\n  mov.u32 %r3, %tid.x;\n  mul.wide.u32 %rd2, %r3, 4;\n  add.u64 %rd3, %rd1, %rd2;\n  mov.u32 %r4, 32;\n"
    "FILL:\n  .pragma \"nounroll\";\n  st.global.u32 [%rd3], %r3;\n  add.u64 %rd3, %rd3, 128;\n  sub.u32 %r4, %r4, 1;\n"
    "  setp.ne.u32 %p0, %r4, 0;\n  @%p0 bra FILL;\n  mul.wide.u32 %rd2, %r3, 128;\n  add.u64 %rd1, %rd1, %rd2;\n"
    "  setp.lt.u32 %p1, %r3, %r0;\n  setp.lt.u32 %p2, %r3, %r1;\n  sub.s32 %r5, %r1, 32;\n  setp.lt.s32 %p3, %r3, %r5;\n"
    "  setp.ne.u32 %p4, %r2, 0;\n  bar.sync 0;\n"
    "  mov.u64 %rd10, %clock64;\nWAIT:\n  mov.u64 %rd11, %clock64;\n  sub.u64 %rd11, %rd11, %rd10;\n"
    "  setp.lt.u64 %p0, %rd11, 20000;\n  @%p0 bra WAIT;\n"
    "  @%p4 st.global.u32 [%rd1+24576], %r3;\n  @%p1 st.global.u32 [%rd1], %r3;\n  @%p2 st.global.u32 [%rd1+8192], %r3;\n"
    "  @%p3 st.global.u32 [%rd1+16384], %r3;\n  @%p1 st.global.u32 [%rd1+4], %r3;\n  setp.ne.u32 %p6, %r3, 0;\n  @%p6 ret;\n"
    "  mov.u64 %rd10, %clock64;\nLATER:\n  mov.u64 %rd11, %clock64;\n  sub.u64 %rd11, %rd11, %rd10;\n"
    "  setp.lt.u64 %p0, %rd11, 20000;\n  @%p0 bra LATER;\n"
    "  mov.u64 %rd4, %clock64;\n  ld.global.ca.u32 %r6, [%rd1+8];\n  add.u32 %r6, %r6, 1;\n  setp.eq.u32 %p5, %r6, 305419896;\n"
    "  @%p5 st.global.u32 [%rd0+8], %r6;\n"
    "  mov.u64 %rd5, %clock64;\n  sub.u64 %rd5, %rd5, %rd4;\n  st.global.u64 [%rd0], %rd5;\n  ret;\n}\n"
    ".visible .entry fetched(.param .u64 result, .param .u64 place, .param .u32 lanes, .param .u32 skip, .param .u32 once) {\n"
    "  .reg .pred %p<8>;\n  .reg .b32 %r<16>;\n  .reg .b64 %rd<12>;\n"
    "  ld.param.u64 %rd0, [result];\n  ld.param.u64 %rd1, [place];\n  ld.param.u32 %r0, [lanes];\n  ld.param.u32 %r1, [skip];\n"
    "  ld.param.u32 %r2, [once];\n  mov.u32 %r3, %tid.x;\n  mul.wide.u32 %rd2, %r3, 128;\n  add.u64 %rd1, %rd1, %rd2;\n"
    "  cvt.u64.u32 %rd3, %r1;\n  add.u64 %rd3, %rd1, %rd3;\n  setp.ge.u32 %p1, %r3, %r0;\n  setp.eq.u32 %p2, %r2, 0;\n  @%p1 ret;\n"
    "  ld.global.ca.u32 %r5, [%rd1];\n  @%p2 st.global.u32 [%rd3], %r3;\n  add.u32 %r7, %r5, 1;\n"
    "  mov.u64 %rd10, %clock64;\nWAIT:\n  mov.u64 %rd11, %clock64;\n  sub.u64 %rd11, %rd11, %rd10;\n"
    "  setp.lt.u64 %p0, %rd11, 20000;\n  @%p0 bra WAIT;\n"
    "  mov.u64 %rd4, %clock64;\n  ld.global.ca.u32 %r6, [%rd1];\n  add.u32 %r6, %r6, %r7;\n  setp.eq.u32 %p5, %r6, 305419896;\n"
    "  @%p5 st.global.u32 [%rd0+8], %r6;\n"
    "  mov.u64 %rd5, %clock64;\n  sub.u64 %rd5, %rd5, %rd4;\n  st.global.u64 [%rd0], %rd5;\n  ret;\n}\n";

static CUdeviceptr result, arena;

static CUfunction function_of(const char *name, const char *load) {
  static char ptx[MOST_BYTES];
  const char *at = strstr(text, "LOAD");
  CUmodule module;
  CUfunction f;
  snprintf(ptx, sizeof ptx, "%.*s%s%s", (int)(at - text), text, load, at + strlen("LOAD"));
  CHECK(cuModuleLoadData(&module, ptx));
  CHECK(cuModuleGetFunction(&f, module, name));
  return f;
}

/* Cycles of the last CTA that ended. */
static double launch(CUfunction f, unsigned ctas, unsigned threads, void **args, int times) {
  unsigned long long cycles;
  for (int i = 0; i < times; i++) CHECK(cuLaunchKernel(f, ctas, 1, 1, threads, 1, 1, 0, 0, args, 0));
  CHECK(cuMemcpyDtoH(&cycles, result, sizeof cycles));
  return (double)cycles;
}

static double local(const char *what, unsigned words, unsigned warps, unsigned ctas) {
  int spill = !strcmp(what, "spill"), chases = !strcmp(what, "chase");
  unsigned turns = chases ? TURNS / 4 : TURNS / warps < 64 ? 64 : TURNS / warps;
  CUfunction f = function_of(chases ? "chase" : "store", spill ? "ld.local.u32 %r7, [%r4];\n  xor.b32 %r8, %r8, %r7;" : "");
  void *args[] = {&result, &words, &turns};
  return launch(f, ctas, 32 * warps, args, 2) / (chases ? turns : turns * warps);
}

/* One of the last three kernels, at a place of its own each time. */
static double at_a_place(CUfunction f, unsigned apart, unsigned skip, unsigned lanes) {
  static unsigned used;
  CUdeviceptr place = arena + (size_t)(1 + used++) * (1 << 16);
  void *args[] = {&result, &place, &apart, &skip, &lanes};
  (void)launch(f, 1, 32, args, 1); /* the code is there, and the lines are in L2 */
  CHECK(cuMemsetD8(arena, 0, 1 << 16));
  return launch(f, 1, 32, args, 1);
}

/* The least of four places: what goes to L2 is nearer from some. */
static double after(const char *what, unsigned apart, unsigned skip, unsigned lanes) {
  CUfunction f = function_of(what, "");
  double least = at_a_place(f, apart, skip, lanes);
  for (int i = 1; i < 4; i++) {
    double next = at_a_place(f, apart, skip, lanes);
    if (next < least) least = next;
  }
  return least;
}

static double answer(const char *line) {
  char what[32];
  unsigned a, b, c;
  if (sscanf(line, "%31s %u %u %u", what, &a, &b, &c) != 4) return -1;
  if (!strcmp(what, "after") || !strcmp(what, "again") || !strcmp(what, "fetched")) return after(what, a, b, c);
  return a <= MOST_WORDS ? local(what, a, b, c) : -1;
}

int main(void) {
  char line[256];
  (void)open_device();
  CHECK(cuMemAlloc(&result, 4096));
  CHECK(cuMemAlloc(&arena, ARENA));
  CHECK(cuMemsetD8(arena, 0, ARENA));
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    printf("%s = %.2f\n", line, answer(line));
    fflush(stdout);
  }
  return 0;
}
