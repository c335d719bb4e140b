/* A warp on the bench, for tests of instruction families: registers are rows in arrays of the test, an
 * instruction is built from its opcode as text and decoded as a module's would be, for each host instruction
 * set in turn.
 *
 * Operand k of an instruction is register k of its class, unless the test makes the destination alias a
 * source. */
#ifndef TESTS_EXEC_LANES_BENCH_H
#define TESTS_EXEC_LANES_BENCH_H

#include "base/rng.h"
#include "exec/decode.h"

enum { BENCH_REGS = 8, BENCH_OPERANDS = 6 };

struct bench {
  uint32_t r32[BENCH_REGS][EXEC_LANES] __attribute__((aligned(64)));
  uint64_t r64[BENCH_REGS][EXEC_LANES] __attribute__((aligned(64)));
  uint32_t preds[2 * BENCH_REGS];
  struct exec_warp w;
  struct ptx_reg
      regs[4 * BENCH_REGS]; /* 32-bit, 64-bit, predicates, and predicates again as second results */
  struct ptx_func func;
  struct ptx_module module;
  struct exec_decoder decoder;
  struct err err;
  struct arena arena;
  struct ptx_inst pi;
  struct ptx_opnd ops[BENCH_OPERANDS];
  struct exec_inst in;
};

/* The instruction sets this host can run, ended by NULL. */
const struct exec_lanes *const *bench_lanes(void);

void bench_start(struct bench *b);
void bench_end(struct bench *b);

/* Sets up `text` ("mad.lo.cc.u32") with an operand a letter of `shape`: S a 32-bit register, L a 64-bit one,
 * P a predicate. Operands can then be changed in b->ops before bench_decode. */
void bench_inst(struct bench *b, const char *text, const char *shape);
struct ptx_opnd bench_reg(char letter, unsigned k);
/* Decodes for the given instruction set; false if it is refused. */
bool bench_decode(struct bench *b, const struct exec_lanes *lanes);
/* Fills every register with edge values and random bits. */
void bench_fill(struct bench *b, struct rng *random);
/* Executes under the mask. */
void bench_run(struct bench *b, uint32_t mask);
/* Lane i of an operand's register, as wide as its row. A predicate gives 0 or 1. */
uint64_t bench_lane(const struct bench *b, const struct ptx_opnd *o, unsigned i);

/* What one lane does: sources and results in the order of the operands; predicates are 0 or 1. */
struct bench_values {
  uint64_t s[BENCH_OPERANDS]; /* s[0] is the first source */
  bool carry;                 /* in and out */
  uint64_t d;
  bool second; /* second predicate result */
};
typedef void (*bench_reference)(const struct ptx_inst *pi, struct bench_values *v);

/* Decodes the instruction set up in b and compares it with the reference: every instruction set, full,
 * partial and empty masks, every aliasing of the destination with a source of its width, many values. The low
 * `bits` of the destination must agree; inactive lanes, the upper bits of their rows included, must keep
 * their value. */
void bench_compare(struct bench *b, unsigned bits, bench_reference reference);
/* The common case: text and shape, nothing else to set up. */
void bench_check(const char *text, const char *shape, unsigned bits, bench_reference reference);
/* Must be refused, on every instruction set. */
void bench_refused(const char *text, const char *shape);

#endif
