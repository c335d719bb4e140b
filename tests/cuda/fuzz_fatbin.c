/* Feeds broken fat binaries to the reader, which must refuse or accept them without touching anything outside the input. An
 * input is given three times: in a block of exactly its size, so that the sanitizer sees every step too far; without its size,
 * at the end of what is mapped; and behind a wrapper whose pointers are right or not.
 *
 * Inputs are mutations of files and of images put together here as the compiler does, with sizes that are right or lie:
 * containers in a row and in each other, entries of text, compressed or not, machine code, and all of it in a section of an
 * ELF file. */
#include "cuda/image/fatbin.h"
#include "fuzz_kit.h"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

/* ---- what is tried with an input ---------------------------------------------------------------------------------------------- */

static void must_answer(const void *image, size_t bytes) {
  struct err e = {0};
  char *ptx = fatbin_ptx(image, bytes, 90, &e);
  if (!ptx && (!e.text[0] || !e.code)) {
    fprintf(stderr, "refused without a reason\n");
    abort();
  }
  if (ptx && e.text[0]) {
    fprintf(stderr, "accepted and refused: %s\n", e.text);
    abort();
  }
  free(ptx);
}

static void with_its_size(const uint8_t *data, size_t bytes) {
  unsigned char *exact = calloc(1, bytes ? bytes : 1);
  if (bytes) memcpy(exact, data, bytes);
  must_answer(exact, bytes);
  unsigned char out[256];
  fatbin_unpack_lz4(out, sizeof out, exact, bytes);
  free(exact);
}

/* Memory of which nothing behind the end can be read. */
static unsigned char *end_of_mapping(void) {
  static unsigned char *end;
  if (end) return end;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  unsigned char *p = mmap(NULL, FUZZ_MOST_BYTES + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED || mprotect(p + FUZZ_MOST_BYTES, page, PROT_NONE) != 0) exit(2);
  return end = p + FUZZ_MOST_BYTES;
}

struct wrapper {
  uint32_t magic, version;
  const void *data, *list;
};

/* The input's own bytes choose what is wrong with the pointers. */
static void wrapped(const unsigned char *image, size_t bytes) {
  struct wrapper w = {.magic = 0x466243b1, .version = 1 + bytes % 2, .data = image}, inner = w;
  const void *list[4] = {image, image + bytes / 2, bytes & 4 ? (const void *)&w : image, NULL};
  unsigned char odd[sizeof list + 1];
  memcpy(odd + 1, list, sizeof list);
  static const uintptr_t wrong[] = {0, 1, 8, 0x7fffffffffff, UINTPTR_MAX - 7};
  switch (bytes % 64) {
  case 0: w.list = list; break;
  case 1: w.list = odd + 1; break;
  case 2: w.list = (const void *)wrong[bytes / 64 % 5]; break;
  case 3: w.data = (const void *)wrong[bytes / 64 % 5]; break;
  case 4: w.data = &inner; break;
  case 5: w.data = &w; break;
  case 6: w.list = image; break;
  default: break;
  }
  must_answer(&w, FATBIN_UNKNOWN);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  if (bytes > FUZZ_MOST_BYTES) return 0;
  with_its_size(data, bytes);
  unsigned char *at = end_of_mapping() - bytes;
  if (bytes) memcpy(at, data, bytes);
  must_answer(at, FATBIN_UNKNOWN);
  wrapped(at, bytes);
  return 0;
}

#ifndef FUZZER_MAIN
/* ---- images as the compiler makes them, but for lies ---------------------------------------------------------------------------- */

struct image {
  uint8_t *at;
  size_t n;
  struct rng *r;
};

static void put(struct image *i, uint64_t v, size_t bytes) {
  if (i->n + bytes > FUZZ_MOST_BYTES) return;
  memcpy(i->at + i->n, &v, bytes);
  i->n += bytes;
}

static void put_bytes(struct image *i, const void *data, size_t bytes) {
  if (i->n + bytes > FUZZ_MOST_BYTES) return;
  memcpy(i->at + i->n, data, bytes);
  i->n += bytes;
}

/* A size, in one of twelve cases another one. */
static uint64_t said(struct rng *r, uint64_t v) {
  if (rng_below(r, 12)) return v;
  switch (rng_below(r, 6)) {
  case 0: return v + 1;
  case 1: return v - 1;
  case 2: return 0;
  case 3: return v + rng_below(r, 1 << 20);
  case 4: return UINT64_MAX - rng_below(r, 200);
  default: return rng_next(r) >> rng_below(r, 64);
  }
}

static const char text[] = ".version 8.0\n.target sm_50\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n";

/* LZ4 of literals alone. */
static size_t pack_lz4(uint8_t *out, const char *in, size_t n) {
  size_t at = 0, rest = n >= 15 ? n - 15 : 0;
  out[at++] = (uint8_t)((n >= 15 ? 15 : n) << 4);
  if (n >= 15) {
    for (; rest >= 255; rest -= 255) out[at++] = 255;
    out[at++] = (uint8_t)rest;
  }
  memcpy(out + at, in, n);
  return at + n;
}

static void make_container(struct image *i, unsigned depth);

static void make_entry(struct image *i, unsigned depth) {
  uint8_t payload[1024];
  size_t n = sizeof text - 1, plain = n;
  unsigned how = (unsigned)rng_below(i->r, depth < 4 ? 5 : 4);
  uint64_t flags = how == 1 ? 0x8000 : how == 2 ? 0x2000 : 0;
  if (how == 1) n = ZSTD_compress(payload, sizeof payload, text, plain, 1);
  else if (how == 2) n = pack_lz4(payload, text, plain);
  else memcpy(payload, text, n);
  size_t header = i->n;
  put(i, how == 3 ? 2 : rng_below(i->r, 20) ? 1 : rng_next(i->r), 2);
  put(i, 0x101, 2);
  put(i, said(i->r, 64), 4);
  put(i, said(i->r, n), 8);
  put(i, said(i->r, flags ? n : 0), 4);
  put(i, 0, 8);
  put(i, rng_below(i->r, 8) ? 50 : rng_next(i->r), 4);
  put(i, 0, 8);
  put(i, said(i->r, flags), 8);
  put(i, 0, 8);
  put(i, said(i->r, plain), 8);
  if (how < 4) {
    put_bytes(i, payload, n);
    return;
  }
  size_t from = i->n;
  make_container(i, depth + 1);
  uint64_t inside = said(i->r, i->n - from);
  memcpy(i->at + header + 8, &inside, 8);
}

static void make_container(struct image *i, unsigned depth) {
  if (i->n > FUZZ_MOST_BYTES / 2) return;
  size_t header = i->n;
  put(i, rng_below(i->r, 30) ? 0xBA55ED50u : rng_next(i->r), 4);
  put(i, rng_below(i->r, 30) ? 1 : 2, 2);
  put(i, said(i->r, 16), 2);
  put(i, 0, 8);
  size_t from = i->n;
  for (uint64_t n = rng_below(i->r, 4); n; n--) make_entry(i, depth);
  uint64_t content = said(i->r, i->n - from);
  memcpy(i->at + header + 8, &content, 8);
}

static void make_elf(struct image *i) {
  Elf64_Ehdr h = {.e_ident = ELFMAG, .e_type = ET_DYN, .e_machine = 190, .e_shoff = said(i->r, sizeof h),
                  .e_shentsize = (Elf64_Half)said(i->r, sizeof(Elf64_Shdr)), .e_shnum = (Elf64_Half)said(i->r, 1)};
  Elf64_Shdr s = {.sh_type = SHT_PROGBITS, .sh_offset = said(i->r, sizeof h + sizeof s), .sh_size = said(i->r, 300)};
  put_bytes(i, &h, sizeof h);
  put_bytes(i, &s, sizeof s);
}

static size_t make_image(struct rng *r, uint8_t *data) {
  struct image i = {.at = data, .r = r};
  if (!rng_below(r, 8)) make_elf(&i);
  for (uint64_t n = 1 + rng_below(r, 3); n; n--) make_container(&i, 0);
  return rng_below(r, 4) ? i.n : fuzz_mutate(r, data, i.n, FUZZ_MOST_BYTES);
}

int main(int argc, char **argv) {
  static const char *const seeds[] = {"tests/cuda/data/registered_zstd.fatbin",
                                      "tests/cuda/data/registered_lz4.fatbin",
                                      "tests/cuda/data/registered_plain.fatbin",
                                      "tests/cuda/data/registered_machine.fatbin", "tests/cuda/kernels.ptx"};
  return fuzz_main(argc, argv, 10000, seeds, sizeof seeds / sizeof *seeds, make_image);
}
#endif
