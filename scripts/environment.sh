# Sourced by the scripts: where the repository is, and how many jobs run at once.
# Compiler cache settings are in cmake/compiler.cmake, so that a plain `cmake --build` has them too.

repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$repo"
jobs=${HF_JOBS:-$(nproc)}

# npm and ccache want a home folder; containers sometimes start without one.
export HOME=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}

say() { printf '\n== %s\n' "$*" >&2; }

# usage TEXT "$@": prints TEXT and ends when the first argument asks for help.
usage() {
  case ${2:-} in -h | --help)
    echo "$1"
    exit 0
    ;;
  esac
}
