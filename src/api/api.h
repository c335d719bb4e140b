/* What the handles of heddle.h point to. Private to src/api/. */
#ifndef API_API_H
#define API_API_H

#include "base/err.h"
#include "exec/exec.h"
#include "exec/memory/strays.h"
#include "gpu/gpu.h"

#include <heddle/heddle.h>

struct heddle_kernel {
  struct heddle_module *module;
  const struct exec_func *func;
};

struct heddle_module {
  struct heddle_sim *sim;
  struct heddle_module *next; /* of the simulator */
  struct exec_module m;
  struct heddle_kernel *kernels;
  size_t n_kernels;
};

struct api_launch { /* one that ended, of a functional simulator; or several of one kernel */
  char *name;
  uint64_t launches, warp_instructions, thread_instructions;
};
struct api_launches {
  struct api_launch *at;
  size_t n, capacity;
};

struct heddle_sim {
  struct err err;
  bool broken;              /* no launches any more: see heddle_launch */
  struct exec_device device;
  struct gpu_shape shape;
  unsigned host_threads; /* where there is no timed GPU */
  char *preset;
  unsigned load_flags;      /* of modules: gpu_load_flags */
  struct gpu *gpu;          /* NULL: functional */
  struct heddle_module *modules;
  struct api_launches launches; /* functional only: the timed GPU keeps its own */
  struct api_launches folded;   /* one a kernel's name: of those beyond the first GPU_MOST_ROWS, but for the newest */
  uint64_t next_grid;
  volatile sig_atomic_t stop; /* heddle_stop was called */
  struct exec_limits limits;  /* of a functional simulator */
  void (*warn)(void *user, const char *text);
  void *warn_user;
};

/* Forgets the last error: at the beginning of every call that can fail. */
struct err *api_begin(heddle_sim *sim);
/* What a call returns: HEDDLE_OK, or the status of the simulator's error. */
heddle_status api_end(const heddle_sim *sim);
/* False, with an error, if the simulator could not be made. */
bool api_usable(heddle_sim *sim);

#endif
