/* Simulators: made from a preset and settings, closed with all they own; errors. */
#include "base/version.h"
#include "api/api.h"

#include "base/arena.h"
#include "exec/builtins.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_GPU "gtx480"
enum { STACK_LIMIT = 65536 };

const char *heddle_version(void) { return HEDDLE_VERSION; }

/* ---- errors ---------------------------------------------------------------------------------------------------------- */

struct err *api_begin(heddle_sim *sim) {
  err_clear(&sim->err);
  return &sim->err;
}

heddle_status api_end(const heddle_sim *sim) {
  switch (sim->err.kind) {
  case ERR_NONE: return HEDDLE_OK;
  case ERR_INPUT: return HEDDLE_BAD_INPUT;
  case ERR_UNSUPPORTED: return HEDDLE_UNSUPPORTED;
  case ERR_FAULT: return HEDDLE_FAULT;
  case ERR_LIMIT: return HEDDLE_LIMIT;
  case ERR_SYSTEM: return HEDDLE_HOST;
  }
  return HEDDLE_HOST;
}

bool api_usable(heddle_sim *sim) {
  if (sim->device.mem) return true;
  return err_set(&sim->err, ERR_INPUT, "this simulator could not be made; nothing can be done with it but closing it");
}

const char *heddle_error(const heddle_sim *sim) { return sim->err.text; }

/* ---- options --------------------------------------------------------------------------------------------------------- */

static bool read_options(heddle_options *o, const heddle_options *given, struct err *e) {
  *o = (heddle_options)HEDDLE_OPTIONS;
  if (!given) return true;
  if (given->size < sizeof given->size || given->size > sizeof *o)
    return err_set(e, ERR_INPUT, "heddle_options.size is %zu; start from HEDDLE_OPTIONS of the same version", given->size);
  memcpy(o, given, given->size);
  if (o->functional && o->max_cycles)
    return err_set(e, ERR_INPUT, "a functional simulator has no cycles, and no limit of them (max_cycles)");
  return true;
}

static bool configure(struct cfg *c, const heddle_options *o, struct err *e) {
  if (!gpu_cfg_preset(c, o->gpu ? o->gpu : DEFAULT_GPU, e) || !cfg_set_all(c, o->settings, e)) return false;
  return cfg_real(c, "gpu.sample") <= 0 ||
         err_set(e, ERR_INPUT,
                 "gpu.sample is for whole programs (`heddle run --sample`); a simulator of this library simulates every launch");
}

/* ---- making and closing -------------------------------------------------------------------------------------------- */

static void warn_on_stderr(void *user, const char *text) {
  (void)user;
  fprintf(stderr, "heddle: %s\n", text);
}

static void make_device(heddle_sim *sim, const heddle_options *o, const struct cfg *c) {
  uint64_t memory = o->memory_bytes ? o->memory_bytes : (uint64_t)cfg_int(c, "gpu.memory");
  sim->shape = gpu_shape(c);
  sim->host_threads = gpu_host_threads(c);
  sim->load_flags = gpu_load_flags(c);
  sim->warn = o->warn ? o->warn : warn_on_stderr;
  sim->warn_user = o->warn_user;
  sim->preset = strdup(o->gpu ? o->gpu : DEFAULT_GPU);
  sim->device = (struct exec_device){.mem = exec_mem_new_apart(memory, o->strict ? EXEC_RED_ZONE : 0, &sim->err),
                                     .stack_limit = STACK_LIMIT,
                                     .n_sms = sim->shape.sms,
                                     .warp_slots = sim->shape.warps,
                                     .clock_hz = sim->shape.core_hz,
                                     .check = !o->unchecked,
                                     .strict = o->strict != 0,
                                     .strays = exec_strays_new(),
                                     .print = o->print,
                                     .print_user = o->print_user};
}

static bool make_gpu(heddle_sim *sim, const heddle_options *o, const struct cfg *c) {
  sim->gpu = gpu_new(c, &sim->err);
  if (!sim->gpu) return false;
  struct gpu_limits l = {.max_instructions = o->max_instructions, .max_cycles = o->max_cycles, .stop = &sim->stop};
  gpu_set_limits(sim->gpu, &l);
  gpu_set_row_limit(sim->gpu, GPU_MOST_ROWS);
  return true;
}

heddle_status heddle_open(const heddle_options *options, heddle_sim **out) {
  heddle_sim *sim = *out = must_alloc(sizeof *sim);
  heddle_options o;
  struct cfg *c = gpu_cfg_new();
  bool ok = read_options(&o, options, &sim->err) && configure(c, &o, &sim->err);
  if (ok && !o.functional) ok = make_gpu(sim, &o, c);
  if (ok) make_device(sim, &o, c);
  sim->limits = (struct exec_limits){.max_instructions = o.max_instructions, .stop = &sim->stop};
  cfg_delete(c);
  return api_end(sim);
}

void heddle_stop(heddle_sim *sim) { __atomic_store_n(&sim->stop, 1, __ATOMIC_RELAXED); }

static void free_launches(struct api_launches *l) {
  for (size_t i = 0; i < l->n; i++) free(l->at[i].name);
  free(l->at);
}

void heddle_close(heddle_sim *sim) {
  if (!sim) return;
  while (sim->modules) heddle_unload(sim->modules);
  exec_heap_delete(sim->device.heap);
  exec_mem_delete(sim->device.mem);
  exec_strays_delete(sim->device.strays);
  gpu_delete(sim->gpu);
  free_launches(&sim->launches);
  free_launches(&sim->folded);
  free(sim->preset);
  free(sim);
}
