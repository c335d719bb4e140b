// Word count: each task cuts its piece of a text into words and writes a copy of each as a key; the records
// are sorted by word, and the reduction adds up each group.
#include "../mars/mars.cuh"

static __device__ bool wc_is_letter(unsigned char c) { return c > ' '; }

// A word belongs to the piece in which it begins. The text ends with a blank.
extern "C" __global__ void wc_map_count(const unsigned char *text, int bytes, int piece, int pieces,
                                        int *words, int *letters) {
  int task = blockIdx.x * blockDim.x + threadIdx.x;
  if (task >= pieces) return;
  int at = task * piece, last = min(at + piece, bytes), count = 0, length = 0;
  bool inside = at > 0 && wc_is_letter(text[at - 1]), own = false;
#pragma unroll 1
  for (; at < bytes && (at < last || (inside && own)); at++) {
    bool letter = wc_is_letter(text[at]);
    if (letter && !inside) {
      own = true;
      count++;
    }
    inside = letter;
    length += letter && own;
  }
  words[task] = count;
  letters[task] = length;
}

extern "C" __global__ void wc_map(const unsigned char *text, int bytes, int piece, int pieces,
                                  const int *word_place, const int *letter_place, unsigned char *keys,
                                  int4 *records) {
  int task = blockIdx.x * blockDim.x + threadIdx.x;
  if (task >= pieces) return;
  int at = task * piece, last = min(at + piece, bytes), word = word_place[task] - 1, to = letter_place[task];
  int begin = to;
  bool inside = at > 0 && wc_is_letter(text[at - 1]), own = false;
#pragma unroll 1
  for (; at < bytes && (at < last || (inside && own)); at++) {
    unsigned char c = text[at];
    bool letter = wc_is_letter(c);
    if (letter && !inside) {
      own = true;
      word++;
      begin = to;
    }
    inside = letter;
    if (letter && own) keys[to++] = c;
    if (!letter && to > begin) {
      records[word] = make_int4(begin, to - begin, 1, 0);
      begin = to;
    }
  }
}

extern "C" __global__ void wc_reduce(const int4 *records, const int *starts, int groups, int *counts) {
  int group = blockIdx.x * blockDim.x + threadIdx.x;
  if (group >= groups) return;
  int sum = 0;
#pragma unroll 1
  for (int i = starts[group]; i < starts[group + 1]; i++) sum += records[i].z;
  counts[group] = sum;
}
