package dev.knitting.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.knitting.Memory;
import dev.knitting.memory.Handover;
import dev.knitting.memory.ProcessBarrier;
import dev.knitting.memory.SharedSegment;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Litmus tests between two JVMs over one shared memory, with the accessors of the library: store buffering, message
 * passing, claims. Each runs a second or two ({@code -Dlitmus.seconds=60} for longer), and each has a twin that lacks one
 * order and must show what is forbidden; else the litmus would have no power to see it either.
 */
class LitmusTest {
    private static final double SECONDS = Double.parseDouble(System.getProperty("litmus.seconds", "1.5"));
    /** How long a twin is given to fail. It takes milliseconds; a loaded machine longer. */
    private static final double TWIN_SECONDS = Math.max(SECONDS, 20);

    private static final Pattern TALLY = Pattern.compile("rounds=(\\d+) forbidden=(\\d+)");

    /** What both sides counted. */
    private record Tally(long rounds, long forbidden) {}

    private static Tally run(Litmus litmus, double seconds, boolean untilForbidden) throws Exception {
        Memory kind = SharedSegment.resolve(Memory.AUTOMATIC);
        try (SharedSegment segment = SharedSegment.create(kind, LitmusArea.BYTES, null)) {
            segment.reserve(0, LitmusArea.BYTES);
            LitmusArea area = new LitmusArea(segment);
            area.prepare();
            Process child = start(litmus, segment.handover());
            try {
                String mine = new LitmusSide(area, litmus, Litmus.HOST).run((long) (seconds * 1e9), untilForbidden);
                String others = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
                assertThat(child.waitFor(30, TimeUnit.SECONDS)).isTrue();
                System.out.println(mine);
                assertThat(others).as("what the child counted").isEqualTo(mine);
                Matcher tally = TALLY.matcher(mine);
                assertThat(tally.find()).isTrue();
                return new Tally(Long.parseLong(tally.group(1)), Long.parseLong(tally.group(2)));
            } finally {
                child.destroyForcibly();
            }
        }
    }

    private static Process start(Litmus litmus, Handover handover) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED", "-cp"));
        command.add(System.getProperty("java.class.path"));
        command.addAll(List.of(LitmusSide.class.getName(), litmus.name(), handover.argument()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
        Path standardInput = handover.standardInput();
        if (standardInput != null) {
            builder.redirectInput(standardInput.toFile());
        }
        return builder.start();
    }

    @ParameterizedTest
    @EnumSource(names = {"BELL_FULL_FENCES", "BELL_BARRIER", "MESSAGE", "TICKET", "DEKKER"})
    void litmus_asTheLibraryDoesIt_showsNothingForbidden(Litmus litmus) throws Exception {
        assumeTrue(litmus != Litmus.BELL_BARRIER || ProcessBarrier.register(), "no membarrier here");
        Tally tally = run(litmus, SECONDS, false);
        assertThat(tally.forbidden()).isZero();
        assertThat(tally.rounds()).isGreaterThan(1_000);
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "BELL_NO_PUBLISHER_FENCE",
                "BELL_NO_SLEEPER_FENCE",
                "MESSAGE_SEQUENCE_FIRST",
                "TICKET_LOAD_AND_STORE",
                "DEKKER_NO_FENCE"
            })
    void twin_withoutOneOrder_showsWhatIsForbidden(Litmus twin) throws Exception {
        assertThat(run(twin, TWIN_SECONDS, true).forbidden()).isPositive();
    }

    /**
     * A plain publication is wrong by the memory model; but the processors of this architecture keep the order of stores
     * and that of loads, and the compilers happen not to swap these. So what it shows is printed, and proves nothing.
     */
    @Test
    void twin_plainMessage_mayShowNothingOnThisHardware() throws Exception {
        assertThat(run(Litmus.MESSAGE_PLAIN, 0.5, true).rounds()).isPositive();
    }
}
