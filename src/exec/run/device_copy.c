/* See device_copy.h. */
#include "exec/run/device_copy.h"

#include "exec/run/device_launch.h"
#include "exec/run/device_query.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { DEVICE_TO_DEVICE = 3, ANY_DIRECTION = 4 };

void exec_box_move(const struct exec_box *b) {
  for (uint64_t z = 0; z < b->depth; z++)
    for (uint64_t y = 0; y < b->height; y++) {
      unsigned char *to = exec_mem_ptr(b->to + z * b->to_slice + y * b->to_pitch);
      if (b->is_fill)
        memset(to, 0, b->width);
      else
        memmove(to, exec_mem_ptr(b->from + z * b->from_slice + y * b->from_pitch), b->width);
    }
}

/* ---- checks, in the order of NVIDIA's library ---- */

/* Distance in bytes from the first to the last of `n`; UINT64_MAX on overflow. */
static uint64_t reach(uint64_t n, uint64_t step) {
  uint64_t bytes;
  return __builtin_mul_overflow(n - 1, step, &bytes) ? UINT64_MAX : bytes;
}

static bool lies_in_memory(const struct exec_mem *mem, const struct exec_box *b, uint64_t at, uint64_t pitch, uint64_t slice) {
  const struct exec_alloc *a = exec_mem_find(mem, at, NULL);
  const uint64_t room = a ? a->range.end - at : 0, rows = reach(b->height, pitch), slices = reach(b->depth, slice);
  return rows <= room && slices <= room && b->width <= room && slices + rows + b->width <= room;
}

static bool rows_fit(const struct exec_box *b) {
  if (b->height < 2 && b->depth < 2) return true;
  return b->width <= b->to_pitch && (b->is_fill || b->width <= b->from_pitch);
}
static bool slices_fit(const struct exec_box *b) {
  if (b->depth < 2) return true;
  return b->height * b->to_pitch <= b->to_slice && (b->is_fill || b->height * b->from_pitch <= b->from_slice);
}

static uint32_t check(const struct exec_mem *mem, const struct exec_box *b, uint64_t direction) {
  if (!b->is_fill && direction != DEVICE_TO_DEVICE && direction != ANY_DIRECTION) return EXEC_RT_INVALID_DIRECTION;
  if (!b->to || (!b->is_fill && !b->from)) return EXEC_RT_INVALID_VALUE;
  if (!rows_fit(b) || !slices_fit(b)) return b->is_fill ? EXEC_RT_INVALID_VALUE : EXEC_RT_INVALID_PITCH;
  bool ok = lies_in_memory(mem, b, b->to, b->to_pitch, b->to_slice) &&
            (b->is_fill || lies_in_memory(mem, b, b->from, b->from_pitch, b->from_slice));
  return ok ? EXEC_RT_SUCCESS : EXEC_RT_INVALID_VALUE;
}

/* Warns once: NVIDIA's library ignores the value. */
static void warn_of_value(uint64_t value) {
  static atomic_flag said = ATOMIC_FLAG_INIT;
  if ((uint8_t)value && !atomic_flag_test_and_set(&said))
    fprintf(stderr, "heddle: a kernel fills memory with 0x%02x: on a GPU the device library writes 0, and so it is here\n",
            (unsigned)(uint8_t)value);
}

static void ask(struct exec_warp *w, const struct exec_call *c, unsigned lane, const struct exec_box *b, uint64_t direction,
                uint64_t stream) {
  bool any = b->width && b->height && b->depth;
  uint32_t error = any ? check(exec_launches_memory(w->grid->device->launches), b, direction) : EXEC_RT_SUCCESS;
  if (any && !error) exec_launches_add_box(w, b, stream);
  exec_launch_answer(w, c, lane, error);
}

/* ---- entry points: calls body for every active lane, with the i-th argument as ARG(i) ---- */

#define EACH_LANE(w, in, lane) \
  if (exec_launches_of(w, in)) EXEC_EACH_ACTIVE(w, lane)
#define ARG(i) exec_builtin_argument(w, c, i, lane)

/* cudaError_t MemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) */
void exec_do_copy(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) {
  EACH_LANE(w, in, lane) {
    struct exec_box b = {.to = ARG(0), .from = ARG(1), .width = ARG(2), .height = 1, .depth = 1};
    ask(w, c, lane, &b, (uint32_t)ARG(3), ARG(4));
  }
}

/* cudaError_t Memcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
 * cudaMemcpyKind kind, cudaStream_t stream) */
void exec_do_copy_2d(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) {
  EACH_LANE(w, in, lane) {
    struct exec_box b = {.to = ARG(0), .to_pitch = ARG(1), .from = ARG(2), .from_pitch = ARG(3), .width = ARG(4), .height = ARG(5)};
    b.depth = 1;
    ask(w, c, lane, &b, (uint32_t)ARG(6), ARG(7));
  }
}

struct side { /* of cudaMemcpy3DParms: an array, where to begin (bytes, rows, slices), and a cudaPitchedPtr */
  uint64_t array, x, y, z, at, pitch, width, height;
};
static uint64_t beginning(const struct side *s) { return s->at ? s->at + s->x + s->y * s->pitch + s->z * s->height * s->pitch : 0; }

/* cudaError_t Memcpy3DAsync(const cudaMemcpy3DParms *p, cudaStream_t stream) */
void exec_do_copy_3d(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) {
  struct {
    struct side from, to;
    uint64_t width, height, depth;
    uint32_t direction, padding;
  } p;
  EACH_LANE(w, in, lane) {
    if (!ARG(0) || !exec_builtin_read(w, ARG(0), &p, sizeof p, lane) || p.from.array || p.to.array) {
      exec_launch_answer(w, c, lane, EXEC_RT_INVALID_VALUE);
      continue;
    }
    struct exec_box b = {.to = beginning(&p.to),
                         .from = beginning(&p.from),
                         .width = p.width,
                         .height = p.height,
                         .depth = p.depth,
                         .to_pitch = p.to.pitch,
                         .from_pitch = p.from.pitch,
                         .to_slice = p.to.pitch * p.to.height,
                         .from_slice = p.from.pitch * p.from.height};
    ask(w, c, lane, &b, p.direction, ARG(1));
  }
}

/* cudaError_t MemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream) */
void exec_do_fill(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) {
  EACH_LANE(w, in, lane) {
    struct exec_box b = {.to = ARG(0), .is_fill = true, .width = ARG(2), .height = 1, .depth = 1};
    warn_of_value(ARG(1));
    ask(w, c, lane, &b, DEVICE_TO_DEVICE, ARG(3));
  }
}

/* cudaError_t Memset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) */
void exec_do_fill_2d(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) {
  EACH_LANE(w, in, lane) {
    struct exec_box b = {.to = ARG(0), .to_pitch = ARG(1), .is_fill = true, .width = ARG(3), .height = ARG(4), .depth = 1};
    warn_of_value(ARG(2));
    ask(w, c, lane, &b, DEVICE_TO_DEVICE, ARG(5));
  }
}

/* cudaError_t Memset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) */
void exec_do_fill_3d(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) {
  struct {
    uint64_t at, pitch, width, height;
  } to;
  uint64_t extent[3];
  bool whole = c->n_args > 3 && c->args[0].bytes == sizeof to && c->args[2].bytes == sizeof extent;
  EACH_LANE(w, in, lane) {
    if (!whole) {
      exec_launch_answer(w, c, lane, EXEC_RT_INVALID_VALUE);
      continue;
    }
    memcpy(&to, exec_call_slot(w, w->frame, &c->args[0], lane), sizeof to);
    memcpy(extent, exec_call_slot(w, w->frame, &c->args[2], lane), sizeof extent);
    struct exec_box b = {.to = to.at,
                         .to_pitch = to.pitch,
                         .to_slice = to.pitch * to.height,
                         .is_fill = true,
                         .width = extent[0],
                         .height = extent[1],
                         .depth = extent[2]};
    warn_of_value(ARG(1));
    ask(w, c, lane, &b, DEVICE_TO_DEVICE, ARG(3));
  }
}
