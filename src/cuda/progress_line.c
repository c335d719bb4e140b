/* See progress_line.h. */
#include "cuda/progress_line.h"

#include <stdio.h>

enum { WIDTH = 24 };

static double part(uint64_t now, uint64_t all) { return all ? (double)now / (double)all : -1; }

double progress_done(const struct progress_now *p) {
  double done = part(p->instructions, p->expected), other = part(p->instructions, p->max_instructions);
  if (other > done) done = other;
  other = part(p->cycles, p->max_cycles);
  if (other > done) done = other;
  return done > 1 ? 1 : done;
}

/* 1234567 as 1.23M, so that the line keeps its length. */
static const char *short_count(double v, char text[16]) {
  static const char *const units[] = {"", "k", "M", "G", "T"};
  unsigned i = 0;
  for (; v >= 1000 && i < 4; i++) v /= 1000;
  snprintf(text, 16, i && v < 100 ? "%.2f%s" : "%.0f%s", v, units[i]);
  return text;
}

static size_t put_bar(double done, bool colour, char *out, size_t bytes) {
  char bar[WIDTH + 1];
  for (int i = 0; i < WIDTH; i++) bar[i] = i < (int)(done * WIDTH) ? '#' : '.';
  bar[WIDTH] = 0;
  int n = snprintf(out, bytes, "%s[%s]%s %3.0f %%  ", colour ? "\033[32m" : "", bar, colour ? "\033[0m" : "", 100 * done);
  return n < 0 ? 0 : (size_t)n;
}

static size_t put_left(double seconds, char *out, size_t bytes) {
  unsigned long t = (unsigned long)(seconds + 0.5);
  int n = t >= 3600 ? snprintf(out, bytes, "%lu:%02lu:%02lu left  ", t / 3600, t / 60 % 60, t % 60)
                    : snprintf(out, bytes, "%lu:%02lu left  ", t / 60, t % 60);
  return n < 0 ? 0 : (size_t)n;
}

void progress_line(const struct progress_now *p, bool colour, char *out, size_t bytes) {
  char instructions[16], rate[16];
  double done = progress_done(p);
  size_t n = 0;
  if (done >= 0) n += put_bar(done, colour, out, bytes);
  if (done > 0 && n < bytes) n += put_left(p->seconds * (1 - done) / done, out + n, bytes - n);
  if (n >= bytes) return;
  int more = snprintf(out + n, bytes - n, "%llu launch%s, %s warp instructions, %s a second", (unsigned long long)p->launches,
                      p->launches == 1 ? "" : "es", short_count((double)p->instructions, instructions),
                      short_count(p->seconds > 0 ? (double)p->instructions / p->seconds : 0, rate));
  n += more > 0 ? (size_t)more : 0;
  if (p->cycles && n < bytes) snprintf(out + n, bytes - n, ", %.3f ms simulated", p->simulated_ns / 1e6);
}
