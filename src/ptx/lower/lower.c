/* From PTX towards the program that a machine executes: what NVIDIA's assembler does besides ordering the instructions of a block
 * (ptx_order.c), as found by compiling small probes and the workloads with ptxas 13.0 for sm_90 and reading the machine code.
 *
 * - Superfluous jumps are removed (lower_jumps.c), and short branches become guards (lower_ifs.c).
 * - Loops are unrolled (lower_loops.c), so that the order of a block moves loads of one turn beside those of the next.
 * - Neighbouring words of shared and constant memory are loaded together (lower_vectors.c).
 * - Parameters are fetched where they are used (lower_params.c).
 * - Tiles of wmma are moved by lanes and ldmatrix, and multiplied by mma (lower_tiles.c).
 * - Lanes that change the same word do it together (lower_atomics.c).
 * - Each instruction gets the number of issue slots that its machine instructions take (lower_slots.c): none if it becomes
 *   part of another one (copies, address arithmetic, a product that is added), several if no single one exists.
 * - The registers that a machine needs for the text are counted (lower_registers.c), and those that each instruction reads
 *   (lower_reads.c).
 * - Unused results are marked: a machine instruction does not write them, so nothing waits for them.
 *
 * Values cannot change: the instructions that are executed are PTX instructions, those of the text or copies of them, under the same
 * conditions; a slot count has no influence on values. A product and a sum that a machine would fuse are rounded twice, as the PTX's own
 * instructions are.
 *
 * Does not spill registers to local memory, count the registers that unrolling needs, move code across branches, use uniform registers
 * (their instructions count like others), or eliminate common subexpressions. */
#include "ptx/lower/lower.h"

#include <stdlib.h>
#include <string.h>

enum { PASSES = 4 }; /* nested branches that become guards, loops around loops that became straight code */

static void mark_unread(struct ptx_func *f) {
  struct lower_facts a;
  lower_find_facts(&a, f);
  for (uint32_t r = 0; r < f->n_regs; r++) f->regs[r].unread = !f->regs[r].pinned && a.writes[r] && !lower_n_uses(&a, (int32_t)r);
  lower_free_facts(&a);
}

void ptx_lower(struct ptx_module *m) {
  lower_align_shared(m);
  for (uint32_t i = 0; i < m->n_funcs; i++) {
    struct ptx_func *f = &m->funcs[i];
    if (!f->n_insts) continue;
    uint32_t needed = lower_count_registers(f);
    lower_tiles(m, f);
    lower_atomics(f);
    lower_jumps(m, f);
    for (unsigned pass = 0; pass < PASSES && lower_ifs(m, f); pass++) {
    }
    for (unsigned pass = 0; pass < PASSES && lower_loops(m, f); pass++) {
    }
    lower_vectors(m, f);
    lower_params(m, f);
    f->regs_needed = needed;
  }
}

void ptx_count_slots(struct ptx_module *m) {
  for (uint32_t i = 0; i < m->n_funcs; i++) {
    struct ptx_func *f = &m->funcs[i];
    if (!f->n_insts) continue;
    f->issue = ARENA_ARRAY(&m->arena, uint8_t, f->n_insts);
    lower_count_issue(m, f, f->issue);
    f->place = ARENA_ARRAY(&m->arena, uint32_t, f->n_insts + 1);
    lower_place_code(f, f->issue, f->place);
    f->reads = ARENA_ARRAY(&m->arena, uint8_t, f->n_insts);
    lower_count_reads(f, f->issue, f->reads);
    mark_unread(f);
  }
}
