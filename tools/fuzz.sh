#!/usr/bin/env bash
# Runs the fuzz targets under Jazzer, which follows coverage: any bytes into header, task table, start data, values,
# failures and a whole lane. Needs the network once, for Jazzer itself, which is no dependency of the project.
#
#   tools/fuzz.sh [RUNS [TARGET...]]        default: 2500000 runs of each of the four targets, 10^7 in all
#
# A finding ends the run of that target with exit code 1 and leaves its input in knitting/target/fuzz/TARGET. The inputs
# that reached new code stay there too, and the next run begins with them.
set -eu

runs=${1:-2500000}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- memory.SegmentFuzz boot.BootFuzz codec.ValueFuzz host.LaneFuzz
version=0.25.1
root=$(cd "$(dirname "$0")/.." && pwd -P)
. "$root/tools/find-jdk.sh"
find_jdk || { no_jdk_message fuzz; exit 2; }

cd "$root"
module=knitting/target
mvn -q -Dfast -pl knitting test-compile
mvn -q -pl knitting dependency:build-classpath -Dmdep.outputFile="$root/$module/fuzz.classpath"
for artifact in jazzer jazzer-api; do
    [ -f "$module/jazzer/$artifact-$version.jar" ] || mvn -q dependency:copy \
        -Dartifact="com.code-intelligence:$artifact:$version" -DoutputDirectory="$root/$module/jazzer"
done
path=$module/fast-classes:$module/test-fast-classes:$(cat "$module/fuzz.classpath")
path=$path:$module/jazzer/jazzer-$version.jar:$module/jazzer/jazzer-api-$version.jar

"$JDK_HOME/bin/java" --enable-native-access=ALL-UNNAMED -cp "$path" dev.knitting.fuzz.Seeds "$module/fuzz"
status=0
for target in "$@"; do
    echo "== $target: $runs runs"
    (cd "$module/fuzz/$target" && "$JDK_HOME/bin/java" -Xmx1g -XX:+UseSerialGC --enable-native-access=ALL-UNNAMED \
        -cp "$(printf %s "$path" | sed "s#knitting/target#$root/knitting/target#g")" \
        com.code_intelligence.jazzer.Jazzer --target_class="dev.knitting.$target" \
        --instrumentation_includes='dev.knitting.**' --disabled_hooks='com.code_intelligence.jazzer.sanitizers.**' \
        -runs="$runs" -timeout=120 -max_len=4096 -rss_limit_mb=4096 -print_final_stats=1 . 2>&1 |
        tee log | grep -E '== Java|^Done|exec/s|Exception|Error|Base64|stat::' | grep -vE 'NEW|REDUCE|RELOAD' | tail -n 25
        ! grep -q '== Java Exception\|ERROR: libFuzzer' log) || status=1
done
exit "$status"
