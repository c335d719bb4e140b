/* See coalesce.h. */
#include "sm/coalesce.h"

static struct mem_bytes byte_mask(uint64_t addr, unsigned bytes) {
  unsigned at = (unsigned)addr & (MEM_LINE - 1);
  uint64_t ones = bytes >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bytes) - 1;
  struct mem_bytes m = {{0, 0}};
  m.b[at / 64] = ones << (at % 64);
  return m;
}

static bool same_line(const uint64_t *addr, uint32_t mask, uint64_t line_mask, uint64_t *line) {
  uint64_t first = addr[__builtin_ctz(mask)] & line_mask;
  uint64_t differs = 0;
  for (unsigned i = 0; i < EXEC_LANES; i++) differs |= mask >> i & 1 ? (addr[i] & line_mask) ^ first : 0;
  *line = first;
  return !differs;
}

static unsigned find_or_add(struct sm_segment *out, unsigned *n, uint64_t line) {
  for (unsigned k = *n; k-- > 0;) /* neighbours usually follow each other */
    if (out[k].line == line) return k;
  out[*n] = (struct sm_segment){.line = line};
  return (*n)++;
}

unsigned sm_coalesce(const uint64_t *addr, uint32_t mask, unsigned bytes, unsigned line_bytes,
                     struct sm_segment *out) {
  uint64_t line_mask = ~(uint64_t)(line_bytes - 1), line;
  unsigned n = 0;
  if (!mask) return 0;
  bool one = same_line(addr, mask, line_mask, &line);
  if (one) out[n++] = (struct sm_segment){.line = line};
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned i = (unsigned)__builtin_ctz(left);
    unsigned k = one ? 0 : find_or_add(out, &n, addr[i] & line_mask);
    struct mem_bytes m = byte_mask(addr[i], bytes);
    out[k].bytes.b[0] |= m.b[0];
    out[k].bytes.b[1] |= m.b[1];
  }
  return n;
}

/* Lanes of one phase: distinct words per bank. */
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

unsigned sm_distinct_words(const uint64_t *addr, uint32_t mask) {
  uint64_t seen[EXEC_LANES];
  unsigned n = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    uint64_t word = addr[__builtin_ctz(left)] / 4;
    unsigned j = 0;
    while (j < n && seen[j] != word) j++;
    if (j == n) seen[n++] = word;
  }
  return n;
}
