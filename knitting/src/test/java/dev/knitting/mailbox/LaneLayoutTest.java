package dev.knitting.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LaneLayoutTest {
    /** Who writes each word; the bell is written by both sides and so stands alone. */
    private static final Map<String, String> WRITERS = Map.ofEntries(
            Map.entry("state", "worker"),
            Map.entry("features", "worker"),
            Map.entry("requests", "host"),
            Map.entry("incarnation", "host"),
            Map.entry("submitStart", "host"),
            Map.entry("returnStart", "host"),
            Map.entry("startNanos", "host"),
            Map.entry("startMillis", "host"),
            Map.entry("workerBell", "both"),
            Map.entry("controlBell", "both, for aborts"),
            Map.entry("retired", "worker, each call"),
            Map.entry("returned", "host, each drain"),
            Map.entry("errorCode", "worker"),
            Map.entry("failedCalls", "worker"),
            Map.entry("bytesIn", "worker"),
            Map.entry("bytesOut", "worker"),
            Map.entry("busyNanos", "worker"),
            Map.entry("workerPid", "host"),
            Map.entry("grantNumber", "host"),
            Map.entry("grantId", "host"),
            Map.entry("grantStart", "host"),
            Map.entry("errorLength", "worker"),
            Map.entry("errorText", "worker"));

    @Test
    void offsets_literals_areThoseOfTheLayout() {
        Map<String, Long> literals = Offsets.literals(LaneLayout.class);
        literals.keySet()
                .removeAll(List.of("submit", "return", "aborts", "arenas")); // the parts behind the control words
        assertThat(literals).containsExactlyInAnyOrderEntriesOf(Offsets.derived(LaneLayout.LAYOUT));
    }

    @Test
    void sizes_arePinned() {
        assertThat(LaneLayout.LAYOUT.byteSize())
                .isEqualTo(LaneLayout.CONTROL_BYTES)
                .isEqualTo(4096);
        assertThat(LaneLayout.SUBMIT_OFFSET).isEqualTo(4096);
        assertThat(LaneLayout.RETURN_OFFSET).isEqualTo(40_960);
        assertThat(LaneLayout.ARENAS_OFFSET).isEqualTo(94_208);
        assertThat(LaneLayout.ABORTS_OFFSET).isEqualTo(77_824);
        assertThat(LaneLayout.ERROR_TEXT_OFFSET + LaneLayout.ERROR_TEXT_BYTES).isEqualTo(LaneLayout.CONTROL_BYTES);
    }

    @Test
    void words_ofDifferentWriters_lie128BytesApart() {
        Map<String, Long> offsets = Offsets.derived(LaneLayout.LAYOUT);
        assertThat(WRITERS).containsOnlyKeys(offsets.keySet());
        offsets.forEach((name, offset) -> offsets.forEach((other, otherOffset) -> {
            if (!WRITERS.get(name).equals(WRITERS.get(other))) {
                assertThat(offset / 128).as(name + " and " + other).isNotEqualTo(otherOffset / 128);
                assertThat(Math.abs(offset - otherOffset))
                        .as(name + " and " + other)
                        .isGreaterThanOrEqualTo(96);
            }
        }));
        for (String busy : List.of("state", "requests", "workerBell", "retired", "returned", "controlBell")) {
            assertThat(offsets.get(busy) % 128).as(busy).isZero();
        }
    }

    @Test
    void strideBytes_anyArenas_isWholePagesAndHoldsThem() {
        for (long arena : new long[] {1, 4096, 65_536 + 1, 256L << 20, 64L << 30}) {
            long stride = LaneLayout.strideBytes(arena);
            assertThat(stride % 4096).isZero();
            assertThat(stride)
                    .isBetween(LaneLayout.ARENAS_OFFSET + 2 * arena, LaneLayout.ARENAS_OFFSET + 2 * arena + 4095);
        }
    }
}
