package dev.knitting.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Runs {@link HostMain} in a JVM of its own. */
final class Hosts {
    private Hosts() {}

    /** What the host prints until it ends by itself, which is within 60 s. */
    static String run(List<String> jvm, List<String> arguments, Consumer<Map<String, String>> environment)
            throws Exception {
        List<String> words = new ArrayList<>();
        words.add(JavaHomes.launcher(null).toString());
        words.add("-XX:+UseSerialGC");
        words.addAll(jvm);
        words.add("-cp");
        words.add(System.getProperty("java.class.path"));
        words.add(HostMain.class.getName());
        words.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
        environment.accept(builder.environment());
        Process host = builder.start();
        try {
            host.getOutputStream().close();
            String output = new String(host.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(host.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(host.exitValue()).as(output).isZero();
            return output;
        } finally {
            host.destroyForcibly();
        }
    }
}
