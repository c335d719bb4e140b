/* Lines of a program's source, for people to read. PTX names its source files, and PTX may come from anywhere: only regular
 * files in folders that the user has pointed to are opened, and what is shown of them cannot speak to a terminal. */
#ifndef CLI_SOURCE_H
#define CLI_SOURCE_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct cli_launch;

enum { CLI_MOST_SOURCES = 32 };
struct cli_sources {
  char *folders[CLI_MOST_SOURCES]; /* whole paths */
  unsigned n;
};

/* The folders that --source names (comma-separated; NULL: none), and the program's own: where a workload's source lies, or the
 * folder that the program is in. False if one does not exist. */
bool cli_sources_open(struct cli_sources *s, const struct cli_launch *l, const char *named, struct err *e);
void cli_sources_close(struct cli_sources *s);

/* A line of a file, without what surrounds it; false if there is none, or if the file is not one of those. A relative name is
 * looked for in each folder. */
bool cli_source_line(const struct cli_sources *s, const char *path, unsigned line, char *out, size_t size);

/* The whole text of such a file as a JSON string, what is no UTF-8 in it replaced; NULL if there is none, or if it is longer than
 * CLI_SOURCE_BYTES. */
enum { CLI_SOURCE_BYTES = 4 << 20 };
json_t *cli_source_text(const struct cli_sources *s, const char *path);

/* Text with what is no character to print written as \xNN. */
void cli_visible(const char *text, size_t n, char *out, size_t size);

#endif
