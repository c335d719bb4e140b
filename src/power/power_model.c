/* The terms and areas of a chip: see power.h. */
#include "power/power.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const struct power_name power_parts[POWER_PARTS] = {
    [POWER_CORE] = {"core", "consumption of instructions: fetch, issue, functional units"},
    [POWER_REGISTER_FILE] = {"register_file", "consumption of reading and writing register operands"},
    [POWER_SHARED] = {"shared", "consumption of shared memory"},
    [POWER_L1] = {"l1", "consumption of L1D, constant and texture caches, and of moving their data to registers"},
    [POWER_L2] = {"l2", "consumption of the L2 slices"},
    [POWER_NOC_ROUTERS] = {"noc_routers", "consumption of the networks' routers: flits, clock, leakage"},
    [POWER_NOC_LINKS] = {"noc_links", "consumption of the networks' links: flits, leakage of repeaters"},
    [POWER_DRAM] = {"dram", "consumption of DRAM devices, interface and controllers"},
    [POWER_ADDED] = {"added", "consumption of storage beyond the base configuration's, and of a ring between SMs"},
    [POWER_STATIC] = {"static", "static consumption: leakage of SMs and L2, and the constant part of the board"},
};

const char *const power_statistics[POWER_STATISTICS] = {
    [POWER_N_INT] = "sm.int_operations",
    [POWER_N_MULTIPLY] = "sm.multiply_operations",
    [POWER_N_FP32] = "sm.fp32_operations",
    [POWER_N_FP64] = "sm.fp64_operations",
    [POWER_N_SFU] = "sm.sfu_operations",
    [POWER_N_TENSOR] = "sm.tensor_operations",
    [POWER_N_OTHER] = "sm.other_operations",
    [POWER_N_REGISTER_READS] = "sm.register_reads",
    [POWER_N_REGISTER_WRITES] = "sm.register_writes",
    [POWER_N_SHARED] = "sm.shared_accesses",
    [POWER_N_ACTIVE] = "sm.active_cycles",
    [POWER_N_L1] = "l1d.accesses",
    [POWER_N_L1_ASKED] = "l1d.asked_bytes",
    [POWER_N_L1_FILLED] = "l1d.fill_bytes",
    [POWER_N_CONST] = "const.accesses",
    [POWER_N_TEX] = "tex.accesses",
    [POWER_N_L2] = "l2.accesses",
    [POWER_N_L2_REPLIED] = "l2.reply_bytes",
    [POWER_N_L2_WRITTEN] = "l2.write_bytes",
    [POWER_N_L2_FETCHED] = "l2.fetched_sectors",
    [POWER_N_L2_WRITTEN_BACK] = "l2.writebacks",
    [POWER_N_REQUEST_FLITS] = "noc.request_flits",
    [POWER_N_REQUEST_ROUTERS] = "noc.request_router_flits",
    [POWER_N_REQUEST_LINKS] = "noc.request_link_flits",
    [POWER_N_REQUEST_GATED] = "noc.request_gated_cycles",
    [POWER_N_REPLY_FLITS] = "noc.reply_flits",
    [POWER_N_REPLY_ROUTERS] = "noc.reply_router_flits",
    [POWER_N_REPLY_LINKS] = "noc.reply_link_flits",
    [POWER_N_REPLY_GATED] = "noc.reply_gated_cycles",
    [POWER_N_ACTIVATES] = "dram.activates",
    [POWER_N_READ_BURSTS] = "dram.read_bursts",
    [POWER_N_WRITE_BURSTS] = "dram.write_bursts",
    [POWER_N_REFRESHES] = "dram.refreshes",
    [POWER_N_RING_REQUESTS] = "coop.request_flits",
    [POWER_N_RING_RESPONSES] = "coop.response_flits",
};

enum { LINE_BITS = 1024, SECTOR_BITS = 256, LANES = 32, WORD_BITS = 32 };
#define PJ 1e-12

struct build {
  struct power_model *m;
  const struct cfg *cfg;
  const struct power_chip *chip;
  struct power_tech tech;
  double scale; /* of energies given at 28 nm */
  double l2_mm2; /* of all slices */
};

static double key(const struct build *b, const char *name) { return cfg_real(b->cfg, name); }

static void term(const struct build *b, enum power_part part, const char *name, unsigned count, double joules) {
  if (joules == 0) return;
  assert(b->m->terms < POWER_MAX_TERMS);
  b->m->term[b->m->terms++] = (struct power_term){part, name, count, joules};
}

static void add_area(const struct build *b, const struct power_area *a) {
  assert(b->m->areas < POWER_MAX_AREAS);
  b->m->area[b->m->areas++] = *a;
}

/* n arrays of so many bits. */
static void area(const struct build *b, const char *name, double n, const struct power_sram *s, double bits) {
  add_area(b, &(struct power_area){.name = name, .mm2 = n * s->area, .bits = n * bits, .leakage = n * s->leakage});
}

static struct power_sram array(const struct build *b, double bits, double width) {
  struct power_sram_shape s = {bits, fmin(width, bits), 1};
  return power_sram(&b->tech, &s);
}

/* ---- SMs ---- */

static void price_core(const struct build *b) {
  static const struct {
    const char *key, *name;
    unsigned count;
  } ops[] = {{"power.op.int", "int", POWER_N_INT},          {"power.op.multiply", "multiply", POWER_N_MULTIPLY},
             {"power.op.fp32", "fp32", POWER_N_FP32},       {"power.op.fp64", "fp64", POWER_N_FP64},
             {"power.op.sfu", "sfu", POWER_N_SFU},          {"power.op.tensor", "tensor", POWER_N_TENSOR},
             {"power.op.other", "other", POWER_N_OTHER}};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
    term(b, POWER_CORE, ops[i].name, ops[i].count, b->scale * key(b, ops[i].key) * PJ);
  double operand = b->scale * key(b, "power.register") * PJ;
  term(b, POWER_REGISTER_FILE, "register_reads", POWER_N_REGISTER_READS, operand);
  term(b, POWER_REGISTER_FILE, "register_writes", POWER_N_REGISTER_WRITES, operand);
  struct power_sram file = array(b, b->chip->register_bits, LANES * WORD_BITS);
  area(b, "register_file", b->chip->sms, &file, b->chip->register_bits);
}

/* Simplified: a shared-memory instruction moves a word of all 32 lanes. */
static void price_l1(const struct build *b) {
  const struct power_chip *c = b->chip;
  struct power_sram data = array(b, c->l1_bits, LINE_BITS), tags = array(b, c->l1_tag_bits, c->l1_set_bits);
  struct power_sram fill = array(b, c->l1_bits, SECTOR_BITS), readonly = array(b, c->readonly_bits, SECTOR_BITS);
  struct power_sram shared = array(b, c->shared_bits, LANES * WORD_BITS);
  double move = b->scale * key(b, "power.l1.move") * 8 * PJ;
  term(b, POWER_SHARED, "shared", POWER_N_SHARED, b->scale * key(b, "power.shared.move") * LANES * WORD_BITS * PJ);
  term(b, POWER_L1, "l1_array", POWER_N_L1, data.access + tags.access);
  term(b, POWER_L1, "l1_move", POWER_N_L1_ASKED, move);
  term(b, POWER_L1, "l1_fill", POWER_N_L1_FILLED, fill.access / (SECTOR_BITS / 8));
  term(b, POWER_L1, "readonly", POWER_N_CONST, readonly.access);
  term(b, POWER_L1, "readonly", POWER_N_TEX, readonly.access);
  area(b, "shared", c->sms, &shared, c->shared_bits);
  area(b, "l1", c->sms, &data, c->l1_bits);
  area(b, "l1_tags", c->sms, &tags, c->l1_tag_bits);
  area(b, "readonly", c->sms, &readonly, c->readonly_bits);
}

/* ---- L2 and DRAM ---- */

static void price_l2(struct build *b) {
  const struct power_chip *c = b->chip;
  struct power_sram data = array(b, c->l2_bits, SECTOR_BITS), tags = array(b, c->l2_tag_bits, c->l2_set_bits);
  double move = b->scale * key(b, "power.l2.move") * 8 * PJ, byte = data.access / (SECTOR_BITS / 8);
  term(b, POWER_L2, "l2_tags", POWER_N_L2, tags.access);
  term(b, POWER_L2, "l2_read", POWER_N_L2_REPLIED, move + byte);
  term(b, POWER_L2, "l2_write", POWER_N_L2_WRITTEN, move + byte);
  term(b, POWER_L2, "l2_fill", POWER_N_L2_FETCHED, data.access);
  term(b, POWER_L2, "l2_write_back", POWER_N_L2_WRITTEN_BACK, LINE_BITS / SECTOR_BITS * data.access);
  b->l2_mm2 = c->slices * (data.area + tags.area);
  area(b, "l2", c->slices, &data, c->l2_bits);
  area(b, "l2_tags", c->slices, &tags, c->l2_tag_bits);
  term(b, POWER_STATIC, "static_l2", POWER_N_SECONDS, c->slices * (data.leakage + tags.leakage));
}

static void price_dram(const struct build *b) {
  const struct power_chip *c = b->chip;
  double devices = c->dram_bus_bytes / key(b, "power.dram.device_bytes"), bits = 8 * c->dram_burst_bytes;
  double path = key(b, "power.dram.path");
  term(b, POWER_DRAM, "dram_activate", POWER_N_ACTIVATES, devices * key(b, "power.dram.activate") * PJ);
  term(b, POWER_DRAM, "dram_read", POWER_N_READ_BURSTS, bits * (key(b, "power.dram.read") + path) * PJ);
  term(b, POWER_DRAM, "dram_write", POWER_N_WRITE_BURSTS, bits * (key(b, "power.dram.write") + path) * PJ);
  term(b, POWER_DRAM, "dram_refresh", POWER_N_REFRESHES, devices * key(b, "power.dram.refresh") * PJ);
  term(b, POWER_DRAM, "dram_background", POWER_N_SECONDS, c->channels * devices * key(b, "power.dram.background"));
}

/* ---- networks ---- */

/* Every flit crosses a router of the first kind; what is crossed beyond that is of the other. Gating takes away a
 * router's clock and most of its leakage for the cycles that were counted. */
static void price_router(const struct build *b, const struct power_net *n, const struct power_net_router *r,
                         struct power_area *sum) {
  struct power_router_shape shape = r->shape;
  shape.toggle = key(b, "power.noc.toggle");
  struct power_router one = power_router(&b->tech, &shape);
  static const unsigned flits[] = {POWER_N_REQUEST_FLITS, POWER_N_REPLY_FLITS};
  static const unsigned crossed[] = {POWER_N_REQUEST_ROUTERS, POWER_N_REPLY_ROUTERS};
  static const unsigned gated[] = {POWER_N_REQUEST_GATED, POWER_N_REPLY_GATED};
  double off = one.clock + one.leakage * (1 - key(b, "power.noc.gated")) / b->chip->noc_hz;
  for (int d = 0; d < 2; d++) {
    if (!(d ? n->reply : n->request)) continue;
    bool alone = n->routers == 1;
    if (!alone) term(b, POWER_NOC_ROUTERS, "noc_router_flits", flits[d], r->every ? one.flit : -one.flit);
    if (alone || !r->every) term(b, POWER_NOC_ROUTERS, "noc_router_flits", crossed[d], one.flit);
    if (r->gateable) term(b, POWER_NOC_ROUTERS, "noc_gated", gated[d], -off);
  }
  term(b, POWER_NOC_ROUTERS, "noc_clock", POWER_N_SECONDS, r->n * one.clock * b->chip->noc_hz);
  term(b, POWER_NOC_ROUTERS, "noc_router_leakage", POWER_N_SECONDS, r->n * one.leakage);
  sum->mm2 += r->n * one.area;
  sum->leakage += r->n * one.leakage;
  sum->bits += (double)r->n * shape.ins * shape.vcs * shape.flits * shape.bits;
}

static void price_link(const struct build *b, const struct power_net *n, const struct power_net_link *l,
                       struct power_area *sum) {
  double side = l->over_l2 ? sqrt(b->l2_mm2) : key(b, "power.die_side");
  struct power_link_shape shape = {.mm = l->sides * side,
                                   .bits = l->bits,
                                   .seconds = l->cycles / b->chip->noc_hz,
                                   .toggle = key(b, "power.noc.toggle")};
  struct power_link one = power_link(&b->tech, &shape);
  if (n->request)
    term(b, POWER_NOC_LINKS, "noc_link_flits", l->terminal ? POWER_N_REQUEST_FLITS : POWER_N_REQUEST_LINKS, one.flit);
  if (n->reply)
    term(b, POWER_NOC_LINKS, "noc_link_flits", l->terminal ? POWER_N_REPLY_FLITS : POWER_N_REPLY_LINKS, one.flit);
  term(b, POWER_NOC_LINKS, "noc_link_leakage", POWER_N_SECONDS, l->n * one.leakage);
  sum->mm2 += l->n * one.area;
  sum->wires += l->n * one.wires;
  sum->leakage += l->n * one.leakage;
}

static void price_noc(const struct build *b) {
  struct power_area routers = {.name = "noc_routers"}, links = {.name = "noc_links", .wired = "noc_wires"};
  for (unsigned i = 0; i < b->chip->nets; i++) {
    const struct power_net *n = &b->chip->net[i];
    for (unsigned k = 0; k < n->routers; k++) price_router(b, n, &n->router[k], &routers);
    for (unsigned k = 0; k < n->links; k++) price_link(b, n, &n->link[k], &links);
  }
  add_area(b, &routers);
  add_area(b, &links);
}

static void price_ring(const struct build *b) {
  struct power_ring r = power_ring(&b->tech, &b->chip->ring, key(b, "power.die_side"), b->chip->core_hz, key(b, "power.noc.toggle"));
  term(b, POWER_ADDED, "ring_requests", POWER_N_RING_REQUESTS, r.request);
  term(b, POWER_ADDED, "ring_responses", POWER_N_RING_RESPONSES, r.response);
  term(b, POWER_ADDED, "ring_leakage", POWER_N_SECONDS, r.leakage);
  add_area(b, &(struct power_area){
                  .name = "ring", .wired = "ring_wires", .mm2 = r.area, .wires = r.wires, .leakage = r.leakage});
}

/* ---- storage and the rest ---- */

void power_store_add(struct power_stores *s, const struct power_store *one) {
  if (!one->bits || !one->instances) return;
  assert(s->n < POWER_MAX_STORES && one->width);
  s->store[s->n++] = *one;
}

uint64_t power_store_bits(const struct power_stores *s) {
  uint64_t all = 0;
  for (size_t i = 0; i < s->n; i++) all += s->store[i].bits * s->store[i].instances;
  return all;
}

static void price_stores(const struct build *b) {
  struct power_area sum = {.name = "added"};
  for (size_t i = 0; i < b->m->stores.n; i++) {
    const struct power_store *s = &b->m->stores.store[i];
    struct power_sram_shape shape = {(double)s->bits, fmin(s->width, (double)s->bits), 1};
    struct power_sram one = s->flops ? power_flops(&b->tech, &shape) : power_sram(&b->tech, &shape);
    double n = (double)s->instances;
    if (s->statistic) term(b, POWER_ADDED, "added_access", POWER_N_STORE + (unsigned)i, one.access);
    term(b, POWER_ADDED, "added_leakage", POWER_N_SECONDS, n * one.leakage);
    sum.mm2 += n * one.area;
    sum.leakage += n * one.leakage;
    sum.bits += n * (double)s->bits;
  }
  b->m->added_mm2 = sum.mm2;
  b->m->added_leakage = sum.leakage;
  add_area(b, &sum);
}

static void price_static(const struct build *b) {
  double busy = key(b, "power.sm.static"), idle = key(b, "power.sm.idle");
  term(b, POWER_STATIC, "static_sm", POWER_N_SECONDS, b->chip->sms * idle);
  term(b, POWER_STATIC, "static_sm", POWER_N_ACTIVE, (busy - idle) / b->chip->core_hz);
  term(b, POWER_STATIC, "constant", POWER_N_SECONDS, key(b, "power.constant"));
}

void power_model_init(struct power_model *m, const struct cfg *cfg, const struct power_chip *chip) {
  double node = cfg_real(cfg, "power.node");
  *m = (struct power_model){.stores = chip->stores};
  struct build b = {m, cfg, chip, power_tech(node, cfg_real(cfg, "power.temperature")),
                    power_energy_scale(node), 0};
  price_core(&b);
  price_l1(&b);
  price_l2(&b);
  price_dram(&b);
  price_noc(&b);
  price_ring(&b);
  price_stores(&b);
  price_static(&b);
}

/* ---- counts to joules ---- */

struct power_energy power_energy(const struct power_model *m, const double *counts) {
  struct power_energy e = {0};
  for (size_t i = 0; i < m->terms; i++) e.part[m->term[i].part] += m->term[i].joules * counts[m->term[i].count];
  e.noc = e.part[POWER_NOC_ROUTERS] + e.part[POWER_NOC_LINKS];
  for (int p = 0; p < POWER_PARTS; p++) e.total += e.part[p];
  return e;
}

double power_item(const struct power_model *m, const double *counts, const char *name) {
  double sum = 0;
  for (size_t i = 0; i < m->terms; i++)
    if (!strcmp(m->term[i].name, name)) sum += m->term[i].joules * counts[m->term[i].count];
  return sum;
}
