// B+ tree: the tree is loaded from sorted keys with nodes that are three quarters full, as insertion leaves
// them.
#include "common/inputs.h"
#include "common/wl.h"
#include <limits.h>

WL_PTX(bplustree);

enum { ORDER = 256, FILL = 192, SPAN = 1000 };

struct node {
  int location, indices[ORDER + 1], keys[ORDER + 1], is_leaf, count;
};

struct tree {
  struct node *nodes;
  int count, height; // height: levels above the leaves
};

// Fills nodes of one level from `items` children (or records) whose lowest keys are given; returns how many
// nodes.
static int make_level(struct tree *t, const int *lowest, int first_child, int items, bool leaf,
                      int *next_lowest) {
  int made = 0;
  for (int from = 0; from < items; from += FILL, made++) {
    struct node *n = &t->nodes[t->count];
    n->location = t->count++;
    n->is_leaf = leaf;
    n->count = items - from < FILL ? items - from : FILL;
    for (int i = 0; i <= ORDER; i++) {
      n->keys[i] = i < n->count ? lowest[from + i] : INT_MAX;
      n->indices[i] = i < n->count ? first_child + from + i : 0;
    }
    next_lowest[made] = n->keys[0];
  }
  return made;
}

// The kernels start at node 0, so the levels, made from the leaves up, are turned around at the end.
static struct tree build_tree(struct wl_run *r, const int *keys, int count) {
  struct tree t = {.nodes = WL_NEW(r, struct node, 2 * (count / FILL) + 8)};
  int *lowest = WL_NEW(r, int, count);
  int first = 0, made = make_level(&t, keys, 0, count, true, lowest);
  while (made > 1) {
    int child = first;
    first = t.count;
    made = make_level(&t, lowest, child, made, false, lowest);
    t.height++;
  }
  struct node *turned = WL_NEW(r, struct node, t.count);
  for (int i = 0; i < t.count; i++) {
    struct node *n = &turned[t.count - 1 - i];
    *n = t.nodes[i];
    n->location = t.count - 1 - i;
    for (int k = 0; k < n->count && !n->is_leaf; k++) n->indices[k] = t.count - 1 - n->indices[k];
  }
  t.nodes = turned;
  return t;
}

static bool run(struct wl_run *r) {
  static const struct {
    int keys, queries;
  } shapes[WL_SIZES] = {{20000, 100}, {200000, 2000}, {1000000, 10000}};
  int count = shapes[r->size].keys, queries = shapes[r->size].queries;
  int *keys = WL_NEW(r, int, count), *values = wl_ints(r, count, 0, INT_MAX);
  for (int i = 0, key = 0; i < count; i++) keys[i] = key += 1 + (int)wl_below(&r->rng, 3);
  struct tree t = build_tree(r, keys, count);
  int *wanted = WL_NEW(r, int, queries), *from = WL_NEW(r, int, queries), *to = WL_NEW(r, int, queries);
  int *value = WL_NEW(r, int, queries), *first = WL_NEW(r, int, queries), *length = WL_NEW(r, int, queries);
  for (int q = 0; q < queries; q++) {
    int i = (int)wl_below(&r->rng, (uint32_t)count);
    wanted[q] = keys[i];
    value[q] = values[i];
    first[q] = (int)wl_below(&r->rng, (uint32_t)(count - SPAN));
    length[q] = 1 + (int)wl_below(&r->rng, SPAN);
    from[q] = keys[first[q]];
    to[q] = keys[first[q] + length[q] - 1];
  }

  CUdeviceptr d_nodes = WL_UP(r, t.nodes, t.count), d_values = WL_UP(r, values, count);
  CUdeviceptr d_wanted = WL_UP(r, wanted, queries), d_from = WL_UP(r, from, queries),
              d_to = WL_UP(r, to, queries);
  CUdeviceptr d_value = WL_ZEROS(r, int, queries), d_first = WL_ZEROS(r, int, queries);
  CUdeviceptr d_length = WL_ZEROS(r, int, queries);
  WL_LAUNCH(r, "btree_find", wl_1d(queries), wl_1d(ORDER), 0, &t.height, &d_nodes, &d_values, &d_wanted,
            &d_value);
  WL_LAUNCH(r, "btree_range", wl_1d(queries), wl_1d(ORDER), 0, &t.height, &d_nodes, &d_from, &d_to, &d_first,
            &d_length);
  return wl_same_i32(r, "value", WL_DOWN(r, int, d_value, queries), value, queries) &&
         wl_same_i32(r, "first", WL_DOWN(r, int, d_first, queries), first, queries) &&
         wl_same_i32(r, "length", WL_DOWN(r, int, d_length, queries), length, queries);
}

const struct workload wl_bplustree = {
    .name = "b+tree",
    .suite = "Rodinia",
    .pattern = "a block reads the 256 keys of a node together; upper nodes are read by every core",
    .sizes = {"20,000 keys, 100 + 100 queries", "200,000 keys, 2,000 + 2,000 queries",
              "1,000,000 keys, 10,000 + 10,000 queries"},
    .ptx = wl_ptx_bplustree,
    .run = run,
};
