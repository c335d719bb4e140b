/* Errors for people: a kind that decides the exit status, and a text that says what was wrong, where, and what
 * would be right. A function that can fail takes a `struct err *` and returns false after filling it; the first error
 * wins, so a caller may go on collecting state without losing the cause. Owns no memory beyond the struct. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdbool.h>

enum err_kind {
  ERR_NONE,
  ERR_INPUT,       /* the user's file, key or argument is wrong: exit 2 */
  ERR_UNSUPPORTED, /* legal, but not modelled here; refused by name */
  ERR_FAULT,       /* the simulated program did something a GPU would stop for */
  ERR_LIMIT,       /* a configured resource is exhausted */
  ERR_SYSTEM,      /* the host refused (file, memory) */
};

struct err {
  enum err_kind kind;
  int code;        /* what is returned to a CUDA caller, set by those who know; 0 otherwise */
  char text[4096]; /* may hold several lines; no trailing newline */
};

/* Fills *e unless it already holds an error. Always returns false, so `return err_set(...)` reads well. */
bool err_set(struct err *e, enum err_kind kind, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void err_clear(struct err *e);

#endif
