/* See coalesce.h. */
#include "sm/coalesce.h"

#include "l1/l1_index.h"

#include <string.h>

/* Bytes from `addr` on, all in one line. */
static void add_bytes(struct sm_segment *s, uint64_t addr, unsigned bytes) {
  unsigned at = (unsigned)addr & (MEM_LINE - 1), end = at + bytes;
  uint64_t ones = bytes >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bytes) - 1;
  s->bytes.b[at / 64] |= ones << (at % 64);
  if (at < 64 && end > 64) s->bytes.b[1] |= end >= MEM_LINE ? ~UINT64_C(0) : (UINT64_C(1) << (end - 64)) - 1;
}

/* Whether every lane's bytes follow those of the lane before it. */
static bool in_a_row(const uint64_t *addr, unsigned bytes) {
  uint64_t first = addr[0], differs = 0;
  if (addr[1] - first != bytes) return false;
  for (unsigned i = 0; i < EXEC_LANES; i++) differs |= addr[i] ^ (first + i * bytes);
  return !differs;
}

static unsigned split_row(uint64_t first, uint64_t end, unsigned line_bytes, struct sm_segment *out) {
  unsigned n = 0;
  for (uint64_t at = first, next; at < end; at = next) {
    uint64_t line = at & ~(uint64_t)(line_bytes - 1);
    next = line + line_bytes < end ? line + line_bytes : end;
    out[n] = (struct sm_segment){.line = line};
    add_bytes(&out[n++], at, (unsigned)(next - at));
  }
  return n;
}

static struct sm_segment *find(struct sm_segment *out, unsigned n, uint64_t line) {
  for (unsigned k = n; k-- > 0;) /* neighbours usually follow each other */
    if (out[k].line == line) return &out[k];
  return NULL;
}

static struct sm_segment *find_or_add(struct sm_segment *out, unsigned *n, uint64_t line, uint64_t *highest) {
  struct sm_segment *s = line <= *highest ? find(out, *n, line) : NULL; /* lines mostly rise: a higher one is new */
  if (s) return s;
  if (line > *highest) *highest = line;
  s = &out[(*n)++];
  *s = (struct sm_segment){.line = line};
  return s;
}

/* Runs of lanes with consecutive bytes in one line are added at once. */
unsigned sm_coalesce(const uint64_t *addr, uint32_t mask, unsigned bytes, unsigned line_bytes, struct sm_segment *out) {
  if (!mask) return 0;
  uint64_t from = addr[__builtin_ctz(mask)];
  if (mask == EXEC_ALL_LANES && in_a_row(addr, bytes))
    return split_row(from, from + (uint64_t)EXEC_LANES * bytes, line_bytes, out);
  uint64_t line_mask = ~(uint64_t)(line_bytes - 1), to = from + bytes, highest = from & line_mask;
  unsigned n = 1;
  struct sm_segment *s = out;
  *s = (struct sm_segment){.line = highest};
  for (uint32_t left = mask & (mask - 1); left; left &= left - 1) {
    uint64_t at = addr[__builtin_ctz(left)], line = at & line_mask;
    if (at + bytes == to) continue; /* the same bytes again */
    if (at == to && line == s->line) {
      to += bytes;
      continue;
    }
    add_bytes(s, from, (unsigned)(to - from));
    if (line != s->line) s = find_or_add(out, &n, line, &highest);
    from = at;
    to = at + bytes;
  }
  add_bytes(s, from, (unsigned)(to - from));
  return n;
}

/* ---- segments ---- */

/* Address of the first byte that is accessed, by which segments are ordered. */
static uint64_t start_of(const struct sm_segment *s) {
  unsigned first = (unsigned)(s->bytes.b[0] ? __builtin_ctzll(s->bytes.b[0]) : 64 + __builtin_ctzll(s->bytes.b[1]));
  return (s->line & ~(uint64_t)(MEM_LINE - 1)) + first;
}

static void turn_round(struct sm_segment *out, unsigned n) {
  for (unsigned i = 0; i < n / 2; i++) {
    struct sm_segment s = out[i];
    out[i] = out[n - 1 - i];
    out[n - 1 - i] = s;
  }
}

/* Sorts the segments of an instruction from the highest address down; those of equal address in reverse order of creation. */
static void order_segments(struct sm_segment *out, unsigned n, unsigned segment) {
  uint64_t mask = ~(uint64_t)(segment - 1);
  unsigned rising = 1;
  while (rising < n && (start_of(&out[rising - 1]) & mask) <= (start_of(&out[rising]) & mask)) rising++;
  if (rising >= n) { /* the usual case */
    turn_round(out, n);
    return;
  }
  for (unsigned i = 1; i < n; i++) {
    struct sm_segment s = out[i];
    unsigned k = i;
    for (; k > 0 && (start_of(&out[k - 1]) & mask) <= (start_of(&s) & mask); k--) out[k] = out[k - 1];
    out[k] = s;
  }
}

static bool overlaps(const struct sm_segment *s, uint64_t addr, unsigned bytes) {
  struct sm_segment one = {.line = s->line};
  add_bytes(&one, addr, bytes);
  return (s->bytes.b[0] & one.bytes.b[0]) | (s->bytes.b[1] & one.bytes.b[1]);
}

/* The segment that a lane's bytes join, or the end of the list. `apart`: lanes that overlap do not share a segment. */
static struct sm_segment *join(struct sm_segment *out, unsigned n, uint64_t at, unsigned bytes, unsigned segment, bool apart) {
  uint64_t mask = ~(uint64_t)(segment - 1);
  for (unsigned k = 0; k < n; k++)
    if ((start_of(&out[k]) & mask) == (at & mask) && !(apart && overlaps(&out[k], at, bytes))) return &out[k];
  return &out[n];
}

/* Segments of at most `most` bytes. */
static unsigned segments(const uint64_t *addr, uint32_t mask, unsigned bytes, unsigned line_bytes, unsigned most, bool apart,
                         struct sm_segment *out) {
  unsigned segment = bytes == 1 ? 32 : bytes == 2 ? 64 : MEM_LINE, n = 0;
  if (segment > line_bytes) segment = line_bytes;
  if (segment > most) segment = most;
  if (segment == line_bytes && !apart) {
    n = sm_coalesce(addr, mask, bytes, line_bytes, out);
    order_segments(out, n, segment);
    return n;
  }
  for (uint32_t left = mask; left; left &= left - 1) {
    uint64_t at = addr[__builtin_ctz(left)];
    struct sm_segment *s = join(out, n, at, bytes, segment, apart);
    if (s == &out[n]) *s = (struct sm_segment){.line = at & ~(uint64_t)(line_bytes - 1)}, n++;
    add_bytes(s, at, bytes);
  }
  order_segments(out, n, segment);
  return n;
}

unsigned sm_coalesce_segments(const uint64_t *addr, uint32_t mask, unsigned bytes, unsigned line_bytes, struct sm_segment *out) {
  return segments(addr, mask, bytes, line_bytes, MEM_LINE, false, out);
}

unsigned sm_coalesce_atomic(const uint64_t *addr, uint32_t mask, unsigned bytes, unsigned line_bytes, struct sm_atomic_shape shape,
                            struct sm_segment *out) {
  unsigned n = 0, lanes = EXEC_LANES / shape.parts;
  for (unsigned p = shape.parts; p-- > 0;) { /* the last part comes first, as the highest addresses do */
    uint32_t part = lanes < 32 ? ((UINT32_C(1) << lanes) - 1) << p * lanes : UINT32_MAX;
    n += segments(addr, mask & part, bytes, line_bytes, shape.segment, true, out + n);
  }
  return n;
}

/* ---- banks ---- */

unsigned sm_order_by_bank(struct sm_segment *seg, unsigned n) {
  struct sm_segment sorted[4 * EXEC_LANES];
  uint8_t rank[4 * EXEC_LANES];
  unsigned in_bank[L1_TAG_BANKS] = {0}, levels = 0, k = 0;
  for (unsigned i = 0; i < n; i++) {
    rank[i] = (uint8_t)in_bank[l1_tag_bank(seg[i].line)]++;
    levels = rank[i] >= levels ? rank[i] + 1u : levels;
  }
  if (levels <= 1) return levels;
  for (unsigned level = 0; level < levels; level++)
    for (unsigned i = 0; i < n; i++)
      if (rank[i] == level) sorted[k++] = seg[i];
  memcpy(seg, sorted, n * sizeof *seg);
  return levels;
}

/* Lanes of one phase: the most distinct words in one bank. */
static unsigned phase_conflicts(const uint64_t *offset, uint32_t mask, unsigned words) {
  uint32_t seen[32][32];
  unsigned depth[32] = {0}, worst = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned i = (unsigned)__builtin_ctz(left);
    for (unsigned k = 0; k < words; k++) {
      uint32_t word = (uint32_t)(offset[i] / 4) + k, bank = word % 32, j = 0;
      while (j < depth[bank] && seen[bank][j] != word) j++;
      if (j < depth[bank]) continue;
      seen[bank][depth[bank]++] = word;
      if (depth[bank] > worst) worst = depth[bank];
    }
  }
  return worst;
}

static bool conflict_free(const uint64_t *offset, uint32_t mask) {
  uint32_t first = (uint32_t)(offset[__builtin_ctz(mask)] / 4) - (uint32_t)__builtin_ctz(mask);
  uint32_t differs = 0, same = 0;
  for (unsigned i = 0; i < EXEC_LANES; i++) {
    uint32_t word = (uint32_t)(offset[i] / 4);
    differs |= mask >> i & 1 ? word - i - first : 0;
    same |= mask >> i & 1 ? word - (uint32_t)(offset[__builtin_ctz(mask)] / 4) : 0;
  }
  return !differs || !same;
}

unsigned sm_bank_cycles(const uint64_t *offset, uint32_t mask, unsigned bytes) {
  if (!mask) return 0;
  if (bytes <= 4) return conflict_free(offset, mask) ? 1 : phase_conflicts(offset, mask, 1);
  unsigned lanes = bytes <= 8 ? 16 : 8, cycles = 0;
  for (unsigned from = 0; from < EXEC_LANES; from += lanes) {
    uint32_t part = mask & (((1u << lanes) - 1u) << from);
    if (part) cycles += phase_conflicts(offset, part, bytes / 4);
  }
  return cycles;
}

/* Whether each lane of a part names the same address as lane i ^ apart, or that lane is not in the part. */
static bool agree(const uint64_t *offset, uint32_t part, unsigned apart) {
  for (uint32_t left = part; left; left &= left - 1) {
    unsigned i = (unsigned)__builtin_ctz(left), other = i ^ apart;
    if (part >> other & 1 && offset[other] != offset[i]) return false;
  }
  return true;
}

unsigned sm_merged_bank_cycles(const uint64_t *offset, uint32_t mask, unsigned bytes) {
  if (bytes <= 4) return sm_bank_cycles(offset, mask, bytes);
  unsigned lanes = bytes <= 8 ? 32 : 16, cycles = 0;
  for (unsigned from = 0; from < EXEC_LANES; from += lanes) {
    uint32_t part = lanes == 32 ? mask : mask & 0xffffu << from;
    if (!part) continue;
    bool merged = agree(offset, part, 1) || agree(offset, part, 2);
    cycles += merged ? phase_conflicts(offset, part, bytes / 4) : sm_bank_cycles(offset, part, bytes);
  }
  return cycles;
}

unsigned sm_bank_lanes(const uint64_t *offset, uint32_t mask, unsigned bytes) {
  unsigned lanes = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8, cycles = 0;
  for (unsigned from = 0; from < EXEC_LANES; from += lanes) {
    unsigned depth[32] = {0}, worst = 0;
    for (unsigned i = from; i < from + lanes; i++) {
      unsigned *d = &depth[offset[i] / 4 % 32];
      *d += mask >> i & 1;
      if (*d > worst) worst = *d;
    }
    cycles += worst;
  }
  return cycles;
}

uint32_t sm_first_lanes(const uint64_t *addr, uint32_t mask) {
  uint32_t first = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned i = (unsigned)__builtin_ctz(left);
    uint32_t others = first;
    while (others && addr[__builtin_ctz(others)] != addr[i]) others &= others - 1;
    if (!others) first |= UINT32_C(1) << i;
  }
  return first;
}

unsigned sm_different_addresses(const uint64_t *addr, uint32_t mask) {
  return (unsigned)__builtin_popcount(sm_first_lanes(addr, mask));
}
