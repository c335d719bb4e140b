/* A fast way to simulate a mesh of at most 64 routers, all of them at once: a router is a bit, and what each router
 * has once is one word of the network.
 *
 * It does what router.c does, to the cycle, for networks whose routers have five ports with one channel for each
 * class, stages, no speed-up, one iteration, and links that take what the switch gives; a port must lead from every
 * router to the one that is a fixed number further on, and the source and the sink of a router must have packets of
 * one class only (noc_sliced_fits). The meshes of the papers are such networks. In them an output channel has at most
 * one owner, so all output channels of a kind that send in a cycle (their owner has a flit, and they have a credit)
 * are found with three words. Flits and credits on links are words that are shifted. Numbers (eligible flits,
 * credits, flits left) are words too, one for each binary digit, and all of them are counted at once (digits.h); both
 * allocators work on words as well. The words of the two channels of a port are a pair.
 *
 * Only what moves the number of a packet is done router by router, and that without a branch that depends on it: a
 * head that crosses is put into the queue of the next channel, whatever is in there, and a packet leaves its queue
 * when its head is at the front and eligible. Sources and sinks are words like the others; a packet is looked at when
 * it enters and when it is delivered.
 *
 * Owns: what routers, sources and sinks hold in other networks; those structs are unused here except for the
 * description. A bit of noc.filled is a router here, not an input. */
#ifndef NOC_SLICED_H
#define NOC_SLICED_H

#include "noc/digits.h"
#include "noc/router.h"

enum {
  SLICED_PORTS = 5,
  SLICED_LINES = 2 * SLICED_PORTS, /* channels: of each port one a class */
  SLICED_CHANNELS = 16,            /* and two for the sink, of which it uses that of its class; a power of two */
  SLICED_QUEUE = 16
};

/* What routers know of a packet: its number and, in higher bits, its destination and its number of flits. */
typedef uint32_t noc_sliced_label;
enum { SLICED_DEST = 16, SLICED_FLITS = 24 /* their lowest bits; each has eight bits */ };

/* A channel of an input, or the buffer of a sink: the part that is looked at with every packet. */
struct noc_sliced_channel {
  noc_sliced_label front; /* the packet that is first, once its head is eligible */
  uint8_t out;            /* the output port for it */
  uint8_t first, last;    /* of the others, in its queue: counted on without end */
};

/* What arrives in a cycle, by port: of inputs, and of outputs. */
struct noc_sliced_mail {
  noc_pair flits[SLICED_PORTS], credits[SLICED_PORTS];
  uint64_t sources, sinks; /* those that get a credit; those at which a flit is at the end of the link */
  uint32_t n;              /* all but flits for sinks */
  uint32_t links[2];       /* flits that go over links at the end of the cycle, by class */
};

/* Each word has a bit for every router. */
struct noc_sliced {
  noc_pair eligible[SLICED_PORTS][NOC_DIGITS];        /* inputs: flits that have passed the pipeline */
  noc_pair left[SLICED_PORTS][NOC_DIGITS];            /* inputs: flits of `front` that have not crossed */
  noc_pair credits[SLICED_PORTS][NOC_DIGITS];         /* outputs; of those to sinks `credit` alone is used */
  noc_pair some[SLICED_PORTS], credit[SLICED_PORTS];  /* inputs with eligible flits, outputs with credits */
  noc_pair begun[SLICED_PORTS], active[SLICED_PORTS]; /* inputs: a flit of `front` has crossed; there is a `front` */
  noc_pair arrived[SLICED_PORTS];                     /* inputs: a head is eligible that will be `front` */
  noc_pair owner[SLICED_PORTS][SLICED_PORTS];         /* outputs: the packet that has it is at this input port */
  noc_pair wanted[SLICED_PORTS][SLICED_PORTS];        /* outputs: the head at this input port waits for it */
  noc_pair last[SLICED_PORTS][SLICED_PORTS];          /* outputs: it was last given to this input port */
  uint64_t last_in[SLICED_PORTS][SLICED_PORTS];       /* iSLIP's pointers: output ports that were last matched with this input port, */
  uint64_t last_out[SLICED_PORTS][SLICED_PORTS];      /* and, for each output port, input ports that were with it */
  uint64_t turn[SLICED_PORTS];                        /* input ports that prefer their second channel */

  struct { /* sources: free slots as they know them, flits of the packet that enters which are still outside */
    uint64_t credits[NOC_DIGITS], outside[NOC_DIGITS];
    uint64_t credit, entering, waiting; /* those that have credits; that have begun a packet, and that wait for a credit to begin one */
    uint64_t replies;                   /* those of replies */
  } source;
  struct { /* sinks: free slots of their buffers, flits at the end of the link, flits left of `front` */
    uint64_t space[NOC_DIGITS], eligible[NOC_DIGITS], left[NOC_DIGITS];
    uint64_t some, active, arrived; /* as of inputs */
    uint64_t replies;
  } sink;

  struct noc_sliced_channel channel[64][SLICED_CHANNELS];         /* by router */
  noc_sliced_label queue[64][SLICED_CHANNELS][SLICED_QUEUE];      /* packets of which at least the head was sent to a channel: rings */
  struct mem_packet **packet;                                     /* those inside, by number */
  uint16_t *unused;                                               /* other numbers */
  uint32_t n_unused;
  uint8_t *next;         /* by router and destination: the output port */
  uint8_t source_of[64]; /* by router */

  uint32_t local;                 /* the port of sources and sinks */
  int32_t further[SLICED_PORTS];  /* by output port: how many routers further on its links lead, */
  uint32_t to[SLICED_PORTS];      /* to this line and the next, */
  uint32_t from[SLICED_PORTS];    /* and by input port: from this output port */
  uint32_t entry, flight;         /* cycles to being eligible: of a flit of a source, and from crossing to the next router */
  uint32_t back, back_to_source;  /* cycles that a credit takes */
  struct noc_sliced_mail *mail;   /* a calendar: this cycle's is mail[at] */
  uint32_t slots, at;
};

/* Whether a network whose description is complete can be simulated in this way. */
bool noc_sliced_fits(const struct noc_net *n);
void noc_sliced_init(struct noc_net *n);
void noc_sliced_free(struct noc_net *n);
uint64_t noc_sliced_tick(struct noc_net *n, uint64_t now);

/* For the watchdog: the number of packets in channel q, the i-th of them, and whether the first one has an output channel. */
uint32_t noc_sliced_packets(const struct noc_net *n, const struct noc_vc *q);
const struct mem_packet *noc_sliced_packet(const struct noc_net *n, const struct noc_vc *q, uint32_t i);
bool noc_sliced_holds(const struct noc_net *n, const struct noc_vc *q);
/* The output port for the first packet of q. For the channel that it wants there: whether the output buffer has a
 * free slot (open), and whether the channel has a credit and no owner. */
uint32_t noc_sliced_port(const struct noc_net *n, const struct noc_vc *q);
bool noc_sliced_open(const struct noc_net *n, const struct noc_vc *q);
bool noc_sliced_has_channel(const struct noc_net *n, const struct noc_vc *q);
/* The oldest packet whose tail is in the buffer of a sink; NULL: there is none. */
const struct mem_packet *noc_sliced_oldest_leaving(const struct noc_net *n);

#endif
