// Inverted index: a task finds the links of its piece of a page; they are sorted and grouped by the address that they lead to. Key: a text,
// and place and hash of an address in it, which the task fills in; value: place and size of the piece, number of the file.
#include "../mars/mars_scan.cuh"
#include "../mars/mars_emit.cuh"
#include "../mars/mars_text.cuh"
#include "../mars/mars_group.cuh"

struct ii_value {
  int place, bytes, file;
};

static __device__ int mars_order(const char *a, const char *b) {
  return mars_text_order((const mars_text_key *)a, (const mars_text_key *)b);
}

// Whether the text goes on with "href".
static __device__ bool ii_is_href(const char *at) {
  char name[5] = {'h', 'r', 'e', 'f', 0};
  int i = 1;
#pragma unroll
  for (; i < 5; i++)
    if (at[i] != name[i]) break;
  return name[i] == 0;
}

enum ii_state { II_TEXT, II_TAG, II_LINK, II_HREF, II_ADDRESS };

// Looks for <a href="...">; `found` is called with the address, its length and its place in the text.
template <class F> static __device__ void ii_walk(const mars_input &in, int4 own, F found) {
  ii_value *value = (ii_value *)(in.values + own.z);
  mars_text_key *key = (mars_text_key *)(in.keys + own.x);
  int start = value->place;
  char *text = key->text + start;
  int bytes = value->bytes, state = II_TEXT;
  for (int j = 0; j < bytes; j++) {
    if (state == II_TEXT) {
      if (text[j] == '<') state = II_TAG;
    } else if (state == II_TAG) {
      if (text[j] == 'a') state = II_LINK;
      else if (text[j] != ' ') state = II_TEXT;
    } else if (state == II_LINK) {
      if (text[j] == 'h') {
        bool href = ii_is_href(text + j);
        state = href ? II_HREF : II_TEXT;
        if (href) j += 3;
      } else if (text[j] != ' ') {
        state = II_TEXT;
      }
    } else if (state == II_HREF) {
      if (text[j] == '"') state = II_ADDRESS;
      else if (text[j] != ' ' && text[j] != '=') state = II_TEXT;
    } else {
      int first = j;
#pragma unroll 1
      while (text[j] != '"') j++;
      found(key, value, text + first, j - first, start + first);
      state = II_TEXT;
    }
  }
}

extern "C" __global__ void ii_map_count(mars_input in, mars_counts counts) {
  int task = blockIdx.x * blockDim.x + threadIdx.x;
  if (task >= in.count) return;
  ii_walk(in, in.records[task],
          [&](mars_text_key *, ii_value *, char *, int, int) { mars_count(counts, task, sizeof(mars_text_key), 4); });
}

extern "C" __global__ void ii_map(mars_input in, mars_output out) {
  int task = blockIdx.x * blockDim.x + threadIdx.x;
  if (task >= in.count) return;
  mars_begin(out, task);
  ii_walk(in, in.records[task], [&](mars_text_key *key, ii_value *value, char *address, int length, int place) {
    address[length] = 0;
    key->place = place;
    key->hash = mars_hash(address, length);
    mars_emit(out, task, mars_bytes<sizeof(mars_text_key)>{(char *)key}, mars_bytes<4>{(char *)&value->file});
  });
}
