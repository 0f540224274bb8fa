#!/usr/bin/env bash
# Copyright 2026 The Parley Authors
# SPDX-License-Identifier: Apache-2.0
#
# clients.sh FOLDER TEST...   runs tests of FOLDER, a folder beside this one, against the first of three nodes in place of
# one server: their workspaces have their homes on all three. PARLEY_BIN_DIR names the programs.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
programs=$(cd "$PARLEY_BIN_DIR" && pwd)
bin=$(mktemp -d)
chmod 755 "$bin" # PostgreSQL does not run as root
trap 'rm -rf "$bin"' EXIT
ln -s "$programs"/* "$bin"
rm "$bin/parley"
cat >"$bin/parley" <<EOF
#!/usr/bin/env bash
# \`parley\`, whose data directory is that of the first node of a cluster.
set -euo pipefail
data= port=0 words=()
while [ \$# -gt 0 ]; do
  case \$1 in
    --data) data=\$2 && shift ;;
    --listen) port=\${2##*:} && shift ;;
    *) words+=("\$1") ;;
  esac
  shift
done
[ -n "\$data" ] || exec "$programs/parley" "\${words[@]}"
cluster=$bin/clusters/\$(sha256sum <<<"\$data" | head -c 16)
mkdir -p "\$data" "\$cluster"
chmod 700 "\$data"
ln -sfn "\$data" "\$cluster/a"
if [ "\${words[0]}" = serve ]; then
  exec "$here/../conformance/cluster.sh" "$programs/parley" "\$cluster" "\$port" "\${words[@]:1}"
fi
exec "$here/../conformance/cluster.sh" "$programs/parley" "\$cluster" run "\${words[@]}"
EOF
chmod +x "$bin/parley"
folder=$1
shift
cd "$here/../$folder"
PARLEY_BIN_DIR=$bin node --test --test-force-exit --test-timeout=300000 "$@"
