#!/bin/sh
# Says what a machine lacks to build incrowd, all of it at once.  Usage: check_machine.sh PYTHON
python=$1
lacking=0

lacks() {
    lacking=1
    printf 'missing: %s\n    %s\n' "$1" "$2" >&2
}

python_says() {
    "$python" -c "$1" >/dev/null 2>&1
}

compiles_cxx20() {
    printf '%s\n' '#include <bit>' '#include <span>' \
        'template <typename T> concept Sized = requires(T t) { t.size(); };' \
        'static_assert(Sized<std::span<int>> && std::bit_ceil(5u) == 8u);' |
        "$1" -std=c++20 -fsyntax-only -x c++ - >/dev/null 2>&1
}

check_python() {
    if ! python_says 'import sys; sys.exit(sys.version_info < (3, 11))'; then
        lacks "Python 3.11 or newer ('$python' is not)" \
            "install it, or name it: make PYTHON=/path/to/python3.11"
        return
    fi
    python_says 'import venv, ensurepip' ||
        lacks "the venv module of $python" "Debian, Ubuntu: apt install python3-venv"
    python_says '
import pathlib, sys, sysconfig
folders = [sysconfig.get_path(each) for each in ("include", "platinclude")]
sys.exit(not any(pathlib.Path(each, "Python.h").is_file() for each in folders))' ||
        lacks "the headers of $python (Python.h)" \
            "Debian, Ubuntu: apt install python3-dev; Fedora: dnf install python3-devel"
}

check_compiler() {
    for each in ${CXX:-c++ g++ clang++}; do
        compiles_cxx20 "$each" && return
    done
    lacks "a C++ compiler that knows C++20 (tried: ${CXX:-c++ g++ clang++})" \
        "Debian, Ubuntu: apt install g++; Fedora: dnf install gcc-c++; macOS: xcode-select --install"
}

check_python
check_compiler
exit $lacking
