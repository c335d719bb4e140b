/* See segments.h. */
#include "gpu/sample/segments.h"

#include "gpu/gpu_parts.h"
#include "sm/sm.h"

static void stepped(void *user, const struct exec_warp *w, const struct exec_inst *in, unsigned lanes) {
  struct gpu_segments *c = user;
  (void)lanes;
  c->n += sm_untimed_segments(&c->gpu->sms[0], in, &w->access);
}

bool gpu_segments_can_count(const struct exec_grid *grid) { return !grid->kernel->stack_bytes; }

void gpu_segments_count(struct gpu_segments *c, const struct gpu *g, struct exec_grid *grid) {
  *c = (struct gpu_segments){.gpu = g};
  grid->stepped = stepped;
  grid->stepped_user = c;
}
