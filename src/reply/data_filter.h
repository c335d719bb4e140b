/* The packet data filter (Byoun 2018, section 3.4): between an L2 slice and the network, it cuts replies to global
 * reads down to the sub-blocks of 32 bytes that the SM asked for.
 *
 * A read for a part of a line (a partial data request, PDR) is entered into a table under its SM and line, and goes
 * on to L2 as a read of the whole line; what it asked for is looked up when the reply leaves. A later read of the
 * same line by the same SM is merged with the entry, by adding (OR) its bitmap, as long as the reply has not left: it
 * ends here, and the one reply carries what both asked for. A read of a whole line (a full data request, FDR) passes,
 * unless it finds such an entry; then it is merged too.
 *
 * When the table is full, the read passes as one of the whole line and is answered with the whole line. Nothing waits
 * for an entry, so the table cannot hold up the network. (The thesis does not say what happens then.)
 *
 * With df-truc, the reply is the sub-blocks asked for. With df-man it is the whole line, in which the compressor
 * (packer.h) may set the rest to zero; without a compressor that would gain nothing, and is refused. What the SM may
 * use of the reply is the same either way.
 *
 * The L1D's part, which asks for sub-blocks and predicts which misses should ask for all of them, is
 * l1/critical_data.c.
 *
 * Does not: touch packets other than reads of global memory that fill L1; take time; compress. */
#ifndef REPLY_DATA_FILTER_H
#define REPLY_DATA_FILTER_H

#include "base/err.h"
#include "base/policy.h"
#include "mem/mem_mshr.h"

extern const struct cfg_key reply_keys[];

/* A policy of reply.filter, other than none. */
struct reply_method {
  struct policy policy;
  bool truncates; /* the reply has the sub-blocks asked for, not the whole line */
};
enum reply_stat { REPLY_FDRS, REPLY_PDRS, REPLY_MERGED, REPLY_TABLE_FULL, REPLY_CUT, REPLY_CUT_BYTES, REPLY_STATS };

struct reply_filter {
  struct mem_mshr table; /* an entry's bitmap is the mask of bytes that were asked for */
  const struct reply_method *method;
  uint64_t counters[REPLY_STATS];
};

/* Sets *on to whether replies are filtered (key reply.filter). False with e filled: other keys do not allow it. */
bool reply_filter_init(struct reply_filter *f, const struct cfg *cfg, bool *on, struct err *e);
void reply_filter_free(struct reply_filter *f);
void reply_filter_register(const struct reply_filter *f, struct stats *st, unsigned slice);
/* Storage bits of the table for 32-bit addresses: an entry has line, SM, bitmap and a valid bit. */
uint64_t reply_filter_bits(const struct reply_filter *f, uint32_t sms);

/* Takes a request on its way to L2. True: it was merged with another, and the caller must free it. */
bool reply_filter_request(struct reply_filter *f, struct mem_packet *k);
/* Takes a reply on its way to the network, and sets its `sectors` and `bytes` to what the SM gets. */
void reply_filter_reply(struct reply_filter *f, struct mem_packet *k);

#endif
