/* See colour.h. */
#include "cli/show/colour.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool wanted(void) {
  const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
  return isatty(STDOUT_FILENO) && (!no || !*no) && term && strcmp(term, "dumb") != 0;
}

const char *cli_colour(enum cli_colour c) {
  static const char *const sequences[] = {[CLI_PLAIN] = "\033[0m", [CLI_BOLD] = "\033[1m", [CLI_GREEN] = "\033[32m", [CLI_RED] = "\033[31m",
                                          [CLI_FAINT] = "\033[2m"};
  return wanted() ? sequences[c] : "";
}
