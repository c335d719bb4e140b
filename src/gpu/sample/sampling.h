/* Which launches of a program are simulated in detail, and what the whole program would have given, with how sure that is.
 *
 * Launches with the same kernel and block, with CTAs and shared memory between the same two powers of two, and after a launch of the same
 * kernel, are a group. The first launch of a group finds caches that others have left: it is simulated and counts for itself only. Of
 * the others some are simulated: the first SAMPLING_FEW; then one of each stratum, drawn at random, where a stratum is as many launches
 * as let the group grow by SAMPLING_GROWTH (so that neither a slow change nor a period among launches is missed), by more the smaller the
 * group's part of all cycles is, up to SAMPLING_FASTEST, and at least SAMPLING_FEW launches, or SAMPLING_NARROW while the group's interval
 * is less than half as wide as it may be; one after a launch whose size was outside what had been simulated before it; one after a sample
 * of another group that was off its prediction by more than the error and by SAMPLING_SURPRISE deviations; and every one for as long as
 * the group's share of the 95 % interval of all cycles is wider than was asked for. The size of a launch is known of all launches, since
 * all are executed: warp instructions, and the segments of memory that they access. Counting segments without timing costs time: those of
 * launches that are not simulated are taken to be in proportion to instructions until a sample of the group is found not to be, by
 * SAMPLING_PROPORTION, and are counted from then on. SAMPLING_SURE samples later it is decided which of the two sizes the group goes by:
 * segments if values are at most half as far (in squares) off a line through those; else they are no longer counted.
 *
 * A value of the launches that were not simulated is predicted from those that were, of the same group: by a line through value
 * against size where sizes differ, else in proportion to size; plus what those simulated of its stratum were off that line. The
 * interval is that of a prediction of a sum: Student's quantile times the deviation, which is taken from differences between samples
 * that follow each other (a slow change makes it little wider).
 *
 * A simulated launch behind a skipped one finds caches that are only about as they would have been. So the launch before a sample is
 * simulated too, is no sample, and is predicted as if it had been skipped; how such launches differ among themselves is part of the
 * deviation all the same. Which launch comes next is not known, but which kernel usually does: where a group has followed fewer than half
 * of the launches of the kernel before it since its first one came, or none of the last SAMPLING_FEW, its launches are samples also behind
 * skipped ones; likewise once those behind skipped ones were seen to differ from the others by at most SAMPLING_SETTLED of the error. How
 * far they are off, for all that they speak for, is a shift that may be there or not, and the interval reaches from without to with it.
 * Groups are taken as independent but for that.
 *
 * Of launches that are not simulated only those shortly before a sample need be followed by a model of the caches (warm.h): a cache holds
 * what was used last. A sample is put off until caches are known: its group's last launch was followed, and at most SAMPLING_UNKNOWN of its
 * look-ups depended on what was not followed, or SAMPLING_PATIENCE of the group were followed and it still is not known; or so few lines
 * are left of which it is not known whether they would be there. How many
 * launches of a group have to be followed before that is learned from those that were not enough. Behind one of a group that has few
 * samples, all are followed until there have been twice as many launches, as are the first SAMPLING_EARLY; and all are where they look up
 * fewer lines than SAMPLING_RENEWED of those that the caches have, which then remember for long.
 *
 * A simulated launch may itself be uncertain (waves.h). What it is in doubt by, up to SAMPLING_DOUBT of the error, all launches may be
 * off together, so that more samples do not make it less; what is beyond is chance.
 *
 * Owns: groups and samples. Does not: know a GPU, run anything, or keep caches warm (warm.h). The same launches give the same
 * decisions: what is drawn depends on numbers of launches and groups alone. */
#ifndef GPU_SAMPLING_H
#define GPU_SAMPLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SAMPLING_FEW = 3, SAMPLING_NARROW = 6, SAMPLING_SURE = 16, SAMPLING_PATIENCE = 8, SAMPLING_EARLY = 64 };
enum { SAMPLING_CYCLES = 0 /* the value that decides how many are simulated */ };
#define SAMPLING_GROWTH 1.25
#define SAMPLING_FASTEST 2.0
#define SAMPLING_SETTLED 0.5
#define SAMPLING_PROPORTION 0.02
#define SAMPLING_UNKNOWN (1.0 / 256)
#define SAMPLING_RENEWED 0.25
#define SAMPLING_SURPRISE 8.0 /* deviations */
/* Of the error that is allowed, what a launch may be in doubt by: the rest, as squares add up, is for the choice of launches. */
#define SAMPLING_DOUBT 0.8

struct sampling_launch {
  const char *kernel;
  uint32_t grid[3], block[3];
  uint32_t shared; /* bytes of a CTA */
  const char *after; /* kernel of the launch before it; NULL: it is the first */
};

/* How large a launch is. */
struct sampling_size {
  double instructions; /* of warps */
  double segments;     /* of memory; SAMPLING_UNCOUNTED: not counted. Of a sample: the group goes by instructions for good */
};
#define SAMPLING_UNCOUNTED (-1.0)

struct sampling;
/* error: half of the width of the 95 % interval of cycles, as a share of them (0.02); values a launch. */
struct sampling *sampling_new(double error, size_t values);
void sampling_delete(struct sampling *s);

/* The group of a launch that comes now, and whether to simulate it. */
size_t sampling_group(struct sampling *s, const struct sampling_launch *l);
bool sampling_wants(const struct sampling *s, size_t group);
/* Whether a launch that is not simulated is to be followed by the model of the caches, which have so many lines. */
bool sampling_follows(struct sampling *s, size_t group, double lines);
/* A launch that is not simulated has come so far: it was followed, with so many look-ups, of which some depend on launches that were
 * not, and as many may yet do so; or it was not followed. Before sampling_over, which is enough where all are followed. */
void sampling_followed(struct sampling *s, size_t group, double lookups, double unknown, double left);
void sampling_lost(struct sampling *s);
/* Whether the segments of a launch that is not simulated are to be counted. */
bool sampling_counts_segments(const struct sampling *s, size_t group);
/* It is over: its size, and its values, NULL if it is no sample. */
void sampling_over(struct sampling *s, size_t group, struct sampling_size size, const double *values);
/* It was simulated and is over; true: it is a sample, false: it only made caches as they would be for the next one. */
bool sampling_simulated(struct sampling *s, size_t group, struct sampling_size size, const double *values);

struct sampling_estimate {
  double value;      /* of all launches */
  double half_width; /* of the 95 % interval around it; infinite: nothing is known */
};
struct sampling_estimate sampling_total(const struct sampling *s, size_t value);
/* The same of those launches alone that were not simulated. */
struct sampling_estimate sampling_missing(const struct sampling *s, size_t value);
/* The last sample of a group is itself not known for certain: half widths of its values' intervals, which widen those of the totals. */
void sampling_doubt(struct sampling *s, size_t group, const double *half_widths);
/* What a launch of the group that is not simulated is taken to give, by its size. */
double sampling_predicted(const struct sampling *s, size_t group, size_t value, struct sampling_size size);

/* Student's quantile for a two-sided 95 % interval. */
double sampling_student(size_t freedom);

struct sampling_counts {
  struct sampling_launch launch; /* the first of the group; the name is the sampling's */
  uint64_t launches, simulated;
  double instructions;           /* of all its launches */
  bool by_segments;              /* they are predicted by segments */
};
size_t sampling_groups(const struct sampling *s);
struct sampling_counts sampling_counts(const struct sampling *s, size_t group);

#endif
