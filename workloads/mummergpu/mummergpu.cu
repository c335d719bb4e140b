// Maximal matches of reads in a reference genome, in two steps: every read walks the suffix tree of the reference from start position
// to start position along suffix links; then every match climbs to the highest node that is deep enough and visits the leaves below.
// A node is 16 bytes in each of two textures, at the same place. Fields have three bytes; links are texture coordinates.

typedef cudaTextureObject_t texture;

enum { ROOT = 1 << 16 };

// Coordinates of a link of three bytes: x in the lower half, y in the upper half.
static __device__ int place(unsigned link) {
  unsigned low = link & 255, middle = link >> 8 & 255, high = link >> 16 & 255;
  return (int)(low | (middle & 15) << 8 | (middle >> 4 | high << 4) << 16);
}
static __device__ uint4 fetch(texture nodes, int at) { return tex2D<uint4>(nodes, (float)(at & 0xffff), (float)(at >> 16)); }

static __device__ unsigned first_of(uint4 t) { return t.x & 0xffffff; }
static __device__ unsigned second_of(uint4 t) { return t.x >> 24 | (t.y & 0xffff) << 8; }
static __device__ unsigned third_of(uint4 t) { return t.y >> 16 | (t.z & 0xff) << 16; }
static __device__ unsigned fourth_of(uint4 t) { return t.z >> 8; }
static __device__ unsigned fifth_of(uint4 t) { return t.w & 0xffffff; }
static __device__ char leaf_of(uint4 t) { return (char)(t.w >> 24); }

// A node: parent, suffix link, first and last place of its edge in the reference, letters from the root.
static __device__ int parent_of(uint4 node) { return place(first_of(node)); }
static __device__ int link_of(uint4 node) { return place(second_of(node)); }

static __device__ int child_of(uint4 children, char letter) {
  switch (letter) {
  case 'A': return place(first_of(children));
  case 'C': return place(second_of(children));
  case 'G': return place(third_of(children));
  case 'T': return place(fourth_of(children));
  default: return 0;
  }
}

// For each start position of a read: the last node on the way and how many letters of its edge match, where at least `shortest`
// letters do. A read begins with a mark and ends with zero; `matched` counts the mark too.
extern "C" __global__ void mummer_match(int2 *matches, const char *reads, texture nodes, texture children, const char *reference,
                                        const int *address, const int *length, int count, int shortest) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int last = length[i] - shortest, from = address[i], cur = 0, before = 0, matched = 0, known = 0;
  const char *read = reads + from;
  int2 *match = matches + from - i * (shortest + 1);
  for (int s = 0; s <= last; s++, match++) {
    if (cur == 0 || matched < 1) {
      cur = ROOT;
      matched = 1;
      known = 0;
    }
    char letter = read[s + matched];
    int start = 0, end = 0, at = 0;
    while (letter != 0) {
      before = cur;
      cur = child_of(fetch(children, cur), letter);
      if (cur == 0) {
        if (matched > shortest) *match = make_int2(before, 0);
        matched--;
        known = 0;
        goto next;
      }
      {
        uint4 node = fetch(nodes, cur);
        start = third_of(node);
        end = fourth_of(node);
      }
      if (known) {
        int edge = end - start + 1;
        at = min(start + known, end + 1);
        matched += min(edge, known);
        known = max(known - edge, 0);
      } else {
        matched++;
        at = start + 1;
      }
      letter = read[s + matched];
      while (at <= end && letter != 0) {
        if (reference[at] != letter) goto record;
        matched++;
        at++;
        letter = read[s + matched];
      }
    }
  record:
    if (matched > shortest) *match = make_int2(cur, at - start);
    known = at - start;
    matched -= known + 1;
  next:
    cur = link_of(fetch(nodes, before));
  }
}

struct match {
  int offset, read, node, leaves;
  short edge, start;
};

struct alignment {
  int left;
  short length;
};

// Which child of its parent a node is.
static __device__ int rank_of(uint4 children, int at) {
  if (at == place(first_of(children))) return 0;
  if (at == place(second_of(children))) return 1;
  if (at == place(third_of(children))) return 2;
  if (at == place(fourth_of(children))) return 3;
  return 4;
}

static __device__ int depth_at(texture nodes, int at) { return (int)fifth_of(fetch(nodes, at)); }

// The places where a match occurs and cannot be made longer to the left. The walk visits the leaves below the highest node that is deep
// enough, without a stack: what is known of a node is fetched again when it is come back to, and a field of the match loaded when it is needed. `away` counts the nodes
// between the present one and the way that the read takes; only on that way does the match grow.
extern "C" __global__ void mummer_print(const match *matches, int count, alignment *alignments, const char *reads, texture nodes,
                                        texture children, const int *address, int shortest) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const char *read = reads + address[matches[i].read] + matches[i].start;
  char flank = read[0];
  int found = matches[i].node, top = found, away = 0, rank = 0;
  uint4 node = fetch(nodes, found);
  int above = parent_of(node);
  node = fetch(nodes, above);
  while ((int)fifth_of(node) >= shortest) {
    top = above;
    above = parent_of(node);
    node = fetch(nodes, above);
  }
  int letters = depth_at(nodes, top), to = matches[i].offset, cur;
  if (top == found && matches[i].edge > 0) {
    letters = depth_at(nodes, above) + matches[i].edge;
    away = 1;
  }
  cur = top;
  while (cur != above) {
    uint4 below = fetch(children, cur);
    if (leaf_of(below) != 0) {
      if (leaf_of(below) != flank) {
        alignments[to].left = first_of(below);
        alignments[to].length = (short)letters;
        to++;
      }
    } else {
      asm volatile("" : "+r"(cur)); // so that it is fetched again
      uint4 again = fetch(children, cur);
      int all[5] = {place(first_of(again)), place(second_of(again)), place(third_of(again)), place(fourth_of(again)), place(fifth_of(again))};
      int child = 0, letter = 0;
#pragma unroll
      for (int k = 4; k >= 0; k--)
        if (k >= rank && all[k] != 0) {
          child = all[k];
          letter = "ACGT$"[k];
        }
      if (child != 0) {
        if (away > 0 || letter != read[letters + 1]) {
          away++;
        } else if (child == found && matches[i].edge > 0) { // the read ends or differs on the way to it
          letters += matches[i].edge;
          away = 1;
        } else {
          letters = depth_at(nodes, child);
        }
        cur = child;
        rank = 0;
        continue;
      }
    }
    int up = parent_of(fetch(nodes, cur));
    rank = rank_of(fetch(children, up), cur) + 1;
    cur = up;
    if (away > 0) away--;
    if (away == 0) letters = depth_at(nodes, cur);
  }
}
