# Makes the functions through which a program calls a CUDA library, from the lists of numbers beside this file, the declarations of
# include/cuda and the library's sources that list names (SAME, STUB):
#   awk -v library=driver|runtime -v version=11|12|13 -v want=names|calls -f calls.awk NUMBERS.tsv older_calls.tsv HEADER SOURCE...
# names: a header, included before everything else, by which the library's own functions become heddle_NAME to the linker.
# calls: functions NAME that call heddle_NAME and, with a tracer (call_trace.h), report the call, its parameters and its result.
# cuGetExportTable, which examines its caller, is left out.

BEGIN {
  FS = "\t"
  limit = version == 11 ? 11080 : version == 12 ? 12090 : 13000
}

/^#/ && FILENAME ~ /\.tsv$/ { next }

FILENAME ~ /(driver|runtime)_calls\.tsv$/ {
  number[$2] = $1
  if (library == "driver") { current[$2] = $2; next }
  at = match($2, /_v[0-9]+$/)
  base = substr($2, 1, at - 1)
  since = substr($2, at + 2) + 0
  if (since <= limit && (!(base in current) || since > newest[base])) { current[base] = $2; newest[base] = since }
  next
}

FILENAME ~ /older_calls\.tsv$/ {
  is_ours = library == "runtime" && ($1 == version || ($1 == 12 && version == 11 && !($2 in older))) # what 12 has, 11 has, if not otherwise
  if ($1 == library || is_ours) { older[$2] = $4; current[$2] = $3; use[++n] = $2 }
  next
}

/^SAME\(/ || /^STUB\(/ {
  name = $0
  sub(/^[A-Z]+\(/, "", name)
  sub(/[,)].*/, "", name)
  listed[name] = $0 ~ /^STUB/ ? "stub" : "same"
  order[++n_listed] = name
  next
}

/^(CUresult|cudaError_t) [A-Za-z0-9_]+\(/ { text = ""; inside = 1 }
inside && FILENAME ~ /\.h$/ {
  text = text " " $0
  if ($0 !~ /;/) next
  inside = 0
  sub(/^ *[A-Za-z_]+ /, "", text)
  name = substr(text, 1, index(text, "(") - 1)
  text = substr(text, index(text, "(") + 1)
  sub(/\);.*/, "", text)
  gsub(/[ ]+/, " ", text)
  declared[name] = text
  order_declared[++n_declared] = name
}

function types_of(name, types) {
  types = name in older ? older[name] : name in declared ? declared[name] : ""
  if (types == "" && name ~ /_pt(sz|ds)$/) types = types_of(substr(name, 1, length(name) - 5))
  if (types ~ /^= /) types = declared[substr(types, 3)]
  return types
}

# Which parameter of a launch is its kernel.
function kernel_at(name) {
  if (name ~ /^(__)?cu(da)?Launch(Cooperative)?Kernel(_ptsz)?$/ || name ~ /^cuLaunch(Grid|GridAsync)?$/) return 1
  return name ~ /^cu(da)?LaunchKernelEx(C)?(_ptsz)?$/ ? 2 : 0
}

function put(name, types, full, i, n_types, t, declare, arguments, members, title) {
  if (types == "" || !(full in number) || name in done) return # full is "-" where the library has no such symbol
  done[name] = 1
  if (want == "names") { printf "#pragma redefine_extname %s heddle_%s\n", name, name; return }
  n_types = types == "void" ? 0 : split(types, t, /, */)
  for (i = 1; i <= n_types; i++) {
    declare = declare (i > 1 ? ", " : "") t[i] " a" i
    arguments = arguments (i > 1 ? ", " : "") "a" i
    members = members t[i] " a" i "; "
  }
  title = full
  if (library == "runtime") sub(/_v[0-9]+$/, "", title)
  result = library == "driver" ? "CUresult" : "cudaError_t"
  k++
  printf "%s i%d(%s) __asm__(\"heddle_%s\");\n", result, k, types, name
  printf "CUDA_CALL %s w%d(%s) __asm__(\"%s\");\n", result, k, types, name
  printf "%s w%d(%s) {\n", result, k, n_types ? declare : "void"
  printf "  if (!heddleTraced) return i%d(%s);\n", k, arguments
  printf "  static const struct heddle_function f = {&heddle_own, %d, \"%s\", %d};\n", number[full], title, kernel_at(name)
  if (n_types) printf "  const struct { %s} p = {%s};\n", members, arguments
  printf "  CUDA_TRACE(f, %s, i%d(%s), %s)\n}\n", n_types ? "&p" : "NULL", k, arguments, result
}

END {
  if (want == "names") print "#define CUDA_SYMBOL(name) \"heddle_\" #name"
  else printf "#include <%s.h>\n#include \"cuda/trace/call_trace.h\"\n\n", library == "driver" ? "cuda" : "cuda_runtime_api"
  for (i = 1; i <= n; i++) put(use[i], types_of(use[i]), current[use[i]])
  for (i = 1; i <= n_listed; i++) put(order[i], types_of(order[i]), current[order[i]])
  for (i = 1; i <= n_declared; i++)
    if (order_declared[i] != "cuGetExportTable") put(order_declared[i], types_of(order_declared[i]), current[order_declared[i]])
}
