/* Graphs as data: nodes with operations, edges, copies, and an order of execution. The entry points are in driver_graph.c and
 * driver_graph_exec.c. */
#include "base/arena.h"
#include "cuda/state.h"

#include <stdlib.h>
#include <string.h>

struct CUgraph_st *cuda_graph_new(void) {
  return cuda_object_new(CUDA_K_GRAPH, NULL, sizeof(struct CUgraph_st));
}

static void changed(struct CUgraph_st *g) {
  free(g->order);
  g->order = NULL;
}

/* ---- nodes ---- */

bool cuda_graph_depend(struct CUgraphNode_st *node, struct CUgraphNode_st *on, const CUgraphEdgeData *edge) {
  for (size_t i = 0; i < node->n_deps; i++)
    if (node->deps[i] == on) return false;
  GROW(node->deps, node->dep_capacity, node->n_deps + 1);
  GROW(node->edges, node->edge_capacity, node->n_deps + 1);
  node->deps[node->n_deps] = on;
  node->edges[node->n_deps++] = edge ? *edge : (CUgraphEdgeData){0};
  changed(node->graph);
  return true;
}

struct CUgraphNode_st *cuda_graph_add(struct CUgraph_st *g, struct CUgraphNode_st *const *deps,
                                      const CUgraphEdgeData *edges, size_t n, struct cuda_op *op) {
  struct CUgraphNode_st *node = cuda_object_new(CUDA_K_NODE, NULL, sizeof *node);
  node->graph = g;
  node->op = *op;
  GROW(g->nodes, g->node_capacity, g->n_nodes + 1);
  node->index = (uint32_t)g->n_nodes;
  g->nodes[g->n_nodes++] = node;
  changed(g);
  for (size_t i = 0; i < n; i++) cuda_graph_depend(node, deps[i], edges ? &edges[i] : NULL);
  return node;
}

bool cuda_graph_nodes_ok(const struct CUgraph_st *g, struct CUgraphNode_st *const *nodes, size_t n) {
  if (n && !nodes) return false;
  for (size_t i = 0; i < n; i++)
    if (!cuda_is(nodes[i], CUDA_K_NODE) || nodes[i]->graph != g) return false;
  return true;
}

CUgraphNodeType cuda_node_type(const struct CUgraphNode_st *n) {
  switch (n->op.kind) {
  case CUDA_OP_KERNEL: return CU_GRAPH_NODE_TYPE_KERNEL;
  case CUDA_OP_COPY: return CU_GRAPH_NODE_TYPE_MEMCPY;
  case CUDA_OP_FILL: return CU_GRAPH_NODE_TYPE_MEMSET;
  case CUDA_OP_HOST: return CU_GRAPH_NODE_TYPE_HOST;
  case CUDA_OP_CHILD: return CU_GRAPH_NODE_TYPE_GRAPH;
  case CUDA_OP_RECORD: return CU_GRAPH_NODE_TYPE_EVENT_RECORD;
  case CUDA_OP_WAIT: return CU_GRAPH_NODE_TYPE_WAIT_EVENT;
  case CUDA_OP_ALLOC: return CU_GRAPH_NODE_TYPE_MEM_ALLOC;
  case CUDA_OP_FREE: return CU_GRAPH_NODE_TYPE_MEM_FREE;
  case CUDA_OP_MEMORY: return CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
  case CUDA_OP_CONDITION: return CU_GRAPH_NODE_TYPE_CONDITIONAL;
  default: return CU_GRAPH_NODE_TYPE_EMPTY;
  }
}

static void node_delete(struct CUgraphNode_st *n) {
  cuda_op_release(&n->op);
  free(n->deps);
  free(n->edges);
  free(n->attributes);
  cuda_object_delete(n);
}

/* ---- whole graphs ---- */

void cuda_graph_delete(void *graph) {
  struct CUgraph_st *g = graph;
  if (!g) return;
  cuda_object_forget(g);
  for (size_t i = 0; i < g->n_nodes; i++) node_delete(g->nodes[i]);
  for (size_t i = 0; i < g->n_users; i++) cuUserObjectRelease(g->users[i], 1);
  cuda_graph_drop_conditions(g);
  free(g->users);
  free(g->nodes);
  free(g->order);
  free(g);
}

static size_t index_of(const struct CUgraph_st *g, const struct CUgraphNode_st *node, size_t guess) {
  if (guess < g->n_nodes && g->nodes[guess] == node) return guess;
  for (size_t i = 0; i < g->n_nodes; i++)
    if (g->nodes[i] == node) return i;
  return 0;
}

struct CUgraph_st *cuda_graph_copy(const struct CUgraph_st *g) {
  struct CUgraph_st *copy = cuda_graph_new();
  for (size_t i = 0; i < g->n_nodes; i++) {
    const struct CUgraphNode_st *from = g->nodes[i];
    struct cuda_op op;
    cuda_op_copy(&op, &from->op);
    if (op.kind == CUDA_OP_CHILD) op.child->embedded = true;
    struct CUgraphNode_st *to = cuda_graph_add(copy, NULL, NULL, 0, &op);
    to->source = from;
    to->disabled = from->disabled;
    if (from->attributes) {
      to->attributes = must_alloc(20 * sizeof *to->attributes);
      memcpy(to->attributes, from->attributes, 20 * sizeof *to->attributes);
    }
  }
  for (size_t i = 0; i < g->n_nodes; i++)
    for (size_t k = 0; k < g->nodes[i]->n_deps; k++)
      cuda_graph_depend(copy->nodes[i], copy->nodes[index_of(g, g->nodes[i]->deps[k], i ? i - 1 : 0)],
                        &g->nodes[i]->edges[k]);
  for (size_t i = 0; i < g->n_users; i++)
    if (cuUserObjectRetain(g->users[i], 1) == CUDA_SUCCESS) {
      GROW(copy->users, copy->user_capacity, copy->n_users + 1);
      copy->users[copy->n_users++] = g->users[i];
    }
  return copy;
}

static bool deps_placed(const struct CUgraphNode_st *n) {
  for (size_t i = 0; i < n->n_deps; i++)
    if (!n->deps[i]->placed) return false;
  return true;
}

/* Nodes are almost always added after those they depend on, so the first pass usually places them all. */
struct CUgraphNode_st **cuda_graph_order(struct CUgraph_st *g) {
  if (g->order) return g->order;
  struct CUgraphNode_st **order = must_alloc((g->n_nodes + 1) * sizeof *order);
  size_t n = 0, before;
  for (size_t i = 0; i < g->n_nodes; i++) g->nodes[i]->placed = false;
  do {
    before = n;
    for (size_t i = 0; i < g->n_nodes; i++) {
      struct CUgraphNode_st *node = g->nodes[i];
      if (node->placed || !deps_placed(node)) continue;
      node->placed = true;
      order[n++] = node;
    }
  } while (n < g->n_nodes && n > before);
  if (n == g->n_nodes) return g->order = order;
  free(order);
  return NULL;
}

/* Marks the given nodes and everything they depend on with `placed`. */
bool cuda_graph_covers(struct CUgraph_st *g, struct CUgraphNode_st *const *nodes, size_t n,
                       struct CUgraphNode_st *const *before, size_t n_before) {
  struct CUgraphNode_st **order = cuda_graph_order(g);
  if (!order) return false;
  for (size_t i = 0; i < g->n_nodes; i++) g->nodes[i]->placed = false;
  for (size_t i = 0; i < n; i++) nodes[i]->placed = true;
  for (size_t i = g->n_nodes; i-- > 0;)
    if (order[i]->placed)
      for (size_t k = 0; k < order[i]->n_deps; k++) order[i]->deps[k]->placed = true;
  for (size_t i = 0; i < n_before; i++)
    if (!before[i]->placed) return false;
  return true;
}
