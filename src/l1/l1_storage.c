/* The storage that the L1D's organisation and bypass policy need, as they say themselves: a cache is built from the
 * configuration, asked, and thrown away. */
#include "l1/bypass.h"
#include "l1/set_assoc.h"

static bool ask(const struct cfg *cfg, uint64_t *org, uint64_t *bypass, struct err *e) {
  struct l1 c;
  bool ok = l1_init(&c, cfg, NULL, 0, e);
  *org = ok ? c.traits.storage_bits : 0;
  *bypass = ok && c.bypass_ops->storage_bits ? c.bypass_ops->storage_bits(c.bypass) : 0;
  l1_free(&c);
  return ok;
}

/* What the GPU's own L1D has beyond one of whole lines (valid bits of sectors) is not added by anybody. */
static uint64_t plain_bits(const struct cfg *cfg) {
  const struct mem_observers nobody = {0};
  const uint8_t warp = 0;
  const struct l1_place place = {.warp = &warp, .observers = &nobody};
  struct l1_traits traits = {0};
  struct err e = {0};
  void *org = l1_set_assoc.create(cfg, &place, &e);
  if (!org) return 0;
  l1_set_assoc.traits(org, &traits);
  l1_set_assoc.destroy(org);
  return traits.storage_bits;
}

bool l1_org_bits(const struct cfg *cfg, uint64_t *bits, struct err *e) {
  uint64_t bypass, plain = plain_bits(cfg);
  bool ok = ask(cfg, bits, &bypass, e);
  *bits = *bits > plain ? *bits - plain : 0;
  return ok;
}

static bool bypass_bits(const struct cfg *cfg, uint64_t *bits, struct err *e) {
  uint64_t org;
  return ask(cfg, &org, bits, e);
}

/* What all SMs share of it. */
static bool shared_bits(const struct cfg *cfg, uint64_t *bits, struct err *e) {
  enum { LANES = 32 };
  const struct l1_bypass *b = cfg_policy(cfg, "l1.bypass");
  const struct l1_extent gpu = {
      .sms = (uint32_t)cfg_int(cfg, "gpu.sms"),
      .slices = (uint32_t)(cfg_int(cfg, "dram.channels") * cfg_int(cfg, "l2.slices_per_channel")),
      .instructions = (uint32_t)cfg_int(cfg, "sm.schedulers") * (cfg_bool(cfg, "sm.dual_issue") ? 2 : 1) * LANES,
      .occupancy = (double)cfg_int(cfg, "l2.input_queue") * cfg_real(cfg, "gpu.l2_clock") / cfg_real(cfg, "gpu.core_clock"),
  };
  (void)e;
  *bits = b->shared_bits ? b->shared_bits(cfg, &gpu) : 0;
  return true;
}

const struct policy_part l1_org_storage[] = {{"l1.org", POLICY_OF_SM, l1_org_bits, "l1.sets", "l1d.accesses", false}, {0}};
const struct policy_part l1_bypass_storage[] = {{"l1.bypass", POLICY_OF_SM, bypass_bits, NULL, "l1d.accesses", true},
                                                {"l1.bypass.shared", POLICY_OF_GPU, shared_bits, NULL, NULL, true},
                                                {0}};
