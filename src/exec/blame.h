/* Describes a wrong access in words: the address, the allocation that was probably meant, and who allocated it. */
#ifndef EXEC_BLAME_H
#define EXEC_BLAME_H

#include "exec/exec.h"

/* One lane's access. */
struct exec_touch {
  struct exec_warp *w;
  const struct exec_inst *in;
  unsigned lane;
  uint8_t op, space; /* enum exec_access_op, enum ptx_space */
  uint64_t addr, bytes;
};

/* These record the fault of an access that ends the kernel. */
void exec_blame_misaligned(const struct exec_touch *t, uint64_t align);
void exec_blame_outside(const struct exec_touch *t, const char *what, uint64_t size); /* of a window of `size` bytes */
void exec_blame_outside_shared(const struct exec_touch *t);
void exec_blame_read_only(const struct exec_touch *t, const char *why);
void exec_blame_constant(const struct exec_touch *t, const struct exec_alloc *a);
void exec_blame_space(const struct exec_touch *t, const char *why);
void exec_blame_wild(const struct exec_touch *t); /* outside every allocation */

/* An access outside every allocation, or behind a CTA's shared memory, that is answered nevertheless: recorded in the device's list.
 * `lanes`: of the warp. */
void exec_note_stray(const struct exec_touch *t, unsigned lanes);

/* Describes the access and the allocation that was probably meant, in a sentence. */
void exec_describe_stray(const struct exec_touch *t, char *out, size_t size);

#endif
