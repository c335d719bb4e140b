/* What rules and figures ask for while they are evaluated. An ask is a run that some of them want: it is known, to be
 * run, or cannot be had. It is looked for among the stored results (claim_stored.h), then in the database; a stored
 * run that lacks a number which is asked for counts as not stored. Several rules that want the same run with
 * different probes get one run with all of the probes, if they ask before it is made. Runs nothing: claim_lab.c does. */
#ifndef LAB_CLAIM_ASKS_H
#define LAB_CLAIM_ASKS_H

#include "base/arena.h"
#include "base/str.h"
#include "lab/claims/claim_lab.h"

enum ask_state { ASK_TO_RUN, ASK_KNOWN, ASK_NEVER };

struct ask {
  const char *key;      /* workload, GPU and settings as the rule wrote them; with the probes if nothing will be run */
  struct lab_run run;   /* with every probe that was asked for */
  enum ask_state state;
  json_t *result;       /* ASK_KNOWN */
  json_t *used;         /* the names of the numbers that were asked for, as keys */
  const char *why;      /* ASK_NEVER */
  bool in_table;        /* the result is a stored one, which has only some of the numbers */
  bool lacking;         /* there is a stored one, but it lacks a number that is asked for */
  bool stale;           /* the result is of another configuration, program or timing (claim_stored.h) */
  bool sampled;         /* parts of it are predicted */
  bool ours;            /* it belongs to the part of the runs that this process makes */
};

struct claim_asks {
  const struct claim_lab *l;
  struct arena arena;
  struct ask *asks;
  size_t n, cap;
  struct strmap by_key;
  bool only_look;       /* nothing will be run, so whoever asks without probes is content with a run without them */
  bool met_stale, met_sampled; /* whether such results were met since these were last set to false */
  struct err *e;        /* an error of the host, which ends everything */
};

struct claim_source claim_asks_source(struct claim_asks *m);
/* Looks for the run of an ask again. */
void claim_ask_look(struct claim_asks *m, struct ask *a);
/* The run cannot be had; `what` is the reason, of which the first line is kept. */
void claim_ask_refuse(struct claim_asks *m, struct ask *a, const char *what);
/* Whether the run is still to be made, by this process. */
bool claim_ask_waits(const struct ask *a);
/* Puts what is known into a table: those numbers of each run that were asked for. */
void claim_asks_store(const struct claim_asks *m, struct claim_stored *table);
void claim_asks_free(struct claim_asks *m);

#endif
