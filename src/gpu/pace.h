/* How many threads share the phases of a run at the moment. Results are the same with any number, so it may change whenever it
 * should: where others use the computer too, or a phase is too short to be shared, fewer threads are faster.
 *
 * A run is sampled in periods of about a millisecond: how much was visited in how much time. Now and then the next larger
 * or smaller number is tried, between samples with the present one, and kept if it is faster; after a trial without gain the next
 * one is longer in coming. Time is the caller's on its CPU and asleep for others. Whether others want the CPUs is known from
 * disturbances: the host let something else run in the caller's place, or a member did not come to its end. Where
 * there are many, there are fewer threads. */
#ifndef GPU_PACE_H
#define GPU_PACE_H

#include "gpu/team.h"

#include <stdbool.h>

struct gpu_pace {
  unsigned most;      /* threads there are */
  unsigned used;      /* in the sample that runs now */
  unsigned steady;    /* between trials */
  unsigned other;     /* what is tried; 0: nothing is */
  unsigned turn;      /* of the trial */
  unsigned since;     /* samples since the last trial */
  unsigned wait;      /* how many there are to be; 0: no trials */
  unsigned patience;  /* how many before a trial of more threads */
  double unrest;      /* disturbances of the last samples */
  bool up;            /* the next trial is of more threads, if there are */
  struct gpu_rate {
    double work, seconds;
  } recent;               /* of the last samples outside of trials */
  struct gpu_rate now, tried; /* in a trial: of the present number and of the other */
  struct gpu_rate fewer;  /* of fewer threads, when last tried; 0: not known */
  /* The sample that runs. */
  double work;
  uint64_t unseen;               /* work since the last look at the clock */
  uint64_t from, past;           /* ns at its begin, and before the caller's last pause */
  uint64_t waits, disturbances;  /* of the whole run: ns at the last look; how many at its begin */
  double thread_seconds, seconds; /* of all samples: what was used, and their time */
};

/* Begins with one thread; with `all`, and for good, with as many as there are. */
void gpu_pace_init(struct gpu_pace *p, unsigned most, bool all);
/* What a sample showed; answers how many threads the next should have. Reads no clock. */
unsigned gpu_pace_next(struct gpu_pace *p, double work, double seconds, uint64_t disturbances);
/* Threads used, in the mean over time. */
double gpu_pace_mean(const struct gpu_pace *p);

/* The clock: it goes from resume to pause, while the run loop is at work. */
void gpu_pace_resume(struct gpu_pace *p, const struct gpu_team *t);
void gpu_pace_pause(struct gpu_pace *p, const struct gpu_team *t);
/* After an instant in which `work` components were visited; true if the number of threads (p->used) has changed. */
bool gpu_pace_count(struct gpu_pace *p, const struct gpu_team *t, uint32_t work);

#endif
