/* Probes of a GPU's memory hierarchy, and of threads that wait for each other, on the CUDA driver API: the same program runs
 * on a real GPU and on Heddle, so that the two can be compared load by load. One measurement a command:
 *
 *   chase ca|cg BYTES SPACING WARM HOPS     one thread, a random cycle of pointers SPACING bytes apart: cycles a load
 *   read ca|cg CTAS REGION WARM PASSES      1,024 threads a CTA, each CTA its own region: bytes a clock an SM
 *   sum ca|cg CTAS REGION WARM PASSES       the same with one load a turn and a sum that each waits for
 *   strided ca|cg CTAS REGION STRIDE TURNS  each CTA its own region of a power of two of bytes, the lanes of a warp load
 *                                           STRIDE bytes apart: cycles a warp load
 *   indexed ca|cg CTAS REGION STRIDE TURNS  one region for all CTAs, each thread STRIDE bytes after the one before, each load
 *                                           as far on as the warp is wide
 *   shared ca|cg CTAS REGION STRIDE TURNS   as strided with one region for all CTAs, each load as far after the last as if
 *                                           every thread of the grid had read a word
 *   staggered ca|cg CTAS REGION STRIDE TURNS  each thread of the grid STRIDE bytes after the one before,
 *                                           each load as far on as the CTA is wide, round one region: what a CTA reads, the
 *                                           one before reads next; the region stays for the next such command
 *   stream ca CTAS BYTES WARM LAUNCHES      all threads together through all bytes, LAUNCHES times: GB/s by events
 *   lock naked|flag|shared CTAS THREADS 0 0 every thread takes one lock once: cycles of the CTA that took longest
 *   sides load|atom|add LANES 0 N 0         lanes of even and odd numbers of a warp go different ways, N dependent steps
 *                                           each: cycles a step
 *   ping pong 0 0 N 0                       two lanes of a warp write a word in turns, N times each: cycles a time
 *
 * Usage: probe kernels.ptx -- reads such lines from standard input, prints each with its answer. A chain longer than the
 * hops that will be walked is laid only as far as they go, over the same addresses. */
#include "driver.h"

#include <stdbool.h>
#include <string.h>

enum { MAX_CTAS = 2048, THREADS = 1024 /* of a CTA */ };

static CUmodule with_ca, with_cg; /* the kernels, their loads with either operator */
static CUdeviceptr result;
static int multiprocessors;

static unsigned long long random_state = 88172645463325252ull;
static unsigned long long random_number(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  return random_state ^= random_state << 17;
}

static CUfunction kernel(const char *name, const char *op) {
  CUfunction f;
  CHECK(cuModuleGetFunction(&f, strcmp(op, "cg") ? with_ca : with_cg, name));
  return f;
}

static CUdeviceptr allocate(size_t bytes) {
  CUdeviceptr p;
  CHECK(cuMemAlloc(&p, bytes));
  return p;
}

/* Largest of the cycles of all CTAs. */
static double cycles_of(unsigned ctas) {
  static unsigned long long cycles[MAX_CTAS];
  unsigned long long most = 0;
  CHECK(cuMemcpyDtoH(cycles, result, ctas * sizeof *cycles));
  for (unsigned i = 0; i < ctas; i++) most = cycles[i] > most ? cycles[i] : most;
  return (double)most;
}

/* ---- chains ------------------------------------------------------------------------------------------------------------ */

/* A random cycle through all n nodes, in the whole buffer at once. */
static void lay_whole(CUdeviceptr data, size_t n, size_t spacing) {
  unsigned *order = malloc(n * sizeof *order);
  char *host = calloc(n, spacing);
  for (size_t i = 0; i < n; i++) order[i] = (unsigned)i;
  for (size_t i = n - 1; i > 0; i--) {
    size_t j = random_number() % i;
    unsigned t = order[i];
    order[i] = order[j];
    order[j] = t;
  }
  for (size_t i = 0; i < n; i++)
    *(CUdeviceptr *)(host + order[i] * spacing) = data + order[(i + 1) % n] * spacing;
  CHECK(cuMemcpyHtoD(data, host, n * spacing));
  free(order);
  free(host);
}

static void chase(const char *op, size_t bytes, size_t spacing, unsigned warm, unsigned hops) {
  CUdeviceptr data = allocate(bytes);
  lay_whole(data, bytes / spacing, spacing);
  void *args[] = {&data, &result, &warm, &hops};
  CHECK(cuLaunchKernel(kernel("chase", op), 1, 1, 1, 1, 1, 1, 0, 0, args, 0));
  CHECK(cuCtxSynchronize());
  printf("%.1f\n", cycles_of(1) / hops);
  CHECK(cuMemFree(data));
}

/* ---- bandwidth --------------------------------------------------------------------------------------------------------- */

static void read_regions(const char *op, const char *name, unsigned ctas, size_t region, unsigned warm, unsigned passes) {
  CUdeviceptr data = allocate(ctas * region);
  CUfunction f = kernel(name, op);
  void *args[] = {&data, &region, &warm, &result};
  if (warm) CHECK(cuLaunchKernel(f, ctas, 1, 1, 1024, 1, 1, 0, 0, args, 0));
  args[2] = &passes;
  CHECK(cuLaunchKernel(f, ctas, 1, 1, 1024, 1, 1, 0, 0, args, 0));
  CHECK(cuCtxSynchronize());
  printf("%.2f\n", (double)region * passes / cycles_of(ctas));
  CHECK(cuMemFree(data));
}

/* ---- un-coalesced loads -------------------------------------------------------------------------------------------------- */

struct walk { /* see probes.ptx */
  const char *kernel;
  unsigned region, lane, warp, cta, step;
  size_t apart;
  unsigned turns;
};

static void launch_walk(const char *op, unsigned ctas, CUdeviceptr data, const struct walk *w) {
  struct walk k = *w;
  void *args[] = {&data, &k.region, &k.lane, &k.warp, &k.cta, &k.step, &k.apart, &k.turns, &result};
  CHECK(cuLaunchKernel(kernel(k.kernel, op), ctas, 1, 1, THREADS, 1, 1, 0, 0, args, 0));
}

/* Cycles a warp load of an SM, from when a CTA's warps all begin to when all have ended; all CTAs run at once. */
static double walk_cycles(unsigned ctas, const struct walk *w) {
  unsigned sms = ctas < (unsigned)multiprocessors ? ctas : (unsigned)multiprocessors;
  CHECK(cuCtxSynchronize());
  return cycles_of(ctas) * sms / ((double)ctas * (THREADS / 32) * 4 * w->turns);
}

static void strided(const char *op, unsigned ctas, unsigned region, unsigned stride, unsigned turns) {
  CUdeviceptr data = allocate((size_t)ctas * region + 32u * stride);
  unsigned line = 128;
  struct walk every_line = {"walk4", region, line, region / 32, 0, 32 * line, region, region / (32 * 32 * line * 4) + 1};
  struct walk w = {"walk4", region, stride, region / 32, 0, 32 * stride, region, turns};
  launch_walk(op, ctas, data, &every_line);
  launch_walk(op, ctas, data, &w);
  printf("%.2f\n", walk_cycles(ctas, &w));
  CHECK(cuMemFree(data));
}

static void indexed(const char *op, unsigned ctas, unsigned region, unsigned stride, unsigned turns) {
  CUdeviceptr data = allocate(region);
  struct walk w = {"index4", region, stride, 32 * stride, 0, 32 * stride, 0, turns};
  for (int i = 0; i < 2; i++) launch_walk(op, ctas, data, &w);
  printf("%.2f\n", walk_cycles(ctas, &w));
  CHECK(cuMemFree(data));
}

static void shared(const char *op, unsigned ctas, unsigned region, unsigned stride, unsigned turns) {
  CUdeviceptr data = allocate(region + 32u * stride);
  struct walk w = {"walk4", region, stride, region / 32, 0, ctas * 1024 * 4, 0, turns};
  launch_walk(op, ctas < 16 ? ctas : 16, data, &w); /* all that will be read, into L2 */
  launch_walk(op, ctas, data, &w);
  printf("%.2f\n", walk_cycles(ctas, &w));
  CHECK(cuMemFree(data));
}

static void staggered(const char *op, unsigned ctas, unsigned region, unsigned stride, unsigned turns) {
  static CUdeviceptr data;
  static unsigned bytes;
  struct walk w = {"index4", region, stride, 32 * stride, THREADS * stride, THREADS * stride, 0, turns};
  if (bytes != region) {
    if (bytes) CHECK(cuMemFree(data));
    data = allocate(bytes = region);
    CHECK(cuMemsetD8(data, 0, region));
  }
  launch_walk(op, ctas, data, &w);
  printf("%.2f\n", walk_cycles(ctas, &w));
}

static void stream(unsigned ctas, size_t bytes, unsigned warm, unsigned launches) {
  CUdeviceptr data = allocate(bytes);
  CUfunction f;
  CUevent begin, end;
  float ms;
  CHECK(cuModuleGetFunction(&f, with_ca, "stream"));
  CHECK(cuEventCreate(&begin, 0));
  CHECK(cuEventCreate(&end, 0));
  void *args[] = {&data, &bytes, &result};
  for (unsigned i = 0; i < warm; i++) CHECK(cuLaunchKernel(f, ctas, 1, 1, 1024, 1, 1, 0, 0, args, 0));
  CHECK(cuEventRecord(begin, 0));
  for (unsigned i = 0; i < launches; i++) CHECK(cuLaunchKernel(f, ctas, 1, 1, 1024, 1, 1, 0, 0, args, 0));
  CHECK(cuEventRecord(end, 0));
  CHECK(cuEventSynchronize(end));
  CHECK(cuEventElapsedTime(&ms, begin, end));
  printf("%.0f\n", (double)bytes * launches / ms * 1e-6);
  CHECK(cuEventDestroy(begin));
  CHECK(cuEventDestroy(end));
  CHECK(cuMemFree(data));
}

/* ---- waiting for other threads -------------------------------------------------------------------------------------- */

/* From the first thread's begin to the last one's end, of the CTA that took longest; the second of two launches. */
static double wait_cycles(const char *name, unsigned ctas, unsigned threads, unsigned n, CUdeviceptr data) {
  static unsigned long long at[MAX_CTAS][2];
  unsigned long long most = 0;
  void *args[] = {&data, &result, &n};
  for (int i = 0; i < 2; i++) {
    CHECK(cuMemsetD8(data, 0, 4096));
    CHECK(cuLaunchKernel(kernel(name, "ca"), ctas, 1, 1, threads, 1, 1, 0, 0, args, 0));
  }
  CHECK(cuCtxSynchronize());
  CHECK(cuMemcpyDtoH(at, result, ctas * threads * sizeof *at));
  for (unsigned c = 0; c < ctas; c++) {
    unsigned long long first = at[c * threads][0], last = 0;
    for (unsigned i = c * threads; i < (c + 1) * threads; i++) {
      first = at[i][0] < first ? at[i][0] : first;
      last = at[i][1] > last ? at[i][1] : last;
    }
    most = last - first > most ? last - first : most;
  }
  return (double)most;
}

/* The least of four places for the word: some are in the far half of L2. */
static void wait_for_others(const char *what, const char *kind, unsigned ctas, unsigned threads, unsigned n) {
  enum { PLACES = 4, APART = 15 << 10 };
  CUdeviceptr data = allocate(PLACES * APART);
  char name[32];
  bool wrong = false;
  double least = 0;
  if (!strcmp(what, "ping")) snprintf(name, sizeof name, "ping");
  else snprintf(name, sizeof name, "%s_%s", what, kind);
  for (unsigned i = 0; i < PLACES; i++) {
    unsigned count;
    double cycles = wait_cycles(name, ctas, threads, n, data + i * APART);
    CHECK(cuMemcpyDtoH(&count, data + i * APART + 4, sizeof count));
    wrong |= !strcmp(what, "lock") && count != (strcmp(kind, "shared") ? ctas : 1) * threads;
    least = !i || cycles < least ? cycles : least;
  }
  printf("%.1f%s\n", least / (n ? n : 1), wrong ? " and the lock did not hold" : "");
  CHECK(cuMemFree(data));
}

static void load_kernels(const char *path) {
  static char text[1 << 16];
  FILE *f = fopen(path, "r");
  size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
  if (!n || n == sizeof text - 1) {
    fprintf(stderr, "%s: cannot be read, or is too long\n", path);
    exit(1);
  }
  fclose(f);
  CHECK(cuModuleLoadData(&with_ca, text));
  for (char *at = text; (at = strstr(at, "ld.global.ca"));) at[strlen("ld.global.c")] = 'g';
  CHECK(cuModuleLoadData(&with_cg, text));
}

static void one(const char *line) {
  char what[16] = "", op[8] = "";
  unsigned long long a = 0, b = 0, c = 0, d = 0;
  if (sscanf(line, "%15s %7s %llu %llu %llu %llu", what, op, &a, &b, &c, &d) != 6) return;
  printf("%.*s = ", (int)strcspn(line, "\n"), line);
  fflush(stdout);
  if (!strcmp(what, "chase"))
    chase(op, a, b, (unsigned)c, (unsigned)d);
  else if (!strcmp(what, "read") || !strcmp(what, "sum"))
    read_regions(op, what, (unsigned)a, b, (unsigned)c, (unsigned)d);
  else if (!strcmp(what, "strided"))
    strided(op, (unsigned)a, (unsigned)b, (unsigned)c, (unsigned)d);
  else if (!strcmp(what, "indexed"))
    indexed(op, (unsigned)a, (unsigned)b, (unsigned)c, (unsigned)d);
  else if (!strcmp(what, "shared"))
    shared(op, (unsigned)a, (unsigned)b, (unsigned)c, (unsigned)d);
  else if (!strcmp(what, "staggered"))
    staggered(op, (unsigned)a, (unsigned)b, (unsigned)c, (unsigned)d);
  else if (!strcmp(what, "lock"))
    wait_for_others(what, op, (unsigned)a, (unsigned)b, 0);
  else if (!strcmp(what, "sides"))
    wait_for_others(what, op, 1, (unsigned)a, (unsigned)c);
  else if (!strcmp(what, "ping"))
    wait_for_others(what, op, 1, 2, (unsigned)c);
  else if (!strcmp(what, "stream"))
    stream((unsigned)a, b, (unsigned)c, (unsigned)d);
  else
    printf("?\n");
}

int main(int argc, char **argv) {
  char line[256];
  CUdevice device = open_device();
  CHECK(cuDeviceGetAttribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device));
  load_kernels(argc > 1 ? argv[1] : "probes.ptx");
  result = allocate(MAX_CTAS * 8);
  while (fgets(line, sizeof line, stdin)) one(line);
  return 0;
}
