/* Strings: a growable builder, a string-to-number map, and the search for the nearest name. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str {
  char *s; /* always terminated once anything was added; NULL before */
  size_t n, cap;
};
void str_add(struct str *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void str_addn(struct str *b, const char *s, size_t n);
/* All of a file, terminated also if it is empty. False, with the reason in errno: it could not be read to its end. */
bool str_add_file(struct str *b, const char *path);
void str_free(struct str *b);

/* Maps a name to a number. Keys are not copied: they must outlive the map. */
struct strmap {
  struct strmap_slot *slots;
  size_t n, mask;
};
bool strmap_get(const struct strmap *m, const char *key, size_t len, uint32_t *value);
void strmap_put(struct strmap *m, const char *key, size_t len, uint32_t value); /* replaces */
void strmap_free(struct strmap *m);

/* " (did you mean 'x'?)" with the candidate closest to `name` by edit distance; "" if none is near enough to be worth
 * offering. By value, so that it can be an argument: str_hint(word, known, n).s */
struct str_hint {
  char s[96];
};
struct str_hint str_hint(const char *name, const char *const *candidates, size_t n);

/* Whether a word is in a list of n. */
bool str_among(const char *word, const char *const *list, size_t n);

uint64_t str_hash(const void *bytes, size_t n);

#endif
