/* Has a CUDA runtime linked in, as far as libheddle-bind.so can tell: a section .nv_fatbin and functions of the runtime's names. What
 * they return without it is 7777. cudaOfNobody lies between them and is none of ours; cudaOfTheProgram lies before them. With
 * IMITATION_IS_LIBRARY it is a library, which asks already when it starts, as those that register kernels do. With an argument, several
 * threads make the first calls at once. IMITATION_OF is a function that only some versions have. */
#include <pthread.h>
#include <stdio.h>

__attribute__((section(".nv_fatbin"), used)) static const char image[16];

#define THEIRS __attribute__((noinline, aligned(16), visibility("default")))

THEIRS int cudaOfTheProgram(int *out) {
  __asm__ volatile("nop");
  *out = 1;
  return 7777;
}
THEIRS void **__cudaRegisterFatBinary(void *unused) {
  __asm__ volatile("nop");
  return unused;
}
THEIRS int cudaGetDeviceCount(int *out) {
  __asm__ volatile("nop");
  *out = -1;
  return 7777;
}
THEIRS int cudaOfNobody(int *out) {
  __asm__ volatile("nop");
  *out = -1;
  return 7777;
}
THEIRS int __cudart537(void) {
  __asm__ volatile("nop");
  return 7777;
}
#ifdef IMITATION_OF
THEIRS int IMITATION_OF(void) {
  __asm__ volatile("nop");
  return 7777;
}
#endif
THEIRS int cudaRuntimeGetVersion(int *out) {
  __asm__ volatile("nop");
  *out = -1;
  return 7777;
}

#ifdef IMITATION_IS_LIBRARY
static int at_start = -2;
__attribute__((constructor)) static void start(void) { cudaGetDeviceCount(&at_start); }
THEIRS void report(void) {
  int n = -2, status = cudaGetDeviceCount(&n);
  printf("library: devices %d at start, %d now, status %d\n", at_start, n, status);
}
#else
enum { THREADS = 16 };
static pthread_barrier_t together;
static void *first_calls(void *arg) {
  int *answers = arg;
  pthread_barrier_wait(&together);
  answers[0] = cudaGetDeviceCount(&answers[1]);
  answers[2] = cudaRuntimeGetVersion(&answers[3]);
  return NULL;
}
static int in_threads(void) {
  pthread_t threads[THREADS];
  static int answers[THREADS][4];
  pthread_barrier_init(&together, NULL, THREADS);
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, first_calls, answers[i]) != 0) return 1;
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < THREADS; i++) printf("status %d %d\n", answers[i][0], answers[i][2]);
  return 0;
}
int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1) return in_threads();
  int n = -2, status = cudaGetDeviceCount(&n);
  printf("devices: %d, status %d\n", n, status);
  status = cudaRuntimeGetVersion(&n);
  printf("version: %d, status %d\n", n / 1000, status);
  printf("of nobody: status %d\n", cudaOfNobody(&n));
  printf("of its own: status %d\n", __cudart537());
  printf("of the program: status %d\n", cudaOfTheProgram(&n));
  return 0;
}
#endif
