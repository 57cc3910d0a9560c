#!/usr/bin/env bash
# Many generated inputs through ./knit map: is memory flat on both sides, and how fast is it beside a plain parallel stream?
#
#   tools/map-memory.sh [INPUTS [WORKERS [HEAP]]]       default: 200000 2 32m
#
# Prints what the command and a worker hold (resident memory, of the command also the used heap, MiB), twice a second, then
# the throughput of both ways. Linux only. (A sandboxed worker lets no tool attach, so nothing tells its heap.)
set -eu

inputs=${1:-200000}
workers=${2:-2}
heap=${3:-32m}
root=$(cd "$(dirname "$0")/.." && pwd -P)
. "$root/tools/find-jdk.sh"
find_jdk || { no_jdk_message map-memory; exit 2; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
seq -f 'input number %.0f' "$inputs" >"$folder/lines"
"$root/knit" --version >/dev/null # builds, if it must

JDK_JAVA_OPTIONS="-Xmx$heap" "$root/knit" map --workers "$workers" --max-heap "$heap" \
    --task dev.knitting.examples.Hashes::sha256Text <"$folder/lines" >"$folder/out" 2>"$folder/err" &
knit=$!

resident() { # of a process, MiB
    awk '/^VmRSS:/ { print int($2 / 1024) }' "/proc/$1/status" 2>/dev/null
}

used_heap() { # of a JVM, MiB
    "$JDK_HOME/bin/jcmd" "$1" GC.heap_info 2>/dev/null |
        sed -n 's/.*total [0-9]*K, used \([0-9]*\)K.*/\1/p' | awk '{ sum += $1 } END { print int(sum / 1024) }'
}

printf '%8s  %12s %12s  %14s\n' seconds 'command RSS' 'heap' 'worker RSS'
start=$(date +%s%N)
while kill -0 "$knit" 2>/dev/null; do
    worker=$(pgrep -P "$knit" java | head -n 1 || true)
    printf '%8.1f  %12s %12s  %14s\n' \
        "$(awk -v a="$start" -v b="$(date +%s%N)" 'BEGIN { print (b - a) / 1e9 }')" \
        "$(resident "$knit")" "$(used_heap "$knit")" \
        "${worker:+$(resident "$worker")}"
    sleep 0.5
done
wait "$knit"
echo
grep '^map:' "$folder/err"
echo "lines: $(wc -l <"$folder/out"), ok: $(grep -c '"ok":true' "$folder/out")"
"$JDK_HOME/bin/java" -XX:+UseSerialGC -cp "$root/knitting-examples/target/knitting-examples.jar" \
    "$root/tools/ParallelHashes.java" "$inputs" "$workers"
