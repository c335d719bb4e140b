/* `heddle check`: what the CUDA libraries report to the checker (src/check) in addition to what it sees of kernels and copies. None of
 * these functions does anything in other runs. */
#ifndef CUDA_CHECKS_H
#define CUDA_CHECKS_H

#include "base/err.h"

#include <stdint.h>

struct CUctx_st;
/* Starts the checker as HEDDLE_CHECK says; device memory exists. False with *e filled if that is not possible. */
bool cuda_check_start(struct err *e);
/* A free was refused. */
void cuda_check_bad_free(uint64_t address);
/* A copy or fill of bytes of device memory from `address` on was refused. */
void cuda_check_bad_range(const char *what, uint64_t address, uint64_t bytes);
/* Reports what a context that ends still has allocated (NULL: everything left), and ends the log. */
void cuda_check_leaks(const struct CUctx_st *ctx);
void cuda_check_finish(void);

#endif
