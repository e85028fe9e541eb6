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
