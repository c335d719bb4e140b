/* See storage.h. Each part makes its policy from the configuration, asks it, and throws it away. */
#include "cost/storage.h"

#include "coop/coop.h"
#include "exec/exec.h"
#include "l1/bypass.h"
#include "l1/l1.h"
#include "llc/llc_mode.h"
#include "llc/llc_profile.h"
#include "noc/noc.h"
#include "reply/data_filter.h"
#include "reply/packer.h"
#include "sm/sm.h"

#include <string.h>

enum of { OF_GPU, OF_SM, OF_SLICE }; /* what there is one of for each */

static uint64_t instances(const struct cfg *cfg, enum of of) {
  if (of == OF_SM) return (uint64_t)cfg_int(cfg, "gpu.sms");
  return of == OF_GPU ? 1 : (uint64_t)(cfg_int(cfg, "dram.channels") * cfg_int(cfg, "l2.slices_per_channel"));
}

/* ---- parts --------------------------------------------------------------------------------------------------------- */

static bool l1_bits(const struct cfg *cfg, uint64_t *org, uint64_t *bypass, struct err *e) {
  struct l1 c;
  bool ok = l1_init(&c, cfg, NULL, 0, e);
  *org = ok ? c.traits.storage_bits : 0;
  *bypass = ok && c.bypass_ops->storage_bits ? c.bypass_ops->storage_bits(c.bypass) : 0;
  l1_free(&c);
  return ok;
}

/* What the GPU's own L1D has beyond one of whole lines (valid bits of sectors) is not added by anybody. */
static uint64_t plain_l1_bits(const struct cfg *cfg) {
  struct cfg *plain = cfg_copy(cfg);
  struct err e = {0};
  uint64_t org = 0, bypass;
  if (cfg_set(plain, "l1.org=base", &e) && cfg_set(plain, "l1.bypass=none", &e) && cfg_set(plain, "reply.filter=none", &e))
    l1_bits(plain, &org, &bypass, &e);
  cfg_delete(plain);
  return org;
}

static bool l1_org_bits(const struct cfg *cfg, uint64_t *bits, struct err *e) {
  uint64_t bypass, plain = plain_l1_bits(cfg);
  bool ok = l1_bits(cfg, bits, &bypass, e);
  *bits = *bits > plain ? *bits - plain : 0;
  return ok;
}
static bool l1_bypass_bits(const struct cfg *cfg, uint64_t *bits, struct err *e) {
  uint64_t org;
  return l1_bits(cfg, &org, bits, e);
}

/* What all SMs share of it. */
static bool l1_bypass_shared_bits(const struct cfg *cfg, uint64_t *bits, struct err *e) {
  const struct l1_extent gpu = {
      .sms = (uint32_t)cfg_int(cfg, "gpu.sms"),
      .slices = (uint32_t)instances(cfg, OF_SLICE),
      .instructions = (uint32_t)cfg_int(cfg, "sm.schedulers") * (cfg_bool(cfg, "sm.dual_issue") ? 2 : 1) * EXEC_LANES,
      .occupancy = (double)cfg_int(cfg, "l2.input_queue") * cfg_real(cfg, "gpu.l2_clock") / cfg_real(cfg, "gpu.core_clock"),
  };
  (void)e;
  for (const struct l1_bypass *const *b = l1_bypasses; *b; b++)
    if (!strcmp((*b)->name, cfg_text(cfg, "l1.bypass")) && (*b)->shared_bits) *bits = (*b)->shared_bits(cfg, &gpu);
  return true;
}

static bool scheduler_bits(const struct cfg *cfg, uint64_t *bits, struct err *e) {
  (void)e;
  for (const struct sm_scheduler *const *s = sm_schedulers; *s; s++)
    if (!strcmp((*s)->name, cfg_text(cfg, "sm.scheduler")) && (*s)->storage_bits) *bits = (*s)->storage_bits(cfg);
  return true;
}

static bool filter_bits(const struct cfg *cfg, uint64_t *bits, struct err *e) {
  struct reply_filter f;
  bool on;
  if (!reply_filter_init(&f, cfg, &on, e)) return false;
  if (on) {
    *bits = reply_filter_bits(&f, (uint32_t)cfg_int(cfg, "gpu.sms"));
    reply_filter_free(&f);
  }
  return true;
}

static bool packer_bits(const struct cfg *cfg, uint64_t *bits, struct err *e) {
  (void)e;
  *bits = reply_packer_bits(cfg, NOC_HEADER);
  return true;
}
static bool unpacker_bits(const struct cfg *cfg, uint64_t *bits, struct err *e) {
  (void)e;
  *bits = reply_unpacker_bits(cfg, NOC_HEADER);
  return true;
}

/* Tags of the L1D's organisation are copied as they are. */
bool cost_coop_hardware(const struct cfg *cfg, struct coop_hardware *out, struct err *e) {
  struct coop_place place = {.sms = (uint32_t)cfg_int(cfg, "gpu.sms"), .period = 1, .parts = 1};
  struct coop *c;
  place.lines = (uint64_t)(cfg_int(cfg, "l1.sets") * cfg_int(cfg, "l1.ways"));
  if (!l1_org_bits(cfg, &place.tags_more, e) || !coop_new(&c, cfg, &place, e)) return false;
  *out = c && c->ops->hardware ? c->ops->hardware(c) : (struct coop_hardware){0};
  coop_delete(c);
  return true;
}

static bool coop_request_bits(const struct cfg *cfg, uint64_t *bits, struct err *e) {
  struct coop_hardware h = {0};
  bool ok = cost_coop_hardware(cfg, &h, e);
  *bits = h.request_queues;
  return ok;
}
static bool coop_response_bits(const struct cfg *cfg, uint64_t *bits, struct err *e) {
  struct coop_hardware h = {0};
  bool ok = cost_coop_hardware(cfg, &h, e);
  *bits = h.response_queues;
  return ok;
}
static bool coop_tag_bits(const struct cfg *cfg, uint64_t *bits, struct err *e) {
  struct coop_hardware h = {0};
  bool ok = cost_coop_hardware(cfg, &h, e);
  *bits = h.tags;
  return ok;
}

static bool coop_slice_bits(const struct cfg *cfg, uint64_t *bits, struct err *e) {
  struct coop_hardware h = {0};
  bool ok = cost_coop_hardware(cfg, &h, e);
  *bits = h.of_slice;
  return ok;
}

/* What an L2 that chooses its mode watches itself with: one for the GPU, for each program that may be adaptive. */
static bool llc_profile_bits(const struct cfg *cfg, struct llc_storage *out, struct err *e) {
  enum { ADDRESS = 32 };
  struct llc_mode_config c;
  if (!llc_mode_read(&c, cfg, e)) return false;
  bool adaptive = c.mode == LLC_ADAPTIVE;
  for (int i = 0; i < LLC_MAX_PROGRAMS; i++) adaptive |= c.of[i] == LLC_ADAPTIVE;
  *out = adaptive ? llc_profile_storage(&c, (uint32_t)cfg_int(cfg, "l2.sets"), (uint32_t)cfg_int(cfg, "l2.ways"), ADDRESS)
                  : (struct llc_storage){0};
  return true;
}

static bool atd_bits(const struct cfg *cfg, uint64_t *bits, struct err *e) {
  struct llc_storage s;
  bool ok = llc_profile_bits(cfg, &s, e);
  if (ok) *bits = s.atd_bits;
  return ok;
}
static bool lsp_counter_bits(const struct cfg *cfg, uint64_t *bits, struct err *e) {
  struct llc_storage s;
  bool ok = llc_profile_bits(cfg, &s, e);
  if (ok) *bits = s.counter_bits;
  return ok;
}

static const char WHOLE[] = ""; /* in place of a key: an access is all of it, as in a pipeline that a block goes through */

static const struct {
  const char *part;
  enum of of;
  bool (*bits)(const struct cfg *cfg, uint64_t *bits, struct err *e);
  const char *rows;      /* the key that says how many accesses it takes to read all of it; NULL: they are words of 32 bits */
  const char *statistic; /* that counts those accesses; NULL: nobody does */
  bool flops;            /* held in flip-flops */
} parts[] = {
    {"l1.org", OF_SM, l1_org_bits, "l1.sets", "l1d.accesses", false},
    {"l1.bypass", OF_SM, l1_bypass_bits, NULL, "l1d.accesses", true},
    {"l1.bypass.shared", OF_GPU, l1_bypass_shared_bits, NULL, NULL, true},
    {"sm.scheduler", OF_SM, scheduler_bits, "sm.warps", "l1d.misses", false},
    {"coop.requests", OF_SM, coop_request_bits, NULL, "coop.request_writes", true},
    {"coop.responses", OF_SM, coop_response_bits, "coop.response_queue", "coop.response_writes", true},
    {"coop.tags", OF_SM, coop_tag_bits, "l1.sets", "coop.tag_accesses", false},
    {"coop.tracker", OF_SLICE, coop_slice_bits, "coop.tracker_sets", "coop.tracker_entries", false},
    {"llc.atd", OF_GPU, atd_bits, "llc.atd_sets", "llc.sampled_accesses", false},
    {"llc.counters", OF_GPU, lsp_counter_bits, NULL, NULL, true},
    {"reply.table", OF_SLICE, filter_bits, "reply.table", "reply.pdrs", false},
    {"reply.compressor", OF_SLICE, packer_bits, WHOLE, "reply.blocks", true},
    {"reply.decompressor", OF_SM, unpacker_bits, WHOLE, "reply.blocks", true},
};
enum { PARTS = sizeof parts / sizeof *parts };
_Static_assert((int)PARTS <= (int)COST_STORAGE_PARTS, "room for every part");

/* ---- all ----------------------------------------------------------------------------------------------------------- */

static uint32_t width_of(const struct cfg *cfg, size_t i, uint64_t bits) {
  enum { WORD = 32 };
  const char *rows = parts[i].rows;
  uint64_t n = !rows ? 0 : rows == WHOLE ? 1 : (uint64_t)cfg_int(cfg, rows), width = n ? bits / n : WORD;
  return width < 1 ? 1 : width > bits && bits ? (uint32_t)bits : (uint32_t)width;
}

size_t cost_storage(const struct cfg *cfg, struct cost_storage *out, struct err *e) {
  for (size_t i = 0; i < PARTS; i++) {
    out[i] = (struct cost_storage){.part = parts[i].part,
                                  .instances = instances(cfg, parts[i].of),
                                  .flops = parts[i].flops,
                                  .statistic = parts[i].statistic};
    if (!parts[i].bits(cfg, &out[i].bits, e)) return 0;
    out[i].width = width_of(cfg, i, out[i].bits);
  }
  return PARTS;
}
