#!/usr/bin/env bash
# Every edge and pair of docs/memory-model.md under jcstress, in all modes of compilation: an hour, by estimate; never run whole. Arguments go to
# jcstress, for example
#   tools/stress.sh -t Pair14 -m quick
set -eu
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
. "$root/tools/find-jdk.sh"
if ! find_jdk; then
    no_jdk_message stress.sh
    exit 2
fi
mvn -q -B -ntp -f "$root/pom.xml" -Dmaven.test.skip -Dfast -pl knitting,knitting-jcstress package </dev/null
# The memory of the tests is a ring of areas: with more states than areas at a time two would share one.
exec "$JDK_HOME/bin/java" --enable-native-access=ALL-UNNAMED \
    -cp "$root/knitting-jcstress/target/knitting-jcstress.jar:$root/knitting-jcstress/target/lib/*" \
    org.openjdk.jcstress.Main -r "$root/knitting-jcstress/target/stress" -strideSize 64 -strideCount 4 "$@"
