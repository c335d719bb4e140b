/* Small kernels (micro.ptx), one behaviour each, launched one after the other as their cycles in GPGPU-Sim were recorded
 * (micro.tsv): micro core | memory | stream, in the folder of micro.ptx. Allocations are in the order of the recorded runs, so that lines
 * lie in the same channels. */
#include <cuda.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static CUmodule module;

static void need(CUresult r, const char *what) {
  if (r == CUDA_SUCCESS) return;
  fprintf(stderr, "micro: %s: error %d\n", what, (int)r);
  exit(1);
}

static CUdeviceptr allocate(size_t bytes) {
  CUdeviceptr p;
  need(cuMemAlloc(&p, bytes), "cuMemAlloc");
  return p;
}

/* Lines that each hold the address of the next. */
static CUdeviceptr ring(size_t lines) {
  enum { LINE = 128, ROOM = 4096 };
  CUdeviceptr at = allocate(lines * LINE + ROOM);
  CUdeviceptr *host = calloc(lines, LINE);
  for (size_t i = 0; i < lines; i++) host[i * LINE / sizeof *host] = at + (i + 1) % lines * LINE;
  need(cuMemcpyHtoD(at, host, lines * LINE), "cuMemcpyHtoD");
  free(host);
  return at;
}

static void run(const char *kernel, CUdeviceptr a, unsigned n, unsigned grid, unsigned block) {
  CUfunction f;
  need(cuModuleGetFunction(&f, module, kernel), kernel);
  need(cuLaunchKernel(f, grid, 1, 1, block, 1, 1, 0, NULL, (void *[]){&a, &n}, NULL), kernel);
  need(cuCtxSynchronize(), kernel);
}

struct data {
  CUdeviceptr word, small, medium, big;
};

static void streams(const struct data *d) {
  CUdeviceptr second = d->big + (8u << 20), third = d->big + (20u << 20), fourth = d->big + (32u << 20);
  run("k_stream", d->big, 11, 45, 256);
  run("k_stream", d->big, 11, 45, 256);
  run("k_stream", second, 16, 90, 256);
  run("k_fill", third, 4, 90, 256);
  run("k_fill", third, 4, 90, 256);
  run("k_fill", fourth, 16, 90, 256);
}

static void core(const struct data *d) {
  static const char *const arithmetic[] = {"k_add", "k_mul", "k_mad", "k_fma", "k_div", "k_ex2", "k_shl", "k_shared", "k_bar"};
  run("k_empty", d->word, 0, 1, 32);
  run("k_empty", d->word, 0, 1, 32);
  run("k_empty", d->word, 0, 120, 256);
  for (size_t i = 0; i < sizeof arithmetic / sizeof *arithmetic; i++) {
    run(arithmetic[i], d->word, 8, 1, 32);
    run(arithmetic[i], d->word, 24, 1, 32);
  }
  run("k_chase", d->small, 8, 1, 1);
  run("k_chase", d->small, 24, 1, 1);
  run("k_chase", d->medium, 32, 1, 1);
  run("k_chase", d->medium, 32, 1, 1);
  run("k_add", d->word, 16, 90, 256);
  run("k_fma", d->word, 16, 90, 256);
}

static void memory(const struct data *d) {
  run("k_empty", d->word, 0, 1, 32);
  run("k_add", d->word, 8, 90, 256);
  run("k_fma", d->word, 8, 90, 256);
  run("k_shared", d->word, 8, 90, 256);
  for (unsigned n = 8; n <= 40; n += 16) run("k_chase", d->small, n, 1, 1);
  streams(d);
}

/* One stream read from L2 over and over, with what should not matter changed: empty kernels before it, its size, where it begins. */
static void again(CUdeviceptr at, unsigned n, unsigned grid, const struct data *d, unsigned empty) {
  run("k_stream", at, n, grid, 256);
  for (unsigned i = 0; i < empty; i++) run("k_empty", d->word, 0, 1, 32);
  run("k_stream", at, n, grid, 256);
}

static void stream(const struct data *d) {
  static const unsigned sizes[][2] = {{12, 40}, {11, 44}, {10, 49}, {12, 41}, {13, 38}, {10, 50},
                                      {12, 42}, {11, 46}, {13, 39}, {10, 51}, {12, 43}, {11, 47}}; /* turns, CTAs: 480 to 517 KB */
  static const unsigned lines[] = {1, 2, 3, 5, 8, 13, 21, 34};
  for (unsigned i = 0; i <= 8; i++) again(d->big, 11, 45, d, i);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) again(d->big, sizes[i][0], sizes[i][1], d, 0);
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) again(d->big + lines[i] * 128, 11, 45, d, 0);
}

static void load(void) {
  static char text[1 << 16];
  FILE *f = fopen("micro.ptx", "r");
  if (!f || !fread(text, 1, sizeof text - 1, f)) need(CUDA_ERROR_FILE_NOT_FOUND, "micro.ptx");
  fclose(f);
  need(cuModuleLoadData(&module, text), "micro.ptx");
}

int main(int argc, char **argv) {
  CUdevice device;
  CUcontext context;
  static const struct {
    const char *name;
    void (*launches)(const struct data *d);
  } sets[] = {{"core", core}, {"memory", memory}, {"stream", stream}};
  size_t set = 0, all = sizeof sets / sizeof *sets;
  while (set < all && (argc != 2 || strcmp(argv[1], sets[set].name))) set++;
  if (set == all) return fprintf(stderr, "micro core | memory | stream\n"), 2;
  need(cuInit(0), "cuInit");
  need(cuDeviceGet(&device, 0), "cuDeviceGet");
  need(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
  need(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  load();
  struct data d = {.small = ring(8), .medium = ring(256)};
  ring(16384);
  d.word = allocate(4096);
  d.big = allocate(64u << 20);
  sets[set].launches(&d);
  return 0;
}
