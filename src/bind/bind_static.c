/* libheddle-bind.so: binds a CUDA runtime that was linked into a program (nvcc's default) to ours.
 *
 * `heddle run` preloads it, so that its constructor runs before those of the program, which register the kernels. In every
 * object of the process that holds a runtime, each entry point of it is overwritten with a jump to the function of the same
 * name in libcudart.so.12 or .13 of the folder this library lies in. The runtime's own code is never entered after that.
 * An entry point that ours does not have becomes one that says so and returns cudaErrorNotSupported.
 *
 * Needs the symbol table, which a stripped program has lost: then that is reported and the program goes on with the runtime as it
 * is, which finds no driver it knows. Does not see objects that are loaded later with dlopen. */
#include "base/elf_view.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NOT_SUPPORTED = 801, JUMP_BYTES = 14, CALL_BYTES = 48 };

struct binding {
  struct elf_view file;
  const char *path;
  uintptr_t base; /* what the loader added to the addresses of the file */
  void *runtime;  /* our library */
  uint64_t low, high; /* addresses of the entry points that ours has: what lies between is the runtime's too */
  unsigned bound;
  bool failed;
};

static void complain(const struct binding *b, const char *what) {
  fprintf(stderr, "heddle: '%s' has the CUDA runtime linked in, %s; build it with `nvcc -cudart shared`\n", b->path, what);
}

/* ---- code ------------------------------------------------------------------------------------------------------------ */

/* jmp *0(%rip), and the address it jumps to behind it. */
static void write_jump(unsigned char *at, const void *target) {
  static const unsigned char jump[] = {0xff, 0x25, 0, 0, 0, 0};
  memcpy(at, jump, sizeof jump);
  memcpy(at + sizeof jump, &target, sizeof target);
}

static int refuse(const char *name) {
  fprintf(stderr, "heddle: %s is not supported\n", name);
  return NOT_SUPPORTED;
}

/* mov $name, %rdi; jmp refuse: what stands for an entry point that we do not have. NULL if the host has no memory. */
static void *make_refusal(const char *name) {
  static unsigned char *page;
  static size_t used, size = 1 << 16;
  if (!page) {
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return NULL;
    page = p;
  }
  if (used + CALL_BYTES > size) return NULL;
  unsigned char *at = page + used;
  used += CALL_BYTES;
  char *kept = strdup(name);
  at[0] = 0x48, at[1] = 0xbf; /* mov imm64, %rdi */
  memcpy(at + 2, &kept, sizeof kept);
  write_jump(at + 10, (const void *)(uintptr_t)refuse);
  return at;
}

/* Writes a jump over the first bytes of a function. Functions begin at multiples of 16 bytes, so it fits. */
static bool redirect(struct binding *b, const Elf64_Sym *s, const void *target) {
  unsigned char *at = (unsigned char *)(b->base + s->st_value); // NOLINT: an address of the process
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)at / page * page;
  size_t bytes = (uintptr_t)at + JUMP_BYTES - first;
  if (s->st_value % 16 && s->st_size < JUMP_BYTES) return false;
  if (mprotect((void *)first, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false; // NOLINT
  write_jump(at, target);
  return mprotect((void *)first, bytes, PROT_READ | PROT_EXEC) == 0; // NOLINT
}

/* ---- entry points ---------------------------------------------------------------------------------------------------- */

static bool is_runtime_name(const char *name) { return !strncmp(name, "cuda", 4) || !strncmp(name, "__cuda", 6); }

static bool bind_known(void *context, const char *name, const Elf64_Sym *s) {
  struct binding *b = context;
  const void *ours = is_runtime_name(name) ? dlsym(b->runtime, name) : NULL;
  if (!ours) return true;
  if (s->st_value < b->low) b->low = s->st_value;
  if (s->st_value > b->high) b->high = s->st_value;
  b->bound++;
  b->failed |= !redirect(b, s, ours);
  return !b->failed;
}

static bool bind_unknown(void *context, const char *name, const Elf64_Sym *s) {
  struct binding *b = context;
  bool is_theirs = s->st_value > b->low && s->st_value < b->high && ELF64_ST_BIND(s->st_info) == STB_GLOBAL;
  if (!is_theirs || !is_runtime_name(name) || dlsym(b->runtime, name)) return true;
  const void *refusal = make_refusal(name);
  b->failed |= !refusal || !redirect(b, s, refusal);
  return !b->failed;
}

/* Which of our runtimes has the structures of theirs: 12 has a second cudaGetDeviceProperties, 11 also the texture
 * references that 12 dropped (our 12 serves it), 13 neither. */
static const char *version_of(const struct elf_view *file) {
  bool is_12 = elf_defines(file, "cudaGetDeviceProperties_v2") || elf_defines(file, "cudaBindTexture");
  return is_12 ? "libcudart.so.12" : "libcudart.so.13";
}

static void *open_ours(const char *name) {
  Dl_info self;
  char path[4096];
  if (!dladdr((const void *)(uintptr_t)open_ours, &self)) return NULL;
  const char *slash = strrchr(self.dli_fname, '/');
  snprintf(path, sizeof path, "%.*s/%s", slash ? (int)(slash - self.dli_fname) : 1, slash ? self.dli_fname : ".", name);
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void bind_runtime(struct binding *b) {
  b->low = UINT64_MAX;
  b->runtime = open_ours(version_of(&b->file));
  if (!b->runtime) {
    complain(b, dlerror());
    return;
  }
  elf_each_function(&b->file, bind_known, b);
  if (!b->failed) elf_each_function(&b->file, bind_unknown, b);
  if (b->failed) complain(b, "and its code cannot be changed on this machine");
}

/* ---- objects of the process ------------------------------------------------------------------------------------------ */

enum { MOST_OBJECTS = 1024 };
struct objects {
  struct {
    char *path;
    uintptr_t base;
  } at[MOST_OBJECTS];
  size_t n;
};

static int note_object(struct dl_phdr_info *info, size_t size, void *context) {
  struct objects *o = context;
  (void)size;
  if (o->n == MOST_OBJECTS) return 1;
  o->at[o->n].path = strdup(info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe");
  o->at[o->n++].base = info->dlpi_addr;
  return 0;
}

static void look_at(struct binding *b) {
  if (!elf_open(&b->file, b->path)) return;
  if (elf_section(&b->file, ".nv_fatbin") && !elf_needs(&b->file, "libcudart.so")) {
    if (elf_defines(&b->file, "__cudaRegisterFatBinary"))
      bind_runtime(b);
    else if (!elf_section(&b->file, ".symtab"))
      complain(b, "and is stripped of its symbols");
  }
  elf_close(&b->file);
}

/* The list is complete before anything is bound: that loads our runtime, which may not happen while the loader walks. */
__attribute__((constructor)) static void bind_all(void) {
  static struct objects o;
  dl_iterate_phdr(note_object, &o);
  for (size_t i = 0; i < o.n; i++) {
    struct binding b = {.path = o.at[i].path, .base = o.at[i].base};
    look_at(&b);
    free(o.at[i].path);
  }
}
