#!/usr/bin/env bash
# The way of a newcomer, as a script: clone, README, first own task, first service, first unit test; with the time each
# step took. Everything happens in a temporary folder.
#
#   tools/newcomer.sh [REPOSITORY]        default: this checkout
set -eu

root=$(cd "$(dirname "$0")/.." && pwd -P)
repository=${1:-$root}
. "$root/tools/find-jdk.sh"
find_jdk || { no_jdk_message newcomer; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

step() { # title
    printf '\n== %s\n' "$1"
}

timed() { # command and arguments; a failing command ends the script
    printf '$ %s\n' "$*"
    local start end
    start=$(date +%s%N)
    "$@"
    end=$(date +%s%N)
    awk -v nanos=$((end - start)) 'BEGIN { printf "   (%.1f s)\n", nanos / 1e9 }'
}

some_failed() { # runs a command of which the README says that it ends with 1
    local code=0
    "$@" >out.txt 2>err.txt || code=$?
    cut -c 1-100 out.txt | head -n 3
    cat err.txt
    [ "$code" -eq 1 ]
}

step 'Clone'
timed git clone -q "$repository" knitting

step 'The README: five minutes'
timed knitting/knit demo
timed some_failed knitting/knit map --task dev.knitting.examples.PdfText::extract knitting/samples/*

step 'A first task of my own'
mkdir own
cat >own/Shout.java <<'JAVA'
public final class Shout {
    static String shout(String text) {
        return text.toUpperCase() + "!";
    }
}
JAVA
cat own/Shout.java
timed "$JDK_HOME/bin/javac" -d own own/Shout.java
printf 'knit one\npurl two\n' >lines.txt
timed knitting/knit map -q --cp own --task Shout::shout - <lines.txt

step 'A first service'
mkdir service
cat >service/First.java <<'JAVA'
import dev.knitting.Pool;
import java.util.concurrent.CompletableFuture;

public final class First {
    public interface Counter {
        int count(String word);

        CompletableFuture<String> longest();
    }

    public static final class CounterImpl implements Counter {
        private final java.util.TreeMap<Integer, String> words = new java.util.TreeMap<>();

        @Override
        public int count(String word) {
            words.put(word.length(), word);
            return words.size();
        }

        @Override
        public CompletableFuture<String> longest() {
            return CompletableFuture.completedFuture(words.lastEntry().getValue());
        }
    }

    public static void main(String[] args) {
        try (Pool pool = Pool.processes(1).service(Counter.class, "First$CounterImpl").open()) {
            Counter counter = pool.service(Counter.class);
            counter.count("knit");
            System.out.println(counter.count("stitches") + " words, longest: " + counter.longest().join());
        }
    }
}
JAVA
cat service/First.java
jar=knitting/knitting/target/knitting.jar
timed "$JDK_HOME/bin/javac" -cp "$jar" -d service service/First.java
timed "$JDK_HOME/bin/java" --enable-native-access=ALL-UNNAMED -cp "$jar:service" First

step 'A first unit test, with Pool.direct()'
cat >knitting/knitting-examples/src/test/java/dev/knitting/examples/FirstTest.java <<'JAVA'
package dev.knitting.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.knitting.Pool;
import dev.knitting.Task;
import org.junit.jupiter.api.Test;

final class FirstTest {
    static final Task<String, Texts.Count> COUNT = Task.of(Texts::count);

    @Test
    void count_twoWords_crossesAsItWouldToAProcess() {
        try (Pool pool = Pool.direct()) {
            assertThat(pool.invoke(COUNT, "knit one")).isEqualTo(new Texts.Count(1, 2, 8));
        }
    }
}
JAVA
cat knitting/knitting-examples/src/test/java/dev/knitting/examples/FirstTest.java
timed mvn -q -B -ntp -Dfast -f knitting/pom.xml -pl knitting-examples -am test \
    -Dtest=FirstTest -Dsurefire.failIfNoSpecifiedTests=false
printf '\nall steps done\n'
