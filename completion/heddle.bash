# bash completion for heddle(1). Commands, options and names come from the program itself, so that they are those of the
# installed version.
_heddle() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words=
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="$(heddle --help 2>/dev/null | sed -n 's/^  \([a-z]*\)  .*/\1/p') --help --version"
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    return
  fi
  # "key=word": bash takes the sign for a word of its own.
  local key=
  [ "$prev" = = ] && key=${COMP_WORDS[COMP_CWORD - 2]}
  [ "$cur" = = ] && key=$prev cur=
  if [ -n "$key" ]; then
    COMPREPLY=($(compgen -W "$(heddle list policies 2>/dev/null | awk -v key="$key" '$1 == key {print $2}')" -- "$cur"))
    return
  fi
  case $prev in
  --gpu) words=$(heddle list gpus 2>/dev/null | cut -d ' ' -f 1) ;;
  --tool) words="memcheck racecheck synccheck initcheck all" ;;
  --size) words="small medium paper" ;;
  --set | --vary) words=$(heddle list keys 2>/dev/null | awk 'NR > 1 {print $1 "="}'); compopt -o nospace 2>/dev/null ;;
  *)
    case $command:$cur in
    *:-*) words="$(heddle "$command" --help 2>/dev/null | sed -n 's/^  \(--[a-z-]*\).*/\1/p') --help" ;;
    run:* | check:* | compare:* | tune:* | explore:* | characterize:*) words=$(heddle list workloads --tsv 2>/dev/null | cut -f 1) ;;
    list:*) words=$(heddle list --help 2>/dev/null | sed -n '1s/.*list \([a-z|]*\).*/\1/p' | tr '|' ' ') ;;
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _heddle heddle
