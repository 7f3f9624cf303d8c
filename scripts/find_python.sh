#!/bin/sh
# Prints the first Python that is new enough; python3 if there is none, so that the check can say so.
for each in python3 python3.14 python3.13 python3.12 python3.11; do
    if "$each" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        echo "$each"
        exit
    fi
done
echo python3
