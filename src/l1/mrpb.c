/* MRPB (Jia, Shaw, Martonosi: MRPB: memory request prioritization for massively parallel processors, HPCA 2014): FIFO
 * queues between the coalescer and the L1D, and a bypass for loads that would stall it.
 *
 * An access waits in the queue of its warp (warp number modulo the number of queues). One queue is drained until it
 * is empty, then the non-empty queue with the lowest number, so that the accesses of a warp reach the cache together.
 * With l1.mrpb.bypass=line, a load for which every candidate line is reserved goes to L2 without using the cache;
 * with any, so does a load that finds no free MSHR or one at its merge limit.
 *
 * Different from the original: the warp number is the only signature, and this drain order the only one. The
 * description at hand does not give the number and depth of the queues; one queue for each warp, eight entries deep,
 * has the published storage. */
#include "l1/bypass.h"

#include <stdlib.h>

enum { GIVE_UP_NONE, GIVE_UP_LINE, GIVE_UP_ANY };
static const struct policy *const given_up[] = {
    [GIVE_UP_NONE] = OPTION("none", "every refused load waits"),
    [GIVE_UP_LINE] = OPTION("line", "a load bypasses if every line that could hold its data is reserved"),
    [GIVE_UP_ANY] = OPTION("any", "a load bypasses if every line is reserved, no MSHR is free, or its MSHR is at the merge limit"),
    NULL,
};
static const struct cfg_key keys[] = {
    {"l1.mrpb.queues", CFG_INT, "48", 1, 1024, NULL, "queues", "queues that mrpb sorts accesses into by warp"},
    {"l1.mrpb.depth", CFG_INT, "8", 1, 1024, NULL, "accesses", "accesses that one queue of mrpb holds"},
    {"l1.mrpb.bypass", CFG_CHOICE, "line", 0, 0, given_up, "", "which refused loads bypass the L1D under mrpb"},
    {0},
};

struct fifo {
  uint32_t head, count;
};
struct mrpb {
  uint32_t queues, depth, current, waiting;
  bool on_line, on_any;
  struct fifo *fifo;
  struct l1_request *request; /* depth a queue */
};

static bool has_slot(const void *b, uint32_t from) {
  const struct mrpb *m = b;
  return m->fifo[from % m->queues].count < m->depth;
}

static void put(void *b, uint32_t from, const struct l1_request *r) {
  struct mrpb *m = b;
  uint32_t q = from % m->queues;
  struct fifo *f = &m->fifo[q];
  m->request[(size_t)q * m->depth + (f->head + f->count++) % m->depth] = *r;
  m->waiting++;
}

static const struct l1_request *next(void *b) {
  struct mrpb *m = b;
  if (!m->waiting) return NULL;
  if (!m->fifo[m->current].count)
    for (m->current = 0; !m->fifo[m->current].count;) m->current++;
  return &m->request[(size_t)m->current * m->depth + m->fifo[m->current].head];
}

static void took(void *b) {
  struct mrpb *m = b;
  struct fifo *f = &m->fifo[m->current];
  f->head = (f->head + 1) % m->depth;
  f->count--;
  m->waiting--;
}

static bool gives_up(void *b, const struct l1_request *r, enum l1_why why) {
  const struct mrpb *m = b;
  (void)r;
  return why == L1_NO_LINE ? m->on_line || m->on_any : why != L1_NO_QUEUE && m->on_any;
}

static void *create(const struct cfg *cfg, const struct l1_place *place, struct err *e) {
  struct mrpb *m = must_alloc(sizeof *m);
  (void)place;
  (void)e;
  m->queues = (uint32_t)cfg_int(cfg, "l1.mrpb.queues");
  m->depth = (uint32_t)cfg_int(cfg, "l1.mrpb.depth");
  m->on_line = cfg_option(cfg, "l1.mrpb.bypass") == GIVE_UP_LINE;
  m->on_any = cfg_option(cfg, "l1.mrpb.bypass") == GIVE_UP_ANY;
  m->fifo = must_alloc(m->queues * sizeof *m->fifo);
  m->request = must_alloc((size_t)m->queues * m->depth * sizeof *m->request);
  return m;
}

static void destroy(void *b) {
  struct mrpb *m = b;
  free(m->fifo);
  free(m->request);
  free(m);
}

/* A line address (25 of 32 bits) an entry, two pointers a queue. */
static uint64_t storage_bits(const void *b) {
  const struct mrpb *m = b;
  unsigned pointer = m->depth > 1 ? 32u - (unsigned)__builtin_clz(m->depth - 1) : 0;
  return (uint64_t)m->queues * (m->depth * 25u + 2 * pointer);
}

const struct l1_bypass l1_mrpb = {
    .policy = {.name = "mrpb", .meaning = "queues by warp; loads that would stall bypass the L1D",
               .paper = "Jia, Shaw, Martonosi: MRPB: memory request prioritization for massively parallel processors, HPCA 2014",
               .keys = keys, .storage = l1_bypass_storage},
    .create = create, .destroy = destroy, .gives_up = gives_up, .has_slot = has_slot, .put = put, .next = next, .took = took,
    .storage_bits = storage_bits};
