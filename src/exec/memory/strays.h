/* Accesses outside every allocation but in mapped memory. A GPU answers them without notice (it reads and writes what lies there), so the
 * run continues. They are recorded here, one entry per source line, until they are reported to the user.
 *
 *   struct exec_device d = {.strays = exec_strays_new(), ...};
 *   ... a kernel ended ...
 *   exec_strays_report(d.strays, say, user);
 *
 * If a line has several such accesses before it is reported, the one of the first grid, lowest CTA and lowest thread is described, so the
 * result does not depend on which host thread simulates which SM. */
#ifndef EXEC_STRAYS_H
#define EXEC_STRAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct exec_stray {
  uint64_t module;       /* address of its function 0: no two modules have the same */
  uint32_t file, line;   /* of the source; file 0: a line of the PTX */
  uint64_t grid, cta;
  uint32_t thread;       /* in the CTA */
  uint64_t accesses;     /* of threads */
  bool reported;
  char text[1024];       /* access, allocation, kernel, source line, CTA, thread: ready to print */
};

struct exec_strays;
struct exec_strays *exec_strays_new(void);
void exec_strays_delete(struct exec_strays *s);

/* Counts accesses of the line that `at` names. True: `at` is to be described, and the caller fills *text; other threads wait until
 * exec_strays_done. */
bool exec_strays_add(struct exec_strays *s, const struct exec_stray *at, char **text);
void exec_strays_done(struct exec_strays *s);

/* Calls `say` for each line that was not reported yet, in order of grids, CTAs and threads. */
void exec_strays_report(struct exec_strays *s, void (*say)(void *user, const struct exec_stray *stray), void *user);
/* All lines so far. */
const struct exec_stray *exec_strays_all(const struct exec_strays *s, size_t *n);

#endif
