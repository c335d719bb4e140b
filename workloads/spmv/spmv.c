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

static bool run(struct wl_run *r) {
  static const int sizes[WL_SIZES] = {4096, 65536, 146689};
  struct wl_csr m = wl_sparse_matrix(r, sizes[r->size], 24);
  struct jds j = make_jds(r, &m);
  float *x = wl_floats(r, m.cols, -1.0f, 1.0f);

  wl_put_symbol(r, "warp_length", j.warp_length, (size_t)wl_blocks(m.rows, LANES) * sizeof(int));
  wl_put_symbol(r, "column_start", j.column_start, (size_t)j.columns * sizeof(int));
  CUdeviceptr d_value = WL_UP(r, j.value, j.entries), d_index = WL_UP(r, j.index, j.entries);
  CUdeviceptr d_permutation = WL_UP(r, j.permutation, m.rows), d_x = WL_UP(r, x, m.cols);
  CUdeviceptr d_y = WL_ZEROS(r, float, m.rows);
  int rounds = r->size == WL_PAPER ? 10 : 1;
  for (int i = 0; i < rounds; i++)
    WL_LAUNCH(r, "spmv_jds", wl_1d(wl_blocks(m.rows, THREADS)), wl_1d(THREADS), 0, &d_y, &d_value, &d_index,
              &d_permutation, &d_x, &m.rows);

  float *want = WL_NEW(r, float, m.rows);
  for (int i = 0; i < m.rows; i++)
    for (int k = m.row[i]; k < m.row[i + 1]; k++) want[i] += m.value[k] * x[m.col[k]];
  return wl_near_f32(r, "y", WL_DOWN(r, float, d_y, m.rows), want, m.rows, 1e-4f, 1e-4f);
}

const struct workload wl_spmv = {
    .name = "spmv",
    .suite = "Parboil",
    .pattern = "coalesced matrix stream, scattered gather from the vector",
    .sizes = {"4,096 rows, about 24 entries each", "65,536 rows, about 24 entries each",
              "146,689 rows, about 24 entries each, 10 products"},
    .ptx = wl_ptx_spmv,
    .run = run,
};
