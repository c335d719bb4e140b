# bash completion for heddle(1). Names come from `heddle list`, so that they are those of the installed version.
_heddle() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words=
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "run compare ptx list --help" -- "$cur"))
    return
  fi
  case $prev in
  --gpu) words=$(heddle list gpus 2>/dev/null | cut -d ' ' -f 1) ;;
  --size) words="small medium paper" ;;
  --set | --vary) words=$(heddle list keys 2>/dev/null | awk 'NR > 1 {print $1 "="}'); compopt -o nospace ;;
  --json | --) COMPREPLY=($(compgen -f -- "$cur")); return ;;
  *)
    case $command:$cur in
    run:-*) words="--gpu --set --size --seed --functional --no-check --max-instructions --max-cycles --stop-stable --interval --interval-csv --per-sm --profile --threads --json --quiet --help --" ;;
    compare:-*) words="--vary --gpu --set --size --help" ;;
    run:* | compare:*) words=$(heddle list workloads --tsv 2>/dev/null | cut -f 1) ;;
    list:*) words="workloads gpus policies stats keys" ;;
    *) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _heddle heddle
