/* See sampling.h. */
#include "gpu/sample/sampling.h"

#include "base/arena.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct name { /* of a kernel */
  char *text;
  uint64_t launches;
};

struct group {
  struct sampling_launch launch;
  size_t kernel, after;         /* which of the names; NOBODY */
  uint64_t missed, followed;    /* launches of the kernel before it that there had been when its first one and its last one came */
  uint64_t launches, skipped;   /* skipped: also those that were simulated and are no samples */
  uint64_t warmed;              /* of them: simulated right behind a skipped launch */
  bool settled;                 /* such launches were seen to be about like the others: they may be samples */
  enum {
    PROPORTIONAL, /* to instructions, of all samples so far: skipped launches are taken to be so too */
    COUNTED,      /* of skipped launches too */
    DECIDED,      /* the group goes by instructions for good */
  } segments;
  bool by_segments;             /* values go by them, not by instructions */
  double ratio;                 /* segments an instruction, of the last sample */
  size_t odd;                   /* samples when segments were found not to be proportional */
  double instructions;          /* of all its launches */
  struct sampling_size skipped_size; /* sums */
  double cycles;                /* of all its launches so far, as sampling.cycles */
  struct sampling_size least, most; /* simulated */
  bool strange;                 /* the last launch was of another size than any that was simulated before it */
  struct {
    uint64_t look, end;         /* how many launches there will have been with the one that is simulated, and with the last of it */
    uint64_t skipped;           /* launches of it */
    size_t first;               /* the first row of it; as many as there are rows: none has been simulated */
  } stratum;
  struct {
    uint64_t stretch;           /* in which a launch of it was last followed */
    uint64_t launches;          /* of it followed in that */
    bool known;                 /* the last of them found caches as they would have been */
    double lookups;             /* of it */
    uint64_t lead;              /* how many have to be followed before a sample */
    uint64_t at;                /* launches of all groups with its last one */
    bool awaited;               /* a sample was put off */
  } caches;
  size_t samples, capacity;     /* rows; the first is that of the first launch */
  double *rows;
  size_t warm_capacity;
  double *warm_rows;            /* of those warmed */
  double *doubts;               /* of values: what its samples are in doubt by that may be common to all, summed; NULL: they are certain */
  double *rests;                /* and the rest of it: squares, summed */
  double doubted;               /* cycles of all its launches */
};

struct sampling {
  double error;
  double cycles; /* of all launches so far, those that were not simulated as predicted when they were over */
  bool skipped;  /* the last launch was */
  bool surprised; /* by the last sample, of any group: others look because of it */
  uint64_t launches;
  uint64_t stretch; /* launches that were not followed: none was since the last of them */
  double left;      /* lines that may not be as they would have been */
  double followed, lookups; /* launches that were not simulated, and look-ups of all of them */
  double doubted; /* cycles of all groups */
  size_t values;
  struct group *groups;
  size_t n, capacity;
  struct name *names;
  size_t n_names, names_capacity;
};
#define NOBODY SIZE_MAX

struct sampling *sampling_new(double error, size_t values) {
  struct sampling *s = must_alloc(sizeof *s);
  *s = (struct sampling){.error = error, .values = values};
  return s;
}

void sampling_delete(struct sampling *s) {
  if (!s) return;
  for (size_t i = 0; i < s->n; i++) {
    free(s->groups[i].rows);
    free(s->groups[i].warm_rows);
    free(s->groups[i].doubts);
    free(s->groups[i].rests);
  }
  for (size_t i = 0; i < s->n_names; i++) free(s->names[i].text);
  free(s->groups);
  free(s->names);
  free(s);
}

/* Between which powers of two it is. */
static int octave(uint64_t n) { return n ? 63 - __builtin_clzll(n) : -1; }
static int octave_of_ctas(const struct sampling_launch *l) { return octave((uint64_t)l->grid[0] * l->grid[1] * l->grid[2]); }

static bool same_name(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

static bool same_launch(const struct sampling_launch *a, const struct sampling_launch *b) {
  return octave_of_ctas(a) == octave_of_ctas(b) && !memcmp(a->block, b->block, sizeof a->block) && octave(a->shared) == octave(b->shared) &&
         !strcmp(a->kernel, b->kernel) && same_name(a->after, b->after);
}

static size_t name_of(struct sampling *s, const char *text) {
  if (!text) return NOBODY;
  for (size_t i = 0; i < s->n_names; i++)
    if (!strcmp(s->names[i].text, text)) return i;
  GROW(s->names, s->names_capacity, s->n_names + 1);
  s->names[s->n_names] = (struct name){.text = strdup(text)};
  return s->n_names++;
}

static uint64_t launches_before(const struct sampling *s, const struct group *g) {
  return g->after == NOBODY ? 0 : s->names[g->after].launches;
}

size_t sampling_group(struct sampling *s, const struct sampling_launch *l) {
  for (size_t i = 0; i < s->n; i++)
    if (same_launch(&s->groups[i].launch, l)) {
      s->groups[i].followed = launches_before(s, &s->groups[i]);
      return i;
    }
  GROW(s->groups, s->capacity, s->n + 1);
  struct group *g = &s->groups[s->n];
  *g = (struct group){.launch = *l, .kernel = name_of(s, l->kernel), .after = name_of(s, l->after), .caches.lead = 1};
  g->launch.kernel = s->names[g->kernel].text;
  g->launch.after = g->after == NOBODY ? NULL : s->names[g->after].text;
  g->missed = g->followed = launches_before(s, g);
  return s->n++;
}

/* ---- prediction ---- */

/* Tabulated, and Cornish and Fisher's expansion beyond. */
double sampling_student(size_t freedom) {
  static const double few[] = {0, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
  if (freedom < sizeof few / sizeof *few) return freedom ? few[freedom] : INFINITY;
  double z = 1.959964, n = (double)freedom;
  return z + (z * z * z + z) / (4 * n) + (5 * pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * n * n);
}

/* The size that a group goes by. */
static double measure(const struct group *g, struct sampling_size size) { return g->by_segments ? size.segments : size.instructions; }

/* Of a launch whose segments nobody counted: as if in proportion. */
static struct sampling_size known_size(const struct group *g, struct sampling_size size) {
  if (size.segments == SAMPLING_UNCOUNTED) size.segments = g->ratio * size.instructions;
  return size;
}

/* value = base + slope * size for a launch that is not simulated, from the samples of the group. */
struct line {
  double base, slope;
  double mean, spread; /* of the sizes; spread is the sum of squares around the mean, 0: in proportion */
  size_t first, n;     /* samples that it goes through */
};

/* Of a row: skipped launches that it stands for; whether it was right behind a skipped launch, of any group, so that caches were only about
 * as they would have been; its size; values. */
enum { STANDS_FOR, COMES_AT = STANDS_FOR /* of a warmed launch: samples before it */, SHIFTED, INSTRUCTIONS, SEGMENTS, VALUES };
static double *row_of(const struct sampling *s, const struct group *g, size_t i) { return &g->rows[i * (s->values + VALUES)]; }
static double size_in(const struct group *g, const double *row) { return row[g->by_segments ? SEGMENTS : INSTRUCTIONS]; }
static double size_of(const struct sampling *s, const struct group *g, size_t i) { return size_in(g, row_of(s, g, i)); }
static double value_of(const struct sampling *s, const struct group *g, size_t i, size_t value) { return row_of(s, g, i)[VALUES + value]; }

static double row_off_line(const struct group *g, const double *row, const struct line *l, size_t value) {
  return row[VALUES + value] - l->base - l->slope * size_in(g, row);
}
static double off_line(const struct sampling *s, const struct group *g, const struct line *l, size_t i, size_t value) {
  return row_off_line(g, row_of(s, g, i), l, value);
}

/* The first launch stands for others only while it is the only one. Sizes that differ by less than a hundredth say nothing of a slope. */
static struct line fit(const struct sampling *s, const struct group *g, size_t value) {
  size_t end = g->samples;
  struct line l = {.first = end > 1, .n = end - (end > 1)};
  double n = (double)l.n, mean = 0, together = 0;
  for (size_t i = l.first; i < end; i++) {
    l.mean += size_of(s, g, i) / n;
    mean += value_of(s, g, i, value) / n;
  }
  for (size_t i = l.first; i < end; i++) {
    double x = size_of(s, g, i) - l.mean;
    l.spread += x * x;
    together += x * value_of(s, g, i, value);
  }
  if (l.n >= SAMPLING_FEW && sqrt(l.spread / n) > 0.01 * l.mean) l.slope = together / l.spread;
  else {
    l.spread = 0;
    l.slope = l.mean > 0 ? mean / l.mean : 0;
  }
  l.base = mean - l.slope * l.mean;
  return l;
}

/* For how many of the skipped launches sample i speaks: with the others of its stratum for those of that; the last also for those of a
 * stratum without a sample. */
static double weight(const struct sampling *s, const struct group *g, const struct line *l, size_t i) {
  double first = l->first && i == l->first ? row_of(s, g, 0)[STANDS_FOR] : 0, here = 0;
  size_t taken = g->samples - g->stratum.first;
  if (taken ? i >= g->stratum.first : i + 1 == g->samples) here = (double)g->stratum.skipped / (double)(taken ? taken : 1);
  return row_of(s, g, i)[STANDS_FOR] + first + here;
}

/* What launches right behind a skipped one differ from the samples before and after them, by those that were simulated and are no
 * samples. */
struct shift {
  double value;   /* mean */
  double noise;   /* of it: its variance, in variances of a launch; infinite: nothing is known */
  double squares; /* of what they are off the mean, each in variances of a launch */
  size_t n;
};

static struct shift shift_of(const struct sampling *s, const struct group *g, const struct line *l, size_t value) {
  double sum = 0, noise = 0, weighted = 0, weights = 0, squares = 0; /* weights: inverses of variances */
  size_t n = 0;
  for (size_t i = 0; i < g->warmed; i++) {
    const double *row = &g->warm_rows[i * (s->values + VALUES)];
    size_t after = (size_t)row[COMES_AT], before = after - 1;
    double around = 0, neighbours = 0;
    for (size_t k = before > l->first ? before : l->first; k <= after && k < g->samples; k++) {
      if (row_of(s, g, k)[SHIFTED] > 0) continue;
      around += off_line(s, g, l, k, value);
      neighbours++;
    }
    if (neighbours == 0) continue;
    double off = row_off_line(g, row, l, value) - around / neighbours, variances = 1 + 1 / neighbours;
    sum += off;
    noise += variances;
    weighted += off / variances;
    weights += 1 / variances;
    squares += off * off / variances;
    n++;
  }
  if (!n) return (struct shift){.noise = INFINITY};
  double all = (double)n, least = squares - weighted * weighted / weights;
  return (struct shift){sum / all, noise / (all * all), n > 1 && least > 0 ? least : 0, n};
}

/* What is known of a group's deviations from its line. */
struct spread {
  double variance;        /* of a launch */
  size_t freedom;         /* of it */
  double weights;         /* squares of how many launches samples stand for, summed */
  double shift;           /* of samples against neighbours that are not shifted, summed */
  size_t pairs, samples;  /* such neighbours, and shifted samples */
  double shifted;         /* launches that shifted samples stand for, and they themselves */
  struct shift warmed;
};

/* The variance comes from differences between samples that follow each other, and from how much launches that were simulated for the
 * sake of the next differ among themselves; where samples that stand for many differ more, from theirs. */
static struct spread spread_of(const struct sampling *s, const struct group *g, const struct line *l, size_t value) {
  struct spread d = {.warmed = shift_of(s, g, l, value)};
  double differences = 0, late = 0, before = 0;
  bool was = false;
  for (size_t i = l->first; i < g->samples; i++) {
    double w = weight(s, g, l, i), here = off_line(s, g, l, i, value), step = i > l->first ? here - before : 0;
    bool shifted = row_of(s, g, i)[SHIFTED] > 0;
    differences += step * step;
    late += w * w * step * step;
    d.weights += w * w;
    if (i > l->first && shifted != was) {
      d.shift += shifted ? step : -step;
      d.pairs++;
    }
    d.samples += shifted;
    if (shifted) d.shifted += w + 1;
    before = here;
    was = shifted;
  }
  size_t lost = l->spread > 0 ? 2 : 1;
  d.freedom = l->n > lost ? (2 * (l->n - lost) + 2) / 3 : 0; /* differences overlap: worth two thirds */
  d.variance = l->n > 1 ? differences / (2.0 * (double)(l->n - 1)) : 0;
  if (d.freedom && d.warmed.n > 1) {
    double all = d.variance * (double)d.freedom + d.warmed.squares;
    d.freedom += d.warmed.n - 1;
    d.variance = all / (double)d.freedom;
  }
  if (d.weights > 0 && late / (2 * d.weights) > d.variance) d.variance = late / (2 * d.weights);
  return d;
}

/* Of the launches of a group that were not simulated: chance is half the width of an interval, shift what they may all be off together. */
struct prediction {
  double value, chance, shift;
};

/* What shifted samples differ from their neighbours all that they speak for may differ. */
static struct prediction missing(const struct sampling *s, const struct group *g, size_t value) {
  struct prediction e = {0};
  struct line l = fit(s, g, value);
  struct spread d = spread_of(s, g, &l, value);
  if (!g->skipped && (d.shifted == 0 || g->samples < 1 + SAMPLING_FEW)) return e;
  double n = (double)g->skipped, skipped_size = measure(g, g->skipped_size), off = skipped_size - n * l.mean;
  e.value = l.base * n + l.slope * skipped_size;
  for (size_t i = l.first; i < g->samples; i++) e.value += weight(s, g, &l, i) * off_line(s, g, &l, i, value);
  double lines = l.spread > 0 ? off * off / l.spread : 0, launches = n + d.weights + (double)d.samples + lines;
  if (g->settled) launches += d.shifted * d.shifted * d.warmed.noise;
  e.chance = d.freedom ? sampling_student(d.freedom) * sqrt(d.variance * launches) : INFINITY;
  e.shift = d.shifted * (g->settled ? d.warmed.value : d.pairs ? d.shift / (double)d.pairs : 0);
  return e;
}

/* Chances are independent; what shifts one group is likely to shift the others too. The middle is between no shift and the whole of it. */
struct sampling_estimate sampling_missing(const struct sampling *s, size_t value) {
  struct sampling_estimate sum = {0};
  double squares = 0, shift = 0;
  for (size_t i = 0; i < s->n; i++) {
    struct prediction e = missing(s, &s->groups[i], value);
    sum.value += e.value - e.shift / 2;
    squares += e.chance * e.chance;
    shift += e.shift;
  }
  sum.half_width = sqrt(squares) + fabs(shift) / 2;
  return sum;
}

/* What is said of the samples of a group, of all its launches: each that is none is taken to be in doubt as they are, by size. */
static double to_all(const struct group *g) {
  double sampled = g->instructions - g->skipped_size.instructions;
  return sampled > 0 ? g->instructions / sampled : 0;
}

/* How far all launches of a group may be off together. */
static double doubted(const struct group *g, size_t value) { return g->doubts ? g->doubts[value] * to_all(g) : 0; }

/* What made one launch uncertain is likely to be there in the others: doubts are added up, and are independent of chance. */
struct sampling_estimate sampling_total(const struct sampling *s, size_t value) {
  struct sampling_estimate sum = sampling_missing(s, value);
  double doubt = 0, rest = 0;
  for (size_t i = 0; i < s->n; i++) {
    const struct group *g = &s->groups[i];
    for (size_t k = 0; k < g->samples; k++) sum.value += value_of(s, g, k, value);
    doubt += doubted(g, value);
    if (g->rests) rest += g->rests[value] * to_all(g) * to_all(g);
  }
  sum.half_width = sqrt(sum.half_width * sum.half_width + doubt * doubt + rest);
  return sum;
}

/* The cycles of a group are in doubt by as much as is known now. */
static void update_doubt(struct sampling *s, struct group *g) {
  double now = doubted(g, SAMPLING_CYCLES);
  s->doubted += now - g->doubted;
  g->doubted = now;
}

/* As much as a launch may be in doubt by when no more of it is wanted can have a cause that is not seen, and is taken as common to all;
 * what is beyond shows in the samples of the launch itself, and is chance. */
void sampling_doubt(struct sampling *s, size_t group, const double *half_widths) {
  struct group *g = &s->groups[group];
  if (!g->doubts) {
    g->doubts = must_alloc(s->values * sizeof *g->doubts);
    g->rests = must_alloc(s->values * sizeof *g->rests);
  }
  for (size_t i = 0; i < s->values; i++) {
    double most = SAMPLING_DOUBT * s->error * fabs(value_of(s, g, g->samples - 1, i));
    double common = half_widths[i] < most ? half_widths[i] : most;
    g->doubts[i] += common;
    g->rests[i] += (half_widths[i] - common) * (half_widths[i] - common);
  }
  update_doubt(s, g);
}

double sampling_predicted(const struct sampling *s, size_t group, size_t value, struct sampling_size size) {
  const struct group *g = &s->groups[group];
  struct line l = fit(s, g, value);
  return l.base + l.slope * measure(g, known_size(g, size)) + off_line(s, g, &l, g->samples - 1, value);
}

/* ---- decisions ---- */

/* How wide the group's interval is beside what it may be: each of n groups may have an n-th of the variance that is allowed, and that
 * doubts leave. */
static double width(const struct sampling *s, const struct group *g) {
  double all = s->error * s->cycles, left = all * all - s->doubted * s->doubted, allowed = left > 0 ? sqrt(left / (double)s->n) : 0;
  struct prediction e = missing(s, g, SAMPLING_CYCLES);
  double wide = e.chance + fabs(e.shift) / 2;
  return wide > 0 ? wide / allowed : 0;
}

static bool has_few(const struct group *g) { return g->samples < 1 + SAMPLING_FEW; }

/* Whether a sample of the group is wanted at the launch that is so many ahead. */
static bool wants_ahead(const struct sampling *s, const struct group *g, uint64_t ahead) {
  bool drawn = g->stratum.first == g->samples && g->launches + ahead >= g->stratum.look;
  return has_few(g) || g->strange || drawn || width(s, g) > 1;
}

/* Whether one of the group follows at least every second launch of the kernel before it, since there is such a group and of the last
 * ones too: where grids grow, launches go from group to group. */
static bool follows(const struct sampling *s, const struct group *g) {
  uint64_t before = launches_before(s, g);
  return g->after != NOBODY && 2 * g->launches >= before - g->missed && before - g->followed <= SAMPLING_FEW;
}

/* Whether a launch of the group that is simulated now finds caches as they would have been, or as near as it gets. */
static bool is_ready(const struct sampling *s, const struct group *g) {
  bool followed = g->caches.stretch == s->stretch && (g->caches.known || g->caches.launches >= SAMPLING_PATIENCE);
  return !s->stretch || followed || s->left <= SAMPLING_UNKNOWN * g->caches.lookups;
}

/* A launch is simulated also for the sake of the next: a sample that is wanted there is to find caches as they would be, unless that was
 * seen to make no difference. */
bool sampling_wants(const struct sampling *s, size_t group) {
  const struct group *g = &s->groups[group];
  if (has_few(g)) return true;
  if (!is_ready(s, g)) return false;
  if (wants_ahead(s, g, 1)) return true;
  for (size_t i = 0; i < s->n; i++) {
    const struct group *h = &s->groups[i];
    if (h->after == g->kernel && follows(s, h) && !h->settled && wants_ahead(s, h, h == g ? 2 : 1)) return true;
  }
  return false;
}

/* Whether a launch that is followed now (of the group g, which is not simulated) serves the next sample of h. */
static bool serves(const struct sampling *s, const struct group *g, const struct group *h) {
  if (has_few(h)) return s->launches < 2 * h->caches.at;
  uint64_t before = h->caches.lead + !h->settled;
  return h->caches.awaited || (h->stratum.first == h->samples && h->launches + (g == h) + before >= h->stratum.look);
}

bool sampling_follows(struct sampling *s, size_t group, double lines) {
  struct group *g = &s->groups[group];
  if (!is_ready(s, g) && wants_ahead(s, g, 1)) { /* put off */
    uint64_t seen = g->caches.stretch == s->stretch ? g->caches.launches : 0;
    if (seen >= g->caches.lead) g->caches.lead = seen + 1;
    g->caches.awaited = true;
  }
  if (s->launches < SAMPLING_EARLY || s->lookups <= SAMPLING_RENEWED * lines * s->followed) return true;
  for (size_t i = 0; i < s->n; i++)
    if (serves(s, g, &s->groups[i])) return true;
  return false;
}

void sampling_followed(struct sampling *s, size_t group, double lookups, double unknown, double left) {
  struct group *g = &s->groups[group];
  g->caches.launches = g->caches.stretch == s->stretch ? g->caches.launches + 1 : 1;
  g->caches.stretch = s->stretch;
  g->caches.known = unknown <= SAMPLING_UNKNOWN * lookups;
  g->caches.lookups = lookups;
  s->left = left;
  s->lookups += lookups;
  s->followed++;
}

void sampling_lost(struct sampling *s) {
  s->stretch++;
  s->left = INFINITY;
}

/* How many launches the next stratum has: what it is off by concerns the less of all cycles the smaller the group's part of them is, and
 * groups are off independently of each other. */
static uint64_t stratum_length(const struct sampling *s, const struct group *g) {
  double part = g->cycles > 0 && g->cycles < s->cycles ? g->cycles / s->cycles : 1, growth = (SAMPLING_GROWTH - 1) / sqrt(part);
  uint64_t length = (uint64_t)((double)g->launches * (growth < SAMPLING_FASTEST - 1 ? growth : SAMPLING_FASTEST - 1));
  uint64_t least = width(s, g) < 0.5 ? SAMPLING_NARROW : SAMPLING_FEW;
  return length > least ? length : least;
}

/* The stratum, of which launches were simulated, is over: they stand for the others of it. */
static void end_stratum(const struct sampling *s, struct group *g) {
  double each = (double)g->stratum.skipped / (double)(g->samples - g->stratum.first);
  for (size_t i = g->stratum.first; i < g->samples; i++) row_of(s, g, i)[STANDS_FOR] += each;
  g->stratum.skipped = 0;
  g->stratum.first = g->samples;
}

/* The one of the next stratum that is simulated is drawn. */
static void next_stratum(const struct sampling *s, struct group *g, size_t group) {
  end_stratum(s, g);
  uint64_t length = stratum_length(s, g);
  struct rng draw = {.state = (group + 1) * UINT64_C(0x9e3779b97f4a7c15) + g->launches};
  g->stratum.look = g->launches + 1 + rng_below(&draw, length);
  g->stratum.end = g->launches + length;
}

/* Whether a sample is further off what was predicted than the error, and than chance explains. */
static bool surprises(const struct sampling *s, size_t group, struct sampling_size size, const double *values) {
  const struct group *g = &s->groups[group];
  if (g->samples < 2 + SAMPLING_FEW) return false;
  struct line l = fit(s, g, SAMPLING_CYCLES);
  double predicted = sampling_predicted(s, group, SAMPLING_CYCLES, size), off = fabs(values[SAMPLING_CYCLES] - predicted);
  return off > s->error * predicted && off > SAMPLING_SURPRISE * sqrt(spread_of(s, g, &l, SAMPLING_CYCLES).variance);
}

/* What has changed in one group may have in the others: they look at their next launch. */
static void look_again(struct sampling *s, const struct group *except) {
  for (size_t i = 0; i < s->n; i++) {
    struct group *g = &s->groups[i];
    if (g == except || has_few(g) || g->stratum.end < g->launches + SAMPLING_FEW) continue;
    if (g->samples > g->stratum.first) {
      end_stratum(s, g);
      if (g->stratum.end > g->launches + SAMPLING_NARROW) g->stratum.end = g->launches + SAMPLING_NARROW;
      g->stratum.look = g->launches + 1;
    } else if (g->stratum.look > g->launches + 1) g->stratum.look = g->launches + 1;
  }
}

/* A launch of another size than any that was simulated: the next may be further off still. */
static bool is_strange(const struct group *g, struct sampling_size size) {
  return measure(g, size) < 0.8 * measure(g, g->least) || measure(g, size) > 1.25 * measure(g, g->most);
}

static void widen(struct sampling_size *least, struct sampling_size *most, struct sampling_size by) {
  *least = (struct sampling_size){fmin(least->instructions, by.instructions), fmin(least->segments, by.segments)};
  *most = (struct sampling_size){fmax(most->instructions, by.instructions), fmax(most->segments, by.segments)};
}

static void put_size(double *row, struct sampling_size size) {
  row[INSTRUCTIONS] = size.instructions;
  row[SEGMENTS] = size.segments;
}

/* How far cycles are off a line through the one size or the other: squares, summed. */
static double squares_by(const struct sampling *s, struct group *g, bool segments) {
  double squares = 0;
  g->by_segments = segments;
  struct line l = fit(s, g, SAMPLING_CYCLES);
  for (size_t i = l.first; i < g->samples; i++) squares += pow(off_line(s, g, &l, i, SAMPLING_CYCLES), 2);
  return squares;
}

/* By a sample that has come: whether segments are to be counted, and which size the group goes by. */
static void choose_size(const struct sampling *s, struct group *g, struct sampling_size size) {
  if (size.segments == SAMPLING_UNCOUNTED) {
    g->segments = DECIDED;
    g->by_segments = false;
  }
  double ratio = size.instructions > 0 ? size.segments / size.instructions : 0, was = g->samples > 1 ? g->ratio : ratio;
  g->ratio = ratio;
  if (g->segments == PROPORTIONAL && fabs(ratio - was) > SAMPLING_PROPORTION * was) {
    g->segments = COUNTED;
    g->odd = g->samples;
  }
  if (g->segments != COUNTED || g->samples < 2 + SAMPLING_FEW || g->samples > g->odd + SAMPLING_SURE) return;
  double instructions = squares_by(s, g, false), segments = squares_by(s, g, true);
  g->by_segments = 2 * segments < instructions;
  if (g->samples == g->odd + SAMPLING_SURE && !g->by_segments) g->segments = DECIDED;
}

bool sampling_counts_segments(const struct sampling *s, size_t group) { return s->groups[group].segments == COUNTED; }

static void add_sample(struct sampling *s, struct group *g, struct sampling_size size, const double *values) {
  GROW(g->rows, g->capacity, (g->samples + 1) * (s->values + VALUES));
  double *r = row_of(s, g, g->samples++);
  g->caches.awaited = false;
  r[STANDS_FOR] = 0;
  r[SHIFTED] = s->skipped;
  put_size(r, size);
  memcpy(r + VALUES, values, s->values * sizeof *values);
  choose_size(s, g, size);
  g->strange = g->samples > 1 && is_strange(g, size);
  if (g->samples == 1) g->least = g->most = size;
  widen(&g->least, &g->most, size);
}

static void leave_out(struct group *g, struct sampling_size size) {
  size = known_size(g, size);
  g->skipped++;
  g->skipped_size.instructions += size.instructions;
  g->skipped_size.segments += size.segments;
  g->stratum.skipped++;
  g->strange = is_strange(g, size);
}

void sampling_over(struct sampling *s, size_t group, struct sampling_size size, const double *values) {
  struct group *g = &s->groups[group];
  g->launches++;
  g->caches.at = ++s->launches;
  s->names[g->kernel].launches++;
  g->instructions += size.instructions;
  double cycles = values ? values[SAMPLING_CYCLES] : sampling_predicted(s, group, SAMPLING_CYCLES, size);
  s->cycles += cycles;
  g->cycles += cycles;
  bool surprise = values && surprises(s, group, size, values);
  if (values) add_sample(s, g, size, values);
  else leave_out(g, size);
  s->skipped = !values;
  update_doubt(s, g);
  if (g->samples > g->stratum.first && g->launches >= g->stratum.end) next_stratum(s, g, group);
  if (surprise && !s->surprised) look_again(s, g);
  if (values) s->surprised = surprise;
}

/* Keeps what a launch gave that was simulated and is no sample. Once such launches differ from samples by little beside the error that is
 * allowed, and that is sure enough, they may be samples. */
static void add_warmed(struct sampling *s, struct group *g, struct sampling_size size, const double *values) {
  GROW(g->warm_rows, g->warm_capacity, (g->warmed + 1) * (s->values + VALUES));
  double *r = &g->warm_rows[g->warmed++ * (s->values + VALUES)];
  r[COMES_AT] = (double)g->samples;
  put_size(r, size);
  memcpy(r + VALUES, values, s->values * sizeof *values);
  if (g->warmed < 1 + SAMPLING_FEW || g->samples < 2 + SAMPLING_FEW) return;
  struct line l = fit(s, g, SAMPLING_CYCLES);
  struct spread d = spread_of(s, g, &l, SAMPLING_CYCLES);
  double sure = sampling_student(d.freedom) * sqrt(d.variance * d.warmed.noise);
  g->settled = fabs(d.warmed.value) + sure <= SAMPLING_SETTLED * s->error * (l.base + l.slope * l.mean);
}

bool sampling_simulated(struct sampling *s, size_t group, struct sampling_size size, const double *values) {
  struct group *g = &s->groups[group];
  bool sample = !s->skipped || !g->samples || g->settled || !follows(s, g);
  sampling_over(s, group, size, sample ? values : NULL);
  if (!sample) add_warmed(s, g, size, values);
  s->skipped = false;
  return sample;
}

size_t sampling_groups(const struct sampling *s) { return s->n; }

struct sampling_counts sampling_counts(const struct sampling *s, size_t group) {
  const struct group *g = &s->groups[group];
  uint64_t simulated = g->launches - g->skipped + g->warmed;
  return (struct sampling_counts){.launch = g->launch, .launches = g->launches, .simulated = simulated,
                                  .instructions = g->instructions, .by_segments = g->by_segments};
}
