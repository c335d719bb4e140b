/* Published claims, measured again: what a rule consists of. Each group of claims is one file (claims_t.c, claims_b.c ...)
 * with one function for each claim and one table at its end, and is listed in claim_groups.c. What the papers say is in
 * claims.tsv: id, where, claim, published value, rule in words.
 *
 * How a group is written (claims_t.c is a complete one):
 *
 *   static const struct claim_setup base = {.gpu = "gtx480"}, tsc = {.gpu = "gtx480", .set = "l1.org=tsc"};
 *   static const char *const suite[] = {"bfs", "kmeans", NULL};
 *
 *   static void t15(struct claim *c) {
 *     double gain = 100 * (claim_gmean(c, &tsc, &base, suite) - 1);
 *     claim_figure(c, "TSC", "%", 15.6, gain);               // a number: published and measured
 *     claim_holds(c, claim_near(gain, 15.6, 5));             // the rule
 *   }
 *
 *   const struct claim_rule claims_t[] = {{"T15", t15, CLAIM_QUICK | CLAIM_SPEEDUP}, {0}};
 *
 * The reasons why claims differ are data: results/reasons.toml (claim_reason.h).
 *
 * A rule asks for numbers of runs; it does not run anything. It is first called with nothing known: every number is NAN,
 * and what the rule asks for is noted. Then these runs are made in parallel processes, into the database, and the rule
 * is called again, until it asks for nothing new. (So a rule may ask for a run that depends on the result of another,
 * after checking with claim_known.) A rule must therefore ask for all it needs before it branches on a number, and must
 * have no memory of its own. The same run is never simulated twice, whichever claims ask for it, now or later.
 *
 * The verdict is "not-measured" while anything asked for is missing (a run that failed, a configuration that is refused, a
 * statistic that does not exist); the note then says what. Otherwise it is "reproduced" if every claim_holds was given
 * true, and "differs" if not.
 *
 * For each group there is a test that calls each rule with made-up numbers, with which it holds and with which it differs
 * (tests/lab/test_claims_t.c); what these tests share is in tests/lab/claims_kit.h. */
#ifndef LAB_CLAIM_H
#define LAB_CLAIM_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* What determines a run besides its workload; the size is the same for all runs. */
struct claim_setup {
  const char *gpu;    /* a preset */
  const char *set;    /* "key=value,key=value"; NULL: nothing */
  const char *probes; /* "lines,reuse"; NULL: none. Probes change no other number of a run. */
};

struct claim; /* a claim that is being evaluated */
struct reading;

enum claim_flags {
  CLAIM_QUICK = 1,  /* few and short runs: part of `heddle claims --quick` */
  CLAIM_SPEEDUP = 2 /* its first figure is a speed-up; used by claim_sensitivity.h */
};
struct claim_rule {
  const char *id;
  void (*check)(struct claim *c);
  unsigned flags; /* enum claim_flags */
};
extern const struct claim_rule *const claim_groups[]; /* ended by NULL; each ended by a rule without id */

/* ---- asking -------------------------------------------------------------------------------------------------------------- */

/* A number of a run: a statistic ("l1d.misses", docs/results.md), "cycles", "ipc", or one of a probe
 * ("probes.lines.used_share", with the probe named in the setup). NAN while it is not known. The workload
 * "alexnet+gemm" is both at once on one GPU, with "programs.0.cycles" for alexnet. The name must live as long as the
 * program. */
double claim_stat(struct claim *c, const struct claim_setup *s, const char *workload, const char *name);
/* The whole result of a probe, as in the JSON of `heddle run --probe`; NULL while it is not known. */
const json_t *claim_probe(struct claim *c, const struct claim_setup *s, const char *workload, const char *probe);
/* Bits of storage that a configuration adds to the base GPU, for one instance (an SM, a slice). They are computed,
 * not measured in a run. `part` is one of cost/storage.h ("l1.org", "l1.bypass", ...), or "" for all of them. */
double claim_storage(struct claim *c, const struct claim_setup *s, const char *part);
/* The number that a key has in the configuration ("l1.latency"). */
double claim_key(struct claim *c, const struct claim_setup *s, const char *key);
/* Whether `choice` is the reading of a question that the paper leaves open ("t.misses", "access"; reading.h). */
bool claim_reads(const struct claim *c, const char *question, const char *choice);
/* Whether everything asked for so far is known. To be checked before further runs are chosen by a result. */
bool claim_known(const struct claim *c);
/* From here on, until the next call with NULL, the rule makes one search in which each run is chosen by those before
 * it. When runs are divided among several processes, those of a search stay together. */
void claim_chain(struct claim *c, const char *name);

/* ---- often asked; lists end with NULL -------------------------------------------------------------------------------------- */

/* Cycles under `base` over cycles under `s`. */
double claim_speedup(struct claim *c, const struct claim_setup *s, const struct claim_setup *base, const char *workload);
/* Geometric mean of claim_speedup. */
double claim_gmean(struct claim *c, const struct claim_setup *s, const struct claim_setup *base, const char *const *list);
/* A statistic under `s` over the same under `base`. */
double claim_ratio(struct claim *c, const struct claim_setup *s, const struct claim_setup *base, const char *workload,
                   const char *name);
/* Part over whole of one run: claim_share(c, &base, "kmeans", "l1d.misses", "l1d.reads"). */
double claim_share(struct claim *c, const struct claim_setup *s, const char *workload, const char *part, const char *whole);
/* claim_mean: arithmetic mean of a statistic. claim_mean_share: of claim_share. */
double claim_mean(struct claim *c, const struct claim_setup *s, const char *const *list, const char *name);
double claim_mean_share(struct claim *c, const struct claim_setup *s, const char *const *list, const char *part,
                        const char *whole);
/* The smallest or largest claim_speedup of a list; *which is its workload (may be NULL). */
double claim_worst(struct claim *c, const struct claim_setup *s, const struct claim_setup *base, const char *const *list,
                   const char **which);
double claim_best(struct claim *c, const struct claim_setup *s, const struct claim_setup *base, const char *const *list,
                  const char **which);
/* Rank correlation of n <= 64 pairs. */
double claim_spearman(const double *a, const double *b, unsigned n);
/* |v - published| <= by; false for NAN. */
bool claim_near(double v, double published, double by);

/* ---- answering ------------------------------------------------------------------------------------------------------------- */

/* A measured number beside the published one (NAN: not published as a number). They are kept in the order of the
 * calls. If claim_measured is not called they are also the claim's text: "15.6 %", or "DSC-2 10.4 / DSC-4 11.7 %". */
void claim_figure(struct claim *c, const char *label, const char *unit, double published, double measured);
/* The measured value in words; several calls add to each other. */
void claim_measured(struct claim *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Anything else that a reader should know; always shown. */
void claim_note(struct claim *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Whether the rule holds. If there are several calls, all must be true. */
void claim_holds(struct claim *c, bool yes);

/* ---- evaluating: for those who call rules --------------------------------------------------------------------------------- */

/* A number that a rule or figure asks for. */
struct claim_ask {
  const struct claim_setup *setup;
  const char *workload;
  const char *name;  /* as for claim_stat, or "probe:NAME" for the whole result of a probe */
  const char *chain; /* see claim_chain; NULL: none */
  char group;        /* first letter of the claim or figure that asks */
};
enum claim_answer { CLAIM_KNOWN, CLAIM_LATER /* it will be run */, CLAIM_NEVER /* *why says why not */ };
/* Where numbers come from: the database (claim_lab.c), or a test. */
struct claim_source {
  /* *run: {"cycles": 1, "l1d.misses": 2, ..., "probes": {"lines": {...}}}, numbers under their dotted names. */
  enum claim_answer (*run)(void *user, const struct claim_ask *ask, const json_t **run, const char **why);
  enum claim_answer (*storage)(void *user, const struct claim_setup *s, const char *part, double *bits, const char **why);
  enum claim_answer (*key)(void *user, const struct claim_setup *s, const char *key, double *value, const char **why);
  /* The number of rows of a table that other commands fill ("scores", "combinations"). */
  double (*count)(void *user, const char *table);
  void *user;
  const struct reading *reading; /* the one question with a reading other than its default; NULL: none */
};
/* A claim that only asks for numbers, for figures (figure.h). claim_lacks says what cannot be had and why; NULL: nothing. */
struct claim *claim_begin(const struct claim_source *source, char group);
const char *claim_lacks(const struct claim *c);
void claim_end(struct claim *c);
/* The number of rows of a table, for claims about what has been measured. */
double claim_count(struct claim *c, const char *table);

/* Evaluates a claim: {id, published, measured, verdict, note, figures}, where figures is a list of {label, unit,
 * published, measured}. `rule` is NULL if none has been written. */
json_t *claim_evaluate(const char *id, const struct claim_rule *rule, const struct claim_source *source);

/* ---- the table of what was published ------------------------------------------------------------------------------------------ */

/* A paper, whose claims are the group with its letter. */
struct claim_paper {
  char letter;
  const char *name, *source;
  const char *stop; /* thread instructions after which the paper ended its runs, as do ours of size paper; "": they run to their end */
};
extern const struct claim_paper claim_papers[]; /* ended by an entry without a letter */
const struct claim_paper *claim_paper(char letter); /* NULL: there is none */

struct claim_row {
  const char *id, *where, *claim, *published, *rule;
};
const struct claim_row *claim_rows(size_t *n);
const struct claim_row *claim_row(const char *id);   /* NULL: there is none */
const struct claim_rule *claim_rule_of(const char *id); /* NULL: not written */

#endif
