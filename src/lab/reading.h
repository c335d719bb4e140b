/* Readings: where a paper says nothing, or can be understood in two ways, each way is a reading. Readings are
 * declared as data, one file for each paper in readings/: the question, the sentence of the paper on which it rests,
 * the choices, which of them is the default and why. A reading holds for all claims of its paper, never for a single
 * one.
 *
 * A choice acts by settings, which the runs of the paper's claims get after those that a rule names itself, or by a
 * definition, for which rules ask with claim_reads(), or by both. The default is what presets and rules do anyway,
 * and has no settings. Names: "d.flits=16" is choice 16 of question flits in readings/d.toml. Choosing a reading
 * changes one question; all others keep their defaults. */
#ifndef LAB_READING_H
#define LAB_READING_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct reading {
  const char *name;     /* "d.flits=16" */
  const char *question; /* "d.flits" */
  const char *choice;   /* "16" */
  const char *asks;     /* the question in words */
  const char *rests_on; /* what the paper says, and where */
  const char *why;      /* why the default is the default */
  const char *means;    /* the choice in words */
  const char *set;      /* "key=value,key=value"; "": a definition only */
  const char *only;     /* it applies only to runs whose settings contain this; "": to all */
  char group;           /* first letter of the ids of the claims that it is for */
  bool is_default;
};

/* All readings in the order of the files; the choices of a question follow each other. */
const struct reading *reading_all(size_t *n);
/* The reading called `name`; NULL with e filled if there is none. */
const struct reading *reading_find(const char *name, struct err *e);
/* The default choice of a question; NULL if there is no such question. */
const char *reading_default(const char *question);

/* For tests: reads the text of one file and appends its readings to *out, whose memory is never freed. */
bool reading_parse(const char *file, const char *text, size_t bytes, struct reading **out, size_t *n, struct err *e);

#endif
