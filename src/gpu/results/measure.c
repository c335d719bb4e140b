/* See measure.h. Each measurement builds a GPU of its own, so that caches are as cold as it wants them.
 *
 * The unloaded latencies are computed for one load of one thread with nothing else in the way: the sum of the stages
 * that it passes, each in its own clock, without the waiting for clock edges where domains meet. A DRAM access is to
 * a bank whose row is closed. */
#include "gpu/results/measure.h"

#include "base/arena.h"
#include "base/rng.h"
#include "exec/exec.h"
#include "gpu/gpu.h"
#include "llc/llc_mode.h"
#include "mem/mem_map.h"
#include "mem/packet.h"
#include "noc/noc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

__asm__(".section .rodata\nmeasure_ptx:\n.incbin \"src/gpu/results/measure.ptx\"\n.byte 0\n.previous\n");
extern const char measure_ptx[];

enum {
  THREADS = 256,
  REGISTERS = 32,
  TURN = 64 * THREADS,
  CHASE_HOPS = 512,
  STREAM_TURNS = 12,
  L2_PASSES = 8
};
#define FABRIC_OVER_DRAM 1.0  /* below this the network is a wall that no real GPU has */
#define ENOUGH_OF_PEAK   0.75 /* of the DRAM peak; real GPUs reach 0.85 to 0.9 */

/* ---- worked out from the keys ------------------------------------------------------------------------------------- */

static double key(const struct cfg *c, const char *name) { return cfg_real(c, name); }
static double number(const struct cfg *c, const char *name) { return (double)cfg_int(c, name); }

static double slices(const struct cfg *c) {
  return number(c, "dram.channels") * number(c, "l2.slices_per_channel");
}

static double flits(const struct cfg *c, double data) {
  return ceil((NOC_HEADER + data) / number(c, "noc.flit_bytes"));
}

/* Data bytes a cycle of one reply link. */
static double link_bytes(const struct cfg *c) {
  double each = cfg_bool(c, "noc.reply_per_sector") ? MEM_SECTOR : MEM_LINE;
  return each / flits(c, each);
}

static double network_peak(const struct cfg *c) {
  return fmin(number(c, "gpu.sms"), slices(c)) * link_bytes(c) * key(c, "gpu.noc_clock") * 1e6;
}

static double l2_peak(const struct cfg *c) {
  return slices(c) * number(c, "l2.data_bytes") * key(c, "gpu.l2_clock") * 1e6;
}

/* A burst every tCCD, or as fast as the data bus takes them. */
static double dram_peak(const struct cfg *c) {
  double length = number(c, "dram.burst_length");
  double clocks = fmax(ceil(length / number(c, "dram.rate")), number(c, "dram.tCCD"));
  double per_clock = number(c, "dram.bus_bytes") * length / clocks;
  return number(c, "dram.channels") * per_clock * key(c, "gpu.dram_clock") * 1e6;
}

struct gpu_peaks gpu_peaks(const struct cfg *c) {
  double sm_cycles = number(c, "gpu.sms") * key(c, "gpu.core_clock") * 1e6;
  double slots = number(c, "sm.schedulers") * (cfg_bool(c, "sm.dual_issue") ? 2 : 1);
  return (struct gpu_peaks){.instructions = sm_cycles * slots * EXEC_LANES,
                            .l1_bytes = sm_cycles * number(c, "l1.tags_per_cycle") * MEM_LINE,
                            .noc_bytes = network_peak(c),
                            .l2_bytes = l2_peak(c),
                            .dram_bytes = dram_peak(c)};
}

/* Core cycles of n cycles of another clock. */
static double in_core(const struct cfg *c, double n, const char *clock) {
  return n * key(c, "gpu.core_clock") / key(c, clock);
}

/* Where instructions go stage by stage (sm.register_banks): two for the operands, one to the load/store unit (sm.memory_stage: one more),
 * one for the result, and one until the next instruction sees it. */
static double sm_stages(const struct cfg *c) { return cfg_int(c, "sm.register_banks") ? 5 + cfg_bool(c, "sm.memory_stage") : 0; }

static double l1_latency(const struct cfg *c) { return 1 + number(c, "l1.latency") + sm_stages(c); }

/* Load/store unit and miss queue, each network (port, buffer and pipeline, switch, link), the slice's pipe
 * and data. A line that has been read before is in the near partition. A tag queue is waited in before a miss too. */
static double l2_latency(const struct cfg *c) {
  const struct llc_mode *mode = cfg_policy(c, "llc.mode");
  bool private = mode->is_private; /* past the routers next to the slices */
  double network = noc_round_trip(c, private) + flits(c, 0) - 1 + flits(c, MEM_SECTOR) - 1;
  double slice = number(c, "l2.latency") + number(c, "l2.hit_latency") +
                 ceil(MEM_SECTOR / number(c, "l2.data_bytes")) - 1;
  double sm = 3 + sm_stages(c) + number(c, "sm.reply_latency") + (cfg_bool(c, "l1.tag_queue") ? number(c, "l1.latency") : 0);
  return sm + in_core(c, network, "gpu.noc_clock") + in_core(c, slice, "gpu.l2_clock");
}

static double dram_latency(const struct cfg *c) {
  double burst = ceil(number(c, "dram.burst_length") / number(c, "dram.rate"));
  double bursts = ceil(MEM_SECTOR / (number(c, "dram.bus_bytes") * number(c, "dram.burst_length")));
  double far = number(c, "l2.partitions") > 1 ? number(c, "l2.far_latency") / 2 : 0; /* half of the lines */
  double clocks = number(c, "dram.tRCD") + number(c, "dram.tCL") + burst * bursts;
  return l2_latency(c) + in_core(c, number(c, "dram.latency") + 3 + far, "gpu.l2_clock") +
         in_core(c, clocks, "gpu.dram_clock");
}

/* ---- running a kernel --------------------------------------------------------------------------------------------- */

struct bench {
  struct gpu *gpu;
  struct exec_mem *mem;
  struct exec_module module;
  bool loaded;
  struct exec_device device;
  uint64_t result, grids;
};

static void bench_close(struct bench *b) {
  if (b->loaded) exec_module_unload(&b->module);
  if (b->mem) exec_mem_delete(b->mem);
  gpu_delete(b->gpu);
  *b = (struct bench){0};
}

static bool bench_open(struct bench *b, const struct cfg *cfg, struct err *e) {
  *b = (struct bench){.gpu = gpu_new(cfg, e)};
  b->mem = b->gpu ? exec_mem_new((uint64_t)cfg_int(cfg, "gpu.memory"), e) : NULL;
  b->loaded =
      b->mem && exec_module_load(&b->module, b->mem, 0, "measure.ptx", measure_ptx, strlen(measure_ptx), e);
  if (!b->loaded) return bench_close(b), false;
  b->device = (struct exec_device){.mem = b->mem,
                                   .n_sms = (uint32_t)cfg_int(cfg, "gpu.sms"),
                                   .warp_slots = (uint32_t)cfg_int(cfg, "sm.warps"),
                                   .clock_hz = gpu_core_hz(b->gpu)};
  b->result = exec_mem_alloc(b->mem, 256, 256, EXEC_ALLOC_DEVICE, NULL);
  return true;
}

/* Runs a kernel; its core cycles, or 0 and e. */
static uint64_t bench_run(struct bench *b, const char *name, uint32_t ctas, uint32_t threads,
                          const void *params, size_t bytes, struct err *e) {
  struct exec_grid g = {.module = &b->module,
                        .kernel = &b->module.funcs[ptx_find_func(&b->module.ptx, name)],
                        .device = &b->device,
                        .grid = {ctas, 1, 1},
                        .block = {threads, 1, 1},
                        .id = ++b->grids};
  g.params = must_alloc(bytes);
  memcpy(g.params, params, bytes);
  enum gpu_end end = gpu_run(b->gpu, &g, e);
  free(g.params);
  return end == GPU_DONE ? gpu_kernel_at(b->gpu, gpu_kernels(b->gpu) - 1)->cycles : 0;
}

/* ---- latency ------------------------------------------------------------------------------------------------------ */

/* A random cycle of n nodes `spacing` bytes apart. */
static void lay_chain(uint64_t base, uint32_t n, uint64_t spacing) {
  struct rng r = {1};
  uint32_t *order = must_alloc(n * sizeof *order);
  for (uint32_t i = 0; i < n; i++) order[i] = i;
  for (uint32_t i = n - 1; i > 0; i--) {
    uint32_t j = (uint32_t)rng_below(&r, i), t = order[i];
    order[i] = order[j];
    order[j] = t;
  }
  for (uint32_t i = 0; i < n; i++)
    *(uint64_t *)exec_mem_ptr(base + order[i] * spacing) = base + order[(i + 1) % n] * spacing;
  free(order);
}

struct chase {
  const char *kernel;
  uint32_t nodes;
  uint64_t spacing;
  uint32_t warm;
};

static bool measure_chase(const struct cfg *cfg, const struct chase *c, double *cycles, struct err *e) {
  struct bench b;
  if (!bench_open(&b, cfg, e)) return false;
  struct {
    uint64_t start, result;
    uint32_t warm, hops;
  } p = {0, b.result, c->warm, c->nodes < CHASE_HOPS || c->warm ? CHASE_HOPS : c->nodes};
  p.start = exec_mem_alloc(b.mem, c->nodes * c->spacing, 256, EXEC_ALLOC_DEVICE, NULL);
  if (p.start)
    lay_chain(p.start, c->nodes, c->spacing);
  else
    err_set(e, ERR_LIMIT, "gpu.memory is too small for the measurement");
  bool ok = p.start && bench_run(&b, c->kernel, 1, 1, &p, sizeof p, e);
  if (ok) *cycles = (double)*(uint64_t *)exec_mem_ptr(b.result) / p.hops;
  bench_close(&b);
  return ok;
}

/* ---- bandwidth ---------------------------------------------------------------------------------------------------- */

/* CTAs an SM that fill it. */
static uint32_t ctas_of(const struct cfg *c) {
  uint32_t n = (uint32_t)(cfg_int(c, "sm.registers") / (THREADS * REGISTERS));
  uint32_t threads = (uint32_t)(cfg_int(c, "sm.threads") / THREADS), slots = (uint32_t)cfg_int(c, "sm.ctas");
  n = n < threads ? n : threads;
  n = n < slots ? n : slots;
  return n ? n : 1;
}

struct reading {
  uint32_t ctas;  /* an SM */
  uint32_t turns; /* of the loop a pass: 64 bytes a thread each */
  uint32_t passes;
  bool warm; /* once before, not counted */
};

/* The whole GPU reads one buffer: bytes a second. */
static bool measure_read(const struct cfg *cfg, const struct reading *r, double *bytes, struct err *e) {
  struct bench b;
  if (!bench_open(&b, cfg, e)) return false;
  uint32_t ctas = (uint32_t)cfg_int(cfg, "gpu.sms") * r->ctas;
  struct {
    uint64_t data, bytes;
    uint32_t passes;
  } p = {0, (uint64_t)ctas * TURN * r->turns, 1};
  p.data = exec_mem_alloc(b.mem, p.bytes, 256, EXEC_ALLOC_DEVICE, NULL);
  if (!p.data) err_set(e, ERR_LIMIT, "gpu.memory is too small for the measurement");
  bool ok = p.data && (!r->warm || bench_run(&b, "read_cg", ctas, THREADS, &p, sizeof p, e));
  p.passes = r->passes;
  uint64_t cycles = ok ? bench_run(&b, "read_cg", ctas, THREADS, &p, sizeof p, e) : 0;
  double reading = (double)cycles - key(cfg, "gpu.launch_latency") - key(cfg, "gpu.end_latency");
  if (cycles) *bytes = (double)p.bytes * r->passes / reading * key(cfg, "gpu.core_clock") * 1e6;
  bench_close(&b);
  return cycles != 0;
}

/* What is read again and again takes at most half of L2. */
static uint32_t l2_ctas(const struct cfg *c) {
  double l2 = slices(c) * number(c, "l2.sets") * number(c, "l2.ways") * MEM_LINE;
  uint32_t n = ctas_of(c);
  while (n > 1 && n * number(c, "gpu.sms") * TURN > l2 / 2) n--;
  return n;
}

/* ---- mistakes ----------------------------------------------------------------------------------------------------- */

#define WARN(m, ...) (str_add(&(m)->warnings, __VA_ARGS__), (m)->n_warnings++)

static void check_network(const struct cfg *cfg, struct gpu_measure *m) {
  double dram = dram_peak(cfg), slice_side = slices(cfg) * link_bytes(cfg) * key(cfg, "gpu.noc_clock") * 1e6;
  double sm_side = number(cfg, "gpu.sms") * link_bytes(cfg) * key(cfg, "gpu.noc_clock") * 1e6;
  m->network_bytes = fmin(slice_side, sm_side);
  if (m->network_bytes < FABRIC_OVER_DRAM * dram)
    WARN(m,
         "a network wall: replies can leave %s at %.0f GB/s (noc.flit_bytes x gpu.noc_clock), DRAM delivers "
         "%.0f GB/s; "
         "real GPUs have 2.4 to 3.5 times the DRAM bandwidth\n",
         slice_side < sm_side ? "the L2 slices" : "towards the SMs", m->network_bytes / 1e9, dram / 1e9);
}

static void check_l2(const struct cfg *cfg, struct gpu_measure *m) {
  if (l2_peak(cfg) < dram_peak(cfg))
    WARN(m,
         "an L2 wall: its data ports carry %.0f GB/s (l2.data_bytes x gpu.l2_clock), DRAM delivers %.0f "
         "GB/s\n",
         l2_peak(cfg) / 1e9, dram_peak(cfg) / 1e9);
}

/* Little's law: lines that must be in flight for the whole DRAM bandwidth. */
static void check_mshrs(const struct cfg *cfg, struct gpu_measure *m) {
  double seconds = m->row[GPU_M_DRAM].measured / (key(cfg, "gpu.core_clock") * 1e6);
  double lines = dram_peak(cfg) * seconds / MEM_LINE;
  double l1 = lines / number(cfg, "gpu.sms"), l2 = lines / slices(cfg);
  if (l1 > number(cfg, "l1.mshrs"))
    WARN(m,
         "l1.mshrs = %.0f: %.0f lines an SM must be outstanding to cover %.0f core cycles at the DRAM's "
         "bandwidth\n",
         number(cfg, "l1.mshrs"), ceil(l1), m->row[GPU_M_DRAM].measured);
  if (l2 > number(cfg, "l2.mshrs"))
    WARN(m,
         "l2.mshrs = %.0f: %.0f lines a slice must be outstanding to cover %.0f core cycles at the DRAM's "
         "bandwidth\n",
         number(cfg, "l2.mshrs"), ceil(l2), m->row[GPU_M_DRAM].measured);
}

static void check_bandwidth(struct gpu_measure *m) {
  const struct gpu_measure_row *r = &m->row[GPU_M_DRAM_BYTES];
  if (r->measured < ENOUGH_OF_PEAK * r->promised)
    WARN(m, "streaming reaches %.0f %% of the DRAM peak; real GPUs reach 85 to 90 %%\n",
         100 * r->measured / r->promised);
}

/* The map refuses a hash whose matrix is singular when it is made. Here the whole chain is run there and
 * back: places of consecutive lines, and of random ones anywhere in 47 bits. */
static bool check_map(const struct cfg *cfg, struct gpu_measure *m, struct err *e) {
  struct mem_map *map = mem_map_new(cfg, e);
  if (!map) return false;
  struct rng r = {7};
  unsigned wrong = 0, used = 0, n = mem_map_slices(map);
  bool *seen = must_alloc(n * sizeof *seen);
  for (uint64_t i = 0; i < 200000; i++) {
    uint64_t a = i < 100000 ? i * MEM_LINE : rng_next(&r) >> 17 & ~(uint64_t)(MEM_LINE - 1);
    struct mem_place p = mem_map(map, a);
    wrong += mem_map_back(map, &p) != a;
    if (!seen[p.slice]) seen[p.slice] = true, used++;
  }
  if (wrong)
    WARN(m, "dram.map is not a bijection: %u of 200000 addresses do not come back from their place\n", wrong);
  if (used < n) WARN(m, "dram.map uses %u of %u L2 slices\n", used, n);
  free(seen);
  mem_map_delete(map);
  return true;
}

/* ---- all ---------------------------------------------------------------------------------------------------------- */

static void promise(const struct cfg *cfg, struct gpu_measure *m) {
  m->row[GPU_M_L1] = (struct gpu_measure_row){"L1 hit", "core cycles", l1_latency(cfg), 0};
  m->row[GPU_M_L2] = (struct gpu_measure_row){"L2 hit", "core cycles", l2_latency(cfg), 0};
  m->row[GPU_M_DRAM] = (struct gpu_measure_row){"DRAM", "core cycles", dram_latency(cfg), 0};
  m->row[GPU_M_L2_BYTES] =
      (struct gpu_measure_row){"reading L2", "GB/s", fmin(l2_peak(cfg), network_peak(cfg)), 0};
  m->row[GPU_M_DRAM_BYTES] =
      (struct gpu_measure_row){"reading DRAM", "GB/s", fmin(dram_peak(cfg), network_peak(cfg)), 0};
}

bool gpu_measure(const struct cfg *cfg, struct gpu_measure *out, struct err *e) {
  *out = (struct gpu_measure){0};
  promise(cfg, out);
  const struct chase l1 = {"chase_ca", 32, MEM_LINE, 64},
                     dram = {"chase_cg", CHASE_HOPS, 65536 + MEM_LINE, 0};
  const struct chase l2 = {"chase_cg", 128, MEM_LINE, 256};
  double *at[] = {&out->row[GPU_M_L1].measured, &out->row[GPU_M_L2].measured, &out->row[GPU_M_DRAM].measured};
  if (!check_map(cfg, out, e) || !measure_chase(cfg, &l1, at[0], e) || !measure_chase(cfg, &l2, at[1], e) ||
      !measure_chase(cfg, &dram, at[2], e))
    return gpu_measure_free(out), false;
  const struct reading from_l2 = {l2_ctas(cfg), 1, L2_PASSES, true},
                       from_dram = {ctas_of(cfg), STREAM_TURNS / ctas_of(cfg) + 2, 1, false};
  if (!measure_read(cfg, &from_l2, &out->row[GPU_M_L2_BYTES].measured, e) ||
      !measure_read(cfg, &from_dram, &out->row[GPU_M_DRAM_BYTES].measured, e))
    return gpu_measure_free(out), false;
  check_network(cfg, out);
  check_l2(cfg, out);
  check_mshrs(cfg, out);
  check_bandwidth(out);
  return true;
}

void gpu_measure_free(struct gpu_measure *m) { str_free(&m->warnings); }
