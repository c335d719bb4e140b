# The functions of CUDA by CUPTI's numbers as tables for src/cupti: awk -f cupti_names.awk driver_calls.tsv runtime_calls.tsv
BEGIN { FS = "\t" }
/^#/ { next }
{
  which = FILENAME ~ /driver_calls/ ? "driver" : "runtime"
  text[which] = text[which] sprintf("  [%d] = \"%s\",\n", $1, $2)
  if ($1 + 1 > n[which]) n[which] = $1 + 1
}
END {
  print "#include \"cupti/cupti_state.h\"\n"
  for (which in text)
    printf "const char *const cupti_%s_names[] = {\n%s};\nconst uint32_t cupti_n_%s_names = %d;\n", which, text[which], which, n[which]
}
