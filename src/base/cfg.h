/* Configuration: every key is declared once, in the room that uses it, with type, range, default, unit and meaning.
 * A key of type CHOICE is a point where a policy is chosen (policy.h); the keys of the policies themselves come with it.
 * A GPU preset is a TOML file that gives values for keys; `--set key=value` overrides. An unknown key or a value out
 * of range is an error that names file, line, key, what is allowed, and the nearest key or word.
 *
 * Rooms read their values once, when they are built, into plain structs of their own: nothing looks a key up by name
 * while simulating. */
#ifndef BASE_CFG_H
#define BASE_CFG_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cfg_type { CFG_INT, CFG_REAL, CFG_BOOL, CFG_CHOICE /* the word of one of `choices` */, CFG_TEXT, CFG_BYTES /* 16K, 6M */ };

struct policy;

struct cfg_key {
  const char *name;     /* "l1.sets" */
  enum cfg_type type;
  const char *initial;  /* default, as written in a file */
  double min, max;      /* of INT, REAL, BYTES */
  const struct policy *const *choices; /* of CHOICE: what there is, ended by NULL */
  const char *unit;     /* "cycles", "bytes", "" */
  const char *meaning;  /* one line */
};

struct cfg;
/* `tables` is a list of n_tables key tables, each ended by a key without a name. After each come the keys of the policies that
 * its keys have a choice of. */
struct cfg *cfg_new(const struct cfg_key *const *tables, size_t n_tables);
void cfg_delete(struct cfg *c);
struct cfg *cfg_copy(const struct cfg *c);

/* Reads a TOML file of `key = value` and `[table]` lines ("[l1]" then "sets = 32" is key "l1.sets"). A top-level
 * `include = "other"` reads other.toml beside it first. */
bool cfg_read_file(struct cfg *c, const char *path, struct err *e);
bool cfg_read_text(struct cfg *c, const char *name, const char *text, struct err *e);
/* Where `include` looks before it looks for a file: a name's text, or NULL. */
void cfg_set_includes(struct cfg *c, const char *(*find)(const char *name));
/* Names that keys once had: they are refused with the name of today. Ended by one without a name; stays the caller's. */
struct cfg_former {
  const char *name, *now;
};
void cfg_set_former(struct cfg *c, const struct cfg_former *list);
/* "key=value", from --set; or from `source`, which messages name in its place. */
bool cfg_set(struct cfg *c, const char *assignment, struct err *e);
bool cfg_set_from(struct cfg *c, const char *assignment, const char *source, struct err *e);
/* "key=value,key=value"; NULL: none. Ends at the first that is wrong. */
bool cfg_set_all(struct cfg *c, const char *assignments, struct err *e);

int64_t cfg_int(const struct cfg *c, const char *name);   /* INT, BYTES, BOOL */
double cfg_real(const struct cfg *c, const char *name);   /* REAL, INT */
bool cfg_bool(const struct cfg *c, const char *name);
const char *cfg_text(const struct cfg *c, const char *name); /* TEXT; of a CHOICE the word, for messages */
/* Of a CHOICE: what was chosen, as the table that the policy begins, or NULL if it is to do nothing (policy.off); its
 * number in the list. */
const void *cfg_policy(const struct cfg *c, const char *name);
unsigned cfg_option(const struct cfg *c, const char *name);
/* Where the value came from, for messages: "configs/gtx480.toml:12", "--set", or "default". */
const char *cfg_source(const struct cfg *c, const char *name);

/* For listing and for hashing: every key with its value as text, in declaration order. */
typedef void (*cfg_visit_fn)(void *user, const struct cfg_key *key, const char *value, const char *source);
void cfg_visit(const struct cfg *c, cfg_visit_fn fn, void *user);

/* A component's complaint about values that do not fit together: names the key and where it was set. */
bool cfg_complain(const struct cfg *c, const char *name, struct err *e, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

#endif
