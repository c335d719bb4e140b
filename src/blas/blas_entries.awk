# The functions that a program calls: awk -f blas_entries.awk blas_names.txt defined.txt blas_calls.tsv. A name of the first list that is
# neither in the second, which has what the C files define, nor made from the table is refused.
BEGIN {
  FS = "\t"
  split("transa transb trans uplo side diag", w, " ")
  for (i in w) kind[w[i]] = "option"
  split("m n k kl ku lda ldb ldc incx incy batch", w, " ")
  for (i in w) kind[w[i]] = "integer"
  split("strideA strideB strideC", w, " ")
  for (i in w) kind[w[i]] = "stride"
  split("alpha beta", w, " ")
  for (i in w) kind[w[i]] = "scalar"
  split("A B x", w, " ")
  for (i in w) kind[w[i]] = "input"
  split("C y param pa pb pc pd", w, " ")
  for (i in w) kind[w[i]] = "output"
  split("Atype Btype Ctype compute algo", w, " ")
  for (i in w) kind[w[i]] = "number"
  kind["result"] = "result"
  field["trans"] = "transa"; field["Atype"] = "a_type"; field["Btype"] = "b_type"; field["Ctype"] = "c_type"
  field["strideA"] = "stride_a"; field["strideB"] = "stride_b"; field["strideC"] = "stride_c"
  option["transa"] = option["transb"] = option["trans"] = "op"
  option["uplo"] = "uplo"; option["side"] = "side"; option["diag"] = "diag"
  value["S"] = value["H"] = "float"; value["D"] = "double"; value["C"] = "struct blas_c32"; value["Z"] = "struct blas_c64"
  real["S"] = real["C"] = "float"; real["D"] = real["Z"] = "double"
  print "/* Made by src/blas/blas_entries.awk. */\n#include \"blas/blas.h\"\n"
  print "struct blas_c32 {\n  float re, im;\n};\nstruct blas_c64 {\n  double re, im;\n};"
}
FILENAME ~ /names\.txt$/ { known[$1] = 1; order[++names] = $1; next }
FILENAME ~ /defined\.txt$/ { defined[$1] = 1; next }
/^#/ || NF == 0 { next }

function bare(word) { return word ~ /^[ri](alpha|beta|result)$/ ? substr(word, 2) : word }
# v1: a value; v2: a pointer.
function declaration(word, type, form, plain, k) {
  plain = bare(word); k = kind[plain]
  if (k == "") { print "blas_calls.tsv: the word " word " is not known" > "/dev/stderr"; bad = 1 }
  if (k == "option") return (form == "v1" ? "char " : "int ") word
  if (k == "integer") return (form == "64" ? "int64_t " : "int ") word
  if (k == "stride") return "long long " word
  if (k == "number") return "int " word
  if (k == "scalar") return form == "v1" ? (word == plain ? value[type] : real[type]) " " plain : "const void *" plain
  if (k == "result") return form == "v1" ? "" : "void *result"
  if (word == "pb" && form == "v1" && type ~ /[CZ]/) return value[type] " pb"
  return (k == "input" ? "const void *" : "void *") word
}
function setting(word, type, form, plain, k, f) {
  plain = bare(word); k = kind[plain]; f = plain in field ? field[plain] : plain
  if (k == "option" && form == "v1") return "." f " = blas_legacy_" option[plain] "(" word ")"
  if (k == "scalar") return "." f " = " (form == "v1" ? "&" : "") plain (word == plain ? "" : ", ." f "_real = true")
  if (k == "result") return form == "v1" ? ".result = &result" : ".result = result"
  if (word == "pb" && form == "v1" && type ~ /[CZ]/) return ".pb = &pb"
  return "." f " = " plain
}
function emit(name, type, form, routine, fixed, params, n, w, i, list, set, result, d, returns) {
  if (!(name in known)) return
  defined[name] = 1
  n = split(params, w, " ")
  set = ".type = BLAS_" type
  if (form == "64") set = set ", .wide = true"
  if (params !~ /batch/) set = set ", .batch = 1"
  if (fixed != "-") set = set ", ." fixed
  list = form == "v1" ? "" : "void *handle"
  for (i = 1; i <= n; i++) {
    if (w[i] ~ /^2/) { if (form == "v1") continue; sub(/^2/, "", w[i]) }
    if (kind[bare(w[i])] == "result") result = w[i]
    d = declaration(w[i], type, form)
    if (d != "") list = list (list == "" ? "" : ", ") d
    set = set ", " setting(w[i], type, form)
  }
  returns = result == "" ? "void" : result == "iresult" ? "int" : result == "rresult" ? real[type] : value[type]
  if (form != "v1") returns = "enum blas_status"
  printf "\nBLAS_EXPORT %s %s(%s);\nBLAS_EXPORT %s %s(%s) {\n", returns, name, list, returns, name, list
  if (form == "v1" && result != "") printf "  %s result = {0};\n", returns
  printf "  struct blas_args a = {%s};\n", set
  if (form != "v1") printf "  return blas_call(handle, blas_%s, &a);\n}\n", routine
  else printf "  blas_call_legacy(blas_%s, &a);\n%s}\n", routine, result == "" ? "" : "  return result;\n"
}
{
  types = split($2, each, " ")
  for (t = 1; t <= types; t++) {
    split(each[t], pair, ":")
    name = $1
    sub(/@/, pair[2] == "" ? pair[1] : pair[2], name)
    if (!(name in known)) { print "blas_calls.tsv: " name " is no function of cuBLAS" > "/dev/stderr"; bad = 1 }
    emit(name, pair[1], "v2", $3, $4, $5)
    emit(name "_64", pair[1], "64", $3, $4, $5)
    if (sub(/_v2$/, "", name)) emit(name, pair[1], "v1", $3, $4, $5)
  }
}
END {
  if (bad) exit 1
  print "\n/* What is refused. */\n#define REFUSED(name) \\"
  print "  BLAS_EXPORT enum blas_status name(void); \\\n  BLAS_EXPORT enum blas_status name(void) { \\"
  print "    static char said; \\\n    return blas_refuse(#name, &said); \\\n  }"
  for (i = 1; i <= names; i++)
    if (!(order[i] in defined)) print "REFUSED(" order[i] ")"
}
