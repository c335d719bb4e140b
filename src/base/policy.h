/* Points where something can be chosen, and what can be chosen there.
 *
 * A point is a key of type CFG_CHOICE (cfg.h): its row says what is decided there, and its list says what there is to choose.
 * Everything about a choice is in its struct policy: the word, its meaning, the paper it is from, the keys and statistics that
 * only it has, and what it stores. A policy with functions is a table of its room's that begins with a struct policy, so
 * that cfg_policy gives the table itself. Values, help, completion, `heddle list`, statistics and rows of storage are all made
 * from these lists: there is no other list of words, and nobody compares words.
 *
 * Does not: call a policy. What its functions are is between it and its room. */
#ifndef BASE_POLICY_H
#define BASE_POLICY_H

#include "base/cfg.h"
#include "base/stat.h"
#include "base/str.h"

/* What there is one of for each: the GPU, an SM, an L2 slice, a DRAM channel. */
enum policy_of { POLICY_OF_GPU, POLICY_OF_SM, POLICY_OF_SLICE, POLICY_OF_CHANNEL };

/* Something that a policy adds to the hardware: a row of storage, area and energy. */
struct policy_part {
  const char *name;
  enum policy_of of;
  /* Bits of one of them; false with e filled: the configuration does not fit. */
  bool (*bits)(const struct cfg *cfg, uint64_t *bits, struct err *e);
  const char *rows;      /* key: accesses it takes to read all of it; "": one; NULL: accesses are words of 32 bits */
  const char *statistic; /* that counts those accesses; NULL: nobody does */
  bool flops;            /* held in flip-flops */
};

struct policy {
  const char *name;                  /* the word */
  const char *meaning;               /* one line */
  const char *paper;                 /* authors, title, place and year; NULL: from none */
  bool off;                          /* nothing is done at this point */
  bool bound;                        /* cannot be built: what papers compare with as the most there is to gain */
  const struct cfg_key *keys;        /* its own, ended by a key without a name; NULL: none */
  const struct stat_def *stats;      /* what only it counts, ended by one without a name; NULL: nothing */
  const struct policy_part *storage; /* what it stores, ended by one without a name; NULL: nothing */
};

/* A word that is no more than that: "miss", with what it means. */
#define OPTION(word, means) &(const struct policy){.name = (word), .meaning = (means)}
#define OPTION_OFF(word, means) &(const struct policy){.name = (word), .meaning = (means), .off = true}

/* The list of a point whose policies are one file each. LIST(X, T) is X(T, id) for each of them, a line each:
 *   #define LIST(X, T) X(T, dram_frfcfs) X(T, dram_fcfs)
 *   POLICY_LIST(dram_schedulers, struct dram_scheduler, LIST); */
#define POLICY_DECLARE(T, id) extern const T id;
#define POLICY_POINTER(T, id) &id.policy,
#define POLICY_LIST(name, T, LIST)                                                                                     \
  LIST(POLICY_DECLARE, T) const struct policy *const name[] = {LIST(POLICY_POINTER, T) NULL}

/* The policy of a list by its word, as the table that it begins; NULL: there is none. */
const void *policy_find(const struct policy *const *list, const char *word);
size_t policy_count(const struct policy *const *list);
/* " (did you mean 'gto'?)" or "", and the words of a list with blanks between them. */
struct str_hint policy_hint(const struct policy *const *list, const char *word);
void policy_words(const struct policy *const *list, struct str *out);

/* How many statistics a policy has of its own, and an array for them: zeros, or NULL for none; to be freed. */
size_t policy_stats(const struct policy *p);
uint64_t *policy_counters(const struct policy *p);
/* Registers the statistics of every policy of a list: `counters` belong to the chosen one, the others count nothing. */
void policy_register(struct stats *s, const struct policy *const *list, const struct policy *chosen, const uint64_t *counters,
                     unsigned instance);

#endif
