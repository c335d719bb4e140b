/* See packer.h. */
#include "reply/packer.h"

#include <stdio.h>
#include <string.h>

const struct cfg_key reply_pack_keys[] = {
    {"reply.compress", CFG_CHOICE, "none", 0, 0, compress_choices, "",
     "compressor of the replies to reads of global memory, before they enter the network"},
    {0},
};

const struct stat_def reply_pack_stats[PACK_STATS] = {
    [PACK_BLOCKS] = {"reply.blocks", "packets", "reply.compress: replies that went into the compressor", ""},
    [PACK_TO_32] = {"reply.blocks_32", "packets", "reply.compress: replies compressed to at most 32 bytes", ""},
    [PACK_TO_64] = {"reply.blocks_64", "packets", "reply.compress: replies compressed to 33 to 64 bytes", ""},
    [PACK_TO_96] = {"reply.blocks_96", "packets", "reply.compress: replies compressed to 65 to 96 bytes", ""},
    [PACK_TO_128] = {"reply.blocks_128", "packets", "reply.compress: replies compressed to more than 96 bytes", ""},
    [PACK_PLAIN] = {"reply.blocks_plain", "packets",
                    "reply.compress: replies sent uncompressed because they would not have become shorter", ""},
    [PACK_ZERO_FILLED] = {"reply.blocks_zero_filled", "packets",
                          "reply.filter=df-man: replies of partly needed lines that are shorter with zeros in the rest", ""},
    [PACK_UNREAD] = {"reply.blocks_unread", "packets",
                     "reply.compress: replies sent uncompressed because their address is in no allocation", ""},
    [PACK_BYTES] = {"reply.block_bytes", "bytes", "reply.compress: data of replies before compression", ""},
    [PACK_BITS] = {"reply.block_bits", "bits", "reply.compress: data of replies after compression", ""},
    [PACK_FLITS] = {"reply.block_flits", "flits", "reply.compress: flits that the replies would have taken uncompressed", ""},
    [PACK_FLITS_SAVED] = {"reply.flits_saved", "flits", "reply.compress: flits saved by compression", ""},
    [PACK_FLITS_ADDED] = {"reply.flits_added", "flits", "reply.compress: flits added by the bit that marks a reply as not compressed", ""},
};

/* Network cycles. */
static uint64_t latency(const struct cfg *cfg, const char *what) {
  char key[64];
  snprintf(key, sizeof key, "%s.%s", cfg_text(cfg, "reply.compress"), what);
  return (uint64_t)cfg_int(cfg, key);
}

static uint64_t ticks(const struct cfg *cfg, const char *what, uint64_t noc_period, uint64_t period) {
  uint64_t t = latency(cfg, what) * noc_period;
  return (t + period - 1) / period * period;
}

bool reply_packer_init(struct reply_packer *p, const struct cfg *cfg, const struct reply_pack_place *place) {
  *p = (struct reply_packer){.how = cfg_policy(cfg, "reply.compress"), .place = *place};
  if (!p->how) return false;
  p->latency = ticks(cfg, "compress_latency", place->noc_period, place->period);
  p->flit_bytes = (uint32_t)cfg_int(cfg, "noc.flit_bytes");
  mem_ring_init(&p->inside, (uint32_t)(p->latency / place->period) + 1); /* a stage a cycle, and one that waits for the network */
  return true;
}

void reply_packer_free(struct reply_packer *p) { mem_ring_free(&p->inside); }

uint64_t reply_unpack_latency(const struct cfg *cfg, uint64_t noc_period, uint64_t core_period) {
  if (!cfg_policy(cfg, "reply.compress")) return 0;
  return ticks(cfg, "decompress_latency", noc_period, core_period);
}

uint64_t reply_packer_bits(const struct cfg *cfg, uint32_t header_bytes) {
  const struct compressor *c = cfg_policy(cfg, "reply.compress");
  return c ? (latency(cfg, "compress_latency") + 1) * (c->longest + c->encoder_state + 8 * header_bytes) : 0;
}

uint64_t reply_unpacker_bits(const struct cfg *cfg, uint32_t header_bytes) {
  const struct compressor *c = cfg_policy(cfg, "reply.compress");
  return c ? latency(cfg, "decompress_latency") * (c->longest + c->decoder_state + 8 * header_bytes) : 0;
}

void reply_pack_in(struct reply_packer *p, struct mem_packet *k, uint64_t now) {
  mem_ring_push(&p->inside, k, now + p->latency);
  p->fresh++;
}

struct mem_packet *reply_pack_out(struct reply_packer *p) {
  assert(p->inside.count > p->fresh);
  return mem_ring_pop(&p->inside);
}

static uint32_t flits(const struct reply_packer *p, uint32_t payload) {
  return (p->place.header + payload + p->flit_bytes - 1) / p->flit_bytes;
}

/* The outcome that a block of so many bytes, compressed, is counted under. */
static enum reply_pack_stat outcome(uint32_t bytes) {
  return bytes <= 32 ? PACK_TO_32 : bytes <= 64 ? PACK_TO_64 : bytes <= 96 ? PACK_TO_96 : PACK_TO_128;
}

static void count(struct reply_packer *p, enum reply_pack_stat what, uint32_t plain, uint32_t bits) {
  uint32_t before = flits(p, plain), after = flits(p, compress_bytes(bits));
  p->counters[PACK_BLOCKS]++;
  p->counters[what]++;
  p->counters[PACK_BYTES] += plain;
  p->counters[PACK_BITS] += bits;
  p->counters[PACK_FLITS] += before;
  p->counters[PACK_FLITS_SAVED] += before > after ? before - after : 0;
  p->counters[PACK_FLITS_ADDED] += after > before ? after - before : 0;
}

static uint32_t bits_of(struct reply_packer *p, const struct mem_packet *k, const uint8_t *block) {
  if (k->payload == compress_plain_bytes(k->sectors)) return p->how->bits(block, k->sectors);
  bool zero_filled; /* a whole line of which a part matters */
  uint32_t bits = compress_bits_manipulated(p->how, block, k->sectors, &zero_filled);
  p->counters[PACK_ZERO_FILLED] += zero_filled;
  return bits;
}

static void pack_one(struct reply_packer *p, struct mem_packet *k) {
  uint8_t block[COMPRESS_BLOCK];
  uint32_t plain = k->payload;
  if (!p->place.read(p->place.user, k, block)) {
    count(p, PACK_UNREAD, plain, 8 * plain);
    return;
  }
  uint32_t bits = bits_of(p, k, block);
  k->packed = bits < 8 * plain;
  k->payload = (uint16_t)compress_bytes(bits);
  count(p, k->packed ? outcome(k->payload) : PACK_PLAIN, plain, bits);
}

void reply_pack(struct reply_packer *p) {
  for (; p->fresh; p->fresh--) pack_one(p, mem_ring_at(&p->inside, p->inside.count - p->fresh)->k);
}
