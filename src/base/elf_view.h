/* A 64-bit ELF file as it lies on disk, for reading: its sections by name and the functions of its symbol table. Every
 * offset is checked against the file, so that a damaged one reads as one without sections or symbols.
 *
 * Owns: the mapping of the file. Does not: relocate, load or change anything. */
#ifndef BASE_ELF_VIEW_H
#define BASE_ELF_VIEW_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_view {
  const char *image;
  size_t bytes;
};

bool elf_open(struct elf_view *v, const char *path); /* false: not readable, or not such a file */
void elf_close(struct elf_view *v);
/* The same of an image in memory, at an address that suits any type: it stays the caller's, and is not to be closed. */
bool elf_view_of(struct elf_view *v, const void *image, size_t bytes);

/* All sections; *n is 0 where there are none. What one holds, at a multiple of `align` in the file; NULL: nothing, or it does not lie
 * in the file. */
const Elf64_Shdr *elf_sections(const struct elf_view *v, size_t *n);
const void *elf_contents(const struct elf_view *v, const Elf64_Shdr *section, uint64_t align);
/* The header of the section called `name`, or NULL. */
const Elf64_Shdr *elf_section(const struct elf_view *v, const char *name);
/* Whether the file needs a shared library whose name begins with `prefix`. */
bool elf_needs(const struct elf_view *v, const char *prefix);
/* Its name, as long as the view is open, or NULL. */
const char *elf_needed(const struct elf_view *v, const char *prefix);

/* Calls `visit` for every function that the symbol table defines, until it returns false. A stripped file has none. */
void elf_each_function(const struct elf_view *v, bool (*visit)(void *context, const char *name, const Elf64_Sym *symbol),
                       void *context);
bool elf_defines(const struct elf_view *v, const char *function);
/* The same for those that a shared library has for others, which stripping leaves. */
void elf_each_exported(const struct elf_view *v, bool (*visit)(void *context, const char *name, const Elf64_Sym *symbol),
                       void *context);

#endif
