#!/usr/bin/env bash
# Installs what tests of Spark and PostgreSQL need and PyPI does not have: Java, and a server.
# Quick where both are there; where they cannot be installed it says so, and those tests are skipped.
set -euo pipefail

packages=()
command -v java > /dev/null || packages+=(openjdk-17-jre-headless)
ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || command -v initdb > /dev/null \
    || packages+=(postgresql)
[ ${#packages[@]} -gt 0 ] || exit 0

echo "Installing ${packages[*]}"
if ! command -v apt-get > /dev/null || [ "$(id -u)" -ne 0 ]; then
    echo "This needs Debian and root; the tests of these servers will be skipped."
    exit 0
fi
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# The server that Debian would start by itself is not wanted: tests start their own.
mkdir -p /etc/postgresql-common
[ -e /etc/postgresql-common/createcluster.conf ] \
    || echo "create_main_cluster = false" > /etc/postgresql-common/createcluster.conf
if ! { apt-get -qq update && apt-get -qq install --no-install-recommends -y "${packages[@]}"; } \
    > "$log" 2>&1; then
    tail -n 5 "$log"
    echo "They cannot be installed here; their tests will be skipped."
fi
