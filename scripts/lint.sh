#!/usr/bin/env bash
# Rules and format of Python and C++.  Usage: lint.sh BIN, the folder of the tools.
set -uo pipefail
bin=$1
failed=0

check() {
    "$@" || failed=1
}

check "$bin/ruff" check --quiet .
check "$bin/ruff" format --quiet --diff .
mapfile -t kernels < <(find src -name '*.[ch]pp')
check "$bin/clang-format" --dry-run -Werror "${kernels[@]}"
check "$bin/python" scripts/tidy.py "$bin/clang-tidy"
exit "$failed"
