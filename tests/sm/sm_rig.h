/* One SM between mocks: a kernel made of a few lines of PTX, and a network that answers every request a fixed
 * number of cycles after it saw it. The core's period is 3 ticks, so that a time that is not an edge would
 * show.
 *
 * The rig notes the cycle in which each warp instruction issued (issue[i], all warps in order). Code is one
 * byte an instruction, so a kernel is one line of the instruction cache and is fetched once. The lines of a
 * kernel find: %rd1 data (64 KB, zeroed), %r1 thread index, and empty %p %r %f %rd %fd registers, 32 of each;
 * array sm (32 KB); a function f that does nothing. The first PROLOGUE instructions set these up. */
#ifndef SM_RIG_H
#define SM_RIG_H

#include "test_settings.h"

#include "base/str.h"
#include "reply/data_filter.h"
#include "sm/sm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PERIOD = 3, PROLOGUE = 2, MAX_ISSUES = 1 << 16, MAX_BELOW = 4096, DATA_BYTES = 65536 };

struct rig {
  struct cfg *cfg;
  struct mem_pool *pool;
  struct sm_config config;
  struct sm s;
  struct mem_wake net;
  struct mem_port to_net, from_net;
  uint64_t delay; /* cycles the network keeps a request */
  struct {
    struct mem_packet *k;
    uint64_t due;
  } below[MAX_BELOW]; /* ring */
  unsigned head, count;
  uint64_t requests[MEM_WRITEBACK + 1];
  bool every_cycle; /* visit the SM also when it did not ask for it */
  uint64_t visits;

  struct exec_mem *mem;
  struct exec_device device;
  struct exec_module module;
  struct exec_grid grid;
  unsigned char params[16];
  uint64_t data;
  uint64_t now; /* cycle */
  uint64_t written; /* bytes of stores that reached the network */
  uint64_t issue[MAX_ISSUES];
  uint64_t n_issue;
  const char *target;  /* of the module; NULL: sm_80 */
  unsigned load_flags; /* of the module: enum exec_load_flags */
};

static inline uint64_t rig_no_slice(const void *user, uint64_t line) {
  (void)user;
  (void)line;
  return 0;
}

static inline struct cfg *rig_cfg(const char *const *settings) {
  const struct cfg_key *const tables[] = {sm_keys, l1_keys, reply_keys};
  struct cfg *c = with_settings(cfg_new(tables, sizeof tables / sizeof *tables), SETTINGS("sm.instruction_bytes=1"));
  return with_settings(c, settings);
}

static inline void rig_load(struct rig *r, const char *lines) {
  struct str text = {0};
  struct err e = {0};
  str_add(
      &text,
      ".version 8.0\n.target %s\n.address_size 64\n.func f() { ret; }\n.visible .entry k(.param .u64 "
      "data)\n{\n"
      ".reg .pred %%p<32>; .reg .b32 %%r<32>; .reg .f32 %%f<32>; .reg .b64 %%rd<32>; .reg .f64 %%fd<32>;\n"
      ".shared .align 16 .b8 sm[32768];\n"
      "ld.param.u64 %%rd1, [data];\nmov.u32 %%r1, %%tid.x;\n%s\nret;\n}\n",
      r->target ? r->target : "sm_80", lines);
  if (!exec_module_load(&r->module, r->mem, r->load_flags, "test.ptx", text.s, text.n, &e)) fail_msg("%s", e.text);
  str_free(&text);
}

static inline void rig_open(struct rig *r, const char *lines, unsigned threads, const char *const *settings) {
  struct err e = {0};
  unsigned load_flags = r->load_flags;
  const char *target = r->target;
  memset(r, 0, sizeof *r);
  r->target = target;
  r->load_flags = load_flags;
  r->cfg = rig_cfg(settings);
  r->pool = mem_pool_new();
  if (!sm_read_config(&r->config, r->cfg, &e) || !sm_init(&r->s, 0, &r->config, r->cfg, r->pool, PERIOD, &e)) fail_msg("%s", e.text);
  r->net = (struct mem_wake){.at = MEM_NEVER, .period = PERIOD};
  mem_port_init(&r->to_net, 4, 1, &r->net, &r->s.wake);
  mem_port_init(&r->from_net, 4096, 1, &r->s.wake, &r->net);
  r->s.to_net = &r->to_net;
  r->s.from_net = &r->from_net;
  r->s.slice_of = rig_no_slice;
  r->delay = 20;
  r->mem = exec_mem_new(UINT64_C(1) << 28, &e);
  assert_non_null(r->mem);
  r->data = exec_mem_alloc(r->mem, DATA_BYTES, 4096, EXEC_ALLOC_DEVICE, NULL);
  memcpy(r->params, &r->data, 8);
  r->device = (struct exec_device){.mem = r->mem,
                                   .stack_limit = 1024,
                                   .n_sms = 1,
                                   .warp_slots = 48,
                                   .clock_hz = 1000000000,
                                   .check = true};
  rig_load(r, lines);
  r->grid = (struct exec_grid){.timed = true, .module = &r->module,
                               .kernel = &r->module.funcs[1],
                               .device = &r->device,
                               .grid = {64, 1, 1},
                               .block = {threads, 1, 1},
                               .params = r->params,
                               .id = 1};
}

static inline void rig_close(struct rig *r) {
  sm_free(&r->s);
  mem_port_free(&r->to_net);
  mem_port_free(&r->from_net);
  assert_int_equal(mem_pool_out(r->pool), 0);
  mem_pool_delete(r->pool);
  exec_module_unload(&r->module);
  exec_mem_delete(r->mem);
  cfg_delete(r->cfg);
}

static inline void rig_network(struct rig *r, uint64_t t) {
  static const uint8_t reply[] = {[MEM_READ] = MEM_READ_REPLY,
                                  [MEM_WRITE] = MEM_WRITE_ACK,
                                  [MEM_ATOMIC] = MEM_ATOMIC_REPLY,
                                  [MEM_REDUCE] = MEM_WRITE_ACK};
  for (struct mem_packet *k; (k = mem_port_peek(&r->to_net, t));) {
    mem_port_pop(&r->to_net, t);
    r->requests[k->kind]++;
    if (k->kind == MEM_WRITE) r->written += (uint64_t)__builtin_popcountll(k->bytes.b[0]) + (uint64_t)__builtin_popcountll(k->bytes.b[1]);
    k->kind = reply[k->kind];
    assert_true(r->count < MAX_BELOW);
    unsigned at = (r->head + r->count++) % MAX_BELOW;
    r->below[at].k = k;
    r->below[at].due = r->now + r->delay;
  }
  while (r->count && r->below[r->head].due <= r->now) {
    mem_port_push(&r->from_net, r->below[r->head].k, t);
    r->head = (r->head + 1) % MAX_BELOW;
    r->count--;
  }
}

/* One cycle: the SM if it is due, then the network. */
static inline void rig_cycle(struct rig *r) {
  uint64_t t = ++r->now * PERIOD, before = r->s.stats[SM_S_WARP_INSTRUCTIONS];
  if (r->s.wake.at <= t || r->every_cycle) {
    r->s.wake.at = MEM_NEVER;
    r->visits++;
    uint64_t next = sm_tick(&r->s, t);
    if (next != MEM_NEVER) assert_int_equal(next % PERIOD, 0);
    mem_wake_at(&r->s.wake, next);
    if (r->s.n_ordered) sm_commit(&r->s, t);
  }
  for (uint64_t n = r->s.stats[SM_S_WARP_INSTRUCTIONS] - before; n && r->n_issue < MAX_ISSUES; n--)
    r->issue[r->n_issue++] = r->now;
  rig_network(r, t);
  if (r->grid.fault.kind) fail_msg("%s", r->grid.fault.text);
}

/* Starts n CTAs and runs until nothing is left. Slots of schedulers add up to cycles, issues to instructions.
 */
static inline void rig_run(struct rig *r, unsigned n) {
  for (unsigned i = 0; i < n; i++) {
    assert_true(sm_fits(&r->s, &r->grid, 0));
    sm_start_cta(&r->s, &r->grid, i, r->now * PERIOD);
  }
  while (!sm_idle(&r->s) || r->count) {
    rig_cycle(r);
    if (r->now > 200000) fail_msg("still running after 200000 cycles");
  }
  uint64_t slots = 0;
  for (unsigned i = 0; i < SM_STALLS; i++) slots += r->s.stats[SM_S_STALL_FIRST + i];
  assert_int_equal(slots, r->s.stats[SM_S_CYCLES] * r->s.config->schedulers);
  assert_int_equal(r->s.stats[SM_S_STALL_FIRST + SM_STALL_NONE] + r->s.stats[SM_S_DUAL],
                   r->s.stats[SM_S_WARP_INSTRUCTIONS] + r->s.stats[SM_S_SEQUENCE] - r->s.stats[SM_S_FOLDED]);
}

/* Cycles between the issues of instructions a and b of the kernel, counted from 0 after the prologue; one
 * warp only. */
static inline uint64_t rig_between(const struct rig *r, unsigned a, unsigned b) {
  assert_true(PROLOGUE + b < r->n_issue);
  return r->issue[PROLOGUE + b] - r->issue[PROLOGUE + a];
}

static inline uint64_t rig_stall(const struct rig *r, enum sm_stall why) {
  return r->s.stats[SM_S_STALL_FIRST + (int)why];
}

#endif
