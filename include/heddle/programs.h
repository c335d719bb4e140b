/* Several programs that share one simulated GPU, each a thread of one process. Heddle's libcuda.so.1 exports these; a
 * program that may also run on a real driver declares them weak and looks whether they are there.
 *
 * Each program has a primary context of its own and its own part of the SMs. Programs take turns: one runs until it waits
 * for the GPU, then the next; simulated time passes when all of them wait. So a run is the same every time. */
#ifndef HEDDLE_PROGRAMS_H
#define HEDDLE_PROGRAMS_H

#ifdef __cplusplus
extern "C" {
#endif

/* The calling thread is program `index` of `n` from now on. Returns when all have begun and it is this one's turn; before
 * it, no CUDA call. */
void heddleProgramBegin(unsigned index, unsigned n, const char *name);
/* The program has ended, with right results or not. What the report says of it is what has happened until its first end.
 * Returns 1 if others still run: the program may be run again, to keep them company, and calls this again; 0: all have
 * ended. With again = 0 it does not run again. */
int heddleProgramEnd(int ok, int again);

#ifdef __cplusplus
}
#endif

#endif
