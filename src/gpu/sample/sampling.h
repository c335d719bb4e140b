/* Decides which launches of a program are simulated in detail, and estimates what the whole program would have given,
 * with an interval that says how certain the estimate is.
 *
 * Groups. Launches belong to one group if they have the same kernel and block, their numbers of CTAs lie between the
 * same two powers of two and so do their bytes of shared memory, and they follow a launch of the same kernel. The
 * first launch of a group finds caches that others have left: it is simulated and counts for itself only. Of the
 * others, these are simulated:
 * - the first SAMPLING_FEW;
 * - then one of each stratum, drawn at random. A stratum is as many launches as let the group grow by the factor
 *   SAMPLING_GROWTH, so that neither a slow change nor a period among launches is missed. The factor is larger the
 *   smaller the group's part of all cycles is, up to SAMPLING_FASTEST. A stratum has at least SAMPLING_FEW launches,
 *   or SAMPLING_NARROW while the group's interval is less than half as wide as it may be;
 * - one after a launch whose size was outside the range simulated before it;
 * - one after a sample of another group that differed from its prediction by more than the error and by more than
 *   SAMPLING_SURPRISE deviations;
 * - every launch, for as long as the group's part of the 95 % interval of all cycles is wider than was asked for.
 *
 * Sizes. The size of a launch is known for all launches, since all are executed: its warp instructions, and the
 * segments of memory that it accesses. Counting segments without timing takes time. So the segments of launches that
 * are not simulated are assumed to be in proportion to instructions until a sample of the group deviates from that by
 * more than SAMPLING_PROPORTION, and are counted from then on. At most SAMPLING_SURE samples later it is decided
 * which of the two sizes the group uses: segments, if the squared deviations from a line through them are at most
 * half as large; otherwise segments are no longer counted.
 *
 * Prediction. A value of the launches that were not simulated is predicted from those of the same group that were: by
 * a line through value against size if sizes differ, otherwise in proportion to size; and the deviation from that
 * line of the simulated launches of a stratum is added for the others of it. The interval is that of a prediction of
 * a sum: Student's quantile times the deviation, which is computed from differences between successive samples (so a
 * slow change makes it only a little wider). Groups are assumed to be independent, except for the shift below.
 *
 * Launches after skipped ones. A simulated launch that follows a skipped one finds caches that are only approximately
 * as they would have been. So the launch before a sample is simulated too; it is not a sample, and is predicted as if
 * it had been skipped, but the differences among such launches are part of the deviation. Which launch comes next is
 * not known, but usually which kernel. A group may be sampled after skipped launches if it has followed fewer than
 * half of the launches of the kernel before it since its first one, or none of the last SAMPLING_FEW; or once its
 * launches after skipped ones were seen to differ from the others by at most SAMPLING_SETTLED of the error. The
 * difference that remains, times the launches that these samples stand for, is a shift that may be real or not; the
 * interval includes both.
 *
 * Caches. Of the launches that are not simulated, only those shortly before a sample need be followed by a model of
 * the caches (warm.h), since a cache holds what was used last. A sample is put off until the caches are known: until
 * the last launch of its group was followed and at most SAMPLING_UNKNOWN of its lookups depended on what was not
 * followed, or SAMPLING_PATIENCE launches of the group were followed in vain; or until so few unknown lines are left
 * that no larger part of the lookups could depend on them. How many launches of a group must be followed before a
 * sample is learned from cases in which they were not enough. In some cases all launches are followed: the first
 * SAMPLING_EARLY; those after one of a group with few samples, until there have been twice as many launches; and as
 * long as launches look up fewer lines than SAMPLING_RENEWED of those that the caches have, since what was lost is
 * then missed for long.
 *
 * Doubt. The result of a simulated launch may itself be an estimate (waves.h). Its uncertainty, up to SAMPLING_DOUBT
 * of the error, may be common to all launches of the group, so more samples do not reduce it; what is beyond that is
 * chance.
 *
 * Owns: groups and samples. Does not: know a GPU, run anything, or keep caches warm (warm.h). The same launches give
 * the same decisions: what is drawn depends only on the numbers of launches and groups. */
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
/* The part of the allowed error up to which the uncertainty of a simulated launch counts as common to its group. The
 * rest, since squares add up, is for the choice of launches. */
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
  double segments;     /* of memory. SAMPLING_UNCOUNTED: not counted; in a sample, the group then uses instructions for good */
};
#define SAMPLING_UNCOUNTED (-1.0)

struct sampling;
/* error: the half width that is allowed for the 95 % interval of cycles, relative to them (for example 0.02). values:
 * the number of values of a launch. */
struct sampling *sampling_new(double error, size_t values);
void sampling_delete(struct sampling *s);

/* The group of a launch that comes now, and whether to simulate it. */
size_t sampling_group(struct sampling *s, const struct sampling_launch *l);
bool sampling_wants(const struct sampling *s, size_t group);
/* Whether a launch that is not simulated must be followed by the model of the caches, which have this many lines. */
bool sampling_follows(struct sampling *s, size_t group, double lines);
/* To be called before sampling_over for a launch that is not simulated. sampling_followed: it was followed, with this
 * many lookups, of which `unknown` depend on launches that were not followed; `left` more may still do so.
 * sampling_lost: it was not followed. Neither is needed if all launches are followed. */
void sampling_followed(struct sampling *s, size_t group, double lookups, double unknown, double left);
void sampling_lost(struct sampling *s);
/* Whether the segments of a launch that is not simulated must be counted. */
bool sampling_counts_segments(const struct sampling *s, size_t group);
/* A launch is over: its size, and its values if it is a sample, otherwise NULL. */
void sampling_over(struct sampling *s, size_t group, struct sampling_size size, const double *values);
/* A simulated launch is over. True: it is a sample; false: it was only simulated to leave the caches as they would be for the next one. */
bool sampling_simulated(struct sampling *s, size_t group, struct sampling_size size, const double *values);

struct sampling_estimate {
  double value;      /* sum over all launches */
  double half_width; /* of the 95 % interval around the value; infinite: nothing is known */
};
struct sampling_estimate sampling_total(const struct sampling *s, size_t value);
/* The same for only the launches that were not simulated. */
struct sampling_estimate sampling_missing(const struct sampling *s, size_t value);
/* The values of the last sample of a group are themselves uncertain: half widths of their intervals, which widen those of the totals. */
void sampling_doubt(struct sampling *s, size_t group, const double *half_widths);
/* The predicted value of a launch of the group that is not simulated, by its size. */
double sampling_predicted(const struct sampling *s, size_t group, size_t value, struct sampling_size size);

/* Student's quantile for a two-sided 95 % interval. */
double sampling_student(size_t freedom);

struct sampling_counts {
  struct sampling_launch launch; /* the first launch of the group; the names belong to the sampling */
  uint64_t launches, simulated;
  double instructions;           /* of all its launches */
  bool by_segments;              /* launches are predicted by segments */
};
size_t sampling_groups(const struct sampling *s);
struct sampling_counts sampling_counts(const struct sampling *s, size_t group);

#endif
