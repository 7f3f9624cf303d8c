"""Runs clang-tidy over the kernels: those that changed, or whose headers did, since they passed.

Usage: tidy.py CLANG_TIDY, in the root of the project, after a build (which says how files are
compiled).  The list of checks is in .clang-tidy; what passed is remembered in build/tidy/.
"""

import hashlib
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

PASSED = Path("build/tidy")
INCLUDE = re.compile(r'^#include "(.+)"', re.MULTILINE)


def main(clang_tidy: str) -> int:
    """Check what changed; return 1 if something was found."""
    databases = sorted(Path("build").glob("*/compile_commands.json"))
    if not databases or not Path(clang_tidy).exists():
        missing = "clang-tidy is not installed" if databases else "nothing was built here"
        print(f"clang-tidy skipped: {missing}.")
        return 0
    version = subprocess.check_output([clang_tidy, "--version"]) + Path(".clang-tidy").read_bytes()
    sources = [Path(each["file"]) for each in json.loads(databases[0].read_text("utf-8"))]
    marks = {path: mark_of(path, version) for path in sources if path.is_relative_to(Path.cwd())}
    PASSED.mkdir(parents=True, exist_ok=True)
    changed = [path for path, mark in marks.items() if not (PASSED / mark).exists()]

    def check(path: Path) -> bool:
        command = [clang_tidy, "--quiet", "-p", databases[0].parent, path]
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode == 0:
            (PASSED / marks[path]).touch()
        else:
            print(ran.stdout or ran.stderr, flush=True)
        return ran.returncode == 0

    with ThreadPoolExecutor(2) as pool:
        clean = list(pool.map(check, changed))
    print(f"clang-tidy: {len(marks) - len(changed)} files as they were, {len(changed)} checked.")
    return 0 if all(clean) else 1


def mark_of(path: Path, version: bytes) -> str:
    """Return what a file, all that it includes and the checks come to."""
    seen, pending = set(), [path]
    while pending:
        each = pending.pop()
        if each not in seen:
            seen.add(each)
            pending += included(each)
    return hashlib.sha256(b"\0".join([version, *map(Path.read_bytes, sorted(seen))])).hexdigest()


@cache
def included(path: Path) -> list[Path]:
    """Return our own headers that a file includes, by any of the ways it may name them."""
    names = INCLUDE.findall(path.read_text("utf-8"))
    kernels = Path.cwd() / "src/incrowd/kernels"
    found = [folder / name for name in names for folder in (path.parent, kernels)]
    return [each.resolve() for each in found if each.exists()]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
