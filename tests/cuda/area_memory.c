/* Memory: linear, pitched, managed, pinned, registered, pools, virtual; what is known of a pointer. */
#include "cuda_kit.h"

static void linear(void) {
  CUdeviceptr p, q;
  size_t bytes, left, all, before;
  char host[64];
  CU(cuMemGetInfo(&before, &all));
  SHOW(cuMemAlloc(&p, 0));
  CU(cuMemAlloc(&p, 1000));
  printf("aligned %d\n", p % 256 == 0);
  CU(cuMemGetAddressRange(&q, &bytes, p + 500));
  printf("range %d %zu\n", q == p, bytes);
  SHOW(cuMemFree(p + 4));
  SHOW(cuMemFree(0x1234));
  SHOW(cuMemcpyDtoH(host, p + 960, 40));
  SHOW(cuMemcpyDtoH(host, p + 960, 41));
  SHOW(cuMemcpyHtoD(0, host, 4));
  SHOW(cuMemsetD8(p, 1, 1000000));
  SHOW(cuMemsetD32(p + 1, 1, 1));
  CU(cuMemFree(p));
  SHOW(cuMemFree(p));
  SHOW(cuMemFree(0));
  SHOW(cuMemAlloc(&p, (size_t)1 << 45));
  CU(cuMemGetInfo(&left, &all));
  CHECK(left <= all && left > all / 2);
}

static void pitched(void) {
  CUdeviceptr p;
  size_t pitch;
  for (size_t width = 1; width < 2000; width = 4 * width + 3) {
    CU(cuMemAllocPitch(&p, &pitch, width, 3, 4));
    printf("width %zu: pitch %zu\n", width, pitch);
    CU(cuMemFree(p));
  }
  SHOW(cuMemAllocPitch(&p, &pitch, 10, 10, 3));
}

static void tell(const char *name, CUdeviceptr p) {
  unsigned type = 0, managed = 0;
  CUdeviceptr base = 0;
  size_t bytes = 0;
  CUresult r = cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p);
  cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, p);
  cuPointerGetAttribute(&base, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, p);
  cuPointerGetAttribute(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, p);
  printf("%s: %d type %u managed %u offset %llu of %zu\n", name, (int)r, type, managed,
         base ? (unsigned long long)(p - base) : 0, bytes);
}

static void kinds(void) {
  CUdeviceptr device, managed, on_device;
  void *pinned;
  unsigned flags;
  static int registered[1024] __attribute__((aligned(4096)));
  int by = 3, n = 100;
  CU(cuMemAlloc(&device, 4096));
  CU(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
  CU(cuMemHostAlloc(&pinned, 4096, CU_MEMHOSTALLOC_DEVICEMAP));
  CU(cuMemHostRegister(registered, sizeof registered, CU_MEMHOSTREGISTER_DEVICEMAP));
  tell("device", device + 16);
  tell("managed", managed + 16);
  tell("pinned", (CUdeviceptr)pinned + 16);
  printf("unknown: %d\n",
         (int)cuPointerGetAttribute(&flags, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)&flags));
  memset((void *)managed, 0, 4096);
  memset(pinned, 0, 4096);
  CU(LAUNCH(kit_function("add"), 1, 128, 0, NULL, &managed, &by, &n));
  CU(cuMemHostGetDevicePointer(&on_device, pinned, 0));
  CU(LAUNCH(kit_function("add"), 1, 128, 0, NULL, &on_device, &by, &n));
  CU(cuMemHostGetDevicePointer(&on_device, registered, 0));
  CU(LAUNCH(kit_function("add"), 1, 128, 0, NULL, &on_device, &by, &n));
  CU(cuCtxSynchronize());
  printf("managed %d %d, pinned %d %d, registered %d %d\n", ((int *)managed)[99], ((int *)managed)[100],
         ((int *)pinned)[99], ((int *)pinned)[100], registered[99], registered[100]);
  CU(cuMemHostGetFlags(&flags, pinned));
  printf("pinned flags %u\n", flags);
  SHOW(cuMemHostRegister(registered, sizeof registered, 0));
  CU(cuMemHostUnregister(registered));
  SHOW(cuMemHostUnregister(registered));
  SHOW(cuMemFreeHost(registered));
  CU(cuMemFreeHost(pinned));
  CU(cuMemFree(managed));
  CU(cuMemFree(device));
}

static void pools(void) {
  CUmemoryPool pool, own;
  CUdeviceptr p, q;
  CUstream s;
  cuuint64_t used;
  int by = 2, n = 256;
  CU(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  CU(cuDeviceGetDefaultMemPool(&pool, 0));
  CU(cuMemAllocAsync(&p, 1024, s));
  CU(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  printf("used %llu\n", (unsigned long long)used);
  CU(cuMemsetD32Async(p, 5, 256, s));
  CU(LAUNCH(kit_function("add"), 1, 256, 0, s, &p, &by, &n));
  int host[256];
  CU(cuMemcpyDtoHAsync(host, p, 1024, s));
  CU(cuMemFreeAsync(p, s));
  CU(cuStreamSynchronize(s));
  printf("%d %d\n", host[0], host[255]);
  CU(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  printf("used %llu\n", (unsigned long long)used);
  CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                          .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}};
  CU(cuMemPoolCreate(&own, &props));
  used = 1 << 20;
  CU(cuMemPoolSetAttribute(own, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &used));
  used = 0;
  CU(cuMemPoolGetAttribute(own, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &used));
  printf("threshold %llu\n", (unsigned long long)used);
  CU(cuMemAllocFromPoolAsync(&q, 100, own, s));
  CU(cuMemFreeAsync(q, s));
  CU(cuStreamSynchronize(s));
  CU(cuMemPoolDestroy(own));
  CU(cuStreamDestroy(s));
}

static void virtual_memory(void) {
  CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                              .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}};
  CUmemAccessDesc access = {.location = prop.location, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CUmemGenericAllocationHandle h;
  CUdeviceptr a, b;
  size_t g;
  int by = 7, n = 1000;
  CU(cuMemGetAllocationGranularity(&g, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  printf("granularity %zu\n", g);
  SHOW(cuMemCreate(&h, g + 1, &prop, 0));
  CU(cuMemCreate(&h, g, &prop, 0));
  CU(cuMemAddressReserve(&a, 2 * g, 0, 0, 0));
  CU(cuMemMap(a, g, 0, h, 0));
  CU(cuMemMap(a + g, g, 0, h, 0)); /* the same memory at two addresses */
  CU(cuMemSetAccess(a, 2 * g, &access, 1));
  CU(cuMemsetD32(a, 1, 1000));
  CU(LAUNCH(kit_function("add"), 4, 256, 0, NULL, &a, &by, &n));
  b = a + g;
  printf("sums %lld %lld\n", kit_sum(a, 1000), kit_sum(b, 1000));
  CU(cuMemUnmap(a, 2 * g));
  CU(cuMemRelease(h));
  CU(cuMemAddressFree(a, 2 * g));
  SHOW(cuMemsetD8(a, 0, 1));
}

int main(void) {
  kit_open();
  linear();
  pitched();
  kinds();
  pools();
  virtual_memory();
  return kit_failed;
}
