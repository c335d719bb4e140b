// Tracking of points on the walls of a heart through an ultrasound video: each block looks for its point's template in a window around it,
// by normalised correlation. Matrices are column by column. What a block works on stands in constant memory; the kernel has no parameters.

enum { POINTS = 51, TEMPLATE = 51, CORRELATION = 131, TRACE = 104, SPREAD = 10 };

// Rows and elements of the matrices, most of which are square.
struct sizes {
  int frame_rows;
  int half, template_rows, template_elements;       // the template
  int reach, window_rows, window_elements;          // the window in which it is looked for
  int correlation_rows, correlation_elements;       // all overlaps of the two
  int padded_rows, padded_columns, padded_elements; // the window with a template's width of nothing around
  int strip_rows, strip_columns, strip_elements;    // as many rows as the correlation, as many columns as the padded window
};

// Arrays of one point. Points of one wall share the first five, in which they have their number.
struct point {
  int *row, *column, *trace_row, *trace_column;
  float *templates;
  float *window, *correlation, *padded, *strip, *difference, *part, *sums, *squares, *square_sums, *template_squares, *mask, *masked;
  int number, template_at;
};

struct frame {
  float *pixels;
  int number;
};

__constant__ struct sizes sizes;
__constant__ struct point points[POINTS];
__constant__ struct frame frame;

// What a block has in common.
struct common {
  float turned[TEMPLATE * TEMPLATE], sums[TEMPLATE], square_sums[TEMPLATE], best[CORRELATION];
  int place[CORRELATION];
  float sum, square_sum, denominator;
};

// Row and column of an element of a matrix.
static __device__ void place_of(int e, int rows, int *row, int *column) {
  *row = (e + 1) % rows - 1;
  *column = (e + 1) / rows;
  if ((e + 1) % rows == 0) {
    *row = rows - 1;
    *column = *column - 1;
  }
}

static __device__ struct point *own() { return &points[blockIdx.x]; }

// The first frame: where the point is, and what is there.
static __device__ void take_template() {
  if (threadIdx.x == 0) {
    own()->trace_row[own()->number * TRACE] = own()->row[own()->number];
    own()->trace_column[own()->number * TRACE] = own()->column[own()->number];
  }
  for (int e = threadIdx.x; e < sizes.template_elements; e += blockDim.x) {
    int row, column;
    place_of(e, sizes.template_rows, &row, &column);
    int from_row = own()->row[own()->number] - sizes.half + row - 1, from_column = own()->column[own()->number] - sizes.half + column - 1;
    own()->templates[own()->template_at + e] = frame.pixels[from_column * sizes.frame_rows + from_row];
  }
}

static __device__ void take_window() {
  int row0 = own()->row[own()->number] - sizes.reach, column0 = own()->column[own()->number] - sizes.reach;
  for (int e = threadIdx.x; e < sizes.window_elements; e += blockDim.x) {
    int row, column;
    place_of(e, sizes.window_rows, &row, &column);
    own()->window[e] = frame.pixels[(column0 + column - 1) * sizes.frame_rows + row0 + row - 1];
  }
  __syncthreads();
}

static __device__ void turn_template(struct common *c) {
  for (int e = threadIdx.x; e < sizes.template_elements; e += blockDim.x) {
    int row, column;
    place_of(e, sizes.template_rows, &row, &column);
    c->turned[e] =
        own()->templates[own()->template_at + (sizes.template_rows - 1 - column) * sizes.template_rows + sizes.template_rows - 1 - row];
  }
  __syncthreads();
}

// The convolution of the window with the turned template, at all overlaps. Counted from one.
static __device__ void correlate(struct common *c) {
  for (int e = threadIdx.x; e < sizes.correlation_elements; e += blockDim.x) {
    int row, column;
    place_of(e, sizes.correlation_rows, &row, &column);
    int i = row + 1, j = column + 1;
    int first_j = sizes.window_rows < j + 1 ? j + 1 - sizes.window_rows : 1, last_j = sizes.template_rows < j ? sizes.template_rows : j;
    int first_i = sizes.window_rows < i + 1 ? i + 1 - sizes.window_rows : 1, last_i = sizes.template_rows < i ? sizes.template_rows : i;
    float sum = 0.0f;
    for (int ja = first_j; ja <= last_j; ja++)
      for (int ia = first_i; ia <= last_i; ia++)
        sum += c->turned[sizes.template_rows * (ja - 1) + ia - 1] * own()->window[sizes.window_rows * (j - ja) + i - ia];
    own()->correlation[e] = sum;
  }
  __syncthreads();
}

// Sums of a matrix over all places of the template, by running sums down the columns and then along the rows.
static __device__ void pad(float *const &from) {
  for (int e = threadIdx.x; e < sizes.padded_elements; e += blockDim.x) {
    int row, column, margin = sizes.template_rows;
    place_of(e, sizes.padded_rows, &row, &column);
    if (row >= margin && row < margin + sizes.window_rows && column >= margin && column < margin + sizes.window_rows)
      own()->padded[e] = from[(column - margin) * sizes.window_rows + row - margin];
    else
      own()->padded[e] = 0.0f;
  }
  __syncthreads();
}

static __device__ void sum_columns() {
  if (threadIdx.x < sizes.padded_columns) {
    int at = threadIdx.x * sizes.padded_rows;
    float sum = 0.0f;
    for (int i = 0; i < sizes.padded_rows; i++) {
      own()->padded[at + i] = own()->padded[at + i] + sum;
      sum = own()->padded[at + i];
    }
  }
  __syncthreads();
}

static __device__ void subtract_columns() {
  for (int e = threadIdx.x; e < sizes.strip_elements; e += blockDim.x) {
    int row, column;
    place_of(e, sizes.strip_rows, &row, &column);
    own()->strip[e] = own()->padded[column * sizes.padded_rows + row + sizes.template_rows];
  }
  __syncthreads();
  for (int e = threadIdx.x; e < sizes.strip_elements; e += blockDim.x) {
    int row, column;
    place_of(e, sizes.strip_rows, &row, &column);
    own()->difference[e] = own()->padded[column * sizes.padded_rows + row];
  }
  __syncthreads();
  for (int e = threadIdx.x; e < sizes.strip_elements; e += blockDim.x) own()->difference[e] = own()->strip[e] - own()->difference[e];
  __syncthreads();
}

static __device__ void sum_rows() {
  if (threadIdx.x < sizes.strip_rows) {
    float sum = 0.0f;
    for (int i = 0; i < sizes.strip_columns; i++) {
      own()->difference[threadIdx.x + i * sizes.strip_rows] = own()->difference[threadIdx.x + i * sizes.strip_rows] + sum;
      sum = own()->difference[threadIdx.x + i * sizes.strip_rows];
    }
  }
  __syncthreads();
}

static __device__ void subtract_rows(float *const &to) {
  for (int e = threadIdx.x; e < sizes.correlation_elements; e += blockDim.x) {
    int row, column;
    place_of(e, sizes.correlation_rows, &row, &column);
    own()->part[e] = own()->difference[(column + sizes.template_rows) * sizes.strip_rows + row];
  }
  __syncthreads();
  for (int e = threadIdx.x; e < sizes.correlation_elements; e += blockDim.x) {
    int row, column;
    place_of(e, sizes.correlation_rows, &row, &column);
    to[e] = own()->difference[column * sizes.strip_rows + row];
  }
  __syncthreads();
  for (int e = threadIdx.x; e < sizes.correlation_elements; e += blockDim.x) to[e] = own()->part[e] - to[e];
  __syncthreads();
}

static __device__ void box_sums(float *const &from, float *const &to) {
  pad(from);
  sum_columns();
  subtract_columns();
  sum_rows();
  subtract_rows(to);
}

// Sum, squares and spread of the template.
static __device__ void weigh_template(struct common *c) {
  for (int e = threadIdx.x; e < sizes.template_elements; e += blockDim.x) {
    float value = own()->templates[own()->template_at + e];
    own()->template_squares[e] = value * value;
  }
  __syncthreads();
  if (threadIdx.x < sizes.template_rows) {
    float sum = 0.0f;
    for (int i = 0; i < sizes.template_rows; i++) sum += own()->templates[own()->template_at + threadIdx.x * sizes.template_rows + i];
    c->sums[threadIdx.x] = sum;
  }
  __syncthreads();
  if (threadIdx.x < sizes.template_rows) {
    float sum = 0.0f;
    for (int i = 0; i < sizes.template_rows; i++) sum += own()->template_squares[threadIdx.x + sizes.template_rows * i];
    c->square_sums[threadIdx.x] = sum;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0.0f;
    for (int i = 0; i < sizes.template_rows; i++) sum += c->sums[i];
    c->sum = sum;
  } else if (threadIdx.x == 1) {
    float sum = 0.0f;
    for (int i = 0; i < sizes.template_rows; i++) sum += c->square_sums[i];
    c->square_sum = sum;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    float mean = c->sum / sizes.template_elements, variance = c->square_sum / sizes.template_elements - mean * mean;
    c->denominator = sqrtf((float)(sizes.template_elements - 1)) * sqrtf(variance);
  }
  __syncthreads();
}

// Turns the convolution into a correlation.
static __device__ void normalise(struct common *c) {
  for (int e = threadIdx.x; e < sizes.correlation_elements; e += blockDim.x) {
    float sum = own()->sums[e], spread = own()->square_sums[e] - sum * sum / sizes.template_elements;
    if (spread < 0.0f) spread = 0.0f;
    own()->square_sums[e] = sqrtf(spread);
  }
  __syncthreads();
  weigh_template(c);
  for (int e = threadIdx.x; e < sizes.correlation_elements; e += blockDim.x) own()->square_sums[e] = own()->square_sums[e] * c->denominator;
  __syncthreads();
  for (int e = threadIdx.x; e < sizes.correlation_elements; e += blockDim.x)
    own()->correlation[e] = own()->correlation[e] - own()->sums[e] * c->sum / sizes.template_elements;
  __syncthreads();
  for (int e = threadIdx.x; e < sizes.correlation_elements; e += blockDim.x)
    own()->square_sums[e] = own()->correlation[e] / own()->square_sums[e];
  __syncthreads();
}

// Leaves the correlation around where the point was in the last frame.
static __device__ void apply_mask() {
  int middle = sizes.reach + sizes.half + 1, before = own()->number * TRACE + frame.number - 1;
  int row0 = middle + own()->trace_row[before] - own()->row[own()->number] - 1;
  int column0 = middle + own()->trace_column[before] - own()->column[own()->number] - 1;
  for (int e = threadIdx.x; e < sizes.correlation_elements; e += blockDim.x)
    own()->mask[e] = e == column0 * sizes.correlation_rows + row0 ? 1.0f : 0.0f;
  __syncthreads();
  for (int e = threadIdx.x; e < sizes.correlation_elements; e += blockDim.x) {
    int row, column;
    place_of(e, sizes.correlation_rows, &row, &column);
    int i = row + 1 + SPREAD / 2, j = column + 1 + SPREAD / 2;
    int first_j = SPREAD < j + 1 ? j + 1 - SPREAD : 1, last_j = sizes.correlation_rows < j ? sizes.correlation_rows : j;
    int first_i = SPREAD < i + 1 ? i + 1 - SPREAD : 1, last_i = sizes.correlation_rows < i ? sizes.correlation_rows : i;
    float sum = 0.0f;
    for (int ja = first_j; ja <= last_j; ja++)
      for (int ia = first_i; ia <= last_i; ia++) sum += own()->mask[sizes.correlation_rows * (ja - 1) + ia - 1];
    own()->masked[e] = own()->square_sums[e] * sum;
  }
  __syncthreads();
}

// The best place, of each column and then of all.
static __device__ void move_point(struct common *c) {
  if (threadIdx.x < sizes.correlation_rows) {
    float best = 0.0f;
    int place = 0;
    for (int i = 0; i < sizes.correlation_rows; i++) {
      float value = fabsf(own()->masked[threadIdx.x * sizes.correlation_rows + i]);
      if (value > best) {
        best = value;
        place = threadIdx.x * sizes.correlation_rows + i;
      }
    }
    c->best[threadIdx.x] = best;
    c->place[threadIdx.x] = place;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    float best = 0.0f;
    int place = 0, row, column;
    for (int i = 0; i < sizes.correlation_rows; i++)
      if (c->best[i] > best) {
        best = c->best[i];
        place = c->place[i];
      }
    place_of(place, sizes.correlation_rows, &row, &column);
    int back = sizes.template_rows + sizes.reach - sizes.half, at = own()->number * TRACE + frame.number;
    own()->trace_row[at] = own()->row[own()->number] + row + 1 - back;
    own()->trace_column[at] = own()->column[own()->number] + column + 1 - back;
  }
}

extern "C" __global__ void heartwall_track() {
  __shared__ struct common c;
  if (frame.number == 0) {
    take_template();
    return;
  }
  take_window();
  turn_template(&c);
  correlate(&c);
  box_sums(own()->window, own()->sums);
  for (int e = threadIdx.x; e < sizes.window_elements; e += blockDim.x) own()->squares[e] = own()->window[e] * own()->window[e];
  __syncthreads();
  box_sums(own()->squares, own()->square_sums);
  normalise(&c);
  apply_mask();
  move_point(&c);
}
