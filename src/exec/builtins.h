/* Functions that kernels call and Heddle provides: vprintf, malloc, free, aligned malloc, __assertfail, and the device runtime
 * (run/device_launch.h). */
#ifndef EXEC_BUILTINS_H
#define EXEC_BUILTINS_H

#include "exec/warp.h"

/* One argument or result of a call: a .param variable of the caller (row.file is EXEC_FNONE) or a register row. */
struct exec_call_item {
  uint32_t offset; /* in the caller's call_params block */
  uint32_t bytes;
  struct exec_opnd row;
};

struct exec_call;
typedef void (*exec_builtin_fn)(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *call);

struct exec_call { /* aux of a call instruction */
  const struct exec_func *callee; /* NULL: through the address in in->a, or a builtin */
  exec_builtin_fn builtin;
  uint32_t n_args, n_rets;
  struct exec_call_item *args, *rets;
};

/* What __nv_aligned_device_malloc calls. */
#define EXEC_ALIGNED_MALLOC "__cuda_syscall_aligned_malloc"

/* The builtin of that name, or NULL. */
exec_builtin_fn exec_find_builtin(const char *name);

/* For builtins: an argument of up to 8 bytes; the result; and writing and reading through a generic pointer of a lane (false: not
 * possible). */
uint64_t exec_builtin_argument(const struct exec_warp *w, const struct exec_call *c, uint32_t i, unsigned lane);
void exec_builtin_result(struct exec_warp *w, const struct exec_call *c, unsigned lane, uint64_t v);
bool exec_builtin_write(const struct exec_warp *w, uint64_t addr, const void *value, size_t bytes, unsigned lane);
bool exec_builtin_read(const struct exec_warp *w, uint64_t addr, void *value, size_t bytes, unsigned lane);

/* Address of a lane's copy of an item of the calling activation. */
static inline unsigned char *exec_call_slot(const struct exec_warp *w, const struct exec_frame *caller,
                                            const struct exec_call_item *item, unsigned lane) {
  if (item->row.file == EXEC_FNONE)
    return caller->call_params + (size_t)lane * exec_call_param_stride(caller->func->ptx) + item->offset;
  unsigned char *base = item->row.file <= EXEC_FPRED    ? caller->file[item->row.file]
                        : item->row.file == EXEC_FCONST ? caller->func->constants
                                                        : w->file[item->row.file];
  return base + item->row.off + (size_t)lane * item->bytes;
}

/* The device heap behind malloc and free, and cudaMalloc and cudaFree in kernels: first fit, deterministic. */
struct exec_heap *exec_heap_new(struct exec_mem *mem, uint64_t bytes); /* NULL if it does not fit */
void exec_heap_delete(struct exec_heap *h);
bool exec_uses_heap(const struct ptx_module *m);
void exec_do_cuda_malloc(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c);
void exec_do_cuda_free(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c);

#endif
