/* Records on their way into a program's buffers (src/cupti/cupti_buffers.h): when it is asked for one, when it gets it back and with
 * what, and what is counted as dropped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cupti/cupti_buffers.h"
#include "cupti/cupti_layout.h"

#include <stdlib.h>
#include <string.h>

enum { API = sizeof(struct cupti_api), KERNEL = sizeof(struct cupti_kernel) };

static struct cupti_buffers b;
static size_t give, most;     /* what the program gives: bytes, records */
static unsigned asked, given; /* buffers: asked for, got back */
static struct {
  size_t bytes, valid;
  unsigned char copy[4096];
} got[32];

static void request(uint8_t **buffer, size_t *bytes, size_t *most_records) {
  asked++;
  *buffer = give ? malloc(give) : NULL;
  *bytes = give;
  *most_records = most;
}

static void complete(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid) {
  assert_null(context);
  assert_int_equal(stream, 0);
  got[given].bytes = bytes;
  got[given].valid = valid;
  memcpy(got[given++].copy, buffer, valid);
  free(buffer);
}

static int begin(void **state) {
  (void)state;
  b = (struct cupti_buffers)CUPTI_BUFFERS_INIT;
  b.request = request;
  b.complete = complete;
  give = 3 * API;
  most = 0;
  asked = given = 0;
  return 0;
}

static int end(void **state) {
  (void)state;
  free(b.waiting);
  free(b.buffer);
  return 0;
}

static void put_api(uint32_t correlation) {
  cupti_buffers_put(&b, &(struct cupti_api){.kind = CUPTI_RUNTIME, .correlation = correlation});
}

/* The n-th record of a buffer that was handed over, all of calls. */
static uint32_t correlation(unsigned buffer, size_t n) {
  struct cupti_api r;
  memcpy(&r, got[buffer].copy + n * sizeof r, sizeof r);
  assert_int_equal(r.kind, CUPTI_RUNTIME);
  return r.correlation;
}

static void test_nothing_is_asked_for_until_there_is_something(void **state) {
  (void)state;
  cupti_buffers_deliver(&b, true, true);
  assert_int_equal(asked, 0);
  put_api(1);
  assert_int_equal(asked, 0);
  cupti_buffers_deliver(&b, false, true);
  assert_int_equal(asked, 1);
  assert_int_equal(given, 0);
}

static void test_a_flush_gives_back_what_is_part_filled(void **state) {
  (void)state;
  put_api(1);
  put_api(2);
  cupti_buffers_deliver(&b, true, true);
  assert_int_equal(given, 1);
  assert_int_equal(got[0].bytes, 3 * API);
  assert_int_equal(got[0].valid, 2 * API);
  cupti_buffers_deliver(&b, true, true); /* nothing is left */
  assert_int_equal(given, 1);
  put_api(3);
  cupti_buffers_deliver(&b, true, true);
  assert_int_equal(asked, 2);
  assert_int_equal(given, 2);
  assert_int_equal(correlation(1, 0), 3);
}

static void test_records_come_in_their_order_from_buffer_to_buffer(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 8; i++) put_api(i);
  cupti_buffers_deliver(&b, false, true);
  assert_int_equal(given, 2); /* the third has room */
  cupti_buffers_deliver(&b, true, true);
  assert_int_equal(given, 3);
  for (uint32_t i = 0; i < 8; i++) assert_int_equal(correlation(i / 3, i % 3), i);
  assert_int_equal(got[2].valid, 2 * API);
  assert_int_equal(cupti_buffers_dropped(&b), 0);
}

static void test_a_record_that_does_not_fit_goes_into_the_next_buffer(void **state) {
  (void)state;
  give = KERNEL + API - 1;
  put_api(1);
  cupti_buffers_put(&b, &(struct cupti_kernel){.kind = CUPTI_CONCURRENT_KERNEL, .correlation = 2});
  cupti_buffers_deliver(&b, true, true);
  assert_int_equal(given, 2);
  assert_int_equal(got[0].valid, API);
  assert_int_equal(got[1].valid, KERNEL);
  assert_int_equal(cupti_buffers_dropped(&b), 0);
}

static void test_a_record_that_no_buffer_holds_is_dropped_and_counted(void **state) {
  (void)state;
  put_api(1);
  cupti_buffers_put(&b, &(struct cupti_kernel){.kind = CUPTI_KERNEL});
  put_api(2);
  cupti_buffers_deliver(&b, true, true);
  assert_int_equal(given, 2);
  assert_int_equal(correlation(1, 0), 2);
  assert_int_equal(cupti_buffers_dropped(&b), 1);
  assert_int_equal(cupti_buffers_dropped(&b), 0); /* since it was last asked */
}

static void test_without_a_buffer_records_are_dropped_and_counted(void **state) {
  (void)state;
  give = 0;
  put_api(1);
  put_api(2);
  cupti_buffers_deliver(&b, true, true);
  assert_int_equal(asked, 2);
  assert_int_equal(given, 0);
  give = API;
  put_api(3);
  cupti_buffers_deliver(&b, true, true);
  assert_int_equal(correlation(0, 0), 3);
  assert_int_equal(cupti_buffers_dropped(&b), 2);
  b.request = NULL; /* no callbacks are registered */
  put_api(4);
  cupti_buffers_deliver(&b, true, true);
  assert_int_equal(cupti_buffers_dropped(&b), 1);
}

static void test_a_buffer_holds_no_more_records_than_the_program_wants(void **state) {
  (void)state;
  give = 10 * API;
  most = 2;
  for (uint32_t i = 0; i < 5; i++) put_api(i);
  cupti_buffers_deliver(&b, true, true);
  assert_int_equal(given, 3);
  assert_int_equal(got[0].valid, 2 * API);
  assert_int_equal(got[2].valid, API);
}

static void test_sizes_are_known_of_kinds_that_there_are(void **state) {
  (void)state;
  static const uint32_t sizes[CUPTI_KINDS] = {[1] = 96, [2] = 88, [3] = 216, [4] = 40, [5] = 40, [8] = 184, [9] = 32, [10] = 216,
                                              [12] = 56, [37] = 24, [38] = 56, [39] = 24};
  for (uint32_t kind = 0; kind < CUPTI_KINDS; kind++) assert_int_equal(cupti_record_bytes(kind), sizes[kind]);
  assert_int_equal(cupti_record_bytes(UINT32_MAX), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_nothing_is_asked_for_until_there_is_something, begin, end),
      cmocka_unit_test_setup_teardown(test_a_flush_gives_back_what_is_part_filled, begin, end),
      cmocka_unit_test_setup_teardown(test_records_come_in_their_order_from_buffer_to_buffer, begin, end),
      cmocka_unit_test_setup_teardown(test_a_record_that_does_not_fit_goes_into_the_next_buffer, begin, end),
      cmocka_unit_test_setup_teardown(test_a_record_that_no_buffer_holds_is_dropped_and_counted, begin, end),
      cmocka_unit_test_setup_teardown(test_without_a_buffer_records_are_dropped_and_counted, begin, end),
      cmocka_unit_test_setup_teardown(test_a_buffer_holds_no_more_records_than_the_program_wants, begin, end),
      cmocka_unit_test_setup_teardown(test_sizes_are_known_of_kinds_that_there_are, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
