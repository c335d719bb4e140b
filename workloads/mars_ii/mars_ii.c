// Inverted index: which pages lead to which addresses, over three files of pages.
#include "mars/mapreduce.h"
#include <stdio.h>
#include <string.h>

WL_PTX(mars_ii);

// A piece ends with the first line that ends behind PIECE bytes.
enum { FILES = 3, PIECE = 1024, LINKS = 39, CUTS = 18, SCRIPTS = 3 };

// What a page of each file is like: bytes, tags, and the most bytes of most lines; links, as places and bytes of their addresses, in order;
// the pieces that it is cut into by its long lines, as first and last + 1 byte; scripts, which have no tags.
struct span {
  int at, bytes;
};
struct piece {
  int from, end;
};
static const struct page_kind {
  int bytes, tags, line;
  struct span links[LINKS + 1];
  struct piece pieces[CUTS + 1], scripts[SCRIPTS + 1];
} kinds[FILES] = {
    {20338, 456, 86,
     {{2338, 33},  {3964, 63},  {4334, 18},  {4914, 42},  {5281, 39},  {5637, 40},  {5999, 40},  {6342, 27},  {6711, 28},  {9251, 19},
      {9413, 19},  {9573, 19},  {10872, 18}, {11352, 18}, {12004, 37}, {12719, 37}, {13416, 37}, {14141, 37}, {14867, 37}, {15447, 11},
      {15651, 21}, {15837, 28}, {16492, 9},  {16604, 8},  {16714, 8},  {16819, 11}, {16938, 11}, {17052, 17}, {18253, 17}, {18306, 25},
      {18362, 5},  {18587, 57}, {18826, 57}, {19032, 57}, {19240, 57}, {19552, 27}, {19749, 57}, {19941, 57}, {20127, 58}},
     {{-33, 1018}, {0, 1088}, {1018, 2125}, {2125, 3180}, {3180, 4225}, {4225, 7144}, {7144, 8182}, {8182, 9231}, {9231, 10381},
      {10381, 11449}, {11449, 12517}, {12517, 13598}, {13598, 14665}, {14665, 16095}, {16095, 17125}, {17125, 18153}, {18153, 19218},
      {19218, 20305}},
     {{437, 1579}, {7245, 8352}, {8498, 8847}}},
    {3747, 135, 80,
     {{968, 10}, {1031, 40}, {1109, 33}, {1181, 5}, {1258, 23}, {1472, 23}, {2332, 13}, {2391, 42}, {2562, 50}, {2674, 79}, {2853, 21},
      {3153, 24}, {3244, 46}, {3347, 35}, {3536, 44}, {3620, 48}},
     {{-613, 500}, {-43, 1025}, {500, 1595}, {1025, 2103}, {1595, 2674}, {2103, 3134}, {2674, 3704}},
     {{0}}},
    {3854, 129, 84, {{0}}, {{0}}, {{0}}},
};

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

// A page that is being made: how much there is of it, where its line began, what comes next of its links and pieces, and how far the
// text goes before one of them comes.
struct page {
  struct wl_rng *rng;
  const struct page_kind *kind;
  char *text;
  int used, line, end;
  const struct span *link;
  const struct piece *piece;
  long tags_due; // in tags times the bytes outside of scripts
};

// Letters as often as English has them, here and there a capital or a digit.
static char draw_letter(struct wl_rng *rng) {
  static const char letters[] = "eeeeeetttttaaaaooooiiiinnnnssshhhrrrddllccuummwfgypbvk", others[] = "ACDEHIMNPRSTW0123456789.,;:()'-&";
  return wl_below(rng, 8) ? letters[wl_below(rng, sizeof letters - 1)] : others[wl_below(rng, sizeof others - 1)];
}

// A word and what parts it from the next, as far as there is room.
static void add_word(struct page *p) {
  int letters = 3 + (int)wl_below(p->rng, 9), left = p->end - p->used;
  for (int i = 0; i < letters && i < left; i++) p->text[p->used++] = draw_letter(p->rng);
  if (letters < left) p->text[p->used++] = " ;/=,&"[wl_below(p->rng, 6)];
}

// A tag, if there is room.
static bool add_tag(struct page *p) {
  static const char *const tags[] = {"<td width=\"%u\" class=\"c%u\">", "<img src=\"i/%u.gif\" alt=\"%u\">", "<font size=\"%u\">",
                                     "<div id=\"d%u\">", "<p class=\"t%u\">", "</font>", "</td>", "<tr>", "</tr>", "<br>", "</p>",
                                     "<b>", "</b>", "</a>", "<li>", "</div>"};
  char tag[80];
  int bytes = sprintf(tag, tags[wl_below(p->rng, 16)], wl_below(p->rng, 100), wl_below(p->rng, 10));
  if (bytes > p->end - p->used) return false;
  memcpy(p->text + p->used, tag, (size_t)bytes);
  p->used += bytes;
  return true;
}

// The next link. A short one leads to the address of the one before it if that is as long.
static void add_link(struct page *p, char *address) {
  int bytes = p->link->bytes;
  bool again = p->link > p->kind->links && p->link[-1].bytes == bytes && bytes < 19;
  for (int i = 0; i < bytes && !again; i++)
    address[i] = wl_below(p->rng, 6) ? (char)('a' + wl_below(p->rng, 26)) : "/._-"[wl_below(p->rng, 4)];
  p->used += sprintf(p->text + p->used, "<a href=\"%.*s\">", bytes, address);
  p->link++;
}

// Begins a line, mostly with an indentation of whole steps.
static void begin_line(struct page *p) {
  p->line = p->used;
  for (int blanks = 4 * (int)wl_below(p->rng, 5); blanks > 0 && p->used < p->end; blanks--) p->text[p->used++] = ' ';
}

static bool in_script(const struct page *p) {
  for (int i = 0; i < SCRIPTS; i++)
    if (p->used >= p->kind->scripts[i].from && p->used < p->kind->scripts[i].end) return true;
  return false;
}

// Up to which byte the next tags, words and lines may go.
static void find_end(struct page *p) {
  p->end = p->kind->bytes - 1;
  if (p->piece->end && p->piece->end - 1 < p->end) p->end = p->piece->end - 1;
  if (p->link->bytes && p->link->at < p->end) p->end = p->link->at;
}

// Whether a line may end here: not behind the PIECE bytes after which a piece ends with the line.
static bool may_end(const struct page *p) { return !p->piece->end || p->used < p->piece->from + PIECE - 1; }

// One page: tags, some of which are links, with words between them, in lines.
static void make_page(struct wl_rng *rng, const struct page_kind *kind, char *to) {
  char address[80] = "";
  struct page p = {rng, kind, to, .link = kind->links, .piece = kind->pieces};
  int outside = kind->bytes;
  for (int i = 0; i < SCRIPTS; i++) outside -= kind->scripts[i].end - kind->scripts[i].from;
  while (p.used < kind->bytes) {
    int before = p.used;
    find_end(&p);
    if (p.link->bytes && p.used == p.link->at) {
      add_link(&p, address);
      p.tags_due -= outside;
    } else if (p.used == p.end) {
      p.text[p.used++] = '\n';
      while (p.piece->end && p.piece->end <= p.used) p.piece++;
      find_end(&p);
      begin_line(&p);
    } else if (p.tags_due > 0 && !in_script(&p) && add_tag(&p)) {
      p.tags_due -= outside;
    } else {
      add_word(&p);
    }
    if (may_end(&p) && p.used < p.end - 1 && p.used - p.line > (int)wl_below(rng, (uint32_t)kind->line)) {
      p.text[p.used++] = '\n';
      begin_line(&p);
    }
    if (!in_script(&p)) p.tags_due += (long)(p.used - before) * kind->tags;
  }
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
  long most = (long)count * (kinds[0].bytes + kinds[1].bytes + kinds[2].bytes) / PIECE + FILES;
  struct mr_records in = mr_room(r, most, sizeof(struct ii_key), sizeof(struct ii_value));
  struct mr_records want = mr_room(r, (long)count * 100, sizeof(struct ii_key), sizeof(int));
  for (int f = 0; f < FILES; f++) {
    char *text = files.text[f] = WL_NEW(r, char, (long)count * kinds[f].bytes + 1);
    int page = kinds[f].bytes;
    make_page(&r->rng, &kinds[f], text);
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
