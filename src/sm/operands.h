/* Operand collectors of an SM (sm.collectors), as a rule without stages. An instruction for the pipelines of SM_PIPE_SP waits in a
 * collector for its registers, which arrive one per cycle. In the cycle after the last one it goes on and the collector is free.
 *
 * Owns: when each collector is free. Simplified: register banks never conflict, and instructions for other pipelines need no collector. */
#ifndef SM_OPERANDS_H
#define SM_OPERANDS_H

#include <stdbool.h>
#include <stdint.h>

enum { SM_MAX_COLLECTORS = 32 };

struct sm_operands {
  uint32_t collectors; /* 0: no limit, and operands take no time */
  uint64_t free_at[SM_MAX_COLLECTORS];
};

/* Whether an instruction can be taken at `now`. */
bool sm_operands_accept(const struct sm_operands *o, uint64_t now);
/* Accepts an instruction with this many register operands; returns when it has them. A collector is free. */
uint64_t sm_operands_take(struct sm_operands *o, unsigned operands, uint64_t now, uint64_t period);

#endif
