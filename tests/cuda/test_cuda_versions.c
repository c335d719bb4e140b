/* What the versions of the runtime do differently: structures that grew, calls whose parameters changed, and the texture and surface
 * references of 11, registered as compiled code does. Opens the libraries by name, as a program of that version would find them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include "cuda_kit.h"

#define HEAD ".version 7.8\n.target sm_75\n.address_size 64\n"
static char folder[4000];
static const char *const names[] = {"libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13"};

static void *library(unsigned version) {
  char path[4200];
  snprintf(path, sizeof path, "%s/%s", folder, names[version - 11]);
  void *l = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  assert_non_null(l);
  return l;
}
/* A function of that version's runtime, as a pointer of this type. */
#define OF(version, name, result, parameters)                                                                \
  result(*my_##name) parameters;                                                                                 \
  *(void **)&my_##name = dlsym(library(version), #name);                                                         \
  assert_non_null(*(void **)&my_##name)

/* ---- structures ---- */

static unsigned char room[2048];
static size_t written(void) { /* how many bytes a call has written since the last fill */
  size_t n = sizeof room;
  while (n && room[n - 1] == 0xa5) n--;
  memset(room, 0xa5, sizeof room);
  return n;
}

static void test_versions_answer_with_their_number(void **state) {
  (void)state;
  for (unsigned v = 11; v <= 13; v++) {
    OF(v, cudaRuntimeGetVersion, int, (int *));
    int number = 0;
    assert_int_equal(my_cudaRuntimeGetVersion(&number), 0);
    assert_int_equal(number / 1000, v);
  }
}

static void test_nothing_is_written_behind_a_structure(void **state) {
  (void)state;
  static const size_t properties[] = {728, 728, 1008}, pointer[] = {24, 24, 88}, function[] = {52, 144, 144};
  CUfunction f = kit_function("add");
  CUdeviceptr p = kit_ints(4, 0);
  written();
  for (unsigned v = 11; v <= 13; v++) {
    OF(v, cudaGetDeviceProperties, int, (void *, int));
    OF(v, cudaPointerGetAttributes, int, (void *, const void *));
    OF(v, cudaFuncGetAttributes, int, (void *, const void *));
    assert_int_equal(my_cudaGetDeviceProperties(room, 0), 0);
    assert_int_equal(written(), properties[v - 11]);
    assert_int_equal(my_cudaPointerGetAttributes(room, (void *)(uintptr_t)p), 0);
    assert_int_equal(written(), pointer[v - 11]);
    assert_int_equal(my_cudaFuncGetAttributes(room, f), 0);
    assert_int_equal(written(), function[v - 11]);
  }
}

static void test_nothing_is_written_behind_a_description_of_a_texture(void **state) {
  (void)state;
  static const size_t resource[] = {64, 64, 144}, view[] = {48, 48, 112}, texture[] = {68, 72, 72};
  struct cudaResourceDesc r = {.resType = cudaResourceTypeLinear};
  r.res.linear.devPtr = (void *)(uintptr_t)kit_ints(64, 0);
  r.res.linear.desc = (struct cudaChannelFormatDesc){32, 0, 0, 0, cudaChannelFormatKindSigned};
  r.res.linear.sizeInBytes = 256;
  written();
  for (unsigned v = 11; v <= 13; v++) {
    struct cudaTextureDesc d = {.readMode = cudaReadModeElementType, .seamlessCubemap = 0x77};
    cudaTextureObject_t t = 0;
    OF(v, cudaCreateTextureObject, int, (cudaTextureObject_t *, const void *, const void *, const void *));
    OF(v, cudaGetTextureObjectResourceDesc, int, (void *, cudaTextureObject_t));
    OF(v, cudaGetTextureObjectResourceViewDesc, int, (void *, cudaTextureObject_t));
    OF(v, cudaGetTextureObjectTextureDesc, int, (void *, cudaTextureObject_t));
    assert_int_equal(my_cudaCreateTextureObject(&t, &r, &d, NULL), 0);
    assert_int_equal(my_cudaGetTextureObjectResourceDesc(room, t), 0);
    assert_int_equal(written(), resource[v - 11]);
    assert_int_equal(my_cudaGetTextureObjectResourceViewDesc(room, t), 0);
    assert_int_equal(written(), view[v - 11]);
    assert_int_equal(my_cudaGetTextureObjectTextureDesc(room, t), 0);
    assert_int_equal(written(), texture[v - 11]);
  }
}

/* ---- calls of 11 with other parameters ---- */

static void test_version_11_has_its_own_graph_calls(void **state) {
  (void)state;
  OF(11, cudaGraphInstantiate, int, (cudaGraphExec_t *, cudaGraph_t, cudaGraphNode_t *, char *, size_t));
  OF(11, cudaGraphExecUpdate, int, (cudaGraphExec_t, cudaGraph_t, cudaGraphNode_t *, int *));
  OF(11, cudaGraphCreate, int, (cudaGraph_t *, unsigned));
  OF(11, cudaGraphAddEmptyNode, int, (cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t));
  cudaGraph_t g, more;
  cudaGraphExec_t e = NULL;
  cudaGraphNode_t node = (cudaGraphNode_t)16, n;
  char log[8] = "before";
  int result = 77;
  assert_int_equal(my_cudaGraphCreate(&g, 0), 0);
  assert_int_equal(my_cudaGraphCreate(&more, 0), 0);
  assert_int_equal(my_cudaGraphAddEmptyNode(&n, g, NULL, 0), 0);
  assert_int_equal(my_cudaGraphInstantiate(&e, g, &node, log, sizeof log), 0);
  assert_non_null(e);
  assert_null(node);
  assert_string_equal(log, "");
  assert_int_equal(my_cudaGraphExecUpdate(e, g, &node, &result), 0);
  assert_int_equal(result, cudaGraphExecUpdateSuccess);
  assert_int_equal(my_cudaGraphExecUpdate(e, more, &node, &result), cudaErrorGraphExecUpdateFailure);
  assert_int_equal(result, cudaGraphExecUpdateErrorTopologyChanged);
}

static void test_version_11_asks_for_entry_points_without_a_status(void **state) {
  (void)state;
  OF(11, cudaGetDriverEntryPoint, int, (const char *, void **, unsigned long long, void *));
  void *p = NULL;
  assert_int_equal(my_cudaGetDriverEntryPoint("cuInit", &p, 0, (void *)1 /* what lies in the register */), 0);
  assert_non_null(p);
}

/* ---- texture and surface references ---- */

struct reference { /* textureReference of 11 */
  int normalized, filter, address[3];
  struct cudaChannelFormatDesc format;
  int rest[21];
};
static const char fetches[] =
    HEAD ".global .texref line;\n.global .texref plane;\n.global .surfref sheet;\n"
         ".visible .entry look(.param .u64 to, .param .f32 x, .param .f32 y)\n{\n"
         ".reg .b64 %rd<3>; .reg .f32 %f<9>; .reg .b32 %r<9>;\n"
         "ld.param.u64 %rd1, [to]; ld.param.f32 %f1, [x]; ld.param.f32 %f2, [y]; mov.u32 %r1, 5; mov.u32 %r5, 4; mov.u32 %r6, 1;\n"
         "tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [line, {%r1}];\nst.global.u32 [%rd1], %r1;\n"
         "tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [plane, {%f1, %f2}];\nst.global.f32 [%rd1+4], %f3;\n"
         "sust.b.2d.b32.trap [sheet, {%r5, %r6}], {%r1};\nret;\n}\n";
static struct reference line, plane, sheet;
static void look(void) {}

static struct {
  unsigned magic, version;
  const void *data, *other;
} wrapper = {0x466243b1, 1, fetches, NULL};

static void register_references(void) {
  OF(11, __cudaRegisterFatBinary, void **, (void *));
  OF(11, __cudaRegisterFunction, void, (void **, const void *, const char *, const char *, int, void *, void *, void *, void *, void *));
  OF(11, __cudaRegisterTexture, void, (void **, const void *, const void **, const char *, int, int, int));
  OF(11, __cudaRegisterSurface, void, (void **, const void *, const void **, const char *, int, int));
  void **handle = my___cudaRegisterFatBinary(&wrapper);
  my___cudaRegisterFunction(handle, (const void *)(uintptr_t)look, "look", "look", -1, NULL, NULL, NULL, NULL, NULL);
  my___cudaRegisterTexture(handle, &line, (const void **)(uintptr_t)"line", "::line", 1, 0, 0);
  my___cudaRegisterTexture(handle, &plane, (const void **)(uintptr_t)"plane", "::plane", 2, 1, 0);
  my___cudaRegisterSurface(handle, &sheet, (const void **)(uintptr_t)"sheet", "::sheet", 2, 0);
}

/* What the kernel finds: line[5], plane(x, y). */
static struct found {
  int line;
  float plane;
} found(float x, float y) {
  OF(11, cudaLaunchKernel, int, (const void *, dim3, dim3, void **, size_t, cudaStream_t));
  struct found f = {0};
  CUdeviceptr to = kit_ints(2, 0);
  void *args[] = {&to, &x, &y};
  assert_int_equal(my_cudaLaunchKernel((const void *)(uintptr_t)look, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, NULL), 0);
  CU(cuMemcpyDtoH(&f, to, sizeof f));
  return f;
}

static void test_version_11_binds_texture_and_surface_references(void **state) {
  (void)state;
  OF(11, cudaBindTexture, int, (size_t *, const void *, const void *, const void *, size_t));
  OF(11, cudaBindTexture2D, int, (size_t *, const void *, const void *, const void *, size_t, size_t, size_t));
  OF(11, cudaBindTextureToArray, int, (const void *, const void *, const void *));
  OF(11, cudaBindSurfaceToArray, int, (const void *, const void *, const void *));
  OF(11, cudaUnbindTexture, int, (const void *));
  OF(11, cudaGetTextureAlignmentOffset, int, (size_t *, const void *));
  OF(11, cudaMallocArray, int, (cudaArray_t *, const struct cudaChannelFormatDesc *, size_t, size_t, unsigned));
  OF(11, cudaMemcpy2DFromArray, int, (void *, size_t, cudaArray_t, size_t, size_t, size_t, size_t, int));
  const struct cudaChannelFormatDesc ints = {32, 0, 0, 0, cudaChannelFormatKindSigned};
  const struct cudaChannelFormatDesc bytes = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};
  unsigned char texels[512] = {0};
  int numbers[64], drawn[16];
  size_t offset = 9;
  cudaArray_t array;
  CUdeviceptr p = kit_ints(128, 0), q = kit_ints(64, 0);
  for (int i = 0; i < 64; i++) numbers[i] = 100 + i;
  texels[0] = 255, texels[1] = 51;
  CU(cuMemcpyHtoD(q, numbers, sizeof numbers));
  CU(cuMemcpyHtoD(p, texels, sizeof texels));
  register_references();
  assert_int_equal(my_cudaGetTextureAlignmentOffset(&offset, &line), cudaErrorInvalidTextureBinding);
  assert_int_equal(my_cudaBindTexture(&offset, &texels, (void *)(uintptr_t)q, &ints, 256), cudaErrorInvalidTexture);
  plane.filter = cudaFilterModeLinear;
  assert_int_equal(my_cudaBindTexture(&offset, &line, (void *)(uintptr_t)q, &ints, UINT32_MAX), 0);
  assert_int_equal(offset, 0);
  assert_int_equal(my_cudaBindTexture2D(NULL, &plane, (void *)(uintptr_t)p, &bytes, 16, 16, 32), 0);
  assert_int_equal(my_cudaMallocArray(&array, &ints, 4, 4, cudaArraySurfaceLoadStore), 0);
  assert_int_equal(my_cudaBindSurfaceToArray(&sheet, array, &ints), 0);
  struct found f = found(1, 0.5f); /* between a texel of 1 and one of 0.2 */
  assert_int_equal(f.line, 105);
  assert_true(f.plane > 0.599f && f.plane < 0.601f);
  assert_int_equal(my_cudaMemcpy2DFromArray(drawn, 16, array, 0, 0, 16, 4, cudaMemcpyDeviceToHost), 0);
  assert_int_equal(drawn[5], 105);
  plane.filter = cudaFilterModePoint; /* from the next binding on */
  assert_int_equal(my_cudaBindTexture2D(NULL, &plane, (void *)(uintptr_t)p, &bytes, 16, 16, 32), 0);
  assert_int_equal(my_cudaBindTexture(NULL, &line, (void *)(uintptr_t)(q + 16), &ints, 64), 0);
  f = found(1, 0.5f);
  assert_int_equal(f.line, 109);
  assert_true(f.plane > 0.199f && f.plane < 0.201f);
  assert_int_equal(my_cudaGetTextureAlignmentOffset(&offset, &line), 0);
  assert_int_equal(my_cudaBindTextureToArray(&plane, array, &ints), 0);
  assert_int_equal(my_cudaUnbindTexture(&line), 0);
  assert_int_equal(my_cudaGetTextureAlignmentOffset(&offset, &line), cudaErrorInvalidTextureBinding);
}

int main(void) {
  setenv("HEDDLE_FUNCTIONAL", "1", 1);
  Dl_info here;
  if (!dladdr((void *)(uintptr_t)cuInit, &here)) return 2;
  snprintf(folder, sizeof folder, "%s", here.dli_fname);
  *strrchr(folder, '/') = 0;
  kit_open();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_versions_answer_with_their_number),
      cmocka_unit_test(test_nothing_is_written_behind_a_structure),
      cmocka_unit_test(test_nothing_is_written_behind_a_description_of_a_texture),
      cmocka_unit_test(test_version_11_has_its_own_graph_calls),
      cmocka_unit_test(test_version_11_asks_for_entry_points_without_a_status),
      cmocka_unit_test(test_version_11_binds_texture_and_surface_references),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
