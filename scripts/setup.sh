#!/usr/bin/env bash
# Makes sure that the programs are there which tests and workflows under test start. What is there is used as it is;
# what is missing is installed with apt-get where that is possible. Quick and silent when nothing is missing.
#
# With CI=true a program that stays missing is an error. Otherwise the script only says so: the tests that need it are skipped.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=()  # what people call it
packages=() # Debian packages that bring it

# need NAME "PACKAGES" COMMAND...: the command succeeds where NAME is usable; being on the PATH is not enough.
need() {
  local name=$1 list
  read -ra list <<<"$2"
  shift 2
  "$@" >/dev/null 2>&1 && return
  missing+=("$name")
  packages+=("${list[@]}")
}

# compiles tells whether the C compiler that Go uses, and the C library's headers, are there.
compiles() {
  local out
  out=$(mktemp) || return
  printf '#include <stdlib.h>\nint main(void) { return 0; }\n' | "$(go env CC)" -x c -o "$out" - || { rm -f "$out"; return 1; }
  rm -f "$out"
}

# redis_server tells whether Redis, or Valkey, is there; tests start it on ports of their own.
redis_server() {
  redis-server --version || valkey-server --version
}

# docker_engine tells whether tests can start a Docker engine, which takes root, or are told of one.
docker_engine() {
  [ -n "${TROWEL_TEST_DOCKER:-}" ] || [ "$(id -u)" -ne 0 ] || { command -v dockerd && command -v docker && command -v busybox; }
}

# has_mariadb tells whether the programs of a MariaDB server are there; tests start it on ports of their own.
has_mariadb() {
  mariadbd --version || /usr/sbin/mariadbd --version
}

# has_postgres tells whether the programs of a PostgreSQL server are there; nobody need run one.
has_postgres() {
  compgen -G '/usr/lib/postgresql/*/bin/initdb' || command -v initdb
}

look() {
  missing=()
  packages=()
  need "a C compiler (race detector)" "gcc libc6-dev" compiles
  need "Python 3" "python3" python3 -c 'import json'
  need "PostgreSQL 13 or later" "postgresql" has_postgres
  need "Ruby" "ruby" ruby -e 'require "json"'
  need "Redis" "redis-server" redis_server
  need "MariaDB" "mariadb-server" has_mariadb
  need "Python's venv" "python3-venv" python3 -c 'import ensurepip, venv'
  need "a Java compiler" "default-jdk-headless" javac -version
  need "Maven" "maven" mvn -v
  need "groff" "groff-base" groff -v
  need "Chromium" "chromium" test -x "${CHROMIUM:-/usr/bin/chromium}"
  need "Docker" "docker.io busybox-static" docker_engine
}

joined() {
  local IFS=';'
  echo "${missing[*]}"
}

# as_root runs a command as root, and fails where that would need a password nobody can type.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
    sudo "$@"
  else
    return 1
  fi
}

install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

command -v go >/dev/null || { echo "Go is missing: install Go 1.26 or later" >&2; exit 1; }
look
[ ${#missing[@]} -gt 0 ] || exit 0

echo "missing: $(joined)"
if command -v apt-get >/dev/null && as_root true; then
  install "${packages[@]}" || { as_root apt-get update && install "${packages[@]}"; } || true
  look
fi
[ ${#missing[@]} -gt 0 ] || exit 0

{
  echo "still missing: $(joined)"
  echo "install them by hand, on Debian or Ubuntu: apt-get install ${packages[*]}; with Homebrew: brew install postgresql python ruby redis openjdk maven groff; on macOS a compiler: xcode-select --install"
} >&2
[ "${CI:-}" != true ]
