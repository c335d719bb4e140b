/* libheddle-bind.so: binds a CUDA runtime that was linked into a program (nvcc's default) to ours.
 *
 * `heddle run` preloads it, and it is linked to be initialised first: its constructor runs before those of the program and its
 * libraries, which register the kernels. Of objects that come later it is told (bind_later.c). In every object that holds a runtime,
 * each entry point of it is overwritten with a jump to the function of the same name in libcudart.so.11.0, .12 or .13 of the folder this
 * library lies in. The runtime's own code is never entered after that. An entry point that ours does not have becomes one that says
 * so and returns cudaErrorNotSupported.
 *
 * Our runtime is opened when one of its functions is first called: the constructor runs before that of the C library, which may not be
 * made to start then, and an object is bound while the loader is at work on it. Which functions there are is read from the file.
 * Threads may make the same first call at once. No lock is held while ours is opened, which waits for the loader's: a thread that
 * holds that one may be in a constructor that makes a first call.
 *
 * Functions are known by the symbol table. Where an object is stripped of it, the archive with the runtime of an installed CUDA toolkit
 * (libcudart_static.a) says which code is which, if the object was linked with that very one (base/elf_linked.h). Where there is none,
 * that is reported and the program goes on with the runtime as it is, which finds no driver it knows. */
#include "bind/bind.h"

#include "base/elf_linked.h"

#include <dlfcn.h>
#include <link.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NOT_SUPPORTED = 801, JUMP_BYTES = 14, STUB_BYTES = 48, CODE_BYTES = 1 << 16 };

/* One of ours. */
struct runtime {
  const char *name;
  const char **functions; /* sorted; NULL: not read yet */
  size_t n, capacity;
  _Atomic(void *) handle; /* NULL: not opened yet */
};

struct binding {
  struct elf_view file;
  struct elf_linked linked; /* none: the file has the symbols */
  const char *path;
  uintptr_t base; /* what the loader added to the addresses of the file */
  struct runtime *runtime;
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

/* mov $value, %reg: of %rdi and %r11. */
static void write_load(unsigned char *at, bool is_r11, const void *value) {
  at[0] = is_r11 ? 0x49 : 0x48, at[1] = is_r11 ? 0xbb : 0xbf;
  memcpy(at + 2, &value, sizeof value);
}

/* Room for a few instructions, at a multiple of 16 bytes; NULL if the host has no memory. */
static unsigned char *take_code(void) {
  static atomic_flag busy = ATOMIC_FLAG_INIT;
  static unsigned char *page;
  static size_t used = CODE_BYTES;
  unsigned char *at = NULL;
  while (atomic_flag_test_and_set(&busy)) sched_yield();
  if (used + STUB_BYTES > CODE_BYTES) {
    void *p = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p != MAP_FAILED) page = p, used = 0;
  }
  if (used + STUB_BYTES <= CODE_BYTES) at = page + used, used += STUB_BYTES;
  atomic_flag_clear(&busy);
  return at;
}

static int refuse(const char *name) {
  fprintf(stderr, "heddle: %s is not supported\n", name);
  return NOT_SUPPORTED;
}

/* Written code alone knows of these, where a program's leak checker does not look: a list has them all. */
struct kept {
  struct kept *before;
  max_align_t bytes[];
};
static struct kept *last_kept;

static void *keep(size_t bytes) {
  struct kept *k = malloc(sizeof *k + bytes);
  if (!k) return NULL;
  k->before = last_kept;
  last_kept = k;
  return k->bytes;
}

static char *keep_text(const char *text) {
  size_t bytes = strlen(text) + 1;
  char *copy = keep(bytes);
  return copy ? memcpy(copy, text, bytes) : NULL;
}

/* What stands for an entry point that we do not have. */
static void *make_refusal(const char *name) {
  unsigned char *at = take_code();
  if (!at) return NULL;
  write_load(at, false, keep_text(name));
  write_jump(at + 10, (const void *)(uintptr_t)refuse);
  return at;
}

/* A function of ours that has not been called yet: a jump to `target`, first the code behind it, later the function. */
struct unopened {
  struct runtime *runtime;
  char *name;
  void *first;
  _Atomic(void *) target; /* read by the jump while other threads write it */
};

/* Keeps the arguments of a call that came with its struct unopened in %r11, asks where it is to go, and goes there. */
void bind_first_call(void) __attribute__((visibility("hidden")));
__asm__(".text\n.hidden bind_first_call\n.globl bind_first_call\n.type bind_first_call, @function\nbind_first_call:\n"
        "push %rbp\nmov %rsp, %rbp\nsub $192, %rsp\nand $-16, %rsp\n"
        "mov %rdi, (%rsp)\nmov %rsi, 8(%rsp)\nmov %rdx, 16(%rsp)\nmov %rcx, 24(%rsp)\nmov %r8, 32(%rsp)\nmov %r9, 40(%rsp)\n"
        "movups %xmm0, 48(%rsp)\nmovups %xmm1, 64(%rsp)\nmovups %xmm2, 80(%rsp)\nmovups %xmm3, 96(%rsp)\n"
        "movups %xmm4, 112(%rsp)\nmovups %xmm5, 128(%rsp)\nmovups %xmm6, 144(%rsp)\nmovups %xmm7, 160(%rsp)\n"
        "mov %r11, %rdi\ncall bind_open\nmov %rax, %r11\n"
        "mov (%rsp), %rdi\nmov 8(%rsp), %rsi\nmov 16(%rsp), %rdx\nmov 24(%rsp), %rcx\nmov 32(%rsp), %r8\nmov 40(%rsp), %r9\n"
        "movups 48(%rsp), %xmm0\nmovups 64(%rsp), %xmm1\nmovups 80(%rsp), %xmm2\nmovups 96(%rsp), %xmm3\n"
        "movups 112(%rsp), %xmm4\nmovups 128(%rsp), %xmm5\nmovups 144(%rsp), %xmm6\nmovups 160(%rsp), %xmm7\n"
        "leave\njmp *%r11\n.size bind_first_call, .-bind_first_call\n");

/* mov $target, %r11; jmp *(%r11); first: mov $u, %r11; jump. */
static void *make_first_call(struct runtime *r, const char *name) {
  struct unopened *u = keep(sizeof *u);
  unsigned char *at = take_code();
  if (!u || !at) return NULL;
  *u = (struct unopened){.runtime = r, .name = keep_text(name), .first = at + 13};
  atomic_init(&u->target, u->first);
  write_load(at, true, (const void *)&u->target);
  memcpy(at + 10, "\x41\xff\x23", 3);
  write_load(at + 13, true, u);
  write_jump(at + 23, (const void *)(uintptr_t)bind_first_call);
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

/* ---- our runtimes ---------------------------------------------------------------------------------------------------- */

static void path_of_ours(const struct runtime *r, char *path, size_t bytes) {
  Dl_info self;
  const char *slash = dladdr((const void *)(uintptr_t)path_of_ours, &self) ? strrchr(self.dli_fname, '/') : NULL;
  snprintf(path, bytes, "%.*s/%s", slash ? (int)(slash - self.dli_fname) : 1, slash ? self.dli_fname : ".", r->name);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static bool note_function(void *context, const char *name, const Elf64_Sym *s) {
  struct runtime *r = context;
  (void)s;
  if (r->n == r->capacity) {
    r->capacity = r->capacity ? 2 * r->capacity : 1024;
    void *larger = realloc(r->functions, r->capacity * sizeof *r->functions);
    if (!larger) return false;
    r->functions = larger;
  }
  r->functions[r->n++] = name;
  return true;
}

/* Stays mapped, with the names. */
static bool read_functions(struct runtime *r) {
  char path[4096];
  struct elf_view file;
  if (r->functions) return true;
  path_of_ours(r, path, sizeof path);
  if (!elf_open(&file, path)) return false;
  elf_each_exported(&file, note_function, r);
  if (r->n) qsort(r->functions, r->n, sizeof *r->functions, by_name);
  return r->n > 0;
}

static bool has_function(const struct runtime *r, const char *name) {
  return bsearch(&name, r->functions, r->n, sizeof *r->functions, by_name) != NULL;
}

/* Our runtime, opened; several threads that open it get the same. */
static void *open_ours(struct runtime *r) {
  char path[4096];
  void *handle = atomic_load(&r->handle);
  if (handle) return handle;
  path_of_ours(r, path, sizeof path);
  handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  atomic_store(&r->handle, handle);
  return handle;
}

/* Where a first call goes, and all later ones. */
__attribute__((visibility("hidden"), used)) void *bind_open(struct unopened *u) {
  void *handle = open_ours(u->runtime), *ours = handle ? dlsym(handle, u->name) : NULL, *found = u->first;
  if (!ours) {
    fprintf(stderr, "heddle: the CUDA runtime cannot be opened: %s\n", dlerror());
    ours = make_refusal(u->name);
    if (!ours) abort();
  }
  return atomic_compare_exchange_strong(&u->target, &found, ours) ? ours : found;
}

/* ---- entry points ---------------------------------------------------------------------------------------------------- */

/* Not __cudart537: functions of its own, called when it starts and ends too, have numbers in 11. */
static bool is_runtime_name(const char *name) {
  bool is_inner = !strncmp(name, "__cudart", 8) && name[8] >= '0' && name[8] <= '9';
  return !is_inner && (!strncmp(name, "cuda", 4) || !strncmp(name, "__cuda", 6));
}

static bool bind_known(void *context, const char *name, const Elf64_Sym *s) {
  struct binding *b = context;
  if (!is_runtime_name(name) || !has_function(b->runtime, name)) return true;
  if (s->st_value < b->low) b->low = s->st_value;
  if (s->st_value > b->high) b->high = s->st_value;
  b->bound++;
  const void *ours = make_first_call(b->runtime, name);
  b->failed |= !ours || !redirect(b, s, ours);
  return !b->failed;
}

static bool bind_unknown(void *context, const char *name, const Elf64_Sym *s) {
  struct binding *b = context;
  bool is_theirs = s->st_value > b->low && s->st_value < b->high && ELF64_ST_BIND(s->st_info) == STB_GLOBAL;
  if (!is_theirs || !is_runtime_name(name) || has_function(b->runtime, name)) return true;
  const void *refusal = make_refusal(name);
  b->failed |= !refusal || !redirect(b, s, refusal);
  return !b->failed;
}

static void each_function(const struct binding *b, bool (*visit)(void *, const char *, const Elf64_Sym *), void *context) {
  if (b->linked.n)
    elf_each_linked(&b->linked, visit, context);
  else
    elf_each_function(&b->file, visit, context);
}

struct generation {
  bool has_references, has_second_properties;
};

static bool note_generation(void *context, const char *name, const Elf64_Sym *s) {
  struct generation *g = context;
  (void)s;
  g->has_references |= !strcmp(name, "cudaBindTexture");
  g->has_second_properties |= !strcmp(name, "cudaGetDeviceProperties_v2");
  return true;
}

/* Which of our runtimes has the structures of theirs: 12 has a second cudaGetDeviceProperties, 11 the texture references that 12
 * dropped, 13 neither. */
static struct runtime *version_of(const struct binding *b) {
  static struct runtime of_11 = {.name = "libcudart.so.11.0"}, of_12 = {.name = "libcudart.so.12"}, of_13 = {.name = "libcudart.so.13"};
  struct generation g = {0};
  each_function(b, note_generation, &g);
  return g.has_references ? &of_11 : g.has_second_properties ? &of_12 : &of_13;
}

static void bind_runtime(struct binding *b) {
  b->low = UINT64_MAX;
  b->runtime = version_of(b);
  if (!read_functions(b->runtime)) {
    complain(b, "and ours is not there");
    return;
  }
  each_function(b, bind_known, b);
  if (!b->failed) each_function(b, bind_unknown, b);
  if (b->failed) complain(b, "and its code cannot be changed on this machine");
}

/* ---- objects of the process ------------------------------------------------------------------------------------------ */

#define THE_PROGRAM "/proc/self/exe"
struct objects {
  struct object {
    char *path;
    uintptr_t base;
  } *at;
  size_t n, capacity;
};

static int note_object(struct dl_phdr_info *info, size_t size, void *context) {
  struct objects *o = context;
  (void)size;
  if (o->n == o->capacity) {
    size_t capacity = o->capacity ? 2 * o->capacity : 64;
    struct object *larger = realloc(o->at, capacity * sizeof *larger);
    if (!larger) {
      fprintf(stderr, "heddle: no memory to look at more than %zu libraries of this program\n", o->n);
      return 1;
    }
    o->at = larger, o->capacity = capacity;
  }
  o->at[o->n].path = strdup(info->dlpi_name[0] ? info->dlpi_name : THE_PROGRAM);
  o->at[o->n++].base = info->dlpi_addr;
  return 0;
}

/* A stripped library whose runtime is not known is named by the driver, when it asks for what there is not. */
static void look_at_image(struct binding *b) {
  bool is_stripped = !elf_section(&b->file, ".symtab");
  if (elf_defines(&b->file, "__cudaRegisterFatBinary") || (is_stripped && elf_linked_find_runtime(&b->linked, &b->file)))
    bind_runtime(b);
  else if (is_stripped && !strcmp(b->path, THE_PROGRAM))
    complain(b, "is stripped of its symbols, and no CUDA toolkit that is installed has that runtime (CUDA_HOME names one)");
}

static void look_at(struct binding *b) {
  if (!elf_open(&b->file, b->path)) return;
  if (elf_section(&b->file, ".nv_fatbin") && !elf_needs(&b->file, "libcudart.so")) look_at_image(b);
  elf_linked_free(&b->linked);
  elf_close(&b->file);
}

static bool started;

__attribute__((visibility("default"))) void heddleBindObject(const char *path, uintptr_t base) {
  struct binding b = {.path = path, .base = base};
  if (started && *path) look_at(&b);
}

/* The loader of the GNU C library calls constructors as it calls main. The C library has no environment yet, by which toolkits are
 * found. */
__attribute__((constructor)) static void bind_all(int argc, char **argv, char **env) {
  struct objects o = {0};
  (void)argc, (void)argv;
  if (!environ) environ = env;
  dl_iterate_phdr(note_object, &o);
  for (size_t i = 0; i < o.n; i++) {
    struct binding b = {.path = o.at[i].path, .base = o.at[i].base};
    look_at(&b);
    free(o.at[i].path);
  }
  free(o.at);
  started = true;
}
