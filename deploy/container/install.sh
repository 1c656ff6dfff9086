#!/bin/sh
# install.sh OUT APP: installs the tarball in OUT, and what starts it, into the new folder APP. The result is plain JavaScript.
set -eu
out=$1
app=$2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$app"
echo '{ "name": "hub", "private": true }' > "$app/package.json"
npm install --prefix "$app" --no-audit --no-fund --no-package-lock --ignore-scripts "$out"/agent-zoo-*.tgz
cp "$here/start.sh" "$here/healthcheck.js" "$here/../zoo.toml" "$app/"
# The user of the hub reads everything here and changes nothing.
chmod -R u=rwX,go=rX "$app"
chmod 755 "$app/start.sh"
