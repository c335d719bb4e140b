/* Colours of a terminal: the escape sequence where standard output is one, NO_COLOR is not set and TERM is not dumb; "" elsewhere. */
#ifndef CLI_COLOUR_H
#define CLI_COLOUR_H

enum cli_colour { CLI_PLAIN, CLI_BOLD, CLI_GREEN, CLI_RED, CLI_FAINT };
const char *cli_colour(enum cli_colour c);

#endif
