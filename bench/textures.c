/* What reading a texture costs without timing, beside plain loads of the same elements: kernels that copy the first channel of an image, a
 * thread a texel, in nanoseconds a warp on one core, and how many times the kernel of plain loads takes.
 *
 * The lanes of a warp read texels beside each other, or one above the other. A filter has four texels to look at: the places lie between
 * texels in both directions. The library's interface knows no textures, so grids are run by the room of execution itself. */
#include "bench.h"

#include "exec/exec.h"
#include "exec/texture/texture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDE = 32, HIGH = 8 /* a CTA */, SIDE = 1024 /* the image */, REPEAT = 5, MOST_BYTES = 1 << 12 };

/* %b: what is read; %x and %y: the texel; %i: its number; %p: its address. */
struct read {
  const char *name, *text;
  uint8_t shape, filter;
};
struct group { /* of elements of one kind, the plain load first */
  uint8_t texel, channels, bytes;
  bool apart;
  struct read reads[4];
};

#define LOAD(t, to) "ld.param.u64 %p, [at]; ld.param.u32 %z, [bytes]; mad.wide.u32 %p, %i, %z, %p; ld.global" t " " to ", [%p];"
#define ONE    "%b0"
#define FOUR   "{%b0, %b1, %b2, %b3}"
#define TEX_1D "ld.param.u64 %p, [image]; tex.1d.v4.f32.s32 " FOUR ", [%p, {%i}];"
#define TEX_2D                                                                                                                    \
  "ld.param.u64 %p, [image]; cvt.rn.f32.u32 %u, %x; add.f32 %u, %u, 0f3F400000; cvt.rn.f32.u32 %v, %y; add.f32 %v, %v, 0f3E800000;" \
  "tex.2d.v4.f32.f32 " FOUR ", [%p, {%u, %v}];"
#define NEAREST(n) {n, TEX_2D, EXEC_TEX_2D, EXEC_POINT}
#define FILTERED(n) {n, TEX_2D, EXEC_TEX_2D, EXEC_LINEAR}

static const struct group GROUPS[] = {
    {EXEC_TEXEL_F32, 1, 4, false,
     {{"ld.global.b32", LOAD(".b32", ONE), 0, 0}, {"tex1Dfetch", TEX_1D, EXEC_TEX_BUFFER, EXEC_POINT},
      NEAREST("tex2D nearest"), FILTERED("tex2D filtered")}},
    {EXEC_TEXEL_F32, 4, 16, false,
     {{"ld.global.v4.b32", LOAD(".v4.b32", FOUR), 0, 0},
      {"tex1Dfetch of v4", TEX_1D, EXEC_TEX_BUFFER, EXEC_POINT}, NEAREST("nearest of v4"), FILTERED("filtered of v4")}},
    {EXEC_TEXEL_U8, 4, 4, false,
     {{"ld.global.v4.u8", LOAD(".v4.u8", FOUR), 0, 0},
      {"tex1Dfetch of v4.u8", TEX_1D, EXEC_TEX_BUFFER, EXEC_POINT}, NEAREST("nearest of v4.u8"), FILTERED("filtered of v4.u8")}},
    {EXEC_TEXEL_U8, 1, 1, false,
     {{"ld.global.u8", LOAD(".u8", ONE), 0, 0}, {"tex1Dfetch of u8", TEX_1D, EXEC_TEX_BUFFER, EXEC_POINT},
      NEAREST("nearest of u8"), FILTERED("filtered of u8")}},
    {EXEC_TEXEL_F32, 1, 4, true,
     {{"ld.global apart", LOAD(".b32", ONE), 0, 0}, {"tex1Dfetch apart", TEX_1D, EXEC_TEX_BUFFER, EXEC_POINT},
      NEAREST("nearest apart"), FILTERED("filtered apart")}},
};
enum { N_GROUPS = sizeof GROUPS / sizeof *GROUPS };

static const char HEAD[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry copy(.param .u64 at, .param .u64 image, .param .u64 to, .param .u32 bytes) {\n"
    "  .reg .b64 %p, %q; .reg .b32 %i, %k, %x, %y, %z; .reg .b32 %b<4>; .reg .f32 %u, %v; .reg .pred %out;\n"
    "  mov.u32 %x, %tid.x; mov.u32 %k, %ctaid.x; mov.u32 %z, %ntid.x; mad.lo.u32 %x, %k, %z, %x;\n"
    "  mov.u32 %y, %tid.y; mov.u32 %k, %ctaid.y; mov.u32 %z, %ntid.y; mad.lo.u32 %y, %k, %z, %y;\n"
    "  max.u32 %k, %x, %y; setp.gt.u32 %out, %k, 1023; @%out ret;\n  mad.lo.u32 %k, %y, 1024, %x;\n";
static const char *const TURNED[2] = {"  mov.u32 %i, %k;\n  ",
                                      "  mad.lo.u32 %i, %x, 1024, %y; mov.u32 %z, %x; mov.u32 %x, %y; mov.u32 %y, %z;\n  "};
static const char END[] = "\n  ld.param.u64 %q, [to]; mad.wide.u32 %q, %k, 4, %q; st.global.b32 [%q], %b0;\n  ret;\n}\n";

struct job {
  const struct group *group;
  const struct read *read;
};

static void must(bool ok, const struct err *e) {
  if (ok) return;
  fprintf(stderr, "bench: %s\n", e->text);
  exit(1);
}

static uint64_t make_texture(const struct job *j, uint64_t base) {
  const struct group *g = j->group;
  bool flat = j->read->shape == EXEC_TEX_BUFFER;
  struct exec_texture t = {.shape = j->read->shape, .texel = g->texel, .channels = g->channels, .texel_bytes = g->bytes,
                           .as_float = g->texel == EXEC_TEXEL_U8, .filter = j->read->filter, .n_levels = 1};
  for (unsigned i = 0; i < 3; i++) t.address[i] = EXEC_CLAMP;
  uint64_t row = (uint64_t)SIDE * g->bytes;
  t.levels[0] = (struct exec_texture_level){base, flat ? SIDE * SIDE : SIDE, flat ? 1 : SIDE, 1, flat ? row * SIDE : row, row * SIDE};
  return exec_texture_add(&t);
}

static double run_once(struct exec_grid g) {
  struct err e = {0};
  double start = bench_cpu_seconds();
  must(exec_run_grid(&g, &e), &e);
  return bench_cpu_seconds() - start;
}

static void measure(void *user, struct bench_result *out) {
  const struct job *j = user;
  struct err e = {0};
  struct exec_module m;
  char text[MOST_BYTES];
  int length = snprintf(text, sizeof text, "%s%s%s%s", HEAD, TURNED[j->group->apart], j->read->text, END);
  struct exec_mem *mem = exec_mem_new(UINT64_C(1) << 30, &e);
  must(mem != NULL, &e);
  struct exec_device device = {.mem = mem, .stack_limit = 1024, .n_sms = 1, .warp_slots = 64, .clock_hz = 1000000000, .check = true};
  uint64_t base = exec_mem_alloc(mem, (uint64_t)SIDE * SIDE * j->group->bytes, 256, EXEC_ALLOC_DEVICE, NULL);
  uint64_t to = exec_mem_alloc(mem, (uint64_t)SIDE * SIDE * 4, 256, EXEC_ALLOC_DEVICE, NULL);
  struct {
    uint64_t at, image, to;
    uint32_t bytes;
  } params = {base, make_texture(j, base), to, j->group->bytes};
  must(exec_module_load(&m, mem, EXEC_UNTIMED, j->read->name, text, (size_t)length, &e), &e);
  struct exec_grid grid = {.module = &m, .kernel = &m.funcs[ptx_find_func(&m.ptx, "copy")], .device = &device,
                           .grid = {SIDE / WIDE, SIDE / HIGH, 1}, .block = {WIDE, HIGH, 1}, .params = (unsigned char *)&params};
  for (int i = 0; i < REPEAT; i++) {
    double seconds = run_once(grid);
    if (!i || seconds < out->seconds) out->seconds = seconds;
  }
}

void bench_textures(struct bench_figures *f) {
  (void)f;
  printf("\nWithout timing, kernels that read textures, nanoseconds a warp and times that of plain loads\n");
  for (int i = 0; i < N_GROUPS; i++) {
    double plain = 0;
    for (int k = 0; k < 4; k++) {
      struct job j = {&GROUPS[i], &GROUPS[i].reads[k]};
      double ns = 1e9 * bench_run(measure, &j).seconds / (SIDE * SIDE / 32);
      if (!k) plain = ns;
      printf("  %-20s %8.1f %8.1f\n", j.read->name, ns, ns / plain);
    }
  }
}
