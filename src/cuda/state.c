/* The state of the process, the threads' context stacks, and messages. */
#include "cuda/checks.h"
#include "cuda/state.h"

#include <stdarg.h>
#include <stdio.h>

struct cuda_state cuda = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
                          .programs = {.changed = PTHREAD_COND_INITIALIZER}};

struct cuda_thread *cuda_thread(void) {
  static _Thread_local struct cuda_thread self;
  static uint64_t next;
  if (!self.id) self.id = __atomic_add_fetch(&next, 1, __ATOMIC_RELAXED);
  return &self;
}

CUresult cuda_current(struct CUctx_st **ctx) {
  struct cuda_thread *t = cuda_thread();
  if (!t->depth || !t->stack[t->depth - 1]) return CUDA_ERROR_INVALID_CONTEXT;
  *ctx = t->stack[t->depth - 1];
  if (!cuda_is(*ctx, CUDA_K_CONTEXT)) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  return (*ctx)->fault;
}

CUresult cuda_context_of(struct CUctx_st **ctx, CUstream stream) {
  if (!cuda_is(stream, CUDA_K_STREAM)) return cuda_current(ctx);
  *ctx = stream->o.ctx;
  return (*ctx)->fault;
}

CUresult cuda_alive(void) {
  struct CUctx_st *ctx;
  CUresult r = cuda_current(&ctx);
  return r == CUDA_ERROR_INVALID_CONTEXT || r == CUDA_ERROR_CONTEXT_IS_DESTROYED ? CUDA_SUCCESS : r;
}

void cuda_say(const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  fputs("heddle: ", stderr);
  vfprintf(stderr, fmt, ap);
  fputc('\n', stderr);
  va_end(ap);
}

__attribute__((destructor)) static void at_exit(void) {
  CUDA_LOCKED;
  if (!cuda.initialized) return;
  while (cuda.programs.n < 2 && cuda_pass()) continue; /* operations that the program has not waited for */
  if (cuda.engine.waits) cuda_say("the program has ended while a kernel waited for the host to write");
  cuda_check_leaks(NULL);
  cuda_check_finish();
  cuda_engine_finish(&cuda.engine);
}
