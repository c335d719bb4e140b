/* Launches that kernels make (dynamic parallelism): what the device runtime's entry points keep, and whoever runs grids takes.
 *
 *   struct exec_device d = {.launches = exec_launches_new(mem), ...};
 *   ... a grid g has ended ...
 *   exec_launches_take(d.launches, g, &todo);
 *   while (exec_todo_next(&todo, &child)) { run it to its end; exec_launches_take(d.launches, it, &todo); }
 *
 * Children run one after the other in the order of their launches, each with its own children before the next, those of the
 * tail stream last: an order that streams allow, without the overlap that they would allow too. A grid counts as ended when its
 * children have. Parameters are written to buffers in device memory, which are used again when all that has been asked for is launched.
 *
 * Entry points of both generations are answered (cuda... and __cudaCDP2...): parameter buffers, launches, copies and fills
 * (device_copy.c), streams and events (which order nothing more), the last error, what device_query.c tells, and
 * cudaDeviceSynchronize of the first generation (device_wait.h). cudaGraphSetConditional writes the value of a conditional node of a
 * graph, whose handle is the address of an allocation of the name EXEC_CONDITION_NAME. cudaGraphLaunch goes to whoever owns the
 * device. */
#ifndef EXEC_DEVICE_LAUNCH_H
#define EXEC_DEVICE_LAUNCH_H

#include "exec/builtins.h"
#include "exec/run/device_copy.h"

#define EXEC_CONDITION_NAME "the value of a conditional node"

struct exec_child {
  const struct exec_grid *parent; /* while it has not ended */
  uint64_t cta;                   /* of it, by its linear number */
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

/* What is left to run for a grid of the host: the next one last. */
struct exec_todo {
  struct exec_child *at;
  size_t n, capacity;
};
/* What the grid, which has ended, has launched comes next. */
void exec_launches_take(struct exec_launches *l, const struct exec_grid *ended, struct exec_todo *todo);
/* What a CTA of a grid that goes on has launched so far, and waits for, comes next. False: nothing; and whether there is any. */
bool exec_launches_take_of(struct exec_launches *l, const struct exec_grid *g, uint64_t cta, struct exec_todo *todo);
bool exec_launches_any_of(const struct exec_launches *l, const struct exec_grid *g, uint64_t cta);
struct exec_syncs *exec_launches_syncs(struct exec_launches *l); /* of device_wait.c */
/* The next kernel, after the copies and fills before it; false: nothing is left. */
bool exec_todo_next(struct exec_todo *todo, struct exec_child *next);
void exec_todo_free(struct exec_todo *todo);
/* The grid of a child, on the same device as its parent was, and its end: what it owned is given back. Of a grid of the host nothing is. */
struct exec_grid exec_child_grid(const struct exec_child *c, struct exec_device *device);
void exec_child_ended(struct exec_grid *g);

/* For entry points: what is kept (NULL, and a fault: nothing is), its memory, a copy or fill to be made behind the grid. */
struct exec_launches *exec_launches_of(struct exec_warp *w, const struct exec_inst *in);
const struct exec_mem *exec_launches_memory(const struct exec_launches *l);
void exec_launches_add_box(struct exec_warp *w, const struct exec_box *b, uint64_t stream);
/* For entry points: the kernel at an address (NULL: there is none), and an error that a lane's call answers and that stays the last. */
const struct exec_func *exec_kernel_at(const struct exec_warp *w, uint64_t address);
void exec_launch_answer(struct exec_warp *w, const struct exec_call *c, unsigned lane, uint32_t error);

/* The entry point of the device runtime with that name; NULL: there is none. */
exec_builtin_fn exec_find_launch_builtin(const char *name);
bool exec_is_launch_name(const char *name); /* it is one, supported or not */
bool exec_launches_kernels(const struct ptx_module *m); /* whether kernels of the module may */
bool exec_awaits_kernels(const struct ptx_module *m);   /* and wait for them */

/* The statement behind it is executed for each active lane of a call. */
#define EXEC_EACH_ACTIVE(w, lane)                                                                                               \
  for (uint32_t left_ = (w)->mask, lane = 0; left_ && (lane = (uint32_t)__builtin_ctz(left_), true); left_ &= left_ - 1)

#endif
