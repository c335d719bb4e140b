/* Shared by the files of src/ptx/lower/: facts about the registers of a function, and a list of instructions that replaces a function's
 * own. lower.c describes the lowering. */
#ifndef PTX_LOWER_H
#define PTX_LOWER_H

#include "ptx/ptx_reader.h"

enum { LOWER_NONE = -1 };

/* ---- lower_facts.c: which instructions write and read each register ------------------------------------------------------------ */

struct lower_facts {
  const struct ptx_func *f;
  uint32_t *writes;      /* register -> instructions that write it */
  int32_t *writer;       /* register -> the only instruction that writes it, or LOWER_NONE */
  uint32_t *use_start;   /* register -> start of its entries in `uses`; one entry more than registers */
  uint32_t *uses;        /* instructions that read a register */
  bool *divergent;       /* register -> lanes of a warp may hold different values */
  uint32_t *loop_end;    /* instruction -> the backward branch of the innermost loop it lies in, or LOWER_NO_LOOP */
};
enum { LOWER_NO_LOOP = 0xffffffffu };
void lower_find_facts(struct lower_facts *a, const struct ptx_func *f);
void lower_free_facts(struct lower_facts *a);
static inline uint32_t lower_n_uses(const struct lower_facts *a, int32_t reg) { return a->use_start[reg + 1] - a->use_start[reg]; }
static inline bool lower_in_loop(const struct lower_facts *a, uint32_t i) { return a->loop_end[i] != LOWER_NO_LOOP; }
/* The register that an instruction writes as its first operand, or LOWER_NONE. */
int32_t lower_result(const struct ptx_inst *in);

/* Whether only the end of the function is at a place: a branch there becomes a guarded exit. */
bool lower_ends_at(const struct ptx_func *f, uint32_t i);

/* Whether it becomes a call or a branch to a slow path in machine code: rounded divisions, reciprocals and roots of f32 and f64, and
 * divisions of 64-bit integers. */
bool lower_has_slow_path(const struct ptx_inst *in);

/* ---- lower_slots.c ------------------------------------------------------------------------------------------------------ */

/* Issue slots of each instruction by itself; `slots` has n_insts entries. */
void lower_count_slots(const struct ptx_func *f, uint8_t *slots);
/* The same including what precedes instructions: fetches of parameters, and the reconvergence of lanes that leave a loop. */
void lower_count_issue(const struct ptx_module *m, const struct ptx_func *f, uint8_t *slots);
/* Number of machine instructions before each instruction and before the end; `place` has n_insts + 1 entries. */
void lower_place_code(const struct ptx_func *f, const uint8_t *slots, uint32_t *place);

/* ---- lower_reads.c ------------------------------------------------------------------------------------------------------ */

/* Registers, of those that differ between lanes, that each instruction's machine instruction reads; `slots` as from lower_count_issue. */
void lower_count_reads(const struct ptx_func *f, const uint8_t *slots, uint8_t *reads);

/* ---- lower_registers.c -------------------------------------------------------------------------------------------------- */

/* Register of the function -> 32-bit machine registers that it takes; those that are the same in all lanes count only with `uniform`. The
 * caller frees the result. */
uint8_t *lower_weigh_registers(const struct ptx_func *f, bool uniform);
/* Registers per thread up to which an assembler moves loads ahead: .maxnreg, those with which .minnctapersm CTAs fit, or six CTAs if only
 * .maxntid is known, but not fewer than 32. `is_bound`: it must not take more. Found by compiling with 32 to 1,024 threads and 1 to 16
 * CTAs. */
uint32_t lower_aimed_registers(const struct ptx_func *f, bool *is_bound);
/* Machine registers that a function needs, of which only the text is known; those of called functions stay as they are. */
uint32_t lower_count_registers(const struct ptx_func *f);

/* ---- lower_list.c: a function's new instructions ------------------------------------------------------------------------ */

struct lower_list {
  struct ptx_module *m;
  struct ptx_func *f;
  struct ptx_inst *insts;
  bool *aimed;            /* new place -> the branch there names a new place */
  size_t n, cap, cap_aimed;
  uint32_t *moved;        /* old place -> new place of the first instruction kept from there on; n_insts + 1 entries */
};
void lower_begin(struct lower_list *l, struct ptx_module *m, struct ptx_func *f);
/* Branches to the old place `at` go to the next instruction that is put. */
void lower_here(struct lower_list *l, uint32_t at);
/* Adds a copy of an instruction; if it is a branch, it names an old place. Returns the copy, valid until the next is put. */
struct ptx_inst *lower_put(struct lower_list *l, const struct ptx_inst *in);
/* Adds a branch to a new place; unguarded if guard is LOWER_NONE. */
uint32_t lower_put_branch(struct lower_list *l, const struct ptx_inst *like, int32_t guard, bool negate, uint32_t to);
void lower_aim(struct lower_list *l, uint32_t branch, uint32_t to); /* sets the target of a branch that was put, in new places */
/* Gives the list to the function, with new labels, blocks, liveness and registers. */
void lower_end(struct lower_list *l);
/* A new register of the function. */
int32_t lower_new_reg(struct ptx_module *m, struct ptx_func *f, enum ptx_type t);
/* Replaces registers by others, in a copy of the operands: by by[r], unless that is LOWER_NONE. */
void lower_rename(struct ptx_module *m, struct ptx_inst *in, const int32_t *by);

/* ---- lower_params.c -------------------------------------------------------------------------------------------------------- */

bool lower_is_parameter(const struct ptx_inst *in); /* a load of a parameter, by its name */
uint64_t lower_param_offset(const struct ptx_module *m, const struct ptx_inst *in); /* what it loads, in bytes from the first parameter */
/* Of the blocks with an entry in `first_in` (the others have n_insts), keeps those that can be reached without passing another such block;
 * returns how many. */
unsigned lower_keep_first(const struct ptx_func *f, uint32_t *first_in);
/* Whether every path from the entry to a block passes another block. */
bool lower_comes_by(const struct ptx_func *f, uint32_t other, uint32_t block);
/* The place before all loops around an instruction that every path to it passes. */
uint32_t lower_outside_loops(const struct lower_facts *a, uint32_t i);

/* ---- the passes ---------------------------------------------------------------------------------------------------------- */

void lower_tiles(struct ptx_module *m, struct ptx_func *f);   /* lower_tiles.c */
void lower_params(struct ptx_module *m, struct ptx_func *f);  /* lower_params.c */
bool lower_jumps(struct ptx_module *m, struct ptx_func *f);   /* lower_jumps.c; whether something changed */
bool lower_ifs(struct ptx_module *m, struct ptx_func *f);     /* lower_ifs.c; likewise */
bool lower_loops(struct ptx_module *m, struct ptx_func *f);   /* lower_loops.c; likewise */
void lower_vectors(struct ptx_module *m, struct ptx_func *f); /* lower_vectors.c */
void lower_atomics(struct ptx_func *f);                       /* lower_atomics.c */
void lower_align_shared(struct ptx_module *m);                /* likewise: before, for all functions */

#endif
