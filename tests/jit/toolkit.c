/* Imitates NVRTC and nvJitLink of a CUDA toolkit, for tests where none is installed: every program compiles to one kernel, whose
 * architecture is the one asked for. Machine code is refused, so that a test sees when it is asked for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PTX ".version 7.0\n.target sm_%s\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg .b64 %%rd<3>;\n" \
            "ld.param.u64 %%rd1, [out];\ncvta.to.global.u64 %%rd2, %%rd1;\nst.global.u32 [%%rd2], 42;\nret;\n}\n"

struct made {
  char text[512];
};

static int make(struct made *m, const char *arch) { return snprintf(m->text, sizeof m->text, PTX, arch) > 0 ? 0 : 11; }

static int get_size(struct made *p, size_t *n) { return *n = strlen(p->text) + 1, 0; }
static int get(struct made *p, char *out) { return strcpy(out, p->text), 0; }
static int destroy(struct made **p) {
  free(*p);
  *p = NULL;
  return 0;
}

int nvrtcCreateProgram(struct made **p, const char *source, const char *name, int n, const char *const *headers, const char *const *names) {
  (void)source, (void)name, (void)n, (void)headers, (void)names;
  *p = calloc(1, sizeof **p);
  return 0;
}
int nvrtcDestroyProgram(struct made **p) { return destroy(p); }
int nvrtcCompileProgram(struct made *p, int n, const char *const *options) {
  for (int i = 0; i < n; i++) {
    fprintf(stderr, "option %s\n", options[i]);
    const char *at = strstr(options[i], "compute_");
    if (at) return make(p, at + 8);
  }
  return 5;
}
int nvrtcGetPTXSize(struct made *p, size_t *n) { return get_size(p, n); }
int nvrtcGetPTX(struct made *p, char *out) { return get(p, out); }
int nvrtcGetCUBINSize(struct made *p, size_t *n) { return (void)p, *n = 0, 0; }
int nvrtcGetProgramLogSize(struct made *p, size_t *n) { return (void)p, *n = 1, 0; }
int nvrtcGetProgramLog(struct made *p, char *out) { return (void)p, *out = 0, 0; }

int nvJitLinkCreate(struct made **p, unsigned n, const char *const *options) {
  *p = calloc(1, sizeof **p);
  for (unsigned i = 0; i < n; i++) fprintf(stderr, "link option %s\n", options[i]);
  return make(*p, "80");
}
int nvJitLinkDestroy(struct made **p) { return destroy(p); }
int nvJitLinkAddData(struct made *p, int type, const void *data, size_t bytes, const char *name) {
  return (void)p, (void)data, (void)bytes, (void)name, type == 3 ? 0 : 8;
}
int nvJitLinkComplete(struct made *p) { return (void)p, 0; }
int nvJitLinkGetLinkedPtxSize(struct made *p, size_t *n) { return get_size(p, n); }
int nvJitLinkGetLinkedPtx(struct made *p, char *out) { return get(p, out); }
int nvJitLinkGetErrorLogSize(struct made *p, size_t *n) { return (void)p, *n = 0, 0; }
