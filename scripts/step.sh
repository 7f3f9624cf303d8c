#!/usr/bin/env bash
# Runs one step of make.  What it prints goes to the screen and to build/logs/STEP.log; if it fails,
# the last line says which step it was and where its log is.
# Usage: step.sh STEP TITLE COMMAND...    or, at the end: step.sh --summary
set -uo pipefail
logs=build/logs
mkdir -p "$logs"

if [ "$1" = --summary ]; then
    for time in $(ls -tr "$logs"/*.time); do
        read -r clock user system < "$time"
        step=$(basename "$time" .time)
        printf '  %-10s %4d s by the clock, %4d s of CPU\n' "$step" "$clock" $((user + system))
    done
    echo "All passed."
    exit 0
fi

step=$1 title=$2
shift 2
echo "$title"
TIMEFORMAT='%0R %0U %0S'
exec 3>&1
{ time { "$@" 2>&1 | tee "$logs/$step.log" >&3; }; } 2> "$logs/$step.time"
code=$?
if [ "$code" -ne 0 ]; then
    echo "FAILED: make $step.  Its log is $logs/$step.log"
fi
exit "$code"
