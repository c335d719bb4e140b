/* Heddle as a library: a simulated GPU inside a program of your own.
 *
 *   heddle_sim *sim;
 *   heddle_options o = HEDDLE_OPTIONS;
 *   o.gpu = "gtx480";
 *   if (heddle_open(&o, &sim) != HEDDLE_OK) fprintf(stderr, "%s\n", heddle_error(sim));
 *   heddle_load_file(sim, "kernels.ptx", &module);
 *   heddle_find_kernel(module, "vecadd", &kernel);
 *   heddle_alloc(sim, bytes, &a); heddle_write(sim, a, host, bytes);
 *   void *arguments[] = {&a, &n};
 *   heddle_launch(kernel, &(heddle_launch_shape){.grid = {n / 256}, .block = {256}}, arguments);
 *   heddle_stat(sim, "cycles", &cycles);
 *   heddle_close(sim);
 *
 * examples/embed.c is a whole program. Compile with `pkg-config --cflags --libs heddle`.
 *
 * Rules. Every handle belongs to one simulator and dies with it; a simulator may be used by one thread at a time (heddle_stop
 * apart), and different simulators by different threads at once. Nothing is global. A call that fails changes nothing but the
 * error text, and says why in heddle_error(). Launches run to their end before heddle_launch returns. The same calls
 * give the same values, cycles and statistics on every machine, as long as one simulator exists at a time: a second one
 * in the same process gets other device addresses, which the caches' hash functions see. */
#ifndef HEDDLE_HEDDLE_H
#define HEDDLE_HEDDLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HEDDLE_API __attribute__((visibility("default")))

typedef struct heddle_sim heddle_sim;       /* a GPU with its memory, clock and statistics */
typedef struct heddle_module heddle_module; /* a loaded PTX module */
typedef struct heddle_kernel heddle_kernel; /* one .entry of a module; lives as long as the module */
typedef uint64_t heddle_ptr;                /* a device address, as kernels see it */

typedef enum heddle_status {
  HEDDLE_OK,
  HEDDLE_BAD_INPUT,   /* a file, name or argument of the caller is wrong */
  HEDDLE_UNSUPPORTED, /* legal, but not modelled; the text names it */
  HEDDLE_FAULT,       /* the kernel did something a GPU would stop for; the text says where */
  HEDDLE_LIMIT,       /* device memory, shared memory or a limit given in the options is exhausted, or heddle_stop was called */
  HEDDLE_HOST,        /* the host refused: a file, memory */
  HEDDLE_DEADLOCK,    /* nothing but waiting was done for too long; the text says who waits for what, and where */
  HEDDLE_BROKEN       /* counters of the simulator do not add up, which is its mistake; the text names them */
} heddle_status;

/* "0.2.0". */
HEDDLE_API const char *heddle_version(void);

/* ---- a simulator --------------------------------------------------------------------------------------------------- */

typedef struct heddle_options {
  size_t size;          /* sizeof(heddle_options), set by HEDDLE_OPTIONS */
  const char *gpu;      /* preset (`heddle list gpus`) or path of a .toml file; NULL: gtx480 */
  const char *settings; /* "l1.ways=8,sm.scheduler=lrr" (`heddle list keys`), or NULL */
  int functional;       /* not 0: values only; no cycles, no statistics of caches, faster */
  int unchecked;        /* not 0: accesses are not checked against allocations; a wild one reads zeros or is a fault */
  uint64_t memory_bytes; /* device memory; 0: the preset's */
  uint64_t max_cycles, max_instructions; /* of all launches together; 0: none. Cycles: of timed ones only */
  /* Receives what kernels print; NULL: standard output. */
  void (*print)(void *user, const char *text, size_t bytes);
  void *print_user;
  /* not 0: an access outside every allocation is a fault, and allocations lie 64 KiB apart, so that an overflow is seen. 0: as
   * on a GPU such an access is answered where memory is mapped (in blocks of 2 MB), and reported to `warn` once a source line. */
  int strict;
  void (*warn)(void *user, const char *text); /* NULL: to standard error */
  void *warn_user;
} heddle_options;

#define HEDDLE_OPTIONS                                                                                                 \
  { sizeof(heddle_options), NULL, NULL, 0, 0, 0, 0, 0, NULL, NULL, 0, NULL, NULL }

/* Makes a simulator. *sim is set also on failure, so that heddle_error(*sim) can say why; such a simulator refuses
 * everything and must be closed like any other. options may be NULL. */
HEDDLE_API heddle_status heddle_open(const heddle_options *options, heddle_sim **sim);
/* Ends the launch that runs, or else the next one, as a limit does: heddle_launch returns HEDDLE_LIMIT before long. May be
 * called by any thread, by a signal handler, and by the function `print` of the options. */
HEDDLE_API void heddle_stop(heddle_sim *sim);
/* Releases everything: modules, memory, statistics. NULL is allowed. */
HEDDLE_API void heddle_close(heddle_sim *sim);
/* Why the last call on this simulator or on its modules and kernels that failed did so; "" if none has. Valid until
 * the next failing call. */
HEDDLE_API const char *heddle_error(const heddle_sim *sim);

/* ---- modules --------------------------------------------------------------------------------------------------------- */

/* Reads PTX text, checks it and places its variables. `name` is for messages. */
HEDDLE_API heddle_status heddle_load(heddle_sim *sim, const char *name, const char *text, size_t bytes,
                                     heddle_module **module);
HEDDLE_API heddle_status heddle_load_file(heddle_sim *sim, const char *path, heddle_module **module);
HEDDLE_API void heddle_unload(heddle_module *module);

HEDDLE_API size_t heddle_kernel_count(const heddle_module *module);
HEDDLE_API heddle_kernel *heddle_kernel_at(heddle_module *module, size_t i); /* NULL past the end */
HEDDLE_API heddle_status heddle_find_kernel(heddle_module *module, const char *name, heddle_kernel **kernel);

typedef struct heddle_kernel_info {
  const char *name;
  uint32_t parameters;      /* how many pointers heddle_launch expects */
  uint64_t parameter_bytes;
  uint32_t registers;       /* 32-bit registers a thread */
  uint32_t shared_bytes;    /* static shared memory of a block */
  uint32_t instructions;    /* in the PTX */
} heddle_kernel_info;
HEDDLE_API heddle_kernel_info heddle_describe_kernel(const heddle_kernel *kernel);

/* Address and size of a .global or .const variable. `bytes` may be NULL. */
HEDDLE_API heddle_status heddle_find_variable(heddle_module *module, const char *name, heddle_ptr *address,
                                              uint64_t *bytes);

/* ---- device memory ----------------------------------------------------------------------------------------------- */

/* Zeroed memory, aligned to 256 bytes. */
HEDDLE_API heddle_status heddle_alloc(heddle_sim *sim, uint64_t bytes, heddle_ptr *address);
HEDDLE_API heddle_status heddle_free(heddle_sim *sim, heddle_ptr address);
/* Copies to, from and within the device. A range that is not inside one allocation is refused. Data written to the
 * device passes through the second-level cache where the configuration says so (l2.fill_on_copy). */
HEDDLE_API heddle_status heddle_write(heddle_sim *sim, heddle_ptr to, const void *from, uint64_t bytes);
HEDDLE_API heddle_status heddle_read(heddle_sim *sim, void *to, heddle_ptr from, uint64_t bytes);
HEDDLE_API heddle_status heddle_copy(heddle_sim *sim, heddle_ptr to, heddle_ptr from, uint64_t bytes);
HEDDLE_API heddle_status heddle_fill(heddle_sim *sim, heddle_ptr to, unsigned char value, uint64_t bytes);

/* ---- launches ------------------------------------------------------------------------------------------------------ */

typedef struct heddle_launch_shape {
  uint32_t grid[3], block[3]; /* 0 counts as 1 */
  uint32_t shared_bytes;      /* dynamic shared memory */
  int cooperative;            /* not 0: the whole grid must be resident */
} heddle_launch_shape;

/* Runs a grid to its end. arguments[i] points to the value of parameter i; it may be NULL if there are none. After
 * a fault, a deadlock or a reached limit, memory and statistics can still be read, but further launches are refused. */
HEDDLE_API heddle_status heddle_launch(heddle_kernel *kernel, const heddle_launch_shape *shape, void *const *arguments);

/* ---- statistics ------------------------------------------------------------------------------------------------------ */

/* One statistic, summed over all launches so far and all instances (SMs, slices, channels). Names are those of
 * `heddle run --json`: docs/results.md. A functional simulator has warp_instructions and thread_instructions only. */
typedef struct heddle_stat_info {
  const char *name, *unit, *meaning;
  uint64_t value;
} heddle_stat_info;

HEDDLE_API size_t heddle_stat_count(const heddle_sim *sim);
/* The i-th statistic; everything is zero and NULL past the end. */
HEDDLE_API heddle_stat_info heddle_stat_at(const heddle_sim *sim, size_t i);
HEDDLE_API heddle_status heddle_stat(heddle_sim *sim, const char *name, uint64_t *value);

/* The same for a single launch, counted from 0. The first 5,000 launches have statistics of their own, and so has the newest, which is
 * always the last that is counted here; those between are in the totals, and in the report summed by kernel. */
HEDDLE_API size_t heddle_launch_count(const heddle_sim *sim);
HEDDLE_API const char *heddle_launch_name(const heddle_sim *sim, size_t launch); /* its kernel; NULL past the end */
HEDDLE_API heddle_status heddle_launch_stat(heddle_sim *sim, size_t launch, const char *name, uint64_t *value);

/* All results as JSON text, in the form of `heddle run --json` without host and output_ok. The caller frees it with
 * free(). NULL if memory is short. */
HEDDLE_API char *heddle_report(const heddle_sim *sim);

#ifdef __cplusplus
}
#endif
#endif
