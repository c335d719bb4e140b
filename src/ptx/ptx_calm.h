/* Volatile accesses by which no thread waits (ptx_yield.c). */
#ifndef PTX_CALM_H
#define PTX_CALM_H

#include "ptx/ptx.h"

/* Removes .volatile from loads and stores of kernels by which no thread waits for another: stores, and loads outside loops or in a loop
 * that writes to memory and none of whose exits depends on what others write. Values do not depend on it; it saves runs without timing a
 * check after each of them. Functions called by kernels keep theirs, because a loop may be around the call. */
void ptx_calm_volatiles(struct ptx_module *m);

#endif
