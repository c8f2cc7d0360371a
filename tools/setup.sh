# What tools/quickstart and tools/test share: options, packages, Python with torch, the build.
# Sourced; sets `source_dir`, `build`, `python` and `jobs`.

readonly torch_version=2.13.0

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$source_dir/build
torch_python=
jobs=$(nproc)
rest=()

say() { printf '%s\n' "$*" >&2; }
fail() {
  local code=$1
  shift
  say "$(basename "$0"): $*"
  exit "$code"
}

setup_options() {
  cat <<'END'
  --build DIR         the build folder (build)
  --torch-python PY   a Python 3.11 or later that has torch, instead of a venv in the build folder
  --jobs N            compilers at once (one a core)
  --help              this text
END
}

# Takes the shared options; leaves the others in `rest`.
parse_options() {
  while (($#)); do
    case $1 in
      --help | -h) usage; exit 0 ;;
      --build | --torch-python | --jobs)
        (($# > 1)) || fail 2 "$1 needs a value"
        case $1 in
          --build) build=$2 ;;
          --torch-python) torch_python=$2 ;;
          --jobs) jobs=$2 ;;
        esac
        shift 2
        ;;
      *) rest+=("$1"); shift ;;
    esac
  done
  [[ $jobs =~ ^[1-9][0-9]*$ ]] || fail 2 "--jobs $jobs: a number, at least 1"
  build=$(realpath -m "$build")
}

missing_packages() {
  local wanted
  wanted=$(sed 's/#.*//' "$source_dir/tools/apt-packages.txt" | xargs -n1 | sort -u)
  comm -23 <(printf '%s\n' "$wanted") \
    <(dpkg-query -W -f='${db:Status-Status} ${Package}\n' $wanted 2>/dev/null |
      sed -n 's/^installed //p' | sort -u)
}

ensure_packages() {
  command -v dpkg-query >/dev/null ||
    fail 3 "this is not Debian: install what tools/apt-packages.txt lists, then use cmake --preset default"
  local missing
  missing=$(missing_packages | xargs)
  [[ -z $missing ]] && return
  if ((EUID != 0)); then
    fail 3 "packages are missing; install them with
  sudo apt-get update && sudo apt-get install -y --no-install-recommends $missing"
  fi
  say "installing: $missing"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing >&2 ||
    fail 3 "apt-get could not install: $missing (kvgen is built on Debian 12 with its updates)"
}

# A venv in the build folder, made once; a stamp tells that it is whole.
ensure_python() {
  if [[ -n $torch_python ]]; then
    python=$(command -v "$torch_python") || fail 3 "--torch-python $torch_python: not found"
    "$python" -W ignore -c 'import torch' 2>/dev/null ||
      fail 3 "--torch-python $torch_python: it cannot import torch"
    return
  fi
  python=$build/venv/bin/python
  local stamp=$build/venv/.kvgen-torch-$torch_version
  [[ -e $stamp ]] && return
  say "making $build/venv with torch $torch_version"
  rm -rf "$build/venv"
  python3 -m venv "$build/venv" || fail 3 "python3 -m venv failed: is python3-venv installed?"
  "$python" -m pip install -q "torch==$torch_version" >&2 ||
    fail 3 "pip could not install torch==$torch_version; name a Python that has torch with --torch-python"
  touch "$stamp"
}

# Third-party servers and validators for tests/e2e, in a venv of their own. Those tests are
# skipped, with the reason, where it cannot be made.
ensure_peers() {
  local wanted=$source_dir/tests/peers/requirements.txt
  cmp -s "$wanted" "$build/peers/.kvgen-installed" && return
  say "making $build/peers for the tests that ask third-party servers"
  rm -rf "$build/peers"
  if python3 -m venv "$build/peers" &&
    timeout 300 "$build/peers/bin/pip" install -q --disable-pip-version-check --no-deps \
      -r "$wanted" >&2; then
    cp "$wanted" "$build/peers/.kvgen-installed"
  else
    say "pip could not install tests/peers/requirements.txt; tests that need it are skipped"
  fi
}

# Builds the given targets, or all. Configures when something that CMake does not watch has
# changed; ninja watches the rest.
build_targets() {
  local settings="$python"
  local stamp=$build/.kvgen-configured
  if [[ ! -e $build/build.ninja || $(cat "$stamp" 2>/dev/null) != "$settings" ]]; then
    (cd "$source_dir" && cmake --preset default -B "$build" -DKVGEN_TORCH_PYTHON="$python") >&2 ||
      fail 1 "configuring failed"
    printf '%s' "$settings" >"$stamp"
  fi
  ninja -C "$build" -j "$jobs" "$@" >&2 || fail 1 "the build failed"
}

# set_up [TARGET...]
set_up() {
  ensure_packages
  mkdir -p "$build" || fail 3 "cannot make the build folder $build"
  ensure_python
  build_targets "$@"
}
