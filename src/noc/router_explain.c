/* What the watchdog asks a network of routers (router.h): where its oldest packets are and what they wait for. It
 * changes nothing. */
#include "noc/router.h"
#include "noc/sliced.h"
#include "noc/worms.h"

static const struct noc_worms_channel *worm_of(const struct noc_net *n, const struct noc_vc *q) {
  return noc_worms_channel(n, (uint32_t)(q - n->vc));
}

/* Whether the first packet of q has its output channel. */
static bool holds(const struct noc_net *n, const struct noc_vc *q) {
  if (n->worms) return noc_worms_holds(n, worm_of(n, q));
  return n->sliced ? noc_sliced_holds(n, q) : q->ahead != NULL;
}

static uint32_t packets_of(const struct noc_net *n, const struct noc_vc *q) {
  if (n->worms) return worm_of(n, q)->packets;
  return n->sliced ? noc_sliced_packets(n, q) : q->packets;
}
static const struct mem_packet *packet_of(const struct noc_net *n, const struct noc_vc *q, uint32_t i) {
  if (n->worms) return noc_worms_packet(worm_of(n, q), i);
  if (n->sliced) return noc_sliced_packet(n, q, i);
  return i ? *noc_net_behind(n, q, i - 1) : q->k;
}
static uint32_t port_of(const struct noc_net *n, const struct noc_vc *q) {
  if (n->worms) return noc_worms_port(n, (uint32_t)(q - n->vc));
  return n->sliced ? noc_sliced_port(n, q) : q->out->local;
}

/* Where the head of the oldest packet is: a packet lies in several buffers at once, and its head in the one
 * from which no flit has crossed. */
static const struct mem_packet *oldest_head(const struct noc_net *n, const struct noc_vc **vc) {
  const struct mem_packet *best = NULL;
  for (const struct noc_vc *q = n->vc; q < n->vc + n->ins * n->vcs; q++)
    for (uint32_t j = holds(n, q); j < packets_of(n, q); j++) {
      const struct mem_packet *k = packet_of(n, q, j);
      if (!best || k->born < best->born) best = k, *vc = q;
    }
  return best;
}

static const struct mem_packet *oldest_leaving(const struct noc_net *n) {
  if (n->worms) return noc_worms_oldest_leaving(n);
  if (n->sliced) return noc_sliced_oldest_leaving(n);
  const struct mem_packet *best = NULL;
  for (uint32_t d = 0; d < n->outs; d++)
    for (uint32_t j = 0; j < n->out[d].count && n->out[d].sink; j++) {
      const struct noc_flit *f = &n->out[d].ring[(n->out[d].first + j) % n->base.c.output_flits];
      if (f->tail && (!best || f->k->born < best->born)) best = f->k;
    }
  return best;
}

static void explain_packet(const struct noc_net *n, const struct mem_packet *k, uint64_t now,
                           struct str *out) {
  str_add(out, "  oldest %s: line 0x%lx, SM %u, slice %u, %lu cycles old, ",
          mem_to_sm(k) ? "reply" : "request", k->line, k->sm, k->slice,
          (now - k->born) / n->base.wake.period);
}

/* Whether the buffer of the output that q's first packet wants is open, and whether it has a free channel with a credit. */
static bool is_open(const struct noc_net *n, const struct noc_vc *q) {
  if (n->worms) return noc_worms_open(n, worm_of(n, q));
  return n->sliced ? noc_sliced_open(n, q) : noc_has_bit(q->router->open, q->out->local);
}
static bool has_channel(const struct noc_net *n, const struct noc_vc *q) {
  if (n->worms) return noc_worms_has_channel(n, worm_of(n, q));
  return n->sliced ? noc_sliced_has_channel(n, q) : q->out->free[q->class_];
}

static const char *state_of(const struct noc_net *n, const struct noc_vc *q) {
  if (!is_open(n, q)) return "has a full buffer";
  if (!has_channel(n, q)) return "has no free channel with a credit";
  return "is free";
}

static void explain_head(const struct noc_net *n, const struct mem_packet *k, const struct noc_vc *q, uint64_t now, struct str *out) {
  explain_packet(n, k, now, out);
  str_add(out, "at %s %u, input %u, channel %u", q->router->kind, q->router->number, q->local, q->number);
  if (packet_of(n, q, 0) != k || holds(n, q))
    str_add(out, ", behind another packet\n");
  else
    str_add(out, ", wants output %u, which %s\n", port_of(n, q), state_of(n, q));
}

void noc_net_explain(const struct noc *base, uint64_t now, struct str *out) {
  static const char *const names[] = {"request", "reply", "shared"};
  const struct noc_net *n = (const struct noc_net *)base;
  uint32_t waiting = 0;
  const struct noc_vc *vc = NULL;
  for (uint32_t i = 0; i < base->n_in; i++) waiting += base->in[i].count;
  str_add(out, "%s network: %lu flits inside, %u packets wait at inputs\n", names[base->shape.direction],
          noc_net_inside(base), waiting);
  const struct mem_packet *leaving = oldest_leaving(n), *head = oldest_head(n, &vc);
  if (leaving) {
    const struct mem_port *p = base->out[noc_net_destination(n, leaving)];
    explain_packet(n, leaving, now, out);
    str_add(out, "at its receiver, which %s (%u of %u packets)\n",
            mem_port_free_slots(p, now) ? "has a free slot" : "is full", p->count, p->capacity);
  }
  if (head) explain_head(n, head, vc, now, out);
}
