/* What is shown while many runs are made: a bar with the time left on a terminal, otherwise a line a run. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "lab/sweep/sweep.h"

struct cli_progress {
  bool terminal;
  double started; /* lab_clock() */
};
/* For struct lab_sweep, whose user is a struct cli_progress. */
void cli_progress_tick(void *user, const struct lab_sweep_counts *c);
void cli_progress_ended(void *user, const struct lab_sweep_counts *c, const struct lab_run *r, double seconds,
                        const json_t *report, const char *error);

/* Runs at a time if the user does not say: one a core. */
unsigned cli_cores(void);
/* "I/N" of --shard; 1/1 where text is NULL. */
bool cli_shard(const char *text, unsigned *shard, unsigned *shards, struct err *e);
/* A number from 1 to `most`, or what it was before where text is NULL. */
bool cli_count(const char *option, const char *text, unsigned most, unsigned *out, struct err *e);

#endif
