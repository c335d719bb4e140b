/* The fat-binary reader, on blobs made by nvcc 13 (data/) and on containers put together here. */
#include "cuda/image/fatbin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <cuda.h>
#include <sys/mman.h>

struct blob {
  unsigned char at[8192];
  size_t n;
};

static struct blob file(const char *name) {
  struct blob b = {{0}, 0};
  char path[256];
  snprintf(path, sizeof path, "tests/cuda/data/%s.fatbin", name);
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  b.n = fread(b.at, 1, sizeof b.at, f);
  fclose(f);
  return b;
}

static void put(struct blob *b, uint64_t v, size_t bytes) {
  memcpy(b->at + b->n, &v, bytes);
  b->n += bytes;
}

static void container(struct blob *b, uint64_t content) {
  put(b, 0xBA55ED50u, 4);
  put(b, 1, 2);
  put(b, 16, 2);
  put(b, content, 8);
}

static void entry(struct blob *b, unsigned kind, unsigned sm, uint64_t flags, const char *text) {
  size_t n = strlen(text);
  put(b, kind, 2);
  put(b, 0x101, 2);
  put(b, 64, 4);
  put(b, n, 8);
  put(b, 0, 8);
  put(b, 0, 4);
  put(b, sm, 4);
  put(b, 0, 8);
  put(b, flags, 8);
  put(b, 0, 8);
  put(b, 0, 8);
  memcpy(b->at + b->n, text, n);
  b->n += n;
}

static void expect(const struct blob *b, const char *text) {
  struct err e = {0};
  char *ptx = fatbin_ptx(b->at, b->n, 90, &e);
  assert_non_null(ptx);
  assert_string_equal(ptx, text);
  free(ptx);
}

static void refuse(const struct blob *b, int code, const char *word) {
  struct err e = {0};
  assert_null(fatbin_ptx(b->at, b->n, 90, &e));
  assert_int_equal(e.code, code);
  assert_non_null(strstr(e.text, word));
}

static void test_reads_every_compression(void **state) {
  (void)state;
  static const char *const names[] = {"registered_zstd", "registered_lz4", "registered_plain"};
  for (size_t i = 0; i < 3; i++) {
    struct blob b = file(names[i]);
    struct err e = {0};
    char *ptx = fatbin_ptx(b.at, b.n, 90, &e);
    assert_non_null(ptx);
    assert_non_null(strstr(ptx, ".visible .entry add_base("));
    assert_non_null(strstr(ptx, ".target sm_75"));
    free(ptx);
  }
}

static void test_says_how_to_rebuild_when_there_is_machine_code_only(void **state) {
  (void)state;
  struct blob b = file("registered_machine");
  refuse(&b, CUDA_ERROR_NO_BINARY_FOR_GPU, "-gencode arch=compute_80,code=compute_80");
  struct blob both = {{0}, 0};
  container(&both, 3 * (64 + 10));
  entry(&both, 2, 80, 0, "machinecod");
  entry(&both, 2, 90, 0x100000, "machinecod");
  entry(&both, 2, 100, 0, "machinecod");
  refuse(&both, CUDA_ERROR_NO_BINARY_FOR_GPU, "nvcc -gencode arch=compute_90a,code=compute_90a");
  struct blob elf = {"\177ELF\2\1\1", 64};
  refuse(&elf, CUDA_ERROR_NO_BINARY_FOR_GPU, "machine code");
}

static void test_chooses_the_newest_ptx_the_device_can_run(void **state) {
  (void)state;
  struct blob b = {{0}, 0};
  container(&b, 5 * (64 + 10));
  entry(&b, 1, 52, 0, ".version 5");
  entry(&b, 1, 80, 0, ".version 8");
  entry(&b, 2, 90, 0, "machinecod");
  entry(&b, 1, 100, 0, ".version X");
  entry(&b, 1, 75, 0, ".version 7");
  expect(&b, ".version 8");
}

static void test_prefers_ptx_for_every_device_to_ptx_for_one(void **state) {
  (void)state;
  struct blob b = {{0}, 0};
  container(&b, 2 * (64 + 10));
  entry(&b, 1, 90, 0x100000, ".version a");
  entry(&b, 1, 90, 0, ".version 9");
  expect(&b, ".version 9");
  struct blob only = {{0}, 0};
  container(&only, 64 + 10);
  entry(&only, 1, 90, 0x100000, ".version a");
  expect(&only, ".version a");
  struct blob other = {{0}, 0};
  container(&other, 64 + 10);
  entry(&other, 1, 80, 0x100000, ".version a");
  refuse(&other, CUDA_ERROR_NO_BINARY_FOR_GPU, "8.0");
}

/* Machine code for the device or for another, then PTX for later devices: of nvcc -arch=all-major. */
static void test_ptx_for_later_devices_stands_for_the_devices_own_machine_code(void **state) {
  (void)state;
  static const struct {
    unsigned machine, exact;
  } rows[] = {{90, 0}, {90, 1}, {80, 0}, {100, 0}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct blob b = {{0}, 0};
    container(&b, 4 * (64 + 10));
    entry(&b, 2, rows[i].machine, rows[i].exact ? 0x100000 : 0, "machinecod");
    entry(&b, 1, 120, 0, ".version C");
    entry(&b, 1, 100, 0, ".version A");
    entry(&b, 1, 95, 0x100000, ".version e"); /* for one GPU alone */
    if (rows[i].machine == 90) expect(&b, ".version A");
    else refuse(&b, CUDA_ERROR_NO_BINARY_FOR_GPU, "12.0");
  }
}

static void test_goes_on_after_an_empty_container(void **state) {
  (void)state;
  struct blob b = {{0}, 0};
  container(&b, 0);
  container(&b, 64 + 10);
  entry(&b, 1, 75, 0, ".version 7");
  expect(&b, ".version 7");
}

static void test_takes_plain_text(void **state) {
  (void)state;
  struct blob b = {"// hello\n.version 7.0\n", 22};
  expect(&b, "// hello\n.version 7.0\n");
  struct blob garbage = {"garbage", 8};
  refuse(&garbage, CUDA_ERROR_INVALID_IMAGE, "neither PTX");
}

static void test_refuses_every_truncation(void **state) {
  (void)state;
  struct blob whole = file("registered_zstd");
  for (size_t n = 4; n < whole.n; n++) {
    unsigned char *exact = malloc(n);
    memcpy(exact, whole.at, n);
    struct err e = {0};
    assert_null(fatbin_ptx(exact, n, 90, &e));
    assert_true(e.code == CUDA_ERROR_INVALID_IMAGE && e.text[0]);
    free(exact);
  }
}

static void test_refuses_sizes_that_lie(void **state) {
  (void)state;
  static const size_t fields[] = {8, 20, 24, 32, 72};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    struct blob b = file("registered_zstd");
    memset(b.at + fields[i], 0xff, fields[i] == 20 || fields[i] == 32 ? 4 : 8);
    struct err e = {0};
    assert_null(fatbin_ptx(b.at, b.n, 90, &e));
    assert_int_equal(e.code, CUDA_ERROR_INVALID_IMAGE);
  }
}

static void test_unpacks_lz4_that_overlaps_itself(void **state) {
  (void)state;
  const unsigned char in[] = {0x1f, 'x', 1, 0, 4, 0x20, 'y', 'z'};
  char out[64] = {0};
  size_t n = fatbin_unpack_lz4((unsigned char *)out, sizeof out, in, sizeof in);
  assert_int_equal(n, 1 + 23 + 2);
  assert_string_equal(out, "xxxxxxxxxxxxxxxxxxxxxxxxyz");
  assert_int_equal(fatbin_unpack_lz4((unsigned char *)out, 10, in, sizeof in), 0);
  const unsigned char far[] = {0x10, 'x', 9, 0};
  assert_int_equal(fatbin_unpack_lz4((unsigned char *)out, sizeof out, far, sizeof far), 0);
}

/* ---- images without a size ---- */

static const char *reason(const void *image) {
  static struct err e;
  e = (struct err){0};
  assert_null(fatbin_ptx(image, FATBIN_UNKNOWN, 90, &e));
  assert_int_equal(e.code, CUDA_ERROR_INVALID_IMAGE);
  return e.text;
}

/* Two pages of which the second cannot be read; the blob is at the end of the first. */
static unsigned char *at_the_end(const struct blob *b) {
  unsigned char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_ptr_not_equal(p, MAP_FAILED);
  assert_int_equal(mprotect(p + 4096, 4096, PROT_NONE), 0);
  return memcpy(p + 4096 - b->n, b->at, b->n);
}

static void test_sizes_are_held_against_what_is_mapped(void **state) {
  (void)state;
  struct blob b = {{0}, 0};
  container(&b, 1 << 30);
  assert_non_null(strstr(reason(at_the_end(&b)), "longer"));
  b.n = 0;
  container(&b, 64 + 4);
  entry(&b, 1, 50, 0, "text");
  unsigned char *p = at_the_end(&b);
  struct err e = {0};
  char *ptx = fatbin_ptx(p, FATBIN_UNKNOWN, 90, &e);
  assert_string_equal(ptx, "text"); /* up to the last byte of what is mapped */
  free(ptx);
  p[24] = 5; /* the entry's payload, by one too long */
  assert_non_null(strstr(reason(p), "longer"));
  b.n = 0;
  put(&b, 0x7865742e, 4); /* text that does not end */
  assert_non_null(strstr(reason(at_the_end(&b)), "neither PTX"));
}

static void test_pointers_that_lead_nowhere_are_refused(void **state) {
  (void)state;
  struct {
    uint32_t magic, version;
    const void *data, *list;
  } w = {0x466243b1, 1, (const void *)16, NULL};
  assert_non_null(strstr(reason((const void *)4096), "nothing at its address"));
  assert_non_null(strstr(reason(&w), "nothing at its address"));
  w.version = 2;
  w.list = (const void *)24;
  assert_non_null(strstr(reason(&w), "nothing at its address"));
  w.data = &w;
  assert_non_null(strstr(reason(&w), "wrappers are around each other"));
}

/* ---- modules that are joined ---- */

#define HEAD ".version 8.4\n.target sm_75\n.address_size 64\n"
static char *joined(const char *a, const char *b) {
  struct str text = {0};
  fatbin_join(&text, a);
  fatbin_join(&text, b);
  return text.s;
}
static void assert_joined(const char *a, const char *b, const char *expected) {
  char *text = joined(a, b);
  assert_string_equal(text, expected);
  free(text);
}

static void test_joined_modules_have_one_head(void **state) {
  (void)state;
  assert_joined(HEAD ".visible .func f() { ret; }\n", HEAD ".extern .func f();\n",
                HEAD ".visible .func f() { ret; }\n.extern .func f();\n");
}

static void test_names_that_both_modules_have_for_themselves_are_kept_apart(void **state) {
  (void)state;
  assert_joined(".global .b8 $str[2] = {37, 0};\n.visible .entry a() { mov.u64 %r, $str; }\n",
                ".global .align 1 .b8 $str[2] = {99, 0}; // $str\n.visible .entry b() { mov.u64 %r, $str+1; mov.u64 %r, $str2; }\n",
                ".global .b8 $str[2] = {37, 0};\n.visible .entry a() { mov.u64 %r, $str; }\n"
                ".global .align 1 .b8 $str$of73[2] = {99, 0}; // $str\n"
                ".visible .entry b() { mov.u64 %r, $str$of73+1; mov.u64 %r, $str2; }\n");
}

static void test_a_modules_own_name_gives_way_to_one_that_others_see(void **state) {
  (void)state;
  const char *own = ".func (.param .b32 r) u32 (.param .b32 a)\n{\nadd.u32 %r1, %r2, %r3;\n}\n";
  const char *seen = ".visible .func (.param .b32 r) u32 (.param .b32 a) { ret; }\n";
  assert_joined(own, seen,
                ".func (.param .b32 r) u32$of0 (.param .b32 a)\n{\nadd.u32 %r1, %r2, %r3;\n}\n"
                ".visible .func (.param .b32 r) u32 (.param .b32 a) { ret; }\n");
  assert_joined(seen, own,
                ".visible .func (.param .b32 r) u32 (.param .b32 a) { ret; }\n"
                ".func (.param .b32 r) u32$of60 (.param .b32 a)\n{\nadd.u32 %r1, %r2, %r3;\n}\n");
}

static void test_names_of_declarations_and_weak_ones_stay(void **state) {
  (void)state;
  const char *text = ".extern .func f(.param .b32 x);\n.weak .global .u32 g, h;\n.file 1 \"f\", 1, 2\n.func local() { }\n";
  char *twice = joined(text, text);
  assert_non_null(strstr(twice, "\n.func local() { }\n"));
  assert_non_null(strstr(twice, "\n.func local$of"));
  assert_null(strstr(twice, "f$of"));
  assert_null(strstr(twice, "g$of"));
  assert_null(strstr(twice, "h$of"));
  assert_null(strstr(twice, "x$of"));
  free(twice);
}

/* Of texts that were compiled apart, in a list that ends with NULL, this is left. */
static void expect_joined(const void *const *list, const char *program) {
  struct {
    uint32_t magic, version;
    const void *data, *list;
  } w = {0x466243b1, 2, NULL, list};
  struct err e = {0};
  char *ptx = fatbin_ptx(&w, FATBIN_UNKNOWN, 90, &e);
  assert_non_null(ptx);
  assert_string_equal(ptx, program);
  free(ptx);
}

static void test_the_compilers_device_library_is_left_out(void **state) {
  (void)state;
  const char library[] = HEAD ".extern .func __cuda_syscall_cnp();\n.visible .func cudaGetLastError() { call __cuda_syscall_cnp; }\n";
  const char program[] = HEAD ".visible .entry k() { ret; }\n";
  const void *list[] = {library, program, NULL};
  expect_joined(list, program);
}

static void test_a_program_that_asks_for_aligned_memory_is_not_taken_for_it(void **state) {
  (void)state;
  const char program[] = HEAD ".extern .func (.param .b64 p) __cuda_syscall_aligned_malloc(.param .b64 n, .param .b64 a);\n"
                              ".visible .entry k() { ret; }\n";
  const void *list[] = {program, NULL};
  expect_joined(list, program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_program_that_asks_for_aligned_memory_is_not_taken_for_it),
      cmocka_unit_test(test_reads_every_compression),
      cmocka_unit_test(test_says_how_to_rebuild_when_there_is_machine_code_only),
      cmocka_unit_test(test_chooses_the_newest_ptx_the_device_can_run),
      cmocka_unit_test(test_prefers_ptx_for_every_device_to_ptx_for_one),
      cmocka_unit_test(test_ptx_for_later_devices_stands_for_the_devices_own_machine_code),
      cmocka_unit_test(test_goes_on_after_an_empty_container),
      cmocka_unit_test(test_takes_plain_text),
      cmocka_unit_test(test_refuses_every_truncation),
      cmocka_unit_test(test_refuses_sizes_that_lie),
      cmocka_unit_test(test_unpacks_lz4_that_overlaps_itself),
      cmocka_unit_test(test_sizes_are_held_against_what_is_mapped),
      cmocka_unit_test(test_pointers_that_lead_nowhere_are_refused),
      cmocka_unit_test(test_the_compilers_device_library_is_left_out),
      cmocka_unit_test(test_joined_modules_have_one_head),
      cmocka_unit_test(test_names_that_both_modules_have_for_themselves_are_kept_apart),
      cmocka_unit_test(test_a_modules_own_name_gives_way_to_one_that_others_see),
      cmocka_unit_test(test_names_of_declarations_and_weak_ones_stay),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
