// Heart wall tracking in a made ultrasound video. The host keeps the suite's many arrays a point and copies a frame a launch; its own
// tracking follows the kernel step by step, in its order, and the device's masked correlations and traces are compared with it.
#include "common/wl.h"
#include <math.h>
#include <string.h>

WL_PTX(heartwall);

enum { THREADS = 256, MOST_POINTS = 51, TRACE = 104, SPREAD = 10, FRAME_ROWS = 656, FRAME_COLUMNS = 744, KINDS = 12 };

// The kernel's constants.
struct sizes {
  int frame_rows;
  int half, template_rows, template_elements;
  int reach, window_rows, window_elements;
  int correlation_rows, correlation_elements;
  int padded_rows, padded_columns, padded_elements;
  int strip_rows, strip_columns, strip_elements;
};

enum { WINDOW, CORRELATION, PADDED, STRIP, DIFFERENCE, PART, SUMS, SQUARES, SQUARE_SUMS, TEMPLATE_SQUARES, MASK, MASKED };

struct point {
  CUdeviceptr row, column, trace_row, trace_column, templates, own[KINDS];
  int number, template_at;
};

struct frame {
  CUdeviceptr pixels;
  int number;
};

// Points on an ellipse.
struct wall {
  int points, row, column, high, wide;
};

struct shape {
  int half, reach, frames;
  struct wall walls[2]; // inner, outer
};

static struct sizes make_sizes(const struct shape *s) {
  struct sizes z = {.frame_rows = FRAME_ROWS, .half = s->half, .reach = s->reach};
  z.template_rows = 2 * s->half + 1;
  z.template_elements = z.template_rows * z.template_rows;
  z.window_rows = 2 * s->reach + 1;
  z.window_elements = z.window_rows * z.window_rows;
  z.correlation_rows = z.strip_rows = z.template_rows + z.window_rows - 1;
  z.correlation_elements = z.correlation_rows * z.correlation_rows;
  z.padded_rows = z.padded_columns = z.strip_columns = z.window_rows + 2 * z.template_rows;
  z.padded_elements = z.padded_rows * z.padded_columns;
  z.strip_elements = z.strip_rows * z.strip_columns;
  return z;
}

static int elements_of(const struct sizes *z, int kind) {
  switch (kind) {
  case WINDOW:
  case SQUARES: return z->window_elements;
  case PADDED: return z->padded_elements;
  case STRIP:
  case DIFFERENCE: return z->strip_elements;
  case TEMPLATE_SQUARES: return z->template_elements;
  default: return z->correlation_elements;
  }
}

// Speckle for a frame and the rows that it moves by.
static float *make_speckle(struct wl_run *r, int rows) {
  float *noise = WL_NEW(r, float, rows *FRAME_COLUMNS), *speckle = WL_NEW(r, float, rows *FRAME_COLUMNS);
  for (int i = 0; i < rows * FRAME_COLUMNS; i++) noise[i] = -logf(wl_uniform(&r->rng, 1e-7f, 1.0f));
  for (int x = 0; x < FRAME_COLUMNS; x++)
    for (int y = 0; y < rows; y++) {
      float sum = 0.0f;
      for (int dx = -1; dx <= 1; dx++)
        for (int dy = -2; dy <= 2; dy++) sum += noise[(x + dx + FRAME_COLUMNS) % FRAME_COLUMNS * rows + (y + dy + rows) % rows];
      speckle[x * rows + y] = sum / 15.0f;
    }
  return speckle;
}

// A dark chamber in a bright wall that grows and shrinks, as ultrasound shows it: whole numbers from 0 to 255.
static void make_frame(float *pixels, const float *speckle, int rows, int number) {
  float grown = 1.0f + 0.02f * sinf(0.3f * (float)number);
  for (int x = 0; x < FRAME_COLUMNS; x++)
    for (int y = 0; y < FRAME_ROWS; y++) {
      float dx = ((float)x - 310.0f) / (150.0f * grown), dy = ((float)y - 390.0f) / (145.0f * grown), d = sqrtf(dx * dx + dy * dy);
      float light = d < 0.62f ? 18.0f : d < 1.0f ? 110.0f : d < 1.25f ? 55.0f : d < 2.2f ? 25.0f : 0.0f;
      float q = speckle[x * rows + y + number / 3];
      pixels[x * FRAME_ROWS + y] = floorf(fminf(light * q * q, 255.0f));
    }
}

// ---- the host's own tracking of one point ----

// Running sums down the columns and along the rows of a matrix with nothing around it; then what lies between two places.
static void box_sums(const struct sizes *z, const float *from, float *padded, float *sums) {
  int rows = z->padded_rows, margin = z->template_rows, side = z->correlation_rows;
  memset(padded, 0, (size_t)z->padded_elements * sizeof *padded);
  for (int e = 0; e < z->window_elements; e++) padded[(e / z->window_rows + margin) * rows + e % z->window_rows + margin] = from[e];
  for (int c = 0; c < rows; c++)
    for (int i = 1; i < rows; i++) padded[c * rows + i] += padded[c * rows + i - 1];
  for (int c = 0; c < rows; c++)
    for (int i = 0; i < side; i++) padded[c * rows + i] = padded[c * rows + i + margin] - padded[c * rows + i];
  for (int c = 1; c < rows; c++)
    for (int i = 0; i < side; i++) padded[c * rows + i] += padded[(c - 1) * rows + i];
  for (int c = 0; c < side; c++)
    for (int i = 0; i < side; i++) sums[c * side + i] = padded[(c + margin) * rows + i] - padded[c * rows + i];
}

static float overlap(const struct sizes *z, const float *template, const float *window, int i, int j) {
  int t = z->template_rows, w = z->window_rows;
  float sum = 0.0f;
  for (int a = j < w ? 0 : j - w + 1; a < t && a <= j; a++)
    for (int b = i < w ? 0 : i - w + 1; b < t && b <= i; b++)
      sum = fmaf(template[(t - 1 - a) * t + t - 1 - b], window[w * (j - a) + i - b], sum);
  return sum;
}

struct scratch {
  float *window, *squares, *padded, *sums, *square_sums;
};

// The masked correlation around (row, column) of the last frame, counted from the middle; the place of the best match.
static int track_point(const struct sizes *z, const float *template, const struct scratch *s, int row, int column, float *masked) {
  int side = z->correlation_rows, middle = z->reach + z->half, best = 0, n = z->template_elements;
  float sum = 0.0f, square_sum = 0.0f, largest = 0.0f;
  for (int e = 0; e < z->window_elements; e++) s->squares[e] = s->window[e] * s->window[e];
  box_sums(z, s->window, s->padded, s->sums);
  box_sums(z, s->squares, s->padded, s->square_sums);
  for (int e = 0; e < n; e++) sum += template[e], square_sum += template[e] * template[e];
  float mean = sum / (float)n, denominator = sqrtf((float)(n - 1)) * sqrtf(square_sum / (float)n - mean * mean);
  for (int e = 0; e < z->correlation_elements; e++) {
    int i = e % side, j = e / side;
    bool near = i >= middle + row - SPREAD / 2 && i < middle + row + SPREAD / 2 && j >= middle + column - SPREAD / 2 &&
                j < middle + column + SPREAD / 2;
    masked[e] = 0.0f;
    if (!near) continue;
    float spread = fmaxf(s->square_sums[e] - s->sums[e] * s->sums[e] / (float)n, 0.0f);
    masked[e] = (overlap(z, template, s->window, i, j) - s->sums[e] * sum / (float)n) / (sqrtf(spread) * denominator);
    if (fabsf(masked[e]) > largest) largest = fabsf(masked[e]), best = e;
  }
  return best;
}

// ---- the run ----

struct tracking {
  struct sizes z;
  int points, walls[MOST_POINTS];
  struct point point[MOST_POINTS];
  int row[2][MOST_POINTS], column[2][MOST_POINTS]; // by wall and number
  CUdeviceptr trace_row[2], trace_column[2], templates[2];
};

static void set_up(struct wl_run *r, struct tracking *t, const struct shape *s) {
  t->z = make_sizes(s);
  for (int w = 0; w < 2; w++) {
    const struct wall *wall = &s->walls[w];
    for (int k = 0; k < wall->points; k++) {
      double angle = 2.0 * M_PI * k / wall->points;
      t->row[w][k] = (int)lround(wall->row - wall->high * sin(angle));
      t->column[w][k] = (int)lround(wall->column + wall->wide * cos(angle));
    }
    CUdeviceptr row = WL_UP(r, t->row[w], wall->points), column = WL_UP(r, t->column[w], wall->points);
    t->trace_row[w] = WL_ZEROS(r, int, wall->points *TRACE);
    t->trace_column[w] = WL_ZEROS(r, int, wall->points *TRACE);
    t->templates[w] = WL_DEV(r, float, wall->points * t->z.template_elements);
    for (int k = 0; k < wall->points; k++) {
      t->walls[t->points] = w;
      t->point[t->points++] =
          (struct point){row, column, t->trace_row[w], t->trace_column[w], t->templates[w], {0}, k, k * t->z.template_elements};
    }
  }
  for (int kind = 0; kind < KINDS; kind++)
    for (int p = 0; p < t->points; p++) t->point[p].own[kind] = WL_DEV(r, float, elements_of(&t->z, kind));
  wl_put_symbol(r, "sizes", &t->z, sizeof t->z);
  wl_put_symbol(r, "points", t->point, (size_t)t->points * sizeof *t->point);
}

static int whole(struct wl_run *r, CUdeviceptr from, int at) {
  int value;
  wl_get(r, &value, from + (size_t)at * sizeof value, sizeof value);
  return value;
}

// One point in one frame: the device's template and its last place, the host's correlation and choice.
static bool check_point(struct wl_run *r, const struct tracking *t, const struct scratch *s, int p, const float *pixels, int number) {
  const struct sizes *z = &t->z;
  const struct point *point = &t->point[p];
  int wall = t->walls[p], k = point->number, side = z->correlation_rows, back = z->template_rows + z->reach - z->half;
  int row0 = t->row[wall][k], column0 = t->column[wall][k], at = k * TRACE + number;
  for (int e = 0; e < z->window_elements; e++)
    s->window[e] = pixels[(column0 - z->reach + e / z->window_rows - 1) * FRAME_ROWS + row0 - z->reach + e % z->window_rows - 1];
  float *template = wl_down(r, point->templates + (size_t)point->template_at * sizeof(float), (size_t)z->template_elements * sizeof(float));
  float *want = WL_NEW(r, float, z->correlation_elements), *got = WL_DOWN(r, float, point->own[MASKED], z->correlation_elements);
  int row = whole(r, t->trace_row[wall], at - 1) - row0, column = whole(r, t->trace_column[wall], at - 1) - column0;
  int best = track_point(z, template, s, row, column, want);
  int moved[2] = {whole(r, t->trace_row[wall], at), whole(r, t->trace_column[wall], at)};
  int right[2] = {row0 + best % side + 1 - back, column0 + best / side + 1 - back};
  // Where two places are equally good, rounding chooses.
  int chosen = (moved[1] - column0 + back - 1) * side + moved[0] - row0 + back - 1;
  bool as_good = chosen >= 0 && chosen < z->correlation_elements && fabsf(want[chosen]) >= fabsf(want[best]) - 1e-3f;
  // Outside the mask is what 0 makes of a correlation that may be undefined.
  for (int e = 0; e < z->correlation_elements; e++)
    if (want[e] == 0.0f && isnan(got[e])) got[e] = 0.0f;
  return wl_near_f32(r, "masked correlation", got, want, z->correlation_elements, 1e-3f, 1e-3f) &&
         (as_good || wl_same_i32(r, "place", moved, right, 2));
}

static bool run(struct wl_run *r) {
  static const struct shape shapes[WL_SIZES] = {{3, 6, 2, {{4, 378, 323, 108, 88}, {6, 398, 307, 146, 151}}},
                                                {8, 16, 2, {{20, 378, 323, 108, 88}, {31, 398, 307, 146, 151}}},
                                                {12, 24, 2, {{20, 378, 323, 108, 88}, {31, 398, 307, 146, 151}}}};
  const struct shape *shape = &shapes[r->size];
  struct tracking *t = WL_NEW(r, struct tracking, 1);
  int rows = FRAME_ROWS + shape->frames / 3 + 1;
  float *speckle = make_speckle(r, rows), *pixels = WL_NEW(r, float, FRAME_ROWS *FRAME_COLUMNS);
  struct frame frame = {WL_DEV(r, float, FRAME_ROWS *FRAME_COLUMNS), 0};
  set_up(r, t, shape);
  const struct sizes *z = &t->z;
  struct scratch s = {WL_NEW(r, float, z->window_elements), WL_NEW(r, float, z->window_elements), WL_NEW(r, float, z->padded_elements),
                      WL_NEW(r, float, z->correlation_elements), WL_NEW(r, float, z->correlation_elements)};
  for (; frame.number < shape->frames; frame.number++) {
    make_frame(pixels, speckle, rows, frame.number);
    WL_PUT(r, frame.pixels, pixels, FRAME_ROWS * FRAME_COLUMNS);
    wl_put_symbol(r, "frame", &frame, sizeof frame);
    wl_launch(r, "heartwall_track", wl_1d(t->points), wl_1d(THREADS), 0, NULL);
    for (int p = 0; p < t->points && frame.number > 0; p++)
      if (!check_point(r, t, &s, p, pixels, frame.number)) return false;
  }
  return true;
}

const struct workload wl_heartwall = {
    .name = "heartwall",
    .suite = "Rodinia",
    .pattern = "a block a point: two dozen passes over small matrices, down columns, along rows and over all overlaps",
    .sizes = {"10 points, 2 frames, templates of 7 x 7", "51 points, 2 frames, templates of 17 x 17",
              "51 points, 2 frames, templates of 25 x 25"},
    .ptx = wl_ptx_heartwall,
    .run = run,
};
