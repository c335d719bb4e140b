/* From issue to the units, stage by stage (sm.register_banks), as in GPGPU-Sim. An instruction is issued into a register in front of its
 * set of operand collectors, gets a collector, reads its registers from the banks, waits in a register in front of its unit, and enters the
 * unit when that is free and a result bus will be free for its result. The order within a cycle is: units, collectors to units, reads,
 * issue registers to collectors.
 *
 * A bank gives one register per cycle, to the instruction that asked first, and none in a cycle in which a register is written to it. A
 * collector receives one register per cycle, or with sm.parallel_reads one from every bank. The bank of a register is (register + warp)
 * modulo the number of banks.
 *
 * Owns: the instructions in these stages, the units, the result buses, and which banks will be written when. Knows neither warps nor
 * memory; its creator is notified when an instruction enters its unit. Simplified: memory instructions leave their collectors in order; a
 * write never waits for a bank. */
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
  int32_t entry;             /* its entry in the load/store queue; -1: it makes no access */
  uint16_t latency, interval;
  uint8_t warp, set;
};

struct sm_stage { /* pipeline registers between two stages */
  uint32_t at;           /* instructions, a byte each, in the order of arrival */
  uint8_t count, width;
};

struct sm_collector {
  uint32_t wants;  /* banks from which it still needs registers */
  uint8_t flight;
  uint8_t further; /* further registers, beyond one from each of these banks */
};

struct sm_collector_set {
  uint64_t mine; /* its collectors, as bits */
  uint32_t ports;
  uint32_t last[SM_MAX_WIDTH]; /* by output port: the collector that it last emptied */
  struct sm_stage issued, collected;
};

struct sm_plan { /* of one cycle */
  uint32_t written; /* banks */
  uint8_t results;  /* on the buses */
  uint8_t ends[SM_SET_MEM]; /* units from which a result comes, as bits */
};

struct sm_far_plan { /* out of date if `cycle` is not the cycle that is looked up */
  uint64_t cycle;
  struct sm_plan plan;
};

struct sm_pipeline_config {
  uint32_t banks; /* 0: there is no such pipeline */
  uint32_t collectors[SM_SETS], units[SM_SETS], buses;
  bool parallel_reads, memory_stage;
};

struct sm_pipeline { /* what every cycle reads comes first */
  struct sm_pipeline_config c;
  uint32_t bank_mask;         /* number of banks less one if that is a power of two, else 0 */
  uint32_t inside;            /* instructions */
  uint64_t now, seq;          /* the last cycle, and the number of instructions issued */
  uint64_t used, full;        /* collectors of all sets, as bits: those in use, those with all their registers */
  uint32_t n_waiting;         /* collectors that lack registers */
  uint32_t square, turn;      /* the diagonal by which banks are ordered: its length, and where it begins in cycle `turn_of` */
  uint64_t turn_of;
  uint32_t reserved[SM_SETS]; /* issue registers for instructions that have been chosen and are executed at the end of the cycle */
  struct sm_collector_set set[SM_SETS];
  uint64_t far_until;            /* the last cycle for which `far` has a plan */
  uint64_t free[SM_SET_MEM][SM_MAX_UNITS]; /* cycle from which a unit takes an instruction */
  struct sm_collector collector[SM_COLLECTORS]; /* of one set after the other */
  uint8_t waiting[SM_COLLECTORS]; /* those that lack registers, in the order in which they asked */
  uint8_t spare[SM_FLIGHTS];  /* free entries of `flight`, except for the last `inside` of the array */
  struct sm_flight flight[SM_FLIGHTS];
  struct sm_plan near[SM_NEAR];  /* from `now` on, modulo SM_NEAR */
  uint8_t further[SM_COLLECTORS][SM_MAX_BANKS]; /* further registers that a collector needs from a bank after the first */
  struct sm_far_plan far[SM_AHEAD]; /* beyond `near`, for long latencies */
};

void sm_pipeline_init(struct sm_pipeline *p, const struct sm_pipeline_config *c);
static inline bool sm_pipeline_accepts(const struct sm_pipeline *p, unsigned set) {
  return p->set[set].issued.count + p->reserved[set] < p->set[set].issued.width;
}
/* Whether nothing moves until the load/store unit takes an instruction: only memory instructions are inside, those in collectors have their
 * registers, and all are behind the one that the unit takes next. */
static inline bool sm_pipeline_waits(const struct sm_pipeline *p) {
  const struct sm_collector_set *sp = &p->set[SM_SET_SP], *sfu = &p->set[SM_SET_SFU], *mem = &p->set[SM_SET_MEM];
  bool others = sp->issued.count || sp->collected.count || sfu->issued.count || sfu->collected.count || p->used & ~mem->mine;
  return !others && !p->n_waiting && mem->collected.count == mem->collected.width && (!mem->issued.count || p->used == mem->mine);
}
/* Issues an instruction, which its set accepts. The caller fills the result one field at a time, except for seq and set: copying a struct
 * would read in larger pieces than were written, and the host would stall. */
struct sm_flight *sm_pipeline_issue(struct sm_pipeline *p, unsigned set);
/* One cycle. `memory`: the load/store unit takes an instruction. `entered` is called for each instruction that enters a unit, with the
 * cycle in which its registers are ready (for memory instructions: in which their accesses begin). */
void sm_pipeline_cycle(struct sm_pipeline *p, uint64_t cycle, bool memory,
                       void (*entered)(void *user, const struct sm_flight *f, uint64_t ready), void *user);
/* A register of a warp is written in `cycle`, at most SM_AHEAD / 2 after the present one, `now`. */
void sm_pipeline_write(struct sm_pipeline *p, uint64_t now, uint64_t cycle, uint32_t reg, uint32_t warp);

#endif
