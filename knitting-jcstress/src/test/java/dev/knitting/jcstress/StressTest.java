package dev.knitting.jcstress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.openjdk.jcstress.Options;
import org.openjdk.jcstress.infra.TestInfo;
import org.openjdk.jcstress.infra.collectors.TestResult;
import org.openjdk.jcstress.infra.runners.ForkedTestConfig;
import org.openjdk.jcstress.infra.runners.Runner;
import org.openjdk.jcstress.infra.runners.TestConfig;
import org.openjdk.jcstress.infra.runners.TestList;
import org.openjdk.jcstress.os.AffinityMode;
import org.openjdk.jcstress.os.NodeType;
import org.openjdk.jcstress.os.SchedulingClass;
import org.openjdk.jcstress.vm.CompileMode;

/**
 * A short run of all tests, in one JVM: no forbidden outcome; and each twin that can show what it lacks does so. The long
 * run, in all modes of compilation, is {@code tools/stress.sh}.
 */
class StressTest {
    private static final String MILLIS = System.getProperty("stress.millis", "50");

    /** With other work on the machine the actors of a test may not meet in so short a time: a twin is given longer. */
    private static final long TWIN_NANOS = 60_000_000_000L;

    private static final Map<String, TestResult> RESULTS = new TreeMap<>();

    @BeforeAll
    static void runAll() throws Exception {
        for (String test : TestList.tests()) {
            RESULTS.put(test, run(test, MILLIS));
        }
        long start = System.nanoTime();
        while (!silentTwins().isEmpty() && System.nanoTime() - start < TWIN_NANOS) {
            for (String twin : silentTwins()) {
                RESULTS.put(twin, run(twin, "300"));
            }
        }
        RESULTS.forEach((name, result) -> System.out.println(name + " " + counts(result)));
    }

    private static Map<String, Long> counts(TestResult result) {
        Map<String, Long> counts = new TreeMap<>();
        result.getStateKeys().forEach(state -> counts.put(state, result.getCount(state)));
        return counts;
    }

    /** One test in this JVM: what jcstress does in its forks. */
    private static TestResult run(String test, String millis) throws Exception {
        Options options = new Options(
                new String[] {"-c", "2", "-iters", "1", "-time", millis, "-strideSize", "64", "-strideCount", "4"});
        assertThat(options.parse()).isTrue();
        TestInfo info = TestList.getInfo(test);
        SchedulingClass anywhere = new SchedulingClass(AffinityMode.NONE, info.threads(), NodeType.PACKAGE);
        TestConfig config = new TestConfig(options, info, 0, List.of(), CompileMode.UNIFIED, anywhere);
        Object runner = Class.forName(config.generatedRunnerName)
                .getConstructor(ForkedTestConfig.class)
                .newInstance(new ForkedTestConfig(config));
        TestResult result = ((Runner<?>) runner).run();
        result.setConfig(config);
        return result;
    }

    private static boolean isInteresting(TestResult result) {
        return result.grading().hasInteresting;
    }

    private static boolean isTwin(String name) {
        return name.endsWith("Twin");
    }

    private static List<String> silentTwins() {
        return RESULTS.keySet().stream()
                .filter(name -> isTwin(name) && !name.endsWith("PlainTwin") && !isInteresting(RESULTS.get(name)))
                .toList();
    }

    @Test
    void tests_allButTwins_showNothingForbidden() {
        RESULTS.forEach((name, result) -> {
            assertThat(result.grading().failureMessages).as(name).isEmpty();
            assertThat(result.grading().isPassed).as(name).isTrue();
            assertThat(result.getTotalCount()).as(name).isPositive();
        });
    }

    @Test
    void twins_withoutOneOrder_showWhatIsForbidden() {
        assertThat(RESULTS.keySet().stream().filter(StressTest::isTwin)).hasSizeGreaterThan(30);
        assertThat(silentTwins()).isEmpty();
    }

    /** Each pair and each edge of the memory model has a test, and a twin. */
    @Test
    void memoryModel_everyPairAndEdge_hasATestAndATwin() throws IOException {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.exists(root.resolve("docs/memory-model.md"))) {
            root = root.getParent();
        }
        String text = Files.readString(root.resolve("docs/memory-model.md"));
        List<String> wanted = new ArrayList<>();
        Pattern.compile("(?m)^\\| (\\d+) \\|")
                .matcher(text)
                .results()
                .forEach((MatchResult row) -> wanted.add("Pair%02d".formatted(Integer.parseInt(row.group(1)))));
        Pattern.compile("(?m)^\\| \\[([a-z-]+)] \\|")
                .matcher(text)
                .results()
                .forEach((MatchResult row) -> wanted.add(FIRST_NAMES.getOrDefault(row.group(1), row.group(1))));
        assertThat(wanted).hasSizeGreaterThan(28);
        for (String name : wanted) {
            String start = Character.toUpperCase(name.charAt(0)) + name.substring(1);
            List<String> found = RESULTS.keySet().stream()
                    .map(test -> test.substring(test.lastIndexOf('.') + 1))
                    .filter(test -> test.startsWith(start))
                    .toList();
            assertThat(found).as(name).anyMatch(StressTest::isTwin).anyMatch(test -> !isTwin(test));
        }
    }

    /** Edges whose tests do not start with their name. */
    private static final Map<String, String> FIRST_NAMES =
            Map.of("header-complete", "Header", "task-announced", "Task");
}
