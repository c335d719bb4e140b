/* The address hashes that mem_map.c lists. */
#ifndef MEM_MAP_HASHES_H
#define MEM_MAP_HASHES_H

#include "mem/mem_map.h"

extern const struct mem_map_hash mem_map_pae, mem_map_ipoly;

#endif
