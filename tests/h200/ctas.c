/* How CTAs follow each other, on the CUDA driver API: the same program runs on a real GPU and on Heddle. One measurement a line of standard
 * input, printed with its answer:
 *
 *   turn THREADS LATE   CTAs of THREADS threads, one at a time on an SM, of 4,000 cycles and a bit each: cycles from the end of one to the
 *                       first instruction of the next on the same SM, the median; with LATE the last thing that a CTA does is a store
 *   fill THREADS        two CTAs of THREADS threads for each SM: cycles from the first instruction of one to that of the other, the median
 *   flow THREADS        64 CTAs of THREADS threads for each SM, which do next to nothing: cycles from one's first instruction to the next
 *                       one's on the same SM, the mean
 *   param               cycles of the first instruction of a CTA that needs a parameter, the first CTA on each SM, the median
 *
 * The second of two launches is what counts. Usage: ctas < FILE. */
#include "driver.h"

#include <string.h>

enum { EACH = 8, FLOW = 64, MOST_SMS = 256, SHARED = 150 << 10, SPIN = 4000 };

struct cta {
  unsigned long long begun, ended, param, sm;
};

static const char text[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 spin, .param .u32 late) {\n"
    "  .reg .pred %p<4>;\n  .reg .b32 %r<8>;\n  .reg .b64 %rd<12>;\n"
    "  mov.u64 %rd1, %clock64;\n  ld.param.u64 %rd2, [out];\n  add.u64 %rd3, %rd2, %rd1;\n  setp.eq.u64 %p0, %rd3, 1;\n  @%p0 bra END;\n"
    "  mov.u64 %rd4, %clock64;\n  mov.u32 %r1, %tid.x;\n  setp.ne.u32 %p1, %r1, 0;\n  @%p1 bra END;\n"
    "  ld.param.u32 %r2, [spin];\n  ld.param.u32 %r3, [late];\n  setp.ne.u32 %p2, %r3, 0;\n  mov.u32 %r4, %ctaid.x;\n"
    "  mov.u32 %r5, %smid;\n"
    "  mul.wide.u32 %rd5, %r4, 32;\n  add.u64 %rd2, %rd2, %rd5;\n  sub.u64 %rd4, %rd4, %rd1;\n  mul.lo.u32 %r6, %r4, 61;\n"
    "  and.b32 %r6, %r6, 511;\n  add.u32 %r2, %r2, %r6;\n  cvt.u64.u32 %rd6, %r2;\n  add.u64 %rd7, %rd1, %rd6;\n  cvt.u64.u32 %rd8, %r5;\n"
    "  @%p2 bra LOOP;\n  st.global.v2.u64 [%rd2], {%rd1, %rd7};\n  st.global.v2.u64 [%rd2+16], {%rd4, %rd8};\n"
    "LOOP:\n  mov.u64 %rd9, %clock64;\n  setp.lt.u64 %p3, %rd9, %rd7;\n  @%p3 bra LOOP;\n"
    "  @!%p2 bra END;\n  st.global.v2.u64 [%rd2+16], {%rd4, %rd8};\n  st.global.v2.u64 [%rd2], {%rd1, %rd9};\nEND:\n  ret;\n}\n";

static CUfunction function;
static CUdeviceptr memory;
static unsigned sms;

static int by_number(const void *a, const void *b) {
  unsigned long long x = *(const unsigned long long *)a, y = *(const unsigned long long *)b;
  return (x > y) - (x < y);
}

static int by_place(const void *a, const void *b) {
  const struct cta *x = a, *y = b;
  return x->sm != y->sm ? (x->sm > y->sm) - (x->sm < y->sm) : (x->begun > y->begun) - (x->begun < y->begun);
}

static void run(struct cta *ctas, unsigned each, unsigned threads, unsigned shared, unsigned spin, unsigned late) {
  unsigned n = sms * each;
  void *args[] = {&memory, &spin, &late};
  for (int i = 0; i < 2; i++) CHECK(cuLaunchKernel(function, n, 1, 1, threads, 1, 1, shared, 0, args, 0));
  CHECK(cuMemcpyDtoH(ctas, memory, n * sizeof *ctas));
  qsort(ctas, n, sizeof *ctas, by_place);
}

static struct cta ctas[MOST_SMS * FLOW]; /* by SM, then by their begin */

static double turn(unsigned threads, unsigned late) {
  static unsigned long long gaps[MOST_SMS * EACH];
  unsigned n = 0;
  run(ctas, EACH, threads, SHARED, SPIN, late);
  for (unsigned i = 1; i < sms * EACH; i++)
    if (ctas[i].sm == ctas[i - 1].sm) gaps[n++] = ctas[i].begun - ctas[i - 1].ended;
  qsort(gaps, n, sizeof *gaps, by_number);
  return n ? (double)gaps[n / 2] : 0;
}

static double fill(unsigned threads) {
  static unsigned long long gaps[MOST_SMS];
  unsigned n = 0;
  run(ctas, 2, threads, 0, SPIN, 0);
  for (unsigned i = 1; i < 2 * sms; i++)
    if (ctas[i].sm == ctas[i - 1].sm && n < MOST_SMS) gaps[n++] = ctas[i].begun - ctas[i - 1].begun;
  qsort(gaps, n, sizeof *gaps, by_number);
  return n ? (double)gaps[n / 2] : 0;
}

static double flow(unsigned threads) {
  double cycles = 0;
  unsigned n = 0;
  run(ctas, FLOW, threads, 0, 0, 0);
  for (unsigned i = 1; i < FLOW * sms; i++)
    if (ctas[i].sm == ctas[i - 1].sm) cycles += (double)(ctas[i].begun - ctas[i - 1].begun), n++;
  return n ? cycles / n : 0;
}

static double param(void) {
  static unsigned long long cycles[MOST_SMS];
  run(ctas, 1, 32, SHARED, SPIN, 0);
  for (unsigned i = 0; i < sms; i++) cycles[i] = ctas[i].param;
  qsort(cycles, sms, sizeof *cycles, by_number);
  return (double)cycles[sms / 2];
}

int main(void) {
  char line[256];
  unsigned threads, late;
  int n;
  CUmodule m;
  CHECK(cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, open_device()));
  sms = n < MOST_SMS ? (unsigned)n : MOST_SMS;
  CHECK(cuMemAlloc(&memory, sizeof ctas));
  CHECK(cuModuleLoadData(&m, text));
  CHECK(cuModuleGetFunction(&function, m, "k"));
  CHECK(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, SHARED));
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    if (sscanf(line, "turn %u %u", &threads, &late) == 2 && threads && threads <= 1024) printf("%s = %.2f\n", line, turn(threads, late));
    else if (sscanf(line, "fill %u", &threads) == 1 && threads && threads <= 1024) printf("%s = %.2f\n", line, fill(threads));
    else if (sscanf(line, "flow %u", &threads) == 1 && threads && threads <= 1024) printf("%s = %.2f\n", line, flow(threads));
    else if (!strcmp(line, "param")) printf("%s = %.2f\n", line, param());
    else return 2;
    fflush(stdout);
  }
  return 0;
}
