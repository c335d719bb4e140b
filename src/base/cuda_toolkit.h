/* Where the libraries of a CUDA toolkit lie. */
#ifndef BASE_CUDA_TOOLKIT_H
#define BASE_CUDA_TOOLKIT_H

#include <stdbool.h>

/* Calls `visit` for each folder that may hold them until it returns true, and returns whether it did: folders of the toolkit of CUDA_HOME
 * or CUDA_PATH, or if neither is set of all places where toolkits are installed. Folders need not exist. */
bool toolkit_each_folder(bool (*visit)(void *context, const char *folder), void *context);

#endif
