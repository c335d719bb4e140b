/* Signals that end the program (SIGINT, SIGTERM, SIGHUP): the results so far are reported first.
 *
 * The run loop checks cuda_stop_signal and ends the run; while no kernel runs, a dedicated thread ends it. A signal that the program
 * handles or ignores itself is left to it. A second signal, some time later, ends the program at once. */
#ifndef CUDA_STOP_H
#define CUDA_STOP_H

#include <signal.h>

/* The first such signal; 0: none so far. */
extern volatile sig_atomic_t cuda_stop_signal;

/* Starts handling signals. `end` is called, in a thread of its own, after the first signal; it must not return before the program can
 * safely go on, and need not return. */
void cuda_stop_on_signals(void (*end)(void));

extern unsigned cuda_stop_threads; /* threads that wait for signals: 1 or 0 */

#endif
