"""Runs clang-tidy over the kernels: the folders in which something changed since they passed.

Usage: tidy.py CLANG_TIDY, in the root of the project, after a build (which says how files are
compiled).  The list of checks is in .clang-tidy; what passed is remembered in build/tidy/.  Files
of a folder are looked at together: most of the time goes into headers that all of them include.
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
KERNELS = Path.cwd() / "src/incrowd/kernels"
TOGETHER = "--checks=-bugprone-suspicious-include"  # a folder's unit includes its .cpp files
INCLUDE = re.compile(r'^#include "(.+)"', re.MULTILINE)


def main(clang_tidy: str) -> int:
    """Check what changed; return 1 if something was found."""
    databases = sorted(Path("build").glob("*/compile_commands.json"))
    if not databases or not Path(clang_tidy).exists():
        missing = "clang-tidy is not installed" if databases else "nothing was built here"
        print(f"clang-tidy skipped: {missing}.")
        return 0
    version = subprocess.check_output([clang_tidy, "--version"]) + Path(".clang-tidy").read_bytes()
    commands = json.loads(databases[0].read_text("utf-8"))
    folders: dict[Path, list[Path]] = {}
    for each in commands:
        if (path := Path(each["file"])).is_relative_to(KERNELS):
            folders.setdefault(path.parent, []).append(path)
    marks = {folder: mark_of(paths, version) for folder, paths in folders.items()}
    PASSED.mkdir(parents=True, exist_ok=True)
    changed = [folder for folder, mark in marks.items() if not (PASSED / mark).exists()]
    flags = flags_of(commands)

    def check(folder: Path) -> bool:
        unit = PASSED / f"{folder.name}.cpp"
        unit.write_text("".join(f'#include "{path}"\n' for path in sorted(folders[folder])))
        ran = subprocess.run(
            [clang_tidy, "--quiet", TOGETHER, unit, "--", *flags], capture_output=True, text=True
        )
        if ran.returncode == 0:
            (PASSED / marks[folder]).touch()
        else:
            print(ran.stdout or ran.stderr, flush=True)
        return ran.returncode == 0

    with ThreadPoolExecutor(2) as pool:
        clean = list(pool.map(check, changed))
    print(f"clang-tidy: {len(marks) - len(changed)} folders as they were, {len(changed)} checked.")
    return 0 if all(clean) else 1


def flags_of(commands: list[dict[str, str]]) -> list[str]:
    """Return what the kernels are compiled with, as far as it decides what they mean."""
    ours = next(each for each in commands if Path(each["file"]).is_relative_to(KERNELS))
    flags = re.findall(r"(?:-I|-isystem |-D|-std=)\S+", ours["command"])
    return [part for flag in flags for part in flag.split()]


def mark_of(paths: list[Path], version: bytes) -> str:
    """Return what some files, all that they include and the checks come to."""
    seen, pending = set(), list(paths)
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
    found = [folder / name for name in names for folder in (path.parent, KERNELS)]
    return [each.resolve() for each in found if each.exists()]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
