/* See blas_kit.h. */
#include "blas_kit.h"

#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char letters[] = "SDCZHB";
int passed, failed;
void *handle;
bool on_device;

num number(double re, double im) {
  union {
    double parts[2];
    num v;
  } u = {{re, im}};
  return u.v;
}
num no_number(enum kind t) { return number(NAN, is_complex(t) ? NAN : 0); }
bool is_complex(enum kind t) { return t == C || t == Z || t == CI8; }
enum kind real_kind(enum kind t) { return t == C ? S : t == Z ? D : t; }
size_t size_of(enum kind t) {
  static const size_t of[] = {
      [S] = 4, [D] = 8, [C] = 8, [Z] = 16, [H] = 2, [B] = 2, [I8] = 1, [I32] = 4, [CI8] = 2};
  return of[t];
}
double epsilon(enum kind t) {
  return t == D || t == Z ? 0x1p-52 : t == H ? 0x1p-10 : t == B ? 0x1p-7 : t == I32 ? 0 : 0x1p-23;
}

bool check_that(bool ok, const char *format, ...) {
  if (ok) {
    passed++;
    return true;
  }
  failed++;
  va_list list;
  va_start(list, format);
  printf("FAILED: ");
  vprintf(format, list);
  printf("\n");
  va_end(list);
  return false;
}

/* ---- random ---- */

static uint64_t state = 88172645463325252u;
int below(int n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (int)((state >> 11) % (uint64_t)n);
}
int between(int low, int high) { return low + below(high - low + 1); }
num random_num(enum kind t) {
  bool whole = t == I8 || t == I32 || t == CI8;
  double re = between(-8, 8), im = is_complex(t) ? between(-8, 8) : 0;
  return whole ? number(re, im) : number(re / 8, im / 8);
}

/* ---- numbers in memory ---- */

/* What the tests store is exact: a multiple of 1/8, a small whole number, or no number. */
static uint16_t to_half(double v) {
  int exponent;
  double fraction = frexp(fabs(v), &exponent);
  if (isnan(v)) return 0x7e00;
  if (v == 0) return 0;
  return (uint16_t)((v < 0 ? 0x8000 : 0) | (exponent + 14) << 10 | ((int)(fraction * 2048) & 1023));
}
static double from_half(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double v = exponent == 31 ? (fraction ? NAN : INFINITY)
             : exponent     ? ldexp(1024 + fraction, exponent - 25)
                            : ldexp(fraction, -24);
  return bits >> 15 ? -v : v;
}
static double from_bfloat(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float f;
  memcpy(&f, &wide, 4);
  return f;
}
static uint16_t to_bfloat(double v) {
  float f = (float)v;
  uint32_t bits;
  memcpy(&bits, &f, 4);
  return (uint16_t)(bits >> 16);
}

static void put(void *at, enum kind t, int i, num v) {
  switch (t) {
  case S: ((float *)at)[i] = (float)creal(v); break;
  case D: ((double *)at)[i] = creal(v); break;
  case C: ((float *)at)[2 * i] = (float)creal(v), ((float *)at)[2 * i + 1] = (float)cimag(v); break;
  case Z: ((double *)at)[2 * i] = creal(v), ((double *)at)[2 * i + 1] = cimag(v); break;
  case H: ((uint16_t *)at)[i] = to_half(creal(v)); break;
  case B: ((uint16_t *)at)[i] = to_bfloat(creal(v)); break;
  case I8: ((int8_t *)at)[i] = (int8_t)creal(v); break;
  case I32: ((int32_t *)at)[i] = (int32_t)creal(v); break;
  default: ((int8_t *)at)[2 * i] = (int8_t)creal(v), ((int8_t *)at)[2 * i + 1] = (int8_t)cimag(v); break;
  }
}
static num get(const void *at, enum kind t, int i) {
  switch (t) {
  case S: return ((const float *)at)[i];
  case D: return ((const double *)at)[i];
  case C: return number(((const float *)at)[2 * i], ((const float *)at)[2 * i + 1]);
  case Z: return number(((const double *)at)[2 * i], ((const double *)at)[2 * i + 1]);
  case H: return from_half(((const uint16_t *)at)[i]);
  case B: return from_bfloat(((const uint16_t *)at)[i]);
  case I8: return ((const int8_t *)at)[i];
  case I32: return ((const int32_t *)at)[i];
  default: return number(((const int8_t *)at)[2 * i], ((const int8_t *)at)[2 * i + 1]);
  }
}

/* ---- data of a case ---- */

enum { MOST = 4000 };
static void *hosts[MOST];
static CUdeviceptr devices[MOST];
static int n_hosts, n_devices;

static void *host(size_t bytes) {
  void *p = n_hosts < MOST ? calloc(1, bytes ? bytes : 1) : NULL;
  if (!p) abort();
  return hosts[n_hosts++] = p;
}
static CUdeviceptr on_gpu(size_t bytes) {
  CUdeviceptr p = 0;
  if (n_devices == MOST || cuMemAlloc_v2(&p, bytes ? bytes : 1) != CUDA_SUCCESS) abort();
  return devices[n_devices++] = p;
}
void end_case(void) {
  sync_device();
  while (n_hosts) free(hosts[--n_hosts]);
  while (n_devices) cuMemFree_v2(devices[--n_devices]);
}
void *device_copy(const void *bytes, size_t n) {
  CUdeviceptr p = on_gpu(n);
  cuMemcpyHtoD_v2(p, bytes, n);
  return (void *)(uintptr_t)p;
}

struct data *fresh(enum kind t, int n) {
  struct data *d = host(sizeof *d);
  *d = (struct data){t, n, host((size_t)n * sizeof(num)), on_gpu((size_t)n * size_of(t))};
  for (int i = 0; i < n; i++) d->v[i] = random_num(t);
  return d;
}
void upload(struct data *d) {
  if (!d->n) return;
  void *bytes = malloc((size_t)d->n * size_of(d->t));
  for (int i = 0; i < d->n; i++) put(bytes, d->t, i, d->v[i]);
  cuMemcpyHtoD_v2(d->at, bytes, (size_t)d->n * size_of(d->t));
  free(bytes);
}
void fetch(const struct data *d, num *out) {
  if (!d->n) return;
  void *bytes = malloc((size_t)d->n * size_of(d->t));
  cuMemcpyDtoH_v2(bytes, d->at, (size_t)d->n * size_of(d->t));
  for (int i = 0; i < d->n; i++) out[i] = get(bytes, d->t, i);
  free(bytes);
}
void *device(const struct data *d) { return (void *)(uintptr_t)d->at; }
void *pointers(struct data *const *list, int n) {
  CUdeviceptr *p = host((size_t)n * sizeof *p);
  for (int i = 0; i < n; i++) p[i] = list[i]->at;
  return device_copy(p, (size_t)n * sizeof *p);
}

static bool close_to(double got, double want, double bound) {
  if (isnan(want) || isnan(got)) return isnan(want) && isnan(got);
  return got == want || fabs(got - want) <= bound;
}
bool same(const struct data *d, double bound, const char *what) {
  num *got = host((size_t)d->n * sizeof *got);
  sync_device();
  fetch(d, got);
  for (int i = 0; i < d->n; i++) {
    double most = epsilon(d->t) * (bound + cabs(d->v[i]));
    if (!close_to(creal(got[i]), creal(d->v[i]), most) || !close_to(cimag(got[i]), cimag(d->v[i]), most))
      return CHECK(false, "%s: element %d is %.9g%+.9gi, should be %.9g%+.9gi", what, i, creal(got[i]),
                   cimag(got[i]), creal(d->v[i]), cimag(d->v[i]));
  }
  return CHECK(true, "%s", what);
}

/* ---- matrices ---- */

int place_of(const struct stored *m, int i, int j) {
  bool in = m->shape == GENERAL || (m->upper ? i <= j : i >= j);
  if (!in) return -1;
  if (m->storage == FULL) return m->first + i + j * m->ld;
  if (m->storage == PACKED) {
    int before = 0; /* elements of the columns before */
    for (int c = 0; c < j; c++) before += m->upper ? c + 1 : m->rows - c;
    return m->first + before + (m->upper ? i : i - j);
  }
  if (i - j > m->kl || j - i > m->ku) return -1;
  return m->first + m->ku + i - j + j * m->ld;
}

struct stored matrix(enum kind t, int rows, int cols) {
  struct stored m = {.rows = rows, .cols = cols, .ld = (rows ? rows : 1) + below(4)};
  m.d = fresh(t, m.ld * cols);
  return m;
}

void poison_unread(struct stored *m) {
  char *read = host((size_t)m->d->n);
  for (int j = 0; j < m->cols; j++)
    for (int i = 0; i < m->rows; i++) {
      int at = place_of(m, i, j);
      if (at >= 0 && !(m->unit && i == j)) read[at] = 1;
    }
  for (int i = 0; i < m->d->n; i++)
    if (!read[i]) m->d->v[i] = no_number(m->d->t);
}

num *written_out(const struct stored *m, int op) {
  int rows = m->rows, cols = m->cols;
  num *out = host((size_t)(rows * cols + 1) * sizeof *out);
  for (int j = 0; j < cols; j++)
    for (int i = 0; i < rows; i++) {
      int at = place_of(m, i, j), mirror = place_of(m, j, i);
      num v = at >= 0 ? m->d->v[at] : 0;
      if (at < 0 && mirror >= 0 && (m->shape == SYMMETRIC || m->shape == HERMITIAN))
        v = m->shape == HERMITIAN ? conj(m->d->v[mirror]) : m->d->v[mirror];
      if (m->shape == HERMITIAN && i == j) v = creal(v);
      if (m->shape == TRIANGULAR && m->unit && i == j) v = 1;
      if (op == 0)
        out[i + j * rows] = v;
      else
        out[j + i * cols] = op == 2 ? conj(v) : v;
    }
  return out;
}

/* ---- vectors ---- */

struct stored_vector vector(enum kind t, int n, int inc) {
  return (struct stored_vector){fresh(t, n ? 1 + (n - 1) * abs(inc) : 0), n, inc};
}
num *at_vector(const struct stored_vector *x, int i) {
  return &x->d->v[(x->inc > 0 ? i : x->n - 1 - i) * abs(x->inc)];
}
int some_inc(void) {
  static const int incs[] = {1, 1, 2, 3, -1, -2};
  return incs[below(6)];
}

/* ---- the library ---- */

static void *library;
static char *called[1000];
static int n_called;

void open_library(const char *file) {
  library = dlopen(file, RTLD_NOW);
  if (!library) {
    printf("%s\n0 passed, 1 failed\n", dlerror());
    exit(1);
  }
}
bool was_called(const char *name) {
  for (int i = 0; i < n_called; i++)
    if (strcmp(called[i], name) == 0) return true;
  return false;
}
void *function(const char *format, const char *type) {
  char name[80];
  const char *mark = strchr(format, '%');
  int head = mark ? (int)(mark - format) : (int)strlen(format);
  snprintf(name, sizeof name, "%.*s%s%s", head, format, mark ? type : "", mark ? mark + 1 : "");
  void *f = dlsym(library, name);
  if (!was_called(name)) called[n_called++] = strdup(name);
  if (!f) printf("FAILED: there is no %s\n", name), failed++;
  return f;
}
void set_pointer_mode(bool device_mode) {
  int (*set)(void *, int) = (int (*)(void *, int))(uintptr_t)function("cublasSetPointerMode_v2", "");
  on_device = device_mode;
  set(handle, device_mode);
}
void *scalar(num v, enum kind t) {
  void *p = host(16);
  put(p, t, 0, v);
  return on_device ? device_copy(p, size_of(t)) : p;
}
int sync_device(void) { return (int)cuCtxSynchronize(); }
