// Inverted index: finds the links in a collection of web pages and lists for each address the pages that
// link to it. Each task scans its piece of the text for the mark before a link.
#include "../mars/mars.cuh"

enum { II_MARK = 9 }; // <a href="

static __device__ bool ii_is_mark(const unsigned char *text) {
  const char mark[] = "<a href=\"";
#pragma unroll
  for (int i = 0; i < II_MARK; i++)
    if (text[i] != mark[i]) return false;
  return true;
}

// A link belongs to the piece in which its mark begins. The text is followed by zeros.
extern "C" __global__ void ii_map_count(const unsigned char *text, int bytes, int piece, int pieces,
                                        int *links, int *letters) {
  int task = blockIdx.x * blockDim.x + threadIdx.x;
  if (task >= pieces) return;
  int at = task * piece, last = min(at + piece, bytes), count = 0, length = 0;
#pragma unroll 1
  while (at < last) {
    if (!ii_is_mark(text + at)) {
      at++;
      continue;
    }
    count++;
#pragma unroll 1
    for (at += II_MARK; text[at] != '"'; at++) length++;
  }
  links[task] = count;
  letters[task] = length;
}

// The value of a link is the number of its page.
extern "C" __global__ void ii_map(const unsigned char *text, int bytes, int piece, int pieces, int page_bytes,
                                  const int *link_place, const int *letter_place, unsigned char *keys,
                                  int4 *records) {
  int task = blockIdx.x * blockDim.x + threadIdx.x;
  if (task >= pieces) return;
  int at = task * piece, last = min(at + piece, bytes), link = link_place[task], to = letter_place[task];
#pragma unroll 1
  while (at < last) {
    if (!ii_is_mark(text + at)) {
      at++;
      continue;
    }
    int begin = to, page = at / page_bytes;
#pragma unroll 1
    for (at += II_MARK; text[at] != '"'; at++) keys[to++] = text[at];
    records[link++] = make_int4(begin, to - begin, page, 0);
  }
}

// The list of pages behind each other, group by group.
extern "C" __global__ void ii_reduce(const int4 *records, int count, int *pages) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) pages[i] = records[i].z;
}
