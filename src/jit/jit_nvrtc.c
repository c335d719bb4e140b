/* libnvrtc.so: CUDA C++ compiled while the program runs.
 *
 * The compiler is NVIDIA's own library, where it is installed. Each call goes to it, but for one thing: a program that asks for machine
 * code (sm_90) gets PTX of the same virtual architecture (compute_90), in nvrtcGetCUBIN too, because that is what our driver
 * runs. Where there is none, a program can be made and destroyed, and compiling it says in a sentence what is missing.
 *
 * Has: every entry point of the library of CUDA 13.0. One that the installed library is too old for is answered as if it failed. */
#include "jit/jit_real.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, OUT_OF_MEMORY = 1, INVALID_INPUT = 3, INVALID_PROGRAM = 4, COMPILATION = 6, INTERNAL_ERROR = 11 };

#define EXPORT __attribute__((visibility("default")))

/* A program as it is handed out. */
struct program {
  void *real;   /* the installed library's; NULL: there is none */
  bool machine; /* machine code was asked for */
};

static const char missing[] =
    "NVRTC of a CUDA toolkit (libnvrtc.so) is not installed or not found: set CUDA_HOME, or compile to PTX before";

/* The installed library's function, NULL: it has none. */
static void *real(const char *name) {
  static void *library;
  static bool sought;
  static const char *const files[] = {NVRTC_FILE, "libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"};
  for (size_t i = 0; !sought && !library && i < sizeof files / sizeof *files; i++) library = jit_open_real(files[i]);
  sought = true;
  return library ? dlsym(library, name) : NULL;
}

/* Calls the installed library's function of the same name, or returns `otherwise`. */
#define FORWARD(name, otherwise, types, ...)       \
  do {                                             \
    int(*call_) types = (int(*) types)real(#name); \
    return call_ ? call_(__VA_ARGS__) : (otherwise); \
  } while (0)

/* ---- about the library ------------------------------------------------------------------------------------------------ */

EXPORT const char *nvrtcGetErrorString(int result) {
  static const char *const texts[] = {"NVRTC_SUCCESS",
                                      "NVRTC_ERROR_OUT_OF_MEMORY",
                                      "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                      "NVRTC_ERROR_INVALID_INPUT",
                                      "NVRTC_ERROR_INVALID_PROGRAM",
                                      "NVRTC_ERROR_INVALID_OPTION",
                                      "NVRTC_ERROR_COMPILATION",
                                      "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
                                      "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
                                      "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
                                      "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
                                      "NVRTC_ERROR_INTERNAL_ERROR",
                                      "NVRTC_ERROR_TIME_FILE_WRITE_FAILED",
                                      "NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED",
                                      "NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED",
                                      "NVRTC_ERROR_PCH_CREATE",
                                      "NVRTC_ERROR_CANCELLED",
                                      "NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED"};
  return result >= 0 && (size_t)result < sizeof texts / sizeof *texts ? texts[result] : "NVRTC_ERROR unknown";
}

EXPORT int nvrtcVersion(int *major, int *minor) {
  if (!major || !minor) return INVALID_INPUT;
  *major = NVRTC_MAJOR;
  *minor = 0;
  FORWARD(nvrtcVersion, SUCCESS, (int *, int *), major, minor);
}

/* The architectures of the library of CUDA 13.0 that presets have. */
static const int archs[] = {75, 80, 86, 87, 88, 89, 90};

EXPORT int nvrtcGetNumSupportedArchs(int *n) {
  if (!n) return INVALID_INPUT;
  *n = sizeof archs / sizeof *archs;
  FORWARD(nvrtcGetNumSupportedArchs, SUCCESS, (int *), n);
}

EXPORT int nvrtcGetSupportedArchs(int *out) {
  if (!out) return INVALID_INPUT;
  if (!real("nvrtcGetSupportedArchs")) memcpy(out, archs, sizeof archs);
  FORWARD(nvrtcGetSupportedArchs, SUCCESS, (int *), out);
}

/* ---- programs ----------------------------------------------------------------------------------------------------------- */

EXPORT int nvrtcCreateProgram(struct program **out, const char *source, const char *name, int n, const char *const *headers,
                              const char *const *names) {
  if (!out || !source || n < 0) return INVALID_INPUT;
  struct program *p = calloc(1, sizeof *p);
  if (!p) return OUT_OF_MEMORY;
  int (*create)(void **, const char *, const char *, int, const char *const *, const char *const *) =
      (int (*)(void **, const char *, const char *, int, const char *const *, const char *const *))real("nvrtcCreateProgram");
  int result = create ? create(&p->real, source, name, n, headers, names) : SUCCESS;
  if (result != SUCCESS) free(p);
  else *out = p;
  return result;
}

EXPORT int nvrtcDestroyProgram(struct program **p) {
  if (!p || !*p) return INVALID_PROGRAM;
  int (*destroy)(void **) = (int (*)(void **))real("nvrtcDestroyProgram");
  int result = (*p)->real && destroy ? destroy(&(*p)->real) : SUCCESS;
  free(*p);
  *p = NULL;
  return result;
}

static void free_options(char **options, int n) {
  for (int i = 0; i < n; i++) free(options[i]);
  free(options);
}

/* A copy of the options in which no machine code is asked for; NULL: no memory. */
static char **virtual_options(struct program *p, int n, const char *const *options) {
  char **copy = calloc((size_t)n + 1, sizeof *copy);
  bool ok = copy != NULL, is_arch = false;
  for (int i = 0; ok && i < n; i++) {
    char *changed = jit_virtual_arch(options[i], &is_arch);
    p->machine |= changed != NULL;
    copy[i] = changed ? changed : strdup(options[i]);
    ok = copy[i] != NULL;
  }
  if (ok || !copy) return copy;
  free_options(copy, n);
  return NULL;
}

EXPORT int nvrtcCompileProgram(struct program *p, int n, const char *const *options) {
  if (!p) return INVALID_PROGRAM;
  if (n < 0 || (n && !options)) return INVALID_INPUT;
  int (*compile)(void *, int, const char *const *) = (int (*)(void *, int, const char *const *))real("nvrtcCompileProgram");
  if (!compile || !p->real) {
    jit_complain(missing);
    return COMPILATION;
  }
  char **ours = virtual_options(p, n, options);
  if (!ours) return OUT_OF_MEMORY;
  int result = compile(p->real, n, (const char *const *)ours);
  free_options(ours, n);
  return result;
}

/* ---- results ------------------------------------------------------------------------------------------------------------ */

static int get(const char *name, struct program *p, void *out) {
  if (!p) return INVALID_PROGRAM;
  if (!out) return INVALID_INPUT;
  int (*call)(void *, void *) = (int (*)(void *, void *))real(name);
  return p->real && call ? call(p->real, out) : INVALID_PROGRAM;
}

EXPORT int nvrtcGetPTXSize(struct program *p, size_t *n) { return get("nvrtcGetPTXSize", p, n); }
EXPORT int nvrtcGetPTX(struct program *p, char *ptx) { return get("nvrtcGetPTX", p, ptx); }
/* In the place of machine code stands the PTX that our driver makes it of. */
EXPORT int nvrtcGetCUBINSize(struct program *p, size_t *n) { return get(p && p->machine ? "nvrtcGetPTXSize" : "nvrtcGetCUBINSize", p, n); }
EXPORT int nvrtcGetCUBIN(struct program *p, char *image) { return get(p && p->machine ? "nvrtcGetPTX" : "nvrtcGetCUBIN", p, image); }
EXPORT int nvrtcGetLTOIRSize(struct program *p, size_t *n) { return get("nvrtcGetLTOIRSize", p, n); }
EXPORT int nvrtcGetLTOIR(struct program *p, char *ir) { return get("nvrtcGetLTOIR", p, ir); }
EXPORT int nvrtcGetOptiXIRSize(struct program *p, size_t *n) { return get("nvrtcGetOptiXIRSize", p, n); }
EXPORT int nvrtcGetOptiXIR(struct program *p, char *ir) { return get("nvrtcGetOptiXIR", p, ir); }

EXPORT int nvrtcGetProgramLogSize(struct program *p, size_t *n) {
  if (p && n && !p->real) {
    *n = sizeof missing;
    return SUCCESS;
  }
  return get("nvrtcGetProgramLogSize", p, n);
}

EXPORT int nvrtcGetProgramLog(struct program *p, char *log) {
  if (p && log && !p->real) {
    memcpy(log, missing, sizeof missing);
    return SUCCESS;
  }
  return get("nvrtcGetProgramLog", p, log);
}

EXPORT int nvrtcAddNameExpression(struct program *p, const char *name) {
  if (!p) return INVALID_PROGRAM;
  if (!p->real) return SUCCESS; /* its compilation fails */
  FORWARD(nvrtcAddNameExpression, INTERNAL_ERROR, (void *, const char *), p->real, name);
}

EXPORT int nvrtcGetLoweredName(struct program *p, const char *name, const char **lowered) {
  if (!p || !p->real) return INVALID_PROGRAM;
  FORWARD(nvrtcGetLoweredName, INTERNAL_ERROR, (void *, const char *, const char **), p->real, name, lowered);
}

/* ---- precompiled headers, progress ---------------------------------------------------------------------------------------- */

EXPORT int nvrtcGetPCHHeapSize(size_t *n) { FORWARD(nvrtcGetPCHHeapSize, INTERNAL_ERROR, (size_t *), n); }
EXPORT int nvrtcSetPCHHeapSize(size_t n) { FORWARD(nvrtcSetPCHHeapSize, INTERNAL_ERROR, (size_t), n); }
EXPORT int nvrtcGetPCHCreateStatus(struct program *p) {
  if (!p || !p->real) return INVALID_PROGRAM;
  FORWARD(nvrtcGetPCHCreateStatus, INTERNAL_ERROR, (void *), p->real);
}
EXPORT int nvrtcGetPCHHeapSizeRequired(struct program *p, size_t *n) { return get("nvrtcGetPCHHeapSizeRequired", p, n); }
EXPORT int nvrtcSetFlowCallback(struct program *p, int (*see)(void *, void *), void *user) {
  if (!p || !p->real) return INVALID_PROGRAM;
  FORWARD(nvrtcSetFlowCallback, INTERNAL_ERROR, (void *, int (*)(void *, void *), void *), p->real, see, user);
}
