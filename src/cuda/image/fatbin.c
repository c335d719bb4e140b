/* The reader of fat binaries: see fatbin.h.
 *
 * A container: u32 magic, u16 version, u16 header bytes, u64 bytes of what follows; then entries. An entry, in a header of 64 bytes or
 * more: u16 kind (1 PTX, 2 machine code), u16, u32 header bytes, u64 payload bytes, u32 compressed bytes, u32, u16 minor, u16 major, u32
 * compute capability, u32 and u32 (name), u64 flags, u64, u64 bytes when decompressed; then the payload. Containers may follow each other;
 * the first one is sometimes empty. */
#include "cuda/image/fatbin.h"

#include "base/arena.h"
#include "cuda/mapping.h"

#include <cuda.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { CONTAINER_MAGIC = (int)0xBA55ED50u, WRAPPER_MAGIC = 0x466243b1, ENTRY_HEADER = 64 };
enum { WRAPPER_BYTES = 24, MOST_WRAPPERS = 4 /* one in another */, MOST_LINKED = 65536, LZ4_BEST = 255 /* bytes that one can stand for */ };
enum { KIND_PTX = 1, KIND_ELF = 2 };
enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000, FLAG_EXACT_ARCH = 0x100000 };
#define LARGEST_PTX ((uint64_t)1 << 30)

struct entry {
  unsigned kind, sm;
  bool exact; /* only for that compute capability, like sm_90a */
  uint64_t flags;
  const unsigned char *payload;
  uint64_t payload_bytes, packed_bytes, plain_bytes;
};

struct image {
  const unsigned char *p;
  size_t bytes;      /* bytes that may be read */
  bool known;        /* `bytes` is the size of the image; otherwise it ends somewhere inside */
  unsigned wrappers; /* wrappers around it */
};

/* What was found so far in the search for the best PTX. */
struct choice {
  struct entry best, later; /* later: for later devices, the one for the oldest of them */
  bool found, has_later;
  bool own_code; /* there is machine code for the device: on a GPU the program runs */
  unsigned machine_code, too_new, newest;
  unsigned code_sm; /* of machine code: the newest capability that the device supports, or 0 */
  bool code_exact;  /* that of one GPU alone */
};

static uint16_t get16(const unsigned char *p) {
  uint16_t v;
  memcpy(&v, p, 2);
  return v;
}
static uint32_t get32(const unsigned char *p) {
  uint32_t v;
  memcpy(&v, p, 4);
  return v;
}
static uint64_t get64(const unsigned char *p) {
  uint64_t v;
  memcpy(&v, p, 8);
  return v;
}

static const unsigned char *pointer_at(const unsigned char *p) {
  const unsigned char *v;
  memcpy(&v, p, sizeof v);
  return v;
}

static bool refuse(struct err *e, CUresult code, const char *text) {
  e->code = (int)code;
  return err_set(e, ERR_INPUT, "%s", text);
}

static bool broken(struct err *e, const char *what) {
  e->code = CUDA_ERROR_INVALID_IMAGE;
  return err_set(e, ERR_INPUT, "the fat binary is broken: %s", what);
}

/* ---- decompression ---- */

/* Reads a length of LZ4: four bits, then bytes as long as they are 255. */
static bool lz4_length(size_t *n, const unsigned char **in, const unsigned char *end) {
  if (*n != 15) return true;
  unsigned char more;
  do {
    if (*in == end) return false;
    more = *(*in)++;
    *n += more;
  } while (more == 255);
  return true;
}

size_t fatbin_unpack_lz4(unsigned char *out, size_t capacity, const unsigned char *in, size_t bytes) {
  const unsigned char *end = in + bytes;
  size_t at = 0;
  while (in < end) {
    unsigned token = *in++;
    size_t literals = token >> 4, match = token & 15;
    if (!lz4_length(&literals, &in, end) || literals > (size_t)(end - in) || literals > capacity - at) return 0;
    memcpy(out + at, in, literals);
    at += literals;
    in += literals;
    if (in == end) break; /* the last sequence has no copy */
    if (end - in < 2) return 0;
    size_t distance = get16(in);
    in += 2;
    if (!lz4_length(&match, &in, end)) return 0;
    match += 4;
    if (!distance || distance > at || match > capacity - at) return 0;
    for (size_t i = 0; i < match; i++, at++) out[at] = out[at - distance];
  }
  return at;
}

/* Whether a compressed entry can decompress to the length that it states. */
static bool possible(const struct entry *en, bool zstd) {
  if (!zstd) return en->plain_bytes <= (en->packed_bytes + 1) * LZ4_BEST;
  unsigned long long declared = ZSTD_getFrameContentSize(en->payload, en->packed_bytes);
  return declared != ZSTD_CONTENTSIZE_ERROR && (declared == ZSTD_CONTENTSIZE_UNKNOWN || declared <= en->plain_bytes);
}

/* The entry's text with a zero at its end; NULL with *e filled. */
static char *plain_text(const struct entry *en, struct err *e) {
  bool zstd = en->flags & FLAG_ZSTD, lz4 = en->flags & FLAG_LZ4;
  uint64_t size = zstd || lz4 ? en->plain_bytes : en->payload_bytes;
  if (size > LARGEST_PTX || (zstd && lz4)) return broken(e, "an entry's size or flags make no sense"), NULL;
  if ((zstd || lz4) && (!en->packed_bytes || en->packed_bytes > en->payload_bytes))
    return broken(e, "an entry's compressed part is longer than the entry"), NULL;
  if ((zstd || lz4) && !possible(en, zstd)) return broken(e, "an entry does not decompress"), NULL;
  char *out = malloc(size + 1);
  if (!out) return refuse(e, CUDA_ERROR_OUT_OF_MEMORY, "no host memory for the PTX of a fat binary"), NULL;
  size_t n = size;
  if (zstd)
    n = ZSTD_decompress(out, size, en->payload, en->packed_bytes);
  else if (lz4)
    n = fatbin_unpack_lz4((unsigned char *)out, size, en->payload, en->packed_bytes);
  else
    memcpy(out, en->payload, size);
  if ((zstd && ZSTD_isError(n)) || n > size || (lz4 && !n)) {
    free(out);
    return broken(e, "an entry does not decompress"), NULL;
  }
  out[n] = 0;
  return out;
}

/* ---- containers ---- */

static bool read_entry(struct entry *en, const unsigned char *p, uint64_t left, uint64_t *whole,
                       struct err *e) {
  if (left < ENTRY_HEADER) return broken(e, "it ends within an entry's header");
  uint64_t header = get32(p + 4), payload = get64(p + 8);
  if (header < ENTRY_HEADER || header > left || payload > left - header)
    return broken(e, "an entry is longer than its container");
  *en = (struct entry){.kind = get16(p),
                       .sm = get32(p + 28),
                       .flags = get64(p + 40),
                       .payload = p + header,
                       .payload_bytes = payload,
                       .packed_bytes = get32(p + 16),
                       .plain_bytes = get64(p + 56)};
  en->exact = en->flags & FLAG_EXACT_ARCH;
  *whole = header + payload;
  return true;
}

static void consider_later(struct choice *c, const struct entry *en) {
  c->too_new++;
  if (en->sm > c->newest) c->newest = en->sm;
  if (en->exact || (c->has_later && c->later.sm <= en->sm)) return;
  c->later = *en;
  c->has_later = true;
}

static void consider_code(struct choice *c, const struct entry *en, unsigned sm) {
  c->machine_code++;
  if (en->sm > sm) return;
  if (en->sm / 10 == sm / 10) c->own_code = true;
  if (en->sm < c->code_sm) return;
  c->code_sm = en->sm;
  c->code_exact = en->exact && en->sm == sm;
}

/* Keeps the newest PTX that the device can run; among equals, the one that any device of that capability can run. */
static void consider(struct choice *c, const struct entry *en, unsigned sm) {
  if (en->kind == KIND_ELF) consider_code(c, en, sm);
  if (en->kind != KIND_PTX) return;
  if (en->sm > sm || (en->exact && en->sm != sm)) {
    consider_later(c, en);
    return;
  }
  bool better = !c->found || en->sm > c->best.sm || (en->sm == c->best.sm && c->best.exact && !en->exact);
  if (!better) return;
  c->best = *en;
  c->found = true;
}

static bool read_container(struct choice *c, const unsigned char *p, size_t bytes, unsigned sm,
                           uint64_t *whole, unsigned *entries, struct err *e) {
  if (bytes < 16 || get32(p) != (uint32_t)CONTAINER_MAGIC)
    return broken(e, "a container has the wrong first bytes");
  uint64_t header = get16(p + 6), content = get64(p + 8);
  if (get16(p + 4) != 1) return broken(e, "its version is not known");
  if (header < 16 || header > bytes || content > bytes - header)
    return broken(e, "a container is longer than it");
  for (uint64_t at = 0; at < content;) {
    struct entry en;
    uint64_t size = 0;
    if (!read_entry(&en, p + header + at, content - at, &size, e)) return false;
    consider(c, &en, sm);
    at += size;
    ++*entries;
  }
  *whole = header + content;
  return true;
}

/* Reads all containers of an image; if its end is not known, only the first one that is not empty. */
static bool read_containers(struct choice *c, const struct image *i, unsigned sm, struct err *e) {
  unsigned entries = 0;
  const unsigned char *p = i->p;
  size_t bytes = i->bytes;
  do {
    uint64_t size = 0;
    if (!read_container(c, p, bytes, sm, &size, &entries, e)) return false;
    p += size;
    bytes -= size;
  } while ((i->known || !entries) && bytes >= 16 && get32(p) == (uint32_t)CONTAINER_MAGIC);
  return true;
}

/* If the program has machine code for the device, PTX for later devices is used in its place, because both come from one source (nvcc
 * -arch=all-major makes such programs). */
static char *choose(const struct choice *c, unsigned sm, struct err *e) {
  if (c->found) return plain_text(&c->best, e);
  if (c->own_code && c->has_later) return plain_text(&c->later, e);
  unsigned wanted = c->code_sm ? c->code_sm : 75;
  const char *letter = c->code_exact ? "a" : "";
  e->code = CUDA_ERROR_NO_BINARY_FOR_GPU;
  if (c->too_new)
    err_set(e, ERR_INPUT,
            "the program holds PTX for compute capability %u.%u or for one GPU alone, and this device is "
            "%u.%u: rebuild "
            "it with -gencode arch=compute_75,code=compute_75",
            c->newest / 10, c->newest % 10, sm / 10, sm % 10);
  else if (c->machine_code)
    err_set(e, ERR_INPUT,
            "the program holds machine code only, which Heddle does not execute: rebuild it with PTX, for "
            "instance "
            "nvcc -gencode arch=compute_%u%s,code=compute_%u%s",
            wanted, letter, wanted, letter);
  else
    err_set(e, ERR_INPUT, "the fat binary holds neither PTX nor machine code");
  return NULL;
}

/* ---- images ---- */

static char *plain_ptx(const unsigned char *p, size_t bytes, struct err *e) {
  size_t n = strnlen((const char *)p, bytes);
  char *copy = malloc(n + 1);
  if (!copy) return refuse(e, CUDA_ERROR_OUT_OF_MEMORY, "no host memory for PTX"), NULL;
  memcpy(copy, p, n);
  copy[n] = 0;
  if (strstr(copy, ".version")) return copy;
  free(copy);
  refuse(e, CUDA_ERROR_INVALID_IMAGE, "the image is neither PTX (it has no .version) nor a fat binary");
  return NULL;
}

/* An image of known or unknown size (FATBIN_UNKNOWN), inside so many wrappers. */
static char *image_at(const void *p, size_t bytes, unsigned wrappers, unsigned sm, struct err *e);

/* ---- several in one ---- */

/* Whether it is the compiler's device library, which has PTX up to CUDA 12. It calls functions that only NVIDIA's driver has; Heddle
 * provides the library's functions itself. Programs call one of these functions too, for aligned memory. */
static bool is_device_library(const char *ptx) {
  static const char call[] = " __cuda_syscall_", of_programs[] = "aligned_malloc";
  for (; (ptx = strstr(ptx, call)); ptx++)
    if (strncmp(ptx + strlen(call), of_programs, strlen(of_programs)) != 0) return true;
  return false;
}

/* PTX that was compiled separately, in a list that ends with NULL. The compiler's device library is left out; a symbol of it that Heddle
 * does not have is reported when the module is read. */
static char *linked_ptx(const unsigned char *list, unsigned wrappers, unsigned sm, struct err *e) {
  struct str text = {0};
  size_t most = cuda_readable(list) / sizeof list;
  const unsigned char *one;
  for (size_t i = 0; i < most && i < MOST_LINKED && (one = pointer_at(list + i * sizeof one)); i++) {
    struct err why = {0};
    char *ptx = image_at(one, FATBIN_UNKNOWN, wrappers, sm, &why);
    if (ptx && !is_device_library(ptx))
      fatbin_join(&text, ptx);
    else if (!ptx && (!e->text[0] || why.code != CUDA_ERROR_NO_BINARY_FOR_GPU))
      *e = why;
    free(ptx);
  }
  if (text.s)
    err_clear(e);
  else if (!e->text[0])
    refuse(e, CUDA_ERROR_NO_BINARY_FOR_GPU, "nothing that was compiled apart has PTX");
  return text.s;
}

/* ---- images, continued ---- */

static bool has_list(const unsigned char *list) {
  return list && cuda_readable(list) >= sizeof list && pointer_at(list);
}

static char *wrapped_ptx(const struct image *i, unsigned sm, struct err *e) {
  if (i->bytes < WRAPPER_BYTES) return broken(e, "it ends within the wrapper"), NULL;
  if (i->wrappers == MOST_WRAPPERS) return broken(e, "wrappers are around each other"), NULL;
  const unsigned char *data = pointer_at(i->p + 8), *list = pointer_at(i->p + 16);
  if (get32(i->p + 4) == 2 && has_list(list)) return linked_ptx(list, i->wrappers + 1, sm, e);
  if (!data) return broken(e, "the wrapper points nowhere"), NULL;
  return image_at(data, FATBIN_UNKNOWN, i->wrappers + 1, sm, e);
}

static char *image_ptx(const struct image *i, unsigned sm, struct err *e) {
  struct choice c = {0};
  uint32_t magic = i->bytes >= 4 ? get32(i->p) : 0;
  if (magic == WRAPPER_MAGIC && !i->known) return wrapped_ptx(i, sm, e);
  if (magic == (uint32_t)CONTAINER_MAGIC) return read_containers(&c, i, sm, e) ? choose(&c, sm, e) : NULL;
  if (magic && !memcmp(i->p, "\177ELF", 4)) {
    c.machine_code = 1;
    return choose(&c, sm, e);
  }
  return plain_ptx(i->p, i->bytes, e);
}

static char *image_at(const void *p, size_t bytes, unsigned wrappers, unsigned sm, struct err *e) {
  struct image i = {.p = p, .bytes = cuda_readable(p), .known = bytes != FATBIN_UNKNOWN, .wrappers = wrappers};
  if (!i.bytes && bytes) return refuse(e, CUDA_ERROR_INVALID_IMAGE, "the image cannot be read: there is nothing at its address"), NULL;
  if (bytes < i.bytes) i.bytes = bytes;
  return image_ptx(&i, sm, e);
}

char *fatbin_ptx(const void *image, size_t bytes, unsigned sm, struct err *e) { return image_at(image, bytes, 0, sm, e); }
