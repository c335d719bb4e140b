/* What a terminal shows while a program runs: a bar with percentage and time left where the total is known, else how far it has come and
 * how fast. Does not: write, or know when. */
#ifndef CUDA_PROGRESS_LINE_H
#define CUDA_PROGRESS_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress_now {
  uint64_t launches, instructions, cycles; /* so far; warp instructions; cycles 0: the run has no timing */
  double seconds;         /* of the host, that it has been simulating */
  double simulated_ns;    /* cycles as time of the GPU */
  uint64_t expected;      /* warp instructions in all; 0: not known */
  uint64_t max_instructions, max_cycles; /* at which the run ends; 0: none */
};

/* 0 to 1, by the limit that comes first; below 0: not known. */
double progress_done(const struct progress_now *p);
/* The line without an end; colour: with escape sequences of a terminal. */
void progress_line(const struct progress_now *p, bool colour, char *out, size_t bytes);

#endif
