/* Texture and surface instructions. */
#include "exec/decode.h"

bool exec_decode_texture(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  (void)out;
  return exec_refuse(d, pi, "texture and surface instructions are not modelled");
}
