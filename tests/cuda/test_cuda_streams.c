/* More streams than the GPU has places for kernels (gpu.concurrent_kernels), on every preset: values are right, kernels of a
 * stream and what events order come one after the other, no more kernels are there at once than there are places, a place is taken at the
 * cycle at which it is freed, and neither threads nor the order of visits change a cycle. Each run is a process of its own,
 * since a process has one GPU; it looks at the records of the launches inside the library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <cuda.h>

#include "base/rng.h"
#include "cuda/state.h"
#include "gpu/gpu.h"

enum { MOST_STREAMS = 1000, THREADS = 32, WORDS = 64 /* apart, so that no two cells share a line */ };

/* cell[0] += 1 by one thread after some rounds of arithmetic by all. */
static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry count(.param .u64 cell, .param .u32 rounds)\n{\n"
    ".reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [cell]; ld.param.u32 %r1, [rounds]; mov.u32 %r2, %tid.x; mov.u32 %r4, 0;\n"
    "L: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r1; @%p1 bra L;\n"
    "setp.ne.u32 %p2, %r2, 0; @%p2 bra E; ld.global.u32 %r3, [%rd1]; add.u32 %r3, %r3, 1; st.global.u32 [%rd1], %r3;\n"
    "E: ret;\n}\n"
    ".visible .entry spin(.param .u32 rounds)\n{\n.reg .pred %p<2>; .reg .b32 %r<4>;\n"
    "ld.param.u32 %r1, [rounds]; mov.u32 %r2, 0;\nL: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra L;\nret;\n}\n";

/* ---- a run ---------------------------------------------------------------------------------------------------------------- */

struct plan {
  const char *gpu, *set;
  unsigned streams, launches; /* of each stream, about */
  uint64_t seed, shuffle;     /* shuffle 0: visits are in order */
};
struct seen {
  bool over;                  /* the process came to its end */
  uint64_t wrong;             /* cells with another value than expected */
  uint64_t kernels, most;     /* and of them at once */
  uint64_t last, taken;       /* start of the last one, and cycles of all until then */
  uint64_t digest;
};

/* In the child there is no test to fail: it says where it ended. */
#define OK(call)                                                                                                       \
  do {                                                                                                                 \
    CUresult r_ = (call);                                                                                              \
    if (r_ != CUDA_SUCCESS) fprintf(stderr, "%s:%d: %s answered %d\n", __FILE__, __LINE__, #call, (int)r_), _exit(1); \
  } while (0)

static void mix(struct seen *s, uint64_t value) { s->digest = (s->digest ^ value) * 0x100000001b3u; }

/* What the GPU has written down about its launches. */
static void look(struct seen *s) {
  const struct gpu *g = cuda.engine.gpu;
  s->kernels = gpu_kernels(g);
  mix(s, (uint64_t)cuda.engine.now);
  for (size_t i = 0; i < s->kernels; i++)
    if (gpu_kernel_at(g, i)->start > s->last) s->last = gpu_kernel_at(g, i)->start;
  for (size_t i = 0; i < s->kernels; i++) {
    const struct gpu_kernel *k = gpu_kernel_at(g, i);
    uint64_t at_once = 0, end = k->start + k->cycles;
    for (size_t j = 0; j < s->kernels; j++) {
      const struct gpu_kernel *o = gpu_kernel_at(g, j);
      at_once += o->start <= k->start && k->start < o->start + o->cycles;
    }
    if (at_once > s->most) s->most = at_once;
    s->taken += (end < s->last ? end : s->last) - k->start;
    mix(s, k->start);
    mix(s, k->cycles);
  }
}

struct run {
  struct rng r;
  CUfunction count;
  CUdeviceptr cells;
  CUstream stream[MOST_STREAMS];
  CUevent event[MOST_STREAMS];
  uint32_t expected[MOST_STREAMS];
  unsigned n;
};

static void launch(struct run *x, unsigned cell, unsigned in) {
  CUdeviceptr at = x->cells + 4ull * WORDS * cell;
  unsigned rounds = 1 + (unsigned)rng_below(&x->r, 40);
  OK(cuLaunchKernel(x->count, 1, 1, 1, THREADS, 1, 1, 0, x->stream[in], (void *[]){&at, &rounds}, NULL));
  x->expected[cell]++;
}

/* Into another stream, and with the cell, which is the other's alone until the event after it. */
static void launch_elsewhere(struct run *x, unsigned i) {
  unsigned j = (unsigned)rng_below(&x->r, x->n);
  OK(cuEventRecord(x->event[i], x->stream[i]));
  OK(cuStreamWaitEvent(x->stream[j], x->event[i], 0));
  launch(x, i, j);
  OK(cuEventRecord(x->event[j], x->stream[j]));
  OK(cuStreamWaitEvent(x->stream[i], x->event[j], 0));
}

/* Two kernels of a graph, one after the other, and a third beside them that counts nowhere. */
static void launch_graph(struct run *x, unsigned i) {
  CUdeviceptr at = x->cells + 4ull * WORDS * i, nowhere = x->cells + 4ull * WORDS * x->n;
  unsigned rounds = 9;
  CUDA_KERNEL_NODE_PARAMS p = {.func = x->count, .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = THREADS, .blockDimY = 1,
                               .blockDimZ = 1, .kernelParams = (void *[]){&at, &rounds}};
  CUgraph g;
  CUgraphNode first, node;
  CUgraphExec e;
  OK(cuGraphCreate(&g, 0));
  OK(cuGraphAddKernelNode(&first, g, NULL, 0, &p));
  OK(cuGraphAddKernelNode(&node, g, &first, 1, &p));
  p.kernelParams = (void *[]){&nowhere, &rounds};
  OK(cuGraphAddKernelNode(&node, g, NULL, 0, &p));
  OK(cuGraphInstantiateWithFlags(&e, g, 0));
  OK(cuGraphLaunch(e, x->stream[i]));
  OK(cuGraphExecDestroy(e));
  OK(cuGraphDestroy(g));
  x->expected[i] += 2;
}

static void open_gpu(const struct plan *p, CUmodule *m) {
  CUcontext context;
  setenv("HEDDLE_GPU", p->gpu, 1);
  setenv("HEDDLE_SET", p->set, 1);
  setenv("HEDDLE_MEMORY", "268435456", 1);
  OK(cuInit(0));
  if (p->shuffle) gpu_shuffle_visits(cuda.engine.gpu, p->shuffle);
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuCtxSetCurrent(context));
  OK(cuModuleLoadData(m, ptx));
}

static void mixed(const struct plan *p, struct seen *s) {
  struct run *x = calloc(1, sizeof *x);
  uint32_t *value = calloc(MOST_STREAMS * WORDS, sizeof *value);
  CUmodule m;
  if (!x || !value) _exit(1);
  x->r.state = p->seed;
  x->n = p->streams;
  open_gpu(p, &m);
  OK(cuModuleGetFunction(&x->count, m, "count"));
  OK(cuMemAlloc(&x->cells, 4ull * WORDS * (x->n + 1)));
  OK(cuMemsetD32(x->cells, 0, WORDS * (x->n + 1)));
  for (unsigned i = 0; i < x->n; i++) {
    OK(cuStreamCreateWithPriority(&x->stream[i], (unsigned)rng_below(&x->r, 2), -(int)rng_below(&x->r, 6)));
    OK(cuEventCreate(&x->event[i], 0));
  }
  for (unsigned k = 0; k < p->launches; k++)
    for (unsigned i = 0; i < x->n; i++) switch (rng_below(&x->r, 12)) {
      case 0: launch_elsewhere(x, i); break;
      case 1: launch_graph(x, i); break;
      default: launch(x, i, i); break;
      }
  OK(cuCtxSynchronize());
  OK(cuMemcpyDtoH(value, x->cells, 4ull * WORDS * x->n));
  for (unsigned i = 0; i < x->n; i++) s->wrong += value[i * WORDS] != x->expected[i];
  look(s);
  free(value);
  free(x);
}

/* The same kernel without memory in every stream, as often as wanted. */
static void alike(const struct plan *p, struct seen *s) {
  CUmodule m;
  CUfunction spin;
  unsigned rounds = 500;
  open_gpu(p, &m);
  OK(cuModuleGetFunction(&spin, m, "spin"));
  for (unsigned i = 0; i < p->streams; i++) {
    CUstream stream;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuLaunchKernel(spin, 1, 1, 1, THREADS, 1, 1, 0, stream, (void *[]){&rounds}, NULL));
    OK(cuStreamDestroy(stream));
  }
  OK(cuCtxSynchronize());
  look(s);
}

static struct seen see(const struct plan *p, void (*scenario)(const struct plan *, struct seen *)) {
  struct seen s = {0};
  int ends[2], status;
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (!child) {
    scenario(p, &s);
    s.over = true;
    _exit(write(ends[1], &s, sizeof s) == (ssize_t)sizeof s ? 0 : 1);
  }
  close(ends[1]);
  if (read(ends[0], &s, sizeof s) != (ssize_t)sizeof s) s = (struct seen){0};
  close(ends[0]);
  assert_int_equal(waitpid(child, &status, 0), child);
  if (!s.over || status) fail_msg("%s with %u streams (%s) ended with status %d", p->gpu, p->streams, p->set, status);
  return s;
}

/* ---- tests ---------------------------------------------------------------------------------------------------------------- */

static uint64_t places(const char *gpu) {
  struct cfg *c = gpu_cfg_new();
  struct err e = {0};
  if (!gpu_cfg_preset(c, gpu, &e)) fail_msg("%s", e.text);
  uint64_t n = (uint64_t)cfg_int(c, "gpu.concurrent_kernels");
  cfg_delete(c);
  return n;
}

static void test_any_number_of_streams_on_every_gpu_gives_right_values_and_never_too_many_kernels(void **state) {
  (void)state;
  size_t n;
  const char *const *names = gpu_preset_names(&n);
  assert_true(n > 0);
  for (size_t i = 0; i < n; i++) {
    unsigned most = (unsigned)places(names[i]), streams[] = {1, most + 1, 3 * most / 2};
    for (size_t k = 0; k < sizeof streams / sizeof *streams; k++) {
      struct plan p = {names[i], "", streams[k], most > 16 ? 3 : 10, i + 7 * k, 0};
      struct seen s = see(&p, mixed);
      assert_int_equal(s.wrong, 0);
      assert_true(s.kernels >= p.streams * p.launches);
      assert_true(s.most <= most);
    }
  }
}

static void test_a_thousand_streams_on_every_gpu(void **state) {
  (void)state;
  size_t n;
  const char *const *names = gpu_preset_names(&n);
  for (size_t i = 0; i < n; i++) {
    struct plan p = {names[i], "", MOST_STREAMS, 1, 5 + i, 0};
    struct seen s = see(&p, mixed);
    assert_int_equal(s.wrong, 0);
    assert_int_equal(s.most, places(names[i]));
  }
}

static void test_threads_and_the_order_of_visits_change_nothing(void **state) {
  (void)state;
  const char *const gpus[] = {"gtx480", "gpu80", "mesh56"};
  for (size_t i = 0; i < 3; i++) {
    struct plan p = {gpus[i], "", 40, 5, 11 + i, 0}, other = p;
    struct seen s = see(&p, mixed), t;
    other.set = "gpu.threads=2";
    t = see(&other, mixed);
    assert_int_equal(t.digest, s.digest);
    for (uint64_t k = 1; k < 4; k++) {
      other = p;
      other.shuffle = k;
      t = see(&other, mixed);
      assert_int_equal(t.digest, s.digest);
    }
  }
}

/* All are there from the beginning: as long as one of them waits, every place is taken at every cycle. */
static void test_a_freed_place_is_taken_at_the_same_cycle(void **state) {
  (void)state;
  const struct { const char *set; uint64_t places; unsigned streams; } cases[] = {
      {"gpu.concurrent_kernels=1", 1, 17}, {"gpu.concurrent_kernels=5", 5, 101}, {"gpu.launch_latency=300", 16, 100}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct plan p = {"gtx480", cases[i].set, cases[i].streams, 1, 1, 0};
    struct seen s = see(&p, alike);
    assert_int_equal(s.kernels, cases[i].streams);
    assert_int_equal(s.most, cases[i].places);
    assert_true(s.last > 0);
    assert_int_equal(s.taken, s.last * cases[i].places);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_any_number_of_streams_on_every_gpu_gives_right_values_and_never_too_many_kernels),
      cmocka_unit_test(test_a_thousand_streams_on_every_gpu),
      cmocka_unit_test(test_threads_and_the_order_of_visits_change_nothing),
      cmocka_unit_test(test_a_freed_place_is_taken_at_the_same_cycle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
