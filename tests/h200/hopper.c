/* Latency and rate of what Hopper added, on the CUDA driver API: the same program runs on a real GPU and on Heddle.
 *
 * Usage: hopper -- reads rows from standard input, everything after a tab of which it ignores, and prints each with its figures, cycles
 * if not said otherwise:
 *
 *   wgmma TYPE N ss|rs G      one that waits for the one before, one of sixteen in a row; G warpgroups of a CTA each
 *   dsm load|atom C K         from one that needs the result of the one before, at the CTA K after the own one of a cluster of C
 *   dsmrate load|store C n    bytes a clock of each SM: n clusters of C, all 32 warps of a CTA at the CTA after it
 *   barrier C T               barrier.cluster of C CTAs of T threads
 *   fence nothing|load|store|again  fence.acq_rel.gpu, mean of 132 CTAs of a warp: behind nothing, a load that has come, a store,
 *                             a fence and a load
 *   fences W L                from a barrier of a CTA until the fences of its W warps, each behind L loads, have ended; mean of 132 CTAs
 *   arrive own|remote|async   an mbarrier: arrive and wait; there and back between two CTAs, by an arrival or by st.async
 *   copy bulk|tensor BYTES ITEMS     a copy to shared memory until its mbarrier says so, each of ITEMS after another over as many places
 *   wait                      mbarrier.try_wait until it answers that the phase has not ended
 *   issue bulk|tensor BYTES N    N copies and the expectations of their mbarriers, until the thread goes on, behind a first one
 *   copyrate bulk|tensor|store BYTES SMS TIMES  bytes a clock of each SM: four copies at a time; each SM its own place, TIMES over it
 *   multicast BYTES C n       bytes a clock that come to each SM: n clusters of C, each CTA sends its part of a tile to all
 *   place C                   which SMs the first clusters of C are on
 *   occupancy C BYTES         clusters of C of 128 threads with so many bytes of shared memory that run at once */
#include "driver.h"

#include <stdarg.h>
#include <string.h>

enum { MOST = 1 << 17, OUT = 4096, DATA = 1 << 29, STAGES = 4, UNROLL = 16, TURNS = 16, ROUNDS = 64, ROW_BYTES = 128 };

static char text[MOST];
static size_t used;
static CUdeviceptr out, data;
static unsigned long long answer[OUT];

static void put(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void put(const char *format, ...) {
  va_list args;
  va_start(args, format);
  used += (size_t)vsnprintf(text + used, MOST - used, format, args);
  va_end(args);
}

/* ---- kernels --------------------------------------------------------------------------------------------------------- */

/* %rd0 out, %rd1 data, %r0 thread, %r1 rank in the cluster, %r2 CTA, %p0 first thread, %rd2 map, %r3 shared memory, %r4 mbarriers */
static void begin(unsigned shared_bytes) {
  used = 0;
  put(".version 8.7\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 tiles[];\n.shared .align 8 .b64 bars[32];\n"
      ".visible .entry k(.param .u64 out, .param .u64 data, .param .align 64 .b8 map[128]) {\n"
      "  .reg .pred %%p<8>;\n  .reg .b16 %%h<4>;\n  .reg .b32 %%r<64>;\n  .reg .b64 %%rd<32>;\n  .reg .f32 %%f<256>;\n"
      "  ld.param.u64 %%rd0, [out];\n  ld.param.u64 %%rd1, [data];\n  mov.b64 %%rd2, map;\n  cvta.param.u64 %%rd2, %%rd2;\n"
      "  mov.u32 %%r0, %%tid.x;\n  mov.u32 %%r1, %%cluster_ctarank;\n  mov.u32 %%r2, %%ctaid.x;\n  setp.eq.u32 %%p0, %%r0, 0;\n"
      "  mov.u32 %%r3, tiles;\n  mov.u32 %%r4, bars;\n");
  if (shared_bytes)
    put("  shl.b32 %%r5, %%r0, 4;\n  mov.u32 %%r6, 0;\nCLEAR:\n  add.u32 %%r7, %%r3, %%r5;\n  st.shared.v4.b32 [%%r7], {%%r6, %%r6, "
        "%%r6, %%r6};\n"
        "  mov.u32 %%r7, %%ntid.x;\n  shl.b32 %%r7, %%r7, 4;\n  add.u32 %%r5, %%r5, %%r7;\n  setp.lt.u32 %%p1, %%r5, %u;\n  @%%p1 bra "
        "CLEAR;\n"
        "  fence.proxy.async;\n  bar.sync 0;\n",
        shared_bytes);
}

static void start_clock(void) { put("  mov.u64 %%rd3, %%clock64;\n"); }

/* The time of the first thread of every CTA. */
static void end(void) {
  put("  mov.u64 %%rd4, %%clock64;\n  sub.u64 %%rd4, %%rd4, %%rd3;\n  @!%%p0 bra END;\n  mad.wide.u32 %%rd0, %%r2, 8, %%rd0;\n"
      "  st.global.u64 [%%rd0], %%rd4;\nEND:\n  ret;\n}\n");
}

static void turns(const char *name, unsigned n) { put("  mov.u32 %%r8, %u;\n%s:\n  .pragma \"nounroll\";\n", n, name); }
static void turn(const char *name) { put("  sub.u32 %%r8, %%r8, 1;\n  setp.ne.u32 %%p7, %%r8, 0;\n  @%%p7 bra %s;\n", name); }
static void meet(void) { put("  barrier.cluster.arrive.aligned;\n  barrier.cluster.wait.aligned;\n"); }

/* The same behind a part that the first thread alone went through. */
static void meet_again(void) { put("  barrier.cluster.arrive;\n  barrier.cluster.wait;\n"); }

static void init_barriers(unsigned n, unsigned count) {
  for (unsigned i = 0; i < n; i++) put("  @%%p0 mbarrier.init.shared::cta.b64 [%%r4+%u], %u;\n", 8 * i, count);
  put("  fence.mbarrier_init.release.cluster;\n  fence.proxy.async;\n  bar.sync 0;\n");
  meet();
}

/* ---- launches --------------------------------------------------------------------------------------------------------- */

struct shape {
  unsigned ctas, threads, cluster, shared;
};

static CUfunction load(CUmodule *module, const struct shape *s) {
  CUfunction f;
  CHECK(cuModuleLoadData(module, text));
  CHECK(cuModuleGetFunction(&f, *module, "k"));
  CHECK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)s->shared));
  if (s->cluster > 8) CHECK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
  return f;
}

static CUlaunchConfig config(const struct shape *s, CUlaunchAttribute *a) {
  *a = (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
  a->value.clusterDim.x = s->cluster;
  a->value.clusterDim.y = a->value.clusterDim.z = 1;
  return (CUlaunchConfig){.gridDimX = s->ctas,
                          .gridDimY = 1,
                          .gridDimZ = 1,
                          .blockDimX = s->threads,
                          .blockDimY = 1,
                          .blockDimZ = 1,
                          .sharedMemBytes = s->shared,
                          .attrs = a,
                          .numAttrs = s->cluster ? 1 : 0};
}

/* Runs what was written, `times` over, and leaves what each CTA answered the last time. Returns the mean. */
static double run(const struct shape *s, const CUtensorMap *map, int times) {
  CUmodule module;
  CUfunction f = load(&module, s);
  CUtensorMap none = {.opaque = {0}};
  void *args[] = {&out, &data, (void *)(map ? map : &none)};
  CUlaunchAttribute a;
  CUlaunchConfig c = config(s, &a);
  while (times--) CHECK(cuLaunchKernelEx(&c, f, args, NULL));
  CHECK(cuCtxSynchronize());
  CHECK(cuMemcpyDtoH(answer, out, s->ctas * sizeof *answer));
  CHECK(cuModuleUnload(module));
  double sum = 0;
  for (unsigned i = 0; i < s->ctas; i++) sum += (double)answer[i];
  return sum / s->ctas;
}

/* ---- wgmma ------------------------------------------------------------------------------------------------------------- */

struct kind {
  const char *name, *types, *sum;
  unsigned k;
  int signs, transposes, sparse;
};
static const struct kind KINDS[] = {
    {"f16", "f16.f16", "f32", 16, 1, 1, 0},   {"bf16", "bf16.bf16", "f32", 16, 1, 1, 0},   {"f16half", "f16.f16", "f16", 16, 1, 1, 0},
    {"tf32", "tf32.tf32", "f32", 8, 1, 0, 0}, {"e4m3", "e4m3.e4m3", "f32", 32, 1, 0, 0},   {"s8", "s8.s8", "s32", 32, 0, 0, 0},
    {"spf16", "f16.f16", "f32", 32, 1, 1, 1}, {"spe4m3", "e4m3.e4m3", "f32", 64, 1, 0, 1}, {"b1", "b1.b1", "s32", 256, 0, 0, 0}};

static void put_wgmma(const struct kind *k, unsigned n, int registers) {
  unsigned regs = strcmp(k->sum, "f16") ? n / 2 : n / 4;
  put("  wgmma.mma_async%s.sync.aligned.m64n%uk%u.%s.%s%s {", k->sparse ? ".sp" : "", n, k->k, k->sum, k->types,
      strcmp(k->name, "b1") ? "" : ".and.popc");
  for (unsigned i = 0; i < regs; i++) put("%s%%a%u", i ? ", " : "", i);
  put("}, %s, %%rd11, ", registers ? "{%r20, %r21, %r22, %r23}" : "%rd10");
  if (k->sparse) put("%%r24, 0, ");
  put("%%p5");
  if (k->signs) put(", 1, 1");
  if (k->transposes) put(registers ? ", 0" : ", 0, 0");
  put(";\n");
}

static double time_wgmma(const struct kind *k, unsigned n, int registers, unsigned groups, unsigned in_a_row) {
  unsigned regs = strcmp(k->sum, "f16") ? n / 2 : n / 4;
  begin(40960);
  put("  .reg .%s %%a<%u>;\n", !strcmp(k->sum, "f32") ? "f32" : "b32", regs);
  for (unsigned i = 0; i < regs; i++) put("  mov.b32 %%a%u, 0;\n", i);
  for (unsigned i = 20; i < 24; i++) put("  mov.b32 %%r%u, 0;\n", i);
  put("  mov.b32 %%r24, 0x44444444;\n  setp.ne.u32 %%p5, %%r3, 1;\n  shr.u32 %%r9, %%r3, 4;\n  cvt.u64.u32 %%rd10, %%r9;\n"
      "  or.b64 %%rd10, %%rd10, 0x4000004000010000;\n  add.u64 %%rd11, %%rd10, 512;\n");
  turns("WARM", 2);
  for (int timed = 0; timed < 2; timed++) {
    if (timed) {
      put("  bar.sync 0;\n");
      start_clock();
      turns("TIMED", TURNS);
    }
    put("  wgmma.fence.sync.aligned;\n");
    for (unsigned i = 0; i < in_a_row; i++) put_wgmma(k, n, registers);
    put("  wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 0;\n");
    turn(timed ? "TIMED" : "WARM");
  }
  put("  bar.sync 0;\n  mov.u64 %%rd4, %%clock64;\n  sub.u64 %%rd4, %%rd4, %%rd3;\n  .reg .b32 %%s;\n  mov.b32 %%s, 0;\n");
  for (unsigned i = 0; i < regs; i++) put("  mov.b32 %%r9, %%a%u;\n  xor.b32 %%s, %%s, %%r9;\n", i);
  put("  setp.eq.u32 %%p1, %%s, 305419896;\n  @%%p1 st.global.u32 [%%rd1], %%s;\n  mad.wide.u32 %%rd0, %%r2, 8, %%rd0;\n"
      "  @%%p0 st.global.u64 [%%rd0], %%rd4;\n  ret;\n}\n");
  return run(&(struct shape){1, 128 * groups, 0, 40960}, NULL, 1) / TURNS / in_a_row;
}

static void wgmma(char *words) {
  char type[16], where[8];
  unsigned n, groups;
  if (sscanf(words, "wgmma %15s %u %7s %u", type, &n, where, &groups) != 4) return;
  for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++)
    if (!strcmp(KINDS[i].name, type))
      printf("%s\t%.1f\t%.1f\n", words, time_wgmma(&KINDS[i], n, where[0] == 'r', groups, 1),
             time_wgmma(&KINDS[i], n, where[0] == 'r', groups, UNROLL));
}

/* ---- shared memory of others --------------------------------------------------------------------------------------------- */

static void rank_after(unsigned cluster, unsigned distance) {
  put("  add.u32 %%r9, %%r1, %u;\n  rem.u32 %%r9, %%r9, %u;\n  mapa.shared::cluster.u32 %%r10, %%r3, %%r9;\n", distance, cluster);
}

static void dsm(char *words) {
  char what[16];
  unsigned cluster, distance;
  if (sscanf(words, "dsm %15s %u %u", what, &cluster, &distance) != 3) return;
  begin(4096);
  rank_after(cluster, distance);
  put("  st.shared.u32 [%%r3], %%r10;\n  bar.sync 0;\n");
  meet();
  put("  @!%%p0 bra OVER;\n  mapa.shared::cluster.u32 %%r11, %%r3, %%r9;\n  st.shared::cluster.u32 [%%r11], %%r11;\n");
  start_clock();
  turns("NEXT", TURNS);
  for (unsigned i = 0; i < UNROLL; i++)
    put(!strcmp(what, "atom") ? "  atom.shared::cluster.or.b32 %%r11, [%%r11], 0;\n" : "  ld.shared::cluster.u32 %%r11, [%%r11];\n");
  turn("NEXT");
  put("  setp.eq.u32 %%p1, %%r11, 305419896;\n  @%%p1 st.global.u32 [%%rd1], %%r11;\n  mov.u64 %%rd4, %%clock64;\n  sub.u64 %%rd4, "
      "%%rd4, %%rd3;\n"
      "  mad.wide.u32 %%rd0, %%r2, 8, %%rd0;\n  st.global.u64 [%%rd0], %%rd4;\nOVER:\n");
  meet_again();
  put("  ret;\n}\n");
  printf("%s\t%.1f\n", words, run(&(struct shape){cluster, 32, cluster, 4096}, NULL, 2) / TURNS / UNROLL);
}

static void dsmrate(char *words) {
  char what[16];
  unsigned cluster, clusters;
  if (sscanf(words, "dsmrate %15s %u %u", what, &cluster, &clusters) != 3) return;
  begin(65536);
  rank_after(cluster, 1);
  put("  shl.b32 %%r11, %%r0, 4;\n  add.u32 %%r11, %%r11, %%r10;\n  mov.u32 %%r12, 0;\n");
  meet();
  start_clock();
  turns("NEXT", TURNS);
  for (unsigned i = 0; i < UNROLL; i++) {
    unsigned at = i % 4 * 16384;
    if (!strcmp(what, "store"))
      put("  st.shared::cluster.v4.b32 [%%r11+%u], {%%r12, %%r8, %%r12, %%r8};\n", at);
    else
      put("  ld.volatile.shared::cluster.v4.b32 {%%r%u, %%r%u, %%r%u, %%r%u}, [%%r11+%u];\n", 16 + i % 4 * 4, 17 + i % 4 * 4,
          18 + i % 4 * 4, 19 + i % 4 * 4, at);
    if (!strcmp(what, "load") && i % 4 == 3)
      for (unsigned r = 16; r < 32; r++) put("  xor.b32 %%r12, %%r12, %%r%u;\n", r);
  }
  turn("NEXT");
  put("  setp.eq.u32 %%p1, %%r12, 305419896;\n  @%%p1 st.global.u32 [%%rd1], %%r12;\n");
  meet();
  end();
  double cycles = run(&(struct shape){cluster * clusters, 1024, cluster, 65536}, NULL, 2);
  printf("%s\t%.1f\n", words, 1024.0 * 16 * TURNS * UNROLL / cycles);
}

static void barrier(char *words) {
  unsigned cluster, threads;
  if (sscanf(words, "barrier %u %u", &cluster, &threads) != 2) return;
  begin(0);
  meet();
  start_clock();
  turns("NEXT", TURNS);
  for (unsigned i = 0; i < UNROLL; i++) meet();
  turn("NEXT");
  end();
  printf("%s\t%.1f\n", words, run(&(struct shape){cluster, threads, cluster, 0}, NULL, 2) / TURNS / UNROLL);
}

static void fence(char *words) {
  char what[16];
  if (sscanf(words, "fence %15s", what) != 1) return;
  int loads = strcmp(what, "nothing") && strcmp(what, "store");
  begin(0);
  if (!strcmp(what, "again")) put("  fence.acq_rel.gpu;\n");
  if (loads) put("  ld.global.cg.u32 %%r5, [%%rd1];\n  setp.eq.u32 %%p1, %%r5, 77;\n  @%%p1 bra END;\n");
  if (!strcmp(what, "store")) put("  st.global.u32 [%%rd1], %%r0;\n");
  start_clock();
  put("  fence.acq_rel.gpu;\n");
  end();
  printf("%s\t%.1f\n", words, run(&(struct shape){132, 32, 1, 0}, NULL, 2));
}

static void fences(char *words) {
  unsigned warps, loads;
  if (sscanf(words, "fences %u %u", &warps, &loads) != 2) return;
  begin(0);
  put("  mad.lo.u32 %%r5, %%r2, %u, %%r0;\n  mad.wide.u32 %%rd5, %%r5, 4, %%rd1;\n  mov.u32 %%r6, 0;\n", warps * 32 * loads);
  for (unsigned i = 0; i < loads; i++) put("  ld.global.u32 %%r%u, [%%rd5+%u];\n", 10 + i, i * warps * ROW_BYTES);
  for (unsigned i = 0; i < loads; i++) put("  xor.b32 %%r6, %%r6, %%r%u;\n", 10 + i);
  put("  setp.eq.u32 %%p1, %%r6, 305419896;\n  @%%p1 bra END;\n  bar.sync 0;\n");
  start_clock();
  put("  fence.acq_rel.gpu;\n  bar.sync 0;\n");
  end();
  printf("%s\t%.1f\n", words, run(&(struct shape){132, warps * 32, 0, 0}, NULL, 2));
}

static void wait_for(unsigned which, const char *place, unsigned bar, const char *parity) {
  put("%s%u:\n  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %%p2, [%s+%u], %s;\n  @!%%p2 bra %s%u;\n", "WAIT", which, place,
      bar, parity, "WAIT", which);
}

static void arrive(char *words) {
  char what[16];
  if (sscanf(words, "arrive %15s", what) != 1) return;
  int own = !strcmp(what, "own"), async = !strcmp(what, "async");
  unsigned cluster = own ? 1 : 2;
  begin(1024);
  init_barriers(1, 1);
  put("  xor.b32 %%r9, %%r1, %u;\n  mapa.shared::cluster.u32 %%r10, %%r4, %%r9;\n  mapa.shared::cluster.u32 %%r12, %%r3, %%r9;\n  "
      "mov.u32 %%r11, 0;\n"
      "  setp.eq.u32 %%p3, %%r1, 0;\n  @!%%p0 bra OVER;\n",
      own ? 0 : 1);
  start_clock();
  turns("NEXT", ROUNDS);
  const char *send = async ? "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r12], %r8, [%r10];"
                           : "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r10];";
  if (async) put("  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%r4], 4;\n");
  put("  @%%p3 %s\n", send);
  wait_for(0, "%r4", 0, "%r11");
  if (!own) put("  @!%%p3 %s\n", send);
  put("  xor.b32 %%r11, %%r11, 1;\n");
  turn("NEXT");
  put("  mov.u64 %%rd4, %%clock64;\n  sub.u64 %%rd4, %%rd4, %%rd3;\n  mad.wide.u32 %%rd0, %%r2, 8, %%rd0;\n  st.global.u64 [%%rd0], "
      "%%rd4;\nOVER:\n");
  meet_again();
  put("  ret;\n}\n");
  run(&(struct shape){cluster, 32, cluster, 1024}, NULL, 2);
  printf("%s\t%.1f\n", words, (double)answer[0] / ROUNDS);
}

/* At an mbarrier whose phase does not end. */
static void try_wait(char *words) {
  begin(0);
  init_barriers(1, 1);
  put("  mov.u32 %%r11, 0;\n  @!%%p0 bra OVER;\n");
  start_clock();
  put("  mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %%p2, [%%r4], %%r11;\n  @%%p2 bra OVER;\n");
  put("  mov.u64 %%rd4, %%clock64;\n  sub.u64 %%rd4, %%rd4, %%rd3;\n  st.global.u64 [%%rd0], %%rd4;\nOVER:\n  ret;\n}\n");
  printf("%s\t%.1f\n", words, run(&(struct shape){1, 32, 0, 0}, NULL, 2));
}

/* ---- copies ------------------------------------------------------------------------------------------------------------------ */

static CUtensorMap rows_map(unsigned rows) {
  CUtensorMap map;
  cuuint64_t sizes[] = {ROW_BYTES / 2, DATA / ROW_BYTES}, strides[] = {ROW_BYTES};
  cuuint32_t box[] = {ROW_BYTES / 2, rows}, steps[] = {1, 1};
  CHECK(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, (void *)(uintptr_t)data, sizes, strides, box, steps,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  return map;
}

/* From row %r13 (address %rd5) to stage `stage`. */
static void put_copy(const char *what, unsigned bytes, unsigned stage) {
  if (!strcmp(what, "store")) {
    put("  cp.async.bulk.global.shared::cta.bulk_group [%%rd5], [%%r3+%u], %u;\n  cp.async.bulk.commit_group;\n", stage * bytes, bytes);
    return;
  }
  put("  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%r4+%u], %u;\n", stage * 8, bytes);
  if (!strcmp(what, "bulk"))
    put("  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%%r3+%u], [%%rd5], %u, [%%r4+%u];\n", stage * bytes, bytes,
        stage * 8);
  else
    put("  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%%r3+%u], [%%rd2, {0, %%r13}], [%%r4+%u];\n",
        stage * bytes, stage * 8);
}

static void next_place(unsigned bytes) { put("  add.u64 %%rd5, %%rd5, %u;\n  add.u32 %%r13, %%r13, %u;\n", bytes, bytes / ROW_BYTES); }

static void copy(char *words) {
  char what[16];
  unsigned bytes, items;
  if (sscanf(words, "copy %15s %u %u", what, &bytes, &items) != 3) return;
  CUtensorMap map = rows_map(bytes / ROW_BYTES);
  begin(0);
  init_barriers(1, 1);
  put("  @!%%p0 bra OVER;\n  mov.u64 %%rd5, %%rd1;\n  mov.u32 %%r13, 0;\n  mov.u32 %%r11, 0;\n");
  start_clock();
  turns("NEXT", items);
  put_copy(what, bytes, 0);
  wait_for(0, "%r4", 0, "%r11");
  put("  xor.b32 %%r11, %%r11, 1;\n");
  next_place(bytes);
  turn("NEXT");
  put("  mov.u64 %%rd4, %%clock64;\n  sub.u64 %%rd4, %%rd4, %%rd3;\n  st.global.u64 [%%rd0], %%rd4;\nOVER:\n  ret;\n}\n");
  printf("%s\t%.1f\n", words, run(&(struct shape){1, 32, 0, bytes}, &map, items > 4096 ? 1 : 2) / items);
}

/* A first copy waits for the tensor map. */
static void issue(char *words) {
  char what[16];
  unsigned bytes, items;
  if (sscanf(words, "issue %15s %u %u", what, &bytes, &items) != 3 || items > 16) return;
  CUtensorMap map = rows_map(bytes / ROW_BYTES);
  begin(0);
  init_barriers(items, 1);
  put("  @!%%p0 bra OVER;\n  mov.u64 %%rd5, %%rd1;\n  mov.u32 %%r13, 0;\n  mov.u32 %%r11, 0;\n");
  put_copy(what, bytes, 0);
  wait_for(0, "%r4", 0, "%r11");
  put("  mov.u32 %%r11, 1;\n");
  start_clock();
  for (unsigned i = 0; i < items; i++) {
    put_copy(what, bytes, i);
    next_place(bytes);
  }
  put("  mov.u64 %%rd4, %%clock64;\n  sub.u64 %%rd4, %%rd4, %%rd3;\n  st.global.u64 [%%rd0], %%rd4;\n");
  wait_for(1, "%r4", 0, "%r11");
  put("  mov.u32 %%r11, 0;\n");
  for (unsigned i = 1; i < items; i++) wait_for(1 + i, "%r4", i * 8, "%r11");
  put("OVER:\n  ret;\n}\n");
  printf("%s\t%.1f\n", words, run(&(struct shape){1, 32, 0, bytes * items}, &map, 2) / items);
}

static void copyrate(char *words) {
  char what[16];
  unsigned bytes, sms, times;
  if (sscanf(words, "copyrate %15s %u %u %u", what, &bytes, &sms, &times) != 4) return;
  CUtensorMap map = rows_map(bytes / ROW_BYTES);
  unsigned each = ROUNDS * bytes, store = !strcmp(what, "store");
  begin(0);
  init_barriers(STAGES, 1);
  put("  @!%%p0 bra OVER;\n  mov.u32 %%r11, 0;\n");
  start_clock();
  put("  mov.u32 %%r14, %u;\nAGAIN:\n  mul.wide.u32 %%rd6, %%r2, %u;\n  add.u64 %%rd5, %%rd1, %%rd6;\n  mul.lo.u32 %%r13, %%r2, %u;\n",
      times, each, each / ROW_BYTES);
  for (unsigned s = 0; s < STAGES; s++) {
    put_copy(what, bytes, s);
    next_place(bytes);
  }
  turns("NEXT", ROUNDS / STAGES - 1);
  for (unsigned s = 0; s < STAGES; s++) {
    if (store)
      put("  cp.async.bulk.wait_group.read %d;\n", STAGES - 1);
    else
      wait_for(s, "%r4", s * 8, "%r11");
    put_copy(what, bytes, s);
    next_place(bytes);
  }
  put("  xor.b32 %%r11, %%r11, 1;\n");
  turn("NEXT");
  if (store) put("  cp.async.bulk.wait_group 0;\n");
  for (unsigned s = 0; !store && s < STAGES; s++) wait_for(STAGES + s, "%r4", s * 8, "%r11");
  put("  xor.b32 %%r11, %%r11, 1;\n  sub.u32 %%r14, %%r14, 1;\n  setp.ne.u32 %%p7, %%r14, 0;\n  @%%p7 bra AGAIN;\n");
  put("  mov.u64 %%rd4, %%clock64;\n  sub.u64 %%rd4, %%rd4, %%rd3;\n  mad.wide.u32 %%rd0, %%r2, 8, %%rd0;\n  st.global.u64 [%%rd0], "
      "%%rd4;\nOVER:\n  ret;\n}\n");
  double cycles = run(&(struct shape){sms, 32, 0, bytes * STAGES}, &map, 2);
  printf("%s\t%.1f\n", words, (double)each * times / cycles);
}

/* Each CTA of a cluster sends its part of a tile to all; all meet when four tiles have come. */
static void multicast(char *words) {
  unsigned bytes, cluster, clusters;
  if (sscanf(words, "multicast %u %u %u", &bytes, &cluster, &clusters) != 3) return;
  unsigned part = bytes / cluster;
  CUtensorMap map = rows_map(part / ROW_BYTES);
  begin(0);
  init_barriers(STAGES, 1);
  put("  mov.u32 %%r11, 0;\n  mul.lo.u32 %%r12, %%r1, %u;\n  add.u32 %%r12, %%r12, %%r3;\n  mov.u16 %%h0, %u;\n  div.u32 %%r15, %%r2, "
      "%u;\n"
      "  mul.lo.u32 %%r13, %%r15, %u;\n  mad.lo.u32 %%r13, %%r1, %u, %%r13;\n",
      part, (1u << cluster) - 1, cluster, ROUNDS / STAGES * STAGES * bytes / ROW_BYTES, part / ROW_BYTES);
  meet();
  start_clock();
  turns("NEXT", ROUNDS / STAGES);
  for (unsigned s = 0; s < STAGES; s++) {
    put("  @%%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%r4+%u], %u;\n", s * 8, bytes);
    put("  @%%p0 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%%r12+%u], [%%rd2, "
        "{0, %%r13}], "
        "[%%r4+%u], %%h0;\n  add.u32 %%r13, %%r13, %u;\n",
        s * bytes, s * 8, bytes / ROW_BYTES);
  }
  for (unsigned s = 0; s < STAGES; s++) wait_for(s, "%r4", s * 8, "%r11");
  put("  xor.b32 %%r11, %%r11, 1;\n");
  meet();
  turn("NEXT");
  end();
  double cycles = run(&(struct shape){cluster * clusters, 32, cluster, bytes * STAGES}, &map, 2);
  printf("%s\t%.1f\n", words, (double)ROUNDS * bytes / cycles);
}

/* ---- places ------------------------------------------------------------------------------------------------------------------- */

static void place(char *words) {
  unsigned cluster;
  if (sscanf(words, "place %u", &cluster) != 1) return;
  begin(0);
  put("  mov.u32 %%r9, %%smid;\n  cvt.u64.u32 %%rd4, %%r9;\n  @!%%p0 bra END;\n  mad.wide.u32 %%rd0, %%r2, 8, %%rd0;\n  st.global.u64 "
      "[%%rd0], %%rd4;\nEND:\n");
  meet();
  put("  ret;\n}\n");
  unsigned clusters = 132 / cluster;
  run(&(struct shape){clusters * cluster, 1024, cluster, 200 << 10}, NULL, 1);
  printf("%s\t", words);
  for (unsigned i = 0; i < clusters * cluster; i++)
    printf("%llu%s", answer[i], (i + 1) % cluster ? " " : i + 1 < clusters * cluster ? " | " : "\n");
}

static void occupancy(char *words) {
  struct shape s = {.threads = 128};
  if (sscanf(words, "occupancy %u %u", &s.cluster, &s.shared) != 2) return;
  begin(0);
  end();
  CUmodule module;
  CUfunction f = load(&module, &s);
  s.ctas = s.cluster * 64;
  CUlaunchAttribute a;
  CUlaunchConfig c = config(&s, &a);
  int clusters = -1, most = -1;
  CHECK(cuOccupancyMaxActiveClusters(&clusters, f, &c));
  c.numAttrs = 0;
  CHECK(cuOccupancyMaxPotentialClusterSize(&most, f, &c));
  printf("%s\t%d\t%d\n", words, clusters, most);
  CHECK(cuModuleUnload(module));
}

int main(void) {
  static const struct {
    const char *word;
    void (*run)(char *words);
  } ROWS[] = {{"wgmma ", wgmma}, {"dsm ", dsm},           {"dsmrate ", dsmrate},     {"barrier ", barrier}, {"arrive ", arrive},
              {"copy ", copy},   {"copyrate ", copyrate}, {"multicast ", multicast}, {"place ", place},     {"occupancy ", occupancy},
              {"fence ", fence}, {"fences ", fences},     {"issue ", issue},
              {"wait", try_wait}};
  char line[256];
  open_device();
  CHECK(cuMemAlloc(&out, OUT * sizeof *answer));
  CHECK(cuMemAlloc(&data, DATA));
  CHECK(cuMemsetD8(data, 0, DATA));
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\t\n")] = 0;
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++)
      if (!strncmp(line, ROWS[i].word, strlen(ROWS[i].word))) ROWS[i].run(line);
    fflush(stdout);
  }
  return 0;
}
