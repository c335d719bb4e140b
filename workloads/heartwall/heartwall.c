// Heart wall tracking. The reference computes the correlation of a template with the frame directly; since
// two offsets can be equally good, the device's choice must be as good as the best to rounding, and is then
// kept.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

WL_PTX(heartwall);

enum { THREADS = 256 };

// The kernel's one argument.
struct track {
  int template_side, window_side, columns, rows;
  CUdeviceptr frame, x, y, templates, padded, padded_squares, sums, sums_squares, box, box_squares,
      correlation;
};

struct shape {
  int points, template_side, window_side, side, frames;
};

// Normalised correlation of a template with the frame at a place; outside of the frame there is nothing.
static float correlate(const float *frame, int side, const float *template, int ts, int x0, int y0) {
  double st = 0.0, stt = 0.0, sf = 0.0, sff = 0.0, stf = 0.0, n = (double)(ts * ts);
  for (int i = 0; i < ts * ts; i++) {
    int x = x0 + i % ts, y = y0 + i / ts;
    double t = (double)template[i];
    double f = x >= 0 && y >= 0 && x < side && y < side ? (double)frame[y * side + x] : 0.0;
    st += t;
    stt += t * t;
    sf += f;
    sff += f * f;
    stf += t * f;
  }
  double variance = sff - sf * sf / n;
  return (float)((stf - st * sf / n) / (sqrt(variance > 1e-6 ? variance : 1e-6) * sqrt(stt - st * st / n)));
}

static bool check_point(struct wl_run *r, const struct shape *s, const float *frame, const float *template,
                        int point, int old_x, int old_y, int x, int y) {
  int ts = s->template_side, reach = (s->window_side - ts) / 2;
  float best = -2.0f;
  for (int dy = -reach; dy <= reach; dy++)
    for (int dx = -reach; dx <= reach; dx++)
      best = fmaxf(best, correlate(frame, s->side, template, ts, old_x + dx, old_y + dy));
  bool near = abs(x - old_x) <= reach && abs(y - old_y) <= reach;
  float chosen = near ? correlate(frame, s->side, template, ts, x, y) : -2.0f;
  if (chosen >= best - 1e-3f) return true;
  return wl_mismatch(r, "point %d went to (%d, %d) with correlation %g; the best is %g", point, x, y,
                     (double)chosen, (double)best);
}

// The next frame: the picture moved by a pixel or two, with fresh noise.
static void move_frame(struct wl_run *r, const float *picture, float *frame, int side, int dx, int dy) {
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++) {
      int px = (x - dx + side) % side, py = (y - dy + side) % side;
      frame[y * side + x] = picture[py * side + px] + wl_uniform(&r->rng, -0.02f, 0.02f);
    }
}

static float *cut_templates(struct wl_run *r, const struct shape *s, const float *frame, int *x, int *y) {
  int ts = s->template_side;
  float *templates = WL_NEW(r, float, s->points *ts *ts);
  for (int p = 0; p < s->points; p++) {
    x[p] = (int)wl_below(&r->rng, (uint32_t)(s->side - ts));
    y[p] = (int)wl_below(&r->rng, (uint32_t)(s->side - ts));
    for (int i = 0; i < ts * ts; i++)
      templates[p * ts * ts + i] = frame[(y[p] + i / ts) * s->side + x[p] + i % ts];
  }
  return templates;
}

static bool run(struct wl_run *r) {
  static const struct shape shapes[WL_SIZES] = {
      {8, 9, 19, 96, 1}, {10, 21, 41, 256, 1}, {51, 25, 51, 512, 1}};
  struct shape s = shapes[r->size];
  int ts = s.template_side, cells = ts * ts, pixels = s.side * s.side, n = s.points;
  int ps = s.window_side + 2 * (ts - 1), cs = s.window_side + ts - 1;
  int *x = WL_NEW(r, int, n), *y = WL_NEW(r, int, n);
  float *picture = wl_image(r, s.side, s.side), *frame = WL_NEW(r, float, pixels);
  float *templates = cut_templates(r, &s, picture, x, y);
  struct track k = {ts, s.window_side, s.side, s.side, .frame = WL_DEV(r, float, pixels)};
  k.x = WL_UP(r, x, n);
  k.y = WL_UP(r, y, n);
  k.templates = WL_UP(r, templates, n * cells);
  k.padded = WL_DEV(r, float, n *ps *ps);
  k.padded_squares = WL_DEV(r, float, n *ps *ps);
  k.sums = WL_DEV(r, float, n *ps *ps);
  k.sums_squares = WL_DEV(r, float, n *ps *ps);
  k.box = WL_DEV(r, float, n *cs *cs);
  k.box_squares = WL_DEV(r, float, n *cs *cs);
  k.correlation = WL_DEV(r, float, n *cs *cs);
  for (int f = 1; f <= s.frames; f++) {
    move_frame(r, picture, frame, s.side, f, 2 * f);
    WL_PUT(r, k.frame, frame, pixels);
    WL_LAUNCH(r, "heartwall_track", wl_1d(n), wl_1d(THREADS), 0, &k);
    int *new_x = WL_DOWN(r, int, k.x, n), *new_y = WL_DOWN(r, int, k.y, n);
    for (int p = 0; p < n; p++)
      if (!check_point(r, &s, frame, templates + p * cells, p, x[p], y[p], new_x[p], new_y[p])) return false;
    memcpy(x, new_x, (size_t)n * sizeof *x);
    memcpy(y, new_y, (size_t)n * sizeof *y);
    for (int i = 0; i < n * cells; i++) {
      int px = x[i / cells] + i % cells % ts, py = y[i / cells] + i % cells / ts;
      if (px >= 0 && py >= 0 && px < s.side && py < s.side)
        templates[i] = 0.8f * templates[i] + 0.2f * frame[py * s.side + px];
    }
    if (!wl_near_f32(r, "template", WL_DOWN(r, float, k.templates, n *cells), templates, n * cells, 1e-5f,
                     1e-6f))
      return false;
  }
  return true;
}

const struct workload wl_heartwall = {
    .name = "heartwall",
    .suite = "Rodinia",
    .pattern = "a block a point with scratch of its own in global memory: correlation, then sums by column "
               "and by row",
    .sizes = {"8 points, templates of 9 x 9", "10 points, templates of 21 x 21",
              "51 points, templates of 25 x 25"},
    .ptx = wl_ptx_heartwall,
    .run = run,
};
