// White blood cells: scores and dilation of a frame, and the flow around a number of places in it.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>
#include <string.h>

WL_PTX(leukocyte);

enum { MOST_CIRCLES = 7, MOST_POINTS = 150, HEIGHT = 41, WIDTH = 81, CELLS = HEIGHT * WIDTH, THREADS = 320 };

struct shape {
  int columns, rows, circles, points, radius, cells, iterations;
};

struct circles {
  float sine[MOST_POINTS], cosine[MOST_POINTS];
  int x[MOST_CIRCLES * MOST_POINTS], y[MOST_CIRCLES * MOST_POINTS];
};

static int margin_of(const struct shape *s) { return 3 + s->circles * 2; }

static void make_circles(struct circles *c, const struct shape *s) {
  for (int p = 0; p < s->points; p++) {
    float angle = 6.2831853f * (float)p / (float)s->points;
    c->sine[p] = sinf(angle);
    c->cosine[p] = cosf(angle);
    for (int k = 0; k < s->circles; k++) {
      float radius = 4.0f + 2.0f * (float)k;
      c->x[k * s->points + p] = (int)(radius * c->cosine[p]);
      c->y[k * s->points + p] = (int)(radius * c->sine[p]);
    }
  }
}

static float best_circle(const struct circles *c, const struct shape *s, const float *gx, const float *gy,
                         int i) {
  float best = 0.0f;
  for (int k = 0; k < s->circles; k++) {
    float sum = 0.0f, squares = 0.0f;
    for (int p = 0; p < s->points; p++) {
      int at = i + c->y[k * s->points + p] * s->columns + c->x[k * s->points + p];
      float outward = gx[at] * c->cosine[p] + gy[at] * c->sine[p];
      sum += outward;
      squares += outward * outward;
    }
    float mean = sum / (float)s->points, variance = (squares - mean * sum) / (float)(s->points - 1);
    best = fmaxf(best, mean * mean / variance);
  }
  return best;
}

static float largest_around(const struct shape *s, const float *score, int x, int y) {
  float best = 0.0f;
  for (int dy = -s->radius; dy <= s->radius; dy++)
    for (int dx = -s->radius; dx <= s->radius; dx++) {
      int px = x + dx, py = y + dy;
      if (dx * dx + dy * dy > s->radius * s->radius) continue;
      if (px >= 0 && px < s->columns && py >= 0 && py < s->rows)
        best = fmaxf(best, score[py * s->columns + px]);
    }
  return best;
}

static bool detect(struct wl_run *r, const struct shape *s, const float *gx, const float *gy) {
  int columns = s->columns, rows = s->rows, pixels = columns * rows, margin = margin_of(s);
  int circles = s->circles, points = s->points, radius = s->radius;
  struct circles *c = WL_NEW(r, struct circles, 1);
  make_circles(c, s);
  wl_put_symbol(r, "sine", c->sine, sizeof c->sine);
  wl_put_symbol(r, "cosine", c->cosine, sizeof c->cosine);
  wl_put_symbol(r, "offset_x", c->x, sizeof c->x);
  wl_put_symbol(r, "offset_y", c->y, sizeof c->y);
  CUdeviceptr d_gx = WL_UP(r, gx, pixels), d_gy = WL_UP(r, gy, pixels);
  CUtexObject gradient_x = wl_texture(r, d_gx, pixels), gradient_y = wl_texture(r, d_gy, pixels);
  CUdeviceptr d_score = WL_ZEROS(r, float, pixels), d_dilated = WL_DEV(r, float, pixels);
  CUtexObject scores = wl_texture(r, d_score, pixels);
  WL_LAUNCH(r, "leuko_gicov", wl_1d(rows - 2 * margin), wl_1d(columns - 2 * margin), 0, &gradient_x,
            &gradient_y, &d_score, &columns, &margin, &circles, &points);
  WL_LAUNCH(r, "leuko_dilate", wl_1d(wl_blocks(pixels, 176)), wl_1d(176), 0, &scores, &d_dilated, &columns,
            &rows, &radius);
  float *score = WL_DOWN(r, float, d_score, pixels), *want = WL_NEW(r, float, pixels);
  for (int y = margin; y < rows - margin; y++)
    for (int x = margin; x < columns - margin; x++)
      want[y * columns + x] = best_circle(c, s, gx, gy, y * columns + x);
  if (!wl_near_f32(r, "score", score, want, pixels, 2e-3f, 1e-5f)) return false;
  for (int i = 0; i < pixels; i++) want[i] = largest_around(s, score, i % columns, i / columns);
  return wl_near_f32(r, "dilated", WL_DOWN(r, float, d_dilated, pixels), want, pixels, 0.0f, 0.0f);
}

static float step(float x) { return 0.5f + 0.318309886f * atanf(10.0f * x); }

static void flow_round(const float *image, const float *now, float *next, float vx, float vy) {
  for (int i = 0; i < CELLS; i++) {
    int x = i % WIDTH, y = i / WIDTH;
    float sum = 0.0f;
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++) {
        int px = x + dx < 0 || x + dx >= WIDTH ? x : x + dx, py = y + dy < 0 || y + dy >= HEIGHT ? y : y + dy;
        if (dx == 0 && dy == 0) continue;
        float d = now[py * WIDTH + px] - now[i];
        sum += step(d * ((float)dx * vx + (float)dy * vy)) * d;
      }
    float moved = now[i] + 0.1f * sum;
    next[i] = moved - 0.2f * image[i] * (moved - image[i]);
  }
}

static bool track(struct wl_run *r, const struct shape *s, const float *strength) {
  int count = s->cells * CELLS, iterations = s->iterations;
  float vx = 0.8f, vy = 0.6f, *image = WL_NEW(r, float, count), *want = WL_NEW(r, float, count);
  float *next = WL_NEW(r, float, CELLS);
  for (int c = 0; c < s->cells; c++) {
    int x0 = (int)wl_below(&r->rng, (uint32_t)(s->columns - WIDTH)),
        y0 = (int)wl_below(&r->rng, (uint32_t)(s->rows - HEIGHT));
    for (int i = 0; i < CELLS; i++)
      image[c * CELLS + i] = strength[(y0 + i / WIDTH) * s->columns + x0 + i % WIDTH];
  }
  CUdeviceptr d_image = WL_UP(r, image, count), d_flow = WL_DEV(r, float, count);
  WL_LAUNCH(r, "leuko_flow", wl_1d(s->cells), wl_1d(THREADS), 0, &d_image, &d_flow, &vx, &vy, &iterations);
  memcpy(want, image, (size_t)count * sizeof(float));
  for (int c = 0; c < s->cells; c++)
    for (int i = 0; i < iterations; i++) {
      flow_round(image + c * CELLS, want + c * CELLS, next, vx, vy);
      memcpy(want + c * CELLS, next, CELLS * sizeof(float));
    }
  return wl_near_f32(r, "flow", WL_DOWN(r, float, d_flow, count), want, count, 1e-3f, 1e-4f);
}

static bool run(struct wl_run *r) {
  static const struct shape shapes[WL_SIZES] = {
      {96, 64, 3, 20, 3, 2, 1}, {160, 128, 5, 60, 8, 16, 4}, {640, 219, 7, 150, 12, 36, 20}};
  struct shape s = shapes[r->size];
  int pixels = s.columns * s.rows;
  float *image = wl_image(r, s.columns, s.rows), *gx = WL_NEW(r, float, pixels),
        *gy = WL_NEW(r, float, pixels);
  float *strength = WL_NEW(r, float, pixels);
  for (int y = 1; y < s.rows - 1; y++)
    for (int x = 1; x < s.columns - 1; x++) {
      int i = y * s.columns + x;
      gx[i] = 0.5f * (image[i + 1] - image[i - 1]);
      gy[i] = 0.5f * (image[i + s.columns] - image[i - s.columns]);
      strength[i] = sqrtf(gx[i] * gx[i] + gy[i] * gy[i]);
    }
  return detect(r, &s, gx, gy) && track(r, &s, strength);
}

const struct workload wl_leukocyte = {
    .name = "leukocyte",
    .suite = "Rodinia",
    .pattern = "texture gathers on circles at constant offsets, a dilation, and long work in shared memory",
    .sizes = {"96 x 64 pixels, 2 cells", "160 x 128 pixels, 16 cells", "640 x 219 pixels, 36 cells"},
    .ptx = wl_ptx_leukocyte,
    .run = run,
};
