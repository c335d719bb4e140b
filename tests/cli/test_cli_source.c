/* Which source lines `heddle run --profile` shows. The program that is run is this one too, under the name "program": it
 * launches the kernel of a PTX file, whose .file says where its source is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/temp.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the program ---------------------------------------------------------------------------------------------------------------- */

typedef int (*any_fn)();
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
static any_fn find(void *library, const char *name) {
  any_fn fn = (any_fn)dlsym(library, name);
  if (!fn) exit(90);
  return fn;
}
#pragma GCC diagnostic pop

static int be_program(const char *ptx) {
  static char text[8192];
  FILE *f = fopen(ptx, "r");
  if (!f || !fread(text, 1, sizeof text - 1, f)) return 91;
  fclose(f);
  void *cuda = dlopen("libcuda.so.1", RTLD_NOW), *context, *module, *kernel;
  if (!cuda) return 92;
  int (*init)(unsigned) = (int (*)(unsigned))find(cuda, "cuInit");
  int (*create)(void **, unsigned, int) = (int (*)(void **, unsigned, int))find(cuda, "cuCtxCreate_v2");
  int (*load)(void **, const void *) = (int (*)(void **, const void *))find(cuda, "cuModuleLoadData");
  int (*get)(void **, void *, const char *) = (int (*)(void **, void *, const char *))find(cuda, "cuModuleGetFunction");
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **) =
      (int (*)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **))find(
          cuda, "cuLaunchKernel");
  int (*wait_for_all)(void) = (int (*)(void))find(cuda, "cuCtxSynchronize");
  if (init(0) || create(&context, 0, 0) || load(&module, text) || get(&kernel, module, "k")) return 93;
  return launch(kernel, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL) || wait_for_all() ? 94 : 0;
}

/* ---- the tests ------------------------------------------------------------------------------------------------------------------ */

static struct str dir; /* program, k.ptx and src/ are in it; out/ beside src/ is another folder */
static char output[1 << 16];

static const char *path(const char *name) {
  static char paths[4][4200];
  static unsigned next;
  char *p = paths[next++ % 4];
  snprintf(p, sizeof paths[0], "%s/%s", dir.s, name);
  return p;
}

static void write_file(const char *name, const char *text) {
  FILE *f = fopen(path(name), "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

/* Runs a kernel whose source is said to be line 2 of a file; the exit status. */
static int profile(const char *file, const char *options) {
  char ptx[5000], command[9000];
  snprintf(ptx, sizeof ptx,
           ".version 8.0\n.target sm_50\n.address_size 64\n.file 1 \"%s\"\n.visible .entry k() {\n.reg .b32 %%r<2>;\n"
           ".loc 1 2 0\nmov.u32 %%r1, %%tid.x;\nret;\n}\n",
           file);
  write_file("prog/k.ptx", ptx);
  snprintf(command, sizeof command, "%s run --quiet --profile %s -- %s program %s 2>&1", CLI_HEDDLE, options, path("prog/program"),
           path("prog/k.ptx"));
  FILE *f = popen(command, "r");
  assert_non_null(f);
  size_t n = fread(output, 1, sizeof output - 1, f);
  output[n] = 0;
  int status = pclose(f);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static void says(const char *what) {
  if (!strstr(output, what)) fail_msg("'%s' is missing in: %s", what, output);
}
static void is_silent_about(const char *what) {
  if (strstr(output, what)) fail_msg("'%s' is in: %s", what, output);
}

static void test_lines_of_the_programs_folder_are_shown(void **state) {
  (void)state;
  assert_int_equal(profile(path("prog/near.cu"), ""), 0);
  says("near.cu:2");
  says("int near_line;");
  assert_int_equal(profile("near.cu", ""), 0);
  says("int near_line;");
}

static void test_lines_of_other_folders_are_not_unless_they_are_named(void **state) {
  (void)state;
  char named[4400];
  snprintf(named, sizeof named, "--source %s", path("far"));
  assert_int_equal(profile(path("far/far.cu"), ""), 0);
  says("far.cu:2");
  says("mov.u32"); /* in its place */
  is_silent_about("far_line");
  assert_int_equal(profile(path("far/far.cu"), named), 0);
  says("int far_line;");
  assert_int_equal(profile(path("prog/../far/far.cu"), ""), 0);
  is_silent_about("far_line");
  assert_int_equal(profile("../far/far.cu", ""), 0);
  is_silent_about("far_line");
}

static void test_system_files_are_not_shown(void **state) {
  (void)state;
  char second[256] = "";
  FILE *f = fopen("/etc/passwd", "r");
  assert_non_null(f);
  assert_non_null(fgets(second, sizeof second, f));
  assert_non_null(fgets(second, sizeof second, f));
  fclose(f);
  second[strcspn(second, "\n")] = 0;
  assert_int_equal(profile("/etc/passwd", ""), 0);
  says("passwd:2");
  is_silent_about(second);
}

static void test_a_link_out_of_the_folder_is_not_followed(void **state) {
  (void)state;
  assert_int_equal(symlink(path("far/far.cu"), path("prog/link.cu")), 0);
  assert_int_equal(profile(path("prog/link.cu"), ""), 0);
  is_silent_about("far_line");
  unlink(path("prog/link.cu"));
}

/* With a pipe nobody writes to, a reader that opens it stays there. */
static void test_what_is_no_regular_file_is_not_opened(void **state) {
  (void)state;
  assert_int_equal(mkfifo(path("prog/pipe.cu"), 0600), 0);
  assert_int_equal(profile(path("prog/pipe.cu"), ""), 0);
  says("pipe.cu:2");
  assert_int_equal(profile("/dev/zero", "--source /dev"), 0);
  says("zero:2");
  unlink(path("prog/pipe.cu"));
}

static void test_control_characters_are_shown_as_such(void **state) {
  (void)state;
  write_file("prog/odd.cu", "one\na\033[31mred\a\177 \xc2\x9b""5m\tend\n");
  assert_int_equal(profile("odd.cu", ""), 0);
  says("a\\x1b[31mred\\x07\\x7f \\xc2\\x9b5m end");
  is_silent_about("\033[31m");
  write_file("prog/o\033[1mdd.cu", "one\ntwo\n");
  assert_int_equal(profile("o\033[1mdd.cu", ""), 0);
  is_silent_about("\033[1m");
  unlink(path("prog/odd.cu"));
  unlink(path("prog/o\033[1mdd.cu"));
}

static void test_a_source_folder_that_does_not_exist_is_a_mistake(void **state) {
  (void)state;
  assert_int_equal(profile("near.cu", "--source /no/such/folder"), 2);
  says("--source /no/such/folder: No such file or directory");
}

static int make_folders(void **state) {
  (void)state;
  struct err e = {0};
  char self[4096] = "";
  if (!temp_folder(&dir, "heddle-source", &e) || readlink("/proc/self/exe", self, sizeof self - 1) < 0) return -1;
  if (mkdir(path("prog"), 0700) != 0 || mkdir(path("far"), 0700) != 0 || symlink(self, path("prog/program")) != 0) return -1;
  write_file("prog/near.cu", "first\n  int near_line;\n");
  write_file("far/far.cu", "first\n  int far_line;\n");
  return 0;
}
static int remove_folders(void **state) {
  (void)state;
  static const char *const names[] = {"prog/near.cu", "prog/k.ptx", "prog/program", "far/far.cu"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlink(path(names[i]));
  int left = rmdir(path("prog")) | rmdir(path("far")) | rmdir(dir.s);
  str_free(&dir);
  return left;
}

int main(int argc, char **argv) {
  if (argc == 3 && !strcmp(argv[1], "program")) return be_program(argv[2]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lines_of_the_programs_folder_are_shown),
      cmocka_unit_test(test_lines_of_other_folders_are_not_unless_they_are_named),
      cmocka_unit_test(test_system_files_are_not_shown),
      cmocka_unit_test(test_a_link_out_of_the_folder_is_not_followed),
      cmocka_unit_test(test_what_is_no_regular_file_is_not_opened),
      cmocka_unit_test(test_control_characters_are_shown_as_such),
      cmocka_unit_test(test_a_source_folder_that_does_not_exist_is_a_mistake),
  };
  return cmocka_run_group_tests(tests, make_folders, remove_folders);
}
