/* The reply compressor: between an L2 slice (and its data filter) and the network. A reply to a read of global memory enters
 * it, its size becomes that of its compressed bytes, and it leaves after the compressor's latency; a new one may enter every
 * cycle. The SM unpacks it (reply_unpack_latency). Other replies pass it by.
 *
 * The bytes are device memory's at the end of the instant in which the reply enters: caches keep no data, and only then has
 * everybody been visited who may store at that instant, so that the size cannot depend on the order of visits. The run
 * loop calls reply_pack then; sizes are not to be looked at before.
 *
 * A block whose bytes are not to be had (of an address that is in no allocation) goes as it is. What travels besides the
 * encoded bits (the bitmap of sectors) is in the packet's header.
 *
 * Of a line that the filter has cut, only the sectors that were asked for are encoded (reply.filter=df-truc), or the
 * whole line, as it is or with zeros in place of the others, whichever is shorter (df-man: its payload is
 * still that of the whole line).
 *
 * Owns: packets while they are inside. Does not: choose what of a line is sent (data_filter.h), or decode: values are device
 * memory's. */
#ifndef REPLY_PACKER_H
#define REPLY_PACKER_H

#include "base/cfg.h"
#include "base/stat.h"
#include "compress/compress.h"
#include "mem/mem_ring.h"

extern const struct cfg_key reply_pack_keys[];

enum reply_pack_stat {
  PACK_BLOCKS,
  PACK_TO_32,
  PACK_TO_64,
  PACK_TO_96,
  PACK_TO_128,
  PACK_PLAIN,
  PACK_ZERO_FILLED,
  PACK_UNREAD,
  PACK_BYTES,
  PACK_BITS,
  PACK_FLITS,
  PACK_FLITS_SAVED,
  PACK_FLITS_ADDED,
  PACK_STATS
};
extern const struct stat_def reply_pack_stats[PACK_STATS];

struct reply_pack_place {
  uint64_t period, noc_period; /* of the slice's and the network's clock, in ticks */
  uint32_t header;             /* bytes of a packet besides its data */
  /* Copies what device memory holds of the packet's line into `block`; false: nothing of it is there. */
  bool (*read)(void *user, const struct mem_packet *k, uint8_t *block);
  void *user;
};

struct reply_packer {
  const struct compressor *how;
  struct reply_pack_place place;
  uint64_t latency; /* ticks, whole cycles of the slice */
  uint32_t flit_bytes;
  struct mem_ring inside; /* in the order they came in */
  uint32_t fresh;         /* of them, the last that came in: at this instant */
  uint64_t counters[PACK_STATS];
};

/* False: reply.compress is none. */
bool reply_packer_init(struct reply_packer *p, const struct cfg *cfg, const struct reply_pack_place *place);
void reply_packer_free(struct reply_packer *p);
/* Ticks an SM needs for a packed reply, in whole cycles of its own; 0 without a compressor. */
uint64_t reply_unpack_latency(const struct cfg *cfg, uint64_t noc_period, uint64_t core_period);

/* Bits of the pipelines of a slice's compressor and an SM's decompressor: a block and its packet's header a stage, a stage a
 * cycle of the network; the compressor has one more that waits for the network. 0 without a compressor. */
uint64_t reply_packer_bits(const struct cfg *cfg, uint32_t header_bytes);
uint64_t reply_unpacker_bits(const struct cfg *cfg, uint32_t header_bytes);

static inline bool reply_packs(const struct mem_packet *k) {
  return k->kind == MEM_READ_REPLY && k->class_ == MEM_GLOBAL;
}
static inline bool reply_pack_accepts(const struct reply_packer *p) { return mem_ring_free_slots(&p->inside) > 0; }
void reply_pack_in(struct reply_packer *p, struct mem_packet *k, uint64_t now);
/* When the first inside may leave; MEM_NEVER: nothing is inside. */
static inline uint64_t reply_pack_next(const struct reply_packer *p) {
  return p->inside.count ? mem_ring_head(&p->inside)->ready : MEM_NEVER;
}
struct mem_packet *reply_pack_out(struct reply_packer *p);
/* At the end of an instant: the sizes of those that came in. */
void reply_pack(struct reply_packer *p);

#endif
