/* heddle compress: what every compressor makes of a file's 128-byte blocks. Each block is encoded, decoded again and compared.
 * A file is read in pieces, so its size does not matter; the last block is filled up with zeros. */
#include "base/arena.h"
#include "base/output.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/show/picture.h"
#include "compress/compress.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char usage[] =
    "heddle compress FILE... [--json FILE] [-o PICTURE]\n\n"
    "Cuts files into 128-byte blocks and passes them through every compressor that reply.compress offers. Shows the\n"
    "compression ratio (bytes before over bytes after), the space saved, the distribution of compressed block sizes, and how\n"
    "fast one core of this machine encodes and decodes.\n";

/* Sizes of blocks that were compressed, in steps of 16 bytes, and of those that were not. */
enum { STEP = 16, STEPS = COMPRESS_BLOCK / STEP, BINS = STEPS + 1, PIECE = 8192 /* blocks */, MOST_COMPRESSORS = 16 };

struct tally {
  uint64_t blocks, bits, bins[BINS];
  double encode, decode; /* CPU seconds */
};
struct result {
  const char *name;
  uint64_t bytes;
  struct tally by[MOST_COMPRESSORS];
};

struct piece {
  uint8_t in[PIECE][COMPRESS_BLOCK], back[PIECE][COMPRESS_BLOCK], out[PIECE][COMPRESS_MOST_BYTES];
  uint32_t bits[PIECE];
};

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- measuring ---- */

static bool measure(const struct compressor *c, struct piece *p, size_t n, struct tally *t, struct err *e) {
  bool fine = true;
  double start = cpu_seconds();
  for (size_t i = 0; i < n; i++) p->bits[i] = c->encode(p->in[i], COMPRESS_ALL, p->out[i]);
  double middle = cpu_seconds();
  for (size_t i = 0; i < n; i++) fine &= c->decode(p->out[i], p->bits[i], COMPRESS_ALL, p->back[i]);
  t->encode += middle - start;
  t->decode += cpu_seconds() - middle;
  for (size_t i = 0; i < n; i++) {
    uint32_t bytes = compress_bytes(p->bits[i]);
    t->bits += p->bits[i];
    t->bins[p->bits[i] >= 8 * COMPRESS_BLOCK ? STEPS : (bytes - 1) / STEP]++;
  }
  t->blocks += n;
  if (fine && !memcmp(p->in, p->back, n * COMPRESS_BLOCK)) return true;
  return err_set(e, ERR_FAULT, "%s: a block that was encoded and decoded is not the same; this is a mistake of heddle", c->policy.name);
}

static bool measure_file(const char *path, struct piece *p, struct result *r, struct err *e) {
  FILE *f = fopen(path, "rb");
  if (!f) return err_set(e, ERR_INPUT, "cannot read '%s': %s", path, strerror(errno));
  bool ok = true;
  *r = (struct result){.name = path};
  for (size_t n; ok && (n = fread(p->in, 1, sizeof p->in, f)) > 0;) {
    size_t blocks = (n + COMPRESS_BLOCK - 1) / COMPRESS_BLOCK;
    memset((uint8_t *)p->in + n, 0, blocks * COMPRESS_BLOCK - n);
    r->bytes += n;
    for (size_t c = 0; ok && compressors[c]; c++) ok = measure(compressors[c], p, blocks, &r->by[c], e);
  }
  if (ok && ferror(f)) ok = err_set(e, ERR_INPUT, "cannot read '%s': %s", path, strerror(errno));
  if (ok && !r->bytes) ok = err_set(e, ERR_INPUT, "'%s' is empty: there is no block to compress", path);
  fclose(f);
  return ok;
}

static void add(struct result *sum, const struct result *r) {
  sum->bytes += r->bytes;
  for (size_t c = 0; compressors[c]; c++) {
    struct tally *to = &sum->by[c];
    const struct tally *from = &r->by[c];
    to->blocks += from->blocks;
    to->bits += from->bits;
    to->encode += from->encode;
    to->decode += from->decode;
    for (unsigned i = 0; i < BINS; i++) to->bins[i] += from->bins[i];
  }
}

static double ratio(const struct tally *t) { return 8.0 * COMPRESS_BLOCK * (double)t->blocks / (double)t->bits; }
static double gb_per_s(const struct tally *t, double seconds) {
  return seconds > 0 ? (double)t->blocks * COMPRESS_BLOCK / seconds / 1e9 : 0;
}
static double share(const struct tally *t, unsigned bin) { return (double)t->bins[bin] / (double)t->blocks; }

/* ---- showing ---- */

static void show(const struct result *r) {
  printf("%s: %llu bytes, %llu blocks\n", r->name, (unsigned long long)r->bytes, (unsigned long long)r->by[0].blocks);
  printf("  %-6s %6s %7s   at most", "", "ratio", "saved");
  for (unsigned i = 0; i < STEPS; i++) printf("%5u", (i + 1) * STEP);
  printf(" bytes  plain   encode  decode\n");
  for (size_t c = 0; compressors[c]; c++) {
    const struct tally *t = &r->by[c];
    printf("  %-6s %6.2f %5.1f %%          ", compressors[c]->policy.name, ratio(t), 100 * (1 - 1 / ratio(t)));
    for (unsigned i = 0; i < STEPS; i++) printf(t->bins[i] ? " %3.0f%%" : "    -", 100 * share(t, i));
    printf("       %4.0f%%  %7.2f %7.2f GB/s\n", 100 * share(t, STEPS), gb_per_s(t, t->encode), gb_per_s(t, t->decode));
  }
}

static json_t *json_of(const struct result *r) {
  json_t *list = json_array();
  for (size_t c = 0; compressors[c]; c++) {
    const struct tally *t = &r->by[c];
    json_t *bins = json_array();
    for (unsigned i = 0; i < STEPS; i++)
      json_array_append_new(bins, json_pack("{s:i, s:I}", "bytes", (int)((i + 1) * STEP), "blocks", (json_int_t)t->bins[i]));
    json_array_append_new(list, json_pack("{s:s, s:I, s:f, s:f, s:o, s:I, s:f, s:f}", "name", compressors[c]->policy.name, "bits",
                                          (json_int_t)t->bits, "ratio", ratio(t), "space_savings", 1 - 1 / ratio(t), "at_most",
                                          bins, "plain_blocks", (json_int_t)t->bins[STEPS], "encode_gb_per_s",
                                          gb_per_s(t, t->encode), "decode_gb_per_s", gb_per_s(t, t->decode)));
  }
  return json_pack("{s:s, s:I, s:I, s:o}", "file", r->name, "bytes", (json_int_t)r->bytes, "blocks",
                   (json_int_t)r->by[0].blocks, "compressors", list);
}

static bool draw(const struct result *r, size_t n, const char *path, struct err *e) {
  static const char *const names[BINS] = {"16", "32", "48", "64", "80", "96", "112", "128", "plain"};
  struct picture p = {0};
  for (size_t i = 0; i < n; i++) {
    picture_title(&p, r[i].name, "shares of its blocks that become at most so many bytes");
    picture_legend(&p, names, BINS);
    for (size_t c = 0; compressors[c]; c++) {
      double shares[BINS];
      char name[64];
      snprintf(name, sizeof name, "%s, ratio %.2f", compressors[c]->policy.name, ratio(&r[i].by[c]));
      for (unsigned k = 0; k < BINS; k++) shares[k] = share(&r[i].by[c], k);
      picture_stack(&p, name, shares, BINS);
    }
  }
  return picture_write(&p, path, "Files, compressed in blocks of 128 bytes by heddle", e);
}

static bool write_all(const struct result *r, size_t n, const char *json, const char *picture, struct err *e) {
  if (json) {
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(list, json_of(&r[i]));
    output_json(list, json, JSON_INDENT(1) | JSON_REAL_PRECISION(6), e);
    json_decref(list);
  }
  if (picture) draw(r, n, picture, e);
  return !e->kind;
}

int cli_compress(int argc, char **argv) {
  const char *json = NULL, *picture = NULL;
  const struct cli_option options[] = {
      {"--json", "FILE", "write the figures of each file as JSON", .output = &json},
      {"-o", "FILE", "draw the sizes of blocks, as .svg or .html", .output = &picture},
      {0},
  };
  int status = cli_options(usage, options, &argc, argv);
  if (status >= 0) return status;
  if (argc < 2) {
    fprintf(stderr, "heddle: files are expected: `heddle compress FILE...`\n");
    return CLI_USAGE;
  }
  struct err e = {0};
  struct piece *p = must_alloc(sizeof *p);
  size_t n = (size_t)argc - 1;
  struct result *r = must_alloc(n * sizeof *r), sum = {.name = "all files"};
  for (size_t i = 0; i < n && !e.kind; i++) {
    if (!measure_file(argv[i + 1], p, &r[i], &e)) break;
    show(&r[i]);
    add(&sum, &r[i]);
  }
  if (!e.kind && n > 1) show(&sum);
  if (!e.kind) write_all(r, n, json, picture, &e);
  free(p);
  free(r);
  return e.kind == ERR_FAULT ? (fprintf(stderr, "heddle: %s\n", e.text), CLI_NO) : e.kind ? cli_fail(&e) : CLI_OK;
}
