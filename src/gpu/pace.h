/* How many threads share the phases of a run at the moment. Results are the same with any number of threads, so it
 * may change at any time: if other programs use the computer too, or if a phase is too short to be shared, fewer
 * threads are faster.
 *
 * A run is measured in samples of about a millisecond: how many components were visited in how much time. From time
 * to time the next larger or smaller number of threads is tried, between samples with the present number, and kept if
 * it is faster; after a trial without gain the next one comes later. Time is the caller's time on its CPU, plus its
 * sleep while others finish their shares. That other programs want the CPUs is seen from disturbances: the host ran
 * something else in the caller's place, or a member did not finish its share. If there are many disturbances, fewer
 * threads are used. */
#ifndef GPU_PACE_H
#define GPU_PACE_H

#include "gpu/team.h"

#include <stdbool.h>

struct gpu_pace {
  unsigned most;      /* threads that there are */
  unsigned used;      /* in the sample that runs now */
  unsigned steady;    /* between trials */
  unsigned other;     /* the number that is being tried; 0: none is */
  unsigned turn;      /* samples since the trial began */
  unsigned since;     /* samples since the last trial */
  unsigned wait;      /* samples before the next trial; 0: there are no trials */
  unsigned patience;  /* samples before the next trial of more threads */
  double unrest;      /* recent disturbances; older samples count less */
  bool up;            /* the next trial is of more threads, if there are more */
  struct gpu_rate {
    double work, seconds;
  } recent;               /* of recent samples outside of trials */
  struct gpu_rate now, tried; /* in a trial: with the present number, and with the other */
  struct gpu_rate fewer;  /* with fewer threads, when these were last tried; 0: not known */
  /* The sample that runs. */
  double work;
  uint64_t unseen;               /* work since the last look at the clock */
  uint64_t from, past;           /* ns: clock when the caller last resumed; time of the sample before that */
  uint64_t waits, disturbances;  /* totals of the run: ns waited at the last look; disturbances when the sample began */
  double thread_seconds, seconds; /* sums over all samples: threads used times seconds; seconds */
};

/* Begins with one thread; with `all`, uses all threads throughout. */
void gpu_pace_init(struct gpu_pace *p, unsigned most, bool all);
/* Takes the result of a sample, and returns the number of threads for the next. Reads no clock. */
unsigned gpu_pace_next(struct gpu_pace *p, double work, double seconds, uint64_t disturbances);
/* Threads used, averaged over time. */
double gpu_pace_mean(const struct gpu_pace *p);

/* The clock runs from resume to pause, while the run loop is at work. */
void gpu_pace_resume(struct gpu_pace *p, const struct gpu_team *t);
void gpu_pace_pause(struct gpu_pace *p, const struct gpu_team *t);
/* To be called after an instant in which `work` components were visited; true if the number of threads (p->used) has changed. */
bool gpu_pace_count(struct gpu_pace *p, const struct gpu_team *t, uint32_t work);

#endif
