// Inverted index: which pages lead to which addresses, over three files of pages.
#include "mars/mapreduce.h"
#include <stdio.h>
#include <string.h>

WL_PTX(mars_ii);

// A piece ends with the first line that ends behind PIECE bytes.
enum { FILES = 3, PIECE = 1024, ROOM = 24000 };

// What a page of each file is like: bytes, tags, links, mean bytes of an address.
static const struct { int bytes, tags, links, address; } pages[FILES] = {{20338, 456, 39, 31}, {3747, 135, 16, 34}, {3854, 129, 0, 1}};

// Key and value as on the device.
struct ii_key {
  CUdeviceptr text;
  int place, hash;
};

struct ii_value {
  int place, bytes, file;
};

// The files, on the device and on the host, for the comparison of keys.
struct files {
  CUdeviceptr device[FILES];
  char *text[FILES];
};

static int hash(const char *from, int bytes) {
  int h = bytes;
  for (int i = 0; i < bytes; i++) h = (int)((unsigned)h << 4) ^ (h >> 28) ^ (signed char)from[i];
  return h;
}

static const char *string_of(const struct files *files, const struct ii_key *key) {
  for (int f = 0; f < FILES; f++)
    if (files->device[f] == key->text) return files->text[f] + key->place;
  return "";
}

// By hash, then by the addresses.
static int order(const void *with, const char *a, const char *b) {
  struct ii_key x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  if (x.hash != y.hash) return x.hash > y.hash ? 1 : -1;
  int strings = strcmp(string_of(with, &x), string_of(with, &y));
  return (strings > 0) - (strings < 0);
}

// ---- pages ----

static int draw_words(struct wl_rng *rng, char *to, int bytes) {
  static const char letters[] = "eeeeeetttttaaaaooooiiiinnnnssshhhrrrddllccuummwfgypbvk";
  for (int i = 0; i < bytes; i++) to[i] = wl_below(rng, 5) == 0 ? ' ' : letters[wl_below(rng, sizeof letters - 1)];
  return bytes;
}

static int draw_tag(struct wl_rng *rng, char *to) {
  static const char *const tags[] = {"<td width=\"%u\" class=\"c%u\">", "</td>", "<tr>", "</tr>", "<br>",
                                     "<img src=\"i/%u.gif\" alt=\"%u\">",
                                     "<p class=\"t%u\">",                "</p>",  "<b>",   "</b>",  "<font size=\"%u\">", "</font>",
                                     "</a>",                             "<li>",  "<div id=\"d%u\">", "</div>"};
  return sprintf(to, tags[wl_below(rng, 16)], wl_below(rng, 100), wl_below(rng, 10));
}

static int draw_link(struct wl_rng *rng, char *to, int mean) {
  char address[80];
  int bytes = mean / 2 + (int)wl_below(rng, (uint32_t)mean);
  draw_words(rng, address, bytes);
  for (int i = 0; i < bytes; i++)
    if (address[i] == ' ') address[i] = "/._-"[wl_below(rng, 4)];
  address[bytes] = 0;
  return sprintf(to, "<a href=\"http://%s\">", address);
}

// One page: tags, some of which are links, with words between them, in lines; returns its size.
static int make_page(struct wl_rng *rng, int file, char *to) {
  int tags = pages[file].tags, links = pages[file].links, used = 0, line = 0;
  for (int i = 0; i < tags; i++) {
    bool link = (long)(i + 1) * links / tags > (long)i * links / tags;
    int tag = link ? draw_link(rng, to + used, pages[file].address - 7) : draw_tag(rng, to + used);
    used += tag;
    int left = pages[file].bytes - used, spread = 2 * left / (tags - i);
    used += draw_words(rng, to + used, spread > 1 ? (int)wl_below(rng, (uint32_t)spread) : 0);
    if (used - line < 26 + (int)wl_below(rng, 50)) continue;
    to[used++] = '\n';
    line = used;
  }
  to[used++] = '\n';
  return used;
}

// ---- pieces and their links ----

// The links of a piece, as the device's walk finds them.
static void reference(const char *text, struct ii_value piece, CUdeviceptr device, struct mr_records *want) {
  const char *at = text + piece.place, *end = at + piece.bytes;
  while ((at = strstr(at, "<a href=\"")) != NULL && at < end) {
    const char *address = at + 9;
    int bytes = (int)(strchr(address, '"') - address);
    struct ii_key key = {device, (int)(address - text), hash(address, bytes)};
    mr_add(want, &key, sizeof key, &piece.file, sizeof piece.file);
    at = address + bytes;
  }
}

// Cuts a file into records.
static void cut(char *text, int bytes, int file, CUdeviceptr device, struct mr_records *in, struct mr_records *want) {
  struct ii_value piece = {.file = file};
  for (int end; piece.place < bytes; piece.place = end) {
    end = piece.place + PIECE < bytes ? (int)(strchr(text + piece.place + PIECE, '\n') - text) + 1 : bytes;
    text[end - 1] = 0;
    piece.bytes = end - piece.place;
    mr_add(in, &(struct ii_key){device, 0, 0}, sizeof(struct ii_key), &piece, sizeof piece);
    reference(text, piece, device, want);
  }
}

static bool run(struct wl_run *r) {
  static const int copies[WL_SIZES] = {2, 36, 1024};
  int count = copies[r->size], bytes[FILES];
  struct files files;
  struct mr_records in = mr_room(r, (long)count * FILES * ROOM / PIECE, sizeof(struct ii_key), sizeof(struct ii_value));
  struct mr_records want = mr_room(r, (long)count * 100, sizeof(struct ii_key), sizeof(int));
  for (int f = 0; f < FILES; f++) {
    char *text = files.text[f] = WL_NEW(r, char, (long)count * ROOM);
    int page = make_page(&r->rng, f, text);
    for (int i = 1; i < count; i++) memcpy(text + (long)i * page, text, (size_t)page);
    bytes[f] = page * count;
    files.device[f] = wl_alloc(r, (size_t)bytes[f] + 1);
    cut(text, bytes[f], f, files.device[f], &in, &want);
    WL_PUT(r, files.device[f], text, bytes[f] + 1);
  }
  struct mr_device links = mr_map(r, "ii", mr_up(r, &in));
  for (int f = 0; f < FILES; f++) WL_GET(r, files.text[f], files.device[f], bytes[f]);
  struct mr_groups groups = mr_group(r, &links);
  return mr_same(r, &links, &groups, &want, order, &files);
}

const struct workload wl_mars_ii = {
    .name = "ii",
    .suite = "Mars",
    .pattern = "a thread walks over its kilobyte of a page byte by byte; sort of addresses by hash through places",
    .sizes = {"3 files, 56 KB", "3 files, 1 MB", "3 files, 28 MB"},
    .ptx = wl_ptx_mars_ii,
    .run = run,
};
