/* Reading and writing of recorded results: see golden.h. Without libzstd (CONFORMANCE_ZSTD not defined) only
 * plain data files can be read and written, which is all a recording machine needs. */
#include "golden.h"

#include "lane_inputs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#ifdef CONFORMANCE_ZSTD
#include <zstd.h>
#endif

enum { FILE_BYTES = 12 << 20, PATH_BYTES = 4096, LINE_BYTES = 8192, LEVEL = 19 };

struct golden_file {
  char *name;
  unsigned char *bytes;
  size_t size, capacity;
};

static const char *const STATES[] = {"ok", "refused", "failed"};

static void *must(void *p) {
  if (!p) {
    fprintf(stderr, "conformance: out of memory\n");
    exit(2);
  }
  return p;
}

static char *copy(const char *s) { return must(strdup(s)); }

uint64_t golden_hash(uint64_t seed, const void *bytes, size_t count) {
  const unsigned char *p = bytes;
  uint64_t h = input_mix(seed, count), word = 0;
  for (size_t i = 0; i < count; i++) {
    word = word << 8 | p[i];
    if (i % 8 == 7) h = input_mix(h, word);
  }
  return input_mix(h, word);
}

static struct golden_file *find_file(struct golden *g, const char *name) {
  for (size_t i = 0; i < g->file_count; i++)
    if (strcmp(g->files[i].name, name) == 0) return &g->files[i];
  return NULL;
}

static struct golden_file *add_file(struct golden *g, const char *name) {
  g->files = must(realloc(g->files, (g->file_count + 1) * sizeof *g->files));
  struct golden_file *f = &g->files[g->file_count++];
  *f = (struct golden_file){.name = copy(name)};
  return f;
}

static struct golden_entry *add_entry(struct golden *g) {
  if (g->count == g->capacity) {
    g->capacity = g->capacity ? 2 * g->capacity : 4096;
    g->entries = must(realloc(g->entries, g->capacity * sizeof *g->entries));
  }
  return &g->entries[g->count++];
}

/* Reading. */

/* The whole file at `path`, or NULL. */
static unsigned char *slurp(const char *path, size_t *size) {
  FILE *f = fopen(path, "rb");
  struct stat st;
  if (!f) return NULL;
  unsigned char *bytes = NULL;
  if (fstat(fileno(f), &st) == 0 && st.st_size >= 0) {
    *size = (size_t)st.st_size;
    bytes = must(malloc(*size + 1));
    if (fread(bytes, 1, *size, f) != *size) {
      free(bytes);
      bytes = NULL;
    }
  }
  fclose(f);
  return bytes;
}

#ifdef CONFORMANCE_ZSTD
static unsigned char *decompress(unsigned char *packed, size_t *size) {
  unsigned long long plain = ZSTD_getFrameContentSize(packed, *size);
  if (plain == ZSTD_CONTENTSIZE_ERROR || plain == ZSTD_CONTENTSIZE_UNKNOWN || plain > 1u << 30) return NULL;
  unsigned char *bytes = must(malloc(plain + 1));
  size_t got = ZSTD_decompress(bytes, plain, packed, *size);
  if (ZSTD_isError(got) || got != plain) {
    free(bytes);
    return NULL;
  }
  *size = got;
  return bytes;
}
#endif

static unsigned char *read_data(const char *folder, const char *name, size_t *size) {
  char path[PATH_BYTES];
  snprintf(path, sizeof path, "%s/%s.bin", folder, name);
  unsigned char *bytes = slurp(path, size);
#ifdef CONFORMANCE_ZSTD
  if (bytes) return bytes;
  snprintf(path, sizeof path, "%s/%s.zst", folder, name);
  unsigned char *packed = slurp(path, size);
  if (packed) bytes = decompress(packed, size);
  free(packed);
#endif
  return bytes;
}

const unsigned char *golden_bytes(struct golden *g, const struct golden_entry *e) {
  struct golden_file *f = find_file(g, e->file);
  if (!f) {
    f = add_file(g, e->file);
    f->bytes = read_data(g->folder, e->file, &f->size);
    if (!f->bytes) fprintf(stderr, "conformance: cannot read data file \"%s\" of %s\n", e->file, g->folder);
  }
  size_t need = (size_t)e->lanes * e->stride;
  return f->bytes && e->offset <= f->size && need <= f->size - e->offset ? f->bytes + e->offset : NULL;
}

/* One line of the index; false when it is malformed. */
static bool parse_line(char *line, struct golden_entry *e) {
  char *field[9], *rest = line;
  for (unsigned i = 0; i < 9; i++) {
    field[i] = strsep(&rest, "\t");
    if (!field[i]) return false;
  }
  field[8][strcspn(field[8], "\n")] = 0;
  unsigned state = 0;
  while (state < 3 && strcmp(field[1], STATES[state]) != 0) state++;
  if (state == 3) return false;
  *e = (struct golden_entry){.name = copy(field[0]), .file = copy(field[6]), .error = copy(field[8])};
  e->state = (enum golden_state)state;
  e->lanes = (unsigned)strtoul(field[2], NULL, 10);
  e->stride = (unsigned)strtoul(field[3], NULL, 10);
  e->source = strtoull(field[4], NULL, 16);
  e->hash = strtoull(field[5], NULL, 16);
  e->offset = strtoull(field[7], NULL, 10);
  return true;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct golden_entry *)a)->name, ((const struct golden_entry *)b)->name);
}

bool golden_read(struct golden *g, const char *folder) {
  char path[PATH_BYTES], line[LINE_BYTES];
  golden_start(g, folder);
  snprintf(path, sizeof path, "%s/index.tsv", folder);
  FILE *f = fopen(path, "r");
  if (!f) {
    fprintf(stderr, "conformance: %s: %s\n", path, strerror(errno));
    return false;
  }
  for (unsigned number = 1; fgets(line, sizeof line, f); number++) {
    if (line[0] == '#') continue;
    if (!parse_line(line, add_entry(g))) {
      g->count--;
      fprintf(stderr, "conformance: %s:%u: not a line of the index\n", path, number);
      fclose(f);
      return false;
    }
  }
  fclose(f);
  qsort(g->entries, g->count, sizeof *g->entries, by_name);
  return true;
}

const struct golden_entry *golden_find(const struct golden *g, const char *name) {
  struct golden_entry key = {.name = (char *)(uintptr_t)name};
  return bsearch(&key, g->entries, g->count, sizeof key, by_name);
}

/* Writing. */

void golden_start(struct golden *g, const char *folder) { *g = (struct golden){.folder = copy(folder)}; }

/* An earlier entry with the same bytes in the same group, whose place can be shared. */
static const struct golden_entry *same_bytes(struct golden *g, const struct golden_entry *e,
                                             const unsigned char *bytes, const char *group) {
  size_t size = (size_t)e->lanes * e->stride;
  for (size_t i = g->count; i-- > 0;) {
    const struct golden_entry *old = &g->entries[i];
    if (old->hash != e->hash || old->state != GOLDEN_OK || (size_t)old->lanes * old->stride != size) continue;
    if (group && strcmp(group, old->file) != 0) continue;
    struct golden_file *f = find_file(g, old->file);
    if (memcmp(f->bytes + old->offset, bytes, size) == 0) return old;
  }
  return NULL;
}

/* The data file that takes the next `size` bytes. */
static struct golden_file *file_for(struct golden *g, const char *group, size_t size) {
  char name[64];
  struct golden_file *f = group ? find_file(g, group) : g->file_count ? &g->files[g->file_count - 1] : NULL;
  if (f && (group || f->size + size <= FILE_BYTES)) return f;
  snprintf(name, sizeof name, "results-%zu", g->file_count);
  return add_file(g, group ? group : name);
}

static size_t append(struct golden_file *f, const unsigned char *bytes, size_t size) {
  if (f->size + size > f->capacity) {
    f->capacity = 2 * (f->size + size);
    f->bytes = must(realloc(f->bytes, f->capacity));
  }
  memcpy(f->bytes + f->size, bytes, size);
  f->size += size;
  return f->size - size;
}

void golden_add(struct golden *g, const struct golden_entry *e, const unsigned char *bytes,
                const char *group) {
  struct golden_entry n = *e;
  const char *file = "-";
  n.offset = 0;
  if (e->state == GOLDEN_OK) {
    const struct golden_entry *old = same_bytes(g, e, bytes, group);
    struct golden_file *f = old ? find_file(g, old->file) : file_for(g, group, (size_t)e->lanes * e->stride);
    n.offset = old ? old->offset : append(f, bytes, (size_t)e->lanes * e->stride);
    file = f->name;
  }
  n.file = copy(file);
  n.name = copy(e->name);
  n.error = copy(e->error ? e->error : "");
  *add_entry(g) = n;
}

static bool write_file(const char *path, const void *bytes, size_t size) {
  FILE *f = fopen(path, "wb");
  bool good = f && fwrite(bytes, 1, size, f) == size;
  if (f && fclose(f) != 0) good = false;
  if (!good) fprintf(stderr, "conformance: %s: %s\n", path, strerror(errno));
  return good;
}

static bool write_data(const struct golden *g, const struct golden_file *f, bool pack) {
  char path[PATH_BYTES];
#ifdef CONFORMANCE_ZSTD
  if (pack) {
    size_t capacity = ZSTD_compressBound(f->size);
    unsigned char *packed = must(malloc(capacity));
    size_t size = ZSTD_compress(packed, capacity, f->bytes, f->size, LEVEL);
    snprintf(path, sizeof path, "%s/%s.zst", g->folder, f->name);
    bool good = !ZSTD_isError(size) && write_file(path, packed, size);
    free(packed);
    return good;
  }
#endif
  (void)pack;
  snprintf(path, sizeof path, "%s/%s.bin", g->folder, f->name);
  return write_file(path, f->bytes, f->size);
}

bool golden_write(struct golden *g, bool pack) {
  char path[PATH_BYTES];
  snprintf(path, sizeof path, "%s/index.tsv", g->folder);
  FILE *f = fopen(path, "w");
  if (!f) {
    fprintf(stderr, "conformance: %s: %s\n", path, strerror(errno));
    return false;
  }
  fprintf(f, "# name\tstate\tlanes\tstride\tsource\tresults\tfile\toffset\terror\n");
  for (size_t i = 0; i < g->count; i++) {
    const struct golden_entry *e = &g->entries[i];
    fprintf(f, "%s\t%s\t%u\t%u\t%016" PRIx64 "\t%016" PRIx64 "\t%s\t%zu\t%s\n", e->name, STATES[e->state],
            e->lanes, e->stride, e->source, e->hash, e->file, e->offset, e->error);
  }
  bool good = fclose(f) == 0;
  for (size_t i = 0; i < g->file_count; i++) good = write_data(g, &g->files[i], pack) && good;
  return good;
}

void golden_free(struct golden *g) {
  for (size_t i = 0; i < g->count; i++) {
    free(g->entries[i].name);
    free(g->entries[i].file);
    free(g->entries[i].error);
  }
  for (size_t i = 0; i < g->file_count; i++) {
    free(g->files[i].name);
    free(g->files[i].bytes);
  }
  free(g->entries);
  free(g->files);
  free(g->folder);
}
