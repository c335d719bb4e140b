/* Readings: where a paper is silent, or can be understood in two ways, each way is a reading. They are declared as data, a file
 * a paper in readings/: the question, the sentence of the paper it rests on, the choices, which one is the default
 * and why. A reading holds for all claims of its paper, never for one.
 *
 * A choice acts by settings that the runs of the paper's claims get after those that a rule names itself, or by a definition that
 * rules ask for with claim_reads(), or by both. The default is what presets and rules say anyway and has no settings. Names:
 * "d.flits=16" is choice 16 of question flits of readings/d.toml. A reading that is chosen changes one question; all others
 * stay at their defaults. */
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
  const char *only;     /* part of a rule's settings: runs without it are not concerned; "": all are */
  char group;           /* the first letter of the claims it is for */
  bool is_default;
};

/* All of them, in the order of the files: the choices of a question follow each other. */
const struct reading *reading_all(size_t *n);
/* The one called `name`; NULL with e filled if there is none. */
const struct reading *reading_find(const char *name, struct err *e);
/* The default choice of a question; NULL if there is no such question. */
const char *reading_default(const char *question);

/* For tests: reads one file's text; entries are appended to *out, whose memory is never given back. */
bool reading_parse(const char *file, const char *text, size_t bytes, struct reading **out, size_t *n, struct err *e);

#endif
