/* A page as one HTML file that can be opened from disk: the page's own HTML, into which the style and the code that all pages
 * share, the plotting library and the data are written. The HTML of a page has these marks, each alone on a line:
 *
 *   / * the style of all pages * /    page_style.css
 *   / * the plotting library * /      Chart.js
 *   / * the code of all pages * /     page_shared.js, which reads the data; the page's own code comes after it and has a function redraw
 *   {"the data": 0}                   the data, in a script element of type application/json with the id "data"
 *
 * (without the blanks in the comments). Does not: know what is shown. */
#ifndef LAB_PAGE_FILE_H
#define LAB_PAGE_FILE_H

#include "base/err.h"

#include <jansson.h>

/* Makes the bytes of a source file, with a 0 at the end, available as page_NAME. */
#define LAB_PAGE_EMBED(name, file)                                                                                     \
  __asm__(".section .rodata\npage_" #name ":\n.incbin \"" file "\"\n.byte 0\n.previous\n");                           \
  extern const char page_##name[];

/* A further mark, and the text that replaces its line; a list of these ends with a NULL mark. */
struct lab_page_part {
  const char *mark, *text;
};

/* Writes the page. The file appears whole or not at all; "-" is standard output. `parts` may be NULL. */
bool lab_page_file(const char *html, const struct lab_page_part *parts, const json_t *data, const char *path, struct err *e);

#endif
