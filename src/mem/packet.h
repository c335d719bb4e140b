/* The packet: what SMs, L2 slices and DRAM channels send each other. A request of an SM travels to L2 and comes back
 * as its reply. A slice makes packets of its own for what it fetches from DRAM or writes there, for each further part
 * of a reply, and for what it asks an SM (peers.h). A packet has one owner at a time and is handed over by ports; the
 * component at which it ends returns it to the pool.
 *
 * Its fields are of three kinds: what is asked (address, kind, bytes), where it goes and for whom it is, and words
 * that belong to its present owner. It carries no data: device memory has the only copy. */
#ifndef MEM_PACKET_H
#define MEM_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MEM_LINE = 128, MEM_SECTOR = 32, MEM_SECTORS = MEM_LINE / MEM_SECTOR };

enum mem_kind {
  MEM_READ, MEM_WRITE, MEM_ATOMIC /* with result */, MEM_REDUCE /* without */, MEM_PREFETCH,
  MEM_READ_REPLY, MEM_WRITE_ACK, MEM_ATOMIC_REPLY,
  MEM_PEER_READ /* L2 asks an SM for a line */, MEM_PEER_DATA /* its answers: the line */, MEM_PEER_NONE /* it has lost it */,
  MEM_WRITEBACK /* L2 to DRAM */
};
enum mem_class { MEM_GLOBAL, MEM_LOCAL, MEM_CONST, MEM_TEXTURE, MEM_INSTRUCTION };

/* The instruction's cache operator, in the same order as those of exec (the SM checks that). */
enum mem_cache { MEM_CACHE_ALL, MEM_CACHE_GLOBAL, MEM_CACHE_STREAM, MEM_CACHE_LAST_USE, MEM_CACHE_VOLATILE };

/* What the access window of the grid wants L2 to do with the line: the line is in no window; it is no longer kept; it
 * is evicted first; it is kept. */
enum mem_keep { MEM_NO_WINDOW, MEM_KEEP_NORMAL, MEM_KEEP_STREAMING, MEM_KEEP_PERSISTING };

/* Properties of an atomic operation on which its time in the slice depends: it adds floating-point numbers; it takes
 * two passes (f64 additions, compare-and-swap). */
enum { MEM_ATOMIC_SUM = 1, MEM_ATOMIC_TWICE = 2 };

/* A mask of the bytes of a 128-byte line: byte i is bit i % 64 of b[i / 64]. */
struct mem_bytes {
  uint64_t b[2];
};

/* It takes two cache lines of the host; networks and most of L2 use only the first. */
enum { MEM_HOST_LINE = 64 };
struct __attribute__((aligned(MEM_HOST_LINE))) mem_packet {
  struct mem_packet *next;   /* next packet in a list of the owner */
  uint64_t local;            /* for the present owner's use (arrival time, set, ...) */
  uint64_t sent;             /* time it entered the network */
  struct mem_packet *followers; /* requests that its reply answers too, as a list through this field (llc_coalesce.h) */
  uint64_t line;             /* address of the 128-byte line */
  uint8_t kind, class_;      /* enum mem_kind, enum mem_class */
  uint8_t cache, keep;       /* enum mem_cache, enum mem_keep */
  uint8_t sectors;           /* bit mask of 32-byte sectors requested or carried */
  bool bypass;               /* does not fill L1 */
  bool l2_hit;
  bool packed;               /* its data is compressed, and the SM must decompress it first */
  uint16_t sm, slice;        /* source and destination */
  uint16_t payload;          /* data bytes it carries through the network now */
  uint16_t degree;           /* accesses its warp instruction made: un-coalescing degree */
  uint32_t owner;            /* the SM's own handle: which load waits for it */
  uint16_t filtered;         /* number of its entry in the table of the reply filter, plus 1; 0: none */
  uint8_t atomic;            /* MEM_ATOMIC_SUM, MEM_ATOMIC_TWICE */

  uint32_t pc;               /* instruction, for profiles by source line */
  struct mem_bytes bytes;    /* asked for (reads) or written */
  uint64_t born;             /* time the access was made by the SM */
};
_Static_assert(offsetof(struct mem_packet, pc) <= MEM_HOST_LINE, "what the network looks at is one cache line");

/* A pool hands out zeroed packets and counts how many are out, so that leaks are found. A branch of a pool is for one
 * component, and gets its packets from the pool in batches, so that several threads can use the pool; a packet may be
 * returned to a different branch than it came from. Which packet a caller gets never influences a result. */
struct mem_pool;
struct mem_pool *mem_pool_new(void);
struct mem_pool *mem_pool_branch(struct mem_pool *p); /* deleted with the pool */
void mem_pool_delete(struct mem_pool *p);
struct mem_packet *mem_packet_new(struct mem_pool *p);
void mem_packet_free(struct mem_pool *p, struct mem_packet *k);
size_t mem_pool_out(const struct mem_pool *p); /* packets that are out, of all branches; not to be called while these are in use */

/* Whether the packet goes from a slice to an SM: a reply, or a question to the SM. */
static inline bool mem_to_sm(const struct mem_packet *k) { return k->kind >= MEM_READ_REPLY && k->kind <= MEM_PEER_READ; }
/* The sectors in which a mask has bytes. */
static inline uint8_t mem_sectors_of(struct mem_bytes m) {
  return (uint8_t)(((uint32_t)m.b[0] != 0) | (m.b[0] >> 32 != 0) << 1 | ((uint32_t)m.b[1] != 0) << 2 |
                   (m.b[1] >> 32 != 0) << 3);
}
/* The bytes of a packet in the sectors that it carries; a reply may come in several packets. */
static inline struct mem_bytes mem_bytes_carried(const struct mem_packet *k) {
  uint64_t low = (k->sectors & 1 ? 0xffffffffu : 0) | (k->sectors & 2 ? UINT64_C(0xffffffff) << 32 : 0);
  uint64_t high = (k->sectors & 4 ? 0xffffffffu : 0) | (k->sectors & 8 ? UINT64_C(0xffffffff) << 32 : 0);
  return (struct mem_bytes){{k->bytes.b[0] & low, k->bytes.b[1] & high}};
}

#endif
