/* The address maps, one line each, and those of them that do not hash. */
#include "mem/mem_map.h"

extern const struct mem_map_hash mem_map_modulo, mem_map_hynix;

const struct mem_map_hash mem_map_modulo = {
    .policy = {.name = "modulo", .meaning = "the channel is the block number modulo the number of channels"}};
const struct mem_map_hash mem_map_hynix = {
    .policy = {.name = "hynix", .meaning = "as modulo, with the bank and column bits of the GTX 480"},
    .layout = "00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS"};

#define LIST(X, T)     \
  X(T, mem_map_modulo) \
  X(T, mem_map_hynix)  \
  X(T, mem_map_pae)    \
  X(T, mem_map_ipoly)
POLICY_LIST(mem_map_hashes, struct mem_map_hash, LIST);
