/* A fast way to simulate networks of routers whose ports have one channel: all flits of a cycle at once. A channel is
 * a bit, and 64 of them are a word.
 *
 * It does what router.c does, to the cycle, for a network that carries only requests or only replies and whose
 * routers have stages, no speed-up and links that take what the switch gives (noc_worms_fits). The crossbars of the
 * papers are such networks. In them an output has at most one owner, and every flit crosses whose packet has its
 * output and finds a free slot behind it: that is three words. Numbers (eligible flits, flits left, free slots) are
 * words too, one for each binary digit, and all of them are counted at once (digits.h); flits and credits on their
 * way are words in a calendar. What happens once for each packet is done packet by packet: heads, tails, injection
 * and delivery. The packet itself is not touched on its way; its destination and its length stand beside it in the
 * channels. The buffer of a sink is a channel as well, which its link empties.
 *
 * Owns: what struct noc_vc, the stages of routers and the lists of the calendar (router.h) hold for other networks;
 * those are unused here. It uses the network's description and its sources. */
#ifndef NOC_WORMS_H
#define NOC_WORMS_H

#include "noc/digits.h"
#include "noc/router.h"

enum { WORMS_QUEUE = 16, WORMS_SETS = 16 /* words of a set of words, of 65,536 channels; kept up where there are many */ };

/* 64 channels. */
struct noc_worms_word {
  uint64_t eligible[NOC_DIGITS]; /* flits that may cross; of sinks, that are at the end of the link */
  uint64_t left[NOC_DIGITS];     /* flits of the first packet that have not crossed */
  uint64_t credits[NOC_DIGITS];  /* free slots, as the sender knows them */
  uint64_t some, credit;           /* eligible and credits are not 0 */
  uint64_t bound;                  /* the first packet has its output, */
  uint64_t open;                   /* and there is a free slot behind it; */
  uint64_t begun;                  /* a flit of it has crossed */
  uint64_t arrived;                /* heads that are first and eligible, and not yet looked at */
  uint64_t ready, given;           /* nobody has the channel, and heads wait for it; the first packet got its output in this cycle */
  uint64_t wires, fresh;           /* channels of bypassed routers, and those with a head that wants its output */
};

/* What a network knows of a packet. */
struct noc_worms_packet {
  struct mem_packet *k;
  uint16_t dest, flits;
};

struct noc_worms_channel {
  const uint16_t *routes;    /* the channel that its router's output for a destination leads to; not of sinks */
  uint16_t line;             /* its input at that router */
  uint16_t before, lines;    /* the router that sends to it: its first input, and how many it has */
  uint16_t grant;            /* iSLIP's pointer: the one to prefer */
  uint8_t first, packets;    /* those of which at least the head was sent to it */
  struct noc_worms_packet ring[WORMS_QUEUE];
} __attribute__((aligned(64)));
#define WORMS_NOBODY UINT16_MAX

/* What arrives in a cycle: flits and credits, by word. */
struct noc_worms_mail {
  uint64_t *flits, *credits;
  uint64_t *some; /* set of words with any */
  bool ends;      /* there may be flits for sinks */
  uint32_t due;   /* all but flits for sinks */
  uint32_t links; /* flits that go over links at the end of the cycle */
};

struct noc_worms {
  uint32_t words, first_link, first_sink; /* words: channels of sources by their numbers, then those of links, then sinks */
  struct noc_worms_word *word;
  struct noc_worms_channel *channel;
  uint16_t *of_in, *of_out;               /* the channel of an input port, and that behind an output */
  uint16_t *to;                           /* per channel: of its first packet, once it was looked at, the channel its output leads to, */
  uint16_t *owner;                        /* and the channel whose packet has this one, or WORMS_NOBODY */
  uint16_t *routes;                       /* per router and destination: the channel behind the output */
  uint64_t *heads;                        /* per channel, `asking` words: inputs of the router before it whose head waits for it */
  uint32_t asking;
  uint64_t (*outside)[NOC_DIGITS];      /* of sources: flits of the packet that is entering */
  uint64_t busy[WORMS_SETS];              /* words in which a packet may have its output or have arrived */
  uint64_t wanted[WORMS_SETS];            /* words with any of `ready` */
  uint64_t ending[WORMS_SETS];            /* words of sinks with flits at the end of their links; others have none */
  uint64_t reached[WORMS_SETS];           /* words with any of `sent` */
  uint64_t *sent;                         /* channels that a flit was sent to in this cycle */
  bool single;                            /* source i is input i */
  bool full;                              /* a full crossbar, which as in xbar.c is left alone in the cycle in which its last flit leaves */
  uint32_t entry, flight;                 /* cycles to being eligible: of a flit of a source, and from crossing on to another router */
  uint32_t leaves;                        /* cycles from crossing to the end of that in which a flit goes over its link */
  uint32_t back[2];                       /* cycles that a credit takes to a source, and over a link */
  struct noc_worms_mail *mail;            /* a calendar: this cycle's is mail[at] */
  uint64_t *mails;
  uint32_t slots, at;
};

/* Whether a network whose description is complete can be simulated in this way. */
bool noc_worms_fits(const struct noc_net *n);
void noc_worms_init(struct noc_net *n);
void noc_worms_free(struct noc_net *n);
/* To be called after routers were bypassed or put back; the network must be empty. */
void noc_worms_bypass(struct noc_net *n);
uint64_t noc_worms_tick(struct noc_net *n, uint64_t now);

/* For the watchdog: the channel of input port `in`, and its i-th packet. */
static inline const struct noc_worms_channel *noc_worms_channel(const struct noc_net *n, uint32_t in) {
  return &n->worms->channel[n->worms->of_in[in]];
}
static inline struct mem_packet *noc_worms_packet(const struct noc_worms_channel *q, uint32_t i) {
  return q->ring[(q->first + i) % WORMS_QUEUE].k;
}
/* The output port for the channel's first packet, and whether the packet has it. For that output: whether its buffer,
 * if it is a sink's, has a free slot; whether it has no owner and there is a free slot behind it. */
uint32_t noc_worms_port(const struct noc_net *n, uint32_t in);
bool noc_worms_holds(const struct noc_net *n, const struct noc_worms_channel *q);
bool noc_worms_open(const struct noc_net *n, const struct noc_worms_channel *q);
bool noc_worms_has_channel(const struct noc_net *n, const struct noc_worms_channel *q);
/* The oldest packet whose tail is in the buffer of a sink; NULL: there is none. */
const struct mem_packet *noc_worms_oldest_leaving(const struct noc_net *n);

#endif
