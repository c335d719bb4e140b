/* Launches by kernels (dynamic parallelism): the device runtime's entry points record them, and the caller that runs grids takes them.
 *
 *   struct exec_device d = {.launches = exec_launches_new(mem), ...};
 *   ... a grid g has ended ...
 *   exec_launches_take(d.launches, g, &todo);
 *   while (exec_todo_next(&todo, &child)) { run it to its end; exec_launches_take(d.launches, it, &todo); }
 *
 * Children run one after the other in the order of their launches, each with its own children before the next one, and those of the tail
 * stream last. Streams allow this order; the overlap that they would also allow does not happen. A grid counts as ended when its children
 * have ended. Parameters are written to buffers in device memory, which are reused when everything that was requested has been launched.
 *
 * Entry points of both generations are provided (cuda... and __cudaCDP2...): parameter buffers, launches, copies and fills (device_copy.c),
 * streams and events (which impose no further order), the last error, the queries of device_query.c, and cudaDeviceSynchronize of the first
 * generation (device_wait.h). cudaGraphSetConditional writes the value of a conditional node of a graph; its handle is the address of an
 * allocation with the name EXEC_CONDITION_NAME. cudaGraphLaunch is passed to the owner of the device. */
#ifndef EXEC_DEVICE_LAUNCH_H
#define EXEC_DEVICE_LAUNCH_H

#include "exec/builtins.h"
#include "exec/run/device_copy.h"

#define EXEC_CONDITION_NAME "the value of a conditional node"

struct exec_child {
  const struct exec_grid *parent; /* valid until it has ended */
  uint64_t cta;                   /* the parent's CTA, by its linear number */
  const struct exec_func *kernel; /* NULL: a copy or a fill */
  const struct exec_module *module;
  uint32_t grid[3], block[3], dynamic_shared;
  uint32_t depth, awaited;  /* as those of struct exec_grid, once it is taken */
  unsigned char *params;    /* owned, as long as it is not a grid */
  bool tail;
  struct exec_box box;
};

struct exec_launches;
struct exec_launches *exec_launches_new(struct exec_mem *mem); /* NULL: there is no device memory for parameters */
void exec_launches_delete(struct exec_launches *l);

/* What remains to be run for a grid of the host; the next one is last in the array. */
struct exec_todo {
  struct exec_child *at;
  size_t n, capacity;
};
/* Adds what an ended grid has launched, to be run next. */
void exec_launches_take(struct exec_launches *l, const struct exec_grid *ended, struct exec_todo *todo);
/* Adds what a CTA of a running grid has launched so far and waits for, to be run next. False: nothing. The second: whether there is
 * anything. */
bool exec_launches_take_of(struct exec_launches *l, const struct exec_grid *g, uint64_t cta, struct exec_todo *todo);
bool exec_launches_any_of(const struct exec_launches *l, const struct exec_grid *g, uint64_t cta);
struct exec_syncs *exec_launches_syncs(struct exec_launches *l); /* of device_wait.c */
/* Makes the copies and fills before the next kernel and returns that kernel; false: nothing is left. */
bool exec_todo_next(struct exec_todo *todo, struct exec_child *next);
void exec_todo_free(struct exec_todo *todo);
/* The grid of a child, on the device of its parent; and its end, when what it owned is freed. A grid of the host owns nothing. */
struct exec_grid exec_child_grid(const struct exec_child *c, struct exec_device *device);
void exec_child_ended(struct exec_grid *g);

/* For entry points: the recorded launches (NULL, with a fault: there are none), their memory, and recording a copy or fill to be made after
 * the grid. */
struct exec_launches *exec_launches_of(struct exec_warp *w, const struct exec_inst *in);
const struct exec_mem *exec_launches_memory(const struct exec_launches *l);
void exec_launches_add_box(struct exec_warp *w, const struct exec_box *b, uint64_t stream);
/* For entry points: the kernel at an address (NULL: there is none), and returning an error to a lane's call, which also becomes the last
 * error. */
const struct exec_func *exec_kernel_at(const struct exec_warp *w, uint64_t address);
void exec_launch_answer(struct exec_warp *w, const struct exec_call *c, unsigned lane, uint32_t error);

/* The device runtime's entry point of that name; NULL: there is none. */
exec_builtin_fn exec_find_launch_builtin(const char *name);
bool exec_is_launch_name(const char *name); /* it is such a name, supported or not */
bool exec_launches_kernels(const struct ptx_module *m); /* whether kernels of the module may launch kernels */
bool exec_awaits_kernels(const struct ptx_module *m);   /* and wait for them */

/* The statement after it is executed for each active lane of a call. */
#define EXEC_EACH_ACTIVE(w, lane)                                                                                               \
  for (uint32_t left_ = (w)->mask, lane = 0; left_ && (lane = (uint32_t)__builtin_ctz(left_), true); left_ &= left_ - 1)

#endif
