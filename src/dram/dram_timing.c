/* See dram_timing.h. A refresh is of all banks at once or of groups of neighbouring banks in turn. Precharging for a
 * refresh takes no slot of the command bus. */
#include "dram/dram_timing.h"

#include "base/arena.h"
#include "dram/dram.h"

#include <stdlib.h>
#include <string.h>

#define CLOCKS(name, initial, max, meaning)                                                                  \
  { "dram." name, CFG_INT, initial, 0, max, NULL, "clocks", meaning }

enum { GROUP_HIGH, GROUP_LOW };
static const struct policy *const group_bits[] = {
    [GROUP_HIGH] = OPTION("high", "the bank group is the highest bits of the bank's number"),
    [GROUP_LOW] = OPTION("low", "the bank group is the lowest bits of the bank's number"),
    NULL,
};

const struct cfg_key dram_timing_keys[] = {
    {"dram.bus_bytes", CFG_INT, "8", 1, 256, NULL, "bytes", "width of a DRAM channel's data bus"},
    {"dram.burst_length", CFG_INT, "8", 1, 64, NULL, "transfers", "transfers over the data bus in one DRAM burst"},
    {"dram.rate", CFG_INT, "4", 1, 16, NULL, "transfers", "transfers over the DRAM data bus per command clock: GDDR5 4, HBM 2"},
    {"dram.bank_groups", CFG_INT, "4", 1, 64, NULL, "groups", "bank groups of a DRAM channel"},
    {"dram.group_bits", CFG_CHOICE, "high", 0, 0, group_bits, "",
     "which bits of a bank's number are its group"},
    CLOCKS("tCCD", "2", 1000, "shortest time between two column commands to different bank groups"),
    CLOCKS("tCCDL", "3", 1000, "shortest time between two column commands to the same bank group"),
    CLOCKS("tRRD", "6", 1000, "shortest time between activates of two banks"),
    CLOCKS("tRRDL", "0", 1000, "shortest time between activates of two banks of a group; 0: as dram.tRRD"),
    CLOCKS("tRCD", "12", 1000, "shortest time from the activate of a row to a read"),
    CLOCKS("tRCDW", "0", 1000, "shortest time from the activate of a row to a write; 0: as dram.tRCD"),
    CLOCKS("tRAS", "28", 1000, "shortest time from the activate of a row to its precharge"),
    CLOCKS("tRP", "12", 1000, "shortest time from the precharge of a bank to its next activate"),
    CLOCKS("tRC", "40", 1000, "shortest time between two activates of a bank"),
    CLOCKS("tCL", "12", 1000, "latency from a read command to its first data"),
    CLOCKS("tWL", "4", 1000, "latency from a write command to its first data"),
    CLOCKS("tCDLR", "5", 1000, "shortest time from the last data of a write to a read (tWTR)"),
    CLOCKS("tWR", "12", 1000, "shortest time from the last data of a write to the precharge"),
    CLOCKS("tRTP", "2", 1000, "shortest time from a read to the precharge (tRTPL)"),
    CLOCKS("tFAW", "0", 1000, "length of the window in which at most four activates may be sent; 0: no limit"),
    CLOCKS("tREFI", "0", 1000000, "time between two refreshes of a bank; 0: no refresh"),
    CLOCKS("tRFC", "0", 10000, "time that a refresh keeps a bank busy"),
    {"dram.refresh_banks", CFG_INT, "0", 0, 4096, NULL, "banks",
     "banks refreshed at a time, all of them in turn within tREFI; 0: all at once"},
    {0},
};

static void read_clocks(struct dram_timing *t, const struct cfg *cfg) {
  const struct {
    const char *key;
    uint64_t *to;
  } clocks[] = {
      {"dram.tCCD", &t->ccd}, {"dram.tCCDL", &t->ccdl}, {"dram.tRRD", &t->rrd}, {"dram.tRRDL", &t->rrdl},
      {"dram.tRCD", &t->rcd}, {"dram.tRCDW", &t->rcdw}, {"dram.tRAS", &t->ras}, {"dram.tRP", &t->rp},
      {"dram.tRC", &t->rc},   {"dram.tCL", &t->cl},     {"dram.tWL", &t->wl},   {"dram.tCDLR", &t->cdlr},
      {"dram.tWR", &t->wr},   {"dram.tRTP", &t->rtp},   {"dram.tFAW", &t->faw}, {"dram.tREFI", &t->refi},
      {"dram.tRFC", &t->rfc},
  };
  for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++)
    *clocks[i].to = (uint64_t)cfg_int(cfg, clocks[i].key) * t->period;
}

/* Read to write: the write's data must follow the read's with two clocks to turn the bus round. */
static void derive(struct dram_timing *t) {
  if (!t->rrdl) t->rrdl = t->rrd;
  if (!t->rcdw) t->rcdw = t->rcd;
  uint64_t gap = t->cl + t->burst + 2 * t->period;
  t->read_to_write = gap > t->wl ? gap - t->wl : 0;
  t->write_to_read = t->wl + t->burst + t->cdlr;
  t->write_to_precharge = t->wl + t->burst + t->wr;
}

static bool read_timing(struct dram_timing *t, const struct cfg *cfg, struct err *e) {
  uint32_t length = (uint32_t)cfg_int(cfg, "dram.burst_length"), rate = (uint32_t)cfg_int(cfg, "dram.rate");
  t->groups = (uint32_t)cfg_int(cfg, "dram.bank_groups");
  t->group_high = cfg_option(cfg, "dram.group_bits") == GROUP_HIGH;
  t->burst_bytes = (uint32_t)cfg_int(cfg, "dram.bus_bytes") * length;
  t->burst = (length + rate - 1) / rate * t->period;
  read_clocks(t, cfg);
  derive(t);
  if (t->banks % t->groups)
    return cfg_complain(cfg, "dram.bank_groups", e, "%u banks do not divide into %u groups", t->banks,
                        t->groups);
  if (t->burst_bytes > MEM_LINE || MEM_LINE % t->burst_bytes)
    return cfg_complain(cfg, "dram.bus_bytes", e, "a burst of %u bytes does not divide a %d-byte line",
                        t->burst_bytes, MEM_LINE);
  if (t->ccd < t->burst)
    return cfg_complain(cfg, "dram.tCCD", e, "a burst takes %lu clocks on the data bus",
                        t->burst / t->period);
  if (t->ccdl < t->ccd) return cfg_complain(cfg, "dram.tCCDL", e, "must be at least tCCD");
  t->refresh_banks = (uint32_t)cfg_int(cfg, "dram.refresh_banks");
  if (!t->refresh_banks) t->refresh_banks = t->banks;
  if (t->banks % t->refresh_banks)
    return cfg_complain(cfg, "dram.refresh_banks", e, "must divide the banks of a channel (%u)", t->banks);
  t->refresh_interval = t->refi / (t->banks / t->refresh_banks);
  if (t->refi && t->rfc + t->rp + t->rc >= t->refresh_interval)
    return cfg_complain(cfg, "dram.tREFI", e, "leaves no time between refreshes");
  return true;
}

bool dram_device_init(struct dram_device *d, const struct cfg *cfg, const struct dram_device_place *place, struct err *e) {
  uint32_t banks = place->banks;
  *d = (struct dram_device){.t = {.period = place->period, .banks = banks}};
  if (!read_timing(&d->t, cfg, e)) return false;
  d->bank = must_alloc(banks * sizeof *d->bank);
  d->group = must_alloc(d->t.groups * sizeof *d->group);
  d->open = must_alloc(banks * sizeof *d->open);
  uint32_t each = banks / d->t.groups;
  for (uint32_t b = 0; b < banks; b++) {
    d->open[b] = DRAM_CLOSED;
    d->bank[b].group = (uint16_t)(d->t.group_high ? b / each : b % d->t.groups);
  }
  d->refresh_due = MEM_NEVER;
  if (d->t.refi) { /* spread over tREFI: channels are not refreshed at the same time */
    uint64_t ahead = d->t.refi * place->channel / place->channels, interval = d->t.refresh_interval;
    d->refresh_due = interval + ahead % interval;
    d->turn = ahead / interval;
  }
  return true;
}

void dram_device_free(struct dram_device *d) {
  free(d->bank);
  free(d->group);
  free(d->open);
}

static void not_before(uint64_t *may, uint64_t t) {
  if (*may < t) *may = t;
}

static void issue_column(struct dram_device *d, unsigned bank, enum dram_command c, uint64_t now) {
  const struct dram_timing *t = &d->t;
  struct dram_group *g = &d->group[d->bank[bank].group];
  bool read = c == DRAM_READ;
  not_before(&d->may[c], now + t->ccd);
  not_before(&d->may[read ? DRAM_WRITE : DRAM_READ], now + (read ? t->read_to_write : t->write_to_read));
  not_before(&g->may[DRAM_READ], now + t->ccdl);
  not_before(&g->may[DRAM_WRITE], now + t->ccdl);
  not_before(&d->bank[bank].may[DRAM_PRECHARGE], now + (read ? t->rtp : t->write_to_precharge));
}

/* tFAW: the next activate waits for the fourth last. */
static void issue_activate(struct dram_device *d, unsigned bank, uint64_t row, uint64_t now) {
  const struct dram_timing *t = &d->t;
  struct dram_bank *b = &d->bank[bank];
  d->open[bank] = row;
  not_before(&b->may[DRAM_READ], now + t->rcd);
  not_before(&b->may[DRAM_WRITE], now + t->rcdw);
  not_before(&b->may[DRAM_PRECHARGE], now + t->ras);
  not_before(&b->may[DRAM_ACTIVATE], now + t->rc);
  not_before(&d->may[DRAM_ACTIVATE], now + t->rrd);
  not_before(&d->group[b->group].may[DRAM_ACTIVATE], now + t->rrdl);
  if (!t->faw) return;
  d->activated[d->next_activated] = now + t->faw;
  d->next_activated = (d->next_activated + 1) % 4;
  not_before(&d->may[DRAM_ACTIVATE], d->activated[d->next_activated]);
}

void dram_device_issue(struct dram_device *d, unsigned bank, enum dram_command c, uint64_t row,
                       uint64_t now) {
  assert(dram_device_may(d, bank, c) <= now);
  if (c == DRAM_ACTIVATE) {
    issue_activate(d, bank, row, now);
  } else if (c == DRAM_PRECHARGE) {
    d->open[bank] = DRAM_CLOSED;
    not_before(&d->bank[bank].may[DRAM_ACTIVATE], now + d->t.rp);
  } else {
    issue_column(d, bank, c, now);
  }
}

/* Closes the rows of the banks of a turn that is over. Returns how many were open. */
static uint32_t close_past(struct dram_device *d, uint64_t turn) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < d->t.refresh_banks; i++) {
    uint64_t *open = &d->open[turn * d->t.refresh_banks % d->t.banks + i];
    n += *open != DRAM_CLOSED;
    *open = DRAM_CLOSED;
  }
  return n;
}

/* Only the last of several that were due while nobody looked can still be under way. */
uint64_t dram_device_refresh(struct dram_device *d, uint64_t now, uint32_t *closed) {
  const struct dram_timing *t = &d->t;
  *closed = 0;
  if (d->refresh_due > now) return 0;
  uint64_t missed = (now - d->refresh_due) / t->refresh_interval, begin = d->refresh_due + missed * t->refresh_interval;
  uint64_t turns = t->banks / t->refresh_banks, before = d->turn, last = before + missed;
  for (uint64_t turn = missed < turns ? before : last + 1 - turns; turn < last; turn++) *closed += close_past(d, turn);
  uint32_t first = (uint32_t)(last % turns) * t->refresh_banks, end = first + t->refresh_banks;
  for (uint32_t b = first; b < end; b++) {
    struct dram_bank *k = &d->bank[b];
    if (d->open[b] == DRAM_CLOSED) continue;
    not_before(&k->may[DRAM_ACTIVATE], mem_later(begin, k->may[DRAM_PRECHARGE]) + t->rp);
    d->open[b] = DRAM_CLOSED;
    ++*closed;
  }
  for (uint32_t b = first; b < end; b++) begin = mem_later(begin, d->bank[b].may[DRAM_ACTIVATE]);
  for (uint32_t b = first; b < end; b++) d->bank[b].may[DRAM_ACTIVATE] = begin + t->rfc;
  d->refresh_due += (missed + 1) * t->refresh_interval;
  d->turn = last + 1;
  return d->turn / turns - before / turns;
}
