/* Conditional nodes of graphs: bodies that run if, or as long as, a value set by kernels says so (cudaGraphSetConditional).
 *
 * A handle is the device address of its value, in an allocation of its own, which the device runtime's entry point recognises by its name
 * (exec/run/device_launch.h). The graph it was made for and every node that uses it, copies included, keep it alive. The value is read when
 * the node begins, and by a loop after each turn; reading takes no time.
 *
 * As in CUDA's documentation, a graph with conditional nodes cannot be cloned or be a child, a handle serves one node, and bodies hold only
 * kernels, copies, fills, empty nodes, child graphs and conditional nodes. */
#include "base/arena.h"
#include "cuda/state.h"
#include "exec/run/device_launch.h"

#include <stdlib.h>
#include <string.h>

struct cuda_condition {
  uint64_t address;
  uint32_t first; /* the value set by a launch */
  bool assigned;  /* a launch sets it */
  bool used;      /* there is a node with it */
  const struct CUgraph_st *graph;
  unsigned refs;
  struct cuda_condition *next;
};
static struct cuda_condition *conditions;

/* ---- handles ---- */

struct cuda_condition *cuda_condition_of(CUgraphConditionalHandle handle) {
  struct cuda_condition *c = conditions;
  while (c && c->address != handle) c = c->next;
  return c;
}

void cuda_condition_keep(struct cuda_condition *c) { c->refs++; }

void cuda_condition_drop(struct cuda_condition *c) {
  if (--c->refs) return;
  struct cuda_condition **at = &conditions;
  while (*at != c) at = &(*at)->next;
  *at = c->next;
  exec_mem_free(cuda.mem, c->address);
  free(c);
}

void cuda_graph_drop_conditions(struct CUgraph_st *g) {
  for (size_t i = 0; i < g->n_conditions; i++) {
    g->conditions[i]->graph = NULL;
    cuda_condition_drop(g->conditions[i]);
  }
  free(g->conditions);
}

static uint32_t *value_of(const struct cuda_condition *c) { return exec_mem_ptr(c->address); }

CUDA_EXPORT CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *out, CUgraph g, CUcontext ctx, unsigned first,
                                                    unsigned flags) {
  ENTER();
  (void)ctx;
  NEED(out && cuda_is(g, CUDA_K_GRAPH) && !(flags & ~(unsigned)CU_GRAPH_COND_ASSIGN_DEFAULT));
  uint64_t address = exec_mem_alloc(cuda.mem, sizeof(uint32_t), 8, EXEC_ALLOC_MODULE, EXEC_CONDITION_NAME);
  if (!address) return CUDA_ERROR_OUT_OF_MEMORY;
  struct cuda_condition *c = must_alloc(sizeof *c);
  *c = (struct cuda_condition){address, first, flags & CU_GRAPH_COND_ASSIGN_DEFAULT, false, g, 1, conditions};
  conditions = c;
  *value_of(c) = 0;
  GROW(g->conditions, g->condition_capacity, g->n_conditions + 1);
  g->conditions[g->n_conditions++] = c;
  *out = address;
  return CUDA_SUCCESS;
}

/* ---- nodes ---- */

CUresult cuda_condition_op(struct cuda_op *op, const struct CUgraph_st *g, CUDA_CONDITIONAL_NODE_PARAMS *p) {
  struct cuda_condition *c = cuda_condition_of(p->handle);
  unsigned most = p->type == CU_GRAPH_COND_TYPE_IF ? 2 : p->type == CU_GRAPH_COND_TYPE_WHILE ? 1 : UINT16_MAX;
  NEED(c && c->graph == g && !c->used && (unsigned)p->type <= CU_GRAPH_COND_TYPE_SWITCH && p->size && p->size <= most);
  struct CUgraph_st **bodies = must_alloc(p->size * sizeof *bodies);
  for (unsigned i = 0; i < p->size; i++) {
    bodies[i] = cuda_graph_new();
    bodies[i]->embedded = true;
  }
  c->used = true;
  cuda_condition_keep(c);
  *op = (struct cuda_op){.kind = CUDA_OP_CONDITION, .condition = {c, p->type, p->size, bodies}};
  p->phGraph_out = bodies;
  return CUDA_SUCCESS;
}

struct CUgraph_st *cuda_condition_body(const struct cuda_op *op, uint64_t turns) {
  uint32_t value = *value_of(op->condition.on);
  if (op->condition.type == CU_GRAPH_COND_TYPE_WHILE) return value ? op->condition.bodies[0] : NULL;
  if (turns) return NULL;
  uint32_t which = op->condition.type == CU_GRAPH_COND_TYPE_SWITCH ? value : !value;
  return which < op->condition.n ? op->condition.bodies[which] : NULL;
}

void cuda_condition_defaults(const struct CUgraph_st *g) {
  for (size_t i = 0; i < g->n_nodes; i++) {
    const struct cuda_op *op = &g->nodes[i]->op;
    if (op->kind == CUDA_OP_CHILD) cuda_condition_defaults(op->child);
    if (op->kind != CUDA_OP_CONDITION) continue;
    if (op->condition.on->assigned) *value_of(op->condition.on) = op->condition.on->first;
    for (unsigned k = 0; k < op->condition.n; k++) cuda_condition_defaults(op->condition.bodies[k]);
  }
}

bool cuda_graph_has_conditions(const struct CUgraph_st *g) {
  for (size_t i = 0; i < g->n_nodes; i++)
    if (g->nodes[i]->op.kind == CUDA_OP_CONDITION) return true;
  return false;
}

static bool body_ok(const struct CUgraph_st *g) {
  for (size_t i = 0; i < g->n_nodes; i++) {
    const struct cuda_op *op = &g->nodes[i]->op;
    if (op->kind == CUDA_OP_CHILD && !body_ok(op->child)) return false;
    bool ok = op->kind == CUDA_OP_KERNEL || op->kind == CUDA_OP_COPY || op->kind == CUDA_OP_FILL || op->kind == CUDA_OP_EMPTY ||
              op->kind == CUDA_OP_CHILD || op->kind == CUDA_OP_CONDITION;
    if (!ok) return false;
  }
  return cuda_condition_bodies_ok(g);
}

bool cuda_condition_bodies_ok(const struct CUgraph_st *g) {
  for (size_t i = 0; i < g->n_nodes; i++) {
    const struct cuda_op *op = &g->nodes[i]->op;
    for (unsigned k = 0; op->kind == CUDA_OP_CONDITION && k < op->condition.n; k++)
      if (!cuda_graph_order(op->condition.bodies[k]) || !body_ok(op->condition.bodies[k])) return false;
  }
  return true;
}
