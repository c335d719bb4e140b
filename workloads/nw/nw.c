// Needleman-Wunsch alignment of two random sequences of residues.
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(nw);

enum { B = 16, LETTERS = 10, PENALTY = 10 };

// BLOSUM62 (Henikoff and Henikoff, 1992) for the residues R N D C Q E G H I L.
static const int similarity[LETTERS][LETTERS] = {
    {5, 0, -2, -3, 1, 0, -2, 0, -3, -2},    {0, 6, 1, -3, 0, 0, 0, 1, -3, -3},   {-2, 1, 6, -3, 0, 2, -1, -1, -3, -4},
    {-3, -3, -3, 9, -3, -4, -3, -3, -1, -1}, {1, 0, 0, -3, 5, 2, -2, 0, -3, -2},  {0, 0, 2, -4, 2, 5, -2, 0, -3, -3},
    {-2, 0, -1, -3, -2, -2, 6, -2, -4, -4},  {0, 1, -1, -3, 0, 0, -2, 8, -3, -3}, {-3, -3, -3, -1, -3, -3, -4, -3, 4, 2},
    {-2, -3, -4, -1, -2, -3, -4, -3, 2, 4},
};

static int most(int a, int b) { return a > b ? a : b; }

static void reference_fill(const int *match, int *score, int columns) {
  for (int y = 1; y < columns; y++)
    for (int x = 1; x < columns; x++) {
      int i = y * columns + x;
      score[i] = most(score[i - columns - 1] + match[i], most(score[i - 1], score[i - columns]) - PENALTY);
    }
}

static bool run(struct wl_run *r) {
  static const int sizes[WL_SIZES] = {192, 1024, 2048};
  int n = sizes[r->size], columns = n + 1, count = columns * columns, penalty = PENALTY;
  int *a = wl_ints(r, columns, 0, LETTERS), *b = wl_ints(r, columns, 0, LETTERS);
  int *match = WL_NEW(r, int, count), *score = WL_NEW(r, int, count);
  for (int y = 1; y < columns; y++)
    for (int x = 1; x < columns; x++) match[y * columns + x] = similarity[a[y]][b[x]];
  for (int i = 1; i < columns; i++) score[i] = score[i * columns] = -i * PENALTY;

  CUdeviceptr d_match = WL_UP(r, match, count), d_score = WL_UP(r, score, count);
  int width = n / B;
  for (int d = 1; d <= width; d++)
    WL_LAUNCH(r, "nw_upper", wl_1d(d), wl_1d(B), 0, &d_match, &d_score, &columns, &penalty, &d);
  for (int d = width - 1; d >= 1; d--)
    WL_LAUNCH(r, "nw_lower", wl_1d(d), wl_1d(B), 0, &d_match, &d_score, &columns, &penalty, &d, &width);
  reference_fill(match, score, columns);
  return wl_same_i32(r, "score", WL_DOWN(r, int, d_score, count), score, count);
}

const struct workload wl_nw = {
    .name = "nw",
    .suite = "Rodinia",
    .pattern = "diagonals of 16 x 16 tiles: half-line rows, and a column of single cells a tile",
    .sizes = {"192 x 192", "1,024 x 1,024", "2,048 x 2,048"},
    .ptx = wl_ptx_nw,
    .run = run,
};
