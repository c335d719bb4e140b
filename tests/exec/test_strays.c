/* Accesses outside every allocation: what is answered as on a GPU and noted, what is a fault, which allocation is blamed, and
 * that without checks nothing but device memory is ever touched. */
#include "kernel_kit.h"

#include "exec/memory/strays.h"

#include <stdlib.h>
#include <string.h>

/* A device as programs get it: mapped memory answers, and strays are kept. */
static int setup(void **state) {
  if (kit_setup(state)) return -1;
  struct kit *k = *state;
  k->device.strict = false;
  k->device.strays = exec_strays_new();
  return 0;
}

static int teardown(void **state) {
  struct kit *k = *state;
  exec_strays_delete(k->device.strays);
  return kit_teardown(state);
}

static int setup_unchecked(void **state) {
  if (setup(state)) return -1;
  ((struct kit *)*state)->device.check = false;
  return 0;
}

static uint64_t device(struct kit *k, uint64_t bytes) { return exec_mem_alloc(k->mem, bytes, EXEC_ALLOC_ALIGN, EXEC_ALLOC_DEVICE, NULL); }

/* Lines that begin with %rd10 = address. */
static const char *from(uint64_t address, const char *lines) {
  return kit_text("mov.u64 %%rd10, %llu; %s", (unsigned long long)address, lines);
}

static const struct exec_stray *only_stray(const struct kit *k) {
  size_t n;
  const struct exec_stray *s = exec_strays_all(k->device.strays, &n);
  assert_int_equal(n, 1);
  return s;
}

static void says(const struct kit *k, const char *part) {
  const char *text = only_stray(k)->text;
  if (!strstr(text, part)) fail_msg("'%s' is missing in: %s", part, text);
}

static void silent(const struct kit *k) {
  size_t n;
  exec_strays_all(k->device.strays, &n);
  assert_int_equal(n, 0);
}

/* ---- answered and noted --------------------------------------------------------------------------------------------------- */

static void test_a_load_in_mapped_memory_reads_what_lies_there(void **state) {
  struct kit *k = *state;
  uint32_t *past = exec_mem_ptr(k->in + KIT_IN_BYTES);
  for (unsigned i = 0; i < 8; i++) past[i] = 100 + i;
  kit_run(k, 32, "ld.global.u32 %r10, [%rd4+4000]; st.global.u32 [%rd5], %r10;");
  for (unsigned i = 0; i < 8; i++) assert_int_equal(((uint32_t *)kit_out(k))[24 + i], 100 + i);
  says(k, kit_text("4-byte load from global memory at 0x%llx: right past the end of the 4,096-byte allocation at 0x%llx",
                   (unsigned long long)k->in + 4096, (unsigned long long)k->in));
  says(k, "in kernel 'k' at test.ptx:");
  says(k, "by thread (24,0,0) of CTA (0,0,0)");
  assert_int_equal(only_stray(k)->accesses, 8);
}

static void test_a_store_in_mapped_memory_is_written_there(void **state) {
  struct kit *k = *state;
  kit_run(k, 32, "st.global.u32 [%rd4+4096], %r1; red.global.add.u32 [%rd4+4096], 1;");
  for (unsigned i = 0; i < 32; i++) assert_int_equal(((uint32_t *)exec_mem_ptr(k->in + 4096))[i], i + 1);
}

static void test_a_line_is_noted_once_however_often_it_strays(void **state) {
  struct kit *k = *state;
  const char *lines = ".loc 1 77 0\nmov.u32 %r11, 0; L: ld.global.u32 %r10, [%rd4+4096]; ld.global.u32 %r12, [%rd4+4224];"
                      "add.u32 %r11, %r11, 1; setp.lt.u32 %p1, %r11, 50; @%p1 bra L;";
  k->outside = ".file 1 \"some.cu\"\n";
  kit_run(k, 32, lines);
  assert_int_equal(only_stray(k)->accesses, 2 * 50 * 32);
  says(k, "at some.cu:77 (ld.global.u32 at test.ptx:");
}

static void count_reported(void *user, const struct exec_stray *s) {
  (void)s;
  ++*(unsigned *)user;
}

static void test_what_was_reported_is_not_reported_again(void **state) {
  struct kit *k = *state;
  unsigned reported = 0;
  kit_run(k, 32, "ld.global.u32 %r10, [%rd4+4096];\nld.global.u32 %r10, [%rd4+4096];");
  exec_strays_report(k->device.strays, count_reported, &reported);
  assert_int_equal(reported, 2);
  exec_strays_report(k->device.strays, count_reported, &reported);
  assert_int_equal(reported, 2);
}

/* Whichever thread of the host comes first, the lowest place of the earliest grid is described, until it is reported. */
static void test_the_lowest_thread_is_described(void **state) {
  (void)state;
  struct exec_strays *s = exec_strays_new();
  char *text;
  unsigned reported = 0;
  struct exec_stray at = {.module = 1, .line = 5, .grid = 2, .cta = 7, .thread = 40, .accesses = 1};
  assert_true(exec_strays_add(s, &at, &text));
  exec_strays_done(s);
  at.cta = 8;
  assert_false(exec_strays_add(s, &at, &text));
  at.cta = 7, at.thread = 3;
  assert_true(exec_strays_add(s, &at, &text));
  exec_strays_done(s);
  assert_false(exec_strays_add(s, &at, &text));
  at.grid = 1, at.cta = 100;
  assert_true(exec_strays_add(s, &at, &text));
  exec_strays_done(s);
  exec_strays_report(s, count_reported, &reported);
  at.grid = 0;
  assert_false(exec_strays_add(s, &at, &text));
  size_t n;
  assert_int_equal(exec_strays_all(s, &n)->accesses, 6);
  assert_int_equal(exec_strays_all(s, &n)->grid, 1);
  assert_int_equal(n, 1);
  exec_strays_delete(s);
}

static void test_below_the_first_allocation_is_answered(void **state) {
  struct kit *k = *state;
  kit_run(k, 32, "ld.global.u32 %r10, [%rd5+-8192]; st.global.u32 [%rd5], %r10;");
  says(k, "8,192 bytes before the 8,192-byte allocation");
}

static void test_freed_memory_is_answered_while_it_is_mapped(void **state) {
  struct kit *k = *state;
  uint64_t near = device(k, 512), far = device(k, 3 * EXEC_MAP_BLOCK);
  exec_mem_free(k->mem, near);
  exec_mem_free(k->mem, far);
  kit_run(k, 32, from(near, "ld.global.u32 %r10, [%rd10];"));
  says(k, "inside memory that was freed (the 512-byte allocation at");
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, from(far + 2 * EXEC_MAP_BLOCK, "ld.global.u32 %r10, [%rd10];"),
             "inside memory that was freed (the 6,291,456-byte allocation", NULL);
}

static void test_blocks_and_tiles_stray_too(void **state) {
  struct kit *k = *state;
  kit_run(k, 1, from(k->in + 4096, "cp.async.cg.shared.global [sm], [%rd10], 16; cp.async.wait_all;"));
  says(k, "16-byte load from global memory");
}

/* 48 bytes and 4,096 are mapped up to 4,224, as on an H200. */
static void test_shared_memory_is_mapped_in_pieces_of_128_bytes(void **state) {
  struct kit *k = *state;
  k->outside = ".shared .align 16 .b8 more[48];\n";
  const char *use = "st.shared.u32 [more], 0; st.shared.u32 [sm], 0;";
  kit_run(k, 32, kit_text("%s mov.u32 %%r10, 4144; st.shared.u32 [%%r10], 5; ld.shared.u32 %%r11, [%%r10]; "
                          "st.global.u32 [%%rd5], %%r11;", use));
  assert_int_equal(*(uint32_t *)kit_out(k), 5);
  says(k, "4-byte store to shared memory at offset 0x1030: the CTA's shared memory has 4,144 bytes");
}

static void test_behind_its_last_piece_shared_memory_is_not_there(void **state) {
  struct kit *k = *state;
  static const char *const accesses[] = {"ld.shared.u8 %r11, [%r10];", "st.shared.u8 [%r10], 1;", "atom.shared.add.u32 %r11, [%r10], 1;"};
  k->outside = ".shared .align 16 .b8 more[48];\n";
  for (unsigned strict = 0; strict < 2; strict++)
    for (unsigned i = 0; i < 3; i++) {
      unsigned end = strict ? 4144 : 4224, bytes = i < 2 ? 1 : 4;
      const char *lines = "st.shared.u32 [more], 0; st.shared.u32 [sm], 0; mov.u32 %%r10, %u; %s";
      k->device.strict = strict;
      kit_run(k, 32, kit_text(lines, end - bytes, accesses[i]));
      kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, kit_text(lines, end, accesses[i]), "the CTA's shared memory has 4,144 bytes", NULL);
    }
}

static void test_blocks_in_shared_memory_stray_too(void **state) {
  struct kit *k = *state;
  k->outside = ".shared .align 16 .b8 more[48];\n";
  const char *copy = "st.shared.u32 [more], 0; st.shared.u32 [sm], 0; mov.u32 %%r10, %u; "
                     "cp.async.cg.shared.global [%%r10], [%%rd4], 16; cp.async.wait_all;";
  kit_run(k, 1, kit_text(copy, 4208u));
  says(k, "shared memory has 4,144 bytes");
  kit_faults(k, 1, EXEC_FAULT_ILLEGAL_ADDRESS, kit_text(copy, 4224u), "shared memory has 4,144 bytes", NULL);
}

static void test_texture_storage_is_answered_and_noted(void **state) {
  struct kit *k = *state;
  uint64_t a = exec_mem_alloc(k->mem, 256, 1, EXEC_ALLOC_ARRAY, NULL);
  kit_run(k, 32, from(a, "ld.global.u32 %r10, [%rd10];"));
  says(k, "texture storage is not plain memory");
}

static void test_accesses_inside_allocations_are_not_noted(void **state) {
  struct kit *k = *state;
  uint64_t other = device(k, 4096);
  kit_run(k, 32, from(other, "setp.lt.u32 %p1, %r1, 16; @%p1 mov.u64 %rd10, %rd1; add.s64 %rd10, %rd10, %rd3;"
                             "ld.global.u32 %r10, [%rd10+3968]; st.global.u32 [%rd10+3968], %r10;"));
  silent(k);
}

/* ---- faults ------------------------------------------------------------------------------------------------------------- */

static void test_outside_mapped_memory_is_a_fault(void **state) {
  struct kit *k = *state;
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, from(EXEC_DEVICE_BASE + EXEC_MAP_BLOCK, "ld.global.u32 %r10, [%rd10];"),
             "2,084,864 bytes past the end of the 4,096-byte allocation", NULL);
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, from(EXEC_DEVICE_BASE + EXEC_MAP_BLOCK - 4, "ld.global.u64 %rd11, [%rd10+4];"),
             "8-byte load", NULL);
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, from(EXEC_DEVICE_BASE - EXEC_MAP_BLOCK - 4, "st.global.u32 [%rd10], 1;"),
             "bytes before the 8,192-byte allocation", NULL);
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, from(UINT64_MAX - 3, "atom.global.add.u32 %r10, [%rd10], 1;"), "atomic", NULL);
  silent(k);
}

static void test_null_and_what_is_near_it_is_called_so(void **state) {
  struct kit *k = *state;
  kit_faults(k, 1, EXEC_FAULT_ILLEGAL_ADDRESS, from(0, "ld.global.u32 %r10, [%rd10];"), "0x0: the pointer is null", NULL);
  kit_faults(k, 1, EXEC_FAULT_ILLEGAL_ADDRESS, from(0x22800, "ld.global.u32 %r10, [%rd10];"),
             "0x22800: the pointer is null or an offset from null", NULL);
}

static int static_word;

static void test_a_pointer_of_the_host_is_called_one(void **state) {
  struct kit *k = *state;
  int on_stack = 0, *on_heap = malloc(64);
  struct {
    const int *at;
    const char *kind;
  } cases[] = {{&on_stack, "(its stack)"}, {on_heap, "("}, {&static_word, "("}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    kit_faults(k, 1, EXEC_FAULT_ILLEGAL_ADDRESS, from((uint64_t)(uintptr_t)cases[i].at, "ld.global.u32 %r10, [%rd10];"),
               "this is an address of the host ", cases[i].kind, "was the pointer copied with cudaMemcpy?", NULL);
  /* Registered memory is legal, and so are the other bytes of its pages. */
  assert_true(exec_mem_register(k->mem, on_heap, 64));
  kit_run(k, 1, from((uint64_t)(uintptr_t)on_heap, "st.global.u32 [%rd10+60], 17;"));
  assert_int_equal(on_heap[15], 17);
  silent(k);
  exec_mem_unregister(k->mem, on_heap);
  free(on_heap);
}

static void test_strict_ends_at_the_first(void **state) {
  struct kit *k = *state;
  k->device.strict = true;
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, "ld.global.u32 %r10, [%rd4+4096];", "right past the end of the 4,096-byte", NULL);
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, "st.global.u32 [%rd5+-8192], 1;", "8,192 bytes before the 8,192-byte", NULL);
  silent(k);
}

/* ---- who is blamed ------------------------------------------------------------------------------------------------------- */

/* Two small allocations 512 bytes apart; the address is nearer to the second. */
static void test_blames_the_allocation_that_a_parameter_points_to(void **state) {
  struct kit *k = *state;
  uint64_t a = device(k, 100), b = device(k, 100);
  assert_int_equal(b, a + 512);
  k->in = a;
  kit_run(k, 1, "ld.global.u32 %r10, [%rd1+400];");
  says(k, kit_text("300 bytes past the end of the 100-byte allocation at 0x%llx", (unsigned long long)a));
}

static void test_blames_the_allocation_that_a_parameter_points_to_from_above(void **state) {
  struct kit *k = *state;
  uint64_t a = device(k, 100), b = device(k, 100);
  k->in = b;
  kit_run(k, 1, "ld.global.u32 %r10, [%rd1+-400];");
  says(k, kit_text("400 bytes before the 100-byte allocation at 0x%llx", (unsigned long long)b));
  assert_true(a < b);
}

static void test_blames_the_allocation_that_the_instruction_used_before(void **state) {
  struct kit *k = *state;
  uint64_t a = device(k, 128), b = device(k, 128);
  k->in = a, k->out = b; /* both are parameters */
  kit_run(k, 1, "mov.u32 %r11, 0; L: ld.global.u32 %r10, [%rd1]; add.s64 %rd1, %rd1, 100; add.u32 %r11, %r11, 1;"
                "setp.lt.u32 %p1, %r11, 5; @%p1 bra L;");
  says(k, kit_text("72 bytes past the end of the 128-byte allocation at 0x%llx", (unsigned long long)a));
}

static void test_blames_the_nearest_where_nothing_else_is_known(void **state) {
  struct kit *k = *state;
  uint64_t a = device(k, 100), b = device(k, 100);
  kit_run(k, 1, from(a + 400, "ld.global.u32 %r10, [%rd10];"));
  says(k, kit_text("112 bytes before the 100-byte allocation at 0x%llx", (unsigned long long)b));
}

/* With red zones an overflow that would land in the next allocation is seen. */
static void test_red_zones_catch_an_overflow_into_the_neighbour(void **state) {
  struct kit *k = *state;
  struct err e = {0};
  uint64_t a = device(k, 4096), b = device(k, 4096);
  k->in = a, k->out = b;
  kit_run(k, 32, "st.global.u32 [%rd4+4096], 1;"); /* into b: nobody can tell */
  silent(k);
  struct exec_mem *apart = exec_mem_new_apart(UINT64_C(1) << 28, EXEC_RED_ZONE, &e), *close = k->mem;
  k->mem = k->device.mem = apart;
  a = k->in = device(k, 4096), b = k->out = device(k, 4096);
  kit_run(k, 32, "st.global.u32 [%rd4+4096], 1;");
  says(k, kit_text("right past the end of the 4,096-byte allocation at 0x%llx", (unsigned long long)a));
  k->device.strict = true;
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, "st.global.u32 [%rd5+-512], 1;",
             kit_text("512 bytes before the 4,096-byte allocation at 0x%llx", (unsigned long long)b), NULL);
  k->mem = k->device.mem = close;
  exec_mem_delete(apart);
}

/* ---- without checks -------------------------------------------------------------------------------------------------------- */

static void test_without_checks_unmapped_device_memory_reads_zero(void **state) {
  struct kit *k = *state;
  kit_run(k, 32, from(EXEC_DEVICE_BASE + (UINT64_C(1) << 29),
                      "ld.global.u32 %r10, [%rd10]; add.u32 %r10, %r10, 5; st.global.u32 [%rd5], %r10;"));
  for (unsigned i = 0; i < 32; i++) assert_int_equal(((uint32_t *)kit_out(k))[i], 5);
  silent(k);
}

static void test_without_checks_no_memory_of_the_host_is_touched(void **state) {
  struct kit *k = *state;
  static const char *const accesses[] = {
      "ld.global.u32 %r10, [%rd10];",
      "st.global.u32 [%rd10], 99;",
      "atom.global.add.u32 %r10, [%rd10], 1;",
      "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd10];",
      "st.u32 [%rd10], 99;",
      "red.global.add.f32 [%rd10], 0f3F800000;",
      "cp.async.cg.shared.global [sm], [%rd10], 16; cp.async.wait_all;",
      "setp.eq.u32 %p1, %r1, 5; selp.b64 %rd10, %rd10, %rd2, %p1; st.global.u32 [%rd10], 99;",
  };
  int *mine = aligned_alloc(64, 64);
  memset(mine, 0, 64);
  struct exec_alloc_range r;
  assert_true(exec_mem_backed(k->mem, EXEC_DEVICE_BASE, &r));
  const uint64_t wild[] = {(uint64_t)(uintptr_t)mine, 0, 64, r.base - 16, r.end, UINT64_MAX - 15, UINT64_C(1) << 63, 0x280000000000u};
  for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++)
    for (size_t j = 0; j < sizeof wild / sizeof *wild; j++)
      kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, from(wild[j], accesses[i]), "global memory at", NULL);
  for (unsigned i = 0; i < 16; i++) assert_int_equal(mine[i], 0);
  free(mine);
}

static void test_without_checks_allocations_work_as_ever(void **state) {
  struct kit *k = *state;
  int *mine = aligned_alloc(64, 64);
  assert_true(exec_mem_register(k->mem, mine, 64));
  uint64_t pinned = exec_mem_alloc(k->mem, 64, 1, EXEC_ALLOC_HOST, NULL);
  kit_run(k, 1, kit_text("mov.u64 %%rd10, %llu; mov.u64 %%rd11, %llu; st.global.u32 [%%rd10+60], 3; st.global.u32 [%%rd11], 4;"
                         "st.global.u32 [%%rd2], 5;",
                         (unsigned long long)(uintptr_t)mine, (unsigned long long)pinned));
  assert_int_equal(mine[15] + *(int *)exec_mem_ptr(pinned) + *(int *)kit_out(k), 12);
  kit_faults(k, 1, EXEC_FAULT_ILLEGAL_ADDRESS, from((uint64_t)(uintptr_t)mine, "ld.global.u64 %rd11, [%rd10+64];"), "8-byte load", NULL);
  exec_mem_unregister(k->mem, mine);
  free(mine);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
#define UNCHECKED(name) cmocka_unit_test_setup_teardown(name, setup_unchecked, teardown)
  const struct CMUnitTest tests[] = {
      TEST(test_a_load_in_mapped_memory_reads_what_lies_there),
      TEST(test_a_store_in_mapped_memory_is_written_there),
      TEST(test_a_line_is_noted_once_however_often_it_strays),
      TEST(test_what_was_reported_is_not_reported_again),
      TEST(test_the_lowest_thread_is_described),
      TEST(test_below_the_first_allocation_is_answered),
      TEST(test_freed_memory_is_answered_while_it_is_mapped),
      TEST(test_blocks_and_tiles_stray_too),
      TEST(test_texture_storage_is_answered_and_noted),
      TEST(test_accesses_inside_allocations_are_not_noted),
      TEST(test_outside_mapped_memory_is_a_fault),
      TEST(test_null_and_what_is_near_it_is_called_so),
      TEST(test_a_pointer_of_the_host_is_called_one),
      TEST(test_shared_memory_is_mapped_in_pieces_of_128_bytes),
      TEST(test_behind_its_last_piece_shared_memory_is_not_there),
      TEST(test_blocks_in_shared_memory_stray_too),
      TEST(test_strict_ends_at_the_first),
      TEST(test_blames_the_allocation_that_a_parameter_points_to),
      TEST(test_blames_the_allocation_that_a_parameter_points_to_from_above),
      TEST(test_blames_the_allocation_that_the_instruction_used_before),
      TEST(test_blames_the_nearest_where_nothing_else_is_known),
      TEST(test_red_zones_catch_an_overflow_into_the_neighbour),
      UNCHECKED(test_without_checks_unmapped_device_memory_reads_zero),
      UNCHECKED(test_without_checks_no_memory_of_the_host_is_touched),
      UNCHECKED(test_without_checks_allocations_work_as_ever),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
