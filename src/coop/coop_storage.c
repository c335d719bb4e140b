/* The storage that a network between L1Ds needs, as the network says itself: one is built from the configuration,
 * asked, and thrown away. What the L1D's organisation keeps in its tags is copied as it is. */
#include "coop/coop.h"

bool coop_hardware_of(const struct cfg *cfg, struct coop_hardware *out, struct err *e) {
  struct coop_place place = {.sms = (uint32_t)cfg_int(cfg, "gpu.sms"), .period = 1, .parts = 1};
  struct coop *c;
  place.lines = (uint64_t)(cfg_int(cfg, "l1.sets") * cfg_int(cfg, "l1.ways"));
  if (!l1_org_bits(cfg, &place.tags_more, e) || !coop_new(&c, cfg, &place, e)) return false;
  *out = c && c->ops->hardware ? c->ops->hardware(c) : (struct coop_hardware){0};
  coop_delete(c);
  return true;
}

static bool request_bits(const struct cfg *cfg, uint64_t *bits, struct err *e) {
  struct coop_hardware h = {0};
  bool ok = coop_hardware_of(cfg, &h, e);
  *bits = h.request_queues;
  return ok;
}
static bool response_bits(const struct cfg *cfg, uint64_t *bits, struct err *e) {
  struct coop_hardware h = {0};
  bool ok = coop_hardware_of(cfg, &h, e);
  *bits = h.response_queues;
  return ok;
}
static bool tag_bits(const struct cfg *cfg, uint64_t *bits, struct err *e) {
  struct coop_hardware h = {0};
  bool ok = coop_hardware_of(cfg, &h, e);
  *bits = h.tags;
  return ok;
}
static bool slice_bits(const struct cfg *cfg, uint64_t *bits, struct err *e) {
  struct coop_hardware h = {0};
  bool ok = coop_hardware_of(cfg, &h, e);
  *bits = h.of_slice;
  return ok;
}

const struct policy_part coop_storage[] = {
    {"coop.requests", POLICY_OF_SM, request_bits, NULL, "coop.request_writes", true},
    {"coop.responses", POLICY_OF_SM, response_bits, "coop.response_queue", "coop.response_writes", true},
    {"coop.tags", POLICY_OF_SM, tag_bits, "l1.sets", "coop.tag_accesses", false},
    {"coop.tracker", POLICY_OF_SLICE, slice_bits, "coop.tracker_sets", "coop.tracker_entries", false},
    {0},
};
