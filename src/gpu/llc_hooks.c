/* What the mode of L2 (llc/llc_control.h) needs from the rest of the GPU: to halt SMs, to know whether anything is in
 * flight, to switch the power of routers, and to know which kernels have atomics. It decides nothing and takes no
 * time. */
#include "gpu/gpu_parts.h"

#include "dram/dram.h"
#include "llc/llc_control.h"
#include "sm/sm.h"

static void halt(void *user, uint32_t sm, uint64_t now) { sm_halt(&((struct gpu *)user)->sms[sm], now); }
static void resume(void *user, uint32_t sm, uint64_t now) { sm_resume(&((struct gpu *)user)->sms[sm], now); }
static bool quiet(void *user, uint32_t sm) { return sm_quiet(&((struct gpu *)user)->sms[sm]); }

static bool empty(void *user) {
  const struct gpu *g = user;
  for (uint32_t i = 0; i < g->fabric.n_nets; i++)
    if (!noc_idle(g->fabric.net[i])) return false;
  return !mem_pool_out(g->pool);
}

static bool channels_idle(void *user) {
  const struct gpu *g = user;
  for (uint32_t i = 0; i < g->n_channels; i++)
    if (!dram_idle(g->channels[i])) return false;
  return true;
}

static bool can_gate(void *user) { return noc_can_bypass(((const struct gpu *)user)->fabric.net[0]); }

static void gate(void *user, bool on, uint64_t now) {
  struct gpu *g = user;
  for (uint32_t i = 0; i < g->fabric.n_nets; i++) noc_bypass(g->fabric.net[i], on, now);
}

struct llc_gpu gpu_llc_hooks(struct gpu *g) {
  return (struct llc_gpu){.halt = halt, .resume = resume, .quiet = quiet, .empty = empty, .dram_idle = channels_idle,
                          .can_gate = can_gate, .gate = gate, .user = g};
}

static bool has_atomics(const struct exec_func *f) {
  for (uint32_t i = 0; i < f->n_insts; i++) {
    unsigned op = f->insts[i].ptx->op;
    if ((op == PTX_OP_atom || op == PTX_OP_red) && f->insts[i].space != PTX_SHARED) return true;
  }
  return false;
}

bool gpu_any_function(const struct exec_grid *g, bool (*is)(const struct exec_func *f)) {
  if (is(g->kernel)) return true;
  for (uint32_t i = 0; i < g->module->ptx.n_funcs && g->kernel->makes_calls; i++)
    if (!g->module->funcs[i].ptx->is_entry && is(&g->module->funcs[i])) return true;
  return false;
}

bool gpu_has_atomics(const struct exec_grid *g) { return gpu_any_function(g, has_atomics); }
