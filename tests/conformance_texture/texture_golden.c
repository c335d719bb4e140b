/* See texture_golden.h. Without zstd (TEXTURE_ZSTD not defined) only plain recordings are read and written.
 */
#include "texture_golden.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef TEXTURE_ZSTD
#include <zstd.h>
#endif

static unsigned char *read_all(const char *path, size_t *size) {
  FILE *f = fopen(path, "rb");
  if (!f) {
    perror(path);
    return NULL;
  }
  size_t capacity = 1 << 16;
  unsigned char *bytes = malloc(capacity);
  *size = 0;
  for (size_t n; bytes && (n = fread(bytes + *size, 1, capacity - *size, f)) > 0;) {
    *size += n;
    if (*size == capacity) bytes = realloc(bytes, capacity *= 2);
  }
  fclose(f);
  if (!bytes) exit(2);
  return bytes;
}

bool recording_write(const char *path, const struct texture_case *const *list, size_t count,
                     const struct texture_outcome *outcomes) {
  FILE *f = fopen(path, "wb");
  if (!f) {
    perror(path);
    return false;
  }
  for (size_t i = 0; i < count; i++)
    fprintf(f, "%s\t%d\t%zu\t%s\n", list[i]->name, (int)outcomes[i].state,
            outcomes[i].state == RUN_OK ? case_result_words(list[i]) : 0, outcomes[i].error);
  fputc('\n', f);
  for (size_t i = 0; i < count; i++)
    if (outcomes[i].state == RUN_OK) fwrite(outcomes[i].words, 4, case_result_words(list[i]), f);
  return fclose(f) == 0;
}

/* ---- compression ---- */

#ifdef TEXTURE_ZSTD
static unsigned char *unpack(unsigned char *bytes, size_t *size) {
  static const unsigned char MAGIC[4] = {0x28, 0xb5, 0x2f, 0xfd};
  if (*size < 4 || memcmp(bytes, MAGIC, 4) != 0) return bytes;
  unsigned long long full = ZSTD_getFrameContentSize(bytes, *size);
  unsigned char *out = full < 1u << 28 ? malloc(full + 1) : NULL;
  size_t n = out ? ZSTD_decompress(out, full, bytes, *size) : 0;
  free(bytes);
  if (!out || ZSTD_isError(n)) {
    free(out);
    return NULL;
  }
  *size = n;
  return out;
}

bool recording_pack(const char *from, const char *to) {
  size_t size;
  unsigned char *bytes = read_all(from, &size);
  if (!bytes) return false;
  size_t capacity = ZSTD_compressBound(size);
  unsigned char *out = malloc(capacity);
  if (!out) exit(2);
  size_t n = ZSTD_compress(out, capacity, bytes, size, 19);
  FILE *f = ZSTD_isError(n) ? NULL : fopen(to, "wb");
  bool ok = f && fwrite(out, 1, n, f) == n;
  if (f) ok = fclose(f) == 0 && ok;
  free(bytes);
  free(out);
  return ok;
}
#else
static unsigned char *unpack(unsigned char *bytes, size_t *size) {
  (void)size;
  return bytes;
}

bool recording_pack(const char *from, const char *to) {
  fprintf(stderr, "%s: built without zstd, cannot write %s\n", from, to);
  return false;
}
#endif

/* ---- reading ---- */

static bool read_line(struct recorded *r, char *line) {
  char *field[4] = {line};
  for (unsigned i = 1; i < 4; i++) {
    field[i] = strchr(field[i - 1], '\t');
    if (!field[i]) return false;
    *field[i]++ = 0;
  }
  snprintf(r->name, sizeof r->name, "%s", field[0]);
  snprintf(r->error, sizeof r->error, "%s", field[3]);
  r->state = (enum run_state)atoi(field[1]);
  r->words = strtoul(field[2], NULL, 10);
  return true;
}

static bool read_index(struct recording *r, size_t size) {
  char *at = (char *)r->bytes, *end = at + size;
  while (at < end && *at != '\n') {
    char *stop = memchr(at, '\n', (size_t)(end - at));
    if (!stop) return false;
    *stop = 0;
    r->list = realloc(r->list, (r->count + 1) * sizeof *r->list);
    if (!r->list) exit(2);
    if (!read_line(&r->list[r->count++], at)) return false;
    at = stop + 1;
  }
  const char *words = at + 1;
  for (size_t i = 0; i < r->count; i++) {
    if ((size_t)(end - words) < r->list[i].words * 4) return false;
    uint32_t *copy = malloc(r->list[i].words * 4 + 4);
    if (!copy) exit(2);
    memcpy(copy, words, r->list[i].words * 4);
    r->list[i].at = copy;
    words += r->list[i].words * 4;
  }
  return true;
}

bool recording_read(struct recording *r, const char *path) {
  size_t size;
  *r = (struct recording){.bytes = read_all(path, &size)};
  if (r->bytes) r->bytes = unpack(r->bytes, &size);
  if (r->bytes && read_index(r, size)) return true;
  fprintf(stderr, "%s: not a recording of texture cases\n", path);
  recording_free(r);
  return false;
}

const struct recorded *recording_find(const struct recording *r, const char *name) {
  for (size_t i = 0; i < r->count; i++)
    if (strcmp(r->list[i].name, name) == 0) return &r->list[i];
  return NULL;
}

void recording_free(struct recording *r) {
  for (size_t i = 0; i < r->count; i++) free((void *)(uintptr_t)r->list[i].at);
  free(r->list);
  free(r->bytes);
  *r = (struct recording){0};
}
