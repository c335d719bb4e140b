/* The groups of rules, one line each, and their papers; and the table of what was published, which is read from
 * claims.tsv once. */
#include "lab/claims/claim.h"

#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

extern const struct claim_rule claims_t[], claims_b[], claims_a[], claims_d[], claims_c[], claims_x[];
const struct claim_rule *const claim_groups[] = {claims_t, claims_b, claims_a, claims_d, claims_c, claims_x, NULL};

#define BILLION "1000000000"
const struct claim_paper claim_papers[] = {
    {'T', "Tag-split cache", "Li, Hayes, Song, Zhang: Tag-Split Cache for Efficient GPGPU Cache Utilization, ICS 2016", BILLION},
    {'B', "Bypassing un-coalesced loads", "Zhao, Wang, Lin, Zhou, Zheng: Selectively GPU Cache Bypassing for Un-Coalesced Loads", ""},
    {'A', "Adaptive last-level cache",
     "Zhao, Adileh, Yu, Wang, Jaleel, Eeckhout: Adaptive Memory-Side Last-Level GPU Caching, ISCA 2019", BILLION},
    {'D', "Data filtering",
     "Byoun: Data Traffic Reduction by Exploiting Data Criticality with a Compressor in GPU, "
     "master's thesis, Texas A&M University 2018", BILLION},
    {'C', "Cooperative caching", "Dublish, Nagarajan, Topham: Cooperative Caching for GPUs, ACM TACO 13(4), 2016", "16000000000"},
    {'X', "All together", "no paper has these", ""},
    {0},
};

const struct claim_paper *claim_paper(char letter) {
  for (const struct claim_paper *p = claim_papers; p->letter; p++)
    if (p->letter == letter) return p;
  return NULL;
}

__asm__(".section .rodata\nclaims_tsv:\n.incbin \"src/lab/claims/claims.tsv\"\n.byte 0\n.previous\n");
extern const char claims_tsv[];

enum { COLUMNS = 5, MOST_ROWS = 256 };

static size_t read_rows(struct claim_row *rows) {
  static char *text; /* kept for the life of the program */
  char *save = NULL;
  size_t n = 0;
  text = strdup(claims_tsv);
  for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
    const char *cells[COLUMNS] = {0};
    if (*line == '#') continue;
    for (int i = 0; i < COLUMNS; i++) cells[i] = strsep(&line, "\t");
    assert(cells[COLUMNS - 1] && !line && n < MOST_ROWS);
    rows[n++] = (struct claim_row){cells[0], cells[1], cells[2], cells[3], cells[4]};
  }
  return n;
}

const struct claim_row *claim_rows(size_t *n) {
  static struct claim_row rows[MOST_ROWS];
  static size_t count;
  if (!count) count = read_rows(rows);
  *n = count;
  return rows;
}

const struct claim_row *claim_row(const char *id) {
  size_t n;
  const struct claim_row *rows = claim_rows(&n);
  for (size_t i = 0; i < n; i++)
    if (!strcmp(rows[i].id, id)) return &rows[i];
  return NULL;
}

const struct claim_rule *claim_rule_of(const char *id) {
  for (const struct claim_rule *const *g = claim_groups; *g; g++)
    for (const struct claim_rule *r = *g; r->id; r++)
      if (!strcmp(r->id, id)) return r;
  return NULL;
}
