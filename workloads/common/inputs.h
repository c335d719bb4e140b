// Seeded inputs that several workloads share. All memory belongs to the run; all randomness comes from its
// generator.
#ifndef WL_INPUTS_H
#define WL_INPUTS_H

#include "common/wl.h"

// ---- arrays ----

float *wl_floats(struct wl_run *r, long count, float low, float high);
int *wl_ints(struct wl_run *r, long count, int low, int high); // low .. high-1
// What rand() of the GNU C library gives after srand(seed), modulo `below`: the inputs of programs that draw them so.
int *wl_library_ints(struct wl_run *r, int seed, long count, int below);

// Sorts a few numbers, smallest first.
void wl_sort_ints(int *a, int count);

// ---- graphs, in compressed rows: edges of node n are row[n] .. row[n+1]-1 ----

struct wl_graph {
  int nodes, edges;
  int *row;    // nodes + 1
  int *col;    // edges: the other end
  int *weight; // edges: 1 .. 63, the same in both directions of an undirected graph
};

// Streets: a grid with some streets missing, degree 2 to 4, diameter near width + height; undirected.
struct wl_graph wl_road_graph(struct wl_run *r, int width, int height);
// Preferential attachment of `links` edges a node: few nodes with very many edges; undirected, numbers
// shuffled.
struct wl_graph wl_powerlaw_graph(struct wl_run *r, int nodes, int links);
// Each node has 1 .. 2*degree-1 edges to nodes drawn evenly; directed.
struct wl_graph wl_random_graph(struct wl_run *r, int nodes, int degree);
// Each node has `degree` edges to nodes drawn evenly, of weights 1 .. heaviest; directed.
struct wl_graph wl_regular_graph(struct wl_run *r, int nodes, int degree, int heaviest);
// Each node draws 1 .. 2*links-1 others evenly, and an edge leads both ways: degree 2*links on average; undirected.
struct wl_graph wl_even_graph(struct wl_run *r, int nodes, int links);

// ---- matrices ----

struct wl_csr {
  int rows, cols, nonzeros;
  int *row; // rows + 1
  int *col; // ascending within a row
  float *value;
};

// About `per_row` entries a row, half of them near the diagonal, half anywhere; row lengths vary threefold.
struct wl_csr wl_sparse_matrix(struct wl_run *r, int rows, int per_row);
// Dense, row-major, random in -1 .. 1 with a dominant diagonal, so that elimination needs no pivoting.
float *wl_dominant_matrix(struct wl_run *r, int n);
// Dense, row-major, 10 exp(-rate |i - j|): falls off from the diagonal, and elimination needs no pivoting.
float *wl_falling_matrix(struct wl_run *r, int n, double rate);

// ---- text, genomes, images, points, meshes, networks ----

// Words of a fixed dictionary in Zipf-like frequency, parted by blanks, a new line every ten words or so.
uint8_t *wl_text(struct wl_run *r, long bytes);
// Letters ACGT with repeated stretches, as genomes have.
uint8_t *wl_genome(struct wl_run *r, long bases);
// Row-major grey image in 0 .. 1: smooth hills, bright discs, speckle.
float *wl_image(struct wl_run *r, int width, int height);
// A colour photograph in 0 .. 255, three colours a pixel: smooth shapes with grain, neighbouring pixels about seven apart.
int *wl_photo(struct wl_run *r, int width, int height);
// Point-major cloud of `count` points with `dims` coordinates around `clusters` centres.
float *wl_points(struct wl_run *r, int count, int dims, int clusters);
// Records of network connections with 34 features, record-major, in long runs of one kind: floods of like records (57 of 100),
// refused connections (23), ordinary ones. Most features are 0 or 1, counts go up to 511, bytes to thousands, rates are hundredths.
float *wl_connections(struct wl_run *r, int count);
// Four neighbours of each cell of an unstructured mesh, element-major (cell * 4 + face); -1 at the boundary.
// Cells are numbered as a mesh generator does: mostly near their neighbours, some far away.
int *wl_mesh(struct wl_run *r, int cells);
// Weights of a network layer: normal, scaled by the root of the fan-in.
float *wl_weights(struct wl_run *r, long count, int fan_in);
// The same for filters over three colours, planes of `plane` weights, of which two in three look for edges: the weights of each
// of their planes add up to nothing. The others answer the same everywhere.
float *wl_filters(struct wl_run *r, int filters, int plane);

#endif
