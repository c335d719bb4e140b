/* Functions of a program by the archive it was linked with: those of this program, which has an object of its own build linked in, and
 * damaged archives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/elf_linked.h"
#include "base/err.h"
#include "base/rng.h"
#include "base/str.h"
#include "base/temp.h"
#include "base/cuda_toolkit.h"

#include <ar.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *object;
static size_t object_bytes;
static struct str path;

static void read_object(void) {
  FILE *f = fopen(STR_OBJECT, "rb");
  assert_non_null(f);
  object = malloc(16 << 20);
  object_bytes = fread(object, 1, 16 << 20, f);
  fclose(f);
  assert_true(object_bytes > 0);
}

static void add_member(FILE *f, const char *bytes, size_t n) {
  struct ar_hdr h;
  char text[sizeof h + 1];
  snprintf(text, sizeof text, "%-16s%-12d%-6d%-6d%-8d%-10zu%s", "member/", 0, 0, 0, 644, n, ARFMAG);
  assert_int_equal(fwrite(text, 1, sizeof h, f), sizeof h);
  assert_int_equal(fwrite(bytes, 1, n, f), n);
  if (n % 2) fputc('\n', f);
}

static void write_archive(const char *bytes, size_t n) {
  FILE *f = fopen(path.s, "wb");
  assert_non_null(f);
  fputs(ARMAG, f);
  add_member(f, "no object", 9);
  add_member(f, bytes, n);
  fclose(f);
}

struct found {
  const char *name;
  uint64_t address;
};

static bool note(void *context, const char *name, const Elf64_Sym *symbol) {
  struct found *f = context;
  if (!strcmp(name, f->name)) f->address = symbol->st_value;
  return !f->address;
}

static void test_a_function_of_a_linked_object_is_found_at_its_address(void **state) {
  (void)state;
  struct elf_view program;
  struct elf_linked linked;
  struct found by_symbol = {.name = "str_add"}, by_code = {.name = "str_add"};
  write_archive(object, object_bytes);
  assert_true(elf_open(&program, "/proc/self/exe"));
  assert_true(elf_linked_find(&linked, &program, path.s));
  elf_each_function(&program, note, &by_symbol);
  elf_each_linked(&linked, note, &by_code);
  assert_true(by_symbol.address != 0);
  assert_int_equal(by_code.address, by_symbol.address);
  elf_linked_free(&linked);
  elf_close(&program);
}

/* Where an object was compiled otherwise: a byte of its code is another. */
static void test_an_object_with_other_code_is_not_found(void **state) {
  (void)state;
  struct elf_view program, v;
  struct elf_linked linked;
  assert_true(elf_view_of(&v, object, object_bytes));
  const Elf64_Shdr *text = elf_section(&v, ".text");
  assert_true(text && text->sh_size > 0);
  object[text->sh_offset] ^= 1;
  write_archive(object, object_bytes);
  object[text->sh_offset] ^= 1;
  assert_true(elf_open(&program, "/proc/self/exe"));
  assert_false(elf_linked_find(&linked, &program, path.s));
  elf_linked_free(&linked);
  elf_close(&program);
}

static void test_damaged_archives_are_read_within_their_bounds(void **state) {
  (void)state;
  struct elf_view program;
  struct rng rng = {.state = 1};
  char *copy = malloc(object_bytes);
  assert_true(elf_open(&program, "/proc/self/exe"));
  for (int i = 0; i < 200; i++) {
    struct elf_linked linked;
    memcpy(copy, object, object_bytes);
    for (unsigned k = 0; k < 1 + rng_below(&rng, 8); k++) copy[rng_below(&rng, object_bytes)] = (char)rng_below(&rng, 256);
    write_archive(copy, rng_below(&rng, 4) ? object_bytes : 1 + rng_below(&rng, object_bytes));
    if (rng_below(&rng, 4) == 0) assert_int_equal(truncate(path.s, (off_t)rng_below(&rng, object_bytes)), 0);
    struct found f = {.name = "str_add"};
    if (elf_linked_find(&linked, &program, path.s)) elf_each_linked(&linked, note, &f);
    elf_linked_free(&linked);
  }
  elf_close(&program);
  free(copy);
}

static bool second_folder(void *context, const char *folder) {
  str_add(context, "%s ", folder);
  return strstr(folder, "/kit/lib") && !strstr(folder, "lib64");
}

static void test_the_environment_names_the_only_toolkit(void **state) {
  (void)state;
  struct str seen = {0};
  setenv("CUDA_PATH", "/other", 1);
  setenv("CUDA_HOME", "/kit", 1);
  assert_true(toolkit_each_folder(second_folder, &seen));
  assert_string_equal(seen.s, "/kit/lib64 /kit/lib ");
  unsetenv("CUDA_HOME");
  assert_false(toolkit_each_folder(second_folder, &seen));
  assert_non_null(strstr(seen.s, "/other/lib64 "));
  assert_null(strstr(seen.s, "/usr/local"));
  str_free(&seen);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_function_of_a_linked_object_is_found_at_its_address),
      cmocka_unit_test(test_an_object_with_other_code_is_not_found),
      cmocka_unit_test(test_damaged_archives_are_read_within_their_bounds),
      cmocka_unit_test(test_the_environment_names_the_only_toolkit),
  };
  struct err e = {0};
  if (!temp_file(&path, "archive", &e)) return 1;
  read_object();
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(path.s);
  str_free(&path);
  free(object);
  return failed;
}
