// Matching of reads against the suffix tree of a genome. The host builds the tree (Ukkonen's algorithm) and
// checks the match lengths with walks from the root that use no suffix links.
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(mummergpu);

enum { THREADS = 256, SHORTEST = 20, ROOT = 0 };

struct node {
  int start, end, link, depth;
};

struct tree {
  const uint8_t *text;
  int length, count;
  struct node *nodes;
  int (*children)[4];
};

static int code(uint8_t letter) { return letter == 'A' ? 0 : letter == 'C' ? 1 : letter == 'G' ? 2 : 3; }

static int add_node(struct tree *t, int start, int end) {
  t->nodes[t->count] = (struct node){.start = start, .end = end};
  return t->count++;
}

// Where the builder stands: `length` letters from text[edge] below `at`; `pending` suffixes are still
// implicit.
struct cursor {
  int at, edge, length, pending;
};

// Splits the edge to `child` after c->length letters and hangs the letter at `i` below; returns the inner
// node.
static int split(struct tree *t, const struct cursor *c, int child, int i) {
  struct node *n = &t->nodes[child];
  int inner = add_node(t, n->start, n->start + c->length);
  n = &t->nodes[child];
  t->children[c->at][code(t->text[c->edge])] = inner;
  t->children[inner][code(t->text[i])] = add_node(t, i, t->length);
  n->start += c->length;
  t->children[inner][code(t->text[n->start])] = child;
  return inner;
}

// Adds the letter at `i` to every suffix that ends before it.
static void extend(struct tree *t, struct cursor *c, int i) {
  int without_link = ROOT;
  c->pending++;
  while (c->pending > 0) {
    if (c->length == 0) c->edge = i;
    int *slot = &t->children[c->at][code(t->text[c->edge])];
    if (*slot == 0) {
      *slot = add_node(t, i, t->length);
      if (without_link) t->nodes[without_link].link = c->at;
      without_link = ROOT;
    } else {
      int child = *slot, edge = (t->nodes[child].end < i ? t->nodes[child].end : i) - t->nodes[child].start;
      if (c->length >= edge && t->nodes[child].end <= i) {
        c->at = child;
        c->edge += edge;
        c->length -= edge;
        continue;
      }
      if (t->text[t->nodes[child].start + c->length] == t->text[i]) {
        if (without_link) t->nodes[without_link].link = c->at;
        c->length++;
        return;
      }
      int inner = split(t, c, child, i);
      if (without_link) t->nodes[without_link].link = inner;
      without_link = inner;
    }
    c->pending--;
    if (c->at == ROOT && c->length > 0) {
      c->length--;
      c->edge = i - c->pending + 1;
    } else if (c->at != ROOT) {
      c->at = t->nodes[c->at].link;
    }
  }
}

static struct tree build_tree(struct wl_run *r, const uint8_t *text, int length) {
  struct tree t = {.text = text, .length = length, .count = 1};
  t.nodes = WL_NEW(r, struct node, 2 * length + 2);
  t.children = wl_host(r, (size_t)(2 * length + 2), sizeof *t.children);
  struct cursor c = {.at = ROOT};
  for (int i = 0; i < length; i++) extend(&t, &c, i);
  // A split makes inner nodes after their children, so depths are found by walking down from the root.
  int *stack = WL_NEW(r, int, t.count), top = 0;
  stack[top++] = ROOT;
  while (top > 0) {
    int n = stack[--top];
    for (int k = 0; k < 4; k++) {
      int child = t.children[n][k];
      if (child == 0) continue;
      t.nodes[child].depth = t.nodes[n].depth + t.nodes[child].end - t.nodes[child].start;
      stack[top++] = child;
    }
  }
  return t;
}

static int longest_match(const struct tree *t, const uint8_t *read, int length) {
  int at = ROOT, matched = 0;
  while (matched < length) {
    int child = t->children[at][code(read[matched])];
    if (child == 0) return matched;
    for (int k = t->nodes[child].start; k < t->nodes[child].end; k++, matched++)
      if (matched == length || t->text[k] != read[matched]) return matched;
    at = child;
  }
  return matched;
}

// Most reads are pieces of the genome, some with a wrong letter; one in four is noise.
static uint8_t *make_reads(struct wl_run *r, const uint8_t *genome, int bases, int count, int length) {
  uint8_t *reads = WL_NEW(r, uint8_t, count * length);
  for (int q = 0; q < count; q++) {
    uint8_t *read = reads + q * length;
    int from = (int)wl_below(&r->rng, (uint32_t)(bases - length));
    bool noise = wl_below(&r->rng, 4) == 0, error = wl_below(&r->rng, 3) == 0;
    for (int i = 0; i < length; i++)
      read[i] = noise ? (uint8_t) "ACGT"[wl_below(&r->rng, 4)] : genome[from + i];
    if (error) read[wl_below(&r->rng, (uint32_t)length)] = 'A';
  }
  return reads;
}

static bool run(struct wl_run *r) {
  static const struct {
    int bases, reads, length;
  } shapes[WL_SIZES] = {{4000, 1024, 25}, {20000, 32768, 25}, {20000, 50000, 100}};
  int bases = shapes[r->size].bases, count = shapes[r->size].reads, length = shapes[r->size].length;
  int shortest = SHORTEST, letters = count * length;
  uint8_t *genome = wl_genome(r, bases), *reads = make_reads(r, genome, bases, count, length);
  struct tree t = build_tree(r, genome, bases);
  int *start = WL_NEW(r, int, count + 1);
  for (int q = 0; q <= count; q++) start[q] = q * length;

  CUdeviceptr d_nodes = WL_UP(r, t.nodes, t.count), d_children = WL_UP(r, t.children, t.count);
  CUdeviceptr d_genome = WL_UP(r, genome, bases), d_reads = WL_UP(r, reads, letters);
  CUdeviceptr d_start = WL_UP(r, start, count + 1), d_matches = WL_ZEROS(r, int[2], letters);
  WL_LAUNCH(r, "mummer_match", wl_1d(wl_blocks(count, THREADS)), wl_1d(THREADS), 0, &d_nodes, &d_children,
            &d_genome, &d_reads, &d_start, &count, &shortest, &d_matches);

  int(*matches)[2] = wl_down(r, d_matches, (size_t)letters * sizeof *matches);
  int *got = WL_NEW(r, int, letters), *want = WL_NEW(r, int, letters);
  for (int q = 0; q < count; q++)
    for (int i = 0; i + shortest <= length; i++) {
      got[q * length + i] = matches[q * length + i][1];
      want[q * length + i] = longest_match(&t, reads + q * length + i, length - i);
    }
  return wl_same_i32(r, "match length", got, want, letters);
}

const struct workload wl_mummergpu = {
    .name = "mummergpu",
    .suite = "Rodinia",
    .pattern = "pointer chasing through a suffix tree: 16-byte records at unrelated places",
    .sizes = {"4,000 bases, 1,024 reads of 25", "20,000 bases, 32,768 reads of 25",
              "20,000 bases, 50,000 reads of 100"},
    .ptx = wl_ptx_mummergpu,
    .run = run,
};
