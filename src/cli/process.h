/* A process that ends with us, whatever ends us, with all that it has started.
 *
 * Between us and the program stands a small process, the minder. It notices when we are gone (kill -9 too) and kills what is
 * left of the program; and it passes on SIGINT, SIGTERM and SIGHUP that were sent to us, so that the program can say what it
 * has so far, and kills what has not ended a while later. What comes from the terminal the program gets by itself, since all
 * are in one group: job control works as without us. */
#ifndef CLI_PROCESS_H
#define CLI_PROCESS_H

#include "base/err.h"

#include <stdbool.h>

struct cli_end {
  int status; /* of the program; 128 + signal if it was killed */
  int signal; /* that was sent to us meanwhile; 0: none */
};

/* `become(user)` runs in the new process and does not return. False: no process could be made. */
bool cli_process_run(void (*become)(const void *user), const void *user, struct cli_end *out, struct err *e);

#endif
