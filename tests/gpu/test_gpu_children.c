/* CTAs that wait for kernels which they have launched, on GPUs that hold few of them: all come to their end, whatever waits for what, with
 * the same result for any number of threads and any order of visits, and what is counted adds up. */
#include "gpu_rig.h"

#include "exec/run/device_wait.h"

/* A CTA of node n adds up its subtree: it launches two CTAs, of nodes 2n and 2n + 1, on as much shared memory as it has, and waits for
 * them; then sums[n] = 1 + sums[2n] + sums[2n + 1]. Each thread has something in shared memory and in a register meanwhile. */
static const char tree[] =
    ".version 8.0\n.target sm_70\n.address_size 64\n"
    ".extern .func (.param .b64 r) cudaGetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12],\n"
    ".param .b32 s);\n"
    ".extern .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 p, .param .b64 s);\n"
    ".extern .func (.param .b32 r) cudaDeviceSynchronize();\n"
    ".extern .shared .align 4 .b8 kept[];\n"
    ".visible .entry k(.param .u64 sums, .param .u32 node, .param .u32 levels, .param .u32 shared)\n{\n"
    ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<16>;\n"
    "ld.param.u64 %rd1, [sums]; ld.param.u32 %r1, [node]; ld.param.u32 %r2, [levels]; ld.param.u32 %r3, [shared];\n"
    "mov.u32 %r4, %tid.x; mov.u32 %r5, %ctaid.x; mov.u32 %r6, %ntid.x; add.u32 %r1, %r1, %r5; add.u32 %r7, %r4, %r1;\n"
    "shl.b32 %r8, %r4, 2; mov.u32 %r9, kept; add.u32 %r9, %r9, %r8; st.shared.u32 [%r9], %r7;\n"
    "setp.ne.u32 %p1, %r4, 0; @%p1 bra MEET; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2; mov.u32 %r10, 1;\n"
    "setp.eq.u32 %p2, %r2, 0; @%p2 bra PUT; shl.b32 %r11, %r1, 1; sub.u32 %r12, %r2, 1; mov.u64 %rd3, k;\n"
    "{ .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 r;\n"
    "st.param.b64 [f], %rd3; st.param.b32 [g], 2; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;\n"
    "st.param.b32 [b], %r6; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1; st.param.b32 [s], %r3;\n"
    "call.uni (r), cudaGetParameterBufferV2, (f, g, b, s); ld.param.b64 %rd4, [r]; }\n"
    "st.u64 [%rd4], %rd1; st.u32 [%rd4+8], %r11; st.u32 [%rd4+12], %r12; st.u32 [%rd4+16], %r3;\n"
    "{ .param .b64 p; .param .b64 s; .param .b32 r; st.param.b64 [p], %rd4; st.param.b64 [s], 0;\n"
    "call.uni (r), cudaLaunchDeviceV2, (p, s); ld.param.b32 %r13, [r]; }\n"
    "{ .param .b32 r; call.uni (r), cudaDeviceSynchronize, (); ld.param.b32 %r13, [r]; }\n"
    "mul.wide.u32 %rd5, %r11, 4; add.u64 %rd5, %rd1, %rd5; ld.global.u32 %r14, [%rd5]; add.u32 %r10, %r10, %r14;\n"
    "ld.global.u32 %r14, [%rd5+4]; add.u32 %r10, %r10, %r14; add.u32 %r10, %r10, %r13;\n"
    "PUT: st.global.u32 [%rd2], %r10;\n"
    "MEET: bar.sync 0; ld.shared.u32 %r15, [%r9]; setp.ne.u32 %p3, %r15, %r7; @%p3 trap; ret;\n}\n";

enum { MOST_CHAINS = 4096 };

struct chain { /* what runs for a CTA that waits; or the grid that the host has launched */
  struct exec_grid *grid;
  uint64_t ticket, wait;
  bool comes; /* as soon as there is a slot */
  struct exec_todo todo;
};

struct family {
  struct rig r;
  struct exec_module module;
  struct {
    uint64_t sums;
    uint32_t node, levels, shared;
  } params;
  struct chain *chains;
  unsigned n, most_at_once;
};

static void family_open(struct family *f, struct cfg *cfg) {
  memset(f, 0, sizeof *f);
  if (!rig_make(&f->r, cfg)) fail_msg("%s", f->r.err.text);
  f->r.device.launches = exec_launches_new(f->r.mem);
  if (!exec_module_load(&f->module, f->r.mem, gpu_load_flags(f->r.cfg), "test.ptx", tree, sizeof tree - 1, &f->r.err))
    fail_msg("%s", f->r.err.text);
  f->chains = calloc(MOST_CHAINS, sizeof *f->chains);
}

static void family_close(struct family *f) {
  free(f->chains);
  exec_launches_delete(f->r.device.launches);
  f->r.module = f->module;
  rig_close(&f->r);
}

static void submit(struct family *f, struct chain *c) {
  c->comes = !gpu_has_slot(f->r.gpu, c->grid);
  if (c->comes) return;
  if (gpu_submit(f->r.gpu, &(struct gpu_launch){.grid = c->grid}, &c->ticket, &f->r.err) != GPU_DONE) fail_msg("%s", f->r.err.text);
}

/* The chain's next kernel; false: it has none, and who waits for it goes on. */
static bool go_on(struct family *f, struct chain *c) {
  struct exec_launches *l = f->r.device.launches;
  struct exec_child child;
  struct exec_grid *waits;
  uint64_t cta;
  if (exec_todo_next(&c->todo, &child) || (exec_sync_more(l, c->wait, &c->todo) && exec_todo_next(&c->todo, &child))) {
    if (!c->grid) c->grid = malloc(sizeof *c->grid);
    *c->grid = exec_child_grid(&child, &f->r.device);
    submit(f, c);
    return true;
  }
  exec_todo_free(&c->todo);
  if (!exec_sync_over(l, c->wait, &waits, &cta)) fail_msg("nobody waits");
  gpu_children_ended(f->r.gpu, waits, cta);
  return false;
}

static void submit_more(struct family *f) {
  unsigned now = 0;
  for (unsigned i = 0; i < f->n; i++) {
    if (f->chains[i].comes) submit(f, &f->chains[i]);
    now += f->chains[i].ticket != 0;
  }
  if (now > f->most_at_once) f->most_at_once = now;
}

static void begin_asked(struct family *f) {
  unsigned n = f->n;
  for (unsigned i = 0; i < n; i++)
    while (f->chains[i].ticket && f->chains[i].grid->asking) {
      assert_true(f->n < MOST_CHAINS);
      struct chain *c = &f->chains[f->n++];
      c->wait = exec_sync_asked(f->r.device.launches, f->chains[i].grid);
      assert_true(go_on(f, c));
    }
}

static void end_grid(struct family *f, const struct gpu_finished *done) {
  struct chain *c = f->chains;
  while (c->ticket != done->ticket) c++;
  c->ticket = 0;
  exec_launches_take(f->r.device.launches, c->grid, &c->todo);
  exec_child_ended(c->grid);
  if (c->wait && go_on(f, c)) return;
  if (c->wait) free(c->grid);
}

/* Trees of so many levels below each CTA; shared memory of each, in bytes. */
static void family_run(struct family *f, unsigned ctas, unsigned threads, unsigned levels, unsigned shared) {
  struct exec_grid *g = &f->r.grid;
  struct gpu_finished done;
  f->params.sums = f->r.data;
  f->params.node = ctas;
  f->params.levels = levels;
  f->params.shared = shared;
  *g = (struct exec_grid){.module = &f->module, .kernel = f->module.funcs, .device = &f->r.device, .grid = {ctas, 1, 1},
                          .block = {threads, 1, 1}, .dynamic_shared = shared, .params = (unsigned char *)&f->params, .id = 1};
  while (!g->kernel->ptx->is_entry) g->kernel++;
  f->n = 1;
  f->chains[0] = (struct chain){.grid = g};
  submit(f, &f->chains[0]);
  while (f->chains[0].ticket) {
    enum gpu_end end = gpu_advance(f->r.gpu, UINT64_MAX, &done, &f->r.err);
    if (end == GPU_ASKS) begin_asked(f);
    else if (end == GPU_DONE) end_grid(f, &done);
    else fail_msg("end %d: %s", end, f->r.err.text);
    submit_more(f);
  }
  const uint32_t *sums = exec_mem_ptr(f->r.data);
  for (unsigned i = 0; i < ctas; i++) assert_int_equal(sums[ctas + i], (2u << levels) - 1);
}

/* Kernels and CTAs, and what each has executed, are what the SMs have. */
static void check_counts(struct family *f, unsigned ctas, unsigned levels) {
  uint64_t warps = 0, threads = 0, kernels = gpu_kernels(f->r.gpu);
  for (size_t i = 0; i < kernels; i++) {
    warps += gpu_kernel_at(f->r.gpu, i)->warp_instructions;
    threads += gpu_kernel_at(f->r.gpu, i)->thread_instructions;
  }
  assert_int_equal(kernels, 1 + (uint64_t)ctas * ((1u << levels) - 1));
  assert_int_equal(rig_stat(&f->r, "sm.ctas"), (uint64_t)ctas * ((2u << levels) - 1));
  assert_int_equal(rig_stat(&f->r, "sm.warp_instructions"), warps);
  assert_int_equal(rig_stat(&f->r, "sm.thread_instructions"), threads);
}

static struct cfg *config(const char *text, const char *more) {
  struct cfg *c = gpu_cfg_new();
  struct err e = {0};
  if (!cfg_read_text(c, "test.toml", text, &e) || (more && !cfg_read_text(c, "more.toml", more, &e))) fail_msg("%s", e.text);
  return c;
}

/* Each CTA fills its SM. */
static void test_a_cta_that_waits_makes_room_for_its_child(void **state) {
  (void)state;
  struct family f;
  family_open(&f, config(ONE_SM, "sm.shared = \"48K\""));
  family_run(&f, 3, 64, 1, 48 << 10);
  check_counts(&f, 3, 1);
  family_close(&f);
}

static void test_trees_of_waiting_kernels_end(void **state) {
  (void)state;
  for (unsigned levels = 2; levels < 7; levels += 2) {
    struct family f;
    family_open(&f, config(ONE_SM, "sm.shared = \"48K\""));
    family_run(&f, 2, 64, levels, 30 << 10);
    check_counts(&f, 2, levels);
    family_close(&f);
  }
}

static void test_one_kernel_at_a_time_is_enough(void **state) {
  (void)state;
  struct family f;
  family_open(&f, config(TWELVE_SMS, "gpu.concurrent_kernels = 1"));
  family_run(&f, 40, 96, 4, 20 << 10);
  check_counts(&f, 40, 4);
  assert_true(f.most_at_once <= 1 + 4); /* a slot more for each that waits */
  family_close(&f);
}

static void test_a_cta_keeps_its_place_where_there_is_room(void **state) {
  (void)state;
  struct family f;
  struct gpu_watch watch = {.detail = true};
  family_open(&f, config(TWELVE_SMS, NULL));
  gpu_set_watch(f.r.gpu, &watch);
  family_run(&f, 1, 32, 1, 128);
  assert_int_equal(gpu_ctas(f.r.gpu), 3);
  family_close(&f);
  family_open(&f, config(ONE_SM, "sm.shared = \"48K\""));
  gpu_set_watch(f.r.gpu, &watch);
  family_run(&f, 1, 32, 1, 48 << 10);
  assert_int_equal(gpu_ctas(f.r.gpu), 4); /* it was there twice */
  family_close(&f);
}

/* More CTAs of 512 threads that wait, and of their children, than the GPU holds. */
static void test_more_ctas_wait_than_a_gpu_holds(void **state) {
  (void)state;
  static const char *const presets[] = {"gtx480", "gtx480-ref", "gpu80", "mesh56", "v100", "a100", "h200"};
  for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
    struct family f;
    struct cfg *c = gpu_cfg_new();
    struct err e = {0};
    if (!gpu_cfg_preset(c, presets[i], &e)) fail_msg("%s", e.text);
    family_open(&f, c);
    family_run(&f, 700, 512, 1, 46 << 10);
    check_counts(&f, 700, 1);
    family_close(&f);
  }
}

static uint64_t cycles_of(const char *more, uint64_t seed) {
  struct family f;
  family_open(&f, config(TWELVE_SMS, more));
  if (seed) gpu_shuffle_visits(f.r.gpu, seed);
  family_run(&f, 30, 128, 3, 24 << 10);
  check_counts(&f, 30, 3);
  uint64_t cycles = gpu_kernel_at(f.r.gpu, gpu_kernels(f.r.gpu) - 1)->cycles, l1 = rig_stat(&f.r, "l1d.accesses");
  family_close(&f);
  return cycles * 1000003 + l1;
}

static void test_neither_threads_nor_the_order_of_visits_change_anything(void **state) {
  (void)state;
  uint64_t alone = cycles_of(NULL, 0);
  assert_int_equal(cycles_of("gpu.threads = 2\ngpu.all_threads = true", 0), alone);
  for (uint64_t seed = 1; seed < 4; seed++) assert_int_equal(cycles_of(NULL, seed), alone);
}

int main(void) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_cta_that_waits_makes_room_for_its_child),
      cmocka_unit_test(test_trees_of_waiting_kernels_end),
      cmocka_unit_test(test_one_kernel_at_a_time_is_enough),
      cmocka_unit_test(test_a_cta_keeps_its_place_where_there_is_room),
      cmocka_unit_test(test_more_ctas_wait_than_a_gpu_holds),
      cmocka_unit_test(test_neither_threads_nor_the_order_of_visits_change_anything),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
