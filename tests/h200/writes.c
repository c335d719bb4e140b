/* How fast stores leave an SM, L2 takes them and DRAM is written, on the CUDA driver API: the same program runs on a real GPU and on
 * Heddle. One measurement a line of standard input, printed with its answer:
 *
 *   stores CTAS APART WORDS   CTAs of 1,024 threads, one an SM, go through 8 MB (one CTA: 128 KB): lanes APART bytes apart write WORDS
 *                             words each, a store a word: cycles of an SM for the stores of a warp
 *   move READS WRITES MB      a kernel reads READS arrays of MB megabytes and writes WRITES others, 16 bytes a thread: microseconds,
 *                             the kernel's start included
 *
 * Cycles are of 1,980 MHz. Usage: writes < FILE. */
#include "driver.h"

#include <string.h>

enum { THREADS = 1024, ROUNDS = 8, MHZ = 1980, MOST_BYTES = 1 << 14, ARRAYS = 4 };

static CUdeviceptr arrays[ARRAYS];
static char text[MOST_BYTES];

static CUfunction function_of(void) {
  CUmodule m;
  CUfunction f;
  CHECK(cuModuleLoadData(&m, text));
  CHECK(cuModuleGetFunction(&f, m, "k"));
  return f;
}

static double microseconds(CUfunction f, unsigned ctas, unsigned threads, void **args) {
  CUevent begin, end;
  float ms;
  CHECK(cuEventCreate(&begin, 0));
  CHECK(cuEventCreate(&end, 0));
  CHECK(cuEventRecord(begin, 0));
  CHECK(cuLaunchKernel(f, ctas, 1, 1, threads, 1, 1, 0, 0, args, 0));
  CHECK(cuEventRecord(end, 0));
  CHECK(cuEventSynchronize(end));
  CHECK(cuEventElapsedTime(&ms, begin, end));
  CHECK(cuEventDestroy(begin));
  CHECK(cuEventDestroy(end));
  return 1e3 * ms;
}

static const char stores_head[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .entry k(.param .u64 data, .param .u32 chunks, .param .u32 bytes, .param .u32 apart, .param .u32 rounds) {\n"
    "  .reg .pred %p<4>;\n  .reg .b32 %r<16>;\n  .reg .b64 %rd<8>;\n"
    "  ld.param.u64 %rd0, [data];\n  ld.param.u32 %r0, [chunks];\n  ld.param.u32 %r1, [bytes];\n  ld.param.u32 %r2, [apart];\n"
    "  ld.param.u32 %r3, [rounds];\n  mov.u32 %r4, %tid.x;\n  and.b32 %r5, %r4, 31;\n  shr.u32 %r6, %r4, 5;\n  mov.u32 %r7, %ctaid.x;\n"
    "  mad.lo.u32 %r6, %r7, 32, %r6;\n  mov.u32 %r8, %nctaid.x;\n  mul.lo.u32 %r8, %r8, 32;\n  mul.wide.u32 %rd1, %r5, %r2;\n"
    "  add.u64 %rd0, %rd0, %rd1;\n"
    "ROUND:\n  .pragma \"nounroll\";\n  mov.u32 %r9, %r6;\n"
    "NEXT:\n  .pragma \"nounroll\";\n  mul.wide.u32 %rd2, %r9, %r1;\n  add.u64 %rd2, %rd0, %rd2;\n";
static const char stores_tail[] =
    "  add.u32 %r9, %r9, %r8;\n  setp.lt.u32 %p0, %r9, %r0;\n  @%p0 bra NEXT;\n"
    "  sub.u32 %r3, %r3, 1;\n  setp.ne.u32 %p1, %r3, 0;\n  @%p1 bra ROUND;\n  ret;\n}\n";

/* Of twice as many rounds less those of once as many, so that what a launch costs does not count. */
static double stores(unsigned ctas, unsigned apart, unsigned words) {
  unsigned bytes = 32 * apart, chunks = (ctas > 1 ? 8u << 20 : 128u << 10) / bytes, once = ROUNDS, twice = 2 * ROUNDS;
  char *at = text + strlen(strcpy(text, stores_head));
  for (unsigned i = 0; i < words; i++) at += sprintf(at, "  st.global.u32 [%%rd2+%u], %%r9;\n", 4 * i);
  strcpy(at, stores_tail);
  CUfunction f = function_of();
  void *first[] = {&arrays[0], &chunks, &bytes, &apart, &once}, *second[] = {&arrays[0], &chunks, &bytes, &apart, &twice};
  (void)microseconds(f, ctas, THREADS, first);
  double us = microseconds(f, ctas, THREADS, second) - microseconds(f, ctas, THREADS, first);
  return us * MHZ * ctas / (ROUNDS * (double)chunks * words);
}

static double move(unsigned reads, unsigned writes, unsigned mb) {
  char *at = text;
  unsigned n = mb << 16;
  at += sprintf(at, ".version 7.5\n.target sm_75\n.address_size 64\n"
                    ".visible .entry k(.param .u64 a0, .param .u64 a1, .param .u64 a2, .param .u64 a3, .param .u32 n) {\n"
                    "  .reg .pred %%p<2>;\n  .reg .b32 %%r<8>;\n  .reg .f32 %%f<8>;\n  .reg .b64 %%rd<8>;\n"
                    "  mov.u32 %%r1, %%tid.x;\n  mov.u32 %%r2, %%ctaid.x;\n  mad.lo.u32 %%r1, %%r2, 256, %%r1;\n  ld.param.u32 %%r0, [n];\n"
                    "  setp.ge.u32 %%p0, %%r1, %%r0;\n  @%%p0 bra END;\n  mul.wide.u32 %%rd4, %%r1, 16;\n"
                    "  mov.f32 %%f0, 0f3F800000;\n  mov.f32 %%f1, %%f0;\n  mov.f32 %%f2, %%f0;\n  mov.f32 %%f3, %%f0;\n");
  for (unsigned i = 0; i < reads; i++)
    at += sprintf(at, "  ld.param.u64 %%rd0, [a%u];\n  add.u64 %%rd0, %%rd0, %%rd4;\n"
                      "  ld.global.v4.f32 {%%f4,%%f5,%%f6,%%f7}, [%%rd0];\n"
                      "  add.f32 %%f0, %%f0, %%f4;\n  add.f32 %%f1, %%f1, %%f5;\n  add.f32 %%f2, %%f2, %%f6;\n"
                      "  add.f32 %%f3, %%f3, %%f7;\n",
                  i);
  for (unsigned i = 0; i < writes; i++)
    at += sprintf(at, "  ld.param.u64 %%rd0, [a%u];\n  add.u64 %%rd0, %%rd0, %%rd4;\n  st.global.v4.f32 [%%rd0], {%%f0,%%f1,%%f2,%%f3};\n",
                  ARRAYS - 1 - i);
  strcpy(at, "END:\n  ret;\n}\n");
  CUfunction f = function_of();
  void *args[] = {&arrays[0], &arrays[1], &arrays[2], &arrays[3], &n};
  (void)microseconds(f, n / 256, 256, args);
  return microseconds(f, n / 256, 256, args);
}

static double answer(const char *line) {
  unsigned a, b, c;
  if (sscanf(line, "stores %u %u %u", &a, &b, &c) == 3) return stores(a, b, c);
  return sscanf(line, "move %u %u %u", &a, &b, &c) == 3 ? move(a, b, c) : -1;
}

int main(void) {
  char line[256];
  (void)open_device();
  for (unsigned i = 0; i < ARRAYS; i++) CHECK(cuMemAlloc(&arrays[i], 256u << 20));
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    printf("%s = %.2f\n", line, answer(line));
    fflush(stdout);
  }
  return 0;
}
