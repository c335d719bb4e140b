/* Matrix instructions: mma, wmma, wgmma, ldmatrix, stmatrix, movmatrix. Passes each one to its file. */
#include "exec/tensor/tensor.h"

bool exec_decode_tensor(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  switch (pi->op) {
  case PTX_OP_mma: return exec_tensor_decode_mma(d, pi, out);
  case PTX_OP_wmma:
    return ptx_has(pi, PTX_M_mma) ? exec_tensor_decode_mma(d, pi, out) : exec_tensor_decode_wmma(d, pi, out);
  case PTX_OP_wgmma: return exec_tensor_decode_wgmma(d, pi, out);
  default: return exec_tensor_decode_move(d, pi, out);
  }
}
