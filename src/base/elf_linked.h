/* Functions of a stripped program by the archive that it was linked with: a linker copies the code of an archive's objects as it is and
 * writes addresses into it, and the objects have the names.
 *
 * Owns: copies of the objects that were found. Does not: find functions of an object whose code the linker took apart, or which is in
 * the program more than once. */
#ifndef BASE_ELF_LINKED_H
#define BASE_ELF_LINKED_H

#include "base/elf_view.h"

struct elf_linked {
  struct elf_linked_object *at;
  size_t n, capacity;
};

/* Looks for the objects of the archive at `path`; false: none is there. To be freed in any case. */
bool elf_linked_find(struct elf_linked *l, const struct elf_view *program, const char *path);
/* The same for the CUDA runtime that is linked into programs, with the archives of installed toolkits (base/cuda_toolkit.h). */
bool elf_linked_find_runtime(struct elf_linked *l, const struct elf_view *program);
void elf_linked_free(struct elf_linked *l);

/* As elf_each_function; symbols have their addresses in the program. */
void elf_each_linked(const struct elf_linked *l, bool (*visit)(void *context, const char *name, const Elf64_Sym *symbol), void *context);

#endif
