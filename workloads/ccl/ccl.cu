// Connected components by label equivalence: each node looks at its neighbours' labels, lower labels are
// noted in a table of references, references are followed to their roots, and all nodes take over the root.

extern "C" __global__ void ccl_scan(const int *row, const int *col, const int *label, int nodes,
                                    int *reference, int *changed) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  int own = label[node], lowest = own, last = row[node + 1];
#pragma unroll 1
  for (int e = row[node]; e < last; e++) lowest = min(lowest, label[col[e]]);
  if (lowest == own) return;
  atomicMin(&reference[own], lowest);
  *changed = 1;
}

// References only ever fall, so a chain that another thread shortens still leads to the root.
extern "C" __global__ void ccl_analyse(const int *label, int nodes, int *reference) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || label[node] != node) return;
  int root = reference[node];
#pragma unroll 1
  for (int next = reference[root]; next != root; next = reference[root]) root = next;
  reference[node] = root;
}

extern "C" __global__ void ccl_label(const int *reference, int nodes, int *label) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node < nodes) label[node] = reference[label[node]];
}
