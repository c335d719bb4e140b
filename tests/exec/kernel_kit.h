/* What the tests of memory, atomic and warp instructions share: a small device, and a way to run a few lines
 * of PTX on one CTA. The lines find, besides empty registers of every kind (%p %h %r %f %rd %fd %q, 64 each):
 *   %rd1 in, %rd2 out (addresses), %r1 thread index, %rd3 4 * thread, %rd4 in + %rd3, %rd5 out + %rd3,
 *   %rd6 8 * thread, %rd7 out + %rd6, and the shared array `sm` (4,096 bytes, zeroed by nobody).
 * `out` is the first allocation of the device and `in` the second: nothing lies before the one or behind the
 * other. */
#ifndef TESTS_EXEC_KERNEL_KIT_H
#define TESTS_EXEC_KERNEL_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "exec/exec.h"

enum { KIT_IN_BYTES = 4096, KIT_OUT_BYTES = 8192 };

struct kit {
  struct exec_mem *mem;
  struct exec_device device;
  uint64_t in, out;
  struct exec_fault fault; /* of the last run */
  uint64_t instructions;   /* likewise: of all warps */
  unsigned load_flags;     /* enum exec_load_flags */
  unsigned ctas;           /* of every run; 0: one */
  uint64_t resident;       /* of them, at once; 0: all */
  struct exec_limits limits;
  unsigned host_threads;
  bool stuck;              /* the last run ended in a deadlock of the grid */
  struct err err;          /* of the last run */
  const char *outside;     /* module-scope PTX put before the kernel; NULL: none */
  const char *target;          /* of the module; NULL: sm_90a */
};

int kit_setup(void **state); /* a fresh struct kit; in and out are zeroed */
int kit_teardown(void **state);

static inline void *kit_in(const struct kit *k) { return exec_mem_ptr(k->in); }
static inline void *kit_out(const struct kit *k) { return exec_mem_ptr(k->out); }

/* Runs the lines on CTAs of `threads`; fails the test if they do not load or if the kernel faults. */
void kit_run(struct kit *k, unsigned threads, const char *lines);
/* The same; returns whether it ended well, k->err says why not. */
bool kit_try(struct kit *k, unsigned threads, const char *lines);
/* Runs lines that must fault with the kind, and with each of the texts (a NULL ends them) in the message. */
void kit_faults(struct kit *k, unsigned threads, enum exec_fault_kind kind, const char *lines, ...);
/* Loads lines that must be refused, with `why` in the message. */
void kit_refuses(struct kit *k, const char *lines, const char *why);
/* Runs lines one instruction at a time on one warp; `see` is called after each that touched memory. */
void kit_watch(struct kit *k, const char *lines, void (*see)(const struct exec_warp *w, void *user),
               void *user);

/* A text made like printf does, valid until the next few calls. */
const char *kit_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
