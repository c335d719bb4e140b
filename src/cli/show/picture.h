/* A small writer of SVG pictures: rows of stacked bars, cells shaded by value, square maps, curves and points, one under the other. */
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

struct picture {
  struct str body;
  double y, width; /* where the next chart begins; the widest so far */
};
void picture_title(struct picture *p, const char *title, const char *about);
/* Names of the parts of stacked bars, in their colours. */
void picture_legend(struct picture *p, const char *const *names, unsigned n);
/* A bar; shares of 1. */
void picture_stack(struct picture *p, const char *name, const double *shares, unsigned n);
/* Bars under one name, one colour each as in the legend, with a text behind it; `most` fills the width. */
void picture_bars(struct picture *p, const char *name, const double *values, const char (*text)[24], unsigned n, double most);
/* A line of cells; below 0: an empty cell. `shade` is 0 to 1, `text` what is written. */
void picture_cells(struct picture *p, const char *name, const double *shade, const char (*text)[24], unsigned n);
/* A square map of n x n values, the darkest being the largest; [column][row], row 0 at the bottom. */
void picture_map(struct picture *p, const char *name, const double *values, unsigned n);
/* Lines over common x values, one colour each as in the legend: y[line * n + i], NAN where there is no point. The best
 * point of each is marked. */
void picture_curves(struct picture *p, const double *x, const double *y, unsigned n, unsigned lines);
/* Points over two measures; the marked ones have a number in the order of the list, and their names under it. */
struct picture_point {
  double x, y;
  const char *name;
  bool marked;
};
void picture_points(struct picture *p, const struct picture_point *points, unsigned n);
/* Writes an SVG, or a page of HTML around it if the name ends in .html; frees the picture. */
bool picture_write(struct picture *p, const char *path, const char *heading, struct err *e);

#endif
