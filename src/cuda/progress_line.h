/* The line that a terminal shows while a program runs: a bar with percentage and remaining time if the total is known, otherwise how far it
 * has come and how fast. Neither writes the line nor decides when. */
#ifndef CUDA_PROGRESS_LINE_H
#define CUDA_PROGRESS_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress_now {
  uint64_t launches, instructions, cycles; /* so far; warp instructions; cycles 0: the run has no timing */
  double seconds;         /* host seconds spent simulating */
  double simulated_ns;    /* cycles as simulated time */
  uint64_t expected;      /* warp instructions in all; 0: not known */
  uint64_t max_instructions, max_cycles; /* limits of the run; 0: none */
};

/* 0 to 1, by the limit that is reached first; below 0: not known. */
double progress_done(const struct progress_now *p);
/* The line without a newline; colour: with escape sequences of a terminal. */
void progress_line(const struct progress_now *p, bool colour, char *out, size_t bytes);

#endif
