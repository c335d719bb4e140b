/* Meshes of at most 64 routers, all of them at once: a router is a bit, and what each of them has once, the network has as a word.
 *
 * It does what router.c does, to the cycle, for networks whose routers have five ports with a channel of each class, stages, no
 * speed-up, one iteration and links that take what the switch gives, and in which a port leads from every router to the one that is
 * so many further on (noc_sliced_fits): the meshes of the papers. There an output channel has one owner at most, so that all output
 * channels of a kind send whose owner has a flit and that have a credit: three words. Flits and credits on links are words that are
 * shifted; numbers (eligible flits, credits, flits left) are words too, one for each binary digit, and all are counted at once. What
 * comes once a packet, or seldom, is done router by router: heads, tails, ports that two channels want.
 *
 * Owns: what routers know of their channels, and which packets are in them. Does not: let sources send or sinks take (router.c), or have
 * the credits of sources, which are in router.h's struct noc_vc of the channels they send to, all else of which is unused. */
#ifndef NOC_SLICED_H
#define NOC_SLICED_H

#include "noc/digits.h"
#include "noc/router.h"

enum { SLICED_PORTS = 5, SLICED_LINES = 2 * SLICED_PORTS /* channels: of each port one a class */, SLICED_QUEUE = 16 };

/* What routers need to know of a packet. */
struct noc_sliced_packet {
  struct mem_packet *k;
  uint16_t dest, flits;
};

/* What arrives in a cycle, by channel: of inputs, and of outputs. */
struct noc_sliced_mail {
  uint64_t flits[SLICED_LINES], credits[SLICED_LINES];
  uint32_t n; /* all of them */
};

/* Words have a bit a router. Lines are channels of inputs, or of outputs. */
struct noc_sliced {
  uint64_t eligible[SLICED_LINES][NOC_DIGITS]; /* inputs: flits that have passed the pipeline */
  uint64_t left[SLICED_LINES][NOC_DIGITS];     /* inputs: flits of the first packet that have not crossed, but for `rest` */
  uint64_t credits[SLICED_LINES][NOC_DIGITS];  /* outputs */
  uint64_t longer[SLICED_LINES];
  uint64_t some[SLICED_LINES], credit[SLICED_LINES]; /* inputs with eligible flits, outputs with credits */
  uint64_t begun[SLICED_LINES], bound[SLICED_LINES]; /* inputs: a flit of the first packet has crossed; it has its output channel */
  uint64_t routing[SLICED_LINES];                    /* inputs: the head is being routed (noc.route_stage) */
  uint64_t owner[SLICED_LINES][SLICED_PORTS];        /* outputs: the packet that has it is at this input port */
  uint64_t free[SLICED_LINES], wanted[SLICED_LINES]; /* outputs: no packet has it; a head waits for it */
  uint64_t open;                                     /* sinks with a free slot in their buffer */
  uint64_t last_in[SLICED_PORTS][SLICED_PORTS];  /* iSLIP's pointers: output ports that were last matched with this input port, */
  uint64_t last_out[SLICED_PORTS][SLICED_PORTS]; /* input ports that were with this output port */
  uint64_t turn[SLICED_PORTS];                   /* input ports that prefer their second channel */

  struct noc_sliced_packet *packet; /* those inside, by number */
  uint16_t *unused;                 /* other numbers */
  uint32_t n_unused;
  uint16_t queue[64][SLICED_LINES][SLICED_QUEUE]; /* by router and input: packets of which at least the head was sent to it, rings, */
  uint8_t first[64][SLICED_LINES], packets[64][SLICED_LINES]; /* the place of the first, and how many */
  uint8_t out[64][SLICED_LINES];   /* by router and input: the output channel for the first packet */
  uint16_t rest[64][SLICED_LINES]; /* flits of the first packet that `left` has no digits for, of those in `longer` */
  uint16_t heads[64][SLICED_LINES]; /* by router and output: input channels whose head waits for it */
  uint8_t grant[64][SLICED_LINES];  /* the one to prefer */

  uint32_t local;                /* the port of sources and sinks */
  int32_t further[SLICED_PORTS]; /* by output port: how many routers further on its links lead, */
  uint32_t to[SLICED_PORTS];     /* to this input port, */
  uint32_t from[SLICED_PORTS];   /* and by input port: from this output port */
  uint32_t flight, back;         /* cycles a flit takes from its crossing to the next, and a credit */
};

/* Whether a network, which is described, is one of these. */
bool noc_sliced_fits(const struct noc_net *n);
void noc_sliced_init(struct noc_net *n);
void noc_sliced_free(struct noc_net *n);
/* A packet of a source is about to enter a channel; one of its flits is eligible there in so many cycles. */
void noc_sliced_append(struct noc_net *n, struct noc_vc *q, struct mem_packet *k);
void noc_sliced_send(struct noc_net *n, const struct noc_vc *q, uint32_t cycles);
/* A flit has left the buffer of a sink. */
void noc_sliced_leave(struct noc_net *n, const struct noc_router_out *o);
/* What arrives, and all switches; returns whether anything happened. */
bool noc_sliced_cycle(struct noc_net *n, uint64_t now);
/* How many packets are in channel q, the i-th of them, and whether the first has an output channel. */
uint32_t noc_sliced_packets(const struct noc_net *n, const struct noc_vc *q);
struct mem_packet *noc_sliced_packet(const struct noc_net *n, const struct noc_vc *q, uint32_t i);
bool noc_sliced_holds(const struct noc_net *n, const struct noc_vc *q);
/* The output port for the first packet of q. Of the channel it wants there: whether its buffer is open; whether it has no owner, and a
 * credit. */
uint32_t noc_sliced_port(const struct noc_net *n, const struct noc_vc *q);
bool noc_sliced_open(const struct noc_net *n, const struct noc_vc *q);
bool noc_sliced_has_channel(const struct noc_net *n, const struct noc_vc *q);

#endif
