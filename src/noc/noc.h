/* The networks between SMs and L2 slices.
 *
 * A network takes packets from its input ports, carries them as flits, and pushes each packet into the output port of
 * its destination (the slice of a request, the SM of a reply) once its tail has arrived. It owns its input ports; the
 * output ports belong to those who read them. A GPU has a fabric: either a request network and a reply network, or
 * one network that carries both.
 *
 * A topology is one file that implements struct noc_topology, and one line in noc_registry.c. */
#ifndef NOC_H
#define NOC_H

#include "base/cfg.h"
#include "base/err.h"
#include "base/policy.h"
#include "base/stat.h"
#include "base/str.h"
#include "mem/port.h"

extern const struct cfg_key noc_keys[];

enum { NOC_HEADER = 8 /* bytes of a packet besides its payload */, NOC_MAX_PORTS = 256 };

/* The settings that every topology needs, read once from the configuration. */
struct noc_config {
  uint32_t flit_bytes, vcs, buffer_flits, output_flits, inject_queue;
  uint32_t pipeline, speedup, iterations, request_links;
  uint32_t link_latency, link_interval; /* of links between routers */
  uint32_t output_latency, credit_latency, reply_inject_queue;
  bool voq, vc_stage, route_stage;
};

enum noc_stat {
  NOC_PACKETS_IN,
  NOC_PACKETS_OUT,
  NOC_FLITS_IN,
  NOC_FLITS_OUT,
  NOC_INJECT_STALLS,
  NOC_EJECT_STALLS,
  NOC_LOST_GRANTS,
  NOC_CYCLES,
  NOC_OCCUPANCY,
  NOC_LATENCY,
  NOC_HOPS,
  NOC_LINKS,
  NOC_BYPASSED,
  NOC_GATED,
  NOC_STATS
};

enum noc_direction { NOC_REQUEST, NOC_REPLY, NOC_BOTH };

struct noc_shape {
  unsigned sms, slices;
  enum noc_direction direction;
  uint64_t period; /* of the network's clock, in ticks */
};

/* What a network is built of, routers and links by kind. The room power computes area and energy from it. */
struct noc_router_kind {
  const char *kind;
  unsigned n, ins, outs;
  bool bare;     /* only a switch: no buffers and no registers */
  bool every;    /* each flit crosses one router of this kind; all other crossings (NOC_HOPS) are of the kind for which it is false */
  bool gateable; /* its routers can be power-gated; NOC_GATED counts the cycles in which they are */
};
struct noc_link_kind {
  const char *kind;
  unsigned n;
  double sides;  /* length, as a multiple of the side of a square die or, with over_l2, of the square that all L2 slices take */
  bool over_l2;
  bool terminal; /* each flit takes one link of this kind; otherwise NOC_LINKS counts the flits over them */
};
enum { NOC_KINDS = 4 };
struct noc_hardware {
  struct noc_router_kind router[NOC_KINDS];
  struct noc_link_kind link[NOC_KINDS];
  unsigned routers, links;
};

struct noc;
struct noc_topology {
  struct policy policy;
  bool both;                  /* one network carries requests and replies */
  bool copies;                /* it can deliver one reply to several SMs (mem_packet.followers) */
  /* Creates a network. The topology's struct must begin with struct noc, filled by noc_init. NULL and *e if the
   * settings or the shape do not fit. */
  struct noc *(*create)(const struct cfg *cfg, const struct noc_config *c, const struct noc_shape *shape,
                        struct err *e);
  uint64_t (*tick)(struct noc *n, uint64_t now);
  void (*explain)(const struct noc *n, uint64_t now, struct str *out);
  uint64_t (*inside)(const struct noc *n); /* number of flits inside, for the conservation check */
  /* Bypasses the routers next to the L2 slices (on), or uses them again, and returns how many are bypassed now. The
   * network must be empty. NULL: the topology has no such routers. */
  uint32_t (*bypass)(struct noc *n, bool on);
  /* The cycles that the first flits of a request and of its reply together take in an idle network, beyond one router
   * each way. `bypassed`: with the routers next to the L2 slices bypassed (may be NULL: no cycles). */
  double (*beyond)(const struct cfg *cfg, bool bypassed);
  void (*destroy)(struct noc *n);          /* frees the topology's own memory and the struct */
  /* Describes what a network of this shape is built of; *out is empty on entry. */
  void (*hardware)(const struct cfg *cfg, const struct noc_shape *shape, struct noc_hardware *out);
};
extern const struct policy *const noc_topologies[]; /* the policies of noc.topology */

struct noc {
  struct mem_wake wake;
  const struct noc_topology *topology;
  struct noc_config c;
  struct noc_shape shape;
  unsigned n_in, n_out;
  struct mem_port *in;                /* n_in ports, owned by the network */
  uint64_t *filled;                   /* set of inputs (by mem_port.number) that may hold packets; whoever finds one empty removes it */
  struct mem_port **out;              /* n_out ports, owned by those who read them */
  uint64_t counters[NOC_STATS];       /* of its direction; if it carries both, of requests */
  uint64_t reply_counters[NOC_STATS]; /* if it carries both, of replies */
  uint32_t gated;                     /* routers without power */
  uint64_t gated_since;               /* time up to which counters[NOC_GATED] has counted them */
};

/* One direction of a fabric as its neighbours see it. */
struct noc_side {
  struct noc *net;
  unsigned first_in, n_in, first_out, n_out;
};
struct noc_fabric {
  struct noc *net[2]; /* the networks that the run loop visits */
  unsigned n_nets;
  struct noc_side request, reply;
};

bool noc_fabric_init(struct noc_fabric *f, const struct cfg *cfg, unsigned sms, unsigned slices,
                     uint64_t period, struct err *e);
void noc_fabric_free(struct noc_fabric *f);
/* Network cycles from an SM to a slice and back in an idle network, for the first flits of request and reply (noc_topology.beyond). */
double noc_round_trip(const struct cfg *cfg, bool bypassed);
/* Cycles from entering a router to crossing its switch: its pipeline, and the stages before the switch, of which
 * noc.speedup fit into a cycle. */
double noc_router_cycles(const struct cfg *cfg);

/* The input port for sender i. `sender` becomes the port's producer, which is woken when a slot becomes free. */
static inline struct mem_port *noc_input(const struct noc_side *s, unsigned i, struct mem_wake *sender) {
  struct mem_port *p = &s->net->in[s->first_in + i];
  p->producer = sender;
  return p;
}
/* Connects the input port of receiver j, whose producer the network becomes. */
static inline void noc_connect(const struct noc_side *s, unsigned j, struct mem_port *p) {
  s->net->out[s->first_out + j] = p;
  p->producer = &s->net->wake;
}

static inline uint64_t noc_tick(struct noc *n, uint64_t now) { return n->topology->tick(n, now); }
static inline void noc_explain(const struct noc *n, uint64_t now, struct str *out) {
  n->topology->explain(n, now, out);
}
/* True if nothing is in the network or at its inputs. */
bool noc_idle(const struct noc *n);
/* Whether the topology can do without the routers next to the slices, while each cluster c sends only to the slice c
 * of every controller. */
static inline bool noc_can_bypass(const struct noc *n) { return n->topology->bypass != NULL; }
/* Switches the power of these routers off (on = true) or on again; only while the network is empty. */
void noc_bypass(struct noc *n, bool on, uint64_t now);
/* Brings the count of gated cycles up to `now`, before it is read. */
void noc_settle(struct noc *n, uint64_t now);
/* Checks conservation: packets and flits in = out + inside. */
bool noc_check(const struct noc *n, struct err *e);
void noc_register(const struct noc *n, struct stats *s);

static inline uint32_t noc_flits(const struct noc_config *c, const struct mem_packet *k) {
  return (NOC_HEADER + k->payload + c->flit_bytes - 1) / c->flit_bytes;
}

/* For topologies: the tail of a packet leaves the network at output d. */
static inline void noc_deliver(struct noc *n, uint64_t *counters, uint32_t d, struct mem_packet *k,
                               uint64_t now) {
  counters[NOC_PACKETS_OUT]++;
  counters[NOC_LATENCY] += (now - k->sent) / n->wake.period;
  mem_port_push(n->out[d], k, now);
}
/* For topologies: one more kind of router or link in *h. */
void noc_add_routers(struct noc_hardware *h, const struct noc_router_kind *k);
void noc_add_links(struct noc_hardware *h, const struct noc_link_kind *k);
/* For topologies: fills and frees the common part. */
void noc_init(struct noc *n, const struct noc_topology *t, const struct noc_config *c,
              const struct noc_shape *shape);
void noc_free(struct noc *n);

#endif
