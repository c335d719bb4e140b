/* Recorded results: an index of variants and the bytes they gave on silicon.
 *
 * A folder holds `index.tsv`, one line a variant, and data files: `NAME.bin` as recorded or `NAME.zst` as
 * kept in the repository. Equal results are stored once. A line is name, state (ok, refused, failed), lanes,
 * stride, source hash, result hash, file, offset, error where the source hash covers the kernel's text and
 * its inputs, so that a recording older than the table is seen. */
#ifndef CONFORMANCE_GOLDEN_H
#define CONFORMANCE_GOLDEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum golden_state { GOLDEN_OK, GOLDEN_REFUSED, GOLDEN_FAILED };

struct golden_entry {
  char *name, *file, *error;
  enum golden_state state;
  unsigned lanes, stride;
  uint64_t source, hash;
  size_t offset;
};

struct golden {
  char *folder;
  struct golden_entry *entries; /* in name order once read */
  size_t count, capacity;
  struct golden_file *files;
  size_t file_count;
};

/* Hash of a block of memory, continued from `seed`. */
uint64_t golden_hash(uint64_t seed, const void *bytes, size_t count);

/* Reads the index; false with a line on standard error when it cannot be read. */
bool golden_read(struct golden *g, const char *folder);

/* The entry of a variant, or NULL. */
const struct golden_entry *golden_find(const struct golden *g, const char *name);

/* The recorded bytes of an entry in state GOLDEN_OK, or NULL with a line on standard error. */
const unsigned char *golden_bytes(struct golden *g, const struct golden_entry *e);

/* Writing: entries are added in order, bytes of equal entries are shared, `group` names the data file (NULL:
 * files numbered and cut at 12 MiB). `golden_write` writes everything; compressed when zstd is there and
 * `pack` is set. */
void golden_start(struct golden *g, const char *folder);
void golden_add(struct golden *g, const struct golden_entry *e, const unsigned char *bytes,
                const char *group);
bool golden_write(struct golden *g, bool pack);

void golden_free(struct golden *g);

#endif
