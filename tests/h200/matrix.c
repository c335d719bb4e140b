/* Latency and rate of matrix instructions of a warp (mma) on the CUDA driver API: the same program runs on a real GPU and on Heddle.
 *
 * Usage: matrix -- reads rows from standard input, everything after a tab of which it ignores: what follows `mma.sync.aligned.` and, if
 * matrices do not take registers as f16 of that shape do, the registers of d, a and b. Prints each with two figures: the cycles from one to
 * the next that adds to its result (one warp), and the cycles a warp takes of an SM when 16 with two such chains each compete. */
#include "driver.h"

#include <stdarg.h>
#include <string.h>

enum { MOST = 1 << 16, COPIES = 16, TURNS = 16, CHAINS = 2, WARPS = 16 };

static char text[MOST];
static size_t used;
static CUdeviceptr result;

static void put(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void put(const char *format, ...) {
  va_list args;
  va_start(args, format);
  used += (size_t)vsnprintf(text + used, MOST - used, format, args);
  va_end(args);
}

struct form {
  char name[96];     /* what follows mma.sync.aligned. */
  unsigned d, a, b;  /* registers */
  char sum, operand; /* of d, and of a and b: f, r, g (f64) */
};

static void put_registers(const char *prefix, unsigned from, unsigned n) {
  put("{");
  for (unsigned i = 0; i < n; i++) put("%s%%%s%u", i ? ", " : "", prefix, from + i);
  put("}");
}

/* Of a sparse one, %r40 says which products there are. */
static void put_product(const struct form *m, unsigned chain) {
  char sum[] = {m->sum, 0}, operand[] = {m->operand, 0};
  put("  mma%s ", m->name);
  put_registers(sum, chain * m->d, m->d);
  put(", ");
  put_registers(operand, 24, m->a);
  put(", ");
  put_registers(operand, 32, m->b);
  put(", ");
  put_registers(sum, chain * m->d, m->d);
  put(strstr(m->name, ".sp") ? ", %%r40, 0;\n" : ";\n");
}

static double cycles_of(const struct form *m, unsigned chains, unsigned warps) {
  CUmodule module;
  CUfunction f;
  unsigned long long cycles;
  void *args[] = {&result};
  used = 0;
  put(".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 result) {\n"
      "  .reg .pred %%p<2>;\n  .reg .b32 %%r<48>;\n  .reg .b64 %%rd<8>;\n  .reg .f32 %%f<48>;\n  .reg .f64 %%g<48>;\n"
      "  ld.param.u64 %%rd0, [result];\n  ld.global.u32 %%r46, [%%rd0+16];\n  mov.u32 %%r47, %%tid.x;\n  mov.b32 %%r40, 0x44444444;\n");
  for (unsigned i = 0; i < 40; i++)
    put("  mov.b32 %%r%u, %%r46;\n  mov.b32 %%f%u, %%r46;\n  cvt.f64.f32 %%g%u, %%f%u;\n", i, i, i, i);
  for (int timed = 0; timed < 2; timed++) { /* the first time for the code */
    put("  mov.u32 %%r45, %u;\n  bar.sync 0;\n  mov.u64 %%rd1, %%clock64;\nNEXT%d:\n  .pragma \"nounroll\";\n", TURNS, timed);
    for (unsigned i = 0; i < COPIES; i++)
      for (unsigned c = 0; c < chains; c++) put_product(m, c);
    put("  sub.u32 %%r45, %%r45, 1;\n  setp.ne.u32 %%p0, %%r45, 0;\n  @%%p0 bra NEXT%d;\n", timed);
  }
  put("  mov.b32 %%r44, 0;\n");
  for (unsigned i = 0; i < chains * m->d; i++) {
    if (m->sum == 'g') put("  cvt.rn.f32.f64 %%f%u, %%g%u;\n", i, i);
    put(m->sum == 'r' ? "  xor.b32 %%r44, %%r44, %%r%u;\n" : "  mov.b32 %%r43, %%f%u;\n  xor.b32 %%r44, %%r44, %%r43;\n", i);
  }
  put("  setp.eq.u32 %%p0, %%r44, 305419896;\n  @%%p0 st.global.u32 [%%rd0+8], %%r44;\n  bar.sync 0;\n  mov.u64 %%rd2, %%clock64;\n"
      "  sub.u64 %%rd2, %%rd2, %%rd1;\n  setp.ne.u32 %%p1, %%r47, 0;\n  @%%p1 bra END;\n"
      "  st.global.u64 [%%rd0], %%rd2;\nEND:\n  ret;\n}\n");
  CHECK(cuModuleLoadData(&module, text));
  CHECK(cuModuleGetFunction(&f, module, "k"));
  CHECK(cuLaunchKernel(f, 1, 1, 1, warps * 32, 1, 1, 0, NULL, args, NULL));
  CHECK(cuCtxSynchronize());
  CHECK(cuMemcpyDtoH(&cycles, result, sizeof cycles));
  CHECK(cuModuleUnload(module));
  return (double)cycles / TURNS / COPIES / chains;
}

int main(void) {
  char line[256];
  open_device();
  CHECK(cuMemAlloc(&result, 64));
  CHECK(cuMemsetD8(result, 0, 64));
  while (fgets(line, sizeof line, stdin)) {
    struct form m;
    line[strcspn(line, "\t\n")] = 0;
    if (sscanf(line, "%95s %c%u %c%u %u", m.name, &m.sum, &m.d, &m.operand, &m.a, &m.b) != 6) return 2;
    printf("%s\t%.1f\t%.2f\n", line, cycles_of(&m, 1, 1), cycles_of(&m, CHAINS, WARPS) / WARPS);
    fflush(stdout);
  }
  return 0;
}
