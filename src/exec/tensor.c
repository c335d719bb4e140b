/* Matrix instructions: mma, wmma, ldmatrix, stmatrix, movmatrix. */
#include "exec/decode.h"

bool exec_decode_tensor(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  (void)out;
  return exec_refuse(d, pi, "matrix instructions are not modelled");
}
