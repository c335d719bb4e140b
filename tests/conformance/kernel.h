/* PTX text of the conformance kernels.
 *
 * Each variant is one entry. Thread i takes the operands of lane i, executes the variant's body and stores
 * its record of results. Besides its operands and results a body may name: %i %th %lane %wid %cta      thread
 * in the grid, in the CTA, in the warp; warp in the grid; CTA %pa %pb %pc %ph             address of the
 * lane's slots;  %wa %wb %wc %wh  of the warp's first slot %po                         address of the lane's
 * record of results %pm %pw %pq                 scratch memory of the lane (64 bytes), warp, CTA, filled with
 * 0xcc %ps %sw sm                  the same in shared memory, 32-bit addresses; not filled lm 64 bytes of
 * local memory p_block                     kernel parameter of 64 fixed bytes p_map  the row's tensor map %p0..3 %r0..15 %l0..15 scratch
 * registers: pred, b32, b64 */
#ifndef CONFORMANCE_KERNEL_H
#define CONFORMANCE_KERNEL_H

#include "variants.h"

enum { KERNEL_BLOCK = 64, KERNEL_SCRATCH = 64 };

/* A growing text; `text` is always a string once something was added. */
struct text {
  char *text;
  size_t size, capacity;
};

/* Appends formatted text. */
void text_add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_free(struct text *t);

/* Writes a module with one entry for each of `count` variants; the n-th is called `v<n>`. */
void kernel_module(struct text *t, const struct variant *const *list, size_t count);

#endif
