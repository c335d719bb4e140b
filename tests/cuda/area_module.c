/* Modules, functions, globals, libraries, the linker, entry points by name. */
#include "cuda_kit.h"

static void modules(void) {
  unsigned n;
  CUdeviceptr p;
  size_t bytes;
  CUfunction f, all[32];
  CUmodule m;
  SHOW(cuModuleGetFunction(&f, kit_module, "no_such_kernel"));
  SHOW(cuModuleGetGlobal(&p, &bytes, kit_module, "no_such_variable"));
  SHOW(cuModuleLoadData(&m, "garbage"));
  SHOW(cuModuleLoad(&m, "/no/such/file.ptx"));
  SHOW(cuModuleLoadData(&m,
                        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry f() { foo.bar; }\n"));
  CU(cuModuleGetFunctionCount(&n, kit_module));
  printf("%u kernels\n", n);
  CU(cuModuleEnumerateFunctions(all, n, kit_module));
  for (unsigned i = 0; i < n; i++) CHECK(all[i] != NULL);
  CU(cuModuleGetGlobal(&p, &bytes, kit_module, "counter"));
  int value;
  CU(cuMemcpyDtoH(&value, p, 4));
  printf("counter: %zu bytes, %d\n", bytes, value);
  int by = 5;
  CU(LAUNCH(kit_function("count_up"), 2, 32, 0, NULL, &by));
  CU(cuMemcpyDtoH(&value, p, 4));
  printf("counter: %d\n", value);
  CU(cuModuleGetGlobal(&p, &bytes, kit_module, "factors"));
  int factors[4] = {10, 20, 30, 40}, data[8];
  CU(cuMemcpyHtoD(p, factors, sizeof factors));
  CUdeviceptr d = kit_ints(8, 1);
  CU(LAUNCH(kit_function("times_factor"), 1, 8, 0, NULL, &d));
  CU(cuMemcpyDtoH(data, d, sizeof data));
  for (int i = 0; i < 8; i++) printf("%d ", data[i]);
  printf("\n");
  CU(cuModuleLoadData(&m, kit_ptx)); /* its own variables */
  CU(cuModuleGetGlobal(&p, &bytes, m, "counter"));
  CU(cuMemcpyDtoH(&value, p, 4));
  printf("second module's counter: %d\n", value);
  CU(cuModuleUnload(m));
  CU(cuMemFree(d));
}

static void functions(void) {
  CUfunction f = kit_function("many_params"), b = kit_function("bounded");
  const char *name;
  CUmodule m;
  int v;
  CU(cuFuncGetName(&name, f));
  CU(cuFuncGetModule(&m, f));
  CHECK(m == kit_module && !strcmp(name, "many_params"));
  for (size_t i = 0; i < 9; i++) {
    size_t offset = 0, bytes = 0;
    CUresult r = cuFuncGetParamInfo(f, i, &offset, &bytes);
    printf("parameter %zu: %d offset %zu bytes %zu\n", i, (int)r, offset, bytes);
  }
  CU(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, b));
  printf("bounded: %d threads\n", v);
  CU(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_PTX_VERSION, b));
  printf("bounded: PTX of %d\n", v);
  CU(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, b));
  printf("bounded: %d bytes of dynamic shared memory\n", v);
  SHOW(cuFuncSetAttribute(b, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 30));
  SHOW(cuFuncSetAttribute(b, CU_FUNC_ATTRIBUTE_NUM_REGS, 1));
  CU(cuFuncSetCacheConfig(b, CU_FUNC_CACHE_PREFER_L1));
  for (int threads = 32; threads <= 256; threads *= 2) {
    CU(cuOccupancyMaxActiveBlocksPerMultiprocessor(&v, kit_function("add"), threads, 0));
    printf("add: %d blocks of %d threads\n", v, threads);
  }
  CU(cuOccupancyMaxActiveBlocksPerMultiprocessor(&v, kit_function("reverse"), 64, 40000));
  printf("reverse: %d blocks with 40000 bytes\n", v);
}

static void libraries(void) {
  CUlibrary l;
  CUkernel k;
  CUfunction f;
  CUdeviceptr p;
  size_t bytes;
  unsigned n;
  CU(cuLibraryLoadData(&l, kit_ptx, NULL, NULL, 0, NULL, NULL, 0));
  CU(cuLibraryGetKernelCount(&n, l));
  printf("%u kernels in the library\n", n);
  SHOW(cuLibraryGetKernel(&k, l, "no_such_kernel"));
  CU(cuLibraryGetKernel(&k, l, "count_up"));
  CU(cuKernelGetFunction(&f, k));
  int by = 1, value;
  CU(LAUNCH(f, 1, 32, 0, NULL, &by));
  CU(LAUNCH((CUfunction)k, 1, 32, 0, NULL, &by));
  CU(cuLibraryGetGlobal(&p, &bytes, l, "counter"));
  CU(cuMemcpyDtoH(&value, p, 4));
  printf("library's counter: %d\n", value);
  CU(cuLibraryGetManaged(&p, &bytes, l, "shared_with_host"));
  CU(cuCtxSynchronize());
  printf("managed: %d\n", *(int *)p);
  CU(cuLibraryUnload(l));
}

static void entry_points(void) {
  void *p = NULL;
  CUdriverProcAddressQueryResult r;
  CU(cuGetProcAddress("cuMemAlloc", &p, 13000, 0, &r));
  CHECK(p == (void *)cuMemAlloc);
  CU(cuGetProcAddress("cuNoSuchThing", &p, 13000, 0, &r));
  printf("unknown: %d\n", (int)r);
  CU(cuGetProcAddress("cuGraphAddNode", &p, 11000, 0, &r));
  printf("too new: %d\n", (int)r);
  const char *text;
  CU(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
  printf("%s\n", text);
  CU(cuGetErrorString(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
  printf("%s\n", text);
  SHOW(cuGetErrorString(4711, &text));
}

int main(void) {
  kit_open();
  modules();
  functions();
  libraries();
  entry_points();
  return kit_failed;
}
