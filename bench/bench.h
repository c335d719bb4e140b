/* What the benchmarks share: a simulator with the kernels loaded, buffers, launches timed in CPU seconds.
 *
 * A benchmark runs in a process of its own, so that its peak memory is its own; it fills a struct bench_result that the
 * parent reads. Anything that fails ends that process with the reason on standard error. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <heddle/heddle.h>

#include <stddef.h>
#include <stdint.h>

struct bench_result {
  double seconds;             /* CPU seconds of the best repetition */
  uint64_t instructions;      /* warp instructions of one repetition */
  uint64_t cycles;            /* of the timed ones */
  uint64_t device_bytes;      /* allocated on the device */
  uint64_t peak_bytes;        /* resident memory of the process at most: filled by bench_run */
};

typedef void (*bench_fn)(void *user, struct bench_result *out);
/* Runs fn in a child process; ends the program if it failed. */
struct bench_result bench_run(bench_fn fn, void *user);

double bench_cpu_seconds(void);
/* Ends the process with the simulator's reason unless status is HEDDLE_OK. */
void bench_must(heddle_sim *sim, heddle_status status);

struct bench_rig {
  heddle_sim *sim;
  heddle_module *module;
  uint64_t bytes; /* allocated */
};
void bench_open(struct bench_rig *rig, const heddle_options *options);
void bench_close(struct bench_rig *rig);
/* n floats from 0 to 1, the same on every run, on the device; host may be NULL or receives them. */
heddle_ptr bench_floats(struct bench_rig *rig, size_t n, float *host);
heddle_ptr bench_zeros(struct bench_rig *rig, size_t n);
/* Launches and returns the CPU seconds it took. */
double bench_launch(struct bench_rig *rig, const char *kernel, const heddle_launch_shape *shape, void **arguments);

/* A kernel on a timed GPU: the best of its repetitions, each on a simulator of its own. */
struct bench_job {
  double (*fn)(struct bench_rig *rig); /* returns the seconds that count */
  const char *gpu, *settings;          /* settings: NULL or those of the C API */
  int repeat;
};
struct bench_result bench_best(const struct bench_job *job);

/* The benchmarks: each prints its table and puts its figures into the line of the history. */
struct bench_figures {
  double arithmetic, stream, divergent; /* warp instructions a second, functional */
  double load_ms;                       /* 10,000 lines of PTX */
  double timed[4], geomean;             /* warp instructions a second; ratio to GPGPU-Sim */
  double mesh56, h200;                  /* the same ratio on these GPUs */
  double peak_mib;                      /* beyond device memory, 80 SMs */
  double dpc_encode, dpc_decode;        /* GB/s on the data it is slowest with */
  double two_threads;                   /* gain at 80 SMs */
  double launch_us;                     /* of one warp, on the GPU where it costs most */
};
void bench_functional(struct bench_figures *f);
void bench_load(struct bench_figures *f);
void bench_timed(struct bench_figures *f);
void bench_compress(struct bench_figures *f);
void bench_scaling(struct bench_figures *f);
void bench_launches(struct bench_figures *f);
void bench_growth(void);
void bench_kinds(struct bench_figures *f);
void bench_textures(struct bench_figures *f);
extern const char *const bench_timed_names[4];

/* The history of such lines; see history.c. */
void bench_add_to_history(const char *path, const struct bench_figures *f);
/* Prints what is more than 3 % worse in its last line than in the one before of the same CPU; an exit status. */
int bench_compare_history(const char *path);

#endif
