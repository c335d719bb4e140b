/* Two workloads on one GPU: how each did against itself alone (heddle run A --with B). */
#ifndef CLI_TOGETHER_H
#define CLI_TOGETHER_H

#include "cli/launch.h"

/* Whether a run of two is possible as asked for; the option that is in the way is named. */
bool cli_together_check(const struct cli_launch *l, struct err *e);
/* Runs each workload alone, on the same GPU with all its SMs, and adds to the report of both: in programs[], alone_cycles,
 * alone_ipc and slowdown; stp and antt. */
bool cli_together_compare(const struct cli_launch *l, json_t *report, struct err *e);
void cli_together_print(const json_t *report);

#endif
