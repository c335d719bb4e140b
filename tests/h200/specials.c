/* What reading special registers costs, on the CUDA driver API: the same program runs on a real GPU and on Heddle. One measurement a line
 * of standard input, printed with its answer:
 *
 *   read NAME WARPS            WARPS warps of an SM read the special register %NAME again and again: cycles of the SM for one
 *   chain NAME                 a warp does so behind a comparison of what it has read before: cycles from one to the next
 *   starts CTAS THREADS COUNT  a kernel whose threads read the first COUNT of %tid.x, %ctaid.x, %tid.y, %ctaid.y and end:
 *                              ns of a launch, of many in a row
 *
 * Usage: specials < FILE. */
#include "driver.h"

#include <string.h>

enum { COPIES = 32, TURNS = 16, LAUNCHES = 20, MOST_BYTES = 1 << 14 };

static const char head[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 result, .param .u32 whole) {\n"
    "  .reg .pred %p<4>;\n  .reg .b32 %r<16>;\n  .reg .b64 %rd<8>;\n  ld.param.u64 %rd0, [result];\n  ld.param.u32 %r9, [whole];\n";
static const char begin[] =
    "  mov.u32 %r10, %tid.x;\n  mov.u32 %r0, %r10;\n  mov.u32 %r1, %r10;\n  mov.u32 %r2, %r10;\n  mov.u32 %r3, %r10;\n  mov.u32 %r11, 0;\n"
    "  bar.sync 0;\n  mov.u64 %rd1, %clock64;\nNEXT:\n  .pragma \"nounroll\";\n";
static const char end[] =
    "  add.u32 %r11, %r11, 1;\n  setp.ne.u32 %p1, %r11, 16;\n  @%p1 bra NEXT;\n  xor.b32 %r0, %r0, %r1;\n  xor.b32 %r0, %r0, %r2;\n"
    "  xor.b32 %r0, %r0, %r3;\n  setp.eq.u32 %p1, %r0, 305419896;\n  @%p1 st.global.u32 [%rd0+8], %r0;\n  bar.sync 0;\n"
    "  mov.u64 %rd2, %clock64;\n  sub.u64 %rd2, %rd2, %rd1;\n  setp.ne.u32 %p1, %r10, 0;\n  @%p1 bra END;\n"
    "  st.global.u64 [%rd0], %rd2;\nEND:\n  ret;\n}\n";

static char text[MOST_BYTES];
static CUdeviceptr result;

static void write_reads(const char *name, int chained) {
  char *at = text + strlen(strcpy(text, head));
  at += strlen(strcpy(at, begin));
  for (int i = 0; i < COPIES; i++)
    at += chained ? sprintf(at, "  setp.ne.u32 %%p0, %%r0, 7;\n  @%%p0 mov.u32 %%r0, %%%s;\n  add.u32 %%r0, %%r0, %%r9;\n", name)
                  : sprintf(at, "  {.reg .b32 t; mov.u32 t, %%%s; add.u32 %%r%d, %%r%d, t;}\n", name, i % 4, i % 4);
  strcpy(at, end);
}

static void write_start(unsigned count) {
  static const char *const names[] = {"tid.x", "ctaid.x", "tid.y", "ctaid.y"};
  char *at = text + strlen(strcpy(text, head));
  at += sprintf(at, "  mov.u32 %%r0, %%r9;\n");
  for (unsigned i = 0; i < count && i < 4; i++)
    at += sprintf(at, "  mov.u32 %%r1, %%%s;\n  mad.lo.u32 %%r0, %%r0, %%r9, %%r1;\n", names[i]);
  strcpy(at, "  setp.ne.u32 %p1, %r0, 305419896;\n  @%p1 bra END;\n  st.global.u32 [%rd0], %r0;\nEND:\n  ret;\n}\n");
}

static CUfunction load(CUmodule *m) {
  CUfunction f;
  CHECK(cuModuleLoadData(m, text));
  CHECK(cuModuleGetFunction(&f, *m, "k"));
  return f;
}

static double cycles_of(unsigned warps) {
  CUmodule m;
  CUfunction f = load(&m);
  unsigned whole = 3;
  unsigned long long cycles;
  void *args[] = {&result, &whole};
  for (int i = 0; i < 2; i++) CHECK(cuLaunchKernel(f, 1, 1, 1, 32 * warps, 1, 1, 0, 0, args, 0));
  CHECK(cuMemcpyDtoH(&cycles, result, sizeof cycles));
  CHECK(cuModuleUnload(m));
  return (double)cycles / (COPIES * TURNS);
}

static double ns_of_launch(unsigned ctas, unsigned threads) {
  CUmodule m;
  CUfunction f = load(&m);
  CUevent from, to;
  unsigned whole = 3;
  float ms;
  void *args[] = {&result, &whole};
  CHECK(cuEventCreate(&from, 0));
  CHECK(cuEventCreate(&to, 0));
  for (int i = 0; i <= LAUNCHES; i++) {
    if (i == 1) CHECK(cuEventRecord(from, 0));
    CHECK(cuLaunchKernel(f, ctas, 1, 1, threads, 1, 1, 0, 0, args, 0));
  }
  CHECK(cuEventRecord(to, 0));
  CHECK(cuEventSynchronize(to));
  CHECK(cuEventElapsedTime(&ms, from, to));
  CHECK(cuModuleUnload(m));
  return (double)ms * 1e6 / LAUNCHES;
}

int main(void) {
  char line[256], name[64];
  unsigned a, b, c;
  (void)open_device();
  CHECK(cuMemAlloc(&result, 4096));
  while (fgets(line, sizeof line, stdin)) {
    double answer;
    line[strcspn(line, "\n")] = 0;
    if (sscanf(line, "read %63s %u", name, &a) == 2 && a && a <= 32) write_reads(name, 0), answer = cycles_of(a) / a;
    else if (sscanf(line, "chain %63s", name) == 1) write_reads(name, 1), answer = cycles_of(1);
    else if (sscanf(line, "starts %u %u %u", &a, &b, &c) == 3) write_start(c), answer = ns_of_launch(a, b);
    else return 2;
    printf("%s = %.2f\n", line, answer);
    fflush(stdout);
  }
  return 0;
}
