/* See page_file.h. */
#include "lab/pages/page_file.h"

#include "base/output.h"
#include "base/str.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

LAB_PAGE_EMBED(style, "src/lab/pages/page_style.css")
LAB_PAGE_EMBED(shared, "src/lab/pages/page_shared.js")
LAB_PAGE_EMBED(library, "third_party/chartjs/chart.umd.min.js")

static const struct lab_page_part of_all[] = {
    {"/* the style of all pages */\n", page_style},
    {"/* the plotting library */\n", page_library},
    {"/* the code of all pages */\n", page_shared},
    {NULL, NULL},
};
static const char data_mark[] = "{\"the data\": 0}\n";

/* '<' is written so that no text of a run can end the script element it is in. */
static int put_escaped(const char *text, size_t n, void *file) {
  for (size_t i = 0; i < n; i++)
    if ((text[i] == '<' ? fputs("\\u003c", file) : putc(text[i], file)) == EOF) return -1;
  return 0;
}

/* Without the comment that asks browsers to fetch a library's source map. */
static void put_text(const char *text, FILE *f) {
  const char *map = strstr(text, "\n//# sourceMappingURL");
  size_t n = map ? (size_t)(map - text) : strlen(text);
  fwrite(text, 1, n, f);
  if (n && text[n - 1] != '\n') putc('\n', f);
}

static const struct lab_page_part *part_at(const struct lab_page_part *parts, const char *line) {
  for (; parts && parts->mark; parts++)
    if (!strncmp(line, parts->mark, strlen(parts->mark))) return parts;
  return NULL;
}

static bool put_page(FILE *f, const char *html, const struct lab_page_part *parts, const json_t *data) {
  for (const char *line = html, *end; *line; line = end) {
    end = line + strcspn(line, "\n");
    if (*end) end++;
    const struct lab_page_part *part = part_at(of_all, line);
    if (!part) part = part_at(parts, line);
    if (part) put_text(part->text, f);
    else if (strncmp(line, data_mark, strlen(data_mark)) != 0) fwrite(line, 1, (size_t)(end - line), f);
    else if (json_dump_callback(data, put_escaped, f, JSON_COMPACT | JSON_REAL_PRECISION(9)) != 0) return false;
  }
  return !ferror(f);
}

bool lab_page_file(const char *html, const struct lab_page_part *parts, const json_t *data, const char *path, struct err *e) {
  struct str part = {0};
  struct err of_part = {0}; /* names a file that nobody asked for */
  bool aside = !output_is_stdout(path);
  str_add(&part, "%s%s", path, aside ? ".part" : "");
  FILE *f = output_open(part.s, &of_part);
  bool ok = f && put_page(f, html, parts, data);
  ok = f && output_close(f, part.s, &of_part) && ok;
  if (aside && ok) ok = rename(part.s, path) == 0;
  if (!ok) err_set(e, ERR_SYSTEM, "cannot write the page '%s': %s", path, strerror(errno));
  if (!ok && f && aside) unlink(part.s);
  str_free(&part);
  return ok;
}
