/* The library of heddle.h, used as a program uses it: only its header and libheddle.so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <heddle/heddle.h>

#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"

/* out[i] = in[i] + bias, one thread each; reads one word past the end if asked to. */
static const char add_ptx[] = HEAD ".visible .global .align 4 .u32 bias = 5;\n"
                                   ".visible .entry add(.param .u64 out, .param .u64 in) {\n"
                                   ".reg .b32 %r<4>;\n.reg .b64 %d<6>;\n"
                                   "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"
                                   "mad.lo.u32 %r1, %r2, 64, %r1;\n"
                                   "ld.param.u64 %d1, [out];\nld.param.u64 %d2, [in];\n"
                                   "mad.wide.u32 %d1, %r1, 4, %d1;\nmad.wide.u32 %d2, %r1, 4, %d2;\n"
                                   "ld.global.u32 %r2, [%d2];\nld.global.u32 %r3, [bias];\n"
                                   "add.u32 %r2, %r2, %r3;\nst.global.u32 [%d1], %r2;\nret;\n}\n"
                                   ".visible .entry nothing() {\nret;\n}\n";
/* A loop without end. */
static const char spin_ptx[] = HEAD ".visible .entry spin() {\nAGAIN:\nbra AGAIN;\n}\n";
/* printf("hello\n") by one thread; once, or for ever. */
#define SAY(name, then)                                                                                                \
  ".visible .entry " name "() {\n.reg .b64 %d<3>;\n.reg .b32 %r;\n"                                                    \
  "mov.u64 %d1, text;\ncvta.global.u64 %d1, %d1;\nmov.u64 %d2, 0;\nAGAIN:\n"                                           \
  "{\n.param .b64 f;\n.param .b64 a;\n.param .b32 r;\nst.param.b64 [f], %d1;\nst.param.b64 [a], %d2;\n"                 \
  "call.uni (r), vprintf, (f, a);\nld.param.b32 %r, [r];\n}\n" then "\n}\n"
static const char print_ptx[] = HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
                                     ".global .align 1 .b8 text[7] = {104, 101, 108, 108, 111, 10, 0};\n" SAY("say", "ret;")
                                         SAY("say_for_ever", "bra AGAIN;");

/* *out = the sum of 1 .. n, computed in a function that keeps n registers alive. */
static char *sum_ptx(unsigned n) {
  char *text = malloc(65536), *at = text;
  at += sprintf(at, HEAD ".func (.param .b32 r) sum() {\n.reg .b32 %%r<%u>;\n", n + 1);
  for (unsigned i = 1; i <= n; i++) at += sprintf(at, "mov.u32 %%r%u, %u;\n", i, i);
  at += sprintf(at, "mov.u32 %%r0, 0;\n");
  for (unsigned i = 1; i <= n; i++) at += sprintf(at, "add.u32 %%r0, %%r0, %%r%u;\n", i);
  sprintf(at, "st.param.b32 [r], %%r0;\nret;\n}\n"
              ".visible .entry k(.param .u64 out) {\n.reg .b32 %%r;\n.reg .b64 %%d;\nld.param.u64 %%d, [out];\n"
              "{\n.param .b32 r;\ncall.uni (r), sum, ();\nld.param.b32 %%r, [r];\n}\nst.global.u32 [%%d], %%r;\nret;\n}\n");
  return text;
}

static heddle_sim *open_with(heddle_options o) {
  heddle_sim *sim;
  assert_int_equal(heddle_open(&o, &sim), HEDDLE_OK);
  assert_string_equal(heddle_error(sim), "");
  return sim;
}
static heddle_sim *open_timed(void) { return open_with((heddle_options)HEDDLE_OPTIONS); }
static heddle_sim *open_functional(void) {
  heddle_options o = HEDDLE_OPTIONS;
  o.functional = 1;
  return open_with(o);
}

static heddle_module *load(heddle_sim *sim, const char *text) {
  heddle_module *m;
  if (heddle_load(sim, "test.ptx", text, strlen(text), &m) != HEDDLE_OK) fail_msg("%s", heddle_error(sim));
  return m;
}

static heddle_kernel *kernel_of(heddle_module *m, const char *name) {
  heddle_kernel *k;
  assert_int_equal(heddle_find_kernel(m, name, &k), HEDDLE_OK);
  return k;
}

/* Runs `add` over 64 * blocks words and returns the last result. */
static uint32_t run_add(heddle_sim *sim, uint32_t blocks) {
  heddle_module *m = load(sim, add_ptx);
  uint32_t in[1024], n = 64 * blocks, last;
  for (uint32_t i = 0; i < n; i++) in[i] = i;
  heddle_ptr from, to;
  assert_int_equal(heddle_alloc(sim, n * 4, &from), HEDDLE_OK);
  assert_int_equal(heddle_alloc(sim, n * 4, &to), HEDDLE_OK);
  assert_int_equal(heddle_write(sim, from, in, n * 4), HEDDLE_OK);
  heddle_launch_shape shape = {.grid = {blocks}, .block = {64}};
  if (heddle_launch(kernel_of(m, "add"), &shape, (void *[]){&to, &from}) != HEDDLE_OK) fail_msg("%s", heddle_error(sim));
  assert_int_equal(heddle_read(sim, &last, to + n * 4 - 4, 4), HEDDLE_OK);
  heddle_unload(m);
  return last;
}

static uint64_t stat_of(heddle_sim *sim, const char *name) {
  uint64_t v;
  if (heddle_stat(sim, name, &v) != HEDDLE_OK) fail_msg("%s", heddle_error(sim));
  return v;
}

/* ---- opening ---------------------------------------------------------------------------------------------------------- */

static void test_refuses_an_unknown_gpu_and_offers_the_nearest(void **state) {
  (void)state;
  heddle_options o = HEDDLE_OPTIONS;
  o.gpu = "gtx48O";
  heddle_sim *sim;
  assert_int_equal(heddle_open(&o, &sim), HEDDLE_BAD_INPUT);
  assert_non_null(strstr(heddle_error(sim), "gtx480"));
  heddle_ptr p;
  assert_int_equal(heddle_alloc(sim, 4, &p), HEDDLE_BAD_INPUT);
  heddle_close(sim);
}

static void test_refuses_a_setting_out_of_range_by_name(void **state) {
  (void)state;
  heddle_options o = HEDDLE_OPTIONS;
  o.settings = "gpu.sms=2,l1.ways=0";
  heddle_sim *sim;
  assert_int_equal(heddle_open(&o, &sim), HEDDLE_BAD_INPUT);
  assert_non_null(strstr(heddle_error(sim), "l1.ways"));
  heddle_close(sim);
}

static void test_refuses_options_of_another_version(void **state) {
  (void)state;
  heddle_options o = HEDDLE_OPTIONS;
  o.size = 4096;
  heddle_sim *sim;
  assert_int_equal(heddle_open(&o, &sim), HEDDLE_BAD_INPUT);
  heddle_close(sim);
}

static void test_two_simulators_live_side_by_side(void **state) {
  (void)state;
  heddle_sim *a = open_timed(), *b = open_functional();
  assert_int_equal(run_add(a, 2), 127 + 5);
  assert_int_equal(run_add(b, 4), 255 + 5);
  assert_int_equal(heddle_launch_count(a), 1);
  heddle_close(a);
  assert_int_equal(run_add(b, 1), 63 + 5);
  heddle_close(b);
}

/* ---- modules ---------------------------------------------------------------------------------------------------------- */

static void test_broken_ptx_names_its_line(void **state) {
  (void)state;
  heddle_sim *sim = open_functional();
  heddle_module *m;
  const char *text = HEAD ".visible .entry k() {\n  bogus.u32 %r1;\n}\n";
  assert_int_equal(heddle_load(sim, "broken.ptx", text, strlen(text), &m), HEDDLE_BAD_INPUT);
  assert_null(m);
  assert_non_null(strstr(heddle_error(sim), "broken.ptx:5"));
  heddle_close(sim);
}

static void test_a_missing_file_is_reported(void **state) {
  (void)state;
  heddle_sim *sim = open_functional();
  heddle_module *m;
  assert_int_equal(heddle_load_file(sim, "/no/such.ptx", &m), HEDDLE_BAD_INPUT);
  assert_non_null(strstr(heddle_error(sim), "/no/such.ptx"));
  heddle_close(sim);
}

static void test_kernels_are_listed_described_and_found(void **state) {
  (void)state;
  heddle_sim *sim = open_functional();
  heddle_module *m = load(sim, add_ptx);
  assert_int_equal(heddle_kernel_count(m), 2);
  assert_null(heddle_kernel_at(m, 2));
  heddle_kernel_info info = heddle_describe_kernel(heddle_kernel_at(m, 0));
  assert_string_equal(info.name, "add");
  assert_int_equal(info.parameters, 2);
  assert_int_equal(info.parameter_bytes, 16);
  assert_true(info.registers > 0);
  heddle_kernel *k;
  assert_int_equal(heddle_find_kernel(m, "nothin", &k), HEDDLE_BAD_INPUT);
  assert_null(k);
  assert_non_null(strstr(heddle_error(sim), "did you mean 'nothing'"));
  heddle_close(sim);
}

static void test_a_variable_can_be_changed_between_launches(void **state) {
  (void)state;
  heddle_sim *sim = open_functional();
  heddle_module *m = load(sim, add_ptx);
  heddle_ptr bias, data;
  uint64_t bytes;
  uint32_t v = 0, hundred = 100;
  assert_int_equal(heddle_find_variable(m, "bias", &bias, &bytes), HEDDLE_OK);
  assert_int_equal(bytes, 4);
  assert_int_equal(heddle_read(sim, &v, bias, 4), HEDDLE_OK);
  assert_int_equal(v, 5);
  assert_int_equal(heddle_write(sim, bias, &hundred, 4), HEDDLE_OK);
  assert_int_equal(heddle_alloc(sim, 256, &data), HEDDLE_OK);
  heddle_launch_shape shape = {.block = {64}};
  assert_int_equal(heddle_launch(kernel_of(m, "add"), &shape, (void *[]){&data, &data}), HEDDLE_OK);
  assert_int_equal(heddle_read(sim, &v, data, 4), HEDDLE_OK);
  assert_int_equal(v, 100);
  assert_int_equal(heddle_find_variable(m, "none", &bias, NULL), HEDDLE_BAD_INPUT);
  heddle_close(sim);
}

/* ---- memory ----------------------------------------------------------------------------------------------------------- */

static void test_copies_outside_an_allocation_are_refused(void **state) {
  (void)state;
  heddle_sim *sim = open_functional();
  heddle_ptr p;
  char buffer[65] = {0};
  assert_int_equal(heddle_alloc(sim, 64, &p), HEDDLE_OK);
  assert_int_equal(heddle_write(sim, p, buffer, 64), HEDDLE_OK);
  assert_int_equal(heddle_write(sim, p, buffer, 65), HEDDLE_BAD_INPUT);
  assert_int_equal(heddle_write(sim, p + 1, buffer, 64), HEDDLE_BAD_INPUT);
  assert_int_equal(heddle_read(sim, buffer, 16, 1), HEDDLE_BAD_INPUT);
  assert_int_equal(heddle_copy(sim, p, p + 32, 33), HEDDLE_BAD_INPUT);
  assert_int_equal(heddle_fill(sim, p, 7, 65), HEDDLE_BAD_INPUT);
  assert_int_equal(heddle_free(sim, p + 4), HEDDLE_BAD_INPUT);
  assert_int_equal(heddle_free(sim, p), HEDDLE_OK);
  assert_int_equal(heddle_free(sim, p), HEDDLE_BAD_INPUT);
  assert_int_equal(heddle_read(sim, buffer, p, 1), HEDDLE_BAD_INPUT);
  assert_non_null(strstr(heddle_error(sim), "freed"));
  heddle_close(sim);
}

static void test_fill_and_copy_move_bytes(void **state) {
  (void)state;
  heddle_sim *sim = open_timed();
  heddle_ptr p;
  unsigned char got[8];
  assert_int_equal(heddle_alloc(sim, 8, &p), HEDDLE_OK);
  assert_int_equal(heddle_fill(sim, p, 0xab, 4), HEDDLE_OK);
  assert_int_equal(heddle_copy(sim, p + 4, p, 4), HEDDLE_OK);
  assert_int_equal(heddle_read(sim, got, p, 8), HEDDLE_OK);
  for (int i = 0; i < 8; i++) assert_int_equal(got[i], 0xab);
  heddle_close(sim);
}

static void test_memory_that_is_not_there_is_a_limit(void **state) {
  (void)state;
  heddle_options o = HEDDLE_OPTIONS;
  o.functional = 1;
  o.memory_bytes = 1 << 20;
  heddle_sim *sim = open_with(o);
  heddle_ptr p;
  assert_int_equal(heddle_alloc(sim, (1 << 20) + 1, &p), HEDDLE_LIMIT);
  assert_int_equal(heddle_alloc(sim, UINT64_MAX, &p), HEDDLE_LIMIT);
  assert_int_equal(heddle_alloc(sim, 0, &p), HEDDLE_BAD_INPUT);
  assert_int_equal(heddle_alloc(sim, 1 << 20, &p), HEDDLE_OK);
  heddle_close(sim);
}

/* ---- launches --------------------------------------------------------------------------------------------------------- */

static void test_timed_and_functional_runs_agree(void **state) {
  (void)state;
  heddle_sim *t = open_timed(), *f = open_functional();
  assert_int_equal(run_add(t, 16), run_add(f, 16));
  assert_int_equal(stat_of(t, "warp_instructions"), stat_of(f, "warp_instructions"));
  assert_int_equal(stat_of(t, "thread_instructions"), stat_of(f, "thread_instructions"));
  assert_true(stat_of(t, "cycles") > 0);
  uint64_t v;
  assert_int_equal(heddle_stat(f, "cycles", &v), HEDDLE_BAD_INPUT);
  heddle_close(t);
  heddle_close(f);
}

/* 45 CTAs of 512 threads that meet, three on each of 15 SMs, in a kernel that keeps 40 registers: by registers two would fit. */
static heddle_status meet_with_many_registers(const char *stated) {
  char text[8192], *end = text;
  end += sprintf(end,
                 ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry meet(.param .u64 at) %s {\n"
                 ".reg .pred %%p; .reg .b32 %%r<50>; .reg .b64 %%a;\nld.param.u64 %%a, [at]; mov.u32 %%r45, %%tid.x;\n",
                 stated);
  for (int i = 0; i < 40; i++) end += sprintf(end, "ld.global.u32 %%r%d, [%%a+%d];\n", i, 64 + 4 * i);
  end += sprintf(end, "setp.ne.u32 %%p, %%r45, 0; @%%p bra MET; red.global.add.u32 [%%a], 1;\n"
                      "L: ld.volatile.global.u32 %%r46, [%%a]; setp.lt.u32 %%p, %%r46, 45; @%%p bra L;\nMET: bar.sync 0;\n");
  for (int i = 0; i < 40; i++) end += sprintf(end, "add.u32 %%r46, %%r46, %%r%d;\n", i);
  sprintf(end, "st.global.u32 [%%a+4], %%r46; ret;\n}\n");
  heddle_sim *sim = open_functional();
  heddle_module *m = load(sim, text);
  heddle_ptr at;
  assert_int_equal(heddle_alloc(sim, 256, &at), HEDDLE_OK);
  heddle_launch_shape shape = {.grid = {45}, .block = {512}};
  heddle_status s = heddle_launch(kernel_of(m, "meet"), &shape, (void *[]){&at});
  heddle_close(sim);
  return s;
}
static void test_without_time_only_stated_registers_keep_ctas_from_meeting(void **state) {
  (void)state;
  assert_int_equal(meet_with_many_registers(""), HEDDLE_OK);
  assert_int_equal(meet_with_many_registers(".maxnreg 40"), HEDDLE_DEADLOCK);
}

static void wild_access(heddle_sim *sim) {
  heddle_module *m = load(sim, add_ptx);
  heddle_ptr good, wild = 0x1000;
  assert_int_equal(heddle_alloc(sim, 256, &good), HEDDLE_OK);
  heddle_launch_shape shape = {.block = {32}}; /* one warp: which of several comes first is the scheduler's */
  assert_int_equal(heddle_launch(kernel_of(m, "add"), &shape, (void *[]){&good, &wild}), HEDDLE_FAULT);
  assert_non_null(strstr(heddle_error(sim), "0x1000"));
  uint32_t v;
  assert_int_equal(heddle_read(sim, &v, good, 4), HEDDLE_OK);
  assert_int_equal(heddle_launch(kernel_of(m, "nothing"), &shape, NULL), HEDDLE_FAULT);
  heddle_close(sim);
}
static void test_a_wild_access_ends_the_launch_and_names_the_address(void **state) {
  (void)state;
  wild_access(open_functional());
  wild_access(open_timed());
}

static void keep_last(void *user, const char *text) {
  snprintf(user, 1024, "%.1023s", text);
  ++*(int *)((char *)user + 1024);
}

/* 64 threads on an allocation of 32 words: the second warp reads and writes past the end. */
static void stray_access(int functional, int strict, int unchecked) {
  struct {
    char text[1024];
    int times;
  } said = {.times = 0};
  heddle_options o = HEDDLE_OPTIONS;
  o.functional = functional, o.strict = strict, o.unchecked = unchecked, o.warn = keep_last, o.warn_user = &said;
  heddle_sim *sim = open_with(o);
  heddle_module *m = load(sim, add_ptx);
  heddle_ptr in, out;
  assert_int_equal(heddle_alloc(sim, 256, &out), HEDDLE_OK);
  assert_int_equal(heddle_alloc(sim, 128, &in), HEDDLE_OK);
  heddle_launch_shape shape = {.block = {64}};
  for (int i = 0; i < 2; i++)
    assert_int_equal(heddle_launch(kernel_of(m, "add"), &shape, (void *[]){&out, &in}), strict ? HEDDLE_FAULT : HEDDLE_OK);
  assert_int_equal(said.times, strict || unchecked ? 0 : 1);
  if (said.times) assert_non_null(strstr(said.text, "right past the end of the 128-byte allocation"));
  uint32_t v = 0;
  if (!strict) assert_int_equal(heddle_read(sim, &v, out + 252, 4), HEDDLE_OK);
  assert_int_equal(v, strict ? 0 : 5);
  heddle_close(sim);
}
static void test_a_stray_access_is_reported_once_or_ends_a_strict_launch(void **state) {
  (void)state;
  for (int functional = 0; functional < 2; functional++) {
    stray_access(functional, 0, 0);
    stray_access(functional, 1, 0);
    stray_access(functional, 0, 1);
  }
}

static void test_an_unchecked_simulator_never_touches_its_own_memory(void **state) {
  (void)state;
  static uint32_t mine[64];
  heddle_options o = HEDDLE_OPTIONS;
  o.functional = o.unchecked = 1;
  heddle_ptr wild[] = {(heddle_ptr)(uintptr_t)mine, 0x1000, UINT64_MAX - 4095};
  for (size_t i = 0; i < sizeof wild / sizeof *wild; i++) {
    heddle_sim *sim = open_with(o);
    heddle_ptr good;
    heddle_launch_shape shape = {.block = {64}};
    assert_int_equal(heddle_alloc(sim, 256, &good), HEDDLE_OK);
    assert_int_equal(heddle_launch(kernel_of(load(sim, add_ptx), "add"), &shape, (void *[]){&wild[i], &good}), HEDDLE_FAULT);
    heddle_close(sim);
  }
  for (size_t i = 0; i < 64; i++) assert_int_equal(mine[i], 0);
}

static void test_impossible_launches_are_refused_and_change_nothing(void **state) {
  (void)state;
  heddle_sim *sim = open_timed();
  heddle_module *m = load(sim, add_ptx);
  heddle_kernel *k = kernel_of(m, "nothing");
  heddle_launch_shape too_many = {.block = {1024, 2}}, too_shared = {.block = {32}, .shared_bytes = 1 << 20}, fine = {.block = {32}};
  assert_int_equal(heddle_launch(k, &too_many, NULL), HEDDLE_BAD_INPUT);
  assert_int_equal(heddle_launch(k, &too_shared, NULL), HEDDLE_LIMIT);
  assert_int_equal(heddle_launch(kernel_of(m, "add"), &fine, NULL), HEDDLE_BAD_INPUT);
  assert_int_equal(heddle_launch_count(sim), 0);
  assert_int_equal(heddle_launch(k, &fine, NULL), HEDDLE_OK);
  assert_int_equal(heddle_launch_count(sim), 1);
  heddle_close(sim);
}

static void test_a_limit_of_instructions_stops_an_endless_loop(void **state) {
  (void)state;
  heddle_options o = HEDDLE_OPTIONS;
  o.max_instructions = 10000;
  heddle_sim *sim = open_with(o);
  heddle_launch_shape shape = {.block = {32}};
  assert_int_equal(heddle_launch(kernel_of(load(sim, spin_ptx), "spin"), &shape, NULL), HEDDLE_LIMIT);
  heddle_close(sim);
}

static void test_a_limit_of_instructions_holds_without_timing_to_the_instruction(void **state) {
  (void)state;
  heddle_options o = HEDDLE_OPTIONS;
  o.functional = 1;
  o.max_instructions = 10000;
  heddle_sim *sim = open_with(o);
  heddle_module *m = load(sim, spin_ptx);
  heddle_launch_shape shape = {.grid = {3}, .block = {80}};
  assert_int_equal(heddle_launch(kernel_of(m, "spin"), &shape, NULL), HEDDLE_LIMIT);
  assert_non_null(strstr(heddle_error(sim), "stopped by the limit of instructions after 10000 warp instructions"));
  uint64_t executed = 0;
  assert_int_equal(heddle_stat(sim, "warp_instructions", &executed), HEDDLE_OK);
  assert_int_equal(executed, 10000);
  assert_int_equal(heddle_launch(kernel_of(m, "spin"), &shape, NULL), HEDDLE_FAULT); /* none after it */
  heddle_close(sim);
}

static void test_a_limit_of_cycles_needs_timing(void **state) {
  (void)state;
  heddle_options o = HEDDLE_OPTIONS;
  heddle_sim *sim;
  o.functional = 1;
  o.max_cycles = 10;
  assert_int_equal(heddle_open(&o, &sim), HEDDLE_BAD_INPUT);
  assert_non_null(strstr(heddle_error(sim), "max_cycles"));
  heddle_close(sim);
}

static void *stop_soon(void *sim) {
  nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  heddle_stop(sim);
  return NULL;
}

/* Timed, timed by two threads, without time; told to stop before the launch (0 ms) or while it runs. */
static void test_another_thread_can_stop_a_launch(void **state) {
  (void)state;
  for (int i = 0; i < 6; i++) {
    heddle_options o = HEDDLE_OPTIONS;
    o.functional = i % 3 == 0;
    if (i % 3 == 1) o.settings = "gpu.threads=2";
    heddle_sim *sim = open_with(o);
    heddle_kernel *k = kernel_of(load(sim, spin_ptx), "spin");
    heddle_launch_shape shape = {.grid = {20}, .block = {64}};
    pthread_t other;
    if (i < 3) assert_int_equal(pthread_create(&other, NULL, stop_soon, sim), 0);
    else heddle_stop(sim);
    assert_int_equal(heddle_launch(k, &shape, NULL), HEDDLE_LIMIT);
    assert_non_null(strstr(heddle_error(sim), "stopped by a signal from outside"));
    if (i < 3) pthread_join(other, NULL);
    assert_int_equal(heddle_launch(k, &shape, NULL), HEDDLE_FAULT);
    heddle_close(sim);
  }
}

static void stop_at_print(void *sim, const char *text, size_t bytes) {
  (void)text;
  (void)bytes;
  heddle_stop(*(heddle_sim **)sim);
}

static void test_what_a_kernel_prints_can_stop_it(void **state) {
  (void)state;
  for (int functional = 0; functional < 2; functional++) {
    heddle_sim *sim = NULL;
    heddle_options o = HEDDLE_OPTIONS;
    o.functional = functional;
    o.print = stop_at_print;
    o.print_user = &sim;
    assert_int_equal(heddle_open(&o, &sim), HEDDLE_OK);
    heddle_launch_shape shape = {.block = {1}};
    assert_int_equal(heddle_launch(kernel_of(load(sim, print_ptx), "say_for_ever"), &shape, NULL), HEDDLE_LIMIT);
    heddle_close(sim);
  }
}

static void test_modules_may_come_and_go_between_launches(void **state) {
  (void)state;
  heddle_sim *sim = open_timed();
  static const unsigned sizes[] = {4, 100, 3, 60, 120};
  heddle_ptr out;
  assert_int_equal(heddle_alloc(sim, 4, &out), HEDDLE_OK);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    char *text = sum_ptx(sizes[i]);
    heddle_module *m = load(sim, text);
    heddle_launch_shape shape = {.block = {64}};
    uint32_t got = 0;
    assert_int_equal(heddle_launch(kernel_of(m, "k"), &shape, (void *[]){&out}), HEDDLE_OK);
    assert_int_equal(heddle_read(sim, &got, out, 4), HEDDLE_OK);
    assert_int_equal(got, sizes[i] * (sizes[i] + 1) / 2);
    heddle_unload(m);
    free(text);
  }
  heddle_close(sim);
}

static void collect(void *user, const char *text, size_t n) { strncat(user, text, n); }

/* What a thread prints for a format (NULL: none) and the bytes of its arguments, and what the call answers. */
static int32_t prints(const char *format, const void *arguments, size_t bytes, char *said, size_t capacity) {
  static const char code[] =
      HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
           ".visible .entry say(.param .u64 format, .param .u64 args, .param .u64 out) {\n.reg .b64 %d<4>;\n.reg .b32 %r;\n"
           "ld.param.u64 %d1, [format];\nld.param.u64 %d2, [args];\nld.param.u64 %d3, [out];\n"
           "{\n.param .b64 f;\n.param .b64 a;\n.param .b32 r;\nst.param.b64 [f], %d1;\nst.param.b64 [a], %d2;\n"
           "call.uni (r), vprintf, (f, a);\nld.param.b32 %r, [r];\n}\nst.global.u32 [%d3], %r;\nret;\n}\n";
  heddle_options o = HEDDLE_OPTIONS;
  o.functional = 1;
  o.print = collect;
  o.print_user = said;
  memset(said, 0, capacity);
  heddle_sim *sim = open_with(o);
  heddle_ptr f = 0, a, out;
  int32_t answer = 12345;
  if (format) assert_int_equal(heddle_alloc(sim, strlen(format) + 1, &f), HEDDLE_OK);
  assert_int_equal(heddle_alloc(sim, bytes, &a), HEDDLE_OK);
  assert_int_equal(heddle_alloc(sim, sizeof answer, &out), HEDDLE_OK);
  if (format) assert_int_equal(heddle_write(sim, f, format, strlen(format) + 1), HEDDLE_OK);
  assert_int_equal(heddle_write(sim, a, arguments, bytes), HEDDLE_OK);
  heddle_launch_shape shape = {.grid = {1}};
  assert_int_equal(heddle_launch(kernel_of(load(sim, code), "say"), &shape, (void *[]){&f, &a, &out}), HEDDLE_OK);
  assert_int_equal(heddle_read(sim, &answer, out, sizeof answer), HEDDLE_OK);
  heddle_close(sim);
  return answer;
}

/* As CUDA documents it: the arguments that were taken, widths and precisions among them, whatever was printed. */
static void test_printf_answers_how_many_arguments_it_took(void **state) {
  (void)state;
  char said[4096];
  const int32_t numbers[4] = {1, 2, 3, 4};
  assert_int_equal(prints("a longer text %d %d\n", numbers, sizeof numbers, said, sizeof said), 2);
  assert_int_equal(prints("%*d|%.*d", numbers, sizeof numbers, said, sizeof said), 4);
  assert_int_equal(prints("none, 100 %% of it, %k\n", numbers, sizeof numbers, said, sizeof said), 0);
  assert_int_equal(prints("", numbers, sizeof numbers, said, sizeof said), 0);
  assert_int_equal(prints(NULL, numbers, sizeof numbers, said, sizeof said), -1);
  assert_string_equal(said, "");
}

static void test_printf_writes_what_the_host_would(void **state) {
  (void)state;
  char said[4096], want[4096];
  const int32_t whole[4] = {-5, 7, 40000, 3};
  prints("[%d|%+5i|%hd|%-4u]", whole, sizeof whole, said, sizeof said);
  snprintf(want, sizeof want, "[%d|%+5i|%hd|%-4u]", -5, 7, (short)40000, 3u);
  assert_string_equal(said, want);
  const int64_t wide[2] = {INT64_C(-1234567890123), INT64_C(0x123456789a)};
  prints("%020lld %#zx", wide, sizeof wide, said, sizeof said);
  assert_string_equal(said, "-0000001234567890123 0x123456789a");
  const double real[2] = {3.14159, -2e30};
  prints("%.2f %12.3e %%", real, sizeof real, said, sizeof said);
  assert_string_equal(said, "3.14   -2.000e+30 %");
  const int32_t stars[4] = {6, 3, 42, 'c'};
  prints("%*.*d%c", stars, sizeof stars, said, sizeof said);
  assert_string_equal(said, "   042c");
}

/* On the way there a gigabyte would be written. */
static void test_printf_of_a_width_without_sense_is_bounded(void **state) {
  (void)state;
  static const char *const formats[] = {"%999999999d", "%-999999999d", "%.999999999d", "%99999999999999999999d", "%0999999999x"};
  char said[1 << 14];
  const int32_t value[4] = {1, 0, 0, 0};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    prints(formats[i], value, sizeof value, said, sizeof said);
    assert_int_equal(strlen(said), 1024);
  }
  const int32_t star[4] = {INT32_MAX, 1, INT32_MIN, 2};
  prints("%*d%*d", star, sizeof star, said, sizeof said);
  assert_int_equal(strlen(said), 2048);
  prints("%1*d %5k %", value, sizeof value, said, sizeof said); /* no specifications: as they stand */
  assert_string_equal(said, "%1*d %5k %");
}

static void test_printf_goes_to_the_callback(void **state) {
  (void)state;
  char said[64] = "";
  heddle_options o = HEDDLE_OPTIONS;
  o.print = collect;
  o.print_user = said;
  heddle_sim *sim = open_with(o);
  heddle_launch_shape shape = {.grid = {2}};
  assert_int_equal(heddle_launch(kernel_of(load(sim, print_ptx), "say"), &shape, NULL), HEDDLE_OK);
  assert_string_equal(said, "hello\nhello\n");
  heddle_close(sim);
}

/* ---- statistics ------------------------------------------------------------------------------------------------------- */

static void test_the_promised_statistics_exist(void **state) {
  (void)state;
  static const char *const promised[] = {
      "cycles",   "warp_instructions", "thread_instructions", "l1d.accesses",      "l1d.hits",        "l1d.misses", "l1d.reservation_fails",
      "l2.accesses", "l2.hits",        "l2.misses",           "noc.request_flits", "noc.reply_flits", "dram.reads", "dram.writes",
      "dram.row_hits"};
  heddle_sim *sim = open_timed();
  for (size_t i = 0; i < sizeof promised / sizeof *promised; i++) stat_of(sim, promised[i]);
  for (size_t i = 0; i < heddle_stat_count(sim); i++) {
    heddle_stat_info s = heddle_stat_at(sim, i);
    assert_true(s.name && *s.name && s.unit && *s.unit && s.meaning && *s.meaning);
  }
  assert_null(heddle_stat_at(sim, heddle_stat_count(sim)).name);
  uint64_t v;
  assert_int_equal(heddle_stat(sim, "l1d.accidents", &v), HEDDLE_BAD_INPUT);
  heddle_close(sim);
}

static void test_launches_add_up_to_the_total_and_outlive_their_module(void **state) {
  (void)state;
  heddle_sim *sim = open_timed();
  run_add(sim, 1);
  run_add(sim, 8);
  static const char *const names[] = {"cycles", "warp_instructions", "l1d.accesses"};
  for (int i = 0; i < 3; i++) {
    uint64_t a, b;
    assert_int_equal(heddle_launch_stat(sim, 0, names[i], &a), HEDDLE_OK);
    assert_int_equal(heddle_launch_stat(sim, 1, names[i], &b), HEDDLE_OK);
    assert_true(a > 0 && b > 0);
    assert_int_equal(a + b, stat_of(sim, names[i]));
    assert_int_equal(heddle_launch_stat(sim, 2, names[i], &a), HEDDLE_BAD_INPUT);
  }
  assert_string_equal(heddle_launch_name(sim, 1), "add");
  assert_null(heddle_launch_name(sim, 2));
  heddle_close(sim);
}

/* Memory does not grow with launches: the first 5,000 and the newest have statistics of their own, all are in the totals. */
static void launch_many(heddle_sim *sim) {
  enum { KEPT = 5000, LAUNCHES = KEPT + 4 };
  heddle_module *m = load(sim, ".version 6.0\n.target sm_70\n.address_size 64\n.visible .entry ends() { ret; }\n"
                               ".visible .entry later() { ret; }\n");
  heddle_launch_shape one = {.grid = {1}}, two = {.grid = {2}};
  for (int i = 0; i + 1 < LAUNCHES; i++) assert_int_equal(heddle_launch(kernel_of(m, "ends"), &one, NULL), HEDDLE_OK);
  assert_int_equal(heddle_launch(kernel_of(m, "later"), &two, NULL), HEDDLE_OK);
  assert_int_equal(heddle_launch_count(sim), KEPT + 1);
  assert_string_equal(heddle_launch_name(sim, KEPT), "later");
  uint64_t last;
  assert_int_equal(heddle_launch_stat(sim, KEPT, "warp_instructions", &last), HEDDLE_OK);
  assert_int_equal(last, 2);
  assert_int_equal(stat_of(sim, "warp_instructions"), LAUNCHES + 1);
  char *text = heddle_report(sim);
  json_t *root = json_loads(text, 0, NULL), *kernels = json_object_get(root, "kernels"), *sum = json_array_get(kernels, KEPT + 1);
  assert_int_equal(json_integer_value(json_object_get(root, "launches")), LAUNCHES);
  assert_int_equal(json_array_size(kernels), KEPT + 2);
  assert_string_equal(json_string_value(json_object_get(sum, "name")), "ends");
  assert_int_equal(json_integer_value(json_object_get(sum, "launches")), LAUNCHES - 1 - KEPT);
  json_decref(root);
  free(text);
  heddle_close(sim);
}
static void test_many_launches_are_summed(void **state) {
  (void)state;
  launch_many(open_timed());
  launch_many(open_functional());
}

static void report_of(heddle_sim *sim, const char *mode) {
  run_add(sim, 1);
  char *text = heddle_report(sim);
  json_t *root = json_loads(text, 0, NULL);
  assert_non_null(root);
  assert_string_equal(json_string_value(json_object_get(root, "mode")), mode);
  assert_int_equal(json_integer_value(json_object_get(root, "warp_instructions")), stat_of(sim, "warp_instructions"));
  json_t *kernel = json_array_get(json_object_get(root, "kernels"), 0);
  assert_string_equal(json_string_value(json_object_get(kernel, "name")), "add");
  json_decref(root);
  free(text);
  heddle_close(sim);
}
static void test_the_report_is_json(void **state) {
  (void)state;
  report_of(open_timed(), "timed");
  report_of(open_functional(), "functional");
}

static void test_the_same_calls_give_the_same_statistics(void **state) {
  (void)state;
  char *text[2];
  for (int i = 0; i < 2; i++) {
    heddle_sim *sim = open_timed();
    run_add(sim, 16);
    text[i] = heddle_report(sim);
    heddle_close(sim);
  }
  assert_string_equal(text[0], text[1]);
  free(text[0]);
  free(text[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_refuses_an_unknown_gpu_and_offers_the_nearest),
      cmocka_unit_test(test_refuses_a_setting_out_of_range_by_name),
      cmocka_unit_test(test_refuses_options_of_another_version),
      cmocka_unit_test(test_two_simulators_live_side_by_side),
      cmocka_unit_test(test_broken_ptx_names_its_line),
      cmocka_unit_test(test_a_missing_file_is_reported),
      cmocka_unit_test(test_kernels_are_listed_described_and_found),
      cmocka_unit_test(test_a_variable_can_be_changed_between_launches),
      cmocka_unit_test(test_copies_outside_an_allocation_are_refused),
      cmocka_unit_test(test_fill_and_copy_move_bytes),
      cmocka_unit_test(test_memory_that_is_not_there_is_a_limit),
      cmocka_unit_test(test_timed_and_functional_runs_agree),
      cmocka_unit_test(test_without_time_only_stated_registers_keep_ctas_from_meeting),
      cmocka_unit_test(test_a_wild_access_ends_the_launch_and_names_the_address),
      cmocka_unit_test(test_a_stray_access_is_reported_once_or_ends_a_strict_launch),
      cmocka_unit_test(test_an_unchecked_simulator_never_touches_its_own_memory),
      cmocka_unit_test(test_impossible_launches_are_refused_and_change_nothing),
      cmocka_unit_test(test_a_limit_of_instructions_stops_an_endless_loop),
      cmocka_unit_test(test_a_limit_of_instructions_holds_without_timing_to_the_instruction),
      cmocka_unit_test(test_a_limit_of_cycles_needs_timing),
      cmocka_unit_test(test_another_thread_can_stop_a_launch),
      cmocka_unit_test(test_what_a_kernel_prints_can_stop_it),
      cmocka_unit_test(test_modules_may_come_and_go_between_launches),
      cmocka_unit_test(test_printf_goes_to_the_callback),
      cmocka_unit_test(test_the_promised_statistics_exist),
      cmocka_unit_test(test_launches_add_up_to_the_total_and_outlive_their_module),
      cmocka_unit_test(test_many_launches_are_summed),
      cmocka_unit_test(test_printf_writes_what_the_host_would),
      cmocka_unit_test(test_printf_answers_how_many_arguments_it_took),
      cmocka_unit_test(test_printf_of_a_width_without_sense_is_bounded),
      cmocka_unit_test(test_the_report_is_json),
      cmocka_unit_test(test_the_same_calls_give_the_same_statistics),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
