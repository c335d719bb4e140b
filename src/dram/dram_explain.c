/* What a channel answers between visits: whether it is idle, whether its counts add up, and what it waits for.
 * Nothing here lets time pass. */
#include "dram/dram_parts.h"

static const struct channel *of(const struct dram_channel *c) { return (const struct channel *)c; }

static uint64_t inside(const struct channel *c) {
  uint64_t serving = c->c.count_serving ? 0 : (uint64_t)__builtin_popcountll(c->busy);
  return c->pipe.count + c->returns.count + c->queue[READS].count + c->queue[WRITES].count + serving;
}

bool dram_idle(const struct dram_channel *base) {
  for (unsigned i = 0; i < base->n_slices; i++)
    if (base->in[i].count) return false;
  return inside(of(base)) == 0;
}

bool dram_check(const struct dram_channel *base, struct err *e) {
  const struct channel *c = of(base);
  const uint64_t *n = base->counters;
  uint64_t bursts = n[DRAM_READ_BURSTS] + n[DRAM_WRITE_BURSTS];
  if (n[DRAM_BYTES] != bursts * c->dev.t.burst_bytes)
    return err_set(e, ERR_FAULT, "dram.bytes of channel %u: %lu, but %lu bursts of %u bytes", base->id,
                   n[DRAM_BYTES], bursts, c->dev.t.burst_bytes);
  if (n[DRAM_READS] + n[DRAM_WRITES] != n[DRAM_ROW_HITS] + n[DRAM_ROW_MISSES])
    return err_set(e, ERR_FAULT, "dram.row_hits of channel %u: %lu hits and %lu misses for %lu requests",
                   base->id, n[DRAM_ROW_HITS], n[DRAM_ROW_MISSES], n[DRAM_READS] + n[DRAM_WRITES]);
  if (dram_idle(base) && n[DRAM_READS] + n[DRAM_WRITES] != c->age)
    return err_set(e, ERR_FAULT, "dram.reads of channel %u: %lu requests served, %lu came", base->id,
                   n[DRAM_READS] + n[DRAM_WRITES], c->age);
  return true;
}

static int oldest_bank(const struct channel *c) {
  int best = -1;
  for (uint64_t m = c->busy; m; m &= m - 1) {
    int b = __builtin_ctzll(m);
    if (best < 0 || c->requests[c->serving[b]].age < c->requests[c->serving[best]].age) best = b;
  }
  return best;
}

void dram_explain(const struct dram_channel *base, uint64_t now, struct str *out) {
  static const char *const words[] = {"read", "write", "activate", "precharge"};
  const struct channel *c = of(base);
  if (dram_idle(base)) return;
  str_add(out,
          "DRAM channel %u: %u in the latency pipe, %u reads and %u writes queued, %u on the way back%s\n",
          base->id, c->pipe.count, c->queue[READS].count, c->queue[WRITES].count, c->returns.count,
          c->draining ? ", draining writes" : "");
  int b = oldest_bank(c);
  if (b >= 0) {
    const struct dram_request *r = &c->requests[c->serving[b]];
    str_add(out,
            "  oldest served: line 0x%lx, bank %d, row %lu, %lu clocks here; its %s may go in %lu clocks\n",
            r->k->line, b, r->row, (now - r->k->local) / base->wake.period, words[c->needs[b]],
            mem_later(dram_device_may(&c->dev, (unsigned)b, c->needs[b]), now) / base->wake.period -
                now / base->wake.period);
  }
  const struct mem_slot *t = mem_ring_head(&c->returns);
  if (t && t->ready <= now)
    str_add(out, "  data of line 0x%lx waits: slice %u has no free slot\n", t->k->line, t->k->slice);
}
