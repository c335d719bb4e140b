/* See picture.h. */
#include "cli/show/picture.h"

#include "base/output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEFT = 130, BAR = 520, ROW = 18, CELL = 62, MAP = 240, GAP = 26 };

/* Told apart on a light and on a dark ground. */
static const char *const colours[] = {"#2a6f97", "#2e86c1", "#85c1e9", "#b5d5ea", "#f5b041", "#ca6f1e",
                                      "#b03a2e", "#148f77", "#45b39d", "#a3e4d7", "#8e44ad", "#bb8fce",
                                      "#7b8788", "#99a3a4", "#c5cacc", "#b7950b", "#f7dc6f"};
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
  label(p, 10, p->y, "class='faint'", about);
  p->y += 8;
  widen(p, LEFT + BAR + 30);
}

void picture_legend(struct picture *p, const char *const *names, unsigned n) {
  double x = LEFT;
  for (unsigned i = 0; i < n; i++) {
    double wide = 32 + 7.0 * (double)strlen(names[i]);
    if (x > LEFT && x + wide > LEFT + BAR + 30) { /* a line is full */
      x = LEFT;
      p->y += ROW;
    }
    str_add(&p->body, "<rect x='%.1f' y='%.1f' width='10' height='10' fill='%s'/>\n", x, p->y + 2, colours[i % COLOURS]);
    label(p, x + 14, p->y + 11, "", names[i]);
    x += wide;
    widen(p, x);
  }
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

void picture_bars(struct picture *p, const char *name, const double *values, const char (*text)[24], unsigned n, double most) {
  row_name(p, name);
  for (unsigned i = 0; i < n; i++, p->y += ROW - 4) {
    double wide = values[i] > 0 && most > 0 ? BAR * values[i] / most : 0;
    str_add(&p->body, "<rect x='%d' y='%.1f' width='%.2f' height='%d' fill='%s'/>\n", LEFT, p->y + 2, wide, ROW - 6, colours[i % COLOURS]);
    label(p, LEFT + wide + 5, p->y + 12, "", text[i]);
  }
  widen(p, LEFT + BAR + 80);
  p->y += 8;
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
  label(p, LEFT + MAP + 10, p->y + 13, "class='faint'", about);
  for (unsigned x = 0; x < n && most > 0; x++)
    for (unsigned y = 0; y < n; y++)
      if (values[x * n + y] > 0)
        str_add(&p->body, "<rect x='%.2f' y='%.2f' width='%.2f' height='%.2f' fill='#2e86c1' fill-opacity='%.3f'/>\n",
                LEFT + x * cell, p->y + MAP - (y + 1) * cell, cell, cell, values[x * n + y] / most);
  str_add(&p->body, "<rect x='%d' y='%.1f' width='%d' height='%d' class='frame'/>\n", LEFT, p->y, MAP, MAP);
  p->y += MAP + 10;
}

struct axes {
  double x0, x1, y0, y1, top; /* ranges of x and y; where the chart begins */
};

static double place_x(const struct axes *a, double x) { return LEFT + (a->x1 > a->x0 ? BAR * (x - a->x0) / (a->x1 - a->x0) : 0); }
static double place_y(const struct axes *a, double y) { return a->top + MAP - MAP * (y - a->y0) / (a->y1 - a->y0); }

/* 1, 2 or 5 times a power of ten, so that there are four to nine of them up to `range`. */
static double tick_of(double range) {
  double ten = pow(10, floor(log10(range / 4)));
  return range / 4 >= 5 * ten ? 5 * ten : range / 4 >= 2 * ten ? 2 * ten : ten;
}

/* 12000 as 12k, so that the numbers below an axis do not meet. */
static const char *short_number(double v, char text[32]) {
  if (fabs(v) >= 1e6) snprintf(text, 32, "%.6gM", v / 1e6);
  else if (fabs(v) >= 1e4) snprintf(text, 32, "%.6gk", v / 1e3);
  else snprintf(text, 32, "%.6g", v);
  return text;
}

static void put_axes(struct picture *p, const struct axes *a) {
  char text[32];
  str_add(&p->body, "<rect x='%d' y='%.1f' width='%d' height='%d' class='frame'/>\n", LEFT, a->top, BAR, MAP);
  double step = tick_of(a->y1 - a->y0);
  for (double y = ceil(a->y0 / step) * step; y <= a->y1 * 1.0001; y += step) {
    str_add(&p->body, "<line x1='%d' x2='%d' y1='%.1f' y2='%.1f' class='grid'/>\n", LEFT, LEFT + BAR, place_y(a, y), place_y(a, y));
    label(p, LEFT - 8, place_y(a, y) + 4, "text-anchor='end'", short_number(y, text));
  }
  step = a->x1 > a->x0 ? tick_of(a->x1 - a->x0) : 1;
  for (double x = ceil(a->x0 / step) * step; x <= a->x1 + 1e-6 * step; x += step)
    label(p, place_x(a, x), a->top + MAP + 14, "text-anchor='middle'", short_number(fabs(x) < 1e-9 * step ? 0 : x, text));
}

void picture_curves(struct picture *p, const double *x, const double *y, unsigned n, unsigned lines) {
  struct axes a = {.x0 = x[0], .x1 = x[0], .y1 = 1, .top = p->y + 8};
  for (unsigned i = 0; i < n; i++) a.x0 = x[i] < a.x0 ? x[i] : a.x0, a.x1 = x[i] > a.x1 ? x[i] : a.x1;
  for (unsigned i = 0; i < n * lines; i++) a.y1 = y[i] > a.y1 ? y[i] : a.y1;
  put_axes(p, &a);
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

/* A range around values, a twentieth wider to each side. */
static void make_room(double *from, double *to) {
  double room = (*to - *from) / 20;
  if (room <= 0) room = fabs(*to) / 20 + 1e-6;
  *from -= room;
  *to += room;
}

static void put_point(struct picture *p, const struct axes *a, const struct picture_point *at, unsigned number) {
  double x = place_x(a, at->x), y = place_y(a, at->y);
  char text[16];
  str_add(&p->body, "<circle cx='%.1f' cy='%.1f' r='4' fill='%s'><title>", x, y, colours[number ? 6 : 2]);
  put_text(&p->body, at->name);
  str_add(&p->body, "</title></circle>\n");
  if (!number) return;
  snprintf(text, sizeof text, "%u", number);
  label(p, x + 6, y - 5, "font-weight='bold'", text);
}

void picture_points(struct picture *p, const struct picture_point *points, unsigned n) {
  struct axes a = {INFINITY, -INFINITY, INFINITY, -INFINITY, p->y + 8};
  for (unsigned i = 0; i < n; i++) {
    a.x0 = fmin(a.x0, points[i].x), a.x1 = fmax(a.x1, points[i].x);
    a.y0 = fmin(a.y0, points[i].y), a.y1 = fmax(a.y1, points[i].y);
  }
  if (!n) return;
  make_room(&a.x0, &a.x1);
  make_room(&a.y0, &a.y1);
  put_axes(p, &a);
  p->y += MAP + 30;
  for (unsigned i = 0; i < n; i++)
    if (!points[i].marked) put_point(p, &a, &points[i], 0);
  for (unsigned i = 0, marked = 0; i < n; i++) {
    char text[160];
    if (!points[i].marked) continue;
    put_point(p, &a, &points[i], ++marked);
    snprintf(text, sizeof text, "%u  %s", marked, points[i].name);
    p->y += ROW;
    label(p, LEFT, p->y - 6, "", text);
  }
}

/* One style for both grounds; a page gives the picture all the width that there is. */
static const char style[] = "<style>svg{background:#fff;color:#1c2833}text{fill:currentColor}.faint{fill:#5d6d7e}"
                            ".frame{fill:none;stroke:#99a3a4}.grid{stroke:#99a3a4;stroke-opacity:.3}"
                            "@media(prefers-color-scheme:dark){svg{background:#14181c;color:#e5e8e8}.faint{fill:#aab7b8}}</style>";
static const char page_style[] = "<meta name='viewport' content='width=device-width,initial-scale=1'><style>:root{color-scheme:light dark}"
                                 "body{font:15px system-ui,sans-serif;margin:1.5rem auto;max-width:70rem;padding:0 1rem;background:#fff;"
                                 "color:#1c2833}h1{font-size:1.3rem}svg{max-width:100%;height:auto}"
                                 "@media(prefers-color-scheme:dark){body{background:#14181c;color:#e5e8e8}}</style>";

bool picture_write(struct picture *p, const char *path, const char *heading, struct err *e) {
  FILE *f = output_open(path, e);
  size_t n = strlen(path);
  bool html = n > 5 && !strcmp(path + n - 5, ".html");
  if (f) {
    if (html)
      fprintf(f, "<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>%s</title>%s</head><body><h1>%s</h1>\n", heading,
              page_style, heading);
    fprintf(f, "<svg xmlns='http://www.w3.org/2000/svg' width='%.0f' height='%.0f' viewBox='0 0 %.0f %.0f' font-family='sans-serif' "
               "font-size='11'>%s\n%s</svg>\n",
            p->width, p->y + 10, p->width, p->y + 10, style, p->body.s ? p->body.s : "");
    if (html) fprintf(f, "</body></html>\n");
  }
  bool ok = f && output_close(f, path, e);
  str_free(&p->body);
  return ok;
}
