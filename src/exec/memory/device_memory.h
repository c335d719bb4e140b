/* Device memory: one flat 64-bit space that holds the only copy of data, and the table of allocations in it.
 *
 * A device address is the host address of the byte: a window of the configured capacity is reserved at a fixed place, so that runs are
 * repeatable, and the host's pages back it when they are accessed. Managed and pinned memory are the same kind of memory seen from both
 * sides, and registered host memory is entered into the table at its own address.
 *
 * As with the driver, allocations lie one behind the other at multiples of 512 bytes (256 if the caller asks for no more; variables of
 * modules at multiples of 16), and memory is mapped in blocks of 2 MB: a block is mapped while a live allocation has a byte in it. The
 * block below the first allocation, where a driver keeps data of the context, is always mapped. Of registered memory its pages are mapped.
 * With red zones (exec_mem_new_apart) there is at least so much space between allocations.
 *
 * Queries, for any 64-bit number:
 *
 *   exec_mem_find(m, addr, &freed)     the live allocation that holds it; if there is none, the last freed one that did
 *   exec_mem_mapped(m, addr, bytes)    whether a GPU answers an access there (it may lie in no allocation)
 *   exec_mem_around(m, addr, &lo, &hi) its neighbours; exec_mem_nearest: the closer one
 *   exec_mem_backed(m, addr, &range)   whether the simulator itself may touch it: reserved, mapped or not
 *   exec_mem_live(m, &n)               all live allocations, by address
 *
 * Owns: the window and the table. Neither charges time nor knows streams. */
#ifndef EXEC_DEVICE_MEMORY_H
#define EXEC_DEVICE_MEMORY_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Windows of the generic address space; global memory is everything else. Sizes are powers of two. */
#define EXEC_SHARED_WINDOW 0x010000000000u
#define EXEC_SHARED_WINDOW_BYTES 0x01000000u
/* Followed by the same number of bytes for each CTA of the cluster, by rank: cta_cluster.h. */
#define EXEC_CLUSTER_WINDOW_BYTES 0x11000000u
#define EXEC_LOCAL_WINDOW 0x018000000000u
#define EXEC_LOCAL_WINDOW_BYTES 0x01000000u
/* Where device memory begins, and host memory allocated by CUDA calls. */
#define EXEC_DEVICE_BASE 0x200000000000u
#define EXEC_HOST_BASE 0x300000000000u
/* Addresses of functions, as device code sees them: base + 16 * index, unique across modules. */
#define EXEC_CODE_WINDOW 0x008000000000u

enum exec_alloc_kind {
  EXEC_ALLOC_DEVICE, EXEC_ALLOC_MANAGED, EXEC_ALLOC_HOST /* pinned, mapped */, EXEC_ALLOC_REGISTERED,
  EXEC_ALLOC_MODULE /* .global variable */, EXEC_ALLOC_CONST /* .const variable: read-only to kernels */,
  EXEC_ALLOC_HEAP /* device malloc's arena */, EXEC_ALLOC_ARRAY /* texture storage: opaque to plain loads */
};

struct exec_alloc_range {
  uint64_t base, end; /* [base, end) */
};
struct exec_alloc {
  struct exec_alloc_range range;
  uint8_t kind;        /* enum exec_alloc_kind */
  bool freed;          /* kept for a while, to distinguish a use after free from a wild address */
  uint32_t flags;      /* caller's */
  const char *name;    /* of module variables; NULL otherwise */
  uint64_t serial;     /* counts allocations and registrations from 1 */
  uint64_t taken, zone; /* bytes taken in the window from base on, with alignment and red zone; bytes of the red zone */
  const void *site;    /* host code that asked for it, as the caller said (exec_mem_set_site); NULL: not known */
};

/* Bytes of a block that is mapped as a whole, and the alignment of the driver's allocations. */
#define EXEC_MAP_BLOCK 0x200000u
#define EXEC_ALLOC_ALIGN 512u
/* The space between allocations when overflows are to be detected. */
#define EXEC_RED_ZONE 65536u

struct exec_mem;
struct exec_mem *exec_mem_new(uint64_t capacity, struct err *e); /* NULL on failure */
/* The same with red_zone bytes (a multiple of 512) behind each allocation, as long as they fit. */
struct exec_mem *exec_mem_new_apart(uint64_t capacity, uint64_t red_zone, struct err *e);
void exec_mem_delete(struct exec_mem *m);

/* Returns the address, or 0 if the capacity is exhausted. Memory is zeroed. Alignment is a power of two. */
uint64_t exec_mem_alloc(struct exec_mem *m, uint64_t bytes, uint64_t align, enum exec_alloc_kind kind, const char *name);
void exec_mem_set_site(struct exec_mem *m, uint64_t base, const void *site); /* of a live allocation */
bool exec_mem_free(struct exec_mem *m, uint64_t base); /* false: not the start of a live allocation */
bool exec_mem_register(struct exec_mem *m, void *host, uint64_t bytes); /* false: overlaps a live allocation */
bool exec_mem_unregister(struct exec_mem *m, void *host);

/* The live allocation that holds `addr`, or NULL. `near` (may be NULL) then receives the freed allocation that held it last. */
const struct exec_alloc *exec_mem_find(const struct exec_mem *m, uint64_t addr, const struct exec_alloc **near);

/* The live allocations below (or around) and above `addr`; NULL where there is none. */
void exec_mem_around(const struct exec_mem *m, uint64_t addr, const struct exec_alloc **below, const struct exec_alloc **above);
/* The live allocation whose bytes are closest to `addr`, for messages; NULL if there is none. */
const struct exec_alloc *exec_mem_nearest(const struct exec_mem *m, uint64_t addr);

/* Whether all of [addr, addr + bytes) is mapped; a part of it may lie in no allocation. */
bool exec_mem_mapped(const struct exec_mem *m, uint64_t addr, uint64_t bytes);
/* Whether `addr` is in memory that the simulator may touch; *range is then all of it around `addr`. */
bool exec_mem_backed(const struct exec_mem *m, uint64_t addr, struct exec_alloc_range *range);
/* All live allocations, sorted by address; valid until the table changes. */
const struct exec_alloc *exec_mem_live(const struct exec_mem *m, size_t *n);

/* The observer of allocations, frees and copies (observe.h); NULL: none, as at the beginning. */
struct exec_observer;
void exec_mem_observe(struct exec_mem *m, const struct exec_observer *o);
/* The host has moved bytes. `from` 0: its own memory or a fill; `to` 0: its own memory. */
void exec_mem_moved(struct exec_mem *m, uint64_t to, uint64_t from, uint64_t bytes);

uint64_t exec_mem_used(const struct exec_mem *m);
uint64_t exec_mem_capacity(const struct exec_mem *m);
/* Increases whenever the table changes: cached ranges are then out of date. */
uint64_t exec_mem_version(const struct exec_mem *m);

/* Reserves addresses for n functions; returns the first. */
uint64_t exec_mem_code(struct exec_mem *m, uint32_t n);

static inline void *exec_mem_ptr(uint64_t addr) { return (void *)(uintptr_t)addr; }

#endif
