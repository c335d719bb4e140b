// Sparse matrix times vector: the host brings the matrix into jagged diagonal storage.
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(spmv);

enum { THREADS = 192, LANES = 32, MOST_COLUMNS = 1000 };

// Rows sorted by falling length; column k holds entry k of every row that reaches it, all rows of a warp
// padded to the longest of them.
struct jds {
  int entries, columns;
  int *permutation, *warp_length, *column_start, *index;
  float *value;
};

static int length_of(const struct wl_csr *m, int row) { return m->row[row + 1] - m->row[row]; }

// Counting sort of the rows by length, longest first.
static int *sort_rows(struct wl_run *r, const struct wl_csr *m) {
  int *first = WL_NEW(r, int, MOST_COLUMNS + 2), *sorted = WL_NEW(r, int, m->rows);
  for (int i = 0; i < m->rows; i++) {
    if (length_of(m, i) > MOST_COLUMNS) wl_fail(r, "row %d has more than %d entries", i, MOST_COLUMNS);
    first[MOST_COLUMNS - length_of(m, i) + 1]++;
  }
  for (int k = 0; k <= MOST_COLUMNS; k++) first[k + 1] += first[k];
  for (int i = 0; i < m->rows; i++) sorted[first[MOST_COLUMNS - length_of(m, i)]++] = i;
  return sorted;
}

static struct jds make_jds(struct wl_run *r, const struct wl_csr *m) {
  struct jds j = {.permutation = sort_rows(r, m)};
  int warps = (int)wl_blocks(m->rows, LANES);
  j.columns = length_of(m, j.permutation[0]);
  j.warp_length = WL_NEW(r, int, warps);
  j.column_start = WL_NEW(r, int, j.columns + 1);
  for (int w = 0; w < warps; w++) {
    j.warp_length[w] = length_of(m, j.permutation[w * LANES]);
    for (int k = 0; k < j.warp_length[w]; k++) j.column_start[k + 1] += LANES;
  }
  for (int k = 0; k < j.columns; k++) j.column_start[k + 1] += j.column_start[k];
  j.entries = j.column_start[j.columns];
  j.index = WL_NEW(r, int, j.entries);
  j.value = WL_NEW(r, float, j.entries);
  for (int i = 0; i < m->rows; i++) {
    int from = m->row[j.permutation[i]];
    for (int k = 0; k < length_of(m, j.permutation[i]); k++) {
      j.index[j.column_start[k] + i] = m->col[from + k];
      j.value[j.column_start[k] + i] = m->value[from + k];
    }
  }
  return j;
}

// Values of a stiffness matrix: ten decades, and equal ones in the same place of many rows.
static float stiffness(struct wl_run *r) {
  static const float levels[] = {1.6e-7f, 1.7e3f, 9e3f, 5e5f, 7e5f, 6e6f, 2.5e8f};
  uint32_t k = wl_below(&r->rng, 7);
  float repeated = (float)(1 + wl_below(&r->rng, 40)) / 40.0f;
  return levels[k] * (wl_below(&r->rng, 10) < 6 ? wl_uniform(&r->rng, 0.3f, 1.0f) : repeated);
}

// A symmetric stiffness matrix of a body in layers of a thousand nodes or fewer: a row has its own node, next nodes and those of
// a few typical distances; rows near each other have similar patterns. Lengths are between 1 and 49, 12.5 on average.
static struct wl_csr stiffness_matrix(struct wl_run *r, int rows) {
  enum { KEPT = 4, PATTERNS = 24 }; // rows of one node of the body
  struct wl_csr m = {.rows = rows, .cols = rows, .row = WL_NEW(r, int, rows + 1)};
  int *degree = WL_NEW(r, int, rows), *from = WL_NEW(r, int, rows * PATTERNS), *to = WL_NEW(r, int, rows * PATTERNS), pairs = 0;
  int distances[PATTERNS] = {0}, used = 0;
  for (int i = 0; i < rows; i++) {
    if (i % KEPT == 0) {
      used = (int)wl_below(&r->rng, 12);
      for (int k = 0; k < used; k++) {
        uint32_t kind = wl_below(&r->rng, 10);
        int reach = kind < 3 ? 5 : kind < 4 ? 45 : kind < 5 ? 170 : 1243;
        distances[k] = 1 + (int)wl_below(&r->rng, (uint32_t)(reach < rows ? reach : rows / 4));
      }
    }
    for (int k = 0; k < used; k++)
      if (i >= distances[k] && wl_below(&r->rng, 20)) {
        from[pairs] = i;
        to[pairs++] = i - distances[k];
      }
  }
  for (int i = 0; i < rows; i++) degree[i] = 1;
  for (int p = 0; p < pairs; p++) degree[from[p]]++, degree[to[p]]++;
  for (int i = 0; i < rows; i++) m.row[i + 1] = m.row[i] + degree[i];
  m.nonzeros = m.row[rows];
  m.col = WL_NEW(r, int, m.nonzeros);
  m.value = WL_NEW(r, float, m.nonzeros);
  int *filled = WL_NEW(r, int, rows);
  for (int i = 0; i < rows; i++) m.col[m.row[i] + filled[i]++] = i;
  for (int p = 0; p < pairs; p++) {
    m.col[m.row[from[p]] + filled[from[p]]++] = to[p];
    m.col[m.row[to[p]] + filled[to[p]]++] = from[p];
  }
  for (int i = 0; i < rows; i++) wl_sort_ints(m.col + m.row[i], degree[i]);
  for (int k = 0; k < m.nonzeros; k++) m.value[k] = stiffness(r);
  return m;
}

static bool run(struct wl_run *r) {
  static const int sizes[WL_SIZES] = {4096, 11948, 146689}, products[WL_SIZES] = {1, 2, 10};
  enum { SMALL_THREADS = LANES, FULL = 1536 };
  struct wl_csr m = r->size == WL_PAPER ? wl_sparse_matrix(r, sizes[r->size], 24) : stiffness_matrix(r, sizes[r->size]);
  struct jds j = make_jds(r, &m);
  float *x = wl_floats(r, m.cols, 0.0f, 1.0f);

  wl_put_symbol(r, "warp_length", j.warp_length, (size_t)wl_blocks(m.rows, LANES) * sizeof(int));
  wl_put_symbol(r, "column_start", j.column_start, (size_t)j.columns * sizeof(int));
  CUdeviceptr d_value = WL_UP(r, j.value, j.entries), d_index = WL_UP(r, j.index, j.entries);
  CUdeviceptr d_permutation = WL_UP(r, j.permutation, m.rows), d_x = WL_UP(r, x, m.cols);
  CUdeviceptr d_y = WL_ZEROS(r, float, m.rows);
  long threads = m.rows > 15 * FULL ? THREADS : SMALL_THREADS; // small blocks where the rows would not fill a GPU of 15 SMs
  for (int i = 0; i < products[r->size]; i++)
    WL_LAUNCH(r, "spmv_jds", wl_1d(wl_blocks(m.rows, threads)), wl_1d(threads), 0, &d_y, &d_value, &d_index,
              &d_permutation, &d_x, &m.rows);

  float *want = WL_NEW(r, float, m.rows);
  for (int i = 0; i < m.rows; i++) {
    double sum = 0;
    for (int k = m.row[i]; k < m.row[i + 1]; k++) sum += (double)m.value[k] * (double)x[m.col[k]];
    want[i] = (float)sum;
  }
  return wl_near_f32(r, "y", WL_DOWN(r, float, d_y, m.rows), want, m.rows, 1e-4f, 1e-4f);
}

const struct workload wl_spmv = {
    .name = "spmv",
    .suite = "Parboil",
    .pattern = "coalesced matrix stream, scattered gather from the vector",
    .sizes = {"4,096 rows, about 12 entries each", "11,948 rows, about 12 entries each, 2 products",
              "146,689 rows, about 24 entries each, 10 products"},
    .ptx = wl_ptx_spmv,
    .run = run,
};
