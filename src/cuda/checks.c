/* See checks.h. */
#include "cuda/checks.h"

#include "check/check.h"
#include "cuda/state.h"

#include <stdlib.h>
#include <string.h>

static struct check *checker;

bool cuda_check_start(struct err *e) {
  const struct cuda_settings *s = &cuda.engine.settings;
  if (!s->check) return true;
  unsigned tools = check_tools(s->check, e);
  if (!tools || !(checker = check_new(tools, s->check_log, e))) return false;
  if (s->lockstep) check_lockstep(checker);
  exec_mem_observe(cuda.mem, check_observer(checker));
  cuda.observer = check_observer(checker);
  return true;
}

void cuda_check_bad_free(uint64_t address) {
  if (!checker) return;
  const struct exec_alloc *freed = NULL, *a = exec_mem_find(cuda.mem, address, &freed);
  unsigned long long at = address;
  if (a && a->range.base != address)
    check_host_call(checker, "invalid-free", "free of 0x%llx, which is %llu bytes into an allocation of %llu bytes", at,
                    (unsigned long long)(address - a->range.base), (unsigned long long)(a->range.end - a->range.base));
  else if (freed && freed->range.base == address)
    check_host_call(checker, "double-free", "0x%llx, %llu bytes, is freed again", at,
                    (unsigned long long)(freed->range.end - freed->range.base));
  else
    check_host_call(checker, "invalid-free", "free of 0x%llx, which was not allocated by this kind of call", at);
}

void cuda_check_bad_range(const char *what, uint64_t address, uint64_t bytes) {
  if (!checker || !bytes) return;
  const struct exec_alloc *freed = NULL, *a = exec_mem_find(cuda.mem, address, &freed);
  unsigned long long at = address, n = bytes;
  if (a && bytes > a->range.end - address)
    check_host_call(checker, "invalid-copy", "%s of %llu bytes at 0x%llx: the allocation at 0x%llx ends %llu bytes earlier", what, n,
                    at, (unsigned long long)a->range.base, (unsigned long long)(address + bytes - a->range.end));
  else if (freed)
    check_host_call(checker, "invalid-copy", "%s of %llu bytes at 0x%llx, which was freed", what, n, at);
  else if (!a && cuda_is_device_address(address))
    check_host_call(checker, "invalid-copy", "%s of %llu bytes at 0x%llx, where nothing is allocated", what, n, at);
}

static const char *what_leaks(enum cuda_block_kind kind) {
  switch (kind) {
  case CUDA_B_DEVICE:
  case CUDA_B_PITCHED:
  case CUDA_B_POOL: return "device";
  case CUDA_B_MANAGED: return "managed";
  case CUDA_B_HOST: return "pinned host";
  case CUDA_B_ARRAY: return "array";
  default: return NULL;
  }
}

void cuda_check_leaks(const struct CUctx_st *ctx) {
  for (size_t i = 0; checker && i < cuda.n_blocks; i++) {
    const struct cuda_block *b = cuda.blocks[i];
    const char *what = what_leaks((enum cuda_block_kind)b->kind);
    bool lost = b->ctx && b->ctx->fault != CUDA_SUCCESS; /* it can no longer be freed */
    if (what && !lost && (!ctx || b->ctx == ctx)) check_leak(checker, b->base, b->bytes, what);
  }
}

void cuda_check_finish(void) {
  check_delete(checker);
  checker = NULL;
  cuda.observer = NULL;
  exec_mem_observe(cuda.mem, NULL);
}
