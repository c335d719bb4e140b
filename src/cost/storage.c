/* See storage.h. The rows come from the policies of every point, except those of the pipelines of compressor and
 * decompressor, which stand between L2, network and SM and are made here. */
#include "cost/storage.h"

#include "base/policy.h"
#include "noc/noc.h"
#include "reply/packer.h"

#include <assert.h>
#include <string.h>

static uint64_t instances(const struct cfg *cfg, enum policy_of of) {
  uint64_t channels = (uint64_t)cfg_int(cfg, "dram.channels");
  switch (of) {
  case POLICY_OF_SM: return (uint64_t)cfg_int(cfg, "gpu.sms");
  case POLICY_OF_SLICE: return channels * (uint64_t)cfg_int(cfg, "l2.slices_per_channel");
  case POLICY_OF_CHANNEL: return channels;
  default: return 1;
  }
}

static uint32_t width_of(const struct cfg *cfg, const char *rows, uint64_t bits) {
  enum { WORD = 32 };
  uint64_t n = !rows ? 0 : !*rows ? 1 : (uint64_t)cfg_int(cfg, rows), width = n ? bits / n : WORD;
  return width < 1 ? 1 : width > bits && bits ? (uint32_t)bits : (uint32_t)width;
}

struct rows {
  const struct cfg *cfg;
  struct cost_storage *out;
  size_t n;
  struct err *e;
  bool ok;
};

static struct cost_storage *row_of(struct rows *r, const struct policy_part *p) {
  for (size_t i = 0; i < r->n; i++)
    if (!strcmp(r->out[i].part, p->name)) return &r->out[i];
  assert(r->n < COST_STORAGE_PARTS);
  r->out[r->n] = (struct cost_storage){.part = p->name,
                                       .instances = instances(r->cfg, p->of),
                                       .width = width_of(r->cfg, p->rows, 0),
                                       .flops = p->flops,
                                       .statistic = p->statistic};
  return &r->out[r->n++];
}

/* Every part has its row; that of a policy which is not chosen has no bits. */
static void add_parts(struct rows *r, const struct policy_part *parts, bool chosen) {
  for (const struct policy_part *p = parts; p && p->name; p++) {
    struct cost_storage *row = row_of(r, p);
    if (!chosen || !r->ok) continue;
    r->ok = p->bits(r->cfg, &row->bits, r->e);
    row->width = width_of(r->cfg, p->rows, row->bits);
  }
}

static void add_point(void *user, const struct cfg_key *key, const char *value, const char *source) {
  (void)source;
  for (const struct policy *const *p = key->choices; p && *p; p++) add_parts(user, (*p)->storage, !strcmp((*p)->name, value));
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

size_t cost_storage(const struct cfg *cfg, struct cost_storage *out, struct err *e) {
  static const struct policy_part pipelines[] = {
      {"reply.compressor", POLICY_OF_SLICE, packer_bits, "", "reply.blocks", true},
      {"reply.decompressor", POLICY_OF_SM, unpacker_bits, "", "reply.blocks", true},
      {0},
  };
  struct rows r = {.cfg = cfg, .out = out, .e = e, .ok = true};
  cfg_visit(cfg, add_point, &r);
  add_parts(&r, pipelines, true);
  return r.ok ? r.n : 0;
}
