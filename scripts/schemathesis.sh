#!/usr/bin/env bash
# Sends generated requests to a server, good and bad ones, and checks the answers against /api/openapi.json: no 5xx, only
# the statuses, content types and shapes that the document tells of. EXAMPLES is their number for each operation; the seed
# is fixed, so a failure comes again. /api/login is left out, as an address that fails to sign in is slowed down on all
# paths. Schemathesis is installed below .bin, in the versions of requirements.txt.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
kit=$root/conformance/schemathesis
venv=$root/.bin/schemathesis-$(cksum <"$kit/requirements.txt" | cut -d ' ' -f 1)
examples=${EXAMPLES:-20}

# installed makes the virtual environment, under another name first so that none is half-made.
installed() {
  [ -x "$venv/bin/schemathesis" ] && return
  rm -rf "$venv" "$root"/.bin/schemathesis-*
  python3 -m venv "$venv"
  "$venv/bin/python" -m pip install -q --no-deps -r "$kit/requirements.txt" || { rm -rf "$venv"; return 1; }
}

# furnish gives the server projects, a schedule, a secret, and an attempt that has ended and has output.
furnish() {
  local name
  local -a to=(-e "$TROWEL_SERVER" --basic-auth admin:secret)
  mkdir "$TROWEL_WORK/project"
  cp "$kit/daily.dig" "$TROWEL_WORK/project"
  cd "$TROWEL_WORK/project"
  for name in first second third fourth fifth sixth; do
    "$root/bin/trowel" push "$name" -r r1 "${to[@]}" --schedule-from "2290-01-01 00:00:00 +0000"
  done
  "$root/bin/trowel" start first daily --session "2024-01-15" "${to[@]}"
  echo value | "$root/bin/trowel" secrets --project first --set key=value "${to[@]}"
  "$root/bin/trowel" log 1 --follow "${to[@]}"
}

check() {
  furnish >"$TROWEL_WORK/furnish.log" 2>&1 || { cat "$TROWEL_WORK/furnish.log"; return 1; }
  cd "$TROWEL_WORK" # where Schemathesis keeps its notes
  SCHEMATHESIS_HOOKS=hooks PYTHONPATH=$kit PYTHONDONTWRITEBYTECODE=1 timeout 300 "$venv/bin/schemathesis" run "http://$TROWEL_SERVER/api/openapi.json" \
    --seed 20240115 --max-examples "$examples" --phases coverage,fuzzing --generation-database none --suppress-health-check all \
    --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,response_headers_conformance,ignored_auth \
    --auth admin:secret \
    --exclude-path /api/events --exclude-path /api/login --request-timeout 10 --warnings off --workers 2 --no-color --continue-on-failure
}

if [ "${1:-}" = check ]; then
  check
  exit
fi
installed
export EXAMPLES=$examples
scripts/withserver.sh database.type=memory server.authenticator.basic.username=admin server.authenticator.basic.password=secret \
  server.authenticator.basic.admin=true "digdag.secret-encryption-key=$(head -c 16 /dev/urandom | base64)" -- "$0" check
