#!/usr/bin/env bash
# Runs a command while a server runs that it may use, and ends with its exit status:
#
#   scripts/withserver.sh [KEY=VALUE...] -- COMMAND...
#
# KEY=VALUE are settings of the server. The command finds its address in TROWEL_SERVER, that of its second listener, if
# server.admin.port is set, in TROWEL_ADMIN, and a folder for its files in TROWEL_WORK. If the command fails, the end of the
# server's log is shown. TROWEL_BIN names another program than bin/trowel.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
server=

# finish ends the server and says what it had to say if something went wrong.
finish() {
  local status=$?
  trap - EXIT
  if [ -n "$server" ] && kill -TERM "$server" 2>/dev/null; then
    wait "$server" || { echo "the server ended with exit status $?" >&2; [ "$status" -ne 0 ] || status=1; }
  fi
  if grep -qE 'panic|request failed' "$work/server.log" 2>/dev/null; then
    echo "the server's log tells of a failure of its own" >&2
    grep -E -A 20 'panic|request failed' "$work/server.log" | head -n 60 >&2
    [ "$status" -ne 0 ] || status=1
  elif [ "$status" -ne 0 ] && [ -f "$work/server.log" ]; then
    echo "the end of the server's log:" >&2
    tail -n 20 "$work/server.log" >&2
  fi
  rm -rf "$work"
  exit "$status"
}
trap finish EXIT

# address prints host:port of one of the lists of the runtime info.
address() {
  sed -n "s/.*\"$1\":\[{\"host\":\"\([^\"]*\)\",\"port\":\([0-9]*\)}.*/\1:\2/p" "$work/runtime.json"
}

{
  echo "server.port = 0"
  echo "server.runtime-info.path = $work/runtime.json"
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    echo "${1%%=*} = ${1#*=}"
    shift
  done
} >"$work/server.properties"
[ $# -gt 1 ] || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
shift

"${TROWEL_BIN:-$root/bin/trowel}" server -c "$work/server.properties" >"$work/server.log" 2>&1 &
server=$!
until [ -s "$work/runtime.json" ]; do
  kill -0 "$server" 2>/dev/null || { server=; echo "the server does not start" >&2; exit 1; }
  sleep 0.05
done
TROWEL_SERVER=$(address local_addresses)
TROWEL_ADMIN=$(address local_admin_addresses)
mkdir "$work/files"
export TROWEL_SERVER TROWEL_ADMIN TROWEL_WORK=$work/files
"$@"
