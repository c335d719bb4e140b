/* Claims about the cooperative caching network (paper 004): one function each, see claim.h. GPU: gtx480-ccn, the paper's. */
#include "lab/claim.h"

#include <math.h>

enum { MOST = 64 /* SMs */ };

static const struct claim_setup probed = {.gpu = "gtx480-ccn", .probes = "reuse"};

/* ---- reuse between SMs ----------------------------------------------------------------------------------------------- */

static const struct {
  const char *workload;
  double percent; /* Table I */
} table_i[] = {{"mm", 4}, {"ss", 28}, {"cfd", 51}, {"pvr", 32}, {"streamcluster", 18}, {"bfs", 3}, {"dwt2d", 7}, {"lbm", 0},
               {"km", 24}, {"hybridsort", 1}, {"pbfs", 6}, {"lavamd", 1}, {"histo", 1}, {"sm", 3}, {"myocyte", 1}, {"nw", 8},
               {"b+tree", 25}, {"ii", 2}, {"particlefilter", 8}, {"leukocyte", 1}, {"wc", 54}, {"sad", 3}, {"srad_v1", 15},
               {"srad_v2", 16}, {"mri-gridding", 2}, {"kmeans", 0}, {"lud", 28}, {"stencil", 6}, {"heartwall", 0}, {"backprop", 3},
               {"hotspot", 29}, {"cutcp", 78}, {"mri-q", 0}, {"tpacf", 19}};
enum { TABLE_I = sizeof table_i / sizeof *table_i };

static void c01(struct claim *c) {
  double theirs[TABLE_I], ours[TABLE_I], sum = 0;
  for (unsigned i = 0; i < TABLE_I; i++) {
    theirs[i] = table_i[i].percent;
    ours[i] = 100 * claim_stat(c, &probed, table_i[i].workload, "probes.reuse.coefficient");
    sum += ours[i];
    claim_figure(c, table_i[i].workload, "%", theirs[i], ours[i]);
    claim_note(c, "%s%s %.0f (%.0f)", i ? ", " : "measured (published): ", table_i[i].workload, ours[i], theirs[i]);
  }
  double r = claim_spearman(theirs, ours, TABLE_I);
  claim_measured(c, "Spearman %.2f, mean %.0f %%", r, sum / TABLE_I);
  claim_holds(c, r >= 0.8);
}

/* Mean share of an SM's misses that an SM at each distance could answer; by[0] is not used. SMs are in a ring, as CTAs are
 * dealt out to them: the last is a neighbour of the first. Returns how many distances there are, with 0. */
static unsigned by_distance(struct claim *c, const char *workload, double *by, double *variation) {
  const json_t *map = json_object_get(claim_probe(c, &probed, workload, "reuse"), "map");
  size_t n = json_array_size(map) < MOST ? json_array_size(map) : MOST;
  double sum = 0, squares = 0, pairs = (double)(n * (n - 1));
  for (size_t d = 0; d < n; d++) by[d] = 0;
  for (size_t i = 0; i < n * n; i++) {
    size_t x = i / n, y = i % n, d = (x + n - y) % n;
    d = d < n - d ? d : n - d;
    double v = json_number_value(json_array_get(json_array_get(map, x), y));
    if (!d) continue;
    by[d] += v / (double)(2 * d == n ? n : 2 * n);
    sum += v, squares += v * v;
  }
  double mean = sum / pairs;
  *variation = mean > 0 ? sqrt(fabs(squares / pairs - mean * mean)) / mean : INFINITY;
  return (unsigned)(n / 2 + (n > 0));
}

static unsigned largest(const double *by, unsigned n) {
  unsigned at = 1;
  for (unsigned d = 2; d < n; d++) at = by[d] > by[at] ? d : at;
  return at;
}

/* cutcp: the largest at distance 4. dwt2d: at distance 1, twice the mean of the rest. km: falls with distance (rank
 * correlation -0.8 or less). tpacf: deviation under 30 % of the mean. */
static void c21(struct claim *c) {
  double by[MOST], variation, distance[MOST], rest = 0;
  for (unsigned d = 0; d < MOST; d++) distance[d] = d;
  unsigned n = by_distance(c, "cutcp", by, &variation), shapes = 0;
  unsigned at = n > 1 ? largest(by, n) : 0;
  shapes += at == 4;
  claim_note(c, "cutcp: most at distance %u (%.1f %%)", at, n > 1 ? 100 * by[at] : 0);
  n = by_distance(c, "dwt2d", by, &variation);
  for (unsigned d = 2; d < n; d++) rest += by[d] / (n - 2);
  shapes += n > 1 && largest(by, n) == 1 && by[1] > 2 * rest;
  claim_note(c, "; dwt2d: %.1f %% at distance 1, %.1f %% beyond", n > 1 ? 100 * by[1] : 0, 100 * rest);
  n = by_distance(c, "km", by, &variation);
  double falls = n > 2 ? claim_spearman(distance + 1, by + 1, n - 1) : 0;
  shapes += falls <= -0.8;
  claim_note(c, "; km: rank correlation with distance %.2f", falls);
  by_distance(c, "tpacf", by, &variation);
  shapes += variation < 0.3;
  claim_note(c, "; tpacf: deviation %.0f %% of the mean", 100 * variation);
  claim_measured(c, "%u of 4", shapes);
  claim_holds(c, shapes >= 3);
}

const struct claim_rule claims_c[] = {
    {"C01", c01, 0,
     "near where sharing comes from the tiling; far apart for mm, ss, bfs and mri-gridding, whose data are so small here that several "
     "L1Ds hold the same part of them, for km and pvr, in which hardly a line is touched by two SMs at a time, and for lavamd"},
    {"C21", c21, CLAIM_QUICK,
     "cutcp shows both its neighbours and the SMs four away: the distance follows from the width of the grid; km has hardly any reuse; "
     "tpacf's sets fit into an L1D, so that few misses are left to look at"},
    {0},
};
