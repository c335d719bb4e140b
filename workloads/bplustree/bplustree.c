// B+ tree: keys are inserted one by one in random order, and a node that is full is split in halves; so nodes are about
// two thirds full. The kernels get the nodes breadth first, each with a lowest key in front and the highest behind.
#include "common/inputs.h"
#include "common/wl.h"
#include <limits.h>

WL_PTX(bplustree);

enum { ORDER = 256, MOST = ORDER - 1 };

struct node {
  int location, index[ORDER + 1], key[ORDER + 1];
  char is_leaf;
  int count;
};

// A node while the tree grows: children are separated by keys; a leaf has none.
struct growing {
  int count, key[ORDER];
  struct growing *child[ORDER + 1];
  bool is_leaf;
};

static struct growing *new_node(struct wl_run *r, bool leaf) {
  struct growing *n = WL_NEW(r, struct growing, 1);
  n->is_leaf = leaf;
  return n;
}

static void put(struct growing *n, int at, int key, struct growing *right) {
  for (int i = n->count; i > at; i--) {
    n->key[i] = n->key[i - 1];
    n->child[i + 1] = n->child[i];
  }
  n->key[at] = key;
  n->child[at + 1] = right;
  n->count++;
}

// Splits a node that is full; returns its new right half, and the key between the two in *middle.
static struct growing *split(struct wl_run *r, struct growing *n, int *middle) {
  int keep = n->count / 2, from = n->is_leaf ? keep : keep + 1;
  struct growing *right = new_node(r, n->is_leaf);
  *middle = n->key[keep];
  for (int i = from; i < n->count; i++) right->key[right->count++] = n->key[i];
  for (int i = from; i <= n->count; i++) right->child[i - from] = n->child[i];
  n->count = keep;
  return right;
}

// Inserts a key below n. Returns the right half if n had to be split.
static struct growing *insert(struct wl_run *r, struct growing *n, int key, int *middle) {
  int at = 0;
  while (at < n->count && n->key[at] <= key) at++;
  if (n->is_leaf) {
    put(n, at, key, NULL);
  } else {
    struct growing *right = insert(r, n->child[at], key, middle);
    if (right) put(n, at, *middle, right);
  }
  return n->count > MOST - 1 ? split(r, n, middle) : NULL;
}

struct tree {
  struct node *nodes;
  int count;
  long height; // levels below the root
};

static struct growing *grow(struct wl_run *r, int keys, long *height) {
  int *order = WL_NEW(r, int, keys), middle;
  struct growing *root = new_node(r, true);
  for (int i = 0; i < keys; i++) {
    int other = (int)wl_below(&r->rng, (uint32_t)(i + 1));
    order[i] = order[other];
    order[other] = i;
  }
  for (int i = 0; i < keys; i++) {
    struct growing *right = insert(r, root, order[i], &middle);
    if (!right) continue;
    struct growing *top = new_node(r, false);
    top->child[0] = root;
    put(top, 0, middle, right);
    root = top;
    ++*height;
  }
  return root;
}

static void fill_node(struct node *n, const struct growing *g, int location, int first) {
  n->location = location;
  n->is_leaf = (char)g->is_leaf;
  n->count = g->count + 2;
  n->key[0] = INT_MIN;
  for (int i = 1; i < ORDER; i++) n->key[i] = i <= g->count ? g->key[i - 1] : INT_MAX;
  n->key[ORDER - 1] = INT_MAX;
  int entries = g->is_leaf ? g->count : g->count + 1;
  for (int i = 0; i < entries; i++) n->index[g->is_leaf ? i + 1 : i] = first + i;
  if (g->is_leaf) n->index[g->count + 1] = location + 1;
}

// Breadth first from the root; records are numbered along the leaves.
static struct tree build_tree(struct wl_run *r, int keys) {
  struct tree t = {.nodes = WL_NEW(r, struct node, keys / 64 + 8)};
  struct growing **queue = WL_NEW(r, struct growing *, keys / 64 + 8);
  queue[0] = grow(r, keys, &t.height);
  int found = 1, records = 0;
  for (int i = 0; i < found; i++, t.count++) {
    struct growing *g = queue[i];
    fill_node(&t.nodes[i], g, i, g->is_leaf ? records : found);
    if (g->is_leaf)
      records += g->count;
    else
      for (int c = 0; c <= g->count; c++) queue[found++] = g->child[c];
  }
  return t;
}

static bool check_ranges(struct wl_run *r, struct tree *t, CUdeviceptr d_nodes, int keys, int queries) {
  int *from = WL_NEW(r, int, queries), *to = WL_NEW(r, int, queries), *length = WL_NEW(r, int, queries);
  for (int q = 0; q < queries; q++) {
    from[q] = (int)wl_below(&r->rng, (uint32_t)keys);
    to[q] = from[q] + queries < keys ? from[q] + queries : keys - 1;
    length[q] = to[q] - from[q] + 1;
  }
  CUdeviceptr d_current = WL_ZEROS(r, long, queries), d_next = WL_ZEROS(r, long, queries);
  CUdeviceptr d_last = WL_ZEROS(r, long, queries), d_next_last = WL_ZEROS(r, long, queries);
  CUdeviceptr d_from = WL_UP(r, from, queries), d_to = WL_UP(r, to, queries);
  CUdeviceptr d_first = WL_ZEROS(r, int, queries), d_length = WL_ZEROS(r, int, queries);
  long count = t->count;
  WL_LAUNCH(r, "btree_range", wl_1d(queries), wl_1d(ORDER), 0, &t->height, &d_nodes, &count, &d_current, &d_next, &d_last,
            &d_next_last, &d_from, &d_to, &d_first, &d_length);
  return wl_same_i32(r, "first", WL_DOWN(r, int, d_first, queries), from, queries) &&
         wl_same_i32(r, "length", WL_DOWN(r, int, d_length, queries), length, queries);
}

static bool check_finds(struct wl_run *r, struct tree *t, CUdeviceptr d_nodes, int keys, int queries) {
  int *value = WL_NEW(r, int, keys), *wanted = wl_ints(r, queries, 0, keys);
  for (int i = 0; i < keys; i++) value[i] = i; // records are in the order of their keys
  CUdeviceptr d_records = WL_UP(r, value, keys), d_current = WL_ZEROS(r, long, queries), d_next = WL_ZEROS(r, long, queries);
  CUdeviceptr d_wanted = WL_UP(r, wanted, queries), d_value = WL_ZEROS(r, int, queries);
  long count = t->count;
  WL_LAUNCH(r, "btree_find", wl_1d(queries), wl_1d(ORDER), 0, &t->height, &d_nodes, &count, &d_records, &d_current, &d_next,
            &d_wanted, &d_value);
  return wl_same_i32(r, "value", WL_DOWN(r, int, d_value, queries), wanted, queries);
}

static bool run(struct wl_run *r) {
  static const struct {
    int keys, ranges, finds;
  } shapes[WL_SIZES] = {{20000, 100, 100}, {200000, 2000, 2000}, {1000000, 6000, 10000}};
  int keys = shapes[r->size].keys;
  struct tree t = build_tree(r, keys);
  CUdeviceptr d_nodes = WL_UP(r, t.nodes, t.count);
  return check_ranges(r, &t, d_nodes, keys, shapes[r->size].ranges) &&
         check_finds(r, &t, d_nodes, keys, shapes[r->size].finds);
}

const struct workload wl_bplustree = {
    .name = "b+tree",
    .suite = "Rodinia",
    .pattern = "a block reads the 256 keys of a node together; upper nodes are read by every core",
    .sizes = {"20,000 keys, 100 + 100 queries", "200,000 keys, 2,000 + 2,000 queries",
              "1,000,000 keys, 6,000 + 10,000 queries"},
    .ptx = wl_ptx_bplustree,
    .run = run,
};
