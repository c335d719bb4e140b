/* See policies.h. */
#include "gpu/policies.h"

#include "compress/compress.h"
#include "coop/coop.h"
#include "gpu/cta_sched.h"
#include "l1/bypass.h"
#include "llc/llc_mode.h"
#include "mem/mem_map.h"
#include "noc/noc.h"
#include "reply/data_filter.h"
#include "sm/sm.h"

void gpu_visit_policies(gpu_policy_fn fn, void *user) {
  for (size_t i = 0; gpu_cta_scheds[i]; i++)
    fn(user, "gpu.cta_scheduler", gpu_cta_scheds[i]->name, gpu_cta_scheds[i]->meaning);
  for (size_t i = 0; sm_schedulers[i]; i++)
    fn(user, "sm.scheduler", sm_schedulers[i]->name, sm_schedulers[i]->meaning);
  for (size_t i = 0; l1_orgs[i]; i++) fn(user, "l1.org", l1_orgs[i]->name, l1_orgs[i]->meaning);
  for (size_t i = 0; l1_bypasses[i]; i++) fn(user, "l1.bypass", l1_bypasses[i]->name, l1_bypasses[i]->meaning);
  for (size_t i = 0; coop_policies[i]; i++) fn(user, "coop", coop_policies[i]->name, coop_policies[i]->meaning);
  for (size_t i = 0; noc_topologies[i]; i++)
    fn(user, "noc.topology", noc_topologies[i]->name, noc_topologies[i]->meaning);
  for (const struct reply_method *m = reply_methods; m->name; m++) fn(user, "reply.filter", m->name, m->meaning);
  for (size_t i = 0; compressors[i]; i++) fn(user, "reply.compress", compressors[i]->name, compressors[i]->meaning);
  for (size_t i = 0; llc_modes[i].name; i++) fn(user, "llc.mode", llc_modes[i].name, llc_modes[i].meaning);
  for (size_t i = 0; mem_map_hashes[i]; i++)
    fn(user, "dram.map", mem_map_hashes[i]->name, mem_map_hashes[i]->meaning);
}
