// What every workload shares: the description of a workload, the run it is handed, device memory and launches
// on the CUDA driver API, a seeded generator, and the comparison with the CPU reference.
//
// A workload's code has no error paths: a failing CUDA call (or an exhausted host) reports itself and ends
// the run, and whatever the run allocated, on the host or on the device, is given back by wl_execute().
#ifndef WL_H
#define WL_H

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wl_size { WL_SMALL, WL_MEDIUM, WL_PAPER, WL_SIZES };

extern const char *const wl_size_names[WL_SIZES];

struct wl_run;

// One workload. `sizes` says in words what each size is; `run` computes on the device and on the host and
// returns whether the two agree.
struct workload {
  const char *name, *suite, *pattern;
  const char *sizes[WL_SIZES];
  const char *ptx; // the module's text, from WL_PTX
  bool (*run)(struct wl_run *r);
};

// All workloads, in the order in which `list` shows them, ended by NULL.
extern const struct workload *const wl_registry[];

// A seeded generator (splitmix64); the same seed gives the same inputs on every machine.
struct wl_rng {
  uint64_t state;
};

// One run of one workload. Workloads read `size` and draw inputs from `rng`; the rest belongs to wl.c.
struct wl_run {
  enum wl_size size;
  struct wl_rng rng;
  struct wl_state *state;
};

// Embeds the file WL_PTX_PATH(FOLDER) (a path from the repository's root) as the string wl_ptx_FOLDER.
#ifndef WL_PTX_PATH
#define WL_PTX_PATH(folder) "workloads/" #folder "/" #folder ".ptx"
#endif
#define WL_PTX(folder)                                                                                       \
  extern const char wl_ptx_##folder[];                                                                       \
  __asm__(".pushsection .rodata\n.globl wl_ptx_" #folder "\n.balign 16\nwl_ptx_" #folder                     \
          ":\n.incbin \"" WL_PTX_PATH(folder) "\"\n.byte 0\n.popsection")

// Runs the workload: loads its module, calls its run function, releases everything. Any failure has been
// reported on stdout as `NAME: MISMATCH ...` or `NAME: FAILED ...`; refused: the device has too little memory.
// Several runs may be under way at once, each in a thread of its own, if the driver gives each its own primary context.
enum wl_end { WL_RIGHT, WL_WRONG, WL_REFUSED };
enum wl_end wl_execute(const struct workload *w, enum wl_size size, uint64_t seed);
// The same without a word about its end.
enum wl_end wl_execute_again(const struct workload *w, enum wl_size size, uint64_t seed);

// Checks a CUDA driver call. A call that fails is reported with its place and ends the run.
#define CU(r, call) wl_cu((r), (call), #call, __FILE__, __LINE__)
void wl_cu(struct wl_run *r, CUresult result, const char *call, const char *file, int line);

// Ends the run with a sentence that says why.
_Noreturn void wl_fail(struct wl_run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

// ---- memory: all of it is released at the end of the run ----

// Zeroed host memory for `count` items of `size` bytes.
void *wl_host(struct wl_run *r, size_t count, size_t size);
// Host memory for `count` items of a type.
#define WL_NEW(r, type, count) ((type *)wl_host((r), (size_t)(count), sizeof(type)))

// Device memory: not initialised, zeroed, or a copy of host memory.
CUdeviceptr wl_alloc(struct wl_run *r, size_t bytes);
CUdeviceptr wl_zeros(struct wl_run *r, size_t bytes);
CUdeviceptr wl_up(struct wl_run *r, const void *from, size_t bytes);
// Gives device memory back before the end of the run, so that what is allocated next may lie there.
void wl_release(struct wl_run *r, CUdeviceptr block);

// Copies into and out of device memory that is already there.
void wl_put(struct wl_run *r, CUdeviceptr to, const void *from, size_t bytes);
void wl_get(struct wl_run *r, void *to, CUdeviceptr from, size_t bytes);
// A host copy of device memory.
void *wl_down(struct wl_run *r, CUdeviceptr from, size_t bytes);
// Copies host memory into the module's variable (such as a __constant__ array) of that name.
void wl_put_symbol(struct wl_run *r, const char *symbol, const void *from, size_t bytes);

// A texture over `count` floats of device memory, fetched by index; destroyed at the end of the run.
CUtexObject wl_texture(struct wl_run *r, CUdeviceptr from, long count);
// The same over items of one, two or four numbers.
CUtexObject wl_texels(struct wl_run *r, CUdeviceptr from, CUarray_format format, unsigned numbers, long count);
// A two-dimensional texture with a copy of host memory, of one to four whole numbers a place, fetched by coordinates that are not
// normalised; outside it repeats its edge. Destroyed at the end of the run.
CUtexObject wl_picture(struct wl_run *r, const void *from, CUarray_format format, unsigned numbers, long width, long height);

// The same functions counted in items of a type, or of the type that the host pointer has.
#define WL_DEV(r, type, count)        wl_alloc((r), (size_t)(count) * sizeof(type))
#define WL_ZEROS(r, type, count)      wl_zeros((r), (size_t)(count) * sizeof(type))
#define WL_UP(r, from, count)         wl_up((r), (from), (size_t)(count) * sizeof *(from))
#define WL_PUT(r, to, from, count)    wl_put((r), (to), (from), (size_t)(count) * sizeof *(from))
#define WL_GET(r, to, from, count)    wl_get((r), (to), (from), (size_t)(count) * sizeof *(to))
#define WL_DOWN(r, type, from, count) ((type *)wl_down((r), (from), (size_t)(count) * sizeof(type)))

// ---- launches ----

struct wl_dim {
  unsigned x, y, z;
};
static inline struct wl_dim wl_1d(long x) { return (struct wl_dim){(unsigned)x, 1, 1}; }
static inline struct wl_dim wl_2d(long x, long y) { return (struct wl_dim){(unsigned)x, (unsigned)y, 1}; }
static inline struct wl_dim wl_3d(long x, long y, long z) {
  return (struct wl_dim){(unsigned)x, (unsigned)y, (unsigned)z};
}

// How many blocks of `block` items hold `items`.
static inline long wl_blocks(long items, long block) { return (items + block - 1) / block; }

// How many multiprocessors the device has, for grids that are fitted to it.
int wl_cores(struct wl_run *r);
// How many blocks of a kernel one multiprocessor can hold at once, for grids whose blocks wait for each other.
int wl_resident(struct wl_run *r, const char *kernel, int threads, size_t shared);

// Launches a kernel of the workload's module by name, with `shared` bytes of dynamic shared memory; the rest
// are the addresses of its arguments: WL_LAUNCH(r, "add", wl_1d(4), wl_1d(256), 0, &a, &b, &n).
#define WL_LAUNCH(r, kernel, grid, block, shared, ...)                                                       \
  wl_launch((r), (kernel), (grid), (block), (shared), (void *[]){__VA_ARGS__})
void wl_launch(struct wl_run *r, const char *kernel, struct wl_dim grid, struct wl_dim block, size_t shared,
               void **args);

// ---- random numbers ----

uint64_t wl_next(struct wl_rng *rng);
uint32_t wl_below(struct wl_rng *rng, uint32_t bound);       // 0 .. bound-1
float wl_uniform(struct wl_rng *rng, float low, float high); // low <= x < high
float wl_normal(struct wl_rng *rng);                         // mean 0, deviation 1

// ---- comparison with the reference: true when all agree, else the first differences are shown ----

bool wl_same_i32(struct wl_run *r, const char *what, const int *got, const int *want, long count);
bool wl_same_u32(struct wl_run *r, const char *what, const uint32_t *got, const uint32_t *want, long count);
bool wl_same_u8(struct wl_run *r, const char *what, const uint8_t *got, const uint8_t *want, long count);
// |got - want| <= absolute + relative * |want|; a NaN never agrees.
bool wl_near_f32(struct wl_run *r, const char *what, const float *got, const float *want, long count,
                 float relative, float absolute);
bool wl_near_f64(struct wl_run *r, const char *what, const double *got, const double *want, long count,
                 double relative, double absolute);
// Says that something the comparison functions cannot express is wrong; returns false.
bool wl_mismatch(struct wl_run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
