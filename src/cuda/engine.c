/* Runs grids and keeps the clock: see engine.h. */
#include "cuda/engine.h"

#include "base/arena.h"
#include "cuda/progress_line.h"
#include "cuda/stop.h"
#include "gpu/results/report.h"
#include "gpu/sample/follow.h"
#include "gpu/sample/segments.h"
#include "gpu/sample/warm.h"

#include <assert.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { LAUNCH_NS = 2000, COPY_NS = 1000, EVENT_NS = 1000, STOPPED_STATUS = 0, SIGNALLED_STATUS = 128, PATIENCE = 30 /* host seconds */ };
#define DEFAULT_GPU "gtx480"
static const double SHORT_LAUNCH = 0.05; /* seconds of the host */
static const double host_bytes_per_ns = 50.0, device_bytes_per_ns = 4000.0;

static double host_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Called around the simulation of a grid: the program's own work and the cost of CUDA calls do not count as simulation. */
static void enter_simulation(struct cuda_engine *g) { g->entered = host_seconds(); }
static void leave_simulation(struct cuda_engine *g) { g->simulated += host_seconds() - g->entered; }

/* ---- starting ---- */

static bool configure(struct cfg *c, const struct cuda_settings *s, struct err *e) {
  if (!gpu_cfg_preset(c, s->gpu ? s->gpu : DEFAULT_GPU, e) || !cfg_set_all(c, s->set, e)) return false;
  return cfg_real(c, "gpu.sample") <= 0 || cfg_set(c, "gpu.concurrent_kernels=1", e); /* see estimate.h for the reason */
}

/* Updates the line on a terminal a few times a second, however long or short kernels are. */
static void show_progress(void *user, uint64_t instructions, uint64_t cycles) {
  struct cuda_engine *g = user;
  double now = host_seconds();
  if (now - g->shown < 0.25) return;
  g->shown = now;
  g->line = true;
  char line[256];
  const char *no_colour = getenv("NO_COLOR");
  progress_line(&(struct progress_now){.launches = g->next_grid,
                                       .instructions = instructions,
                                       .cycles = cycles,
                                       .seconds = g->simulated + now - g->entered,
                                       .simulated_ns = (double)cycles * 1e6 / g->info.core_khz,
                                       .expected = g->settings.expected,
                                       .max_instructions = g->settings.max_instructions,
                                       .max_cycles = g->settings.max_cycles},
                !no_colour || !*no_colour, line, sizeof line);
  fprintf(stderr, "\r%s\033[K", line);
}

static void show_functional(void *user, uint64_t executed) { show_progress(user, executed, 0); }

void cuda_engine_clear_line(struct cuda_engine *g) {
  if (g->line) fprintf(stderr, "\r\033[K");
  g->line = false;
}

/* A simulation is over. After a short one the line stays until the program asks for data; it would not be visible if thousands of short
 * launches removed it one after the other. */
static void end_line(struct cuda_engine *g, bool ok) {
  if (!ok || host_seconds() - g->entered > SHORT_LAUNCH) cuda_engine_clear_line(g);
}

static void report_threads(const struct gpu *g, const struct cfg *c) {
  long long asked = cfg_int(c, "gpu.threads");
  if (gpu_threads(g) < asked)
    fprintf(stderr, "heddle: %u of the %lld threads asked for are used: there are no CPUs for more\n", gpu_threads(g), asked);
}

static bool start_gpu(struct cuda_engine *g, const struct cfg *c, struct err *e) {
  g->gpu = gpu_new(c, e);
  if (!g->gpu) return false;
  report_threads(g->gpu, c);
  gpu_let_host_act(g->gpu, true);
  const struct cuda_settings *s = &g->settings;
  int64_t cycles = cfg_int(c, "gpu.launch_latency") + cfg_int(c, "sm.cta_latency") + cfg_int(c, "gpu.end_latency");
  double on_gpu = (double)cycles * 1e6 / g->info.core_khz;
  g->launch_ns = on_gpu < LAUNCH_NS ? LAUNCH_NS - on_gpu : 0;
  struct gpu_limits l = {.max_instructions = s->max_instructions, .max_cycles = s->max_cycles, .stop = &cuda_stop_signal};
  struct gpu_watch w = {.interval = s->interval, .stable_percent = s->stop_stable, .profile = s->profile, .detail = s->detail,
                        .trace_bytes = s->trace ? s->trace_limit : 0};
  gpu_set_wave_error(g->gpu, SAMPLING_DOUBT * cfg_real(c, "gpu.sample") / 100);
  gpu_set_row_limit(g->gpu, GPU_MOST_ROWS);
  gpu_set_limits(g->gpu, &l);
  gpu_set_watch(g->gpu, &w);
  if (s->probe && !gpu_set_probes(g->gpu, s->probe, e)) return false;
  if (isatty(STDERR_FILENO)) gpu_set_progress(g->gpu, show_progress, g);
  return true;
}

/* The probes of a run without timing follow it on a GPU that simulates nothing. */
static bool start_follower(struct cuda_engine *g, const struct cfg *c, struct err *e) {
  g->follower = gpu_new(c, e);
  return g->follower && gpu_follow_start(g->follower, g->settings.probe, e);
}

/* Writes something into the report at the first call, because an empty report means that no call was made. */
static void begin_report(const char *path) {
  FILE *f = path ? fopen(path, "a") : NULL;
  if (f && fseek(f, 0, SEEK_END) == 0 && ftell(f) == 0) fputs("{}\n", f);
  if (f) fclose(f);
}

bool cuda_engine_start(struct cuda_engine *g, uint32_t programs, struct err *e) {
  *g = (struct cuda_engine){.settings = cuda_read_settings(), .started = host_seconds(), .shown = host_seconds(), .busy_host = programs < 2,
                            .strays = exec_strays_new(), .ranges = g->ranges /* that began earlier */};
  begin_report(g->settings.report);
  struct cfg *c = gpu_cfg_new();
  bool ok = configure(c, &g->settings, e);
  if (ok) {
    g->info = cuda_device_info_of(c, g->settings.gpu ? g->settings.gpu : DEFAULT_GPU);
    if (g->settings.memory) g->info.memory_bytes = g->settings.memory;
    g->shape = gpu_shape(c);
    g->host_threads = gpu_host_threads(c);
    g->load_flags = g->settings.check ? 0 : gpu_load_flags(c); /* a checker sees the program's own order */
    if (g->settings.profile) g->load_flags |= EXEC_KEEP_TEXT;
    bool timed = !g->settings.functional && !g->settings.check;
    if (!timed && !g->settings.check) g->load_flags |= EXEC_UNTIMED;
    g->limits = (struct exec_limits){.max_instructions = timed ? 0 : g->settings.max_instructions, .stop = &cuda_stop_signal, .user = g};
    if (isatty(STDERR_FILENO)) g->limits.progress = show_functional;
    if (timed) ok = start_gpu(g, c, e);
    else if (g->settings.probe) ok = start_follower(g, c, e);
    ok = ok && cuda_chosen_start(&g->chosen, &g->settings, cfg_real(c, "gpu.sample") / 100, g->gpu, e);
    if (ok && g->chosen.estimator && programs > 1)
      ok = err_set(e, ERR_INPUT, "gpu.sample: two programs share the GPU all the time, so that nothing can be left out of it");
    if (ok && g->gpu && programs > 1) ok = gpu_set_programs(g->gpu, programs, e);
  }
  cfg_delete(c);
  return ok;
}

void cuda_engine_refuse(const struct cuda_engine *g, const struct err *e) {
  if (e->kind != ERR_INPUT || !g->settings.report) return;
  json_t *root = json_pack("{s:s}", GPU_REFUSED_KEY, e->text);
  json_dump_file(root, g->settings.report, 0);
  json_decref(root);
  fflush(stdout);
  _exit(GPU_REFUSED_STATUS);
}

/* ---- the clock ---- */

double cuda_engine_copy(struct cuda_engine *g, uint64_t bytes, enum cuda_traffic traffic) {
  cuda_engine_clear_line(g);
  g->copies++;
  g->copied_bytes += bytes;
  double rate = traffic == CUDA_TRAFFIC_HOST ? host_bytes_per_ns : device_bytes_per_ns;
  return g->busy_host ? COPY_NS + (double)bytes / rate : 0;
}

double cuda_engine_event(const struct cuda_engine *g) { return g->busy_host ? EVENT_NS : 0; }

/* ---- grids ---- */

static struct cuda_engine_kernel *row_of(struct cuda_engine *g, const char *name) {
  for (size_t i = 0; i < g->n_kernels; i++)
    if (!strcmp(g->kernels[i].name, name)) return &g->kernels[i];
  GROW(g->kernels, g->kernel_capacity, g->n_kernels + 1);
  struct cuda_engine_kernel *row = &g->kernels[g->n_kernels++];
  *row = (struct cuda_engine_kernel){.name = strdup(name)};
  return row;
}

static void say_stray(void *user, const struct exec_stray *s) {
  cuda_engine_clear_line(user);
  fprintf(stderr, "heddle: outside every allocation, but in mapped memory: a GPU does it without a word (--strict ends here)\n  %s\n",
          s->text);
}

static uint64_t product(const uint32_t *n) { return (uint64_t)n[0] * n[1] * n[2]; }

static void keep_largest(const struct cuda_engine *g, struct cuda_engine_kernel *row, const struct exec_grid *grid) {
  uint64_t threads = product(grid->grid) * product(grid->block);
  row->threads += threads;
  if (threads <= row->largest.threads) return;
  row->largest.threads = threads;
  memcpy(row->largest.grid, grid->grid, sizeof row->largest.grid);
  memcpy(row->largest.block, grid->block, sizeof row->largest.block);
  row->largest.registers = grid->kernel->ptx->regs_needed;
  row->largest.shared_bytes = exec_shared_bytes(grid->kernel, grid->dynamic_shared);
  row->largest.ctas_per_sm = (uint32_t)(gpu_ctas_at_once(&g->shape, grid) / g->shape.sms);
}

/* A grid is over. */
static void count(struct cuda_engine *g, const struct exec_grid *grid, double ns) {
  struct cuda_engine_kernel *row = row_of(g, grid->kernel->ptx->name);
  row->launches++;
  row->warp_instructions += grid->instructions;
  row->thread_instructions += grid->thread_instructions;
  row->ns += (uint64_t)ns;
  keep_largest(g, row, grid);
  g->warp_instructions += grid->instructions;
  g->thread_instructions += grid->thread_instructions;
  exec_strays_report(g->strays, say_stray, g);
}

/* Records an ended task for the time line. */
static void record(struct cuda_engine *g, const struct cuda_task *t, int64_t kernel) {
  if (!(g->settings.detail || g->settings.trace) || !(t->what || t->launch.grid)) return;
  struct cuda_operation row = {.kind = t->what, .stream = t->stream, .default_stream = t->default_stream, .bytes = t->bytes,
                               .kernel = kernel, .start = t->begun, .end = g->now};
  if (t->launch.grid) {
    row.kind = "kernel";
    row.name = (char *)t->launch.grid->kernel->ptx->name;
    row.start = t->came;
  }
  cuda_operations_add(&g->operations, &row);
}

/* A run that was stopped on purpose: reports what there is and ends the program. */
static void end_program(struct cuda_engine *g, const struct err *e) {
  cuda_engine_clear_line(g);
  fprintf(stderr, "heddle: %s\n", e->text);
  fflush(stdout);
  cuda_engine_finish(g);
  _exit(cuda_stop_signal ? SIGNALLED_STATUS + cuda_stop_signal : STOPPED_STATUS);
}

static void fail(struct cuda_engine *g, const struct exec_grid *grid, enum gpu_end end, const struct err *e) {
  const char *error = end == GPU_BROKEN ? "CUDA_ERROR_UNKNOWN" : "CUDA_ERROR_LAUNCH_TIMEOUT";
  cuda_failures_add(&g->failures, grid->kernel->ptx->name, error, e->text);
}

/* The simulated GPU cannot go on: prints the reason, reports what there is and ends the program. */
static void end_failed(struct cuda_engine *g, enum gpu_end end, const struct err *e) {
  cuda_engine_clear_line(g);
  fprintf(stderr, "heddle: %s\n", e->text);
  cuda_engine_finish(g);
  _exit(end == GPU_BROKEN ? GPU_BROKEN_STATUS : GPU_DEADLOCK_STATUS);
}

static void end_run(struct cuda_engine *g, enum gpu_end end, const struct err *e) {
  for (struct cuda_task *t = g->tasks; t; t = t->next) {
    if (!t->ticket) continue;
    count(g, t->launch.grid, 0);
    if (end == GPU_STOPPED) cuda_chosen_simulated(&g->chosen, t->group, t->launch.grid); /* as far as it has come */
    if (end != GPU_STOPPED) fail(g, t->launch.grid, end, e);
  }
  if (end == GPU_STOPPED) end_program(g, e);
  end_failed(g, end, e);
}

void cuda_engine_stop(struct cuda_engine *g) {
  struct err e = {0};
  if (g->gpu) {
    gpu_stop(g->gpu, "a signal from outside", &e);
    end_run(g, GPU_STOPPED, &e);
  }
  err_set(&e, ERR_LIMIT, "the run was stopped by a signal from outside after %llu warp instructions",
          (unsigned long long)g->warp_instructions);
  g->stopped = e.text;
  end_program(g, &e);
}

/* Lets the grid run to its end, or until it pauses. */
static bool run_on(struct cuda_engine *g, struct exec_grid *grid, struct err *e) {
  enter_simulation(g);
  bool ok = exec_run_grid(grid, e);
  leave_simulation(g);
  if (grid->paused) return true;
  if (g->follower) gpu_follow_end(g->follower, grid);
  end_line(g, ok);
  double ns = LAUNCH_NS + (double)grid->instructions / g->info.sms * 1e6 / g->info.core_khz;
  g->now += ns;
  count(g, grid, ns);
  cuda_chosen_planned(&g->chosen, grid);
  if (e->kind == ERR_LIMIT) {
    g->stopped = e->text;
    end_program(g, e);
  }
  if (grid->stuck && !g->settings.check) {
    fail(g, grid, GPU_DEADLOCK, e);
    end_failed(g, GPU_DEADLOCK, e);
  }
  return ok;
}

bool cuda_engine_run(struct cuda_engine *g, struct exec_grid *grid, struct err *e) {
  grid->id = ++g->next_grid;
  grid->limits = &g->limits;
  grid->resident = gpu_ctas_untimed(&g->shape, grid);
  grid->host_threads = g->host_threads;
  grid->may_pause = !g->follower && !g->settings.check;
  if (g->follower) gpu_follow_grid(g->follower, grid);
  return run_on(g, grid, e);
}

/* ---- tasks ---- */

void cuda_engine_begin(struct cuda_engine *g, struct cuda_task *t, double ns) {
  struct cuda_task **last = &g->tasks;
  while (*last) last = &(*last)->next;
  *last = t;
  t->next = NULL;
  t->begun = g->now;
  t->at = g->now + ns;
}

void cuda_engine_begin_kernel(struct cuda_engine *g, struct cuda_task *t) {
  t->launch.grid->id = ++g->next_grid;
  t->ran = false; /* it may be a further kernel of a task */
  cuda_engine_begin(g, t, g->busy_host ? g->launch_ns : 0);
}

/* When a task does something next by itself. A kernel for which there was no free slot at its time does so as soon as there is one: now. */
static double due(const struct cuda_engine *g, const struct cuda_task *t) { return t->at > g->now ? t->at : g->now; }

/* Among tasks that are due at once the higher priority comes first, then the one that was due earlier. */
static bool comes_before(const struct cuda_engine *g, const struct cuda_task *a, const struct cuda_task *b) {
  if (due(g, a) != due(g, b)) return due(g, a) < due(g, b);
  if (a->launch.priority != b->launch.priority) return a->launch.priority < b->launch.priority;
  return a->at < b->at;
}

/* The next task that does something by itself: not one that is on the GPU, and one that wants to go there only if there is a free slot. */
static struct cuda_task *next_task(const struct cuda_engine *g) {
  struct cuda_task *first = NULL;
  for (struct cuda_task *t = g->tasks; t; t = t->next) {
    if (t->ticket || (t->launch.grid && !t->ran && !gpu_has_slot(g->gpu, t->launch.grid))) continue;
    if (!first || comes_before(g, t, first)) first = t;
  }
  return first;
}

static struct cuda_task *take(struct cuda_engine *g, struct cuda_task *t) {
  struct cuda_task **at = &g->tasks;
  while (*at != t) at = &(*at)->next;
  *at = t->next;
  g->waits_since = 0;
  if (g->gpu) gpu_let_host_act(g->gpu, true);
  return t;
}

/* ---- kernels that wait for the host ---- */

void cuda_engine_keep(struct cuda_engine *g, struct cuda_task *t) {
  double begun = t->begun;
  cuda_engine_begin(g, t, INFINITY);
  t->begun = begun;
  g->waits = true;
}

/* The first task that no longer waits. */
static struct cuda_task *go_on(struct cuda_engine *g) {
  for (struct cuda_task *t = g->tasks; t; t = t->next) {
    t->failed = !run_on(g, t->launch.grid, &t->err);
    if (!t->launch.grid->paused) return take(g, t);
    g->waits = true;
  }
  return NULL;
}

/* Whether the process has threads besides the caller and those of the simulator. */
static bool has_other_threads(const struct cuda_engine *g) {
  unsigned n = 0, own = 1 + cuda_stop_threads + (g->gpu ? gpu_threads(g->gpu) - 1 : 0);
  DIR *d = opendir("/proc/self/task");
  if (!d) return true;
  for (const struct dirent *e; (e = readdir(d));) n += e->d_name[0] != '.';
  closedir(d);
  return n > own;
}

void cuda_engine_wait_for_host(struct cuda_engine *g) {
  if (!g->waits) return;
  if (g->waits_since <= 0) g->waits_since = host_seconds();
  if (has_other_threads(g) && host_seconds() - g->waits_since < PATIENCE) return;
  if (g->gpu) gpu_let_host_act(g->gpu, false);
  for (struct cuda_task *t = g->tasks; t; t = t->next)
    if (t->launch.grid) t->launch.grid->may_pause = false;
}

/* ---- time ---- */

/* The only function that advances simulated time, which never decreases. */
static void pass_to(struct cuda_engine *g, double ns) {
  assert(ns >= g->now);
  g->now = ns;
}

static double ns_of(const struct cuda_engine *g, uint64_t cycles) { return (double)cycles * 1e6 / g->info.core_khz; }

/* The first core cycle of the busy period that is not before a time. */
static uint64_t cycle_at(const struct cuda_engine *g, double ns) {
  if (isinf(ns)) return UINT64_MAX;
  double cycles = (ns - g->busy_since) * g->info.core_khz / 1e6;
  return cycles > 0 ? (uint64_t)ceil(cycles) : 0;
}

static struct cuda_task *kernel_ended(struct cuda_engine *g, const struct gpu_finished *f, enum gpu_end end) {
  struct cuda_task *t = g->tasks;
  while (t->ticket != f->ticket) t = t->next;
  double at = g->busy_since + ns_of(g, f->cycle + f->more);
  if (at > g->now) pass_to(g, at); /* its cycle may have begun before the time up to which the GPU ran */
  t->failed = end != GPU_DONE;
  count(g, t->launch.grid, g->now - t->begun);
  cuda_chosen_simulated(&g->chosen, t->group, t->launch.grid);
  g->on_gpu--;
  record(g, t, gpu_kernels(g->gpu) > GPU_MOST_ROWS ? -1 : (int64_t)gpu_kernels(g->gpu) - 1);
  return take(g, t);
}

/* Lets the GPU run up to a time; returns the kernel that ended before it, if any. */
static struct cuda_task *run_gpu(struct cuda_engine *g, double until) {
  struct gpu_finished f;
  struct err e = {0};
  enter_simulation(g);
  enum gpu_end end = gpu_advance(g->gpu, cycle_at(g, until), &f, &e);
  leave_simulation(g);
  end_line(g, end == GPU_LATER || end == GPU_DONE || end == GPU_ASKS);
  if ((end == GPU_WAITS || end == GPU_ASKS) && g->busy_since + ns_of(g, f.cycle) > g->now) pass_to(g, g->busy_since + ns_of(g, f.cycle));
  g->waits = end == GPU_WAITS;
  g->asks = end == GPU_ASKS;
  if (end == GPU_LATER || end == GPU_WAITS || end == GPU_ASKS) return NULL;
  if (end != GPU_DONE && end != GPU_FAULT) end_run(g, end, &e);
  struct cuda_task *t = kernel_ended(g, &f, end);
  t->err = e;
  return t;
}

/* Executes the kernel without timing, keeping caches warm if that matters; its end is due after its estimated time. */
static void run_untimed(struct cuda_engine *g, struct cuda_task *t) {
  struct exec_grid *grid = t->launch.grid;
  grid->limits = &g->limits;
  if (g->limits.executed < g->warp_instructions) g->limits.executed = g->warp_instructions; /* simulated instructions count too */
  grid->resident = gpu_ctas_at_once(&g->shape, grid);
  grid->host_threads = 1; /* the caches are followed by one thread */
  bool followed = cuda_chosen_follows(&g->chosen, t->group, g->gpu);
  if (followed) grid->device->observer = gpu_warm_observer(g->gpu);
  else gpu_warm_lose(g->gpu);
  struct gpu_segments counted;
  bool counts = cuda_chosen_counts(&g->chosen, t->group, grid);
  if (counts) gpu_segments_count(&counted, g->gpu, grid);
  enter_simulation(g);
  t->failed = !exec_run_grid(grid, &t->err);
  leave_simulation(g);
  grid->device->observer = NULL;
  gpu_warm_ended(g->gpu, grid);
  double segments = counts ? (double)counted.n : SAMPLING_UNCOUNTED;
  struct gpu_followed f = gpu_warm_followed(g->gpu);
  cuda_chosen_followed(&g->chosen, t->group, followed ? &f : NULL);
  if (t->err.kind == ERR_LIMIT) cuda_engine_stop(g);
  if (grid->stuck) {
    fail(g, grid, GPU_DEADLOCK, &t->err);
    end_failed(g, GPU_DEADLOCK, &t->err);
  }
  double cycles = cuda_chosen_cycles(&g->chosen, t->group, grid, segments);
  gpu_count_skipped(g->gpu, grid->instructions, grid->thread_instructions);
  t->ran = true;
  t->at = g->now + ns_of(g, 1) * (cycles > 0 ? cycles : (double)grid->instructions / g->info.sms);
  cuda_chosen_skipped(&g->chosen, t->group, grid, segments);
}

/* The kernel on the GPU of the same stream, or of the node on which it depends; 0: there is none. */
static uint64_t ticket_before(const struct cuda_engine *g, const struct cuda_task *t) {
  for (const struct cuda_task *o = g->tasks; o; o = o->next)
    if (o != t && o->ticket && o->stream == t->stream && o->node == t->behind) return o->ticket;
  return 0;
}

/* Puts the kernel on the GPU. False: it cannot run. */
static bool come_to_gpu(struct cuda_engine *g, struct cuda_task *t) {
  t->came = g->now;
  t->launch.after = t->dependent ? ticket_before(g, t) : 0;
  if (!cuda_chosen_wants(&g->chosen, t->launch.grid, t->launch.grid->id, &t->group)) {
    run_untimed(g, t);
    return true;
  }
  enum gpu_end end = gpu_submit(g->gpu, &t->launch, &t->ticket, &t->err);
  t->failed = end != GPU_DONE;
  if (t->failed) {
    count(g, t->launch.grid, g->now - t->begun);
    return false;
  }
  if (!g->on_gpu++) {
    g->busy_since = g->now;
    if (g->settings.trace) cuda_operations_period(&g->operations, g->now);
  }
  return true;
}

void cuda_engine_children_ended(struct cuda_engine *g, const struct exec_grid *grid, uint64_t cta) {
  if (g->gpu) gpu_children_ended(g->gpu, grid, cta);
}

struct cuda_task *cuda_engine_pass(struct cuda_engine *g, double limit) {
  g->waits = g->asks = false;
  if (!g->gpu) return go_on(g);
  if (limit < g->now) limit = g->now; /* a host function of the program may have let time pass beyond it */
  for (;;) {
    struct cuda_task *next = next_task(g);
    bool waited = next && next->at < g->now; /* for a place on the GPU, freed at the GPU's present cycle */
    double until = next && due(g, next) < limit ? due(g, next) : limit;
    struct cuda_task *ended = g->on_gpu && !waited ? run_gpu(g, until) : NULL;
    if (ended) return ended;
    if (g->asks) return NULL;
    if (g->waits && isinf(until)) return NULL;
    if (g->waits) continue; /* another task is due */
    if (!isinf(until)) pass_to(g, until);
    if (!next || due(g, next) > limit) return NULL;
    if (next->ran) count(g, next->launch.grid, g->now - next->begun);
    if (!next->launch.grid || next->ran) record(g, next, -1);
    if (!next->launch.grid || next->ran || !come_to_gpu(g, next)) return take(g, next);
  }
}

void cuda_engine_copied(struct cuda_engine *g, enum gpu_copy kind, uint64_t address, uint64_t bytes) {
  if (g->gpu) gpu_copied(g->gpu, kind, address, bytes);
}

/* ---- the report ---- */

static json_t *count_of(uint64_t n) { return json_integer((json_int_t)n); }

static json_t *shape_of(const uint32_t *n) { return json_pack("[i,i,i]", (int)n[0], (int)n[1], (int)n[2]); }

static void put_launches(json_t *o, const struct cuda_engine_kernel *k) {
  json_object_set_new(o, "threads", count_of(k->threads));
  json_object_set_new(o, "grid", shape_of(k->largest.grid));
  json_object_set_new(o, "block", shape_of(k->largest.block));
  json_object_set_new(o, "registers", count_of(k->largest.registers));
  json_object_set_new(o, "shared_bytes", count_of(k->largest.shared_bytes));
  json_object_set_new(o, "ctas_per_sm", count_of(k->largest.ctas_per_sm));
}

/* In runs without timing there is one row per kernel name; the timed GPU has one per launch. */
static json_t *functional_report(const struct cuda_engine *g) {
  json_t *root = json_object(), *kernels = json_array();
  json_object_set_new(root, "warp_instructions", count_of(g->warp_instructions));
  json_object_set_new(root, "thread_instructions", count_of(g->thread_instructions));
  for (size_t i = 0; i < g->n_kernels; i++) {
    const struct cuda_engine_kernel *k = &g->kernels[i];
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(k->name));
    json_object_set_new(o, "launches", count_of(k->launches));
    json_object_set_new(o, "warp_instructions", count_of(k->warp_instructions));
    json_object_set_new(o, "thread_instructions", count_of(k->thread_instructions));
    put_launches(o, k);
    json_array_append_new(kernels, o);
  }
  json_object_set_new(root, "kernels", kernels);
  if (g->follower) json_object_set_new(root, "probes", gpu_report_probes(g->follower));
  if (g->stopped) json_object_set_new(root, "stopped", json_string(g->stopped));
  return root;
}

static json_t *host_figures(const struct cuda_engine *g) {
  struct rusage use = {0};
  getrusage(RUSAGE_SELF, &use);
  json_t *o = json_object();
  json_object_set_new(o, "seconds", json_real(host_seconds() - g->started));
  json_object_set_new(o, "simulation_seconds", json_real(g->simulated));
  json_object_set_new(o, "warp_instructions_per_second",
                      json_real(g->simulated > 0 ? (double)g->warp_instructions / g->simulated : 0));
  json_object_set_new(o, "threads", json_real(g->gpu ? gpu_threads_used(g->gpu) : g->host_threads));
  json_object_set_new(o, "peak_rss_bytes", count_of((uint64_t)use.ru_maxrss * 1024));
  return o;
}

/* One row per source line. */
static json_t *outside(const struct cuda_engine *g) {
  size_t n;
  const struct exec_stray *s = exec_strays_all(g->strays, &n);
  json_t *rows = json_array();
  for (size_t i = 0; i < n; i++)
    json_array_append_new(rows, json_pack("{s:I,s:s}", "accesses", (json_int_t)s[i].accesses, "first", s[i].text));
  return rows;
}

static void write_report(const struct cuda_engine *g) {
  if (g->gpu && g->report_programs) gpu_abandon(g->gpu); /* a program that ran again may not have ended */
  json_t *root = !g->gpu ? functional_report(g)
                 : g->chosen.estimator ? gpu_estimator_report(g->chosen.estimator, g->warp_instructions, g->thread_instructions)
                                       : gpu_report(g->gpu);
  cuda_chosen_report(&g->chosen, root);
  if (g->settings.detail && g->operations.n) {
    json_object_set_new(root, "operations", cuda_operations_report(&g->operations));
    json_object_set_new(root, "streams", cuda_operations_streams(&g->operations));
  }
  if (g->ranges.n) json_object_set_new(root, "ranges", cuda_ranges_report(&g->ranges, g->now));
  if (g->gpu && g->settings.per_sm) json_object_set_new(root, "per_sm", gpu_report_sms(g->gpu));
  json_object_set_new(root, "gpu", json_string(g->info.preset));
  json_object_set_new(root, "mode", json_string(g->gpu ? "timed" : "functional"));
  json_object_set_new(root, "simulated_ns", count_of((uint64_t)g->now));
  json_object_set_new(root, "launches", count_of(g->next_grid));
  json_object_set_new(root, "copies", count_of(g->copies));
  json_object_set_new(root, "copied_bytes", count_of(g->copied_bytes));
  size_t strays;
  exec_strays_all(g->strays, &strays);
  if (strays) json_object_set_new(root, "outside", outside(g));
  if (g->failures.n) json_object_set_new(root, "failures", cuda_failures_report(&g->failures));
  json_object_set_new(root, "host", host_figures(g));
  if (g->report_programs) json_object_set_new(root, "programs", g->report_programs());
  if (json_dump_file(root, g->settings.report, JSON_INDENT(2)) != 0)
    fprintf(stderr, "heddle: the report %s cannot be written\n", g->settings.report);
  json_decref(root);
}

void cuda_engine_finish(struct cuda_engine *g) {
  cuda_engine_clear_line(g);
  for (const struct cuda_task *t = g->tasks; t; t = t->next)
    if (t->ticket) record(g, t, -1); /* it had not ended */
  if (g->settings.report) write_report(g);
  if (g->gpu && g->settings.trace &&
      !cuda_operations_trace(&g->operations, &g->ranges, g->now, g->gpu, (double)g->info.core_khz, g->settings.trace_limit,
                             g->settings.trace))
    fprintf(stderr, "heddle: the trace %s cannot be written\n", g->settings.trace);
  exec_strays_delete(g->strays);
  cuda_failures_free(&g->failures);
  cuda_operations_free(&g->operations);
  cuda_ranges_free(&g->ranges);
  cuda_chosen_free(&g->chosen);
  gpu_delete(g->gpu);
  gpu_delete(g->follower);
  g->strays = NULL;
  g->gpu = g->follower = NULL;
  for (size_t i = 0; i < g->n_kernels; i++) free(g->kernels[i].name);
  free(g->kernels);
  g->kernels = NULL;
  g->n_kernels = g->kernel_capacity = 0;
}
