/* See elf_view.h. */
#include "base/elf_view.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const Elf64_Ehdr *header(const struct elf_view *v) { return (const Elf64_Ehdr *)v->image; }

static bool is_elf64(const struct elf_view *v) {
  return v->bytes >= sizeof(Elf64_Ehdr) && !memcmp(v->image, ELFMAG, SELFMAG) && v->image[EI_CLASS] == ELFCLASS64 &&
         v->image[EI_DATA] == ELFDATA2LSB && header(v)->e_shentsize == sizeof(Elf64_Shdr);
}

bool elf_open(struct elf_view *v, const char *path) {
  *v = (struct elf_view){0};
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat st;
  if (fd < 0) return false;
  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
    void *image = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (image != MAP_FAILED) *v = (struct elf_view){image, (size_t)st.st_size};
  }
  close(fd);
  if (v->image && !is_elf64(v)) elf_close(v);
  return v->image != NULL;
}

void elf_close(struct elf_view *v) {
  if (v->image) munmap((void *)(uintptr_t)v->image, v->bytes);
  *v = (struct elf_view){0};
}

bool elf_view_of(struct elf_view *v, const void *image, size_t bytes) {
  *v = (struct elf_view){image, bytes};
  return is_elf64(v);
}

/* `n` bytes at `offset`, or NULL if they do not lie in the file at a multiple of `align`. */
static const void *bytes_at(const struct elf_view *v, uint64_t offset, uint64_t n, uint64_t align) {
  return offset <= v->bytes && n <= v->bytes - offset && offset % align == 0 ? v->image + offset : NULL;
}

const Elf64_Shdr *elf_sections(const struct elf_view *v, size_t *n) {
  const Elf64_Ehdr *h = header(v);
  const Elf64_Shdr *s = bytes_at(v, h->e_shoff, h->e_shnum * sizeof *s, _Alignof(Elf64_Shdr));
  *n = s && h->e_shoff ? h->e_shnum : 0;
  return s;
}

const void *elf_contents(const struct elf_view *v, const Elf64_Shdr *s, uint64_t align) {
  return s->sh_type == SHT_NOBITS ? NULL : bytes_at(v, s->sh_offset, s->sh_size, align);
}

/* The string at `offset` of a string table, or "" if it does not end there. */
static const char *string_at(const struct elf_view *v, const Elf64_Shdr *table, uint64_t offset) {
  const char *s = elf_contents(v, table, 1);
  if (!s || offset >= table->sh_size || !memchr(s + offset, 0, table->sh_size - offset)) return "";
  return s + offset;
}

const Elf64_Shdr *elf_section(const struct elf_view *v, const char *name) {
  size_t n;
  const Elf64_Shdr *s = elf_sections(v, &n);
  uint16_t names = header(v)->e_shstrndx;
  for (size_t i = 0; i < n && names < n; i++)
    if (!strcmp(string_at(v, &s[names], s[i].sh_name), name)) return &s[i];
  return NULL;
}

static const Elf64_Shdr *of_type(const struct elf_view *v, uint32_t type, const Elf64_Shdr **strings) {
  size_t n;
  const Elf64_Shdr *s = elf_sections(v, &n);
  for (size_t i = 0; i < n; i++)
    if (s[i].sh_type == type && s[i].sh_link < n) {
      *strings = &s[s[i].sh_link];
      return &s[i];
    }
  return NULL;
}

const char *elf_needed(const struct elf_view *v, const char *prefix) {
  const Elf64_Shdr *strings, *s = of_type(v, SHT_DYNAMIC, &strings);
  const Elf64_Dyn *d = s ? elf_contents(v, s, _Alignof(Elf64_Dyn)) : NULL;
  for (size_t i = 0; d && i < s->sh_size / sizeof *d && d[i].d_tag != DT_NULL; i++) {
    if (d[i].d_tag != DT_NEEDED) continue;
    const char *name = string_at(v, strings, d[i].d_un.d_val);
    if (!strncmp(name, prefix, strlen(prefix))) return name;
  }
  return NULL;
}

bool elf_needs(const struct elf_view *v, const char *prefix) { return elf_needed(v, prefix) != NULL; }

typedef bool visit_fn(void *context, const char *name, const Elf64_Sym *symbol);

static void each_function(const struct elf_view *v, uint32_t table, visit_fn *visit, void *context) {
  const Elf64_Shdr *strings, *s = of_type(v, table, &strings);
  const Elf64_Sym *sym = s ? elf_contents(v, s, _Alignof(Elf64_Sym)) : NULL;
  for (size_t i = 0; sym && i < s->sh_size / sizeof *sym; i++) {
    if (ELF64_ST_TYPE(sym[i].st_info) != STT_FUNC || sym[i].st_shndx == SHN_UNDEF) continue;
    if (!visit(context, string_at(v, strings, sym[i].st_name), &sym[i])) return;
  }
}

void elf_each_function(const struct elf_view *v, visit_fn *visit, void *context) { each_function(v, SHT_SYMTAB, visit, context); }
void elf_each_exported(const struct elf_view *v, visit_fn *visit, void *context) { each_function(v, SHT_DYNSYM, visit, context); }

struct search {
  const char *name;
  bool found;
};

static bool compare(void *context, const char *name, const Elf64_Sym *symbol) {
  struct search *s = context;
  (void)symbol;
  s->found = !strcmp(name, s->name);
  return !s->found;
}

bool elf_defines(const struct elf_view *v, const char *function) {
  struct search s = {.name = function};
  elf_each_function(v, compare, &s);
  return s.found;
}
