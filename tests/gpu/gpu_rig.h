/* A whole GPU made from a configuration text, and kernels from a few lines of PTX. Lines find %rd1 and %rd2,
 * the kernel's two parameters (an address and a number), %r1 thread and %r2 CTA index, and empty registers %p
 * %r %f %rd. */
#ifndef GPU_RIG_H
#define GPU_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"
#include "gpu/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All clocks the same, one channel, one slice, one SM: a path that can be added up by hand. */
#define ONE_SM                                                                                               \
  "gpu.sms = 1\ngpu.clusters = 1\ngpu.core_clock = 1000\ngpu.noc_clock = 1000\ngpu.l2_clock = 1000\n"        \
  "gpu.dram_clock = 1000\ngpu.memory = \"256M\"\nsm.instruction_bytes = 1\nl1.latency = 20\nl1.index = "     \
  "\"plain\"\n"                                                                                              \
  "noc.pipeline = 2\nnoc.flit_bytes = 32\nl2.latency = 50\nl2.sectored = false\nl2.sets = 256\n"             \
  "l2.slices_per_channel = 1\ndram.channels = 1\ndram.map = \"modulo\"\ndram.latency = 30\n"
/* Twelve SMs on four slices with clocks that do not divide each other. */
#define TWELVE_SMS                                                                                           \
  "gpu.sms = 12\ngpu.clusters = 4\ngpu.core_clock = 1400\ngpu.noc_clock = 700\ngpu.l2_clock = 700\n"         \
  "gpu.dram_clock = 924\ngpu.memory = \"256M\"\nl1.mshrs = 16\nl2.sets = 16\nl2.slices_per_channel = 2\n"    \
  "dram.channels = 2\ndram.map = \"modulo\"\ndram.tREFI = 3000\ndram.tRFC = 100\n"

struct rig {
  struct cfg *cfg;
  struct gpu *gpu;
  struct exec_mem *mem;
  struct exec_device device;
  struct exec_module module;
  struct exec_grid grid;
  uint64_t params[2];
  uint64_t data;
  struct err err;
};
enum { DATA_BYTES = 4 << 20 };

/* Of a configuration, which it owns from here on; false if the GPU is refused. */
static inline bool rig_make(struct rig *r, struct cfg *cfg) {
  *r = (struct rig){.cfg = cfg};
  r->gpu = gpu_new(r->cfg, &r->err);
  if (!r->gpu) {
    cfg_delete(cfg);
    return false;
  }
  r->mem = exec_mem_new(UINT64_C(256) << 20, &r->err);
  if (!r->mem) fail_msg("%s", r->err.text);
  r->data = exec_mem_alloc(r->mem, DATA_BYTES, 4096, EXEC_ALLOC_DEVICE, NULL);
  r->device = (struct exec_device){.mem = r->mem,
                                   .stack_limit = 1024,
                                   .n_sms = gpu_shape(r->cfg).sms,
                                   .warp_slots = 48,
                                   .clock_hz = 1000000000,
                                   .check = true};
  return true;
}

static inline void rig_open(struct rig *r, const char *config, const char *more) {
  struct cfg *c = gpu_cfg_new();
  struct err e = {0};
  if (!cfg_read_text(c, "test.toml", config, &e)) fail_msg("%s", e.text);
  if (more && !cfg_read_text(c, "more.toml", more, &e)) fail_msg("%s", e.text);
  if (!rig_make(r, c)) fail_msg("%s", r->err.text);
}

/* A module of one kernel. */
static inline void rig_compile(struct rig *r, const char *lines, struct exec_module *m) {
  struct str text = {0};
  err_clear(&r->err);
  str_add(&text,
          ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 data, .param .u64 "
          "number)\n{\n"
          ".reg .pred %%p<32>; .reg .b32 %%r<32>; .reg .f32 %%f<32>; .reg .b64 %%rd<32>;\n"
          "ld.param.u64 %%rd1, [data]; ld.param.u64 %%rd2, [number];\nmov.u32 %%r1, %%tid.x; mov.u32 %%r2, "
          "%%ctaid.x;\n"
          "%s\nret;\n}\n.file 1 \"kernel.cu\"\n.file 2 \"atomics.hpp\"\n",
          lines);
  if (!exec_module_load(m, r->mem, gpu_load_flags(r->cfg), "test.ptx", text.s, text.n, &r->err)) fail_msg("%s", r->err.text);
  str_free(&text);
}

static inline void rig_load(struct rig *r, const char *lines, unsigned ctas, unsigned threads,
                            uint64_t number) {
  if (r->module.funcs) exec_module_unload(&r->module);
  rig_compile(r, lines, &r->module);
  r->params[0] = r->data;
  r->params[1] = number;
  r->grid = (struct exec_grid){.module = &r->module,
                               .kernel = &r->module.funcs[0],
                               .device = &r->device,
                               .grid = {ctas, 1, 1},
                               .block = {threads, 1, 1},
                               .params = (unsigned char *)r->params,
                               .id = 1};
}

static inline enum gpu_end rig_go(struct rig *r) {
  err_clear(&r->err);
  return gpu_run(r->gpu, &r->grid, &r->err);
}
/* Runs to the end; conservation is checked by the GPU itself. */
static inline void rig_run(struct rig *r, const char *lines, unsigned ctas, unsigned threads,
                           uint64_t number) {
  rig_load(r, lines, ctas, threads, number);
  if (rig_go(r) != GPU_DONE) fail_msg("%s", r->err.text);
}

static inline void rig_close(struct rig *r) {
  gpu_delete(r->gpu);
  if (r->module.funcs) exec_module_unload(&r->module);
  exec_mem_delete(r->mem);
  cfg_delete(r->cfg);
}

static inline uint64_t rig_stat(const struct rig *r, const char *name) {
  return stats_get(gpu_stats(r->gpu), name);
}
static inline uint64_t rig_cycles(const struct rig *r) {
  return gpu_kernel_at(r->gpu, gpu_kernels(r->gpu) - 1)->cycles;
}
static inline uint64_t *rig_data(const struct rig *r) { return exec_mem_ptr(r->data); }
/* Of all data, different if any of it is. */
static inline uint64_t rig_sum(const struct rig *r) {
  uint64_t sum = 0;
  for (size_t i = 0; i < DATA_BYTES / 8; i++) sum = sum * 31 + rig_data(r)[i];
  return sum;
}

#endif
