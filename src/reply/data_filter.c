/* See data_filter.h. */
#include "reply/data_filter.h"

#include "l1/windows.h"

enum { WHOLE = (1 << MEM_SECTORS) - 1, SM_SHIFT = 48 /* addresses are shorter */ };

static bool table_bits(const struct cfg *cfg, uint64_t *bits, struct err *e) {
  struct reply_filter f;
  bool on;
  if (!reply_filter_init(&f, cfg, &on, e)) return false;
  *bits = reply_filter_bits(&f, (uint32_t)cfg_int(cfg, "gpu.sms"));
  reply_filter_free(&f);
  return true;
}
static const struct policy_part storage[] = {{"reply.table", POLICY_OF_SLICE, table_bits, "reply.table", "reply.pdrs", false}, {0}};

static const struct stat_def stats[REPLY_STATS + 1] = {
    [REPLY_FDRS] = {"reply.fdrs", "requests", "reply.filter: global reads that asked L2 for whole lines", ""},
    [REPLY_PDRS] = {"reply.pdrs", "requests", "reply.filter: global reads that asked L2 for a part of a line", ""},
    [REPLY_MERGED] = {"reply.merged", "requests",
                      "reply.filter: requests of reply.fdrs and reply.pdrs merged with an earlier one in the data-filtering table", ""},
    [REPLY_TABLE_FULL] = {"reply.table_full", "requests",
                          "reply.filter: requests for a part of a line that were answered whole because the data-filtering table was "
                          "full", ""},
    [REPLY_CUT] = {"reply.cut", "packets", "reply.filter: replies of lines of which only a part was asked for", ""},
    [REPLY_CUT_BYTES] = {"reply.cut_bytes", "bytes", "reply.filter: bytes of the lines of reply.cut that were not asked for", ""},
};

#define PAPER                                                                                                          \
  "Byoun: Data traffic reduction by exploiting data criticality with a "                                               \
  "compressor in GPU, Texas A&M University 2018"
static const struct reply_method manipulation = {
    {.name = "df-man", .meaning = "replies are whole lines, with zeros in place of what was not asked for if that compresses better",
     .paper = PAPER, .keys = l1_window_keys, .stats = stats, .storage = storage},
    false};
static const struct reply_method truncation = {
    {.name = "df-truc", .meaning = "replies contain only the sub-blocks of 32 bytes that were asked for",
     .paper = PAPER, .keys = l1_window_keys, .stats = stats, .storage = storage},
    true};
static const struct policy *const filters[] = {OPTION_OFF("none",
 "no filter: L1D misses fetch what the L1D organisation asks for, and replies carry all of it"),
                                              &manipulation.policy, &truncation.policy, NULL};

const struct cfg_key reply_keys[] = {
    {"reply.filter", CFG_CHOICE, "none", 0, 0, filters, "",
     "data filter: L1D misses ask only for the sub-blocks that loads need, and the reply is the line with zeros elsewhere, or only these "
     "sub-blocks"},
    {"reply.table", CFG_INT, "256", 0, 65535, NULL, "entries", "entries of the data-filtering table of an L2 slice, with reply.filter"},
    {0},
};

bool reply_filter_init(struct reply_filter *f, const struct cfg *cfg, bool *on, struct err *e) {
  *f = (struct reply_filter){.method = cfg_policy(cfg, "reply.filter")};
  *on = f->method != NULL;
  if (cfg_bool(cfg, "noc.reply_exact") && (*on || cfg_policy(cfg, "reply.compress")))
    return cfg_complain(cfg, "noc.reply_exact", e, "reply.filter and reply.compress need whole sectors: it must be false");
  if (!*on) return true;
  if (cfg_bool(cfg, "noc.reply_per_sector"))
    return cfg_complain(cfg, "reply.filter", e, "it needs noc.reply_per_sector=false: it makes one packet of a reply");
  if (!f->method->truncates && !cfg_policy(cfg, "reply.compress"))
    return cfg_complain(cfg, "reply.filter", e, "df-man fills with zeros for a compressor: it needs reply.compress, or take df-truc");
  mem_mshr_init(&f->table, (uint32_t)cfg_int(cfg, "reply.table"), 1);
  return true;
}

void reply_filter_free(struct reply_filter *f) { mem_mshr_free(&f->table); }

void reply_filter_register(const struct reply_filter *f, struct stats *st, unsigned slice) {
  policy_register(st, filters, f->method ? &f->method->policy : NULL, f->counters, slice);
}

uint64_t reply_filter_bits(const struct reply_filter *f, uint32_t sms) {
  enum { ADDRESS = 32, LINE = 7 };
  unsigned sm = sms > 1 ? 32u - (unsigned)__builtin_clz(sms - 1) : 0;
  return (uint64_t)f->table.n * (ADDRESS - LINE + sm + MEM_SECTORS + 1);
}

static bool concerns(const struct mem_packet *k, enum mem_kind kind) {
  return k->kind == kind && k->class_ == MEM_GLOBAL && !k->bypass;
}

static void set_sectors(struct mem_packet *k, uint8_t sectors) {
  k->sectors = sectors;
  k->bytes = mem_bytes_of(sectors);
}

bool reply_filter_request(struct reply_filter *f, struct mem_packet *k) {
  if (!concerns(k, MEM_READ)) return false;
  uint64_t key = k->line | (uint64_t)k->sm << SM_SHIFT;
  int32_t at = mem_mshr_find(&f->table, key);
  f->counters[k->sectors == WHOLE ? REPLY_FDRS : REPLY_PDRS]++;
  if (at != MEM_NO_MSHR) {
    f->table.entries[at].asked = mem_or(f->table.entries[at].asked, mem_bytes_of(k->sectors));
    f->counters[REPLY_MERGED]++;
    return true;
  }
  if (k->sectors == WHOLE) return false;
  if (mem_mshr_full(&f->table)) {
    f->counters[REPLY_TABLE_FULL]++;
  } else {
    at = mem_mshr_new(&f->table, key);
    f->table.entries[at].asked = mem_bytes_of(k->sectors);
    k->filtered = (uint16_t)(at + 1);
  }
  set_sectors(k, WHOLE);
  return false;
}

void reply_filter_reply(struct reply_filter *f, struct mem_packet *k) {
  if (!k->filtered) return;
  int32_t at = k->filtered - 1;
  set_sectors(k, mem_sectors_of(f->table.entries[at].asked));
  mem_mshr_end(&f->table, at);
  k->filtered = 0;
  if (k->sectors == WHOLE) return;
  uint32_t cut = MEM_LINE - MEM_SECTOR * (uint32_t)__builtin_popcount(k->sectors);
  f->counters[REPLY_CUT]++;
  f->counters[REPLY_CUT_BYTES] += cut;
  if (f->method->truncates) k->payload = (uint16_t)(MEM_LINE - cut);
}
