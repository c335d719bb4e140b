/* Worker processes that load modules, launch kernels and leave the results in shared memory: see device.h. */
#include "device.h"

#include "kernel.h"

#include <cuda.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { JOBS_MOST = 64, CACHE_MOST = 2048, LOG_BYTES = 8192, NONE = -1 };
enum worker_exit { EXIT_FINISHED = 0, EXIT_NO_DEVICE = 4, EXIT_POISONED = 5 };

/* What a worker is doing, seen by the parent after its death. */
struct progress {
  long module;  /* module in work, or NONE */
  long variant; /* variant in work, or NONE */
};

/* One variant's state in shared memory. */
struct shared_outcome {
  int state;
  char error[200];
};

struct shared {
  atomic_long next_module;
  struct progress workers[JOBS_MOST];
  char device_error[200];
};

/* The parent's and the workers' common view; constant after the start but for what `shared` and `outcomes`
 * hold. */
struct run {
  const struct device_plan *plan;
  struct shared *shared;
  struct shared_outcome *outcomes;
  unsigned char *results;
  size_t *offsets;
  long modules;
};

/* An operand's inputs on the device, kept for the next variant with the same operand. */
struct cached_input {
  const struct operand_class *cls;
  unsigned position, arity, count, lanes;
  CUdeviceptr pointer;
};

struct worker {
  const struct run *run;
  struct progress *progress;
  struct cached_input cache[CACHE_MOST];
  unsigned cached;
  CUdeviceptr out, scratch;
  size_t out_bytes, scratch_bytes;
};

static void *map_shared(size_t bytes) {
  void *p = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE,
                 -1, 0);
  if (p == MAP_FAILED) {
    perror("conformance: mmap");
    exit(2);
  }
  return p;
}

/* Waiting. Every step of a worker restarts its alarm; a step that takes too long ends the process. */
static void still_alive(const struct worker *w) { alarm(w->run->plan->hang_s); }

static const char *result_name(CUresult r) {
  const char *name = NULL;
  if (cuGetErrorName(r, &name) != CUDA_SUCCESS || !name) name = "unknown error";
  return name;
}

/* Copies the first line of a JIT log that speaks of an error, or its first line. */
static void first_error_line(char *to, size_t capacity, const char *log, CUresult r) {
  const char *at = strstr(log, "error");
  while (at && at > log && at[-1] != '\n') at--;
  if (!at) at = log;
  size_t n = strcspn(at, "\n");
  if (n == 0)
    snprintf(to, capacity, "%s", result_name(r));
  else
    snprintf(to, capacity, "%.*s", (int)n, at);
  for (char *c = to; *c; c++)
    if (*c == '\t' || *c == '\r') *c = ' ';
}

static void settle(const struct worker *w, size_t variant, enum outcome_state state, const char *error) {
  struct shared_outcome *o = &w->run->outcomes[variant];
  snprintf(o->error, sizeof o->error, "%s", error);
  o->state = (int)state;
}

/* Device memory. */
static CUresult upload(struct worker *w, const struct operand *o, unsigned position, unsigned arity,
                       unsigned lanes, CUdeviceptr *out) {
  for (unsigned i = 0; i < w->cached; i++) {
    struct cached_input *c = &w->cache[i];
    if (c->cls == o->cls && c->position == position && c->arity == arity && c->count == o->count &&
        c->lanes == lanes) {
      *out = c->pointer;
      return CUDA_SUCCESS;
    }
  }
  size_t slots = (size_t)lanes * o->count;
  uint64_t *host = malloc(slots * sizeof *host);
  if (!host) return CUDA_ERROR_OUT_OF_MEMORY;
  for (unsigned lane = 0; lane < lanes; lane++)
    for (unsigned s = 0; s < o->count; s++)
      host[(size_t)lane * o->count + s] = input_slot(o->cls, position, arity, lane, s);
  CUresult r = cuMemAlloc(out, slots * sizeof *host);
  if (r == CUDA_SUCCESS) r = cuMemcpyHtoD(*out, host, slots * sizeof *host);
  free(host);
  if (r == CUDA_SUCCESS && w->cached < CACHE_MOST)
    w->cache[w->cached++] = (struct cached_input){o->cls, position, arity, o->count, lanes, *out};
  return r;
}

static CUresult grow(CUdeviceptr *pointer, size_t *have, size_t need) {
  if (*have >= need) return CUDA_SUCCESS;
  if (*pointer) cuMemFree(*pointer);
  *have = need;
  return cuMemAlloc(pointer, need);
}

/* Clears the output, fills the scratch memory and uploads the operands. `args` is out, a, b, c, h, scratch.
 */
static CUresult prepare(struct worker *w, const struct variant *v, CUdeviceptr args[6]) {
  size_t out = (size_t)v->lanes * v->stride, scratch = (size_t)v->lanes * KERNEL_SCRATCH;
  CUresult r = grow(&w->out, &w->out_bytes, out);
  if (r == CUDA_SUCCESS) r = grow(&w->scratch, &w->scratch_bytes, scratch);
  if (r == CUDA_SUCCESS) r = cuMemsetD8(w->out, 0, out);
  if (r == CUDA_SUCCESS) r = cuMemsetD8(w->scratch, 0xcc, scratch);
  args[0] = w->out;
  args[5] = w->scratch;
  for (unsigned k = 0; k < v->operand_count && r == CUDA_SUCCESS; k++)
    r = upload(w, &v->operands[k], k, v->operand_count, v->lanes, &args[1 + k]);
  return r;
}

/* The row's tensor map over the slots of its first operand, or over the scratch memory. */
static CUresult make_map(const struct tensor_shape *t, CUdeviceptr at, CUtensorMap *map) {
  void *address = (void *)(uintptr_t)at;
  CUtensorMapDataType type = (CUtensorMapDataType)t->type;
  CUtensorMapInterleave interleave = (CUtensorMapInterleave)t->interleave;
  CUtensorMapSwizzle swizzle = (CUtensorMapSwizzle)t->swizzle;
  CUtensorMapFloatOOBfill fill = (CUtensorMapFloatOOBfill)t->fill;
  if (t->im2col)
    return cuTensorMapEncodeIm2col(map, type, t->rank, address, t->sizes, t->strides, t->lower, t->upper, t->box[0], t->box[1], t->steps,
                                   interleave, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, fill);
  return cuTensorMapEncodeTiled(map, type, t->rank, address, t->sizes, t->strides, t->box, t->steps, interleave, swizzle,
                                CU_TENSOR_MAP_L2_PROMOTION_NONE, fill);
}

static CUresult launch(struct worker *w, const struct variant *v, CUfunction f, unsigned char *results) {
  CUdeviceptr args[6] = {0};
  unsigned char block[KERNEL_BLOCK];
  for (unsigned i = 0; i < KERNEL_BLOCK; i++) block[i] = (unsigned char)(i * 37 + 129);
  CUtensorMap map;
  void *params[] = {&args[0], &args[1], &args[2], &args[3], &args[4], &args[5], block, &map};
  CUresult r = prepare(w, v, args);
  if (r == CUDA_SUCCESS && v->tensor) r = make_map(v->tensor, args[v->tensor->scratch ? 5 : 1], &map);
  if (r == CUDA_SUCCESS)
    r = cuLaunchKernel(f, v->lanes / VARIANT_CTA, 1, 1, VARIANT_CTA, 1, 1, 0, NULL, params, NULL);
  if (r == CUDA_SUCCESS) r = cuCtxSynchronize();
  if (r == CUDA_SUCCESS) r = cuMemcpyDtoH(results, w->out, (size_t)v->lanes * v->stride);
  return r;
}

/* Loads a module; on failure leaves a line about it in `error`. */
static CUresult load(const char *ptx, CUmodule *module, char *error, size_t capacity) {
  static char log[LOG_BYTES];
  log[0] = 0;
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)(uintptr_t)sizeof log};
  CUresult r = cuModuleLoadDataEx(module, ptx, 2, options, values);
  if (r != CUDA_SUCCESS) first_error_line(error, capacity, log, r);
  return r;
}

/* Runs one entry. A failed launch leaves the context unusable, so the process ends. */
static void run_entry(struct worker *w, CUmodule module, size_t entry, size_t index) {
  const struct run *run = w->run;
  char name[32], error[200];
  CUfunction f;
  still_alive(w);
  w->progress->variant = (long)index;
  snprintf(name, sizeof name, "v%zu", entry);
  CUresult r = cuModuleGetFunction(&f, module, name);
  if (r == CUDA_SUCCESS) r = launch(w, run->plan->list[index], f, run->results + run->offsets[index]);
  if (r == CUDA_SUCCESS) {
    settle(w, index, OUTCOME_OK, "");
  } else {
    snprintf(error, sizeof error, "launch failed: %s", result_name(r));
    settle(w, index, OUTCOME_FAILED, error);
    _exit(EXIT_POISONED);
  }
  w->progress->variant = NONE;
}

/* Loads and runs `count` variants from `first` as one module; false when it did not load. */
static bool run_group(struct worker *w, size_t first, size_t count, char *error, size_t capacity) {
  struct text text = {0};
  CUmodule module;
  still_alive(w);
  kernel_module(&text, w->run->plan->list + first, count);
  CUresult r = load(text.text, &module, error, capacity);
  text_free(&text);
  if (r != CUDA_SUCCESS) return false;
  for (size_t i = 0; i < count; i++)
    if (w->run->outcomes[first + i].state == OUTCOME_PENDING) run_entry(w, module, i, first + i);
  cuModuleUnload(module);
  return true;
}

static void run_module(struct worker *w, long number, bool one_by_one) {
  const struct device_plan *plan = w->run->plan;
  size_t first = (size_t)number * plan->per_module, count = plan->count - first;
  char error[200];
  if (count > plan->per_module) count = plan->per_module;
  if (!one_by_one && run_group(w, first, count, error, sizeof error)) return;
  for (size_t i = first; i < first + count; i++) {
    if (w->run->outcomes[i].state != OUTCOME_PENDING) continue;
    w->progress->variant = (long)i;
    if (!run_group(w, i, 1, error, sizeof error)) settle(w, i, OUTCOME_REFUSED, error);
    w->progress->variant = NONE;
  }
}

static bool start_device(struct worker *w) {
  CUdevice device;
  CUcontext context;
  CUresult r = cuInit(0);
  if (r == CUDA_SUCCESS) r = cuDeviceGet(&device, 0);
  if (r == CUDA_SUCCESS) r = cuDevicePrimaryCtxRetain(&context, device);
  if (r == CUDA_SUCCESS) r = cuCtxSetCurrent(context);
  if (r != CUDA_SUCCESS) {
    snprintf(w->run->shared->device_error, sizeof w->run->shared->device_error, "%s", result_name(r));
    return false;
  }
  return true;
}

/* A worker's life. A module left behind by the predecessor in this place is finished one by one. */
static void work(const struct run *run, unsigned place) {
  static struct worker w;
  w.run = run;
  w.progress = &run->shared->workers[place];
  alarm(60);
  if (!start_device(&w)) _exit(EXIT_NO_DEVICE);
  if (w.progress->module != NONE) run_module(&w, w.progress->module, true);
  for (;;) {
    w.progress->module = NONE;
    long next = atomic_fetch_add(&run->shared->next_module, 1);
    if (next >= run->modules) break;
    w.progress->module = next;
    run_module(&w, next, false);
  }
  _exit(EXIT_FINISHED);
}

static pid_t start_worker(const struct run *run, unsigned place) {
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) work(run, place);
  if (pid < 0) perror("conformance: fork");
  return pid;
}

/* What the death of a worker says about the variant it was running. */
static void blame(const struct run *run, unsigned place, int status) {
  struct progress *p = &run->shared->workers[place];
  if (p->variant == NONE) return;
  struct shared_outcome *o = &run->outcomes[p->variant];
  if (o->state == OUTCOME_PENDING) {
    o->state = OUTCOME_FAILED;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
      snprintf(o->error, sizeof o->error, "hung: no progress in %u s", run->plan->hang_s);
    else if (WIFSIGNALED(status))
      snprintf(o->error, sizeof o->error, "the process died of signal %d", WTERMSIG(status));
    else
      snprintf(o->error, sizeof o->error, "the process exited with status %d", WEXITSTATUS(status));
  }
  p->variant = NONE;
}

static time_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec;
}

/* A module whose loading itself killed the worker is tried one by one; if that dies with no variant to blame,
 * the module is given up. */
static void skip_stuck_module(const struct run *run, unsigned place, bool blamed, bool again) {
  if (blamed || !again) return;
  run->shared->workers[place].module = NONE;
}

/* Waits for workers, replaces the ones that died, until all have finished or the time is up. */
static bool supervise(const struct run *run, pid_t *pids, unsigned jobs) {
  time_t end = now() + run->plan->limit_s;
  bool died_without_blame[JOBS_MOST] = {false}, usable = true;
  for (unsigned left = jobs; left > 0;) {
    int status;
    pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid <= 0) {
      if (pid < 0 && errno == ECHILD) break;
      if (now() >= end) {
        for (unsigned i = 0; i < jobs; i++)
          if (pids[i] > 0) kill(pids[i], SIGKILL);
      }
      nanosleep(&(struct timespec){0, 5000000}, NULL);
      continue;
    }
    unsigned place = 0;
    while (place < jobs && pids[place] != pid) place++;
    if (place == jobs) continue;
    pids[place] = 0;
    bool finished = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_FINISHED;
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NO_DEVICE) usable = false;
    if (finished || !usable || now() >= end) {
      left--;
      continue;
    }
    bool blamed = run->shared->workers[place].variant != NONE;
    blame(run, place, status);
    skip_stuck_module(run, place, blamed, died_without_blame[place]);
    died_without_blame[place] = !blamed;
    pids[place] = start_worker(run, place);
    if (pids[place] < 0) left--;
  }
  return usable;
}

bool device_run(const struct device_plan *plan, struct outcome *outcomes) {
  struct run run = {.plan = plan};
  size_t total = 0;
  run.offsets = calloc(plan->count + 1, sizeof *run.offsets);
  if (!run.offsets) exit(2);
  for (size_t i = 0; i < plan->count; i++) {
    run.offsets[i] = total;
    total += ((size_t)plan->list[i]->lanes * plan->list[i]->stride + 15) / 16 * 16;
  }
  run.modules = (long)((plan->count + plan->per_module - 1) / plan->per_module);
  run.results = map_shared(total);
  run.outcomes = map_shared(plan->count * sizeof *run.outcomes);
  run.shared = map_shared(sizeof *run.shared);
  unsigned jobs = plan->jobs < JOBS_MOST ? plan->jobs : JOBS_MOST;
  pid_t pids[JOBS_MOST] = {0};
  for (unsigned i = 0; i < jobs; i++) {
    run.shared->workers[i] = (struct progress){NONE, NONE};
    pids[i] = start_worker(&run, i);
  }
  bool usable = supervise(&run, pids, jobs);
  if (!usable) fprintf(stderr, "conformance: no CUDA device: %s\n", run.shared->device_error);
  for (size_t i = 0; i < plan->count; i++) {
    outcomes[i].state = (enum outcome_state)run.outcomes[i].state;
    memcpy(outcomes[i].error, run.outcomes[i].error, sizeof outcomes[i].error);
    outcomes[i].bytes = run.results + run.offsets[i];
  }
  free(run.offsets);
  return usable;
}
