/* The packet data filter (Byoun 2018, section 3.4): between an L2 slice and the network, it cuts replies to global reads
 * down to the sub-blocks of 32 bytes that the SM asked for.
 *
 * A read for a part of a line (PDR) is put into a table under its SM and line and goes on to L2 as a read of the whole
 * line; what it asked for is looked up when the reply leaves. A later read of the same line by the same SM is merged
 * with the entry (its bitmap added by OR) as long as the reply has not left: it ends here, and the one reply carries
 * what both asked for. Reads of whole lines (FDR) pass, unless they find such an entry: then they are merged too.
 *
 * When the table is full the read passes as one of the whole line and is answered whole: nothing waits for an entry, so
 * the table cannot hold up the network. (The thesis does not say.)
 *
 * With df-truc the reply is the sub-blocks asked for, with df-man the whole line, of which the compressor (packer.h) may set
 * the rest to zero: without a compressor that would gain nothing and is refused. What the SM may use is the same.
 *
 * The L1D's part, which asks for sub-blocks and predicts which misses should ask for all, is l1/critical_data.c.
 *
 * Does not: touch packets other than reads of global memory that fill L1; take time; compress. */
#ifndef REPLY_DATA_FILTER_H
#define REPLY_DATA_FILTER_H

#include "base/err.h"
#include "base/policy.h"
#include "mem/mem_mshr.h"

extern const struct cfg_key reply_keys[];

/* A policy of reply.filter, besides none. */
struct reply_method {
  struct policy policy;
  bool truncates; /* the reply is the sub-blocks asked for, not the line */
};
enum reply_stat { REPLY_FDRS, REPLY_PDRS, REPLY_MERGED, REPLY_TABLE_FULL, REPLY_CUT, REPLY_CUT_BYTES, REPLY_STATS };

struct reply_filter {
  struct mem_mshr table; /* what an entry asked for is its bitmap */
  const struct reply_method *method;
  uint64_t counters[REPLY_STATS];
};

/* Whether replies are filtered (key reply.filter); false with e filled: the configuration does not fit. */
bool reply_filter_init(struct reply_filter *f, const struct cfg *cfg, bool *on, struct err *e);
void reply_filter_free(struct reply_filter *f);
void reply_filter_register(const struct reply_filter *f, struct stats *st, unsigned slice);
/* Bits of its table, with 32-bit addresses: line, SM, bitmap and a valid bit an entry. */
uint64_t reply_filter_bits(const struct reply_filter *f, uint32_t sms);

/* A request towards L2; true: it was merged with another, and the caller must free it. */
bool reply_filter_request(struct reply_filter *f, struct mem_packet *k);
/* A reply towards the network. Its `sectors` and `bytes` are what the SM gets afterwards. */
void reply_filter_reply(struct reply_filter *f, struct mem_packet *k);

#endif
