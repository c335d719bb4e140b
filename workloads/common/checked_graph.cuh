// A graph in device memory that checks what it is asked for and says so when it is wrong, so nothing of it stays in registers from
// one question to the next. Edges are numbered from 1, and a node's edges start at the place that it is given.
#pragma once
#include <stdio.h>

enum { UNREACHED = 1000000000 };

struct graph {
  unsigned nodes, edges;
  unsigned *degree, *place, *first, *target, *weight;
};

static __device__ unsigned degree_of(const graph &g, unsigned node) {
  if (node < g.nodes) return g.degree[node];
  printf("node %u of %u\n", node, g.nodes);
  return 0;
}

// The number of an edge of a node; 0 is no edge.
static __device__ unsigned edge_of(const graph &g, unsigned node, unsigned k) {
  if (k >= degree_of(g, node)) {
    printf("edge %u of node %u\n", k, node);
    return 0;
  }
  unsigned place = g.place[node];
  if (place >= g.nodes) {
    printf("place %u of %u\n", place, g.nodes);
    return 0;
  }
  return g.first[place] + k;
}

static __device__ unsigned target_of(const graph &g, unsigned node, unsigned k) {
  unsigned e = edge_of(g, node, k);
  return e && e <= g.edges ? g.target[e] : g.nodes;
}

static __device__ unsigned weight_of(const graph &g, unsigned node, unsigned k) {
  unsigned e = edge_of(g, node, k);
  return e && e <= g.edges ? g.weight[e] : UNREACHED;
}
