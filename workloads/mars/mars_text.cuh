// Texts as keys in the map-reduce workloads: a key names a text, a place in it and the hash of the string there.

struct mars_text_key {
  char *text;
  int place, hash;
};

// The hash of `bytes` bytes; the compiler's order of steps is left to it.
static __device__ int mars_hash(const char *from, int bytes) {
  int hash = bytes;
  for (int i = 0; i < bytes; i++) hash = (int)((unsigned)hash << 4) ^ (hash >> 28) ^ (signed char)from[i];
  return hash;
}

// By hash, then by the strings, which end with a 0. Both bytes of a step are loaded before they are compared.
static __device__ int mars_text_order(const mars_text_key *x, const mars_text_key *y) {
  int y_hash = y->hash, x_hash = x->hash;
  if (x_hash > y_hash) return 1;
  if (x_hash < y_hash) return -1;
  const char *a = x->text + x->place, *b = y->text + y->place;
  signed char q = *b, p = *a;
#pragma unroll 1
  while (p == q && p != 0) {
    q = *++b;
    p = *++a;
  }
  if (p > q) return 1;
  return p < q ? -1 : 0;
}
