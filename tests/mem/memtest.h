/* What the tests of the memory side share: a configuration with all their keys, and packets. */
#ifndef MEMTEST_H
#define MEMTEST_H

#include "test_settings.h"

#include "base/rng.h"
#include "dram/dram.h"
#include "llc/llc.h"
#include "mem/mem_map.h"
#include "noc/noc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Defaults with settings after them. */
static inline struct cfg *memtest_cfg(const char *const *settings) {
  const struct cfg_key *const tables[] = {noc_keys, llc_keys, dram_keys, dram_timing_keys, mem_map_keys};
  return with_settings(cfg_new(tables, sizeof tables / sizeof *tables), settings);
}

static inline struct mem_packet *memtest_packet(struct mem_pool *pool, enum mem_kind kind, uint64_t line,
                                                uint8_t sectors) {
  struct mem_packet *k = mem_packet_new(pool);
  k->kind = (uint8_t)kind;
  k->line = line;
  k->sectors = sectors;
  for (unsigned i = 0; i < MEM_SECTORS; i++)
    if (sectors >> i & 1) k->bytes.b[i / 2] |= 0xffffffffull << (i % 2 * 32);
  return k;
}

#endif
