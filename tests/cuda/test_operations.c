/* The record of what the device did (cuda/record/operations.h): streams get numbers and names in the order in which they are
 * seen, and in a trace operations of one stream that run beside each other (nodes of a graph) are on threads of their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cuda/record/operations.h"
#include "cuda/record/ranges.h"
#include "gpu/gpu.h"

#include <stdio.h>
#include <string.h>

static void add(struct cuda_operations *o, uint64_t stream, bool is_default, const char *name, double start, double end) {
  cuda_operations_add(o, &(struct cuda_operation){.kind = name ? "kernel" : "copy to device", .name = (char *)name, .stream = stream,
                                                  .default_stream = is_default, .bytes = name ? 0 : 256, .kernel = name ? 3 : -1,
                                                  .start = start, .end = end});
}

static double number(const json_t *o, const char *name) { return json_number_value(json_object_get(o, name)); }

static void test_streams_are_numbered_and_named_as_they_come(void **state) {
  (void)state;
  struct cuda_operations o = {0};
  char name[] = "first";
  add(&o, 70, false, name, 0, 5);
  memcpy(name, "other", 5); /* a module that is unloaded takes its names along */
  add(&o, 12, true, NULL, 5, 6);
  add(&o, 70, false, name, 6, 7);
  add(&o, 91, false, name, 6, 9);
  add(&o, 13, true, NULL, 9, 10);
  json_t *list = cuda_operations_report(&o), *names = cuda_operations_streams(&o);
  static const int streams[] = {0, 1, 0, 2, 3};
  static const char *const words[] = {"stream 1", "default stream", "stream 2", "default stream 2"};
  for (size_t i = 0; i < 5; i++) assert_int_equal(number(json_array_get(list, i), "stream"), streams[i]);
  assert_int_equal(json_array_size(names), 4);
  for (size_t i = 0; i < 4; i++) assert_string_equal(json_string_value(json_array_get(names, i)), words[i]);
  const json_t *kernel = json_array_get(list, 0), *copy = json_array_get(list, 1);
  assert_string_equal(json_string_value(json_object_get(kernel, "name")), "first");
  assert_int_equal(number(kernel, "kernel"), 3);
  assert_int_equal(number(kernel, "ns"), 5);
  assert_null(json_object_get(kernel, "bytes"));
  assert_int_equal(number(copy, "bytes"), 256);
  assert_null(json_object_get(copy, "kernel"));
  json_decref(list);
  json_decref(names);
  cuda_operations_free(&o);
}

static struct cuda_ranges ranges; /* of the next trace */

static json_t *trace_of(const struct cuda_operations *o, uint64_t limit) {
  struct err e = {0};
  struct cfg *c = gpu_cfg_new();
  struct gpu *g = gpu_cfg_preset(c, "gtx480", &e) ? gpu_new(c, &e) : NULL;
  if (!g) fail_msg("%s", e.text);
  char path[] = "/tmp/operations-XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0 && cuda_operations_trace(o, &ranges, 100, g, 700000, limit, path));
  json_t *root = json_load_file(path, 0, NULL);
  assert_non_null(root);
  fclose(fdopen(fd, "r"));
  remove(path);
  gpu_delete(g);
  cfg_delete(c);
  return root;
}

static void test_what_runs_beside_each_other_is_on_threads_of_its_own(void **state) {
  (void)state;
  struct cuda_operations o = {0};
  add(&o, 5, false, "a", 0, 10);
  add(&o, 5, false, "b", 10, 30); /* after it */
  add(&o, 5, false, "c", 15, 20); /* beside it */
  add(&o, 5, false, "d", 30, 31);
  add(&o, 6, false, "e", 2, 3);
  json_t *root = trace_of(&o, 100000), *v;
  json_int_t tid[5] = {0};
  size_t i, named = 0;
  json_array_foreach(json_object_get(root, "traceEvents"), i, v) {
    const char *ph = json_string_value(json_object_get(v, "ph")), *name = json_string_value(json_object_get(v, "name"));
    if (*ph == 'X') tid[*name - 'a'] = json_integer_value(json_object_get(v, "tid"));
    if (*ph == 'X' && *name == 'b') assert_true(number(v, "ts") == 0.010 && number(v, "dur") == 0.020); /* microseconds */
    named += !strcmp(name, "thread_name");
  }
  assert_true(tid[0] == tid[1] && tid[1] == tid[3] && tid[2] != tid[1] && tid[4] != tid[0] && tid[4] != tid[2]);
  assert_int_equal(named, 3);
  assert_int_equal(number(json_object_get(root, "otherData"), "operations"), 5);
  assert_int_equal(number(json_object_get(root, "otherData"), "left_out"), 0);
  json_decref(root);
  cuda_operations_free(&o);
}

static void test_what_does_not_fit_is_left_out_and_counted(void **state) {
  (void)state;
  struct cuda_operations o = {0};
  for (unsigned i = 0; i < 2000; i++) add(&o, 1, true, i % 2 ? "\"quoted\\" : NULL, i, i + 1);
  json_t *root = trace_of(&o, 40000);
  double left = number(json_object_get(root, "otherData"), "left_out");
  size_t kept = json_array_size(json_object_get(root, "traceEvents")) - 3; /* names of process and thread */
  assert_true(left > 1000 && kept > 20);
  assert_int_equal((size_t)left + kept, 2000);
  json_decref(root);
  cuda_operations_free(&o);
}

/* Ranges lie within each other on one line, and those that overlap otherwise on another; one that has not ended lasts until now. */
static void test_ranges_of_a_program_have_lines_of_their_own(void **state) {
  (void)state;
  struct cuda_operations o = {0};
  char name[] = "a";
  add(&o, 5, false, "k", 0, 10);
  static const double starts[] = {0, 10, 20, 30, 40}, ends[] = {50, 15, 60, 35, 0};
  static const unsigned threads[] = {1, 1, 1, 1, 2};
  for (unsigned i = 0; i < 5; i++, name[0]++) {
    size_t k = cuda_ranges_begin(&ranges, name, i == 2 ? "mine" : NULL, threads[i], starts[i]);
    assert_int_equal(k, i);
    if (ends[i] > 0) cuda_ranges_end(&ranges, k, ends[i]);
  }
  cuda_ranges_end(&ranges, 1, 90); /* it has ended */
  json_t *list = cuda_ranges_report(&ranges, 100), *root = trace_of(&o, 100000), *v;
  static const int ns[] = {50, 5, 40, 5, 60};
  for (size_t i = 0; i < 5; i++) {
    assert_int_equal(number(json_array_get(list, i), "start_ns"), starts[i]);
    assert_int_equal(number(json_array_get(list, i), "ns"), ns[i]);
    assert_int_equal(number(json_array_get(list, i), "thread"), threads[i]);
    assert_int_equal(json_object_get(json_array_get(list, i), "domain") != NULL, i == 2);
  }
  json_int_t tid[5] = {0};
  size_t i, named = 0;
  json_array_foreach(json_object_get(root, "traceEvents"), i, v) {
    const char *ph = json_string_value(json_object_get(v, "ph")), *what = json_string_value(json_object_get(v, "name"));
    if (*ph == 'X' && *what != 'k') tid[*what - 'a'] = json_integer_value(json_object_get(v, "tid"));
    named += !strcmp(what, "thread_name");
  }
  assert_true(tid[0] == tid[1] && tid[0] == tid[3] && tid[2] != tid[0] && tid[4] != tid[0] && tid[4] != tid[2]);
  assert_int_equal(named, 4); /* the stream's, two of one thread, one of the other */
  json_decref(list);
  json_decref(root);
  cuda_ranges_free(&ranges);
  cuda_operations_free(&o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_streams_are_numbered_and_named_as_they_come),
      cmocka_unit_test(test_ranges_of_a_program_have_lines_of_their_own),
      cmocka_unit_test(test_what_runs_beside_each_other_is_on_threads_of_its_own),
      cmocka_unit_test(test_what_does_not_fit_is_left_out_and_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
