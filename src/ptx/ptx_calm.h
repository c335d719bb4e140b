/* Volatile accesses that nobody waits by (ptx_yield.c). */
#ifndef PTX_CALM_H
#define PTX_CALM_H

#include "ptx/ptx.h"

/* Takes .volatile off the loads and stores of kernels by which no thread waits for another: stores, and loads in no loop, or in one that
 * writes to memory and none of whose exits depends on what others write. Values do not depend on it; who runs without time need not look
 * after every one of them whether the thread waits. Functions that kernels call keep theirs: a loop may be around the call. */
void ptx_calm_volatiles(struct ptx_module *m);

#endif
