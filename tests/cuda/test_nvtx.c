/* NVTX: the library takes the places of a program's functions, and what is called there stands in the report. The program's part of NVTX is
 * imitated: tables of places, and a way to ask for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

#include <cmocka.h>
#include <cuda.h>
#include <jansson.h>

int InitializeInjectionNvtx2(const void *(*tables)(uint32_t id));

typedef void (*function)(void);
static function core[16], core_2[16], *core_table[16], *core_2_table[16];

static int give_table(int module, function ***out, unsigned *n) {
  *out = module == 1 ? core_table : module == 5 ? core_2_table : NULL;
  *n = 16;
  return *out != NULL;
}

static const struct {
  size_t bytes;
  int (*table)(int module, function ***out, unsigned *n);
} callbacks = {sizeof callbacks, give_table};

static const void *give(uint32_t id) { return id == 1 ? &callbacks : NULL; }
static const void *give_nothing(uint32_t id) { return (void)id, NULL; }

struct attributes {
  uint16_t version, size;
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type, reserved;
  uint64_t payload;
  int32_t message_type;
  const void *message;
};

/* What a program does: ranges around a launch, pushed, started and in a domain. */
static void program(void) {
  CUcontext context;
  CUdeviceptr at;
  for (int i = 0; i < 16; i++) core_table[i] = &core[i], core_2_table[i] = &core_2[i];
  if (!InitializeInjectionNvtx2(give) || InitializeInjectionNvtx2(give_nothing)) exit(2);
  int (*push)(const char *) = (int (*)(const char *))core[9];
  int (*pop)(void) = (int (*)(void))core[11];
  uint64_t (*start)(const wchar_t *) = (uint64_t(*)(const wchar_t *))core[6];
  void (*stop)(uint64_t) = (void (*)(uint64_t))core[7];
  void *(*domain)(const char *) = (void *(*)(const char *))core_2[12];
  void *(*intern)(void *, const char *) = (void *(*)(void *, const char *))core_2[10];
  int (*push_in)(void *, const struct attributes *) = (int (*)(void *, const struct attributes *))core_2[4];
  int (*pop_in)(void *) = (int (*)(void *))core_2[5];
  if (core[12] || pop() != -1 || push("outer") != 0) exit(3); /* names of categories are nobody's business */
  if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) || cuMemAlloc(&at, 1 << 20)) exit(4);
  void *mine = domain("mine"), *word = intern(mine, "registered");
  uint64_t id = start(L"started");
  if (push_in(mine, &(struct attributes){.version = 3, .size = sizeof(struct attributes), .message_type = 3, .message = word})) exit(5);
  char host[4096] = {0};
  if (cuMemcpyHtoD(at, host, sizeof host)) exit(6);
  if (pop_in(mine) != 0 || pop_in(mine) != -1) exit(7);
  stop(id);
  ((void (*)(const char *))core[2])("mark");
  if (cuMemcpyHtoD(at, host, sizeof host) || pop() != 0) exit(8);
  push("open");
  exit(0);
}

static double number(const json_t *row, const char *name) { return json_number_value(json_object_get(row, name)); }

static void test_ranges_are_in_the_report(void **state) {
  (void)state;
  char path[] = "/tmp/nvtx-XXXXXX";
  int fd = mkstemp(path), status;
  assert_true(fd >= 0);
  close(fd);
  pid_t child = fork();
  if (!child) {
    setenv("HEDDLE_REPORT", path, 1);
    setenv("HEDDLE_FUNCTIONAL", "1", 1);
    program();
  }
  waitpid(child, &status, 0);
  assert_int_equal(WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status, 0);
  json_t *root = json_load_file(path, 0, NULL), *rows = json_object_get(root, "ranges");
  remove(path);
  static const char *const names[] = {"outer", "started", "registered", "mark", "open"};
  assert_int_equal(json_array_size(rows), 5);
  for (size_t i = 0; i < 5; i++) assert_string_equal(json_string_value(json_object_get(json_array_get(rows, i), "name")), names[i]);
  const json_t *outer = json_array_get(rows, 0), *started = json_array_get(rows, 1), *inner = json_array_get(rows, 2);
  assert_string_equal(json_string_value(json_object_get(inner, "domain")), "mine");
  assert_true(number(inner, "ns") > 0 && number(started, "ns") == number(inner, "ns"));
  assert_true(number(outer, "ns") == 2 * number(inner, "ns")); /* two copies */
  assert_true(number(json_array_get(rows, 3), "ns") == 0 && number(json_array_get(rows, 4), "ns") == 0);
  json_decref(root);
}

int main(void) {
  static const struct CMUnitTest tests[] = {cmocka_unit_test(test_ranges_are_in_the_report)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
