// White blood cells: scores and dilation of a frame, and the flow around a number of cells in it. Images are column by column.
#include "common/wl.h"
#include <math.h>
#include <string.h>

WL_PTX(leukocyte);

enum { CIRCLES = 7, POINTS = 150, MARGIN = 22, ELEMENT = 25, DILATERS = 176, FLOWERS = 320 };
enum { HEIGHT = 41, WIDTH = 81, PLACES = HEIGHT * WIDTH, PIXELS_A_CELL = 2500 };
static const float steepness = 1e-10f, least_change = 1e-5f;

struct shape {
  int rows, columns, cells, rounds;
};

struct circles {
  float sine[POINTS], cosine[POINTS];
  int x[CIRCLES * POINTS], y[CIRCLES * POINTS];
};

// A bright frame with cells, which have a dark rim, and noise. The middles of the cells are left in `x` and `y`.
static float *make_frame(struct wl_run *r, const struct shape *s, int cells, float *x, float *y) {
  float *frame = WL_NEW(r, float, s->rows * s->columns);
  for (int k = 0; k < cells; k++) {
    x[k] = wl_uniform(&r->rng, 0.0f, (float)s->columns);
    y[k] = wl_uniform(&r->rng, 0.0f, (float)s->rows);
  }
  for (int i = 0; i < s->rows * s->columns; i++) {
    float px = (float)(i / s->rows), py = (float)(i % s->rows), noise = -1.5f;
    float light = 105.0f + 12.0f * sinf(0.02f * px) + 8.0f * cosf(0.05f * py);
    for (int k = 0; k < cells; k++) {
      float away = sqrtf((px - x[k]) * (px - x[k]) + (py - y[k]) * (py - y[k]));
      if (away < 9.0f)
        light += 25.0f;
      else if (away < 12.0f)
        light += 60.0f * (12.0f - away) / 3.0f;
    }
    for (int k = 0; k < 3; k++) noise += wl_uniform(&r->rng, 0.0f, 1.0f);
    frame[i] = floorf(fminf(fmaxf(light + 8.0f * noise, 0.0f), 255.0f));
  }
  return frame;
}

// Half the difference of the neighbours `step` apart; at the ends of a line of `length` of one neighbour and the place itself.
static float slope(const float *image, int at, int step, int place, int length) {
  if (place == 0) return image[at + step] - image[at];
  if (place == length - 1) return image[at] - image[at - step];
  return 0.5f * (image[at + step] - image[at - step]);
}

static void make_circles(struct circles *c) {
  for (int n = 0; n < POINTS; n++) {
    double angle = 2.0 * 3.14159 * n / POINTS;
    c->sine[n] = (float)sin(angle);
    c->cosine[n] = (float)cos(angle);
    for (int k = 0; k < CIRCLES; k++) {
      c->x[k * POINTS + n] = (int)(cos(angle) * (8 + 2 * k));
      c->y[k * POINTS + n] = (int)(sin(angle) * (8 + 2 * k));
    }
  }
}

static bool inside_element(int i, int j) {
  int y = i - ELEMENT / 2, x = j - ELEMENT / 2;
  return x * x + y * y <= ELEMENT / 2 * (ELEMENT / 2);
}

static void put_constants(struct wl_run *r, const struct circles *c) {
  float element[ELEMENT * ELEMENT];
  for (int i = 0; i < ELEMENT * ELEMENT; i++) element[i] = inside_element(i / ELEMENT, i % ELEMENT) ? 1.0f : 0.0f;
  wl_put_symbol(r, "sines", c->sine, sizeof c->sine);
  wl_put_symbol(r, "cosines", c->cosine, sizeof c->cosine);
  wl_put_symbol(r, "offsets_x", c->x, sizeof c->x);
  wl_put_symbol(r, "offsets_y", c->y, sizeof c->y);
  wl_put_symbol(r, "element", element, sizeof element);
}

static float best_circle(const struct circles *c, const struct shape *s, const float *gx, const float *gy, int i) {
  double best = 0.0;
  for (int k = 0; k < CIRCLES; k++) {
    double sum = 0.0, squares = 0.0;
    for (int n = 0; n < POINTS; n++) {
      int at = i + c->x[k * POINTS + n] * s->rows + c->y[k * POINTS + n];
      double outward = gx[at] * c->cosine[n] + gy[at] * c->sine[n];
      sum += outward;
      squares += outward * outward;
    }
    double mean = sum / POINTS, score = mean * mean / ((squares - mean * sum) / (POINTS - 1));
    if (score > best) best = score;
  }
  return (float)best;
}

static float largest_around(const struct shape *s, const float *scores, int x, int y) {
  float best = 0.0f;
  for (int i = 0; i < ELEMENT; i++)
    for (int j = 0; j < ELEMENT; j++) {
      int py = y - ELEMENT / 2 + i, px = x - ELEMENT / 2 + j;
      if (inside_element(i, j) && px >= 0 && px < s->columns && py >= 0 && py < s->rows) best = fmaxf(best, scores[px * s->rows + py]);
    }
  return best;
}

static bool detect(struct wl_run *r, const struct shape *s, const float *gx, const float *gy) {
  int rows = s->rows, columns = s->columns, pixels = rows * columns, side = ELEMENT;
  struct circles *c = WL_NEW(r, struct circles, 1);
  make_circles(c);
  put_constants(r, c);
  CUdeviceptr d_gx = WL_UP(r, gx, pixels), d_gy = WL_UP(r, gy, pixels), d_scores = WL_ZEROS(r, float, pixels);
  CUtexObject gradient_x = wl_texture(r, d_gx, pixels), gradient_y = wl_texture(r, d_gy, pixels);
  WL_LAUNCH(r, "leuko_gicov", wl_1d(columns - 2 * MARGIN), wl_1d(rows - 2 * MARGIN), 0, &rows, &d_scores, &gradient_x, &gradient_y);
  CUdeviceptr d_dilated = WL_DEV(r, float, pixels);
  CUtexObject scores = wl_texture(r, d_scores, pixels);
  WL_LAUNCH(r, "leuko_dilate", wl_1d(wl_blocks(pixels, DILATERS)), wl_1d(DILATERS), 0, &rows, &columns, &side, &side, &d_dilated, &scores);
  float *score = WL_DOWN(r, float, d_scores, pixels), *want = WL_NEW(r, float, pixels);
  for (int x = MARGIN; x < columns - MARGIN; x++)
    for (int y = MARGIN; y < rows - MARGIN; y++) want[x * rows + y] = best_circle(c, s, gx, gy, x * rows + y);
  if (!wl_near_f32(r, "score", score, want, pixels, 2e-3f, 1e-5f)) return false;
  for (int i = 0; i < pixels; i++) want[i] = largest_around(s, score, i % columns, i / columns);
  return wl_near_f32(r, "dilated", WL_DOWN(r, float, d_dilated, pixels), want, pixels, 0.0f, 0.0f);
}

static double heaviside(double z) { return atan(z) / 3.14159 + 0.5; }

// One round; returns the mean change.
static double flow_round(const float *image, const float *now, float *next) {
  double change = 0.0;
  for (int at = 0; at < PLACES; at++) {
    int i = at / WIDTH, j = at % WIDTH;
    double sum = 0.0;
    for (int di = -1; di <= 1; di++)
      for (int dj = -1; dj <= 1; dj++) {
        int row = i + di < 0 || i + di >= HEIGHT ? i : i + di, column = j + dj < 0 || j + dj >= WIDTH ? j : j + dj;
        float d = now[row * WIDTH + column] - now[at];
        if (di != 0 || dj != 0) sum += heaviside((double)d * (di + dj) / (double)steepness) * d;
      }
    double moved = now[at] + 0.1 * sum;
    next[at] = (float)(moved - 0.2 * image[at] * (moved - image[at]));
    change += fabs((double)(next[at] - now[at]));
  }
  return change / PLACES;
}

// Pieces of the frame around cells: how steep it is there, from 0 to 1.
static float *make_pieces(struct wl_run *r, const struct shape *s, const float *gx, const float *gy, int cells, const float *x,
                          const float *y) {
  float *pieces = WL_NEW(r, float, s->cells *PLACES);
  for (int k = 0; k < s->cells; k++) {
    float *piece = pieces + k * PLACES, low = INFINITY, high = 0.0f;
    int x0 = (int)x[k % cells] - HEIGHT / 2 + (int)wl_below(&r->rng, 5) - 2,
        y0 = (int)y[k % cells] - WIDTH / 2 + (int)wl_below(&r->rng, 5) - 2;
    for (int i = 0; i < PLACES; i++) {
      int px = x0 + i / WIDTH, py = y0 + i % WIDTH;
      px = px < 0 ? 0 : px >= s->columns ? s->columns - 1 : px;
      py = py < 0 ? 0 : py >= s->rows ? s->rows - 1 : py;
      float steep_x = gx[px * s->rows + py] / 255.0f, steep_y = gy[px * s->rows + py] / 255.0f;
      piece[i] = sqrtf(steep_x * steep_x + steep_y * steep_y);
      low = fminf(low, piece[i]);
      high = fmaxf(high, piece[i]);
    }
    for (int i = 0; i < PLACES; i++) piece[i] = (piece[i] - low) / (high - low);
  }
  return pieces;
}

static bool track(struct wl_run *r, const struct shape *s, float *pieces) {
  int count = s->cells * PLACES, rounds = s->rounds;
  float v = 1.0f, *want = WL_NEW(r, float, count), *next = WL_NEW(r, float, PLACES);
  CUdeviceptr d_images = WL_UP(r, pieces, count), d_matrices = WL_UP(r, pieces, count);
  CUdeviceptr *images = WL_NEW(r, CUdeviceptr, s->cells), *matrices = WL_NEW(r, CUdeviceptr, s->cells);
  int *rows = WL_NEW(r, int, s->cells), *columns = WL_NEW(r, int, s->cells);
  for (int k = 0; k < s->cells; k++) {
    images[k] = d_images + (size_t)k * PLACES * sizeof(float);
    matrices[k] = d_matrices + (size_t)k * PLACES * sizeof(float);
    rows[k] = HEIGHT;
    columns[k] = WIDTH;
  }
  CUdeviceptr all_matrices = WL_UP(r, matrices, s->cells), all_images = WL_UP(r, images, s->cells);
  CUdeviceptr all_rows = WL_UP(r, rows, s->cells), all_columns = WL_UP(r, columns, s->cells);
  WL_LAUNCH(r, "leuko_flow", wl_1d(s->cells), wl_1d(FLOWERS), 0, &all_matrices, &all_images, &all_rows, &all_columns, &v, &v,
            (void *)&steepness, &rounds, (void *)&least_change);
  memcpy(want, pieces, (size_t)count * sizeof(float));
  for (int k = 0; k < s->cells; k++) {
    double change = 1.0;
    for (int i = 0; i < rounds && change >= (double)least_change; i++) {
      change = flow_round(pieces + k * PLACES, want + k * PLACES, next);
      memcpy(want + k * PLACES, next, PLACES * sizeof(float));
    }
  }
  return wl_near_f32(r, "flow", WL_DOWN(r, float, d_matrices, count), want, count, 1e-3f, 1e-4f);
}

static bool run(struct wl_run *r) {
  static const struct shape shapes[WL_SIZES] = {{46, 45, 1, 1}, {219, 76, 15, 2}, {219, 256, 36, 8}};
  struct shape s = shapes[r->size];
  int pixels = s.rows * s.columns, cells = 1 + pixels / PIXELS_A_CELL;
  float *x = WL_NEW(r, float, cells), *y = WL_NEW(r, float, cells), *frame = make_frame(r, &s, cells, x, y);
  float *gx = WL_NEW(r, float, pixels), *gy = WL_NEW(r, float, pixels);
  for (int i = 0; i < pixels; i++) {
    gx[i] = slope(frame, i, s.rows, i / s.rows, s.columns);
    gy[i] = slope(frame, i, 1, i % s.rows, s.rows);
  }
  return detect(r, &s, gx, gy) && track(r, &s, make_pieces(r, &s, gx, gy, cells, x, y));
}

const struct workload wl_leukocyte = {
    .name = "leukocyte",
    .suite = "Rodinia",
    .pattern = "texture fetches on circles and discs around each pixel, then a stencil in shared memory",
    .sizes = {"46 x 45 pixels, 1 cell, 1 round", "219 x 76 pixels, 15 cells, 2 rounds", "219 x 256 pixels, 36 cells, 8 rounds"},
    .ptx = wl_ptx_leukocyte,
    .run = run,
};
