/* Operand collectors of an SM (key sm.collectors): an instruction for the integer and single-precision pipelines waits in
 * one for its registers (each once), which come one a cycle. It goes on in the cycle after its last operand, and the
 * collector is free then.
 *
 * Owns: when each collector is free. Simplified: register banks never conflict, and instructions for other units have
 * collectors enough. */
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
/* Takes an instruction with this many register operands; returns the time at which it has them. There is a free collector. */
uint64_t sm_operands_take(struct sm_operands *o, unsigned operands, uint64_t now, uint64_t period);

#endif
