/* See picture.h. */
#include "cli/picture.h"

#include "base/output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEFT = 130, BAR = 520, ROW = 18, CELL = 62, MAP = 240, GAP = 26 };

static const char *const colours[] = {"#1b4f72", "#2e86c1", "#85c1e9", "#d6eaf8", "#f5b041", "#ca6f1e",
                                      "#7b241c", "#117864", "#45b39d", "#a3e4d7", "#6c3483", "#bb8fce",
                                      "#515a5a", "#99a3a4", "#d7dbdd", "#9a7d0a", "#f7dc6f"};
enum { COLOURS = sizeof colours / sizeof *colours };

static void put_text(struct str *s, const char *text) {
  for (; *text; text++) switch (*text) {
    case '&': str_add(s, "&amp;"); break;
    case '<': str_add(s, "&lt;"); break;
    case '>': str_add(s, "&gt;"); break;
    default: str_addn(s, text, 1);
    }
}

static void label(struct picture *p, double x, double y, const char *attributes, const char *text) {
  str_add(&p->body, "<text x='%.1f' y='%.1f' %s>", x, y, attributes);
  put_text(&p->body, text);
  str_add(&p->body, "</text>\n");
}

static void widen(struct picture *p, double to) { p->width = p->width > to ? p->width : to; }

void picture_title(struct picture *p, const char *title, const char *about) {
  p->y += GAP;
  label(p, 10, p->y, "font-weight='bold' font-size='14'", title);
  p->y += ROW;
  label(p, 10, p->y, "fill='#555'", about);
  p->y += 8;
  widen(p, LEFT + BAR + 30);
}

void picture_legend(struct picture *p, const char *const *names, unsigned n) {
  double x = LEFT;
  for (unsigned i = 0; i < n; i++) {
    str_add(&p->body, "<rect x='%.1f' y='%.1f' width='10' height='10' fill='%s'/>\n", x, p->y + 2, colours[i % COLOURS]);
    label(p, x + 14, p->y + 11, "", names[i]);
    x += 32 + 7.0 * (double)strlen(names[i]);
  }
  widen(p, x);
  p->y += ROW;
}

static void row_name(struct picture *p, const char *name) {
  label(p, LEFT - 8, p->y + 13, "text-anchor='end'", name);
}

void picture_stack(struct picture *p, const char *name, const double *shares, unsigned n) {
  double x = LEFT;
  row_name(p, name);
  for (unsigned i = 0; i < n; i++) {
    if (shares[i] <= 0) continue;
    str_add(&p->body, "<rect x='%.2f' y='%.1f' width='%.2f' height='%d' fill='%s'><title>%.1f %%</title></rect>\n", x,
            p->y + 1, BAR * shares[i], ROW - 2, colours[i % COLOURS], 100 * shares[i]);
    x += BAR * shares[i];
  }
  p->y += ROW;
}

void picture_cells(struct picture *p, const char *name, const double *shade, const char (*text)[24], unsigned n) {
  row_name(p, name);
  for (unsigned i = 0; i < n; i++) {
    double x = LEFT + (double)(i * CELL);
    if (shade[i] >= 0)
      str_add(&p->body, "<rect x='%.1f' y='%.1f' width='%d' height='%d' fill='#2e86c1' fill-opacity='%.3f'/>\n", x,
              p->y + 1, CELL - 2, ROW - 2, shade[i]);
    label(p, x + CELL / 2.0, p->y + 13, "text-anchor='middle'", text[i]);
  }
  widen(p, LEFT + (double)(n * CELL) + 10);
  p->y += ROW;
}

void picture_map(struct picture *p, const char *name, const double *values, unsigned n) {
  double most = 0, cell = (double)MAP / n;
  char about[64];
  for (unsigned i = 0; i < n * n; i++) most = values[i] > most ? values[i] : most;
  snprintf(about, sizeof about, "darkest: %.1f %%", 100 * most);
  row_name(p, name);
  label(p, LEFT + MAP + 10, p->y + 13, "fill='#555'", about);
  for (unsigned x = 0; x < n && most > 0; x++)
    for (unsigned y = 0; y < n; y++)
      if (values[x * n + y] > 0)
        str_add(&p->body, "<rect x='%.2f' y='%.2f' width='%.2f' height='%.2f' fill='#1b4f72' fill-opacity='%.3f'/>\n",
                LEFT + x * cell, p->y + MAP - (y + 1) * cell, cell, cell, values[x * n + y] / most);
  str_add(&p->body, "<rect x='%d' y='%.1f' width='%d' height='%d' fill='none' stroke='#999'/>\n", LEFT, p->y, MAP, MAP);
  p->y += MAP + 10;
}

struct axes {
  double x0, x1, y1, top; /* range of x; the largest y (from 0); where the chart begins */
};

static double place_x(const struct axes *a, double x) { return LEFT + (a->x1 > a->x0 ? BAR * (x - a->x0) / (a->x1 - a->x0) : 0); }
static double place_y(const struct axes *a, double y) { return a->top + MAP - MAP * y / a->y1; }

static void put_axes(struct picture *p, const struct axes *a, const double *x, unsigned n) {
  char text[32];
  str_add(&p->body, "<rect x='%d' y='%.1f' width='%d' height='%d' fill='none' stroke='#999'/>\n", LEFT, a->top, BAR, MAP);
  for (int i = 0; i <= 4; i++) {
    double y = a->y1 * i / 4;
    snprintf(text, sizeof text, "%.2f", y);
    label(p, LEFT - 8, place_y(a, y) + 4, "text-anchor='end'", text);
    snprintf(text, sizeof text, "%.6g", x[(n - 1) * (unsigned)i / 4]);
    label(p, place_x(a, x[(n - 1) * (unsigned)i / 4]), a->top + MAP + 14, "text-anchor='middle'", text);
  }
}

void picture_curves(struct picture *p, const double *x, const double *y, unsigned n, unsigned lines) {
  struct axes a = {.x0 = x[0], .x1 = x[0], .y1 = 1, .top = p->y + 8};
  for (unsigned i = 0; i < n; i++) a.x0 = x[i] < a.x0 ? x[i] : a.x0, a.x1 = x[i] > a.x1 ? x[i] : a.x1;
  for (unsigned i = 0; i < n * lines; i++) a.y1 = y[i] > a.y1 ? y[i] : a.y1;
  put_axes(p, &a, x, n);
  for (unsigned k = 0; k < lines; k++) {
    const double *v = y + (size_t)k * n;
    unsigned best = 0;
    str_add(&p->body, "<polyline fill='none' stroke-width='1.5' stroke='%s' points='", colours[k % COLOURS]);
    for (unsigned i = 0; i < n; i++) {
      if (isnan(v[i])) continue;
      str_add(&p->body, "%.1f,%.1f ", place_x(&a, x[i]), place_y(&a, v[i]));
      if (isnan(v[best]) || v[i] > v[best]) best = i;
    }
    str_add(&p->body, "'/>\n");
    if (!isnan(v[best]))
      str_add(&p->body, "<circle cx='%.1f' cy='%.1f' r='4' fill='%s'><title>%g: %.3f</title></circle>\n", place_x(&a, x[best]),
              place_y(&a, v[best]), colours[k % COLOURS], x[best], v[best]);
  }
  p->y += MAP + 30;
}

bool picture_write(struct picture *p, const char *path, const char *heading, struct err *e) {
  FILE *f = output_open(path, e);
  size_t n = strlen(path);
  bool html = n > 5 && !strcmp(path + n - 5, ".html");
  if (f) {
    if (html) fprintf(f, "<!DOCTYPE html><html lang='en'><meta charset='utf-8'><title>%s</title><h1>%s</h1>\n", heading, heading);
    fprintf(f,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%.0f' height='%.0f' font-family='sans-serif' "
            "font-size='11'>\n<rect width='100%%' height='100%%' fill='white'/>\n%s</svg>\n",
            p->width, p->y + 10, p->body.s ? p->body.s : "");
    if (html) fprintf(f, "</html>\n");
  }
  bool ok = f && output_close(f, path, e);
  str_free(&p->body);
  return ok;
}
