#!/usr/bin/env bash
# Runs the kernel tests on kernels built with the address and undefined-behaviour sanitizers.
# Usage: sanitize.sh PYTHON, a Python that has the build tools and the test dependencies.
set -euo pipefail
python=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")/.."
built=$PWD/build/sanitized

skip() {
    echo "skipped: $1"
    exit 0
}

# An instrumented module in an ordinary Python needs the runtime to be loaded before anything else.
# GCC ships it as a library; Clang links it into the program, which here is Python itself.
find_gcc() {
    for each in ${CXX:-c++ g++}; do
        if "$each" --version 2>/dev/null | grep -q "Free Software Foundation"; then
            echo "$each"
            return
        fi
    done
}

[ "$(uname)" = Linux ] || skip "the sanitizer run needs Linux."
compiler=$(find_gcc)
[ -n "$compiler" ] || skip "the sanitizer run needs GCC (tried: ${CXX:-c++ g++})."
runtimes=()
for each in libasan.so libubsan.so libstdc++.so; do
    found=$("$compiler" -print-file-name=$each)
    [ -e "$found" ] || skip "$compiler has no $each."
    runtimes+=("$(realpath "$found")")
done

CXX=$compiler "$python" -m pip -qq --disable-pip-version-check install \
    --no-build-isolation --no-deps --upgrade --target "$built/site" \
    --config-settings=build-dir="$built/cmake" \
    --config-settings=cmake.define.INCROWD_SANITIZE=ON .

# Only these files are collected: importing all the others takes minutes under the sanitizers.
mapfile -t kernel_tests < <(
    find tests -name 'test_*_kernels.py' -not -path 'tests/kernels/*'
    grep -rl --include='test_*.py' 'mark\.kernel' tests
)

# detect_leaks=0: Python itself never frees everything.
# PYTHONMALLOC=malloc: each Python object is an allocation of its own, with its own red zones.
LD_PRELOAD=$(IFS=:; echo "${runtimes[*]}") \
    ASAN_OPTIONS=detect_leaks=0:abort_on_error=0:exitcode=99 \
    UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1:exitcode=99 \
    PYTHONMALLOC=malloc PYTHONPATH=$built/site INCROWD_SANITIZED=$built/site \
    "$python" -m pytest -m kernel --capture=sys -n "${WORKERS:-2}" tests/kernels "${kernel_tests[@]}"
# not --capture=fd: the sanitizers write to stderr and exit
