#!/usr/bin/env bash
# Runs tests against moto (Amazon's S3, EMR and ECS) and fake-gcs-server (Google Cloud Storage), which listen on free ports of
# this machine. The tests find them by TROWEL_TEST_MOTO, TROWEL_TEST_MOTO_SIGNED, which refuses wrong keys, and TROWEL_TEST_GCS.
# moto is installed below .bin, in the versions of requirements.txt, fake-gcs-server is built into bin. With arguments, another
# command than the tests runs with the services.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
kit=$root/conformance/clouds
venv=$root/.bin/moto-$(cksum <"$kit/requirements.txt" | cut -d ' ' -f 1)
work=$(mktemp -d)
gcs=

# installed makes the virtual environment. Its last file says that it is whole.
installed() {
  [ -f "$venv/whole" ] && return
  rm -rf "$root"/.bin/moto-*
  python3 -m venv "$venv"
  "$venv/bin/python" -m pip install -q --no-deps -r "$kit/requirements.txt"
  touch "$venv/whole"
}

# finish ends the services. moto ends with its standard input.
finish() {
  local status=$?
  trap - EXIT
  [ -z "$gcs" ] || kill "$gcs" 2>/dev/null || true
  exec 3>&-
  wait
  [ "$status" -eq 0 ] || tail -n 20 "$work"/*.log >&2 || true
  rm -rf "$work"
  exit "$status"
}

# start_moto NAME [signed] starts moto, and leaves its address in a variable.
start_moto() {
  local name=$1 moto
  shift
  "$venv/bin/python" "$kit/serve.py" "$@" <"$work/open" >"$work/$name.out" 2>"$work/$name.log" 3>&- &
  moto=$!
  until [ -s "$work/$name.out" ]; do
    kill -0 "$moto" 2>/dev/null || { echo "moto does not start" >&2; return 1; }
    sleep 0.05
  done
  export "$name=$(cat "$work/$name.out")"
}

# start_gcs starts fake-gcs-server, which does not tell a port that the system has chosen.
start_gcs() {
  local port
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  "$root/bin/fake-gcs-server" -scheme http -host 127.0.0.1 -port "$port" -public-host "127.0.0.1:$port" -backend memory -log-level warn >"$work/gcs.log" 2>&1 3>&- &
  gcs=$!
  until curl -sf -o /dev/null "http://127.0.0.1:$port/_internal/healthcheck"; do
    kill -0 "$gcs" 2>/dev/null || { gcs=; echo "fake-gcs-server does not start" >&2; return 1; }
    sleep 0.05
  done
  export TROWEL_TEST_GCS=http://127.0.0.1:$port
}

installed
go build -C "$kit/gcs" -ldflags '-s -w' -o "$root/bin/fake-gcs-server" github.com/fsouza/fake-gcs-server
trap finish EXIT
mkfifo "$work/open"
exec 3<>"$work/open" # as long as it is open, so is the standard input of moto
start_moto TROWEL_TEST_MOTO
start_moto TROWEL_TEST_MOTO_SIGNED signed
start_gcs
if [ $# -gt 0 ]; then
  "$@" 3>&-
else
  go test -count=1 -run '^Test(Moto|FakeGCS)' ./internal/blob/cloud ./internal/command/ecs ./internal/operator/aws ./internal/operator/gcp 3>&-
fi
