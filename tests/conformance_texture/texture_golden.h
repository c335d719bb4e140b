/* Recorded results of the texture cases: one file, an index of lines (name, state, words, error) ended by an
 * empty line, then the words of all cases in order. Kept compressed with zstd in the repository. */
#ifndef TEXTURE_GOLDEN_H
#define TEXTURE_GOLDEN_H

#include "texture_device.h"

struct recorded {
  char name[128], error[120];
  enum run_state state;
  size_t words;
  const uint32_t *at;
};

struct recording {
  struct recorded *list;
  size_t count;
  unsigned char *bytes;
};

bool recording_write(const char *path, const struct texture_case *const *list, size_t count,
                     const struct texture_outcome *outcomes);
/* Reads plain and compressed recordings; false with a line on standard error. */
bool recording_read(struct recording *r, const char *path);
const struct recorded *recording_find(const struct recording *r, const char *name);
void recording_free(struct recording *r);
/* Compresses a file. */
bool recording_pack(const char *from, const char *to);

#endif
