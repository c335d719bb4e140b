# For scripts that build a program for a real GPU: finds cuda.h and the driver's library, and sets include and libcuda to them.
# The toolkit is looked for in CUDA_HOME, CUDA_PATH and the usual places. Ends the script if one is not there.
include=
for dir in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda /opt/cuda /usr; do
  [ -n "$dir" ] && [ -f "$dir/include/cuda.h" ] && { include=$dir/include; toolkit=$dir; break; }
done
if [ -z "$include" ] && command -v nvcc >/dev/null; then
  toolkit=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")
  include=$toolkit/include
fi
[ -n "$include" ] && [ -f "$include/cuda.h" ] || { echo "$0: cuda.h not found; set CUDA_HOME" >&2; exit 2; }

# The driver's library itself, or the toolkit's stub to link against; at run time the loader finds the driver's.
driver=$(ldconfig -p 2>/dev/null | sed -n 's/.*libcuda\.so\.1 .*=> //p' | head -n 1)
for lib in "$driver" "$toolkit/lib64/stubs/libcuda.so" "$toolkit/lib/stubs/libcuda.so" \
  "$toolkit/targets/x86_64-linux/lib/stubs/libcuda.so" /usr/lib/x86_64-linux-gnu/libcuda.so.1 /usr/lib64/libcuda.so.1; do
  [ -n "$lib" ] && [ -e "$lib" ] && { libcuda=$lib; break; }
done
[ -n "${libcuda:-}" ] || { echo "$0: libcuda.so not found" >&2; exit 2; }
