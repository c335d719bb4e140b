/* One host thread's part of a grid that runs without timing: the CTAs that it has started, and their turns. runner.c describes the order;
 * run_grid.c creates runners and ends grids. */
#ifndef EXEC_RUNNER_H
#define EXEC_RUNNER_H

#include "exec/run/waiting.h"

enum { EXEC_IDLE_ROUNDS = 1024 /* rounds of all resident CTAs with nothing but waiting before a deadlock is suspected */ };

#define EXEC_NOTHING_TO_DO UINT64_MAX

struct exec_slot { /* of a resident CTA */
  struct exec_cta cta;
  uint64_t group;               /* first slot of its cluster in the runner */
  struct exec_waiting *waiting; /* one a warp */
  bool races;                   /* two warps have written to one place, one after the other */
  uint32_t short_turns;         /* turns left, of all warps, before that counts as impossible */
  const struct exec_warp *writer; /* the warp that last began a turn with a write, and where */
  uint64_t written;
  uint32_t no_late_store, no_late_load; /* warps that have not ended a turn before one since their last barrier */
};

struct exec_runner;

/* Shared by the runners of a grid. Fields that change are accessed atomically. */
struct exec_work {
  struct exec_grid *g;
  uint64_t total, limit;   /* CTAs to be run; CTAs that the device holds at once */
  const uint64_t *ctas;    /* which; NULL: all of the grid */
  uint64_t next;           /* CTA to be started next, of those to be run */
  uint64_t resident;       /* CTAs for which there are slots */
  uint64_t progress;       /* visits in which more than waiting was done */
  bool over;               /* a fault, a limit or a deadlock: all runners end */
  bool stuck;              /* the latter */
  struct exec_runner *const *runners;
  unsigned n_runners;
};

struct exec_runner {
  struct exec_work *work;
  struct exec_slot **slots;
  uint64_t n;              /* slots */
  uint64_t running;        /* CTAs started and not ended */
  uint64_t executed;       /* instructions of warps */
  uint64_t progress;       /* turns in which more than waiting was done, and CTAs that ended */
  uint64_t seen;           /* work->progress at the end of the last round */
  uint64_t idle;           /* rounds since that changed */
  bool gave_turns;         /* since then */
  bool suspects;           /* its warps are suspected (waiting.h) */
  uint64_t waits_since;    /* 1 + work->progress while it does nothing but wait, 0 otherwise, or EXEC_NOTHING_TO_DO; read by others */
  void (*busy)(void *user); /* called before each CTA once it has executed many instructions; NULL: not needed */
  void *user;
};

/* Runs CTAs of the grid until there are none left, or until work->over, which it sets when the grid cannot go on. */
void exec_runner_run(struct exec_runner *r);
/* For a runner that has ended because all wait: whether one of its warps polls memory that the host writes; and lets it go on. */
bool exec_runner_waits_for_host(const struct exec_runner *r);
void exec_runner_go_on(struct exec_runner *r);
void exec_runner_free(struct exec_runner *r); /* frees what it holds */

#endif
