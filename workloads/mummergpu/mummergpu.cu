// Maximal matches of short reads in a reference genome: each thread walks the suffix tree of the reference
// with one read, from start position to start position along suffix links. A node is two records of 16 bytes.

struct node {
  int start, end; // the edge into the node is reference[start .. end-1]
  int link;       // suffix link; the root for leaves
  int depth;      // letters from the root
};

static __device__ int child_of(int4 children, char letter) {
  return letter == 'A' ? children.x : letter == 'C' ? children.y : letter == 'G' ? children.z : children.w;
}

// For each start position of a read that leaves `shortest` letters: the length of the longest match and the
// last node on the way.
extern "C" __global__ void mummer_match(const node *nodes, const int4 *children, const char *reference,
                                        const char *reads, const int *read_start, int count, int shortest,
                                        int2 *matches) {
  int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= count) return;
  const char *read = reads + read_start[q];
  int length = read_start[q + 1] - read_start[q];
  int at = 0, depth = 0, matched = 0;
  for (int i = 0; i + shortest <= length; i++) {
    while (i + depth < length) {
      int child = child_of(children[at], read[i + depth]);
      if (child == 0) break;
      node n = nodes[child];
      int edge = n.end - n.start, k = matched - depth;
      // Letters that the previous start position matched need not be compared again.
      if (k < edge) {
#pragma unroll 1
        while (k < edge && i + depth + k < length && reference[n.start + k] == read[i + depth + k]) k++;
        matched = depth + k;
        if (k < edge) break;
      }
      at = child;
      depth += edge;
    }
    matches[read_start[q] + i] = make_int2(at, matched);
    at = nodes[at].link;
    depth = nodes[at].depth;
    matched = matched > 0 ? matched - 1 : 0;
  }
}
