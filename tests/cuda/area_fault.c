/* Faults: what each answers, that the context stays dead, and that other processes do not care. Each fault
 * happens in a child of its own, because a real GPU's driver does not recover within a process. */
#include "cuda_kit.h"

#include <sys/wait.h>
#include <unistd.h>

static void after(const char *what, CUresult launch) {
  CUdeviceptr p;
  CUstream s;
  CUresult sync = cuCtxSynchronize();
  CUresult again = cuCtxSynchronize();
  printf("%s: launch %d, synchronise %d and %d, allocate %d, stream %d\n", what, (int)launch, (int)sync,
         (int)again, (int)cuMemAlloc(&p, 4), (int)cuStreamCreate(&s, 0));
}

static void wild(void) {
  CUdeviceptr p = kit_ints(16, 0);
  long long i = 1ll << 36;
  after("far out of bounds", LAUNCH(kit_function("out_of_bounds"), 1, 1, 0, NULL, &p, &i));
}
static void null_pointer(void) {
  CUdeviceptr p = 0;
  long long i = 0;
  after("null", LAUNCH(kit_function("out_of_bounds"), 1, 1, 0, NULL, &p, &i));
}
static void misaligned(void) {
  CUdeviceptr p = kit_ints(16, 0);
  after("misaligned", LAUNCH(kit_function("misaligned"), 1, 1, 0, NULL, &p));
}
static void trap(void) { after("trap", LAUNCH(kit_function("traps"), 1, 1, 0, NULL, NULL)); }
static void failed_assertion(void) {
  int x = 4;
  after("assertion", LAUNCH(kit_function("asserts"), 1, 1, 0, NULL, &x));
}
static void passed_assertion(void) {
  int x = 3;
  after("true assertion", LAUNCH(kit_function("asserts"), 1, 1, 0, NULL, &x));
}

int main(void) {
  void (*const cases[])(void) = {wild, null_pointer, misaligned, trap, failed_assertion, passed_assertion};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      kit_open();
      cases[i]();
      fflush(stdout);
      _exit(kit_failed);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  return kit_failed;
}
