/* Names and texts of results. */
#include "cuda/state.h"

static const struct {
  CUresult code;
  const char *name, *text;
} errors[] = {
#define ERROR(code, text) {code, #code, text},
#include "cuda/driver/driver_errors.def"
#undef ERROR
};

CUDA_EXPORT CUresult cuGetErrorString(CUresult code, const char **text) {
  NEED(text);
  *text = NULL;
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].code == code) *text = errors[i].text;
  NEED(*text);
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuGetErrorName(CUresult code, const char **name) {
  NEED(name);
  *name = NULL;
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].code == code) *name = errors[i].name;
  NEED(*name);
  return CUDA_SUCCESS;
}
