/* A row of texture samples is, in values and addresses, what each lane would have got alone: every shape that is handled, mode, filter
 * and format, at coordinates of every kind, with every instruction set that the host has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "exec/decode.h"
#include "exec/texture/texture_rows.h"
#include "exec/texture/texture_sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = EXEC_ROW_LANES, BYTES = 1 << 16 };

static unsigned char texels[BYTES];

static const struct {
  uint8_t texel, channels, bytes;
} FORMATS[] = {{EXEC_TEXEL_F32, 1, 4}, {EXEC_TEXEL_F32, 2, 8}, {EXEC_TEXEL_F32, 4, 16}, {EXEC_TEXEL_U8, 4, 4}, {EXEC_TEXEL_S16, 2, 4},
               {EXEC_TEXEL_U32, 1, 4}, {EXEC_TEXEL_S32, 4, 16}, {EXEC_TEXEL_F16, 2, 4}, {EXEC_TEXEL_U8, 1, 1},
               {EXEC_TEXEL_S8, 2, 2}, {EXEC_TEXEL_U16, 1, 2}, {EXEC_TEXEL_F16, 4, 8}};

static float some_float(struct rng *r) {
  float x = (float)(uint32_t)rng_next(r) / 0x1p32f;
  return 2.0f * x - 0.5f;
}

static void make_texture(struct rng *r, struct exec_texture *t) {
  unsigned f = (unsigned)(rng_next(r) % (sizeof FORMATS / sizeof *FORMATS));
  *t = (struct exec_texture){.shape = (uint8_t)(rng_next(r) % 4),
                             .texel = FORMATS[f].texel,
                             .channels = FORMATS[f].channels,
                             .texel_bytes = FORMATS[f].bytes,
                             .normalized = rng_next(r) % 2,
                             .as_float = FORMATS[f].texel < EXEC_TEXEL_U32 && rng_next(r) % 2,
                             .srgb = FORMATS[f].texel == EXEC_TEXEL_U8 && rng_next(r) % 4 == 0,
                             .filter = rng_next(r) % 2 ? EXEC_LINEAR : EXEC_POINT,
                             .border = {0.25f, -1.0f, 3.0f, 7.0f},
                             .n_levels = 1};
  for (unsigned i = 0; i < 3; i++) t->address[i] = (uint8_t)(rng_next(r) % 4);
  struct exec_texture_level *l = &t->levels[0];
  bool flat = t->shape == EXEC_TEX_BUFFER || t->shape == EXEC_TEX_1D;
  l->width = 1 + (uint32_t)(rng_next(r) % 40);
  l->height = flat ? 1 : 1 + (uint32_t)(rng_next(r) % 20);
  l->depth = t->shape == EXEC_TEX_3D ? 1 + (uint32_t)(rng_next(r) % 4) : 1;
  l->row_bytes = l->width * t->texel_bytes;
  l->slice_bytes = l->row_bytes * l->height;
  l->base = (uint64_t)(uintptr_t)texels;
}

/* Inside, around the edges, on them, and far beyond; of whole coordinates some texels around too. */
static uint32_t some_coordinate(struct rng *r, const struct exec_texture *t, unsigned axis, bool whole) {
  static const float special[] = {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, 2.0f, 1e-40f, -1e-40f, 1e30f, -1e30f, 0x1.fffffep23f, 1e9f};
  const struct exec_texture_level *l = &t->levels[0];
  float n = (float)(axis == 0 ? l->width : axis == 1 ? l->height : l->depth), x = some_float(r);
  uint64_t kind = rng_next(r) % 16;
  uint32_t bits;
  if (whole) return (uint32_t)(int32_t)(x * n);
  if (kind == 0) x = special[rng_next(r) % (sizeof special / sizeof *special)];
  else if (kind == 1) x = rng_next(r) % 2 ? NAN : INFINITY;
  else if (kind == 2) x = floorf(x * n) / (t->normalized ? n : 1.0f);
  else if (!t->normalized) x *= n;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* Lanes side by side at the middle of their texels, where a filter has one texel only. */
static void make_a_line(struct rng *r, const struct exec_texture *t, bool whole, uint32_t coords[3][LANES]) {
  const struct exec_texture_level *l = &t->levels[0];
  const int32_t from[3] = {(int32_t)(rng_next(r) % 8) - 2, (int32_t)(rng_next(r) % l->height), (int32_t)(rng_next(r) % l->depth)};
  const float n[3] = {(float)l->width, (float)l->height, (float)l->depth};
  for (unsigned a = 0; a < 3; a++)
    for (unsigned i = 0; i < LANES; i++) {
      const int32_t at = from[a] + (a == 0 ? (int32_t)i : 0);
      const float middle = ((float)at + 0.5f) / (t->normalized ? n[a] : 1.0f);
      memcpy(&coords[a][i], whole ? (const void *)&at : (const void *)&middle, 4);
    }
}

static void same_as_lanes(struct rng *r, exec_sample_row_fn sample_row, const struct exec_texture *t, uint64_t *handled) {
  uint32_t coords[3][LANES] EXEC_ALIGNED, out[4][LANES] EXEC_ALIGNED;
  uint64_t first[LANES];
  struct exec_texture_row q = {.whole = t->shape == EXEC_TEX_BUFFER || rng_next(r) % 4 == 0,
                               .coords = {coords[0], coords[1], coords[2]},
                               .lanes = rng_next(r) % 2 ? UINT32_MAX : (uint32_t)rng_next(r) | 1,
                               .first = first};
  for (unsigned a = 0; a < 3; a++)
    for (unsigned i = 0; i < LANES; i++) coords[a][i] = some_coordinate(r, t, a, q.whole);
  if (rng_next(r) % 4 == 0) make_a_line(r, t, q.whole, coords);
  for (unsigned c = 0; c < 4; c++) q.out[c] = out[c];
  memset(out, 0xa5, sizeof out);
  memset(first, 0xa5, sizeof first);
  if (!sample_row(t, &q)) return;
  ++*handled;
  for (unsigned i = 0; i < LANES; i++) {
    struct exec_texture_query one = {.whole = q.whole};
    uint32_t want[4];
    uint64_t at;
    if (!(q.lanes >> i & 1)) {
      assert_int_equal(out[0][i], 0xa5a5a5a5);
      continue;
    }
    for (unsigned a = 0; a < 3; a++) {
      one.at[a] = (int32_t)coords[a][i];
      memcpy(&one.u[a], &coords[a][i], 4);
    }
    exec_texture_sample(t, t, &one, want, &at);
    for (unsigned c = 0; c < 4; c++) assert_int_equal(out[c][i], want[c]);
    assert_int_equal(first[i], at);
  }
}

static void test_a_row_is_what_its_lanes_get_alone(void **state) {
  (void)state;
  static const char *const ISAS[] = {"portable", "avx2", "avx512"};
  for (unsigned k = 0; k < 3; k++) {
    struct rng r = {22};
    uint64_t handled = 0;
    setenv("HEDDLE_ISA", ISAS[k], 1);
    exec_sample_row_fn sample_row = exec_lanes_best()->sample_row;
    for (unsigned i = 0; i < BYTES; i++) texels[i] = (unsigned char)rng_next(&r);
    for (unsigned i = 0; i < 20000; i++) {
      struct exec_texture t;
      make_texture(&r, &t);
      same_as_lanes(&r, sample_row, &t, &handled);
    }
    assert_true(handled > 14000);
  }
  unsetenv("HEDDLE_ISA");
}

static void test_other_cases_are_left_alone(void **state) {
  (void)state;
  uint32_t row[LANES] EXEC_ALIGNED = {0}, out[LANES] EXEC_ALIGNED;
  uint64_t first[LANES];
  const exec_sample_row_fn sample_row = exec_lanes_best()->sample_row;
  struct exec_texture_row q = {.coords = {row, row, row}, .lanes = 1, .out = {out}, .first = first};
  struct exec_texture t = {.shape = EXEC_TEX_CUBE, .texel = EXEC_TEXEL_F32, .channels = 1, .texel_bytes = 4, .n_levels = 1};
  t.levels[0] = (struct exec_texture_level){(uint64_t)(uintptr_t)texels, 4, 4, 6, 16, 64};
  assert_false(sample_row(&t, &q));
  t.shape = EXEC_TEX_2D_LAYERED;
  assert_false(sample_row(&t, &q));
  t.shape = EXEC_TEX_2D;
  assert_true(sample_row(&t, &q));
  t.n_levels = 2;
  assert_false(sample_row(&t, &q));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_row_is_what_its_lanes_get_alone),
      cmocka_unit_test(test_other_cases_are_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
