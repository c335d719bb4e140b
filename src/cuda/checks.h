/* `heddle check`: what the CUDA libraries report to the checker (src/check) beside what it sees of kernels and copies. Nothing
 * happens in any of these where nobody checks. */
#ifndef CUDA_CHECKS_H
#define CUDA_CHECKS_H

#include "base/err.h"

#include <stdint.h>

struct CUctx_st;
/* As HEDDLE_CHECK says; device memory is there. False with *e filled if it cannot be. */
bool cuda_check_start(struct err *e);
/* A free that is refused. */
void cuda_check_bad_free(uint64_t address);
/* A copy or fill that is refused, of bytes of device memory from `address` on. */
void cuda_check_bad_range(const char *what, uint64_t address, uint64_t bytes);
/* What a context that ends still has, or with NULL any; and the log's end. */
void cuda_check_leaks(const struct CUctx_st *ctx);
void cuda_check_finish(void);

#endif
