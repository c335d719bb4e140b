/* How many registers the machine code of a function needs. A value needs none if it becomes part of another machine instruction
 * (lower_slots.c), if it is a parameter (an operand in constant memory), or if it is a predicate.
 *
 * The count is that of the text as it was written: ptxas orders and unrolls code so that the number changes little. Of 386 kernels of
 * workloads and probes, half are within 4 registers of what ptxas 13.0 allocates for sm_90, and 19 have another occupancy at 256 threads
 * per CTA than ptxas's count gives (47 if all registers of PTX count): those for which ptxas moves many loads ahead. Launch bounds limit
 * the count as they limit ptxas's, which then spills; the cost of spilling is not modelled. */
#include "ptx/lower/lower.h"

#include <stdlib.h>

enum {
  OTHERS = 4,      /* stack pointer, temporaries of sequences, pairs that must begin at an even number */
  GRANULE = 8,     /* registers of a thread are allocated in such steps */
  OF_AN_SM = 65536,
  MOST = 255,
  USUAL = 32,      /* what ptxas aims at without launch bounds */
  USUAL_CTAS = 6   /* CTAs per SM that it aims at if only the threads of a CTA are stated */
};

static bool is_parameter(const struct ptx_inst *in) { return in->op == PTX_OP_ld && in->space == PTX_PARAM; }

uint8_t *lower_weigh_registers(const struct ptx_func *f, bool uniform) {
  struct lower_facts facts;
  uint8_t *weight = must_alloc(f->n_regs + 1), *slots = must_alloc(f->n_insts + 1);
  lower_find_facts(&facts, f);
  lower_count_slots(f, slots);
  for (uint32_t r = 0; r < f->n_regs; r++) {
    int32_t writer = facts.writer[r];
    bool nowhere = writer != LOWER_NONE && (!slots[writer] || is_parameter(&f->insts[writer]));
    bool counts = (uniform || facts.divergent[r]) && !nowhere && f->regs[r].type != PTX_PRED;
    weight[r] = (uint8_t)(counts ? (ptx_type_bits((enum ptx_type)f->regs[r].type) + 31) / 32 : 0);
  }
  lower_free_facts(&facts);
  free(slots);
  return weight;
}

static bool makes_calls(const struct ptx_func *f) {
  for (uint32_t i = 0; i < f->n_insts; i++)
    if (f->insts[i].op == PTX_OP_call) return true;
  return false;
}

static uint32_t threads_of(const struct ptx_func *f) {
  return f->maxntid[0] * (f->maxntid[1] ? f->maxntid[1] : 1) * (f->maxntid[2] ? f->maxntid[2] : 1);
}

/* Registers per thread with which `ctas` CTAs fit into an SM. */
static uint32_t registers_for(const struct ptx_func *f, uint32_t ctas) {
  uint64_t all = (uint64_t)threads_of(f) * ctas;
  return all > 0 && all < OF_AN_SM / GRANULE ? OF_AN_SM / (uint32_t)all / GRANULE * GRANULE : OF_AN_SM;
}

static uint32_t most_registers(const struct ptx_func *f) { return registers_for(f, f->minnctapersm ? f->minnctapersm : 1); }

uint32_t lower_aimed_registers(const struct ptx_func *f, bool *is_bound) {
  uint32_t limit = f->maxnreg;
  *is_bound = f->maxnreg || f->minnctapersm;
  if (!limit && f->minnctapersm) limit = most_registers(f);
  if (!limit) limit = threads_of(f) && registers_for(f, USUAL_CTAS) > USUAL ? registers_for(f, USUAL_CTAS) : USUAL;
  return limit < MOST ? limit : MOST;
}

uint32_t lower_count_registers(const struct ptx_func *f) {
  struct ptx_live live;
  uint32_t most = most_registers(f), needed = f->regs_needed;
  if (!makes_calls(f)) {
    uint8_t *weight = lower_weigh_registers(f, true);
    ptx_find_live(f, weight, &live);
    needed = live.most + OTHERS;
    ptx_free_live(&live);
    free(weight);
  }
  return needed < most ? needed : most;
}
