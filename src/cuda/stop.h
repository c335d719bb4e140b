/* Signals that end the program (SIGINT, SIGTERM, SIGHUP): what has been measured so far is to be reported first.
 *
 * The run loop looks at cuda_stop_signal and ends the run; while no kernel runs, a thread that does nothing else ends it. A
 * signal that the program handles or ignores itself is left to it. A second one, a while later, ends the program at once. */
#ifndef CUDA_STOP_H
#define CUDA_STOP_H

#include <signal.h>

/* The first such signal; 0: none has come. */
extern volatile sig_atomic_t cuda_stop_signal;

/* From here on. `end` is called, in a thread of its own, after the first signal; it must not return before it is safe to let
 * the program go on, and need not return. */
void cuda_stop_on_signals(void (*end)(void));

extern unsigned cuda_stop_threads; /* that wait for signals: 1, or 0 */

#endif
