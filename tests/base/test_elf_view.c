/* Reading ELF files: the sections and functions of this program itself, and copies of it with damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/elf_view.h"
#include "base/err.h"
#include "base/rng.h"
#include "base/str.h"
#include "base/temp.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((used, noinline)) void function_to_be_found(void) { __asm__ volatile(""); }

static bool note_address(void *context, const char *name, const Elf64_Sym *symbol) {
  if (!strcmp(name, "function_to_be_found")) *(uint64_t *)context = symbol->st_value;
  return true;
}

static void test_finds_sections_libraries_and_functions(void **state) {
  (void)state;
  struct elf_view v;
  uint64_t address = 0;
  assert_true(elf_open(&v, "/proc/self/exe"));
  assert_non_null(elf_section(&v, ".text"));
  assert_null(elf_section(&v, ".nv_fatbin"));
  assert_true(elf_needs(&v, "libc.so"));
  assert_false(elf_needs(&v, "libcudart.so"));
  assert_true(elf_defines(&v, "function_to_be_found"));
  assert_false(elf_defines(&v, "function_that_is_not_there"));
  elf_each_function(&v, note_address, &address);
  const Elf64_Shdr *text = elf_section(&v, ".text");
  assert_in_range(address, text->sh_addr, text->sh_addr + text->sh_size - 1);
  elf_close(&v);
}

static bool note_malloc(void *context, const char *name, const Elf64_Sym *symbol) {
  if (!strcmp(name, "malloc") && symbol->st_value) *(bool *)context = true;
  return !*(bool *)context;
}

/* Those of the C library, which is stripped on most machines. */
static void test_finds_what_a_library_exports(void **state) {
  (void)state;
  struct elf_view v;
  Dl_info library;
  bool found = false;
  assert_true(dladdr((const void *)(uintptr_t)malloc, &library));
  assert_true(elf_open(&v, library.dli_fname));
  elf_each_exported(&v, note_malloc, &found);
  assert_true(found);
  elf_close(&v);
}

static void test_other_files_are_not_opened(void **state) {
  (void)state;
  struct elf_view v;
  assert_false(elf_open(&v, "/proc/self/no-such-file"));
  assert_false(elf_open(&v, "/etc/passwd"));
  assert_false(elf_open(&v, "/dev/null"));
  assert_false(elf_open(&v, "/"));
}

static char *read_self(size_t *bytes) {
  FILE *f = fopen("/proc/self/exe", "rb");
  assert_non_null(f);
  char *all = malloc(16 << 20);
  *bytes = fread(all, 1, 16 << 20, f);
  fclose(f);
  return all;
}

/* Flips bytes where they hurt: in the header, in the section headers, anywhere; or cuts the file. */
static size_t damage(char *image, size_t bytes, struct rng *rng) {
  const Elf64_Ehdr *h = (const Elf64_Ehdr *)image;
  uint64_t sections = h->e_shoff, section_bytes = h->e_shnum * sizeof(Elf64_Shdr);
  for (unsigned i = 0; i < 1 + rng_below(rng, 8); i++) {
    uint64_t where = rng_below(rng, 3);
    uint64_t at = where == 0   ? 16 + rng_below(rng, sizeof *h - 16)
                  : where == 1 ? sections + rng_below(rng, section_bytes)
                               : rng_below(rng, bytes);
    if (at < bytes) image[at] = (char)rng_below(rng, 256);
  }
  return rng_below(rng, 4) ? bytes : rng_below(rng, bytes) + 1;
}

static void use(const char *path) {
  struct elf_view v;
  if (!elf_open(&v, path)) return;
  elf_section(&v, ".no_such_section");
  elf_needs(&v, "libz");
  elf_defines(&v, "no_such_function");
  elf_close(&v);
}

static void test_damaged_files_are_read_within_their_bounds(void **state) {
  (void)state;
  size_t bytes;
  char *whole = read_self(&bytes), *image = malloc(bytes);
  struct rng rng = {.state = 1};
  struct str path = {0};
  struct err e = {0};
  assert_true(temp_file(&path, "elf", &e));
  for (int i = 0; i < 300; i++) {
    memcpy(image, whole, bytes);
    size_t n = damage(image, bytes, &rng);
    FILE *f = fopen(path.s, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(image, 1, n, f), n);
    fclose(f);
    use(path.s);
  }
  unlink(path.s);
  str_free(&path);
  free(image);
  free(whole);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_finds_sections_libraries_and_functions),
      cmocka_unit_test(test_finds_what_a_library_exports),
      cmocka_unit_test(test_other_files_are_not_opened),
      cmocka_unit_test(test_damaged_files_are_read_within_their_bounds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
