/* Heddle inside a program: y = a * x + y on a simulated GPU, its result checked, its statistics printed; then the same
 * on a GPU with a smaller L1D, and without timing. Exits 0 if all results are right.
 *
 *   cc embed.c $(pkg-config --cflags --libs heddle) -o embed */
#include <heddle/heddle.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 20000, BLOCK = 256 };

static const char ptx[] = ".version 7.0\n"
                          ".target sm_75\n"
                          ".address_size 64\n"
                          ".visible .entry saxpy(.param .u64 y, .param .u64 x, .param .f32 a, .param .u32 n) {\n"
                          "  .reg .pred %p;\n"
                          "  .reg .b32 %r<6>;\n"
                          "  .reg .f32 %f<4>;\n"
                          "  .reg .b64 %d<6>;\n"
                          "  mov.u32 %r1, %ctaid.x;\n"
                          "  mov.u32 %r2, %ntid.x;\n"
                          "  mov.u32 %r3, %tid.x;\n"
                          "  mad.lo.s32 %r1, %r1, %r2, %r3;\n"
                          "  ld.param.u32 %r4, [n];\n"
                          "  setp.ge.u32 %p, %r1, %r4;\n"
                          "  @%p bra DONE;\n"
                          "  ld.param.u64 %d1, [y];\n"
                          "  ld.param.u64 %d2, [x];\n"
                          "  ld.param.f32 %f1, [a];\n"
                          "  mad.wide.u32 %d3, %r1, 4, %d1;\n"
                          "  mad.wide.u32 %d4, %r1, 4, %d2;\n"
                          "  ld.global.f32 %f2, [%d3];\n"
                          "  ld.global.f32 %f3, [%d4];\n"
                          "  fma.rn.f32 %f2, %f1, %f3, %f2;\n"
                          "  st.global.f32 [%d3], %f2;\n"
                          "DONE:\n"
                          "  ret;\n"
                          "}\n";

/* Ends the program with the simulator's reason if a call failed. */
static void must(heddle_sim *sim, heddle_status status) {
  if (status == HEDDLE_OK) return;
  fprintf(stderr, "embed: %s\n", heddle_error(sim));
  heddle_close(sim);
  exit(1);
}

static heddle_ptr upload(heddle_sim *sim, const float *values) {
  heddle_ptr at;
  must(sim, heddle_alloc(sim, N * sizeof *values, &at));
  must(sim, heddle_write(sim, at, values, N * sizeof *values));
  return at;
}

/* Runs saxpy and returns how many results are wrong. */
static int saxpy(heddle_sim *sim) {
  static float x[N], y[N], got[N];
  for (int i = 0; i < N; i++) {
    x[i] = (float)i;
    y[i] = (float)(i % 7);
  }
  heddle_module *module;
  heddle_kernel *kernel;
  must(sim, heddle_load(sim, "saxpy.ptx", ptx, strlen(ptx), &module));
  must(sim, heddle_find_kernel(module, "saxpy", &kernel));
  heddle_ptr dx = upload(sim, x), dy = upload(sim, y);
  float a = 2;
  uint32_t n = N;
  void *arguments[] = {&dy, &dx, &a, &n};
  heddle_launch_shape shape = {.grid = {(N + BLOCK - 1) / BLOCK}, .block = {BLOCK}};
  must(sim, heddle_launch(kernel, &shape, arguments));
  must(sim, heddle_read(sim, got, dy, sizeof got));
  int wrong = 0;
  for (int i = 0; i < N; i++) wrong += got[i] != 2 * x[i] + y[i];
  heddle_unload(module);
  return wrong;
}

static int run(const char *title, const heddle_options *options) {
  heddle_sim *sim;
  heddle_status status = heddle_open(options, &sim);
  must(sim, status);
  int wrong = saxpy(sim);
  printf("%s: %s\n", title, wrong ? "WRONG" : "right");
  for (size_t i = 0; i < heddle_stat_count(sim); i++) {
    heddle_stat_info s = heddle_stat_at(sim, i);
    if (strchr(s.name, '.') && strncmp(s.name, "l1d.", 4) != 0) continue;
    printf("  %-24s %10llu %-14s %s\n", s.name, (unsigned long long)s.value, s.unit, s.meaning);
  }
  heddle_close(sim);
  return wrong;
}

int main(void) {
  heddle_options options = HEDDLE_OPTIONS;
  int wrong = run("gtx480", &options);
  options.settings = "l1.ways=1";
  wrong += run("gtx480 with a direct-mapped L1D", &options);
  options.functional = 1;
  wrong += run("values only", &options);
  return wrong != 0;
}
