/* See elf_linked.h. Code is compared but for the bytes at which the object asks for an address; it is looked for by its longest piece
 * without such bytes. */
#include "base/elf_linked.h"

#include "base/cuda_toolkit.h"

#include <ar.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ANCHOR_BYTES = 32 }; /* shorter pieces are in every program */

struct elf_linked_object {
  char *image;
  struct elf_view view;
  size_t section;   /* the one with the code */
  uint64_t address; /* of the section, in the program */
};

/* ---- code, but for addresses ------------------------------------------------------------------------------------------- */

struct code {
  const char *bytes;
  char *is_fixed; /* one for each byte: not changed by a linker */
  size_t n, anchor, anchor_bytes;
};

/* Which bytes a linker may change for a relocation: the address, and the instruction where it has a shorter way to what it means
 * (ABI of x86-64, "Linker Optimization" and thread-local storage). */
static void changed_bytes(uint64_t type, int *from, int *to) {
  bool is_whole = type == R_X86_64_64 || type == R_X86_64_PC64 || type == R_X86_64_GOTOFF64;
  bool is_thread = type == R_X86_64_TLSGD || type == R_X86_64_TLSLD;
  bool is_indirect = type == R_X86_64_GOTPCREL || type == R_X86_64_GOTPCRELX || type == R_X86_64_REX_GOTPCRELX || type == R_X86_64_GOTTPOFF;
  *from = is_thread ? -4 : is_indirect ? -3 : 0;
  *to = is_thread ? 12 : is_whole ? 8 : 4;
}

static void mark_relocations(const struct elf_view *v, const Elf64_Shdr *table, struct code *c) {
  const Elf64_Rela *r = elf_contents(v, table, _Alignof(Elf64_Rela));
  for (size_t i = 0; r && i < table->sh_size / sizeof *r; i++) {
    int from, to;
    changed_bytes(ELF64_R_TYPE(r[i].r_info), &from, &to);
    for (int64_t k = from; k < to; k++)
      if (r[i].r_offset < c->n && (uint64_t)((int64_t)r[i].r_offset + k) < c->n) c->is_fixed[(int64_t)r[i].r_offset + k] = 0;
  }
}

static void find_anchor(struct code *c) {
  for (size_t i = 0, run = 0; i < c->n; i++) {
    run = c->is_fixed[i] ? run + 1 : 0;
    if (run > c->anchor_bytes) c->anchor_bytes = run, c->anchor = i + 1 - run;
  }
}

/* False: no code, or none that could be recognised. is_fixed is to be freed. */
static bool read_code(const struct elf_view *v, size_t section, struct code *c) {
  size_t n;
  const Elf64_Shdr *s = elf_sections(v, &n);
  *c = (struct code){.bytes = elf_contents(v, &s[section], 1), .n = s[section].sh_size};
  if (!c->bytes || c->n < ANCHOR_BYTES) return false;
  c->is_fixed = malloc(c->n);
  if (!c->is_fixed) return false;
  memset(c->is_fixed, 1, c->n);
  for (size_t i = 0; i < n; i++)
    if (s[i].sh_type == SHT_RELA && s[i].sh_info == section) mark_relocations(v, &s[i], c);
  find_anchor(c);
  return c->anchor_bytes >= ANCHOR_BYTES;
}

static bool is_same(const struct code *c, const char *at) {
  size_t i = 0;
  while (i < c->n && (c->bytes[i] == at[i] || !c->is_fixed[i])) i++;
  return i == c->n;
}

/* How often the code is in `n` bytes; *found: where, the last time. */
static unsigned count_in(const struct code *c, const char *bytes, size_t n, size_t *found) {
  unsigned times = 0;
  const char *end = bytes + n;
  for (const char *p = bytes; times < 2; p++) {
    p = memmem(p, (size_t)(end - p), c->bytes + c->anchor, c->anchor_bytes);
    if (!p) break;
    if ((size_t)(p - bytes) < c->anchor || (size_t)(end - p) < c->n - c->anchor || !is_same(c, p - c->anchor)) continue;
    *found = (size_t)(p - bytes) - c->anchor, times++;
  }
  return times;
}

static bool find_in_program(const struct code *c, const struct elf_view *program, uint64_t *address) {
  size_t n, at = 0;
  unsigned times = 0;
  const Elf64_Shdr *s = elf_sections(program, &n);
  for (size_t i = 0; i < n; i++) {
    const char *bytes = s[i].sh_flags & SHF_EXECINSTR ? elf_contents(program, &s[i], 1) : NULL;
    unsigned here = bytes ? count_in(c, bytes, s[i].sh_size, &at) : 0;
    if (here) *address = s[i].sh_addr + at;
    times += here;
  }
  return times == 1;
}

/* ---- objects of an archive --------------------------------------------------------------------------------------------- */

static bool note_object(struct elf_linked *l, const struct elf_linked_object *o) {
  if (l->n == l->capacity) {
    size_t capacity = l->capacity ? 2 * l->capacity : 4;
    struct elf_linked_object *larger = realloc(l->at, capacity * sizeof *larger);
    if (!larger) return false;
    l->at = larger, l->capacity = capacity;
  }
  l->at[l->n++] = *o;
  return true;
}

/* The largest section with code: of an object that was linked from others, as the runtime is, the one with their functions. */
static bool largest_code(const struct elf_view *v, size_t *section) {
  size_t n;
  uint64_t most = 0;
  const Elf64_Shdr *s = elf_sections(v, &n);
  for (size_t i = 0; i < n; i++)
    if (s[i].sh_flags & SHF_EXECINSTR && s[i].sh_size > most) most = s[i].sh_size, *section = i;
  return most > 0;
}

static bool look_for(struct elf_linked_object *o, const struct elf_view *program) {
  struct code c = {0};
  bool found = elf_view_of(&o->view, o->image, o->view.bytes) && largest_code(&o->view, &o->section) &&
               read_code(&o->view, o->section, &c) && find_in_program(&c, program, &o->address);
  free(c.is_fixed);
  return found;
}

/* Copied: an archive puts its members at even places only. */
static void look_at_member(struct elf_linked *l, const struct elf_view *program, const char *bytes, size_t n) {
  struct elf_linked_object o = {.image = malloc(n), .view.bytes = n};
  if (!o.image) return;
  memcpy(o.image, bytes, n);
  if (!look_for(&o, program) || !note_object(l, &o)) free(o.image);
}

static void look_at_archive(struct elf_linked *l, const struct elf_view *program, const char *bytes, size_t n) {
  if (n < SARMAG || memcmp(bytes, ARMAG, SARMAG) != 0) return;
  for (size_t at = SARMAG, size; at + sizeof(struct ar_hdr) <= n; at += sizeof(struct ar_hdr) + size + size % 2) {
    struct ar_hdr h;
    char digits[sizeof h.ar_size + 1] = {0};
    memcpy(&h, bytes + at, sizeof h);
    memcpy(digits, h.ar_size, sizeof h.ar_size);
    size = strtoul(digits, NULL, 10);
    if (memcmp(h.ar_fmag, ARFMAG, sizeof h.ar_fmag) != 0 || size > n - at - sizeof h) return;
    if (size) look_at_member(l, program, bytes + at + sizeof h, size);
  }
}

bool elf_linked_find(struct elf_linked *l, const struct elf_view *program, const char *path) {
  *l = (struct elf_linked){0};
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat st;
  if (fd < 0) return false;
  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
    void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes != MAP_FAILED) {
      look_at_archive(l, program, bytes, (size_t)st.st_size);
      munmap(bytes, (size_t)st.st_size);
    }
  }
  close(fd);
  return l->n > 0;
}

struct runtime_search {
  struct elf_linked *linked;
  const struct elf_view *program;
};

static bool look_in_folder(void *context, const char *folder) {
  struct runtime_search *s = context;
  char path[4096];
  int n = snprintf(path, sizeof path, "%s/libcudart_static.a", folder);
  if (n < 0 || (size_t)n >= sizeof path) return false;
  elf_linked_free(s->linked);
  return elf_linked_find(s->linked, s->program, path);
}

bool elf_linked_find_runtime(struct elf_linked *l, const struct elf_view *program) {
  struct runtime_search s = {l, program};
  *l = (struct elf_linked){0};
  return toolkit_each_folder(look_in_folder, &s);
}

void elf_linked_free(struct elf_linked *l) {
  for (size_t i = 0; i < l->n; i++) free(l->at[i].image);
  free(l->at);
  *l = (struct elf_linked){0};
}

/* ---- functions --------------------------------------------------------------------------------------------------------- */

struct moved {
  const struct elf_linked_object *object;
  bool (*visit)(void *context, const char *name, const Elf64_Sym *symbol);
  void *context;
  bool goes_on;
};

static bool visit_moved(void *context, const char *name, const Elf64_Sym *symbol) {
  struct moved *m = context;
  Elf64_Sym s = *symbol;
  if (s.st_shndx != m->object->section) return true;
  s.st_value += m->object->address;
  m->goes_on = m->visit(m->context, name, &s);
  return m->goes_on;
}

void elf_each_linked(const struct elf_linked *l, bool (*visit)(void *context, const char *name, const Elf64_Sym *symbol), void *context) {
  struct moved m = {.visit = visit, .context = context, .goes_on = true};
  for (size_t i = 0; i < l->n && m.goes_on; i++) {
    m.object = &l->at[i];
    elf_each_function(&m.object->view, visit_moved, &m);
  }
}
