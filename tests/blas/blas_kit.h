/* What the tests of libcublas share: numbers of every type in device memory, a model of them on the host in
 * double complex, matrices written out from whatever shape and storage they have, comparisons with a stated
 * bound, and functions of the library found by name. */
#ifndef BLAS_KIT_H
#define BLAS_KIT_H

#include <complex.h>
#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef double complex num;

/* Types of data, in the order of their letters. */
enum kind { S, D, C, Z, H, B, I8, I32, CI8, KINDS };
extern const char letters[]; /* "SDCZ" and more */
num number(double re, double im);
num no_number(enum kind t); /* NaN in all its parts */
bool is_complex(enum kind t);
enum kind real_kind(enum kind t);
size_t size_of(enum kind t);
double epsilon(enum kind t); /* one unit in the last place of 1 */

/* ---- counting ---- */
extern int passed, failed;
#define CHECK(ok, ...) check_that(ok, __VA_ARGS__)
bool check_that(bool ok, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- random choices, the same in every run ---- */
int below(int n);               /* 0 .. n-1 */
int between(int low, int high); /* both included */
num random_num(enum kind t);    /* a multiple of 1/8, at most 1: exact in every type */

/* ---- data: an image in device memory and what it holds ---- */
struct data {
  enum kind t;
  int n;
  num *v;
  CUdeviceptr at;
};
struct data *fresh(enum kind t, int n); /* random; freed by the end of a case */
void upload(struct data *d);
void fetch(const struct data *d, num *out);
void end_case(void);
void *device_copy(const void *bytes, size_t n);
void *device(const struct data *d); /* its address as a pointer */
void *pointers(struct data *const *list, int n);

/* Every element of d is what its model says, within bound times the unit of its type; elements that are equal
 * to begin with are exact. */
bool same(const struct data *d, double bound, const char *what);

/* ---- matrices ---- */
enum shape { GENERAL, SYMMETRIC, HERMITIAN, TRIANGULAR };
enum storage { FULL, PACKED, BAND };
struct stored {
  struct data *d;
  int rows, cols, ld, kl, ku, first; /* first: where in the data it begins */
  enum shape shape;
  enum storage storage;
  bool upper, unit;
};
int place_of(const struct stored *m, int i, int j);    /* in the data; -1: not stored */
struct stored matrix(enum kind t, int rows, int cols); /* full and general, with some room between columns */
void poison_unread(struct stored *m);                  /* what a routine must not read becomes NaN */
num *written_out(const struct stored *m, int op);      /* op(m) column by column */

/* ---- vectors ---- */
struct stored_vector {
  struct data *d;
  int n, inc;
};
struct stored_vector vector(enum kind t, int n, int inc);
num *at_vector(const struct stored_vector *x, int i);
int some_inc(void);

/* ---- the library ---- */
extern void *handle;
extern bool on_device; /* scalars are in device memory */
void set_pointer_mode(bool device);
void *scalar(num v, enum kind t);
void *function(const char *format, const char *type); /* by name; % stands for the type */
bool was_called(const char *name);
void open_library(const char *file);
int sync_device(void);
enum { OK_ = 0, NOT_INITIALIZED = 1, INVALID = 7, NOT_SUPPORTED = 15 };

/* The parts. */
void test_helpers(void);
void test_gemm(void);
void test_level3(void);
void test_level2(void);
void test_level1(void);
void test_factor(void);
void test_interfaces(void);

#endif
