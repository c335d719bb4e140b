/* What libheddle-audit.so calls in libheddle-bind.so, by name. */
#ifndef BIND_BIND_H
#define BIND_BIND_H

#include <stdint.h>

#define BIND_LIBRARY "libheddle-bind.so"
#define BIND_OBJECT "heddleBindObject"

/* Binds the runtime in an object that has just been mapped, if there is one: its file, and what the loader added to its addresses.
 * Does nothing before the library has started. */
typedef void bind_object_fn(const char *path, uintptr_t base);
bind_object_fn heddleBindObject;

#endif
