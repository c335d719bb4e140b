/* Ideal cooperation within clusters of neighbouring SMs only (section 6.3 of the paper named in ring.h, which
 * compares sharing in clusters with sharing among all SMs, both without overhead). A cluster has SMs with consecutive
 * numbers; the last cluster is smaller if the size does not divide the number of SMs. */
#include "coop/ideal.h"

static const struct cfg_key keys[] = {
    {"coop.cluster", CFG_INT, "3", 2, 256, NULL, "SMs", "number of neighbouring SMs that answer each other's misses, with coop=cluster"},
    {0},
};

static struct coop *create(const struct cfg *cfg, const struct coop_place *place, struct err *e) {
  uint32_t group = (uint32_t)cfg_int(cfg, "coop.cluster");
  if (group <= place->sms) return ideal_create(cfg, place, group);
  cfg_complain(cfg, "coop.cluster", e, "there are only %u SMs", place->sms);
  return NULL;
}

const struct coop_policy coop_cluster = {
    .policy = {.name = "cluster", .meaning = "as ideal, but only among the neighbouring SMs of a cluster",
               .paper = "Dublish, Nagarajan, Topham: Cooperative caching for GPUs, TACO 2016", .keys = keys,
               .bound = true, .stats = coop_stats},
    .create = create, .destroy = ideal_destroy, .offer = ideal_offer, .tick = ideal_tick, .idle = ideal_idle,
    .explain = ideal_explain};
