/* Probes of what threads of an SM do to each other in L1, in shared memory and at atomic operations, on the CUDA driver API: the same
 * program runs on a real GPU and on Heddle. One measurement a line of standard input, printed with its answer, cycles:
 *
 *   beside HOW FOOTPRINT WARPS   a warp chases pointers in 4 KB that are in L1 while WARPS others chase in FOOTPRINT bytes of
 *                                their own by `ld.HOW`: a load of the first
 *   capacity SHARED FOOTPRINT    a thread chases pointers in FOOTPRINT bytes by `ld.ca`, of a CTA with SHARED bytes of dynamic
 *                                shared memory: a load, after passes that fill L1
 *   rows BYTES COLUMNS WARPS     lane i of WARPS warps reads COLUMNS words of row i, rows BYTES apart, which are in L2: a load
 *   OP SPACE LANES WARPS         an atomic operation on SPACE (shared, global) of which LANES lanes of a warp name the same word, the
 *                                others the next ones: an instruction. OP is atom or red (add.u32), atom.inc or red.inc (add 1),
 *                                atom.addf or red.addf (add.f32), atom.cas
 *   together OP LANES WARPS      the same on shared memory, where all warps name the words of the first
 *   grid OP WHERE CTAS           CTAs of 256 threads, 16 operations more or less: cycles of the GPU for a warp's. OP is as PTX writes it
 *                                (red.add.u32, atom.cas.b32); threads name the word of WHERE: one (all the same), line (of the lane),
 *                                block (of the thread), own (of the grid's thread), cluster (four words), half (two lanes a word)
 *
 * Usage: contention < FILE. */
#include "driver.h"

#include <string.h>

enum { ARENA = 256 << 20, TURNS = 512, MOST_BYTES = 1 << 14, GRID_TURNS = 8, CLOCK_KHZ = 1980000 };

static const char text[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    /* warp 0 chases from `near`, others from `far` + warp * apart; loads of warp 0 are timed */
    ".visible .entry beside(.param .u64 result, .param .u64 near, .param .u64 far, .param .u64 apart, .param .u32 turns) {\n"
    "  .shared .align 4 .u32 done;\n  .reg .pred %p<4>;\n  .reg .b32 %r<8>;\n  .reg .b64 %rd<12>;\n"
    "  ld.param.u64 %rd0, [result];\n  ld.param.u64 %rd1, [near];\n  ld.param.u64 %rd2, [far];\n  ld.param.u64 %rd3, [apart];\n"
    "  ld.param.u32 %r0, [turns];\n  mov.u32 %r1, %tid.x;\n  shr.u32 %r2, %r1, 5;\n  cvt.u64.u32 %rd4, %r2;\n"
    "  mov.u32 %r5, 0;\n  st.shared.u32 [done], %r5;\n  bar.sync 0;\n"
    "  setp.ne.u32 %p0, %r2, 0;\n  @%p0 bra OTHERS;\n"
    "  mov.u32 %r3, 64;\nWARM:\n  .pragma \"nounroll\";\n  ld.global.ca.u64 %rd1, [%rd1];\n  sub.u32 %r3, %r3, 1;\n"
    "  setp.ne.u32 %p1, %r3, 0;\n  @%p1 bra WARM;\n"
    "  mov.u64 %rd6, %clock64;\nNEXT:\n  .pragma \"nounroll\";\n  ld.global.ca.u64 %rd1, [%rd1];\n  sub.u32 %r0, %r0, 1;\n"
    "  setp.ne.u32 %p1, %r0, 0;\n  @%p1 bra NEXT;\n"
    "  mov.u64 %rd7, %clock64;\n  sub.u64 %rd7, %rd7, %rd6;\n  mov.u32 %r5, 1;\n  st.volatile.shared.u32 [done], %r5;\n"
    "  st.global.u64 [%rd0], %rd7;\n  st.global.u64 [%rd0+8], %rd1;\n  ret;\n"
    "OTHERS:\n  mad.lo.u64 %rd2, %rd4, %rd3, %rd2;\n"
    "AGAIN:\n  .pragma \"nounroll\";\n  ld.global.HOW.u64 %rd2, [%rd2];\n  ld.volatile.shared.u32 %r6, [done];\n"
    "  setp.eq.u32 %p2, %r6, 0;\n  @%p2 bra AGAIN;\n"
    "  st.global.u64 [%rd0+16], %rd2;\n  ret;\n}\n"
    ".visible .entry capacity(.param .u64 result, .param .u64 from, .param .u32 warm, .param .u32 turns) {\n"
    "  .reg .pred %p<2>;\n  .reg .b32 %r<4>;\n  .reg .b64 %rd<8>;\n"
    "  ld.param.u64 %rd0, [result];\n  ld.param.u64 %rd1, [from];\n  ld.param.u32 %r0, [warm];\n  ld.param.u32 %r1, [turns];\n"
    "WARM:\n  .pragma \"nounroll\";\n  ld.global.ca.u64 %rd1, [%rd1];\n  sub.u32 %r0, %r0, 1;\n  setp.ne.u32 %p0, %r0, 0;\n"
    "  @%p0 bra WARM;\n"
    "  mov.u64 %rd2, %clock64;\n"
    "NEXT:\n  .pragma \"nounroll\";\n  ld.global.ca.u64 %rd1, [%rd1];\n  sub.u32 %r1, %r1, 1;\n  setp.ne.u32 %p0, %r1, 0;\n"
    "  @%p0 bra NEXT;\n"
    "  mov.u64 %rd3, %clock64;\n  sub.u64 %rd3, %rd3, %rd2;\n  st.global.u64 [%rd0], %rd3;\n  st.global.u64 [%rd0+8], %rd1;\n  ret;\n}\n"
    ".visible .entry rows(.param .u64 result, .param .u64 from, .param .u32 apart, .param .u32 columns) {\n"
    "  .reg .pred %p<2>;\n  .reg .b32 %r<12>;\n  .reg .b64 %rd<8>;\n"
    "  ld.param.u64 %rd0, [result];\n  ld.param.u64 %rd1, [from];\n  ld.param.u32 %r0, [apart];\n  ld.param.u32 %r1, [columns];\n"
    "  mov.u32 %r2, %tid.x;\n  mul.wide.u32 %rd2, %r2, %r0;\n  add.u64 %rd1, %rd1, %rd2;\n  mov.u32 %r3, 0;\n"
    "  bar.sync 0;\n  mov.u64 %rd3, %clock64;\n"
    "NEXT:\n  .pragma \"nounroll\";\n  ld.global.ca.u32 %r4, [%rd1];\n  ld.global.ca.u32 %r5, [%rd1+4];\n"
    "  ld.global.ca.u32 %r6, [%rd1+8];\n"
    "  ld.global.ca.u32 %r7, [%rd1+12];\n  xor.b32 %r3, %r3, %r4;\n  xor.b32 %r3, %r3, %r5;\n  xor.b32 %r3, %r3, %r6;\n"
    "  xor.b32 %r3, %r3, %r7;\n"
    "  add.u64 %rd1, %rd1, 16;\n  sub.u32 %r1, %r1, 4;\n  setp.ne.u32 %p0, %r1, 0;\n  @%p0 bra NEXT;\n"
    "  setp.eq.u32 %p1, %r3, 305419896;\n  @%p1 st.global.u32 [%rd0+8], %r3;\n"
    "  bar.sync 0;\n  mov.u64 %rd4, %clock64;\n  sub.u64 %rd4, %rd4, %rd3;\n  st.global.u64 [%rd0], %rd4;\n  ret;\n}\n";

/* LANES lanes on a word; words are 4 bytes apart, a warp's APART. */
static const char atomics_text[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .entry atomics(.param .u64 result, .param .u64 place, .param .u32 lanes, .param .u32 turns) {\n"
    "  .shared .align 128 .b8 here[8192];\n  .reg .pred %p<2>;\n  .reg .b32 %r<12>;\n  .reg .b64 %rd<8>;\n  .reg .f32 %f<12>;\n"
    "  ld.param.u64 %rd0, [result];\n  ld.param.u64 %rd1, [place];\n  ld.param.u32 %r0, [lanes];\n  ld.param.u32 %r1, [turns];\n"
    "  mov.u32 %r2, %tid.x;\n  and.b32 %r3, %r2, 31;\n  shr.u32 %r4, %r2, 5;\n  div.u32 %r3, %r3, %r0;\n  shl.b32 %r3, %r3, 2;\n"
    "  mad.lo.u32 %r3, %r4, APART, %r3;\n  mov.u32 %r5, here;\n  add.u32 %r5, %r5, %r3;\n  cvt.u64.u32 %rd2, %r3;\n"
    "  add.u64 %rd1, %rd1, %rd2;\n"
    "  mov.u32 %r6, 0;\n  cvt.rn.f32.u32 %f0, %r0;\n  st.shared.u32 [%r5], %r6;\n  bar.sync 0;\n  mov.u64 %rd3, %clock64;\n"
    "NEXT:\n  .pragma \"nounroll\";\n  BODY\n  sub.u32 %r1, %r1, 4;\n  setp.ne.u32 %p0, %r1, 0;\n  @%p0 bra NEXT;\n"
    "  setp.eq.u32 %p1, %r6, 305419896;\n  @%p1 st.global.u32 [%rd0+8], %r6;\n"
    "  bar.sync 0;\n  mov.u64 %rd4, %clock64;\n  sub.u64 %rd4, %rd4, %rd3;\n  st.global.u64 [%rd0], %rd4;\n  ret;\n}\n";

/* All of the grid, each thread on the word that `mask`, `shift` and `scale` make of its number; cycles are those of events. */
static const char grid_text[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .entry grid(.param .u64 result, .param .u64 place, .param .u32 mask, .param .u32 shift, .param .u32 turns) {\n"
    "  .reg .pred %p<2>;\n  .reg .b32 %r<12>;\n  .reg .b64 %rd<12>;\n  .reg .f32 %f<4>;\n  .reg .f64 %fd<4>;\n"
    "  ld.param.u64 %rd0, [result];\n  ld.param.u64 %rd1, [place];\n  ld.param.u32 %r0, [mask];\n  ld.param.u32 %r1, [shift];\n"
    "  ld.param.u32 %r2, [turns];\n  mov.u32 %r3, %tid.x;\n  mov.u32 %r4, %ctaid.x;\n  mad.lo.u32 %r3, %r4, 256, %r3;\n"
    "  and.b32 %r4, %r3, %r0;\n  shr.u32 %r4, %r4, %r1;\n  mul.wide.u32 %rd2, %r4, BYTES;\n  add.u64 %rd1, %rd1, %rd2;\n"
    "  mov.u32 %r5, 0;\n  cvt.u64.u32 %rd3, %r3;\n  cvt.rn.f32.u32 %f0, %r3;\n  cvt.rn.f64.u32 %fd0, %r3;\n  mov.u64 %rd4, 0;\n"
    "NEXT:\n  .pragma \"nounroll\";\n  BODY\n  sub.u32 %r2, %r2, 1;\n  setp.ne.u32 %p0, %r2, 0;\n  @%p0 bra NEXT;\n"
    "  cvt.u32.u64 %r6, %rd4;\n  xor.b32 %r5, %r5, %r6;\n"
    "  setp.eq.u32 %p1, %r5, 305419896;\n  @%p1 st.global.u32 [%rd0+8], %r5;\n  ret;\n}\n";

static CUdeviceptr result, arena;

/* The text with each word of `words` (even places) replaced by the one behind it. */
static void replace_words(char *out, const char *in, const char *const words[], unsigned n) {
  while (*in) {
    unsigned k = 0;
    while (k < n && strncmp(in, words[k], strlen(words[k]))) k += 2;
    if (k == n) *out++ = *in++;
    else {
      out += strlen(strcpy(out, words[k + 1]));
      in += strlen(words[k]);
    }
  }
  *out = 0;
}

static CUfunction function_of(const char *source, const char *name, const char *const words[], unsigned n) {
  static char ptx[MOST_BYTES];
  CUmodule module;
  CUfunction f;
  replace_words(ptx, source, words, n);
  CHECK(cuModuleLoadData(&module, ptx));
  CHECK(cuModuleGetFunction(&f, module, name));
  return f;
}

/* Pointers 128 bytes apart in random order, one round. */
static void make_chase(CUdeviceptr at, size_t bytes) {
  size_t n = bytes / 128;
  unsigned long long *host = calloc(n, 128), state = 88172645463325252ull;
  unsigned *order = malloc(n * sizeof *order);
  for (size_t i = 0; i < n; i++) order[i] = (unsigned)i;
  for (size_t i = n - 1; i > 0; i--) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    size_t k = (size_t)(state >> 20) % (i + 1);
    unsigned t = order[i];
    order[i] = order[k], order[k] = t;
  }
  for (size_t i = 0; i < n; i++) host[order[i] * 16ull] = at + 128ull * order[(i + 1) % n];
  CHECK(cuMemcpyHtoD(at, host, bytes));
  free(order);
  free(host);
}

static double launch(CUfunction f, unsigned threads, unsigned shared, void **args, int times) {
  unsigned long long cycles;
  for (int i = 0; i < times; i++) CHECK(cuLaunchKernel(f, 1, 1, 1, threads, 1, 1, shared, 0, args, 0));
  CHECK(cuMemcpyDtoH(&cycles, result, sizeof cycles));
  return (double)cycles;
}

static double beside(const char *how, unsigned long long footprint, unsigned warps) {
  const char *const words[] = {"HOW", how};
  unsigned turns = TURNS;
  CUdeviceptr far = arena + (1 << 20);
  void *args[] = {&result, &arena, &far, &footprint, &turns};
  CUfunction f = function_of(text, "beside", words, 2);
  make_chase(arena, 4096);
  for (unsigned w = 1; w <= warps; w++) make_chase(far + w * footprint, footprint);
  return launch(f, 32 * (1 + warps), 0, args, 2) / TURNS;
}

static double capacity(unsigned shared, unsigned footprint) {
  const char *const words[] = {"HOW", "ca"};
  CUfunction f = function_of(text, "capacity", words, 2);
  unsigned warm = footprint / 128 * 4, turns = footprint / 128 * 2;
  void *args[] = {&result, &arena, &warm, &turns};
  make_chase(arena, footprint);
  if (shared > 48 << 10) CHECK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared));
  return launch(f, 1, shared, args, 1) / turns;
}

static double rows(unsigned bytes, unsigned columns, unsigned warps) {
  const char *const words[] = {"HOW", "ca"};
  CUfunction f = function_of(text, "rows", words, 2);
  void *args[] = {&result, &arena, &bytes, &columns};
  CHECK(cuMemsetD8(arena, 0, 64 << 20));
  return launch(f, 32 * warps, 0, args, 2) / (columns * warps);
}

/* Four in a row, their results joined. */
static void write_atomics(char *at, const char *op, const char *space) {
  int returns = op[0] == 'a', one = strstr(op, ".inc") != NULL, real = strstr(op, ".addf") != NULL, swap = strstr(op, ".cas") != NULL;
  const char *place = strcmp(space, "shared") ? "%rd1" : "%r5", *file = real ? "%f" : "%r";
  for (unsigned i = 7; i < 11; i++) {
    at += sprintf(at, "%s.%s.%s ", returns ? "atom" : "red", space, real ? "add.f32" : swap ? "cas.b32" : "add.u32");
    if (returns) at += sprintf(at, "%s%u, ", file, i);
    at += sprintf(at, "[%s], %s%s;\n  ", place, one ? "1" : real ? "%f0" : "%r0", swap ? ", %r1" : "");
    if (returns && real) at += sprintf(at, "mov.b32 %%r%u, %%f%u;\n  ", i, i);
  }
  for (unsigned i = 7; i < 11 && returns; i++) at += sprintf(at, "xor.b32 %%r6, %%r6, %%r%u;\n  ", i);
  *at = 0;
}

static double atomics(const char *op, const char *space, const char *apart, unsigned lanes, unsigned warps) {
  char body[1024];
  const char *const words[] = {"BODY", body, "APART", apart};
  unsigned turns = TURNS;
  write_atomics(body, op, space);
  CUfunction f = function_of(atomics_text, "atomics", words, 4);
  void *args[] = {&result, &arena, &lanes, &turns};
  return launch(f, 32 * warps, 0, args, 2) / (TURNS * warps);
}

/* One operation; a result is joined with those before. */
static void write_operation(char *at, const char *op) {
  int returns = op[0] == 'a', wide = strstr(op, "64") != NULL;
  const char *value = strstr(op, ".f32") ? "%f0" : strstr(op, ".f64") ? "%fd0" : wide ? "%rd3" : "%r3";
  const char *answer = strstr(op, ".f32") ? "%f1" : strstr(op, ".f64") ? "%fd1" : wide ? "%rd5" : "%r7";
  const char *kind = strchr(op, '.');
  at += sprintf(at, "%.*s.global%s ", (int)(kind - op), op, kind);
  if (returns) at += sprintf(at, "%s, ", answer);
  at += sprintf(at, "[%%rd1], %s%s%s;\n  ", value, strstr(op, ".cas") ? ", " : "", strstr(op, ".cas") ? value : "");
  if (!returns) return;
  if (strstr(op, ".f")) at += sprintf(at, "mov.b%s %s, %s;\n  ", wide ? "64" : "32", wide ? "%rd5" : "%r7", answer);
  sprintf(at, "%s;\n  ", wide ? "xor.b64 %rd4, %rd4, %rd5" : "xor.b32 %r5, %r5, %r7");
}

static double milliseconds(CUfunction f, unsigned ctas, void **args) {
  CUevent begin, end;
  float ms;
  CHECK(cuEventCreate(&begin, 0));
  CHECK(cuEventCreate(&end, 0));
  CHECK(cuEventRecord(begin, 0));
  CHECK(cuLaunchKernel(f, ctas, 1, 1, 256, 1, 1, 0, 0, args, 0));
  CHECK(cuEventRecord(end, 0));
  CHECK(cuEventSynchronize(end));
  CHECK(cuEventElapsedTime(&ms, begin, end));
  return ms;
}

/* What more turns take, so that the launch does not count. */
static double grid(const char *op, const char *where, unsigned ctas) {
  static const struct {
    const char *name;
    unsigned mask, shift;
  } places[] = {{"one", 0, 0}, {"line", 31, 0}, {"block", 255, 0}, {"own", ~0u, 0}, {"cluster", 3, 0}, {"half", 31, 1}};
  char body[512];
  const char *const words[] = {"BODY", body, "BYTES", strstr(op, "64") ? "8" : "4"};
  unsigned place = 0, less = GRID_TURNS, more = 3 * GRID_TURNS;
  while (place + 1 < sizeof places / sizeof *places && strcmp(places[place].name, where)) place++;
  write_operation(body, op);
  CUfunction f = function_of(grid_text, "grid", words, 4);
  void *few[] = {&result, &arena, (void *)&places[place].mask, (void *)&places[place].shift, &less};
  void *many[] = {&result, &arena, (void *)&places[place].mask, (void *)&places[place].shift, &more};
  CHECK(cuMemsetD8(arena, 0, 4 << 20));
  (void)milliseconds(f, ctas, few);
  double ms = -milliseconds(f, ctas, few);
  ms += milliseconds(f, ctas, many);
  return ms * CLOCK_KHZ / (ctas * 8.0 * (more - less));
}

static double answer(const char *line) {
  char what[32], word[32];
  unsigned a, b;
  if (sscanf(line, "grid %31s %31s %u", what, word, &a) == 3) return grid(what, word, a);
  if (sscanf(line, "beside %31s %u %u", word, &a, &b) == 3) return beside(word, a, b);
  if (sscanf(line, "capacity %u %u", &a, &b) == 2) return capacity(a, b);
  if (sscanf(line, "rows %31s %u %u", word, &a, &b) == 3) return rows((unsigned)atoi(word), a, b);
  if (sscanf(line, "together %31s %u %u", what, &a, &b) == 3) return atomics(what, "shared", "0", a, b);
  return sscanf(line, "%31s %31s %u %u", what, word, &a, &b) == 4 ? atomics(what, word, "128", a, b) : -1;
}

int main(void) {
  char line[256];
  (void)open_device();
  CHECK(cuMemAlloc(&result, 4096));
  CHECK(cuMemAlloc(&arena, ARENA));
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    printf("%s = %.2f\n", line, answer(line));
    fflush(stdout);
  }
  return 0;
}
