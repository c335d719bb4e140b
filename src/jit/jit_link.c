/* libnvJitLink.so: PTX and intermediate code put together while the program runs.
 *
 * PTX, and fat binaries with PTX, are put together as text, as our driver's cuLink* do; with -lto the installed library of a CUDA toolkit
 * makes PTX of everything. What a program takes for machine code is that PTX: our driver runs it. Machine code, objects and
 * libraries are refused in the log, and so is -lto where no toolkit is installed.
 *
 * The header of each CUDA version calls functions with its number in their names: all of them are the same here. */
#include "base/str.h"
#include "cuda/image/fatbin.h"
#include "jit/jit_real.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS, UNRECOGNIZED_OPTION, MISSING_ARCH, INVALID_INPUT, PTX_COMPILE, NVVM_COMPILE, INTERNAL, THREADPOOL, UNRECOGNIZED_INPUT,
       FINALIZE, NULL_INPUT, UNSUPPORTED_ARCH = 17 };
enum { IN_CUBIN = 1, IN_PTX, IN_LTOIR, IN_FATBIN, IN_OBJECT, IN_LIBRARY, IN_ANY = 10 };

#define EXPORT __attribute__((visibility("default")))

struct link {
  void *real;      /* the installed library's handle, for -lto; NULL: text is put together here */
  unsigned sm;     /* 90 for sm_90 */
  struct str text, log;
  unsigned inputs;
  bool done;
};

/* ---- the installed library ---------------------------------------------------------------------------------------------- */

static void *real(const char *name) {
  static void *library;
  static bool sought;
  static const char *const files[] = {JITLINK_FILE, "libnvJitLink.so", "libnvJitLink.so.13", "libnvJitLink.so.12"};
  for (size_t i = 0; !sought && !library && i < sizeof files / sizeof *files; i++) library = jit_open_real(files[i]);
  sought = true;
  return library ? dlsym(library, name) : NULL;
}

static int ask(const struct link *l, const char *name, void *out) {
  int (*call)(void *, void *) = (int (*)(void *, void *))real(name);
  return call ? call(l->real, out) : INTERNAL;
}

static int fail(struct link *l, int code, const char *text) {
  str_add(&l->log, "%s%s", l->log.n ? "\n" : "", text);
  jit_complain(text);
  return code;
}

/* With -lto: the same options, and PTX as the result. */
static int begin_real(struct link *l, uint32_t n, const char *const *options) {
  int (*create)(void **, uint32_t, const char *const *) = (int (*)(void **, uint32_t, const char *const *))real("nvJitLinkCreate");
  if (!create)
    return fail(l, NVVM_COMPILE,
                "nvJitLink of a CUDA toolkit (libnvJitLink.so), which -lto needs, is not installed or not found: set CUDA_HOME");
  const char **more = malloc((n + 1) * sizeof *more);
  if (!more) return INTERNAL;
  bool ptx = false;
  for (uint32_t i = 0; i < n; i++) {
    more[i] = options[i];
    ptx |= !strcmp(options[i], "-ptx");
  }
  more[n] = "-ptx";
  int result = create(&l->real, n + !ptx, more);
  free(more);
  return result;
}

/* ---- entry points --------------------------------------------------------------------------------------------------------- */

static int link_create(struct link **out, uint32_t n, const char *const *options) {
  if (!out || (n && !options)) return NULL_INPUT;
  struct link *l = calloc(1, sizeof *l);
  if (!l) return INTERNAL;
  bool lto = false;
  for (uint32_t i = 0; i < n; i++) {
    lto |= !strcmp(options[i], "-lto");
    if (sscanf(options[i], "-arch=sm_%u", &l->sm) == 1 || sscanf(options[i], "-arch=compute_%u", &l->sm) == 1) continue;
  }
  int result = l->sm ? SUCCESS : MISSING_ARCH;
  if (result == SUCCESS && lto) result = begin_real(l, n, options);
  *out = l; /* whose log says what was wrong */
  return result;
}

static int link_destroy(struct link **l) {
  if (!l || !*l) return NULL_INPUT;
  int (*destroy)(void **) = (int (*)(void **))real("nvJitLinkDestroy");
  if ((*l)->real && destroy) destroy(&(*l)->real);
  str_free(&(*l)->text);
  str_free(&(*l)->log);
  free(*l);
  *l = NULL;
  return SUCCESS;
}

static int link_add_data(struct link *l, int type, const void *data, size_t bytes, const char *name) {
  if (!l || !data || !bytes) return NULL_INPUT;
  if (l->real) {
    int (*add)(void *, int, const void *, size_t, const char *) =
        (int (*)(void *, int, const void *, size_t, const char *))real("nvJitLinkAddData");
    return add ? add(l->real, type, data, bytes, name) : INTERNAL;
  }
  if (type != IN_PTX && type != IN_FATBIN && type != IN_ANY)
    return fail(l, UNRECOGNIZED_INPUT, type == IN_LTOIR ? "intermediate code is linked with -lto only"
                                                        : "the linker takes PTX and fat binaries with PTX, not machine code or libraries");
  struct err e = {0};
  char *ptx = fatbin_ptx(data, bytes, l->sm, &e);
  if (!ptx) return fail(l, UNRECOGNIZED_INPUT, e.text);
  fatbin_join(&l->text, ptx);
  l->inputs++;
  free(ptx);
  return SUCCESS;
}

static int link_add_file(struct link *l, int type, const char *path) {
  if (!l || !path) return NULL_INPUT;
  struct str bytes = {0};
  int result;
  if (!str_add_file(&bytes, path)) result = fail(l, INVALID_INPUT, "a file to be linked cannot be read");
  else if (!bytes.n) result = fail(l, INVALID_INPUT, "a file to be linked is empty");
  else result = link_add_data(l, type, bytes.s, bytes.n, path);
  str_free(&bytes);
  return result;
}

static int link_complete(struct link *l) {
  if (!l) return NULL_INPUT;
  if (l->real) {
    int (*complete)(void *) = (int (*)(void *))real("nvJitLinkComplete");
    int result = complete ? complete(l->real) : INTERNAL;
    l->done = result == SUCCESS;
    return result;
  }
  if (!l->inputs) return fail(l, INVALID_INPUT, "there is nothing to link");
  l->done = true;
  return SUCCESS;
}

static int link_image_size(struct link *l, size_t *n) {
  if (!l || !n) return NULL_INPUT;
  if (!l->done) return INVALID_INPUT;
  if (l->real) return ask(l, "nvJitLinkGetLinkedPtxSize", n);
  *n = l->text.n + 1;
  return SUCCESS;
}

static int link_image(struct link *l, void *out) {
  if (!l || !out) return NULL_INPUT;
  if (!l->done) return INVALID_INPUT;
  if (l->real) return ask(l, "nvJitLinkGetLinkedPtx", out);
  memcpy(out, l->text.s, l->text.n + 1);
  return SUCCESS;
}

static int link_log_size(struct link *l, size_t *n) {
  if (!l || !n) return NULL_INPUT;
  if (l->real) return ask(l, "nvJitLinkGetErrorLogSize", n);
  *n = l->log.n ? l->log.n + 1 : 0;
  return SUCCESS;
}

static int link_log(struct link *l, char *out) {
  if (!l || !out) return NULL_INPUT;
  if (l->real) return ask(l, "nvJitLinkGetErrorLog", out);
  if (l->log.n) memcpy(out, l->log.s, l->log.n + 1);
  return SUCCESS;
}

static int link_info_size(struct link *l, size_t *n) {
  if (!l || !n) return NULL_INPUT;
  if (l->real) return ask(l, "nvJitLinkGetInfoLogSize", n);
  *n = 0;
  return SUCCESS;
}

static int link_info(struct link *l, char *out) {
  if (!l || !out) return NULL_INPUT;
  return l->real ? ask(l, "nvJitLinkGetInfoLog", out) : SUCCESS;
}

EXPORT int nvJitLinkVersion(unsigned *major, unsigned *minor) {
  if (!major || !minor) return NULL_INPUT;
  int (*version)(unsigned *, unsigned *) = (int (*)(unsigned *, unsigned *))real("nvJitLinkVersion");
  *major = JITLINK_MAJOR;
  *minor = 0;
  return version ? version(major, minor) : SUCCESS;
}

/* One entry point under its plain name and that of each version, whose header has it. */
#define NAMED(name, ours, parameters, arguments) \
  EXPORT int name parameters;                    \
  EXPORT int name parameters { return ours arguments; }
#define VERSION(v)                                                                                                              \
  NAMED(JOIN(Create, v), link_create, (struct link * *h, uint32_t n, const char *const *options), (h, n, options))               \
  NAMED(JOIN(Destroy, v), link_destroy, (struct link * *h), (h))                                                                 \
  NAMED(JOIN(AddData, v), link_add_data, (struct link * h, int type, const void *data, size_t bytes, const char *name),          \
        (h, type, data, bytes, name))                                                                                            \
  NAMED(JOIN(AddFile, v), link_add_file, (struct link * h, int type, const char *path), (h, type, path))                         \
  NAMED(JOIN(Complete, v), link_complete, (struct link * h), (h))                                                                \
  NAMED(JOIN(GetLinkedCubinSize, v), link_image_size, (struct link * h, size_t * n), (h, n))                                     \
  NAMED(JOIN(GetLinkedCubin, v), link_image, (struct link * h, void *out), (h, out))                                             \
  NAMED(JOIN(GetLinkedPtxSize, v), link_image_size, (struct link * h, size_t * n), (h, n))                                       \
  NAMED(JOIN(GetLinkedPtx, v), link_image, (struct link * h, char *out), (h, out))                                               \
  NAMED(JOIN(GetErrorLogSize, v), link_log_size, (struct link * h, size_t * n), (h, n))                                          \
  NAMED(JOIN(GetErrorLog, v), link_log, (struct link * h, char *out), (h, out))                                                  \
  NAMED(JOIN(GetInfoLogSize, v), link_info_size, (struct link * h, size_t * n), (h, n))                                          \
  NAMED(JOIN(GetInfoLog, v), link_info, (struct link * h, char *out), (h, out))

#define JOIN(name, v) __nvJitLink##name##v
VERSION(_12_0) VERSION(_12_1) VERSION(_12_2) VERSION(_12_3) VERSION(_12_4) VERSION(_12_5) VERSION(_12_6)
VERSION(_12_8) VERSION(_12_9) VERSION(_13_0) VERSION(_13_1)
#undef JOIN
#define JOIN(name, v) nvJitLink##name##v
VERSION()
