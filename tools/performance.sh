#!/usr/bin/env bash
# Measures everything that docs/performance.md shows, and writes its tables and plots anew: docs/performance/*.
# About nine minutes on two cores that nobody else uses. Arguments:
#   --quick       a tenth of the time, to try the script; the figures mean little
#   --out DIR     writes there instead
# Results as JSON lines are in target/performance/results.jsonl.
set -eu
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cd "$root"
out=docs/performance
seconds=0.4
rounds=5
calls=500
startups=9
while [ $# -gt 0 ]; do
    case $1 in
        --quick) seconds=0.05 rounds=2 calls=50 startups=2 ;;
        --out) out=$2 && shift ;;
        *) echo "performance.sh: unknown argument: $1" >&2 && exit 2 ;;
    esac
    shift
done
. tools/find-jdk.sh
if ! find_jdk; then
    no_jdk_message performance.sh
    exit 2
fi

# Of values that people or systems chose: what JSON would need escapes for is left out.
plain() { tr -d '\\"' | tr -s '[:space:]' ' ' | sed 's/^ //; s/ $//'; }
load() { cut -d' ' -f1 /proc/loadavg 2>/dev/null || echo 0; }

before=$(load)
./knit bench --help >/dev/null # builds if it must
results=target/performance/results.jsonl
mkdir -p target/performance
: >"$results.new"
cpu=$( (grep -m1 'model name' /proc/cpuinfo 2>/dev/null || uname -p) | sed 's/.*: //' | plain)

run() {
    printf '{"bench":"command","command":"%s"}\n' "./knit bench $(printf '%s ' "$@" | plain)" >>"$results.new"
    echo "== ./knit bench $*" >&2
    ./knit bench "$@" --json >>"$results.new"
}
run --ops inc-sync,inc --rounds $rounds --seconds $seconds
run --ops bytes1k,order --batches 1,10,100 --rounds $rounds --seconds $seconds
run --ops bytes64k,bytes1m --batches 1,10 --rounds $rounds --seconds $seconds
run --park $calls
run --callers 1,2,4,8 --peers knitting-process,knitting-thread,jdk-executor --rounds $rounds --seconds 1
run --workers 1,2,3 --rounds $rounds --seconds 1
run --skew --rounds $rounds
run --startup $startups
after=$(load)

# One caller and one worker: a load of two is ours. What was there before we began is not.
note="the machine did nothing else"
if awk -v load="$before" 'BEGIN { exit !(load > 0.7) }'; then
    note="LOADED MACHINE: others used the cores meanwhile, read these figures as orders of magnitude"
fi
{
    printf '{"bench":"meta","note":"%s","date":"%s","commit":"%s","processor":"%s, %s cores","system":"%s","jdk":"%s","flags":"-XX:+UseSerialGC on both sides; see the launcher script","load before and after":"%s, %s"}\n' \
        "$note" "$(date -u +%Y-%m-%d)" "$(git rev-parse --short HEAD 2>/dev/null || echo unknown)" "$cpu" \
        "$(getconf _NPROCESSORS_ONLN)" "$(uname -s) $(uname -r | cut -d- -f1 | plain) $(uname -m)" \
        "$("$JDK_HOME/bin/java" -version 2>&1 | head -1 | plain)" "$before" "$after"
    cat "$results.new"
} >"$results"
rm "$results.new"
./knit bench --plot "$results" --out "$out"
