/* How fast code comes that the instruction cache does not hold, on the CUDA driver API: the same program runs on a real GPU and on Heddle.
 * One measurement a line of standard input, printed with its answer:
 *
 *   code GROUPS SKIP CHAINS   a warp goes through GROUPS groups of 64 additions (a KB of machine code each) in CHAINS chains that
 *                             need not wait for each other, twice; of SKIP + 1 groups it jumps over SKIP: cycles of a group that it
 *                             executes in the last eighth of the code, first pass of a second launch
 *
 * Usage: code < FILE. */
#include "driver.h"

#include <string.h>

enum { PARTS = 8, GROUP = 64, MOST_BYTES = 1 << 21 };

static const char head[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 result, .param .u32 jump, .param .f32 real) {\n"
    "  .reg .pred %p<4>;\n  .reg .b32 %r<8>;\n  .reg .b64 %rd<40>;\n  .reg .f32 %f<8>;\n"
    "  ld.param.u64 %rd0, [result];\n  ld.param.u32 %r0, [jump];\n  ld.param.f32 %f7, [real];\n  mov.u32 %r1, %tid.x;\n"
    "  cvt.rn.f32.u32 %f0, %r1;\n  mov.f32 %f1, %f0;\n  mov.f32 %f2, %f0;\n  mov.f32 %f3, %f0;\n"
    "  setp.ne.u32 %p0, %r0, 0;\n  mov.u32 %r2, 0;\nPASS:\n  .pragma \"nounroll\";\n  mov.u64 %rd1, %clock64;\n";
static const char tail[] =
    "  add.f32 %f0, %f0, %f1;\n  add.f32 %f0, %f0, %f2;\n  add.f32 %f0, %f0, %f3;\n  setp.ne.u32 %p1, %r1, 0;\n  @%p1 bra NEXT;\n"
    "  sub.u64 %rd30, %rd9, %rd8;\n  st.global.u64 [%rd0], %rd30;\n  add.u64 %rd0, %rd0, 8;\n"
    "NEXT:\n  add.u32 %r2, %r2, 1;\n  setp.ne.u32 %p1, %r2, 2;\n  @%p1 bra PASS;\n"
    "  setp.ne.f32 %p1, %f0, 0f7F000000;\n  @%p1 bra END;\n  st.global.f32 [%rd0+128], %f0;\nEND:\n  ret;\n}\n";

static char text[MOST_BYTES];

/* The clock is read into %rd2 to %rd9 behind each eighth. */
static void write_kernel(unsigned groups, unsigned skip, unsigned chains) {
  char *at = text + strlen(strcpy(text, head));
  for (unsigned g = 0, part = 1; g < groups; g++) {
    if (skip && g % (skip + 1) == 0 && g + skip < groups) at += sprintf(at, "  @%%p0 bra G%u;\n", g + skip);
    if (skip && g % (skip + 1) == skip) at += sprintf(at, "G%u:\n", g);
    for (unsigned i = 0; i < GROUP; i++) at += sprintf(at, "  add.f32 %%f%u, %%f%u, %%f7;\n", i % chains, i % chains);
    if (g + 1 == groups * part / PARTS) at += sprintf(at, "  mov.u64 %%rd%u, %%clock64;\n", ++part);
  }
  strcpy(at, tail);
}

static double answer(CUdeviceptr result, unsigned groups, unsigned skip, unsigned chains) {
  CUmodule m;
  CUfunction f;
  float real = 1.0009f;
  unsigned jump = skip != 0;
  unsigned long long cycles;
  void *args[] = {&result, &jump, &real};
  write_kernel(groups, skip, chains);
  CHECK(cuModuleLoadData(&m, text));
  CHECK(cuModuleGetFunction(&f, m, "k"));
  for (int i = 0; i < 2; i++) CHECK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, args, 0));
  CHECK(cuMemcpyDtoH(&cycles, result, sizeof cycles));
  CHECK(cuModuleUnload(m));
  return (double)cycles / (groups / PARTS / (skip + 1));
}

int main(void) {
  char line[256];
  unsigned groups, skip, chains;
  CUdeviceptr result;
  (void)open_device();
  CHECK(cuMemAlloc(&result, 4096));
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    if (sscanf(line, "code %u %u %u", &groups, &skip, &chains) != 3 || !chains || chains > 4) return 2;
    printf("%s = %.2f\n", line, answer(result, groups, skip, chains));
    fflush(stdout);
  }
  return 0;
}
