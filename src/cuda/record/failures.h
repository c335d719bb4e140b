/* Launches that failed or were refused: one row per kernel, error and reason, with the number of launches.
 *
 * Owns: the rows and their texts. Neither prints nor knows why a launch fails; the driver and the engine report to it. */
#ifndef CUDA_FAILURES_H
#define CUDA_FAILURES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cuda_failures {
  struct cuda_failure {
    char *kernel; /* NULL: the program named none that exists */
    char *error;  /* CUDA's name of the error that the program received */
    char *reason;
    uint64_t launches;
  } *rows;
  size_t n, capacity;
  uint64_t launches; /* of all rows */
};

/* Counts one launch; kernel may be NULL. True if nothing like it had failed before. */
bool cuda_failures_add(struct cuda_failures *f, const char *kernel, const char *error, const char *reason);
json_t *cuda_failures_report(const struct cuda_failures *f);
void cuda_failures_free(struct cuda_failures *f);

#endif
