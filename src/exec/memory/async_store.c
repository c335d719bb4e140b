/* st.async and red.async: stores into the shared memory of a CTA of the cluster, whose mbarrier is signalled. The value is there when the
 * instruction executes; when the mbarrier is signalled is described in mbarrier.c. */
#include "exec/memory/address.h"
#include "exec/memory/memory.h"

#include <string.h>

enum { MOST = 4 /* elements */ };

struct async_store { /* aux */
  struct exec_where to, barrier;
  struct exec_opnd value[MOST];
  uint8_t n, size;
  exec_rmw_fn reduce; /* NULL: a store */
};

static void store_lanes(struct exec_warp *w, const struct async_store *x, const struct exec_reach *r) {
  for (unsigned e = 0; e < x->n; e++) {
    const unsigned char *row = exec_row(w, x->value[e]);
    if (x->reduce) {
      x->reduce(r, e * x->size, NULL, row, NULL);
      continue;
    }
    for (uint32_t m = r->lanes; m; m &= m - 1) {
      unsigned lane = (unsigned)__builtin_ctz(m);
      memcpy(exec_host(r, lane) + e * x->size, row + lane * x->size, x->size);
    }
  }
}

static void run_async_store(struct exec_warp *w, const struct exec_inst *in) {
  const struct async_store *x = in->aux;
  struct exec_reach r;
  uint64_t barrier[EXEC_LANES];
  uint32_t bytes = (uint32_t)x->n * x->size;
  if (!exec_reach(w, in, &x->to, x->reduce ? EXEC_REDUCE : EXEC_STORE, bytes, w->access.addr, &r)) return;
  exec_note_access(w, x->reduce ? EXEC_REDUCE : EXEC_STORE, EXEC_CACHE_ALL, bytes, &r);
  exec_send_begin(w);
  do store_lanes(w, x, &r);
  while (exec_reach_more(w, in, &r));
  exec_form_addresses(w, &x->barrier, barrier);
  for (uint32_t m = w->mask; m; m &= m - 1) {
    unsigned lane = (unsigned)__builtin_ctz(m);
    if (!exec_mbarrier_complete(w, in, lane, barrier[lane], bytes)) return;
  }
}

bool exec_decode_async_store(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  struct async_store *x = ARENA_NEW(d->arena, struct async_store);
  unsigned n = 0, bits = pi->n_types ? ptx_type_bits((enum ptx_type)pi->types[0]) : 0;
  if (!ptx_has(pi, PTX_M_mbarrier__complete_tx__bytes)) return exec_refuse(d, pi, "only the form that an mbarrier hears of is modelled");
  if (pi->n_ops != 3 || (bits != 32 && bits != 64)) return exec_refuse(d, pi, "it takes two addresses and values of 32 or 64 bits");
  const struct ptx_opnd *from = exec_elements(&pi->ops[1], &n);
  if (n != pi->vec || n > MOST || n * bits > 128) return exec_refuse(d, pi, "the number of registers does not fit the vector");
  x->n = (uint8_t)n;
  x->size = (uint8_t)(bits / 8);
  if (pi->op == PTX_OP_red && !(x->reduce = exec_bulk_reduction(pi, true)))
    return exec_refuse(d, pi, "there is no such reduction for this type");
  for (unsigned i = 0; i < n; i++)
    if (!exec_decode_value(d, pi, &from[i], (enum ptx_type)pi->types[0], &x->value[i])) return false;
  exec_fill_memory(out, run_async_store, x, x->size, PTX_SHARED);
  out->vec = x->n;
  return exec_decode_where(d, pi, &pi->ops[0], PTX_SHARED, &x->to) && exec_decode_where(d, pi, &pi->ops[2], PTX_SHARED, &x->barrier);
}
