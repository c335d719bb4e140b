/* Graphs launched by kernels (cudaGraphLaunch in a kernel of a graph): what is requested while a kernel runs, and when it begins.
 *
 * Every launch of an executable graph, by the host or by a kernel, has an environment. Fire-and-forget launches are environments within it,
 * siblings are within the one around it; they begin when the kernel that requested them has ended (on a GPU at once). When the graph and
 * the environments within have ended, its tail launches run in its place, one after the other; launches that one of them adds to the tail
 * come before those that were there. When none are left, the launch waits for siblings of the outermost environment and has ended.
 * driver_progress.c runs them. An impossible launch returns an invalid value, as CUDA's guide says. */
#include "base/arena.h"
#include "cuda/state.h"

#include <stdlib.h>

/* Streams of a launch by a kernel, and how many launches an environment may have. */
#define TAIL    UINT64_C(0x0100000000000000)
#define FORGET  UINT64_C(0x0200000000000000)
#define SIBLING UINT64_C(0x0300000000000000)
enum { MOST_FORGOTTEN = 120, MOST_TAILS = 255, RT_SUCCESS = 0, RT_INVALID_VALUE = 1 };

struct cuda_environment *cuda_environment_new(struct CUgraphExec_st *exec, struct cuda_environment *around) {
  struct cuda_environment *v = must_alloc(sizeof *v);
  *v = (struct cuda_environment){.exec = exec, .around = around};
  return v;
}

void cuda_environment_delete(struct cuda_environment *v) {
  cuda_op_release(&v->op);
  free(v->asked);
  free(v->tails);
  free(v);
}

static bool is_in_tail(const struct cuda_environment *v, const struct CUgraphExec_st *exec) {
  for (size_t i = 0; i < v->n_tails; i++)
    if (v->tails[i] == exec) return true;
  for (size_t i = 0; i < v->n_asked; i++)
    if (v->asked[i].exec == exec && v->asked[i].stream == TAIL) return true;
  return false;
}

static size_t waiting_tails(const struct cuda_environment *v) {
  size_t n = v->n_tails;
  for (size_t i = 0; i < v->n_asked; i++) n += v->asked[i].stream == TAIL;
  return n;
}

static bool may_ask(const struct cuda_environment *v, CUgraphExec exec, uint64_t stream) {
  if (!cuda_is(exec, CUDA_K_EXEC) || !cuda_exec_is_on_device(exec)) return false;
  if (stream == TAIL) return waiting_tails(v) < MOST_TAILS && !(exec == v->exec && is_in_tail(v, exec));
  return (stream == FORGET || stream == SIBLING) && v->forgotten < MOST_FORGOTTEN && !cuda_exec_is_busy(exec);
}

uint32_t cuda_graph_ask(void *ctx, const struct exec_grid *from, uint64_t graph, uint64_t stream) {
  (void)ctx;
  const struct cuda_activity *a = from->of;
  struct cuda_environment *v = a ? a->environment : NULL; /* NULL: a kernel outside graphs */
  CUgraphExec exec = exec_mem_ptr(graph);
  if (!v || !may_ask(v, exec, stream)) return RT_INVALID_VALUE;
  v->priority = a->task.launch.priority;
  GROW(v->asked, v->asked_capacity, v->n_asked + 1);
  v->asked[v->n_asked++] = (struct cuda_asked){exec, stream, a};
  if (stream == TAIL) return RT_SUCCESS;
  v->forgotten++;
  cuda_exec_busy(exec, 1);
  return RT_SUCCESS;
}

bool cuda_environment_begins(struct cuda_environment *v, const struct cuda_activity *ended, CUgraphExec *exec, bool *sibling) {
  for (size_t i = 0; i < v->n_asked; i++) {
    struct cuda_asked asked = v->asked[i];
    if (asked.from != ended || asked.stream == TAIL) continue;
    for (size_t k = i + 1; k < v->n_asked; k++) v->asked[k - 1] = v->asked[k];
    v->n_asked--;
    *exec = asked.exec;
    *sibling = asked.stream == SIBLING;
    return true;
  }
  return false;
}

/* The last request is pushed first. */
CUgraphExec cuda_environment_tail(struct cuda_environment *v) {
  for (size_t i = v->n_asked; i-- > 0;) {
    GROW(v->tails, v->tail_capacity, v->n_tails + 1);
    v->tails[v->n_tails++] = v->asked[i].exec;
  }
  v->n_asked = 0;
  v->forgotten = 0;
  return v->n_tails ? v->tails[--v->n_tails] : NULL;
}
