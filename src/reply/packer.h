/* The reply compressor, between an L2 slice (and its data filter) and the network. A reply to a read of global memory
 * enters it, takes the size of its compressed bytes, and leaves after the compressor's latency; a new one may enter
 * in every cycle. The SM decompresses it (reply_unpack_latency). Other replies pass the compressor by.
 *
 * The bytes are those of device memory at the end of the instant in which the reply enters: caches keep no data, and
 * only then have all SMs been visited that may store at that instant, so the size cannot depend on the order of
 * visits. The run loop calls reply_pack at that time; sizes must not be read before.
 *
 * A block whose bytes cannot be read (its address is in no allocation) is sent as it is. What travels besides the
 * encoded bits, the bitmap of sectors, is in the packet's header.
 *
 * Of a line that the filter has cut, either only the sectors that were asked for are encoded (reply.filter=df-truc),
 * or the whole line is, as it is or with zeros in place of the other sectors, whichever is shorter (df-man, where the
 * payload is still that of the whole line).
 *
 * Owns: packets while they are inside. Does not: choose what of a line is sent (data_filter.h), or decode: values are
 * those of device memory. */
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
  uint64_t period, noc_period; /* of the slice's clock and of the network's, in ticks */
  uint32_t header;             /* bytes of a packet besides its data */
  /* Copies the packet's line from device memory into `block`; false: none of it is in an allocation. */
  bool (*read)(void *user, const struct mem_packet *k, uint8_t *block);
  void *user;
};

struct reply_packer {
  const struct compressor *how;
  struct reply_pack_place place;
  uint64_t latency; /* ticks, whole cycles of the slice */
  uint32_t flit_bytes;
  struct mem_ring inside; /* packets in the compressor, in order of arrival */
  uint32_t fresh;         /* how many of them have arrived at this instant */
  uint64_t counters[PACK_STATS];
};

/* Sets up a compressor; false: reply.compress is none. */
bool reply_packer_init(struct reply_packer *p, const struct cfg *cfg, const struct reply_pack_place *place);
void reply_packer_free(struct reply_packer *p);
/* Ticks that an SM needs to decompress a reply, in whole cycles of its own clock; 0 without a compressor. */
uint64_t reply_unpack_latency(const struct cfg *cfg, uint64_t noc_period, uint64_t core_period);

/* Storage bits of the pipelines of a slice's compressor and of an SM's decompressor. A pipeline has one stage for
 * each network cycle of its latency, and a stage holds a block and the header of its packet; the compressor has one
 * more stage, which waits for the network. 0 without a compressor. */
uint64_t reply_packer_bits(const struct cfg *cfg, uint32_t header_bytes);
uint64_t reply_unpacker_bits(const struct cfg *cfg, uint32_t header_bytes);

static inline bool reply_packs(const struct mem_packet *k) {
  return k->kind == MEM_READ_REPLY && k->class_ == MEM_GLOBAL;
}
static inline bool reply_pack_accepts(const struct reply_packer *p) { return mem_ring_free_slots(&p->inside) > 0; }
void reply_pack_in(struct reply_packer *p, struct mem_packet *k, uint64_t now);
/* When the oldest packet inside may leave; MEM_NEVER: nothing is inside. */
static inline uint64_t reply_pack_next(const struct reply_packer *p) {
  return p->inside.count ? mem_ring_head(&p->inside)->ready : MEM_NEVER;
}
struct mem_packet *reply_pack_out(struct reply_packer *p);
/* To be called at the end of an instant: computes the sizes of the packets that arrived. */
void reply_pack(struct reply_packer *p);

#endif
