/* Networks of routers and links: what the mesh, the concentrated crossbar and the hierarchical crossbar share.
 *
 * A router is input-buffered. Each input port has virtual channels, each with a buffer of flits. Packets move as
 * worms: the head flit takes a virtual channel of the next buffer, the packet keeps it until its tail has crossed the
 * switch, and flits of two packets never mix in one channel. A flit crosses the switch when it has been in the buffer
 * for `pipeline` cycles, the channel that it goes to has a credit, and the allocator (islip.h) matches its input with
 * its output. Virtual channels are allocated in the same step (a head asks only where a channel of its class is free
 * and has a credit) or, with `vc_stage`, in a step of their own before it (vc_stage.h; there a channel without a
 * credit may be allocated too).
 *
 * Behind the switch is a small output buffer. It is filled up to `speedup` times a cycle, and a link empties it one
 * flit a cycle; the link to a receiver takes `output_latency`. Credits travel back for the link's latency plus
 * `credit_latency`. Behind the switch a flit waits for nothing but the link, so the times when it leaves and arrives
 * are known when it crosses. For this reason only flits for a receiver are kept in a buffer, and where a link takes
 * all that the switch gives (no speed-up, an interval of one) output buffers are not even counted.
 *
 * A topology describes a graph: routers, links, sources, sinks, and the next output for each destination. The
 * functions here are the rest of its table: tick, explain, inside, destroy. router_graph.c builds the network,
 * router.c lets time pass, router_explain.c answers the watchdog; sliced.h is a faster way to simulate meshes and
 * worms.h one for crossbars, with the same results. The two message classes, requests and replies on one physical
 * network, have separate virtual channels all the way, and share nothing that one could hold for ever: a flit in an
 * output buffer already has its credit.
 *
 * One cycle: credits and flits arrive; sources inject; all switches are matched; links and sinks take one flit each.
 * What a router does is not seen by another before the next cycle, so the order of routers has no influence. A router
 * in which nothing can move is not visited until a head, a flit, a credit or a free slot of an output arrives.
 *
 * Simplified, as in xbar.c: the links of sources and sinks take the cycle of the ports there; the body of a packet
 * whose tail waits for its receiver has already left the network. Concentrators and distributors (several inputs or
 * receivers at one router port) take no time. */
#ifndef NOC_ROUTER_H
#define NOC_ROUTER_H

#include "noc/islip.h"
#include "noc/noc.h"
#include "noc/vc_stage.h"

enum { NOC_CLASSES = 2 };

/* A flit between switch and receiver. */
struct noc_flit {
  struct mem_packet *k;
  uint64_t ready; /* time at which it is at the end of the link */
  uint16_t to;    /* its packet's destination */
  uint8_t class_;
  bool tail;
};

/* A virtual channel of an input port: the packets of which at least the head was sent to it, in order, and what its
 * sender knows of it. A sink also leads to such a channel, which nobody reads and which always has a credit. */
struct noc_vc {
  struct mem_packet *k;       /* the first packet */
  struct noc_router_out *out; /* the output that the first packet takes */
  struct noc_vc *ahead;       /* the channel of the next buffer that it holds, NULL: none yet */
  struct noc_vc *owner;       /* the channel whose packet holds this one, NULL: none does */
  struct noc_router *router;
  struct mem_packet **ring;   /* the packets behind it */
  uint16_t first, packets; /* of the ring; all packets */
  uint16_t credits;
  uint16_t eligible; /* flits that have passed the pipeline */
  uint16_t left;     /* flits of the first packet that have not crossed */
  uint16_t local;    /* its input port, counted in the router */
  uint8_t number;    /* among the channels of the port */
  uint8_t class_;
  uint8_t delay; /* cycles that a credit takes to travel back; 0: it is back at once */
  bool begun;    /* a flit of the first packet has crossed */
} __attribute__((aligned(64)));
_Static_assert(sizeof(void *) != 8 || sizeof(struct noc_vc) == 64, "a channel is one cache line");
#define NOC_NOBODY UINT32_MAX

struct noc_router_in {
  uint16_t router;
  bool source;     /* its sender is a source */
  uint32_t sender; /* output at the other end of the link, or the source */
};

struct noc_router_out {
  struct noc_vc *next; /* the channels of the input port it leads to */
  struct noc_router *router;
  struct noc_flit *ring;      /* of a sink */
  uint64_t ready;             /* cycle in which the link can take the next flit */
  uint32_t to;                /* input port it leads to; at sinks, a port nobody reads */
  uint16_t free[NOC_CLASSES]; /* channels of the next buffer that a head could take */
  uint16_t first, count;      /* of the output buffer */
  uint16_t local, interval;
  uint16_t flight; /* cycles from leaving the output buffer to being eligible at the other end */
  bool sink;
} __attribute__((aligned(64)));

/* For each output there is a set, of `words` words, of the input channels that ask for it; the sets of all outputs follow each other. */
struct noc_router {
  struct noc_vc *vc;            /* of its inputs, in order */
  struct noc_router_out *out;   /* its outputs */
  uint64_t *held;               /* channels with a flit of a packet that has a channel, and a credit */
  uint64_t *fresh[NOC_CLASSES]; /* channels with a head that has no channel yet; not used with stages */
  uint32_t words;
  uint8_t *turn;                /* per input: channel to prefer */
  uint64_t asking[NOC_WORDS];   /* outputs that some channel asks for */
  uint64_t open[NOC_WORDS];     /* outputs with a free slot in their buffer */
  struct noc_islip allocator;
  struct noc_vc_stage stage; /* used with vc_stage */
  uint32_t index, first_in, first_out, pipeline;
  bool bypassed;    /* without power: input i is a wire to output i */
  bool staged;      /* it has the stages of vc_stage; a bypassed router has none */
  const char *kind; /* and number, for the watchdog */
  uint32_t number;
};

/* Inputs of the network that share a router port, a packet at a time in turn. */
struct noc_source {
  uint32_t first, n, turn;
  uint32_t port;
  struct mem_packet *entering; /* of which some flits are still outside */
  uint32_t left, vc;
  uint32_t class_; /* of the packet that waits for a credit, if it does */
};

/* What happens in a cycle: the channels that get an eligible flit, the channels that get a credit and, at its end,
 * the outputs whose buffer a flit leaves (if it may have waited there) and the number of flits that go over links. */
struct noc_slot {
  struct noc_vc **arrivals, **returns;
  struct noc_router_out **leaving;
  uint32_t n_arrivals, n_returns, n_leaving;
  uint32_t links[NOC_CLASSES];
};

/* Properties that all routers of a network share. Common combinations are compiled separately (router.c). */
struct noc_style {
  uint32_t vcs, speedup;
  bool narrow; /* the outputs of each router fit into a word, and so do its input channels */
  bool staged; /* all routers have stages */
  bool queues; /* a flit behind a switch may have to wait for its link; if not, output buffers of links are not looked at */
};

struct noc_net {
  struct noc base;
  uint32_t classes, vcs; /* vcs of a port: of all classes together */
  uint32_t routers, ins, outs, sources, sinks;
  struct noc_router *router;
  struct noc_router_in *in;
  struct noc_router_out *out;
  struct noc_source *source;
  uint16_t *source_of; /* by input of the network */
  uint64_t *entering;  /* sources with a packet of which some flits are still outside */
  uint64_t *due;       /* sources with something to send in this cycle; empty between cycles */
  uint64_t *waiting;   /* sources whose next flit waits for a credit, which wakes them */
  uint64_t *sources_some; /* words of `entering` and `due` that may not be empty */
  uint32_t n_waiting[NOC_CLASSES]; /* by the class of the flit */
  uint16_t *next; /* per router and destination: its output */
  struct noc_vc *vc;           /* of the inputs, then of the sinks */
  struct mem_packet **packets; /* rings of the channels */
  uint64_t *active;            /* routers in which something may move */
  uint64_t *sending;           /* sinks with flits in their buffer */
  uint64_t *sending_some;      /* words of it that may not be empty */
  struct noc_style style;
  struct noc_sliced *sliced; /* NULL: it is not one of sliced.h */
  struct noc_worms *worms;   /* NULL: it is not one of worms.h */
  struct noc_slot *slot;   /* a calendar */
  struct noc_slot **order; /* its slots, twice over: this cycle's is order[at], the next one's order[at + 1], ... */
  uint32_t slots, at, pending;
  struct noc_vc **lists; /* of the slots: what arrives, and what returns */
  struct noc_router_out **leaving;
  uint64_t crossed[NOC_CLASSES]; /* flits, by routers with power, not yet in the counters */
  uint64_t last, cycle; /* time of the last visit, and cycles until then */
  uint64_t inside[NOC_CLASSES];
  uint32_t stalled_in[NOC_CLASSES], stalled_out[NOC_CLASSES];
};

struct noc_net_size {
  uint32_t routers, ins, outs, sources, sinks;
};

/* Describes a network: first new, then every router with its ports, then links, sources, sinks and routes, finally
 * ready. Ports are numbered within their router. */
struct noc_net *noc_net_new(const struct noc_topology *t, const struct noc_config *c,
                            const struct noc_shape *shape, const struct noc_net_size *size);
/* Adds a router and returns its number in the network; `kind` and `number` name it in messages. */
uint32_t noc_net_router(struct noc_net *n, const char *kind, uint32_t number, uint32_t ins, uint32_t outs);
void noc_net_link(struct noc_net *n, uint32_t from, uint32_t out, uint32_t to, uint32_t in);
/* The network inputs first to first + count - 1 enter at this port. */
void noc_net_source(struct noc_net *n, uint32_t router, uint32_t in, uint32_t first, uint32_t count);
/* Packets that are routed to this port have arrived, and are delivered to their destination. */
void noc_net_sink(struct noc_net *n, uint32_t router, uint32_t out);
/* From this router, network output `dest` is reached through this port. */
void noc_net_route(struct noc_net *n, uint32_t router, uint32_t dest, uint32_t out);
struct noc *noc_net_ready(struct noc_net *n);
/* Replaces a router by wires from input i to output i (on), or makes it a router again; the network must be empty. A
 * flit from a link goes on in the cycle in which it comes, one from a source in the next. Simplified: flits that wait
 * at such a wire are in the router's buffers, with its credits. */
void noc_net_bypass(struct noc_net *n, uint32_t router, bool on);

/* Refuses settings that networks of routers do not support; true if there are none. */
bool noc_net_fits(const struct cfg *cfg, const struct noc_config *c, struct err *e);

static inline uint32_t noc_net_destination(const struct noc_net *n, const struct mem_packet *k) {
  switch (n->base.shape.direction) {
  case NOC_REQUEST: return k->slice;
  case NOC_REPLY: return k->sm;
  default: return mem_to_sm(k) ? n->base.shape.slices + k->sm : k->slice;
  }
}
static inline uint64_t *noc_net_counters(struct noc_net *n, uint32_t class_) {
  return class_ ? n->base.reply_counters : n->base.counters;
}
/* Where the i-th packet behind the first one of a channel is stored. */
static inline struct mem_packet **noc_net_behind(const struct noc_net *n, const struct noc_vc *q, uint32_t i) {
  uint32_t capacity = n->base.c.buffer_flits, at = q->first + i;
  return &q->ring[at < capacity ? at : at - capacity];
}

/* Counts `cycles` cycles that have passed since the last visit, in which what stood still stayed as it was. */
static inline void noc_net_count_time(struct noc_net *n, uint32_t class_, uint64_t cycles) {
  uint64_t *c = noc_net_counters(n, class_);
  if (n->inside[class_]) {
    c[NOC_CYCLES] += cycles;
    c[NOC_OCCUPANCY] += n->inside[class_] * cycles;
    if (cycles > 1) {
      c[NOC_INJECT_STALLS] += n->stalled_in[class_] * (cycles - 1);
      c[NOC_EJECT_STALLS] += n->stalled_out[class_] * (cycles - 1);
    }
  }
  n->stalled_in[class_] = n->stalled_out[class_] = 0;
}

/* Notes that a sink has flits in its buffer. */
static inline void noc_net_sends(struct noc_net *n, uint32_t sink) {
  noc_set_bit(n->sending, sink);
  noc_set_bit(n->sending_some, sink / 64);
}
/* The words of a set of n elements, and the words of a set of those words. */
static inline uint32_t noc_words(uint32_t n) { return (n + 63) / 64; }
static inline uint32_t noc_words_of_words(uint32_t n) { return noc_words(noc_words(n)); }

/* The functions for struct noc_topology. */
uint64_t noc_net_tick(struct noc *n, uint64_t now);
void noc_net_explain(const struct noc *n, uint64_t now, struct str *out);
uint64_t noc_net_inside(const struct noc *n);
void noc_net_destroy(struct noc *n);

#endif
