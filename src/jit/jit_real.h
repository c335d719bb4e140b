/* NVIDIA's own compiler libraries, where they are installed: NVRTC and nvJitLink need no GPU. Ours stand in front of them and have them
 * make PTX where a program asks for machine code. */
#ifndef JIT_REAL_H
#define JIT_REAL_H

#include <stdbool.h>

/* The installed library of such a file name, NULL: there is none. Looked for in the folders of LD_LIBRARY_PATH but the one this library
 * lies in; then in the toolkit of CUDA_HOME or CUDA_PATH, or if neither is set where toolkits are installed. */
void *jit_open_real(const char *file);

/* "sm_90a" in an option of any of the forms that name an architecture becomes "compute_90a"; the result is to be freed. NULL: the option
 * names no machine code. *is_arch: the option before said that this one is the architecture; then, that this one says so of the next. */
char *jit_virtual_arch(const char *option, bool *is_arch);

/* Says once on standard error what is missing. */
void jit_complain(const char *what);

#endif
