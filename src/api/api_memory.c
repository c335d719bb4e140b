/* Device memory: allocations, and copies checked against them. */
#include "api/api.h"

#include <string.h>

heddle_status heddle_alloc(heddle_sim *sim, uint64_t bytes, heddle_ptr *address) {
  struct err *e = api_begin(sim);
  *address = 0;
  if (!api_usable(sim)) return api_end(sim);
  struct exec_mem *m = sim->device.mem;
  uint64_t left = exec_mem_capacity(m) - exec_mem_used(m);
  if (bytes && bytes <= left) *address = exec_mem_alloc(m, bytes, 256, EXEC_ALLOC_DEVICE, NULL);
  if (!*address) {
    if (!bytes) err_set(e, ERR_INPUT, "an allocation of 0 bytes was asked for");
    else
      err_set(e, ERR_LIMIT, "%llu bytes of device memory were asked for, %llu of %llu are free",
              (unsigned long long)bytes, (unsigned long long)left, (unsigned long long)exec_mem_capacity(m));
  }
  return api_end(sim);
}

heddle_status heddle_free(heddle_sim *sim, heddle_ptr address) {
  struct err *e = api_begin(sim);
  if (api_usable(sim) && !exec_mem_free(sim->device.mem, address))
    err_set(e, ERR_INPUT, "0x%llx is not the start of an allocation", (unsigned long long)address);
  return api_end(sim);
}

/* Whether [at, at + bytes) lies in one live allocation. */
static bool inside(heddle_sim *sim, heddle_ptr at, uint64_t bytes, const char *what) {
  if (!api_usable(sim)) return false;
  const struct exec_alloc *freed = NULL, *a = exec_mem_find(sim->device.mem, at, &freed);
  if (a && bytes <= a->range.end - at) return true;
  if (a)
    return err_set(&sim->err, ERR_INPUT, "cannot %s %llu bytes at 0x%llx: the allocation ends after %llu", what,
                   (unsigned long long)bytes, (unsigned long long)at, (unsigned long long)(a->range.end - at));
  return err_set(&sim->err, ERR_INPUT, "cannot %s %llu bytes at 0x%llx: %s", what, (unsigned long long)bytes,
                 (unsigned long long)at, freed ? "that memory was freed" : "nothing is allocated there");
}

static void copied(heddle_sim *sim, enum gpu_copy kind, heddle_ptr at, uint64_t bytes) {
  if (sim->gpu) gpu_copied(sim->gpu, kind, at, bytes);
}

heddle_status heddle_write(heddle_sim *sim, heddle_ptr to, const void *from, uint64_t bytes) {
  api_begin(sim);
  if (bytes && inside(sim, to, bytes, "write")) {
    memcpy(exec_mem_ptr(to), from, bytes);
    copied(sim, GPU_COPY_IN, to, bytes);
  }
  return api_end(sim);
}

heddle_status heddle_read(heddle_sim *sim, void *to, heddle_ptr from, uint64_t bytes) {
  api_begin(sim);
  if (bytes && inside(sim, from, bytes, "read")) {
    memcpy(to, exec_mem_ptr(from), bytes);
    copied(sim, GPU_COPY_OUT, from, bytes);
  }
  return api_end(sim);
}

heddle_status heddle_copy(heddle_sim *sim, heddle_ptr to, heddle_ptr from, uint64_t bytes) {
  api_begin(sim);
  if (bytes && inside(sim, from, bytes, "read") && inside(sim, to, bytes, "write")) {
    memmove(exec_mem_ptr(to), exec_mem_ptr(from), bytes);
    copied(sim, GPU_COPY_WITHIN, to, bytes);
  }
  return api_end(sim);
}

heddle_status heddle_fill(heddle_sim *sim, heddle_ptr to, unsigned char value, uint64_t bytes) {
  api_begin(sim);
  if (bytes && inside(sim, to, bytes, "write")) {
    memset(exec_mem_ptr(to), value, bytes);
    copied(sim, GPU_COPY_WITHIN, to, bytes);
  }
  return api_end(sim);
}
