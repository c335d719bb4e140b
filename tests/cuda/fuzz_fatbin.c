/* Feeds broken fat binaries to the reader, which must refuse or accept them without touching anything outside
 * the input. The input is copied to a block of exactly its size, so that the sanitizer sees every step too
 * far. */
#include "cuda/fatbin.h"
#include "fuzz_kit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  unsigned char *exact = malloc(bytes ? bytes : 1);
  if (bytes) memcpy(exact, data, bytes);
  struct err e = {0};
  char *ptx = fatbin_ptx(exact, bytes, 90, &e);
  if (!ptx && (!e.text[0] || !e.code)) {
    fprintf(stderr, "refused without a reason\n");
    abort();
  }
  free(ptx);
  unsigned char out[256];
  fatbin_unpack_lz4(out, sizeof out, exact, bytes);
  free(exact);
  return 0;
}

#ifndef FUZZER_MAIN
int main(int argc, char **argv) {
  static const char *const seeds[] = {"tests/cuda/data/registered_zstd.fatbin",
                                      "tests/cuda/data/registered_lz4.fatbin",
                                      "tests/cuda/data/registered_plain.fatbin",
                                      "tests/cuda/data/registered_machine.fatbin", "tests/cuda/kernels.ptx"};
  return fuzz_main(argc, argv, 100000, seeds, sizeof seeds / sizeof *seeds);
}
#endif
