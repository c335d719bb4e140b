/* From issue to the units, stage by stage (sm.register_banks): an instruction is issued into a register in front of its set of
 * operand collectors, gets a collector, reads its registers from banks, waits in a register in front of its unit and enters the
 * unit when that is free and a result bus will be free for its result. As in GPGPU-Sim, whose stages these are; the order
 * within a cycle is units, collectors to units, reads, issue registers to collectors.
 *
 * A bank gives one register a cycle, none in a cycle in which one is written to it, to the instruction that asked first. A collector
 * receives one register a cycle, or (sm.parallel_reads) one from every bank. Banks are (register + warp) modulo their number.
 *
 * Owns: the instructions in these stages, the units, the result buses and which banks will be written when. Does not: know
 * warps or memory; its creator is notified when an instruction enters its unit. Simplified: memory instructions leave their
 * collectors in order; a write never waits for a bank. */
#ifndef SM_PIPELINE_H
#define SM_PIPELINE_H

#include "exec/exec.h"

enum { SM_SET_SP, SM_SET_SFU, SM_SET_MEM, SM_SETS }; /* of collectors and units */
enum { SM_SET_COLLECTORS = 16, SM_MAX_BANKS = 32, SM_MAX_UNITS = 4, SM_MAX_WIDTH = 4 /* bytes of a word */ };
enum { SM_COLLECTORS = SM_SETS * SM_SET_COLLECTORS, SM_FLIGHTS = SM_COLLECTORS + 2 * SM_SETS * SM_MAX_WIDTH };
enum { SM_NEAR = 64, SM_AHEAD = 1024 /* cycles */ };

struct sm_flight { /* an instruction under way */
  const struct exec_deps *deps;
  uint64_t seq;              /* order of issue */
  int32_t entry;             /* of the load/store queue; -1: it makes no access */
  uint16_t latency, interval;
  uint8_t warp, set;
};

struct sm_stage { /* registers between two stages */
  uint32_t at;           /* instructions, a byte each, in the order they came */
  uint8_t count, width;
};

struct sm_collector {
  uint32_t wants;  /* banks from which it still gets registers */
  uint8_t flight;
  uint8_t further; /* registers beyond one from each of them */
};

struct sm_collector_set {
  uint64_t mine; /* its collectors, as bits */
  uint32_t ports;
  uint32_t last[SM_MAX_WIDTH]; /* of each way out: the collector it last emptied */
  struct sm_stage issued, collected;
};

struct sm_plan { /* for a cycle */
  uint32_t written; /* banks */
  uint8_t results;  /* on the buses */
  uint8_t ends[SM_SET_MEM]; /* units from which a result comes, as bits */
};

struct sm_far_plan { /* of another cycle, which has passed, if `cycle` is not the one that is looked for */
  uint64_t cycle;
  struct sm_plan plan;
};

struct sm_pipeline_config {
  uint32_t banks; /* 0: there is no such pipeline */
  uint32_t collectors[SM_SETS], units[SM_SETS], buses;
  bool parallel_reads, memory_stage;
};

struct sm_pipeline { /* what a cycle looks at comes first */
  struct sm_pipeline_config c;
  uint32_t bank_mask;         /* their number less one if that is a power of two, else 0 */
  uint32_t inside;            /* instructions */
  uint64_t now, seq;          /* the last cycle, and how many have been issued */
  uint64_t used, full;        /* collectors of all sets, as bits: with an instruction, with all its registers */
  uint32_t n_waiting;         /* collectors that lack registers */
  uint32_t square, turn;      /* of the diagonal on which banks are ordered: its length, and where it begins in cycle `turn_of` */
  uint64_t turn_of;
  uint32_t reserved[SM_SETS]; /* of the issue registers: for instructions that were chosen and are executed at the cycle's end */
  struct sm_collector_set set[SM_SETS];
  uint64_t far_until;            /* the last cycle for which `far` has a plan */
  uint64_t free[SM_SET_MEM][SM_MAX_UNITS]; /* cycle from which a unit takes an instruction */
  struct sm_collector collector[SM_COLLECTORS]; /* of one set after the other */
  uint8_t waiting[SM_COLLECTORS]; /* those that lack registers, in the order in which they asked */
  uint8_t spare[SM_FLIGHTS];  /* places of `flight`: but for the last `inside`, those that are not in use */
  struct sm_flight flight[SM_FLIGHTS];
  struct sm_plan near[SM_NEAR];  /* from `now` on, modulo SM_NEAR */
  uint8_t further[SM_COLLECTORS][SM_MAX_BANKS]; /* registers that a collector gets from a bank after the first */
  struct sm_far_plan far[SM_AHEAD]; /* beyond `near`: long latencies */
};

void sm_pipeline_init(struct sm_pipeline *p, const struct sm_pipeline_config *c);
static inline bool sm_pipeline_accepts(const struct sm_pipeline *p, unsigned set) {
  return p->set[set].issued.count + p->reserved[set] < p->set[set].issued.width;
}
/* Whether nothing moves until the load/store unit takes an instruction: only memory instructions are inside, those in collectors have
 * their registers, and all stand behind the one that the unit takes next. */
static inline bool sm_pipeline_waits(const struct sm_pipeline *p) {
  const struct sm_collector_set *sp = &p->set[SM_SET_SP], *sfu = &p->set[SM_SET_SFU], *mem = &p->set[SM_SET_MEM];
  bool others = sp->issued.count || sp->collected.count || sfu->issued.count || sfu->collected.count || p->used & ~mem->mine;
  return !others && !p->n_waiting && mem->collected.count == mem->collected.width && (!mem->issued.count || p->used == mem->mine);
}
/* An instruction is issued, and its set accepts it. What is returned is filled by the caller, a field after the other but for seq and set:
 * a copy would be read in larger pieces than it was written in, and the host would wait for them. */
struct sm_flight *sm_pipeline_issue(struct sm_pipeline *p, unsigned set);
/* One cycle. `memory` says whether the load/store unit takes an instruction; `entered` is called for each one that enters a unit,
 * with the cycle in which its registers are ready (of memory instructions: in which their accesses begin). */
void sm_pipeline_cycle(struct sm_pipeline *p, uint64_t cycle, bool memory,
                       void (*entered)(void *user, const struct sm_flight *f, uint64_t ready), void *user);
/* A register of a warp is written in that cycle, at most SM_AHEAD / 2 after the present one, `now`. */
void sm_pipeline_write(struct sm_pipeline *p, uint64_t now, uint64_t cycle, uint32_t reg, uint32_t warp);

#endif
