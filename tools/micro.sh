#!/usr/bin/env bash
# Single stages of a call and what a call allocates, by JMH: about three minutes. Arguments go to JMH, for example
#   tools/micro.sh CodecBenchmark -p value=order -f 1
set -eu
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
. "$root/tools/find-jdk.sh"
if ! find_jdk; then
    no_jdk_message micro.sh
    exit 2
fi
mvn -q -B -ntp -f "$root/pom.xml" -Dmaven.test.skip -Dfast -pl knitting,knitting-bench,knitting-jmh package </dev/null
exec "$JDK_HOME/bin/java" -cp "$root/knitting-jmh/target/knitting-jmh.jar:$root/knitting-jmh/target/lib/*" \
    org.openjdk.jmh.Main -prof gc -jvm "$JDK_HOME/bin/java" \
    -jvmArgs "-XX:+UseSerialGC --enable-native-access=ALL-UNNAMED" "$@"
