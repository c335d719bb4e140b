/* The checker behind `heddle check`: what compute-sanitizer is on hardware, for functional runs.
 *
 * An observer (exec/observe.h) that follows a program's accesses, barriers and copies and writes what is wrong to a log, one
 * line of JSON a finding when it is first seen, and a last line with how often each was seen. A finding is one pair of
 * instructions (or one, or one host call), however many threads are in it.
 *
 * Owns: shadow memory, the order of events, the log. Does not: change a value, know time, print for people or suppress
 * anything (cli does). One grid at a time, as functional mode runs them; what different launches do is ordered. */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include "base/err.h"
#include "exec/observe.h"

enum check_tool { CHECK_MEM = 1, CHECK_RACE = 2, CHECK_SYNC = 4, CHECK_INIT = 8, CHECK_ALL = 15 };

struct check;
/* `tools` is a comma-separated list of memcheck, racecheck, synccheck, initcheck, or "all"; 0 with *e filled if it is not. */
unsigned check_tools(const char *tools, struct err *e);
/* NULL if the log cannot be written. */
struct check *check_new(unsigned tools, const char *log, struct err *e);
void check_delete(struct check *c); /* writes the log's last line */
const struct exec_observer *check_observer(const struct check *c);

/* Lanes of a warp that execute together are in step, as before Volta: no __syncwarp is needed between them. */
void check_lockstep(struct check *c);

/* A host call that is wrong (memcheck): "invalid-free", "double-free", "invalid-copy" ... and a sentence. */
void check_host_call(struct check *c, const char *kind, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Memory that was never given back (memcheck). */
void check_leak(struct check *c, uint64_t address, uint64_t bytes, const char *what);

#endif
