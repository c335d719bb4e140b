/* tex, tld4, txq, the surface instructions and istypep. Every format, mode and filter is compared with
 * silicon by tests/conformance_texture; here is one example of each behaviour, and faults, refusals,
 * references and what the timed model gets. */
#include "kernel_kit.h"

#include "exec/float_bits.h"
#include "exec/texture/texture.h"

#include <string.h>

/* A 2D texture of floats, texel (x, y) being 10 * y + x. */
static struct exec_texture make_2d(struct kit *k, uint32_t width, uint32_t height) {
  struct exec_texture t = {
      .shape = EXEC_TEX_2D, .texel = EXEC_TEXEL_F32, .channels = 1, .texel_bytes = 4, .n_levels = 1};
  uint64_t base = exec_mem_alloc(k->mem, (uint64_t)width * height * 4, 256, EXEC_ALLOC_ARRAY, NULL);
  t.levels[0] = (struct exec_texture_level){base, width, height, 1, width * 4u, (uint64_t)width * height * 4};
  for (unsigned i = 0; i < 3; i++) t.address[i] = EXEC_CLAMP;
  float *texel = exec_mem_ptr(base);
  for (uint32_t i = 0; i < width * height; i++) texel[i] = (float)(i / width * 10 + i % width);
  return t;
}

/* Runs `op` with the handle in %rd20 and lane i's coordinates in %f0, %f1 and %r10, %r11; returns the first
 * lane's four results. */
static const float *sample(struct kit *k, uint64_t handle, float x, float y, const char *op) {
  struct {
    uint64_t handle;
    float x, y;
  } in = {handle, x, y};
  memcpy(kit_in(k), &in, sizeof in);
  kit_run(k, 32,
          kit_text(
              "ld.global.u64 %%rd20, [%%rd1]; ld.global.f32 %%f0, [%%rd1+8]; ld.global.f32 %%f1, [%%rd1+12]; "
              "cvt.rzi.s32.f32 %%r10, %%f0; cvt.rzi.s32.f32 %%r11, %%f1;\n%s;\n"
              "setp.eq.u32 %%p1, %%r1, 0; @%%p1 st.global.v4.f32 [%%rd2], {%%f10, %%f11, %%f12, %%f13};",
              op));
  return kit_out(k);
}

#define TEX_2D "tex.2d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%rd20, {%f0, %f1}]"

static float at(struct kit *k, uint64_t handle, float x, float y) {
  return sample(k, handle, x, y, TEX_2D)[0];
}

/* ---- tex ---------------------------------------------------------------------------------------------- */

static void test_point_samples_take_the_texel_under_the_point(void **state) {
  struct kit *k = *state;
  struct exec_texture t = make_2d(k, 8, 4);
  uint64_t h = exec_texture_add(&t);
  assert_true(at(k, h, 3.99f, 2.0f) == 23.0f);
  assert_true(at(k, h, 100.0f, -5.0f) == 7.0f);
  t.normalized = true;
  assert_true(exec_texture_change(h, &t));
  assert_true(at(k, h, 0.5f, 0.25f) == 14.0f);
  exec_texture_remove(h);
}

static void test_linear_filter_weights_with_256ths(void **state) {
  struct kit *k = *state;
  struct exec_texture t = make_2d(k, 8, 4);
  t.filter = EXEC_LINEAR;
  uint64_t h = exec_texture_add(&t);
  assert_true(at(k, h, 2.0f, 0.5f) == 1.5f);
  assert_true(at(k, h, 2.0f, 1.0f) == 6.5f);
  assert_true(at(k, h, 1.5f + 0x1p-10f, 0.5f) == 1.0f); /* less than half a step */
  assert_true(at(k, h, 1.5f + 0x1p-8f, 0.5f) == 1.0f + 0x1p-8f);
  assert_true(at(k, h, 0.0f, 0.5f) == 0.0f); /* clamped at the edge */
  exec_texture_remove(h);
}

static void test_addressing_modes(void **state) {
  struct kit *k = *state;
  struct exec_texture t = make_2d(k, 8, 4);
  t.normalized = true;
  t.border[0] = 99.0f;
  static const float WANT[] = {1.0f, 7.0f, 6.0f, 99.0f}; /* of x = 9.5 */
  for (uint8_t mode = EXEC_WRAP; mode <= EXEC_BORDER; mode++) {
    for (unsigned i = 0; i < 3; i++) t.address[i] = mode;
    uint64_t h = exec_texture_add(&t);
    assert_true(at(k, h, 9.5f / 8, 0.1f) == WANT[mode]);
    exec_texture_remove(h);
  }
}

static void test_narrow_whole_numbers_read_as_floats_or_as_they_are(void **state) {
  struct kit *k = *state;
  struct exec_texture t = make_2d(k, 8, 4);
  t.texel = EXEC_TEXEL_S8;
  t.channels = 4;
  unsigned char *texel = exec_mem_ptr(t.levels[0].base);
  texel[4] = 0x7f, texel[5] = 0x80, texel[6] = 0x81, texel[7] = 0;
  t.as_float = true;
  uint64_t h = exec_texture_add(&t);
  const float *f = sample(k, h, 1.5f, 0.5f, TEX_2D);
  assert_true(f[0] == 1.0f && f[1] == -1.0f && f[2] == -1.0f && f[3] == 0.0f);
  t.as_float = false;
  exec_texture_change(h, &t);
  f = sample(k, h, 1.5f, 0.5f, "tex.2d.v4.s32.s32 {%f10, %f11, %f12, %f13}, [%rd20, {%r10, %r11}]");
  assert_int_equal((int32_t)exec_bits32(f[1]), -128);
  exec_texture_remove(h);
}

static void test_linear_memory_reads_zero_outside(void **state) {
  struct kit *k = *state;
  struct exec_texture t = make_2d(k, 8, 1);
  t.shape = EXEC_TEX_BUFFER;
  uint64_t h = exec_texture_add(&t);
  static const char OP[] = "tex.1d.v4.f32.s32 {%f10, %f11, %f12, %f13}, [%rd20, {%r10}]";
  assert_true(sample(k, h, 7.0f, 0.0f, OP)[0] == 7.0f);
  assert_true(sample(k, h, 8.0f, 0.0f, OP)[0] == 0.0f);
  assert_true(sample(k, h, -1.0f, 0.0f, OP)[0] == 0.0f);
  exec_texture_remove(h);
}

static void test_levels_are_mixed(void **state) {
  struct kit *k = *state;
  struct exec_texture t = make_2d(k, 8, 4), small = make_2d(k, 4, 2);
  t.normalized = true;
  t.n_levels = 2;
  t.levels[1] = small.levels[0];
  t.mip_max = 1.0f;
  uint64_t h = exec_texture_add(&t);
  static const char OP[] = "tex.level.2d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%rd20, {%f0, %f1}], %f2";
  /* (0.99, 0.99) is texel (7, 3) of the first level, 37, and (3, 1) of the second, 13 */
  assert_true(sample(k, h, 0.99f, 0.99f, kit_text("mov.f32 %%f2, 0f3F800000; %s", OP))[0] == 13.0f);
  assert_true(sample(k, h, 0.99f, 0.99f, kit_text("mov.f32 %%f2, 0f3E800000; %s", OP))[0] == 37.0f);
  t.mip_filter = EXEC_LINEAR;
  exec_texture_change(h, &t);
  assert_true(sample(k, h, 0.99f, 0.99f, kit_text("mov.f32 %%f2, 0f3E800000; %s", OP))[0] == 31.0f);
  exec_texture_remove(h);
}

static void test_gathers_four_texels(void **state) {
  struct kit *k = *state;
  struct exec_texture t = make_2d(k, 8, 4);
  uint64_t h = exec_texture_add(&t);
  const float *f =
      sample(k, h, 2.0f, 1.0f, "tld4.r.2d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%rd20, {%f0, %f1}]");
  assert_true(f[0] == 11.0f && f[1] == 12.0f && f[2] == 2.0f && f[3] == 1.0f);
  exec_texture_remove(h);
}

static void test_layers_and_faces(void **state) {
  struct kit *k = *state;
  struct exec_texture t = make_2d(k, 4, 24); /* six slices of 4 by 4 */
  t.shape = EXEC_TEX_2D_LAYERED;
  t.levels[0].height = 4;
  t.levels[0].depth = 6;
  t.levels[0].slice_bytes = 64;
  uint64_t h = exec_texture_add(&t);
  static const char LAYER[] =
      "mov.u32 %r12, 2; tex.a2d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%rd20, {%r12, %f0, %f1, %f1}]";
  assert_true(sample(k, h, 1.5f, 3.5f, LAYER)[0] == 111.0f); /* row 2 * 4 + 3 */
  t.shape = EXEC_TEX_CUBE;
  exec_texture_change(h, &t);
  static const char CUBE[] =
      "mov.f32 %f2, 0fBF800000; tex.cube.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%rd20, {%f0, %f1, %f2, %f2}]";
  assert_true(sample(k, h, 0.25f, 0.25f, CUBE)[0] == 211.0f); /* face -z, texel (1, 1) */
  exec_texture_remove(h);
}

static void test_a_reference_variable_holds_its_handle(void **state) {
  struct kit *k = *state;
  struct exec_texture t = make_2d(k, 8, 4);
  uint64_t h = exec_texture_add(&t);
  k->outside = ".global .texref image;";
  const float *f = sample(k, h, 3.5f, 1.5f,
                          "mov.u64 %rd21, image; st.global.u64 [%rd21], %rd20; bar.warp.sync -1;\n"
                          "tex.2d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [image, {%f0, %f1}]");
  assert_true(f[0] == 13.0f);
  exec_texture_remove(h);
}

static void see_texture(const struct exec_warp *w, void *user) {
  if (w->access.space == PTX_TEX) *(struct exec_access *)user = w->access;
}

static void test_tells_the_address_of_the_texel(void **state) {
  struct kit *k = *state;
  struct exec_texture t = make_2d(k, 8, 4);
  struct exec_access seen = {0};
  uint64_t h = exec_texture_add(&t);
  memcpy(kit_in(k), &h, sizeof h);
  kit_watch(k,
            "ld.global.u64 %rd20, [%rd1]; and.b32 %r10, %r1, 7; shr.u32 %r11, %r1, 3;\n"
            "tex.2d.v4.f32.s32 {%f10, %f11, %f12, %f13}, [%rd20, {%r10, %r11}];",
            see_texture, &seen);
  assert_int_equal(seen.mask, EXEC_ALL_LANES);
  assert_int_equal(seen.bytes, 4);
  assert_true(seen.read_only);
  for (unsigned i = 0; i < 32; i++) assert_true(seen.addr[i] == t.levels[0].base + 4 * i);
  exec_texture_remove(h);
}

/* ---- surfaces ----------------------------------------------------------------------------------------- */

static uint64_t make_surface(struct kit *k, struct exec_texture *t) {
  *t = make_2d(k, 8, 4);
  t->surface = true;
  return exec_texture_add(t);
}

static void test_surfaces_are_read_and_written_by_byte(void **state) {
  struct kit *k = *state;
  struct exec_texture t;
  uint64_t h = make_surface(k, &t);
  static const char COPY[] = "suld.b.2d.b32.clamp %f10, [%rd20, {%r10, %r11}]; mov.u32 %r12, 0;\n"
                             "sust.b.2d.b32.clamp [%rd20, {%r12, %r12}], %f10";
  assert_true(sample(k, h, 8.0f, 3.0f, COPY)[0] == 32.0f);
  assert_true(*(float *)exec_mem_ptr(t.levels[0].base) == 32.0f);
  assert_true(sample(k, h, 800.0f, 1.0f, COPY)[0] == 17.0f); /* the nearest inside */
  exec_texture_remove(h);
}

static void test_outside_a_surface_reads_zero_or_traps(void **state) {
  struct kit *k = *state;
  struct exec_texture t;
  uint64_t h = make_surface(k, &t);
  assert_true(sample(k, h, 32.0f, 0.0f, "suld.b.2d.b32.zero %f10, [%rd20, {%r10, %r11}]")[0] == 0.0f);
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS,
             "ld.global.u64 %rd20, [%rd1]; mov.u32 %r10, 32; suld.b.2d.b32.trap %r12, [%rd20, {%r10, %r10}];",
             "outside the surface", "8 x 4", NULL);
  exec_texture_remove(h);
}

static void test_reductions_of_all_lanes_add_up(void **state) {
  struct kit *k = *state;
  struct exec_texture t;
  uint64_t h = make_surface(k, &t);
  memset(exec_mem_ptr(t.levels[0].base), 0, 128);
  memcpy(kit_in(k), &h, sizeof h);
  kit_run(
      k, 32,
      "ld.global.u64 %rd20, [%rd1]; mov.u32 %r10, 4; sured.b.add.2d.u32.clamp [%rd20, {%r10, %r10}], %r1;");
  assert_int_equal(((uint32_t *)exec_mem_ptr(t.levels[0].base))[3 * 8 + 1], 31 * 32 / 2);
  exec_texture_remove(h);
}

/* ---- questions, faults, refusals ---------------------------------------------------------------------- */

static void test_answers_what_an_object_is(void **state) {
  struct kit *k = *state;
  struct exec_texture t = make_2d(k, 8, 4);
  uint64_t h = exec_texture_add(&t);
  memcpy(kit_in(k), &h, sizeof h);
  kit_run(k, 32,
          "ld.global.u64 %rd20, [%rd1]; txq.width.b32 %r10, [%rd20]; txq.height.b32 %r11, [%rd20];\n"
          "istypep.texref %p1, %rd20; istypep.surfref %p2, %rd20; selp.u32 %r12, 1, 0, %p1; selp.u32 %r13, "
          "1, 0, %p2;\n"
          "st.global.v4.u32 [%rd2], {%r10, %r11, %r12, %r13};");
  const uint32_t want[] = {8, 4, 1, 0};
  assert_memory_equal(kit_out(k), want, sizeof want);
  exec_texture_remove(h);
}

static void test_stale_handles_and_freed_memory_fault(void **state) {
  struct kit *k = *state;
  struct exec_texture t = make_2d(k, 8, 4);
  uint64_t h = exec_texture_add(&t);
  memcpy(kit_in(k), &h, sizeof h);
  static const char OP[] =
      "ld.global.u64 %rd20, [%rd1]; tex.2d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%rd20, {%f0, %f1}];";
  exec_mem_free(k->mem, t.levels[0].base);
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, OP, "has been freed", NULL);
  k->device.check = false; /* zeros, or whatever is there now; but memory that is not the device's is never touched */
  kit_run(k, 32, OP);
  uint64_t host = (uint64_t)(uintptr_t)k;
  exec_texture_remove(h);
  t.levels[0].base = host;
  h = exec_texture_add(&t);
  memcpy(kit_in(k), &h, sizeof h);
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, OP, "has been freed", NULL);
  k->device.check = true;
  exec_texture_remove(h);
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, OP, "not a live texture object", NULL);
}

static void test_refuses_by_name_what_it_does_not_do(void **state) {
  kit_refuses(*state, "tex.2d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%rd20, {%f0, %f1}], %f2;",
              "depth comparison");
  kit_refuses(*state, "tex.2dms.v4.f32.s32 {%f10, %f11, %f12, %f13}, [%rd20, {%r0, %r1, %r2, %r3}];",
              "geometry");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_point_samples_take_the_texel_under_the_point, kit_setup,
                                      kit_teardown),
      cmocka_unit_test_setup_teardown(test_linear_filter_weights_with_256ths, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_addressing_modes, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_narrow_whole_numbers_read_as_floats_or_as_they_are, kit_setup,
                                      kit_teardown),
      cmocka_unit_test_setup_teardown(test_linear_memory_reads_zero_outside, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_levels_are_mixed, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_gathers_four_texels, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_layers_and_faces, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_a_reference_variable_holds_its_handle, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_tells_the_address_of_the_texel, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_surfaces_are_read_and_written_by_byte, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_outside_a_surface_reads_zero_or_traps, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_reductions_of_all_lanes_add_up, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_answers_what_an_object_is, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_stale_handles_and_freed_memory_fault, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_refuses_by_name_what_it_does_not_do, kit_setup, kit_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
