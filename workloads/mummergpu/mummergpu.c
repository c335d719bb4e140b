// Matching of reads against the suffix tree of a genome. The host builds the tree (Ukkonen's algorithm), lists the matches between
// the two kernels, and checks match lengths and alignments with walks from the root that use no suffix links.
#include "common/wl.h"
#include <string.h>

WL_PTX(mummergpu);

enum { THREADS = 256, SHORTEST = 20, LENGTH = 100, ROOT = 0, LETTERS = 5, MARK = 'q', TEXELS = 4096, GROUP = 32, PART = 140000 };
// Bytes of shared memory that let an SM of a GTX 480 hold three blocks, as the original's registers do.
enum { THREE_BLOCKS = 16000 };

struct node {
  int start, end, link, depth, parent, leaves;
  int child[LETTERS];
};

struct tree {
  const uint8_t *text; // with an end mark
  int length, count;
  struct node *nodes;
  int *number; // of a node in the textures, from 1 on
};

static int code(uint8_t letter) { return letter == 'A' ? 0 : letter == 'C' ? 1 : letter == 'G' ? 2 : letter == 'T' ? 3 : 4; }

static int add_node(struct tree *t, int start, int end) {
  t->nodes[t->count] = (struct node){.start = start, .end = end};
  return t->count++;
}

// Where the builder stands: `length` letters from text[edge] below `at`; `pending` suffixes are still implicit.
struct cursor {
  int at, edge, length, pending;
};

// Splits the edge to `child` after c->length letters and hangs the letter at `i` below; returns the inner node.
static int split(struct tree *t, const struct cursor *c, int child, int i) {
  int inner = add_node(t, t->nodes[child].start, t->nodes[child].start + c->length);
  t->nodes[c->at].child[code(t->text[c->edge])] = inner;
  t->nodes[inner].child[code(t->text[i])] = add_node(t, i, t->length);
  t->nodes[child].start += c->length;
  t->nodes[inner].child[code(t->text[t->nodes[child].start])] = child;
  return inner;
}

// Adds the letter at `i` to every suffix that ends before it.
static void extend(struct tree *t, struct cursor *c, int i) {
  int without_link = ROOT;
  c->pending++;
  while (c->pending > 0) {
    if (c->length == 0) c->edge = i;
    int *slot = &t->nodes[c->at].child[code(t->text[c->edge])];
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

static bool is_leaf(const struct node *n) {
  for (int k = 0; k < LETTERS; k++)
    if (n->child[k]) return false;
  return true;
}

// Numbers the nodes breadth first; depths and parents on the way down, leaves below on the way up.
static void number_nodes(struct wl_run *r, struct tree *t) {
  int *order = WL_NEW(r, int, t->count), last = 0;
  t->number = WL_NEW(r, int, t->count);
  order[last++] = ROOT;
  for (int i = 0; i < last; i++) {
    int n = order[i];
    t->number[n] = i + 1;
    for (int k = 0; k < LETTERS; k++) {
      int child = t->nodes[n].child[k];
      if (child == 0) continue;
      t->nodes[child].parent = n;
      t->nodes[child].depth = t->nodes[n].depth + t->nodes[child].end - t->nodes[child].start;
      order[last++] = child;
    }
  }
  for (int i = last - 1; i > 0; i--) {
    struct node *n = &t->nodes[order[i]];
    if (is_leaf(n)) n->leaves = 1;
    t->nodes[n->parent].leaves += n->leaves;
  }
}

static struct tree build_tree(struct wl_run *r, const uint8_t *text, int length) {
  struct tree t = {.text = text, .length = length, .count = 1};
  t.nodes = WL_NEW(r, struct node, 2 * length + 2);
  struct cursor c = {.at = ROOT};
  for (int i = 0; i < length; i++) extend(&t, &c, i);
  number_nodes(r, &t);
  return t;
}

// Where a node lies in the textures: groups of 32 in a column.
static int column_of(int number) { return (number & 0x1ffff) / GROUP; }
static int row_of(int number) { return (number >> 17) * GROUP + number % GROUP; }

static void put_field(uint8_t *texel, int field, int value) {
  for (int i = 0; i < 3; i++) texel[3 * field + i] = (uint8_t)(value >> 8 * i);
}
static void put_link(uint8_t *texel, int field, int number) { put_field(texel, field, column_of(number) | row_of(number) << 12); }

// Fills in the two texels of a node.
static void put_node(const struct tree *t, int n, uint8_t *node, uint8_t *children) {
  const struct node *from = &t->nodes[n];
  if (n != ROOT) put_link(node, 0, t->number[from->parent]);
  if (n != ROOT && !is_leaf(from)) put_link(node, 1, t->number[from->link]);
  put_field(node, 2, from->start + 1); // the text begins with a mark
  put_field(node, 3, from->end);
  put_field(node, 4, from->depth);
  if (is_leaf(from)) {
    int left = t->length - from->depth;
    put_field(children, 0, left);
    children[15] = left > 0 ? t->text[left - 1] : '$';
  } else {
    for (int k = 0; k < LETTERS; k++)
      if (from->child[k]) put_link(children, k, t->number[from->child[k]]);
  }
}

struct textures {
  CUtexObject nodes, children;
  int *node_at; // row after row: which node lies there
};

static struct textures make_textures(struct wl_run *r, const struct tree *t) {
  int rows = (int)wl_blocks(t->count + 1, TEXELS * GROUP) * GROUP;
  uint8_t(*nodes)[16] = wl_host(r, (size_t)(TEXELS * rows), sizeof *nodes);
  uint8_t(*children)[16] = wl_host(r, (size_t)(TEXELS * rows), sizeof *children);
  struct textures made = {.node_at = WL_NEW(r, int, TEXELS *rows)};
  for (int n = 0; n < t->count; n++) {
    int at = row_of(t->number[n]) * TEXELS + column_of(t->number[n]);
    put_node(t, n, nodes[at], children[at]);
    made.node_at[at] = n;
  }
  made.nodes = wl_picture(r, nodes, CU_AD_FORMAT_UNSIGNED_INT32, 4, TEXELS, rows);
  made.children = wl_picture(r, children, CU_AD_FORMAT_UNSIGNED_INT32, 4, TEXELS, rows);
  return made;
}

// Chances in thousand of A, C and G after each three bases, AAA first and the nearest base fastest; the rest is T's. Of the first 140,000
// bases of the suite's genome.
static const short chances[64][3] = {
    {355, 158, 251}, {373, 135, 248}, {342, 198, 211}, {217, 180, 249}, {400, 125, 239}, {371, 149, 256}, {258, 166, 205}, {222, 152, 238},
    {435, 99, 205}, {353, 98, 248}, {321, 156, 174}, {347, 104, 207}, {305, 178, 129}, {296, 184, 286}, {333, 185, 260}, {328, 169, 220},
    {364, 168, 237}, {328, 207, 229}, {319, 191, 244}, {218, 185, 225}, {347, 164, 271}, {334, 138, 262}, {241, 222, 164}, {234, 150, 284},
    {424, 107, 166}, {327, 161, 222}, {308, 149, 188}, {304, 141, 274}, {325, 186, 178}, {278, 200, 234}, {307, 191, 252}, {266, 199, 247},
    {352, 131, 335}, {333, 179, 268}, {327, 221, 247}, {263, 130, 323}, {387, 151, 251}, {279, 181, 294}, {329, 166, 213}, {238, 163, 310},
    {361, 148, 237}, {298, 121, 321}, {378, 158, 217}, {313, 127, 327}, {327, 165, 220}, {322, 169, 282}, {325, 197, 245}, {288, 179, 258},
    {417, 168, 165}, {381, 155, 223}, {384, 204, 189}, {209, 184, 234}, {381, 145, 172}, {363, 151, 225}, {222, 166, 154}, {240, 152, 211},
    {463, 113, 153}, {369, 128, 180}, {350, 135, 163}, {387, 105, 144}, {298, 179, 204}, {278, 187, 229}, {333, 194, 220}, {324, 167, 193},
};

// Genes, of 1,000 bases each, are alike in how uneven their chances are: half of them have three quarters of the mean unevenness, half six.
static void make_bases(struct wl_run *r, uint8_t *genome, int bases) {
  enum { GENE = 1000, EVEN = 250 };
  for (int i = 0, context = 0, quarters = 0; i < bases; i++) {
    if (i % GENE == 0) quarters = wl_below(&r->rng, 2) ? 3 : 6;
    int drawn = (int)wl_below(&r->rng, 1000), base = 0;
    for (; base < 3; base++) {
      int chance = EVEN + (chances[context][base] - EVEN) * quarters / 4;
      if (drawn < chance) break;
      drawn -= chance;
    }
    genome[i] = (uint8_t)"ACGT"[base];
    context = context % 16 * 4 + base;
  }
}

// In every 140,000 bases (or in all, if there are fewer) one stretch, that of the ribosomal genes, stands three times, with few bases
// changed.
static void repeat_stretch(uint8_t *genome, long bases) {
  static const int starts[3] = {9207, 29001, 82404}, lengths[3] = {0, 5147, 4811};
  static const int changed[3][6] = {{1245}, {281, 1236}, {1155, 1625, 1660, 1887, 2310, 4651}};
  for (int copy = 1; copy < 3; copy++)
    memcpy(genome + starts[copy] * bases / PART, genome + starts[0] * bases / PART, (size_t)(lengths[copy] * bases / PART));
  for (int copy = 0; copy < 3; copy++)
    for (int k = 0; k < 6 && changed[copy][k]; k++) {
      uint8_t *base = genome + starts[copy] * bases / PART + changed[copy][k] * bases / PART;
      *base = *base == 'A' ? 'G' : *base == 'G' ? 'A' : *base == 'C' ? 'T' : 'C';
    }
}

static uint8_t *make_genome(struct wl_run *r, int bases) {
  uint8_t *genome = WL_NEW(r, uint8_t, bases + 2);
  make_bases(r, genome, bases);
  for (int from = 0; from < bases; from += PART) repeat_stretch(genome + from, bases < PART ? bases : PART);
  genome[bases] = '$';
  return genome;
}

// Pieces of the genome, each between a mark and a zero.
static char *make_reads(struct wl_run *r, const uint8_t *genome, int bases, int count) {
  char *reads = WL_NEW(r, char, count *(LENGTH + 2));
  for (int q = 0; q < count; q++) {
    char *read = reads + q * (LENGTH + 2);
    read[0] = MARK;
    memcpy(read + 1, genome + wl_below(&r->rng, (uint32_t)(bases - LENGTH)), LENGTH);
  }
  return reads;
}

static int longest_match(const struct tree *t, const char *read) {
  int at = ROOT, matched = 0;
  while (read[matched]) {
    int child = t->nodes[at].child[code((uint8_t)read[matched])];
    if (child == 0) return matched;
    for (int k = t->nodes[child].start; k < t->nodes[child].end; k++, matched++)
      if (t->text[k] != (uint8_t)read[matched]) return matched;
    at = child;
  }
  return matched;
}

// A match as the second kernel wants it.
struct match {
  int offset, read, node, leaves;
  int16_t edge, start;
};

// Leaves below the highest node above a match that is deep enough.
static int leaves_in_reach(const struct tree *t, const struct node *n) {
  while (t->nodes[n->parent].depth >= SHORTEST) n = &t->nodes[n->parent];
  return n->leaves;
}

// Lists the matches of all reads, and compares their lengths.
static int list_matches(struct wl_run *r, const struct tree *t, const struct textures *in, const char *reads, int count,
                        const int (*found)[2], struct match *matches) {
  int listed = 0, offset = 0, starts = LENGTH - SHORTEST + 1;
  for (int i = 0; i < count * starts; i++) {
    int read = i / starts, start = i % starts, address = found[i][0];
    int want = longest_match(t, reads + read * (LENGTH + 2) + 1 + start), got = 0;
    if (address) {
      const struct node *n = &t->nodes[in->node_at[(address >> 16) * TEXELS + (address & 0xffff)]];
      got = found[i][1] ? t->nodes[n->parent].depth + found[i][1] : n->depth;
      int leaves = leaves_in_reach(t, n);
      matches[listed++] = (struct match){offset, read, address, leaves, (int16_t)found[i][1], (int16_t)start};
      offset += leaves;
    }
    if (got != (want >= SHORTEST ? want : 0)) {
      wl_mismatch(r, "match of read %d from %d: got %d letters, want %d", read, start, got, want);
      return -1;
    }
  }
  return listed;
}

// Every alignment that was written is a place where the read's letters are, after another letter than the read's.
static bool check_alignments(struct wl_run *r, const struct tree *t, const char *reads, const struct match *m, const int (*written)[2]) {
  const char *read = reads + m->read * (LENGTH + 2) + 1 + m->start;
  for (int i = 0; i < m->leaves; i++) {
    int left = written[m->offset + i][0];
    if (left < 0) continue;
    char before = left > 0 ? (char)t->text[left - 1] : '$';
    if (before == read[-1] || memcmp(read, t->text + left, SHORTEST) != 0)
      return wl_mismatch(r, "read %d from %d is not at %d", m->read, m->start, left);
  }
  return true;
}

static bool run(struct wl_run *r) {
  static const struct {
    int bases, reads;
  } shapes[WL_SIZES] = {{4000, 256}, {140000, 11520}, {1400000, 50000}};
  int bases = shapes[r->size].bases, count = shapes[r->size].reads, shortest = SHORTEST, starts = LENGTH - SHORTEST + 1;
  uint8_t *genome = make_genome(r, bases), *marked = WL_NEW(r, uint8_t, bases + 2);
  memcpy(marked + 1, genome, (size_t)bases + 1);
  char *reads = make_reads(r, genome, bases, count);
  struct tree t = build_tree(r, genome, bases + 1);
  struct textures in = make_textures(r, &t);
  int *address = WL_NEW(r, int, count), *length = WL_NEW(r, int, count);
  for (int q = 0; q < count; q++) {
    address[q] = q * (LENGTH + 2);
    length[q] = LENGTH;
  }
  CUdeviceptr d_reads = WL_UP(r, reads, count * (LENGTH + 2)), d_reference = WL_UP(r, marked, bases + 2);
  CUdeviceptr d_address = WL_UP(r, address, count), d_length = WL_UP(r, length, count), d_found = WL_ZEROS(r, int[2], count *starts);
  WL_LAUNCH(r, "mummer_match", wl_1d(wl_blocks(count, THREADS)), wl_1d(THREADS), 0, &d_found, &d_reads, &in.nodes, &in.children,
            &d_reference, &d_address, &d_length, &count, &shortest);
  struct match *matches = wl_host(r, (size_t)(count * starts), sizeof *matches);
  int listed = list_matches(r, &t, &in, reads, count, wl_down(r, d_found, (size_t)(count * starts) * sizeof(int[2])), matches);
  if (listed < 0) return false;
  int all = matches[listed - 1].offset + matches[listed - 1].leaves, (*nothing)[2] = wl_host(r, (size_t)all, sizeof *nothing);
  for (int i = 0; i < all; i++) nothing[i][0] = -1;
  CUdeviceptr d_matches = WL_UP(r, matches, listed), d_alignments = wl_up(r, nothing, (size_t)all * sizeof *nothing);
  WL_LAUNCH(r, "mummer_print", wl_1d(wl_blocks(listed, THREADS)), wl_1d(THREADS), THREE_BLOCKS, &d_matches, &listed, &d_alignments,
            &d_reads, &in.nodes, &in.children, &d_address, &shortest);
  const int(*written)[2] = wl_down(r, d_alignments, (size_t)all * sizeof *nothing);
  for (int i = 0; i < listed; i++)
    if (!check_alignments(r, &t, reads, &matches[i], written)) return false;
  return true;
}

const struct workload wl_mummergpu = {
    .name = "mummergpu",
    .suite = "Rodinia",
    .pattern = "pointer chasing through a suffix tree in textures; letters of reads that lie 102 bytes apart",
    .sizes = {"4,000 bases, 256 reads of 100", "140,000 bases, 11,520 reads of 100", "1,400,000 bases, 50,000 reads of 100"},
    .ptx = wl_ptx_mummergpu,
    .run = run,
};
