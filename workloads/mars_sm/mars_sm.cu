// String match: each task looks for a keyword in its piece of a text. As a task does not know how many
// matches the others have, one pass counts them, a prefix sum gives each task its place, and a second pass
// over the text writes them.
#include "../mars/mars.cuh"

static __device__ bool sm_matches(const unsigned char *text, const unsigned char *keyword, int length) {
#pragma unroll 1
  for (int i = 0; i < length; i++)
    if (text[i] != keyword[i]) return false;
  return true;
}

// A match belongs to the piece in which it begins. The text is followed by zeros.
extern "C" __global__ void sm_map_count(const unsigned char *text, int bytes, int piece,
                                        const unsigned char *keyword, int length, int pieces, int *matches) {
  int task = blockIdx.x * blockDim.x + threadIdx.x;
  if (task >= pieces) return;
  int first = task * piece, last = min(first + piece, bytes), found = 0;
#pragma unroll 1
  for (int at = first; at < last; at++) found += sm_matches(text + at, keyword, length);
  matches[task] = found;
}

extern "C" __global__ void sm_map(const unsigned char *text, int bytes, int piece,
                                  const unsigned char *keyword, int length, int pieces, const int *place,
                                  int *where) {
  int task = blockIdx.x * blockDim.x + threadIdx.x;
  if (task >= pieces) return;
  int first = task * piece, last = min(first + piece, bytes), to = place[task];
#pragma unroll 1
  for (int at = first; at < last; at++)
    if (sm_matches(text + at, keyword, length)) where[to++] = at;
}
