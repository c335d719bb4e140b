// Word count over a mail text: as many words of each length, and of the long ones as many different ones and as often, as English has.
#include "mars/mapreduce.h"
#include <string.h>

WL_PTX(mars_wc);

// A copy of the text has WORDS words; LONG letters and more make a long one, of which there are TOKENS, DIFFERENT of them different. A
// piece ends with the first word that ends behind PIECE bytes. The ranks before TWICE are words that occur at least twice.
enum { WORDS = 3488, LONG = 6, TOKENS = 1026, DIFFERENT = 373, STEMS = 225, TWICE = 184, LONGEST = 14, PIECE = 2048 };

// Words of each length, from 1 letter on.
static const int lengths[LONGEST + 1] = {0, 278, 591, 661, 557, 375, 249, 293, 175, 186, 50, 35, 25, 11, 2};

// Letters as often as English has them.
static void draw_word(struct wl_rng *rng, char *to, int length) {
  static const char letters[] = "EEEEEEEEEEEETTTTTTTTTAAAAAAAAOOOOOOOIIIIIIINNNNNNNSSSSSSHHHHHHRRRRRRDDDDLLLLCCCUUUMMMWWFFGGYYPPBVK";
  for (int i = 0; i < length; i++) to[i] = letters[wl_below(rng, sizeof letters - 1)];
  to[length] = 0;
}

// Draws one of the numbers below `count`, as often as `weights` says.
static int draw_one(struct wl_rng *rng, const int *weights, int count) {
  int all = 0, one = 0;
  for (int i = 0; i < count; i++) all += weights[i];
  int drawn = (int)wl_below(rng, (uint32_t)all);
  while (drawn >= weights[one]) drawn -= weights[one++];
  return one;
}

// The different long words. Most begin with few pairs of letters; the last ones share three letters and more with one of the others, as
// words of one stem do. The last two in alphabetical order have nine and fourteen letters and occur twice.
static void draw_long_words(struct wl_rng *rng, char (*words)[LONGEST + 1]) {
  static const int of_length[LONGEST + 1] = {[6] = 87, 88, 83, 45, 32, 20, 12, 5, 1};
  static const int commonest[8] = {9, 7, 9, 6, 7, 6, 9, 7}; // letters of the commonest words
  static const int shared[LONGEST] = {[3] = 52, 24, 17, 14, 19, 11, 9};
  static const char first[] = "PPPPPPPPPPPPCCCCCCCCCCEEEEEEEEEEMMMMMMMMMAAAAAAALLLLLLGGGGGGSSSSSDDDDRRRRIIIITTTTWWWWHHHUUUFFBBOOVN";
  static const char second[] = "EEEEAAAAOOOOIIIIRRRRUUUNNLH";
  for (int w = 0; w < DIFFERENT; w++) {
    int length = w < 8 ? commonest[w] : draw_one(rng, of_length, LONGEST + 1), stem = draw_one(rng, shared, LONGEST);
    const char *like = words[wl_below(rng, STEMS)];
    draw_word(rng, words[w], length);
    if (w < STEMS) {
      words[w][0] = first[wl_below(rng, sizeof first - 1)];
      words[w][1] = second[wl_below(rng, sizeof second - 1)];
    } else {
      for (int i = 0; i < stem && i < length - 1 && like[i]; i++) words[w][i] = like[i];
    }
  }
  for (int i = 1; i <= 2; i++) {
    char *late = words[TWICE - i];
    draw_word(rng, late, i == 1 ? 9 : LONGEST);
    late[0] = 'W';
    late[1] = i == 1 ? 'Y' : 'W';
  }
}

// How often the long word of a rank occurs.
static int occurrences(int rank) {
  static const int common[] = {49, 44, 36, 26, 20, 20, 15, 15};
  if (rank < 8) return common[rank];
  return rank < 18 ? 10 : rank < 38 ? 6 : rank < 88 ? 4 : rank < TWICE ? 2 : 1;
}

// What parts two words: mostly a blank.
static int draw_gap(struct wl_rng *rng, char *to) {
  static const char other[] = " .,;:-()0123456789\n";
  uint32_t kind = wl_below(rng, 100);
  int bytes = kind < 74 ? 1 : kind < 85 ? 2 : kind < 90 ? 3 : 4 + (int)wl_below(rng, 9);
  for (int i = 0; i < bytes; i++) to[i] = bytes == 1 ? " \n"[wl_below(rng, 10) == 0] : other[wl_below(rng, sizeof other - 1)];
  return bytes;
}

static void shuffle(struct wl_rng *rng, int *items, int count) {
  for (int i = count - 1; i > 0; i--) {
    int j = (int)wl_below(rng, (uint32_t)i + 1), item = items[i];
    items[i] = items[j];
    items[j] = item;
  }
}

// One copy of the text; returns its size.
static long make_text(struct wl_run *r, char *text) {
  char(*words)[LONGEST + 1] = wl_host(r, DIFFERENT, sizeof *words);
  int *order = WL_NEW(r, int, WORDS), count = 0; // of each word of the text: a long one's rank, or -1
  draw_long_words(&r->rng, words);
  for (int rank = 0; rank < DIFFERENT; rank++)
    for (int i = 0; i < occurrences(rank); i++) order[count++] = rank;
  while (count < WORDS) order[count++] = -1;
  shuffle(&r->rng, order, WORDS);
  char *at = text;
  for (int w = 0; w < WORDS; w++) {
    char any[LONGEST + 1];
    if (order[w] < 0) draw_word(&r->rng, any, draw_one(&r->rng, lengths, LONG));
    at = stpcpy(at, order[w] < 0 ? any : words[order[w]]);
    at += draw_gap(&r->rng, at);
  }
  return at - text;
}

static bool is_letter(char c) { return c >= 'A' && c <= 'Z'; }

// The long words of a piece, with their 0.
static void reference(const char *text, long start, long end, struct mr_records *want) {
  for (long at = start; at < end;) {
    char word[PIECE];
    int length = 0;
    while (is_letter(text[at])) word[length++] = text[at++];
    word[length++] = 0;
    if (length > LONG) mr_add(want, word, length, &length, sizeof length);
    at++;
    while (at < end && !is_letter(text[at])) at++;
  }
}

static int order_words(const void *with, const char *a, const char *b) {
  (void)with;
  int order = strcmp(a, b);
  return (order > 0) - (order < 0);
}

static bool run(struct wl_run *r) {
  static const int copies[WL_SIZES] = {1, 4, 4};
  long room = (long)WORDS * (LONGEST + 16), bytes = 0;
  char *text = WL_NEW(r, char, room * copies[r->size]);
  bytes = make_text(r, text);
  for (int i = 1; i < copies[r->size]; i++) memcpy(text + i * bytes, text, (size_t)bytes);
  bytes *= copies[r->size];
  if (r->size == WL_SMALL)
    for (bytes /= 2; is_letter(text[bytes - 1]);) bytes--;
  struct mr_records in = mr_room(r, bytes / PIECE + 1, sizeof(CUdeviceptr), 4 * sizeof(int)), want = mr_room(r, bytes, 1, sizeof(int));
  CUdeviceptr d_text = wl_alloc(r, (size_t)bytes + 1);
  for (long at = 0, end; at < bytes; at = end) {
    for (end = at + PIECE < bytes ? at + PIECE : bytes - 1; is_letter(text[end]);) end++;
    text[end++] = 0;
    mr_add(&in, &d_text, sizeof d_text, (int[]){(int)at, (int)(end - at), 0, 0}, 4 * sizeof(int));
    reference(text, at, end, &want);
  }
  WL_PUT(r, d_text, text, bytes + 1);
  struct mr_device words = mr_map(r, "wc", mr_up(r, &in));
  struct mr_groups groups = mr_group(r, &words);
  return mr_same(r, &words, &groups, &want, order_words, NULL);
}

const struct workload wl_mars_wc = {
    .name = "wc",
    .suite = "Mars",
    .pattern = "43 threads walk over text byte by byte, hardly ever together; sort of words through places",
    .sizes = {"11 KB of text", "88 KB of text", "88 KB of text"},
    .ptx = wl_ptx_mars_wc,
    .run = run,
};
