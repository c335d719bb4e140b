/* See mem_map.h. Owns the layout and the split by channels. Bank numbers can also be combined with row bits by
 * exclusive-or (permutation-based interleaving), except for the bits that choose the slice. */
#include "mem/mem_map.h"

#include "base/arena.h"
#include "mem/mem_gf2.h"
#include "mem/packet.h"

#include <stdlib.h>
#include <string.h>

enum { PLAIN_BANKS, XOR_BANKS };
static const struct policy *const bank_hashes[] = {[PLAIN_BANKS] = OPTION("none", "the bank is a field of the address"),
                                                  [XOR_BANKS] = OPTION("xor",
                                                                       "bank bits are combined with the low row bits by "
                                                                       "exclusive-or"), NULL};

const struct cfg_key mem_map_keys[] = {
    {"dram.channels", CFG_INT, "6", 1, 256, NULL, "channels", "number of memory channels of the GPU, not necessarily a power of two"},
    {"l2.slices_per_channel", CFG_INT, "2", 1, 32, NULL, "slices", "number of L2 slices of a memory channel, a power of two"},
    {"dram.banks", CFG_INT, "16", 1, 64, NULL, "banks", "number of banks of a DRAM channel, a power of two"},
    {"dram.row_bytes", CFG_BYTES, "2K", 256, 1 << 20, NULL, "bytes",
     "size of a bank's row buffer, unless dram.layout is set or dram.map has a layout"},
    {"dram.interleave", CFG_BYTES, "256", 128, 1 << 20, NULL, "bytes", "consecutive bytes that are in one DRAM channel"},
    {"dram.map", CFG_CHOICE, "hynix", 0, 0, mem_map_hashes, "",
     "address map: how addresses are distributed over channels, slices and banks"},
    {"dram.layout", CFG_TEXT, "", 0, 0, NULL, "",
     "layout of the address without its channel: R, B, C, S or 0 for each bit, highest first; empty: that of dram.map, or made from the "
     "sizes"},
    {"dram.bank_hash", CFG_CHOICE, "none", 0, 0, bank_hashes, "", "how the bank's number is hashed after the address map has found it"},
    {0},
};

/* A field's bits as runs: `width` bits from position `from` of the address go to position `to` of the field.
 */
struct run {
  uint8_t from, width, to;
};
struct field {
  uint32_t n;
  struct run run[64];
};

struct mem_map {
  const struct mem_map_hash *hash;
  struct mem_gf2 *forward, *backward; /* NULL: no hash */
  uint32_t channels, shift;           /* interleave = 1 << shift */
  uint64_t reciprocal;                /* 2^64 / channels, rounded up */
  uint32_t slices, slice_bits, banks; /* of a channel */
  bool bank_xor;
  struct field row, bank, column, local, slice;
};

/* ---- fields ---- */

static void field_add(struct field *f, unsigned from) {
  unsigned to = 0;
  if (f->n) {
    struct run *r = &f->run[f->n - 1];
    to = r->to + r->width;
    if (r->from + r->width == from) {
      r->width++;
      return;
    }
  }
  f->run[f->n++] = (struct run){(uint8_t)from, 1, (uint8_t)to};
}

static uint64_t ones(unsigned n) { return n >= 64 ? UINT64_MAX : (1ull << n) - 1; }

static uint64_t field_get(const struct field *f, uint64_t a) {
  uint64_t v = 0;
  for (uint32_t i = 0; i < f->n; i++) v |= (a >> f->run[i].from & ones(f->run[i].width)) << f->run[i].to;
  return v;
}

static uint64_t field_put(const struct field *f, uint64_t v) {
  uint64_t a = 0;
  for (uint32_t i = 0; i < f->n; i++) a |= (v >> f->run[i].to & ones(f->run[i].width)) << f->run[i].from;
  return a;
}

static unsigned field_width(const struct field *f) {
  return f->n ? (unsigned)f->run[f->n - 1].to + f->run[f->n - 1].width : 0;
}

static uint64_t field_mask(const struct field *f) { return field_put(f, UINT64_MAX); }

/* ---- layout ---- */

static unsigned log2_of(uint64_t n) { return 63u - (unsigned)__builtin_clzll(n); }
static unsigned log2_up(uint64_t n) { return n <= 1 ? 0 : 1 + log2_of(n - 1); }
static bool power_of_two(uint64_t n) { return n && !(n & (n - 1)); }

/* From low to high: burst bytes and columns of the interleave, the slice's bank bits, the other columns, the
 * other banks, rows. */
static void made_layout(const struct mem_map *m, unsigned row_bits, char out[64]) {
  unsigned n = 0, columns = row_bits, banks = log2_of(m->banks);
  for (; n < m->shift && columns; n++, columns--) out[n] = n < 5 ? 'S' : 'C';
  for (unsigned i = 0; i < m->slice_bits; i++, banks--) out[n++] = 'B';
  for (; columns; columns--) out[n++] = 'C';
  for (; banks; banks--) out[n++] = 'B';
  while (n < 64) out[n++] = 'R';
}

/* Letters of a written layout into out[bit]; false if it is not one. */
static bool read_layout(const char *text, char out[64]) {
  unsigned n = 0;
  char letters[64];
  for (; *text; text++) {
    if (*text == '.' || *text == ' ') continue;
    if (!strchr("RBCS0", *text) || n == 64) return false;
    letters[n++] = *text;
  }
  for (unsigned i = 0; i < n; i++) out[i] = letters[n - 1 - i];
  while (n && out[n - 1] == '0') n--;
  if (!n || memchr(out, '0', n)) return false;
  memset(out + n, 'R', 64 - n);
  return true;
}

static bool set_layout(struct mem_map *m, const struct cfg *cfg, struct err *e) {
  char bit[64];
  const char *text = cfg_text(cfg, "dram.layout");
  uint64_t row_bytes = (uint64_t)cfg_int(cfg, "dram.row_bytes");
  if (!*text && m->hash->layout) text = m->hash->layout;
  if (!*text) {
    if (!power_of_two(row_bytes)) return cfg_complain(cfg, "dram.row_bytes", e, "must be a power of two");
    made_layout(m, log2_of(row_bytes), bit);
  } else if (!read_layout(text, bit)) {
    return cfg_complain(cfg, "dram.layout", e,
                        "must be R, B, C, S for up to 64 address bits, highest first, with 0 only on top");
  }
  for (unsigned i = 0; i < 64; i++) {
    field_add(bit[i] == 'R' ? &m->row : bit[i] == 'B' ? &m->bank : &m->column, i);
    if (bit[i] == 'B' && field_width(&m->slice) < m->slice_bits)
      field_add(&m->slice, i);
    else
      field_add(&m->local, i);
  }
  if (1u << field_width(&m->bank) != m->banks)
    return cfg_complain(cfg, "dram.banks", e, "the address layout has bits for %u banks",
                        1u << field_width(&m->bank));
  return true;
}

/* ---- making ---- */

static bool set_sizes(struct mem_map *m, const struct cfg *cfg, struct err *e) {
  uint64_t interleave = (uint64_t)cfg_int(cfg, "dram.interleave");
  m->channels = (uint32_t)cfg_int(cfg, "dram.channels");
  m->slices = (uint32_t)cfg_int(cfg, "l2.slices_per_channel");
  m->banks = (uint32_t)cfg_int(cfg, "dram.banks");
  m->bank_xor = cfg_option(cfg, "dram.bank_hash") == XOR_BANKS;
  if (!power_of_two(interleave)) return cfg_complain(cfg, "dram.interleave", e, "must be a power of two");
  if (!power_of_two(m->banks)) return cfg_complain(cfg, "dram.banks", e, "must be a power of two");
  if (!power_of_two(m->slices) || m->slices > m->banks)
    return cfg_complain(cfg, "l2.slices_per_channel", e, "must be a power of two, at most dram.banks (%u)",
                        m->banks);
  m->shift = log2_of(interleave);
  m->slice_bits = log2_of(m->slices);
  m->reciprocal = UINT64_MAX / m->channels + 1;
  return true;
}

/* Where a bit of the rest comes from in the whole address: exact for a power of two of channels, near it
 * otherwise. */
static uint64_t before_split(const struct mem_map *m, uint64_t rest) {
  uint64_t low = ones(m->shift);
  return (rest & low) | (rest & ~low) << log2_up(m->channels);
}

static bool set_hash(struct mem_map *m, const struct cfg *cfg, struct err *e) {
  if (!m->hash->matrix) return true;
  uint64_t low = ones(m->shift), column[64], inverse[64];
  struct mem_map_bits bits = {
      .channel = ones(log2_up(m->channels)) << m->shift | before_split(m, field_mask(&m->slice)),
      .bank = before_split(m, field_mask(&m->bank) & ~field_mask(&m->slice) & ~low),
      .column = before_split(m, field_mask(&m->column) & ~low),
      .row = before_split(m, field_mask(&m->row)) & ones(48),
      .within = low,
  };
  for (unsigned i = 0; i < 64; i++) column[i] = 1ull << i;
  m->hash->matrix(cfg, &bits, column);
  if (!mem_gf2_invert(column, inverse))
    return cfg_complain(cfg, "dram.map", e, "the hash maps two addresses to one place");
  m->forward = must_alloc(sizeof *m->forward);
  m->backward = must_alloc(sizeof *m->backward);
  mem_gf2_init(m->forward, column);
  mem_gf2_init(m->backward, inverse);
  return true;
}

struct mem_map *mem_map_new(const struct cfg *cfg, struct err *e) {
  struct mem_map *m = must_alloc(sizeof *m);
  m->hash = cfg_policy(cfg, "dram.map");
  if (set_sizes(m, cfg, e) && set_layout(m, cfg, e) && set_hash(m, cfg, e)) return m;
  mem_map_delete(m);
  return NULL;
}

void mem_map_delete(struct mem_map *m) {
  if (!m) return;
  free(m->forward);
  free(m->backward);
  free(m);
}

unsigned mem_map_channels(const struct mem_map *m) { return m->channels; }
unsigned mem_map_slices(const struct mem_map *m) { return m->channels * m->slices; }
unsigned mem_map_banks(const struct mem_map *m) { return m->banks; }

/* ---- mapping ---- */

/* Block number = channels * quotient + channel. The reciprocal is exact while block * channels < 2^64;
 * addresses have at most 48 bits. */
static uint64_t split(const struct mem_map *m, uint64_t address, uint32_t *channel) {
  if (m->forward) address = mem_gf2_apply(m->forward, address);
  uint64_t block = address >> m->shift;
  uint64_t quotient = m->channels == 1 ? block : (uint64_t)((unsigned __int128)block * m->reciprocal >> 64);
  *channel = (uint32_t)(block - quotient * m->channels);
  return quotient << m->shift | (address & ones(m->shift));
}

static uint32_t hashed_bank(const struct mem_map *m, uint64_t bank, uint64_t row) {
  return (uint32_t)(m->bank_xor ? bank ^ (row & (m->banks - 1) & ~(uint64_t)(m->slices - 1)) : bank);
}

struct mem_place mem_map(const struct mem_map *m, uint64_t address) {
  uint32_t channel;
  uint64_t rest = split(m, address, &channel);
  uint64_t row = field_get(&m->row, rest), bank = field_get(&m->bank, rest);
  return (struct mem_place){
      .channel = (uint16_t)channel,
      .slice = (uint16_t)(channel * m->slices + (bank & (m->slices - 1))),
      .bank = (uint16_t)hashed_bank(m, bank, row),
      .row = row,
      .column = (uint32_t)field_get(&m->column, rest),
  };
}

uint64_t mem_map_back(const struct mem_map *m, const struct mem_place *p) {
  uint64_t bank = hashed_bank(m, p->bank, p->row);
  uint64_t rest = field_put(&m->row, p->row) | field_put(&m->bank, bank) | field_put(&m->column, p->column);
  uint64_t block = (rest >> m->shift) * m->channels + p->channel;
  uint64_t address = block << m->shift | (rest & ones(m->shift));
  return m->backward ? mem_gf2_apply(m->backward, address) : address;
}

uint16_t mem_map_slice(const struct mem_map *m, uint64_t address) {
  uint32_t channel;
  uint64_t rest = split(m, address, &channel);
  return (uint16_t)(channel * m->slices + field_get(&m->slice, rest));
}

uint64_t mem_map_local(const struct mem_map *m, uint64_t address) {
  uint32_t channel;
  return field_get(&m->local, split(m, address, &channel));
}
