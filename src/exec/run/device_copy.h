/* Copies and fills requested by kernels, in one, two or three dimensions of device memory: they run after the grid, in order with its
 * launches.
 *
 * As on an H200, a direction other than device to device (or default), a null pointer, a row longer than a pitch, and arrays are refused,
 * and fills write 0: the device library of CUDA 12 and 13 ignores the value. A program that asks for another value is warned once. */
#ifndef EXEC_DEVICE_COPY_H
#define EXEC_DEVICE_COPY_H

#include "exec/builtins.h"

struct exec_box {
  uint64_t to, from;              /* device addresses */
  uint64_t width, height, depth;  /* bytes, rows, slices */
  uint64_t to_pitch, from_pitch;  /* bytes from row to row */
  uint64_t to_slice, from_slice;  /* bytes from slice to slice */
  bool is_fill;                   /* with 0; there is no `from` */
};
void exec_box_move(const struct exec_box *b);

void exec_do_copy(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c);
void exec_do_copy_2d(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c);
void exec_do_copy_3d(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c);
void exec_do_fill(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c);
void exec_do_fill_2d(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c);
void exec_do_fill_3d(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c);

#endif
