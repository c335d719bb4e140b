/* Temporary files and folders, in the folder that TMPDIR names, or /tmp where it is not set or empty. Paths are absolute, so
 * that they hold for a program that changes its folder. Whoever makes one removes it. */
#ifndef BASE_TEMP_H
#define BASE_TEMP_H

#include "base/err.h"
#include "base/str.h"

/* Makes an empty file or folder of a name that begins with `name` and that nothing else has, and adds its path to an
 * empty *path, which is left empty on an error. */
bool temp_file(struct str *path, const char *name, struct err *e);
bool temp_folder(struct str *path, const char *name, struct err *e);

#endif
