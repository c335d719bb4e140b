/* The keys of the GPU itself and the list of the keys of all rooms; and the presets, which are part of the program so
 * that it needs no files to run. */
#include "gpu/gpu.h"

#include "base/str.h"
#include "coop/coop.h"
#include "dram/dram.h"
#include "gpu/cta_sched.h"
#include "gpu/presets.h"
#include "gpu/team.h"
#include "l1/l1.h"
#include "llc/llc.h"
#include "mem/mem_map.h"
#include "noc/noc.h"
#include "power/power.h"
#include "reply/data_filter.h"
#include "reply/packer.h"
#include "sm/sm.h"

#include <stdlib.h>
#include <string.h>

static const struct cfg_key keys[] = {
    {"gpu.sms", CFG_INT, "15", 1, 1024, NULL, "SMs", "number of SMs in the GPU"},
    {"gpu.clusters", CFG_INT, "15", 1, 1024, NULL, "clusters", "number of clusters that the SMs are grouped in; must divide gpu.sms"},
    {"gpu.gpc_sms", CFG_INT, "0", 0, 1024, NULL, "SMs",
     "SMs of a graphics processing cluster (GPC), within which a cluster of CTAs runs; the last GPC may have fewer; 0: there is one GPC"},
    {"gpu.core_clock", CFG_REAL, "700", 1, 100000, NULL, "MHz", "clock of the SMs and their L1 caches"},
    {"gpu.noc_clock", CFG_REAL, "700", 1, 100000, NULL, "MHz", "clock of the networks between SMs and L2"},
    {"gpu.l2_clock", CFG_REAL, "700", 1, 100000, NULL, "MHz", "clock of the L2 slices"},
    {"gpu.dram_clock", CFG_REAL, "924", 1, 100000, NULL, "MHz", "clock of the DRAM command bus"},
    {"gpu.memory", CFG_BYTES, "4G", 1048576, 1e13, NULL, "bytes", "size of device memory"},
    {"gpu.compute_capability", CFG_INT, "90", 10, 200, NULL, "", "compute capability that programs are told; 90 means 9.0"},
    {"gpu.cta_scheduler", CFG_CHOICE, "round-robin", 0, 0, gpu_cta_scheds, "", "CTA scheduler: which CTA an SM gets next"},
    {"gpu.cta_turns", CFG_BOOL, "false", 0, 0, NULL, "",
     "dispatch begins at the SM after the one that last got a CTA, even of an earlier kernel; false: at the first SM (only with "
     "gpu.cta_rate 0)"},
    {"gpu.cta_rate", CFG_REAL, "0", 0, 256, NULL, "CTAs",
     "CTAs dispatched per core cycle, to SMs in turn; 0: one per cycle to each SM with a free CTA slot"},
    {"gpu.cta_end_rate", CFG_REAL, "0", 0, 256, NULL, "CTAs",
     "CTAs whose end is processed per core cycle; until then a CTA holds its slot and its kernel does not end; 0: no limit"},
    {"gpu.launch_latency", CFG_INT, "0", 0, 1e6, NULL, "core cycles",
     "time from a kernel's arrival on the GPU to the dispatch of its first CTA"},
    {"gpu.end_latency", CFG_INT, "0", 0, 1e6, NULL, "core cycles",
     "least time from the end of a kernel's last CTA to the end of the kernel, during which its stores are answered"},
    {"gpu.concurrent_kernels", CFG_INT, "16", 1, GPU_MOST_CONCURRENT, NULL, "grids",
     "grids that can be on the GPU at once; 1: kernels never overlap"},
    {"gpu.cold_kernels", CFG_BOOL, "false", 0, 0, NULL, "",
     "a kernel that starts on an empty GPU finds L2 and the instruction caches empty, as under a profiler"},
    {"gpu.threads", CFG_INT, "1", 1, 64, NULL, "threads",
     "most host threads to simulate with; fewer are used if there are fewer CPUs or if fewer are faster; results do not depend on it"},
    {"gpu.all_threads", CFG_BOOL, "false", 0, 0, NULL, "", "use all of gpu.threads throughout, even if fewer would be faster"},
    {"gpu.sample", CFG_REAL, "0", 0, 100, NULL, "percent",
     "half width of the 95 % interval of the cycles up to which launches and CTAs are predicted instead of simulated; 0: all are "
     "simulated"},
    {"gpu.max_thread_instructions", CFG_INT, "0", 0, 1e15, NULL, "instructions",
     "thread instructions after which the run is stopped, with the statistics so far and its output unchecked; 0: it runs to its end"},
    {"gpu.watchdog", CFG_INT, "50000", 100, 1e12, NULL, "core cycles",
     "time without progress after which the run is reported as deadlocked"},
    {0},
};

struct cfg *gpu_cfg_new(void) {
  static const struct cfg_key *const tables[] = {keys,          sm_keys,      l1_keys,   coop_keys,        noc_keys,
                                                 reply_keys,    reply_pack_keys, llc_keys, llc_mode_keys, mem_map_keys,
                                                 dram_keys,     dram_timing_keys, power_keys};
  static const struct cfg_former former[] = {{"sm.hoist_loads", "sm.assembler_order"}, {0}};
  struct cfg *c = cfg_new(tables, sizeof tables / sizeof *tables);
  cfg_set_former(c, former);
  cfg_set_includes(c, gpu_preset_text);
  return c;
}

/* ---- presets -------------------------------------------------------------------------------------------------------------- */

#define PRESET(id, file)                                                                                               \
  __asm__(".section .rodata\npreset_" #id ":\n.incbin \"configs/" file "\"\n.byte 0\n.previous\n");                   \
  extern const char preset_##id[];
#include "gpu/presets.def"
#undef PRESET

static const struct {
  const char *name, *text;
} presets[] = {
#define PRESET(id, file) {file, preset_##id},
#include "gpu/presets.def"
#undef PRESET
};
enum { N_PRESETS = sizeof presets / sizeof *presets };

static size_t name_length(size_t i) { return strlen(presets[i].name) - strlen(".toml"); }

const char *gpu_preset_text(const char *name) {
  for (size_t i = 0; i < N_PRESETS; i++)
    if (strlen(name) == name_length(i) && !strncmp(presets[i].name, name, name_length(i))) return presets[i].text;
  return NULL;
}

const char *const *gpu_preset_names(size_t *n) {
  static char names[N_PRESETS][64];
  static const char *list[N_PRESETS];
  for (size_t i = 0; i < N_PRESETS; i++) {
    memcpy(names[i], presets[i].name, name_length(i));
    list[i] = names[i];
  }
  *n = N_PRESETS;
  return list;
}

unsigned gpu_load_flags(const struct cfg *c) {
  return (cfg_bool(c, "sm.assembler_order") ? EXEC_ORDER_BLOCKS : 0u) | (cfg_bool(c, "sm.yield") ? EXEC_YIELD_LOOPS : 0u) |
         (cfg_bool(c, "sm.lower") ? EXEC_LOWER : 0u);
}

const char *gpu_preset_summary(const char *name) {
  static char line[256];
  const char *text = gpu_preset_text(name);
  size_t n = text ? strcspn(text, "\n") : 0;
  if (n >= sizeof line) n = sizeof line - 1;
  memcpy(line, text, n);
  line[n] = 0;
  return line + strspn(line, "# ");
}

bool gpu_cfg_preset(struct cfg *c, const char *name, struct err *e) {
  size_t n = strlen(name);
  if (strchr(name, '/') || (n > 5 && !strcmp(name + n - 5, ".toml"))) return cfg_read_file(c, name, e);
  const char *text = gpu_preset_text(name);
  if (text) return cfg_read_text(c, name, text, e);
  size_t count;
  const char *const *names = gpu_preset_names(&count);
  return err_set(e, ERR_INPUT, "there is no GPU '%s'%s; `heddle list gpus` shows all, or give the path of a .toml file", name,
                 str_hint(name, names, count).s);
}

struct gpu_shape gpu_shape(const struct cfg *c) {
  return (struct gpu_shape){.sms = (uint32_t)cfg_int(c, "gpu.sms"),
                            .threads = (uint32_t)cfg_int(c, "sm.threads"),
                            .warps = (uint32_t)cfg_int(c, "sm.warps"),
                            .ctas = (uint32_t)cfg_int(c, "sm.ctas"),
                            .registers = (uint32_t)cfg_int(c, "sm.registers"),
                            .register_unit = (uint32_t)cfg_int(c, "sm.register_unit"),
                            .shared_bytes = (uint32_t)cfg_int(c, "sm.shared"),
                            .shared_reserved = (uint32_t)cfg_int(c, "sm.shared_reserved"),
                            .core_hz = (uint64_t)(cfg_real(c, "gpu.core_clock") * 1e6),
                            .memory_hz = (uint64_t)(cfg_real(c, "gpu.dram_clock") * 1e6)};
}

unsigned gpu_host_threads(const struct cfg *c) {
  unsigned asked = (unsigned)cfg_int(c, "gpu.threads"), cpus = gpu_team_cpus();
  return asked < cpus ? asked : cpus;
}

static uint32_t ctas_an_sm(const struct gpu_shape *s, const struct exec_grid *g, struct err *e) {
  struct sm_config c = {.ctas = s->ctas,
                        .warps = s->warps,
                        .threads = s->threads,
                        .registers = s->registers,
                        .register_unit = s->register_unit,
                        .shared_bytes = s->shared_bytes,
                        .shared_reserved = s->shared_reserved};
  return sm_occupancy(&c, g, e);
}

bool gpu_cta_fits(const struct gpu_shape *s, const struct exec_grid *g, struct err *e) { return ctas_an_sm(s, g, e); }

uint64_t gpu_ctas_at_once(const struct gpu_shape *s, const struct exec_grid *g) {
  struct err e = {0}; /* a CTA that fits nowhere runs alone where there is no time */
  uint32_t n = ctas_an_sm(s, g, &e);
  return (uint64_t)s->sms * (n ? n : 1);
}

uint64_t gpu_ctas_untimed(const struct gpu_shape *s, const struct exec_grid *g) {
  struct gpu_shape any = *s;
  if (!g->kernel->ptx->maxnreg) any.registers = UINT32_MAX;
  return gpu_ctas_at_once(&any, g);
}
