# Sourced by the scripts: where the repository is, and how many jobs run at once.
# Compiler cache settings are in cmake/compiler.cmake, so that a plain `cmake --build` has them too.

repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$repo"
jobs=${HF_JOBS:-$(nproc)}
PATH=/usr/lib/llvm-19/bin:$PATH  # reports of the sanitizers name lines with llvm-symbolizer

# npm and ccache want a home folder; containers sometimes start without one.
export HOME=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}

say() { printf '\n== %s\n' "$*" >&2; }

# phase WHAT COMMAND...: runs the command and notes how long it took, for say_phases.
phases=()
phase() {
  local what=$1 began=$SECONDS
  shift
  say "$what"
  "$@"
  phases+=("$(printf '%5d s  %s' $((SECONDS - began)) "$what")")
}
# beside WHAT COMMAND...: runs the command beside the phases that follow, until await: for what waits more than it computes.
beside() {
  beside_what=$1 beside_began=$SECONDS
  shift
  say "$beside_what: begun"
  mkdir -p build
  set -m  # a process group of its own, so that all of it can be ended
  "$@" >build/beside.log 2>&1 &
  set +m
  beside_group=$!
  trap 'kill -- "-$beside_group" 2>/dev/null || true' EXIT
}
# Waits for it, and prints what it has printed.
await() {
  local status=0
  wait "$beside_group" || status=$?
  trap - EXIT
  say "$beside_what"
  cat build/beside.log
  phases+=("$(printf '%5d s  %s, beside the others' $((SECONDS - beside_began)) "$beside_what")")
  return "$status"
}
say_phases() {
  printf '%s\n' "${phases[@]}"
  printf '%5d s  in all\n' "$SECONDS"
}

# build PRESET ARGUMENTS...: configures and builds.
build() {
  local preset=$1
  shift
  cmake --preset "$preset" -Wno-dev >/dev/null
  cmake --build --preset "$preset" -j "$jobs" "$@"
}

# usage TEXT "$@": prints TEXT and ends when the first argument asks for help.
usage() {
  case ${2:-} in -h | --help)
    echo "$1"
    exit 0
    ;;
  esac
}
