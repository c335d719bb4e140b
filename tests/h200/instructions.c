/* Latency and rate of instructions on the CUDA driver API: the same program runs on a real GPU and on Heddle.
 *
 * Usage: instructions [WARPS] -- reads lines of PTX from standard input, in which `$` is the number of a chain (0 to 3), and prints
 * each with two figures: the cycles from one to the next that needs its result (one warp, one chain), and the cycles a warp takes of
 * an SM when WARPS (32) with four chains each compete. %rN, %rdN, %fN, %gN are registers of 32 and 64 bits and floating-point numbers
 * of both sizes: 0 to 3 the chains', 4 to 7 others like them, 9 a small number, 11 (%r11) an address in shared memory at which its own
 * address stands.
 * An instruction whose repetition changes nothing (min, add of a constant) an assembler may simplify. */
#include "driver.h"

#include <string.h>

enum { COPIES = 32, TURNS = 16, CHAINS = 4, STARTED = 8, WARPS = 32, MOST_WARPS = 32, MOST_BYTES = 1 << 17 };

static const char prologue[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 result, .param .u32 whole, .param .f32 real) {\n"
    "  .shared .align 4 .b8 place[128];\n"
    "  .reg .pred %p<2>;\n  .reg .b32 %r<16>;\n  .reg .b64 %rd<16>;\n  .reg .f32 %f<16>;\n  .reg .f64 %g<16>;\n"
    "  ld.param.u64 %rd15, [result];\n  ld.param.u32 %r9, [whole];\n  ld.param.f32 %f9, [real];\n"
    "  cvt.u64.u32 %rd9, %r9;\n  cvt.f64.f32 %g9, %f9;\n"
    "  mov.u32 %r10, %tid.x;\n  and.b32 %r11, %r10, 31;\n  shl.b32 %r11, %r11, 2;\n  mov.u32 %r12, place;\n"
    "  add.u32 %r11, %r11, %r12;\n  st.shared.u32 [%r11], %r11;\n";
static const char timed[] = "  bar.sync 0;\n  mov.u64 %rd14, %clock64;\nNEXT:\n  .pragma \"nounroll\";\n";
static const char epilogue[] =
    "  setp.eq.u32 %p0, %r14, 305419896;\n  @%p0 st.global.u32 [%rd15+8], %r14;\n  bar.sync 0;\n  mov.u64 %rd13, %clock64;\n"
    "  sub.u64 %rd13, %rd13, %rd14;\n  setp.ne.u32 %p0, %r10, 0;\n  @%p0 bra END;\n  st.global.u64 [%rd15], %rd13;\nEND:\n  ret;\n}\n";

static CUdeviceptr result;

static char *add(char *at, const char *text) { return at + strlen(strcpy(at, text)); }

static char *add_instruction(char *at, const char *line, int chain) {
  *at++ = ' ';
  for (; *line; line++) *at++ = *line == '$' ? (char)('0' + chain) : *line;
  *at++ = '\n';
  *at = 0;
  return at;
}

/* What a chain starts from. */
static char *add_start(char *at, int chain, int shared) {
  at += sprintf(at,
                "  add.u32 %%r%d, %%r10, %d;\n  cvt.u64.u32 %%rd%d, %%r%d;\n  cvt.rn.f32.u32 %%f%d, %%r%d;\n"
                "  cvt.f64.f32 %%g%d, %%f%d;\n",
                chain, 1000 + chain, chain, chain, chain, chain, chain, chain);
  return shared ? at + sprintf(at, "  mov.u32 %%r%d, %%r11;\n", chain) : at;
}

/* What it has come to goes into one number for all, so that none is left out. */
static char *add_end(char *at, int chain) {
  return at + sprintf(at,
                      "  xor.b32 %%r14, %%r14, %%r%d;\n  cvt.u32.u64 %%r12, %%rd%d;\n  xor.b32 %%r14, %%r14, %%r12;\n"
                      "  mov.b32 %%r12, %%f%d;\n  xor.b32 %%r14, %%r14, %%r12;\n  mov.b64 %%rd12, %%g%d;\n"
                      "  cvt.u32.u64 %%r12, %%rd12;\n  xor.b32 %%r14, %%r14, %%r12;\n  shr.u64 %%rd12, %%rd%d, 32;\n"
                      "  cvt.u32.u64 %%r12, %%rd12;\n  xor.b32 %%r14, %%r14, %%r12;\n",
                      chain, chain, chain, chain, chain);
}

static void write_kernel(char *at, const char *line, int chains) {
  int shared = strstr(line, ".shared") != NULL;
  at = add(at, prologue);
  for (int i = 0; i < STARTED; i++) at = add_start(at, i, shared);
  at += sprintf(at, "  mov.u32 %%r13, %d;\n  mov.u32 %%r14, 0;\n", TURNS);
  at = add(at, timed);
  for (int i = 0; i < COPIES; i++) at = add_instruction(at, line, i % chains);
  at = add(at, "  sub.u32 %r13, %r13, 1;\n  setp.ne.u32 %p1, %r13, 0;\n  @%p1 bra NEXT;\n");
  for (int i = 0; i < STARTED; i++) at = add_end(at, i);
  add(at, epilogue);
}

/* Cycles of one of the line's instructions, of a CTA of so many warps. */
static double cycles_of(const char *line, int chains, unsigned warps) {
  static char text[MOST_BYTES];
  CUmodule module;
  CUfunction f;
  unsigned whole = 3;
  float real = 1.0009f;
  unsigned long long cycles;
  void *args[] = {&result, &whole, &real};
  write_kernel(text, line, chains);
  CHECK(cuModuleLoadData(&module, text));
  CHECK(cuModuleGetFunction(&f, module, "k"));
  for (int i = 0; i < 2; i++) CHECK(cuLaunchKernel(f, 1, 1, 1, 32 * warps, 1, 1, 0, 0, args, 0));
  CHECK(cuMemcpyDtoH(&cycles, result, sizeof cycles));
  CHECK(cuModuleUnload(module));
  return (double)cycles / (COPIES * TURNS);
}

int main(int argc, char **argv) {
  char line[1024];
  unsigned warps = argc > 1 ? (unsigned)atoi(argv[1]) : WARPS;
  if (!warps || warps > MOST_WARPS) return 2;
  open_device();
  CHECK(cuMemAlloc(&result, 64));
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    printf("%s\t%.1f\t%.2f\n", line, cycles_of(line, 1, 1), cycles_of(line, CHAINS, warps) / warps);
    fflush(stdout);
  }
  return 0;
}
