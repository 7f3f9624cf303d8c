#!/usr/bin/env bash
# Builds the kernels with the address and undefined-behaviour sanitizers, or tests them.
# Usage: sanitize.sh build|test PYTHON, a Python with the build tools and the test dependencies.
set -euo pipefail
python=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
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

if [ "$1" = build ]; then
    CXX=$compiler "$python" -m pip -qq --disable-pip-version-check install \
        --no-build-isolation --no-deps --upgrade --target "$built/site" \
        --config-settings=build-dir="$built/cmake" \
        --config-settings=cmake.define.INCROWD_SANITIZE=ON .
    exit
fi

# Only these files are collected: importing all the others takes minutes under the sanitizers.
# Those that hand memory of Python itself to a kernel, the text of CSV files, run on their own, with
# PYTHONMALLOC=malloc: each object is an allocation with its own red zones, which costs as much time
# again.  All other kernels are given arrays of NumPy, which asks malloc for them anyway.
mapfile -t kernel_tests < <(
    find tests -name 'test_*_kernels.py' -not -name '*csv*' -not -path 'tests/kernels/*'
    grep -rl --include='test_*.py' --exclude-dir=kernels 'mark\.kernel' tests
)

mapfile -t text_tests < <(find tests -name 'test_*csv*_kernels.py')

# Few tables are drawn here: a wrong step in memory shows in any of them, and what kernels answer is
# compared on more by the tests without sanitizers.
# detect_leaks=0: Python itself never frees everything.
# not --capture=fd: the sanitizers write to stderr and exit
run() {
    LD_PRELOAD=$(IFS=:; echo "${runtimes[*]}") \
        ASAN_OPTIONS=detect_leaks=0:abort_on_error=0:exitcode=99 \
        UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1:exitcode=99 \
        INCROWD_EXAMPLES=${EXAMPLES:-0.1} PYTHONMALLOC=$1 PYTHONPATH=$built/site INCROWD_SANITIZED=$built/site \
        "$python" -m pytest -m kernel --capture=sys "${@:2}"
}

run malloc "${text_tests[@]}"
run pymalloc -n "${WORKERS:-2}" tests/kernels "${kernel_tests[@]}"
