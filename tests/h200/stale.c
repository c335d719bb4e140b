/* Probe of lines that L1 goes on with after another SM has written them, on the CUDA driver API: the same program runs on a real GPU and
 * on Heddle. One measurement a line of standard input, printed with its answer:
 *
 *   WHO HOW BETWEEN AGAIN LANES    the first LANES lanes of a warp read a word each of a line, all 32 words of which WHO then writes; the
 *                                  warp learns of that by a volatile flag and reads the 32 words: how many are as they were
 *     WHO      far: a warp of another SM; near: another warp of the same CTA
 *     HOW      st, red (an addition) or atom (an exchange)
 *     BETWEEN  what the warp does before it reads again: none, wait (100,000 cycles), barrier, fence.cta, fence (of the GPU),
 *              acquire (a load that acquires), store and red (lane 31 writes its word), or KB: so much other memory is read
 *     AGAIN    how it reads again: ca, cg, nc or volatile
 *
 * Usage: stale < FILE. */
#include "driver.h"

#include <string.h>

enum { ARENA = 64 << 20, APART = 1 << 21, MOST_BYTES = 1 << 13 };

/* What stands in the place of HOW, BETWEEN and AGAIN. */
static const struct choice {
  const char *word, *text;
} hows[] = {{"st", "st.global.u32 [%rd3], 1;"}, {"red", "red.global.add.u32 [%rd3], 1;"}, {"atom", "atom.global.exch.b32 %r8, [%rd3], 1;"}},
  betweens[] = {{"none", ""},
                {"wait", "  mov.u64 %rd8, %clock64;\nLATER:\n  mov.u64 %rd9, %clock64;\n  sub.u64 %rd9, %rd9, %rd8;\n"
                         "  setp.lt.u64 %p5, %rd9, 100000;\n  @%p5 bra LATER;\n"},
                {"barrier", "bar.sync 1, 32;"},
                {"fence.cta", "membar.cta;"},
                {"fence", "membar.gl;"},
                {"acquire", "ld.acquire.gpu.global.u32 %r8, [%rd1+256];"},
                {"store", "@%p4 st.global.u32 [%rd3], 2;"},
                {"red", "@%p4 red.global.add.u32 [%rd3], 2;"}},
  agains[] = {{"ca", "ld.global.ca.u32"}, {"cg", "ld.global.cg.u32"}, {"nc", "ld.global.nc.u32"}, {"volatile", "ld.volatile.global.u32"}};

/* %rd1: flags; %rd2: the line; %rd3: the lane's word; %rd4: the same by another sum, which the assembler cannot know. */
static const char text[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .entry stale(.param .u64 result, .param .u64 flags, .param .u64 line, .param .u64 zero, .param .u32 lanes, "
    ".param .u32 more) {\n"
    "  .reg .pred %p<8>;\n  .reg .b32 %r<16>;\n  .reg .b64 %rd<12>;\n"
    "  ld.param.u64 %rd0, [result];\n  ld.param.u64 %rd1, [flags];\n  ld.param.u64 %rd2, [line];\n  ld.param.u64 %rd4, [zero];\n"
    "  ld.param.u32 %r0, [lanes];\n  ld.param.u32 %r1, [more];\n"
    "  mov.u32 %r2, %tid.x;\n  mov.u32 %r3, %ctaid.x;\n  shr.u32 %r4, %r2, 5;\n  or.b32 %r3, %r3, %r4;\n  and.b32 %r2, %r2, 31;\n"
    "  mul.wide.u32 %rd5, %r2, 4;\n  add.u64 %rd3, %rd2, %rd5;\n  add.u64 %rd4, %rd4, %rd3;\n"
    "  setp.eq.u32 %p0, %r2, 0;\n  setp.eq.u32 %p4, %r2, 31;\n  setp.ne.u32 %p1, %r3, 0;\n  @%p1 bra WRITER;\n"
    "  setp.lt.u32 %p2, %r2, %r0;\n  mov.u32 %r5, 0;\n  @%p2 ld.global.ca.u32 %r5, [%rd3];\n"
    "  setp.eq.u32 %p3, %r5, 0;\n  vote.sync.all.pred %p3, %p3, 0xffffffff;\n  selp.u32 %r6, 1, 2, %p3;\n"
    "  @%p0 st.volatile.global.u32 [%rd1], %r6;\n"
    "WRITTEN:\n  ld.volatile.global.u32 %r7, [%rd1+128];\n  setp.eq.u32 %p2, %r7, 0;\n  @%p2 bra WRITTEN;\n  bar.warp.sync 0xffffffff;\n"
    "  mov.u32 %r9, 0;\n  mov.u64 %rd6, %rd3;\n  setp.eq.u32 %p6, %r1, 0;\n  @%p6 bra READ;\n"
    "OTHERS:\n  .pragma \"nounroll\";\n  add.u64 %rd6, %rd6, 128;\n  ld.global.ca.u32 %r8, [%rd6];\n  add.u32 %r9, %r9, %r8;\n"
    "  sub.u32 %r1, %r1, 1;\n  setp.ne.u32 %p6, %r1, 0;\n  @%p6 bra OTHERS;\n"
    "READ:\n  add.u32 %r9, %r9, %r5;\n  BETWEEN\n  AGAIN %r10, [%rd4];\n"
    "  setp.eq.u32 %p2, %r10, %r9;\n  vote.sync.ballot.b32 %r11, %p2, 0xffffffff;\n  popc.b32 %r11, %r11;\n"
    "  @%p0 st.global.u32 [%rd0], %r11;\n  ret;\n"
    "WRITER:\n  ld.volatile.global.u32 %r7, [%rd1];\n  setp.eq.u32 %p2, %r7, 0;\n  @%p2 bra WRITER;\n  bar.warp.sync 0xffffffff;\n"
    "  HOW\n  membar.gl;\n  bar.warp.sync 0xffffffff;\n  @%p0 st.volatile.global.u32 [%rd1+128], 1;\n  ret;\n}\n";

static CUdeviceptr result, arena;

static const char *text_of(const struct choice *c, size_t n, const char *word) {
  for (size_t i = 0; i < n; i++)
    if (!strcmp(c[i].word, word)) return c[i].text;
  return NULL;
}
#define TEXT_OF(choices, word) text_of(choices, sizeof(choices) / sizeof *(choices), word)

/* `text` with what stands for `name` in its place. */
static void put(char *ptx, const char *name, const char *what) {
  char *at = strstr(ptx, name);
  memmove(at + strlen(what), at + strlen(name), strlen(at + strlen(name)) + 1);
  memcpy(at, what, strlen(what));
}

static CUfunction function_of(const char *how, const char *between, const char *again) {
  static char ptx[MOST_BYTES];
  CUmodule module;
  CUfunction f;
  memcpy(ptx, text, sizeof text);
  put(ptx, "BETWEEN", between);
  put(ptx, "AGAIN", again);
  put(ptx, "HOW", how);
  CHECK(cuModuleLoadData(&module, ptx));
  CHECK(cuModuleGetFunction(&f, module, "stale"));
  return f;
}

static int answer(const char *line) {
  static unsigned used;
  char who[8], how[8], between[16], again[16];
  unsigned lanes, old = 99;
  if (sscanf(line, "%7s %7s %15s %15s %u", who, how, between, again, &lanes) != 5) return -1;
  unsigned more = (unsigned)strtoul(between, NULL, 10) * 8, near = !strcmp(who, "near"); /* lines of a KB */
  const char *written = TEXT_OF(hows, how), *meanwhile = more ? "" : TEXT_OF(betweens, between), *read = TEXT_OF(agains, again);
  if (!written || !meanwhile || !read || more * 128 > APART - 4096) return -1;
  CUfunction f = function_of(written, meanwhile, read);
  CUdeviceptr flags = arena + (size_t)used++ * APART, place = flags + 4096;
  unsigned long long zero = 0;
  void *args[] = {&result, &flags, &place, &zero, &lanes, &more};
  CHECK(cuLaunchKernel(f, near ? 1 : 2, 1, 1, near ? 64 : 32, 1, 1, 0, 0, args, 0));
  CHECK(cuMemcpyDtoH(&old, result, sizeof old));
  return (int)old;
}

int main(void) {
  char line[256];
  (void)open_device();
  CHECK(cuMemAlloc(&result, 4096));
  CHECK(cuMemAlloc(&arena, ARENA));
  CHECK(cuMemsetD8(arena, 0, ARENA));
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    printf("%s = %d\n", line, answer(line));
    fflush(stdout);
  }
  return 0;
}
