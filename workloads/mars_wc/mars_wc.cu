// Word count: a task finds the words of its piece of a text and emits those of six letters and more; the words are sorted and grouped.
// Key: the address of the text; value: place and size of the piece. A word in the text is ended by a 0 that its task writes.
#define MARS_SORT_STEP __maxnreg__(20) // enough for the assembler: six blocks an SM
#include "../mars/mars_scan.cuh"
#include "../mars/mars_emit.cuh"
#define MARS_APART 8
#include "../mars/mars_group.cuh"

static __device__ int mars_order(const char *a, const char *b) {
#pragma unroll 1
  while (*a != 0 && *b != 0 && *a == *b) {
    a++;
    b++;
  }
  signed char x = *a; // still at hand; the other one is loaded again
  asm volatile("" : "+l"(b));
  signed char y = *b;
  if (x > y) return 1;
  return x < y ? -1 : 0;
}

static __device__ bool wc_is_letter(char c) { return c >= 'A' && c <= 'Z'; }

// Calls `found` with the address of each word and its length with the 0.
template <class F> static __device__ void wc_walk(const mars_input &in, int task, F found) {
  int4 own = in.records[task];
  int *value = (int *)(in.values + own.z);
  int start = value[0];
  char *word = *(char **)(in.keys + own.x) + start;
  int bytes = value[1], used = 0;
  char *at = word, c = *at;
  while (true) {
#pragma unroll 1
    while (wc_is_letter(c)) {
      used++;
      c = *++at;
    }
    *at++ = 0;
    used++;
    found(word, (int)(at - word));
#pragma unroll 1
    while (used < bytes && !wc_is_letter(c = *at)) {
      used++;
      at++;
    }
    if (used >= bytes) break;
    word = at;
  }
}

enum { WC_SHORT = 6 };

static __device__ void wc_map_count_task(const mars_input &in, const mars_counts &counts, int task) {
  wc_walk(in, task, [&](char *, int length) {
    if (length > WC_SHORT) mars_count(counts, task, length, 4);
  });
}

extern "C" __global__ void wc_map_count(MARS_INPUT, MARS_COUNTS) {
  mars_input in = MARS_IN;
  mars_counts counts = MARS_COUNTED;
  MARS_EACH(task, in.count) wc_map_count_task(in, counts, task);
}

static __device__ void wc_map_task(const mars_input &in, const mars_output &out, int task) {
  mars_begin(out, task);
  int *slot = mars_slot();
  wc_walk(in, task, [&](char *word, int length) {
    *slot = length;
    if (length > WC_SHORT) mars_emit(out, task, mars_string{word, length}, mars_words<1>{slot});
  });
}

extern "C" __global__ void wc_map(MARS_INPUT, MARS_OUTPUT) {
  mars_input in = MARS_IN;
  mars_output out = MARS_OUT;
  MARS_EACH(task, in.count) wc_map_task(in, out, task);
}
