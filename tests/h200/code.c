/* How fast code comes that the instruction cache does not hold, on the CUDA driver API: the same program runs on a real GPU and on Heddle.
 * One measurement a line of standard input, printed with its answer:
 *
 *   code GROUPS SKIP CHAINS   a warp goes through GROUPS groups of 64 additions (a KB of machine code each) in CHAINS chains that
 *                             need not wait for each other, twice; of SKIP + 1 groups it jumps over SKIP: cycles of a group that it
 *                             executes in the last eighth of the code, first pass of a second launch
 *   first JUMPS LENGTH        a warp jumps JUMPS times over LENGTH products, with four additions behind each: cycles of a jump in the
 *                             first launch of the kernel, first pass
 *   ring GROUPS WARPS SPREAD  WARPS warps of a CTA go round through GROUPS groups, at once or (SPREAD 1) each beginning at its own
 *                             place: cycles of a group for a warp, from its first to its last round
 *   turns LENGTH WARPS        WARPS warps in a loop of LENGTH additions: cycles of a turn
 *   constants COUNT STRIDE WARPS  WARPS warps in a loop of COUNT products and sums, each with its own constant STRIDE bytes behind
 *                             the one before: cycles of one for a warp
 *   indexed BYTES STRIDE WARPS  WARPS warps that load constants, each from where the one before says, STRIDE bytes apart in BYTES:
 *                             cycles from one to the next
 *
 * Usage: code < FILE. */
#include "driver.h"

#include <string.h>

enum { PARTS = 8, GROUP = 64, ROUNDS = 6, TURNS = 200, MOST_WARPS = 32, TABLE = 65536, MOST_BYTES = 1 << 21 };

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

static void write_jumps(unsigned jumps, unsigned length) {
  char *at = text + strlen(strcpy(text, head));
  at += sprintf(at, "  mov.u64 %%rd8, %%rd1;\n");
  for (unsigned j = 0; j < jumps; j++) {
    at += sprintf(at, "  @%%p0 bra G%u;\n", j);
    for (unsigned i = 0; i < length; i++) at += sprintf(at, "  fma.rn.f32 %%f0, %%f0, %%f7, 0f%08X;\n", 0x3F800000 + j * length + i);
    at += sprintf(at, "G%u:\n", j);
    for (unsigned i = 0; i < 4; i++) at += sprintf(at, "  add.f32 %%f0, %%f0, %%f7;\n");
  }
  at += sprintf(at, "  mov.u64 %%rd9, %%clock64;\n");
  strcpy(at, tail);
}

static const char loop_head[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n.const .align 4 .b8 table[65536];\n"
    ".visible .entry k(.param .u64 result, .param .u32 jump, .param .f32 real) {\n"
    "  .reg .pred %p<4>;\n  .reg .b32 %r<8>;\n  .reg .b64 %rd<8>;\n  .reg .f32 %f<16>;\n"
    "  ld.param.u64 %rd0, [result];\n  ld.param.u32 %r0, [jump];\n  ld.param.f32 %f7, [real];\n  mov.u32 %r1, %tid.x;\n"
    "  cvt.rn.f32.u32 %f0, %r1;\n  mov.f32 %f1, %f0;\n  mov.f32 %f2, %f0;\n  mov.f32 %f3, %f0;\n"
    "  shr.u32 %r3, %r1, 5;\n  mov.u32 %r2, 0;\n  mov.u64 %rd1, 0;\n  bar.sync 0;\n";
static const char loop_tail[] =
    "  mov.u64 %rd2, %clock64;\n  sub.u64 %rd2, %rd2, %rd1;\n"
    "  add.f32 %f0, %f0, %f1;\n  add.f32 %f0, %f0, %f2;\n  add.f32 %f0, %f0, %f3;\n  setp.ne.f32 %p1, %f0, 0f7F000000;\n"
    "  @!%p1 st.global.f32 [%rd0+1024], %f0;\n  and.b32 %r4, %r1, 31;\n  setp.ne.u32 %p1, %r4, 0;\n  @%p1 bra END;\n"
    "  mul.wide.u32 %rd3, %r3, 8;\n  add.u64 %rd0, %rd0, %rd3;\n  st.global.u64 [%rd0], %rd2;\nEND:\n  ret;\n}\n";

/* Code that a warp goes through `rounds` times; the clock is read into %rd1 when it comes to the end for the first time. */
static char *begin_loop(char *at) { return at + sprintf(at, "ROUND:\n  .pragma \"nounroll\";\n"); }
static void end_loop(char *at, unsigned rounds) {
  at += sprintf(at,
                "  setp.eq.u32 %%p1, %%r2, 0;\n  @%%p1 mov.u64 %%rd1, %%clock64;\n  add.u32 %%r2, %%r2, 1;\n"
                "  setp.ne.u32 %%p1, %%r2, %u;\n  @%%p1 bra ROUND;\n",
                rounds);
  strcpy(at, loop_tail);
}

static char *add_sums(char *at, unsigned n) {
  for (unsigned i = 0; i < n; i++) at += sprintf(at, "  add.f32 %%f%u, %%f%u, %%f7;\n", i % 4, i % 4);
  return at;
}

static void write_ring(unsigned groups, unsigned warps, unsigned spread) {
  char *at = text + strlen(strcpy(text, loop_head));
  for (unsigned w = 1; spread && w < warps; w++)
    at += sprintf(at, "  setp.eq.u32 %%p1, %%r3, %u;\n  @%%p1 bra G%u;\n", w, w * groups / warps);
  at = begin_loop(at);
  for (unsigned g = 0; g < groups; g++) {
    at += sprintf(at, "G%u:\n", g);
    at = add_sums(at, GROUP);
  }
  end_loop(at, ROUNDS);
}

static void write_turns(unsigned length) { end_loop(add_sums(begin_loop(text + strlen(strcpy(text, loop_head))), length), TURNS); }

static void write_constants(unsigned count, unsigned stride) {
  char *at = begin_loop(text + strlen(strcpy(text, loop_head)));
  for (unsigned i = 0; i < count; i++)
    at += sprintf(at, "  {.reg .f32 t; ld.const.f32 t, [table+%u]; fma.rn.f32 %%f%u, %%f%u, t, %%f7;}\n", i * stride, i % 4, i % 4);
  end_loop(at, ROUNDS);
}

static void write_indexed(unsigned rounds) {
  char *at = text + strlen(strcpy(text, loop_head));
  at += sprintf(at, "  mov.u64 %%rd6, table;\n  mov.u64 %%rd4, %%rd6;\n");
  at = begin_loop(at);
  for (unsigned i = 0; i < GROUP; i++)
    at += sprintf(at, "  ld.const.u32 %%r5, [%%rd4];\n  cvt.u64.u32 %%rd5, %%r5;\n  add.u64 %%rd4, %%rd6, %%rd5;\n");
  at += sprintf(at, "  cvt.rn.f32.u32 %%f1, %%r5;\n");
  end_loop(at, rounds);
}

/* Every `stride` bytes of the table the place of the next. */
static void fill_table(CUmodule m, unsigned bytes, unsigned stride) {
  static unsigned table[TABLE / 4];
  CUdeviceptr at;
  size_t size;
  for (unsigned i = 0; i < bytes; i += stride) table[i / 4] = i + stride < bytes ? i + stride : 0;
  CHECK(cuModuleGetGlobal(&at, &size, m, "table"));
  CHECK(cuMemcpyHtoD(at, table, sizeof table));
}

/* What the warps' clocks say on average, of a launch of one CTA; constants lie `stride` apart in `bytes`, 0: they do not matter. */
static double mean_of_warps(CUdeviceptr result, unsigned warps, unsigned bytes, unsigned stride) {
  CUmodule m;
  CUfunction f;
  float real = 1.0009f;
  unsigned jump = 0;
  unsigned long long cycles[MOST_WARPS];
  double sum = 0;
  void *args[] = {&result, &jump, &real};
  CHECK(cuModuleLoadData(&m, text));
  CHECK(cuModuleGetFunction(&f, m, "k"));
  if (bytes) fill_table(m, bytes, stride);
  for (int i = 0; i < 2; i++) CHECK(cuLaunchKernel(f, 1, 1, 1, 32 * warps, 1, 1, 0, 0, args, 0));
  CHECK(cuMemcpyDtoH(cycles, result, warps * sizeof *cycles));
  CHECK(cuModuleUnload(m));
  for (unsigned i = 0; i < warps; i++) sum += (double)cycles[i];
  return sum / warps;
}

/* The first pass of the last of some launches. */
static double first_pass(CUdeviceptr result, unsigned jump, int launches) {
  CUmodule m;
  CUfunction f;
  float real = 1.0009f;
  unsigned long long cycles;
  void *args[] = {&result, &jump, &real};
  CHECK(cuModuleLoadData(&m, text));
  CHECK(cuModuleGetFunction(&f, m, "k"));
  for (int i = 0; i < launches; i++) CHECK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, args, 0));
  CHECK(cuMemcpyDtoH(&cycles, result, sizeof cycles));
  CHECK(cuModuleUnload(m));
  return (double)cycles;
}

int main(void) {
  char line[256];
  unsigned a, b, c;
  CUdeviceptr result;
  (void)open_device();
  CHECK(cuMemAlloc(&result, 4096));
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    double cycles;
    if (sscanf(line, "code %u %u %u", &a, &b, &c) == 3 && c && c <= 4)
      write_kernel(a, b, c), cycles = first_pass(result, b != 0, 2) / (a / PARTS / (b + 1));
    else if (sscanf(line, "first %u %u", &a, &b) == 2 && a) write_jumps(a, b), cycles = first_pass(result, 1, 1) / a;
    else if (sscanf(line, "ring %u %u %u", &a, &b, &c) == 3 && b && b <= MOST_WARPS)
      write_ring(a, b, c), cycles = mean_of_warps(result, b, 0, 0) / (ROUNDS - 1) / a;
    else if (sscanf(line, "turns %u %u", &a, &b) == 2 && b && b <= MOST_WARPS)
      write_turns(a), cycles = mean_of_warps(result, b, 0, 0) / (TURNS - 1);
    else if (sscanf(line, "constants %u %u %u", &a, &b, &c) == 3 && c && c <= MOST_WARPS)
      write_constants(a, b), cycles = mean_of_warps(result, c, 0, 0) / (ROUNDS - 1) / a;
    else if (sscanf(line, "indexed %u %u %u", &a, &b, &c) == 3 && b && a <= TABLE && c && c <= MOST_WARPS) {
      unsigned rounds = 3 + 4 * (a / b) / GROUP;
      write_indexed(rounds);
      cycles = mean_of_warps(result, c, a, b) / (rounds - 1) / GROUP;
    } else return 2;
    printf("%s = %.2f\n", line, cycles);
    fflush(stdout);
  }
  return 0;
}
